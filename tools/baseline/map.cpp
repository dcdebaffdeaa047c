// SPDX-License-Identifier: Apache-2.0
#include "baseline/map.h"

#include <map>
#include <new>
#include <unordered_map>

struct baseline_map {
    std::map<uint64_t, uint64_t> entries;
};

struct baseline_map *baseline_map_create(void)
{
    return new (std::nothrow) baseline_map;
}

void baseline_map_destroy(struct baseline_map *map)
{
    delete map;
}

bool baseline_map_put(struct baseline_map *map, uint64_t key, uint64_t value)
{
    try {
        map->entries[key] = value;
    } catch (const std::bad_alloc &) {
        return false;
    }
    return true;
}

bool baseline_map_find(const struct baseline_map *map, uint64_t key, uint64_t *value)
{
    const auto at = map->entries.find(key);
    if (at == map->entries.end())
        return false;
    *value = at->second;
    return true;
}

bool baseline_map_erase(struct baseline_map *map, uint64_t key)
{
    return map->entries.erase(key) == 1;
}

bool baseline_map_lower_bound(const struct baseline_map *map, uint64_t *key, uint64_t *value)
{
    const auto at = map->entries.lower_bound(*key);
    if (at == map->entries.end())
        return false;
    *key = at->first;
    *value = at->second;
    return true;
}

size_t baseline_map_size(const struct baseline_map *map)
{
    return map->entries.size();
}

/* Whole arrays, in any of the standard library's maps. */
template <class Map> struct whole {
    static baseline_map32 *hide(Map *map)
    {
        return reinterpret_cast<baseline_map32 *>(map);
    }

    static Map &of(baseline_map32 *map)
    {
        return *reinterpret_cast<Map *>(map);
    }

    static const Map &of(const baseline_map32 *map)
    {
        return *reinterpret_cast<const Map *>(map);
    }

    static baseline_map32 *create(void)
    {
        return hide(new (std::nothrow) Map);
    }

    static void destroy(baseline_map32 *map)
    {
        delete &of(map);
    }

    static void clear(baseline_map32 *map)
    {
        of(map).clear();
    }

    static size_t size(const baseline_map32 *map)
    {
        return of(map).size();
    }

    static size_t insert(baseline_map32 *map, const uint32_t *keys, size_t n)
    {
        size_t count = 0;
        try {
            for (size_t i = 0; i < n; i++)
                count += of(map).emplace(keys[i], keys[i]).second;
        } catch (const std::bad_alloc &) {
        }
        return count;
    }

    static size_t find(const baseline_map32 *map, const uint32_t *keys, size_t n)
    {
        size_t count = 0;
        for (size_t i = 0; i < n; i++) {
            const auto at = of(map).find(keys[i]);
            count += at != of(map).end() && at->second == keys[i];
        }
        return count;
    }

    static size_t erase(baseline_map32 *map, const uint32_t *keys, size_t n)
    {
        size_t count = 0;
        for (size_t i = 0; i < n; i++)
            count += of(map).erase(keys[i]);
        return count;
    }
};

using ordered = whole<std::map<uint32_t, uint32_t>>;
using hashed = whole<std::unordered_map<uint32_t, uint32_t>>;

static size_t range(const baseline_map32 *map, const uint32_t *lows, size_t n, size_t limit)
{
    size_t count = 0;
    for (size_t i = 0; i < n; i++) {
        auto at = ordered::of(map).lower_bound(lows[i]);
        for (size_t k = 0; k < limit && at != ordered::of(map).end(); k++, ++at)
            count += at->first == at->second;
    }
    return count;
}

const baseline_map32_kind baseline_map32_std = {
    "std::map",      nullptr,         ordered::create, ordered::destroy, ordered::clear,
    ordered::size,   ordered::insert, ordered::find,   ordered::erase,   range
};
const baseline_map32_kind baseline_map32_unordered = {
    "std::unordered_map", nullptr,        hashed::create, hashed::destroy, hashed::clear,
    hashed::size,         hashed::insert, hashed::find,   hashed::erase,   nullptr
};

/* SPDX-License-Identifier: Apache-2.0 */
/* Where there is no C++ compiler: no std::map. */
#include "baseline/map.h"

struct baseline_map *baseline_map_create(void)
{
    return NULL;
}

void baseline_map_destroy(struct baseline_map *map)
{
    (void)map;
}

bool baseline_map_put(struct baseline_map *map, uint64_t key, uint64_t value)
{
    (void)map, (void)key, (void)value;
    return false;
}

bool baseline_map_find(const struct baseline_map *map, uint64_t key, uint64_t *value)
{
    (void)map, (void)key, (void)value;
    return false;
}

bool baseline_map_erase(struct baseline_map *map, uint64_t key)
{
    (void)map, (void)key;
    return false;
}

bool baseline_map_lower_bound(const struct baseline_map *map, uint64_t *key, uint64_t *value)
{
    (void)map, (void)key, (void)value;
    return false;
}

size_t baseline_map_size(const struct baseline_map *map)
{
    (void)map;
    return 0;
}

const struct baseline_map32_kind baseline_map32_std = { .name = "std::map", .missing = "no C++" };
const struct baseline_map32_kind baseline_map32_unordered = { .name = "std::unordered_map",
                                                              .missing = "no C++" };

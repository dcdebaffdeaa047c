// SPDX-License-Identifier: Apache-2.0
// oneTBB's concurrent_priority_queue and concurrent_map, by as many threads as it takes for this
// machine.
#include "baseline/map.h"
#include "baseline/queue.h"

#include <atomic>
#include <functional>
#include <new>
#include <vector>

#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/concurrent_map.h>
#include <oneapi/tbb/concurrent_priority_queue.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/parallel_reduce.h>

namespace
{

using piece = oneapi::tbb::blocked_range<size_t>;

// What `count_one` gives for all of 0 .. n - 1, added up.
template <typename Count> size_t add_up(size_t n, Count count_one)
{
    return oneapi::tbb::parallel_reduce(
        piece(0, n), size_t(0),
        [&](const piece &p, size_t sum) {
            for (size_t i = p.begin(); i != p.end(); i++)
                sum += count_one(i);
            return sum;
        },
        std::plus<size_t>());
}

} // namespace

// --- concurrent_priority_queue
// ---------------------------------------------------------------------

struct baseline_queue {
    oneapi::tbb::concurrent_priority_queue<int32_t, std::greater<int32_t>> keys;
};

static baseline_queue *queue_create()
{
    return new (std::nothrow) baseline_queue;
}

static void queue_destroy(baseline_queue *queue)
{
    delete queue;
}

static bool queue_push(baseline_queue *queue, const int32_t *keys, size_t n)
{
    try {
        return add_up(n, [&](size_t i) {
                   queue->keys.push(keys[i]);
                   return size_t(1);
               }) == n;
    } catch (const std::bad_alloc &) {
        return false;
    }
}

// Each to a place of its own: threads finish in no order.
static size_t queue_pop(baseline_queue *queue, int32_t *keys, size_t n)
{
    std::atomic<size_t> got { 0 };
    oneapi::tbb::parallel_for(piece(0, n), [&](const piece &p) {
        int32_t key;
        for (size_t i = p.begin(); i != p.end() && queue->keys.try_pop(key); i++)
            keys[got.fetch_add(1, std::memory_order_relaxed)] = key;
    });
    return got.load();
}

static void queue_clear(baseline_queue *queue)
{
    queue->keys.clear();
}

const baseline_queue_kind baseline_queue_tbb = { "oneTBB queue", nullptr,       false,
                                                 queue_create,   queue_destroy, queue_push,
                                                 queue_pop,      queue_clear };

// --- concurrent_map
// -------------------------------------------------------------------------------

struct baseline_map32 {
    oneapi::tbb::concurrent_map<uint32_t, uint32_t> entries;
};

static baseline_map32 *map_create()
{
    return new (std::nothrow) baseline_map32;
}

static void map_destroy(baseline_map32 *map)
{
    delete map;
}

static void map_clear(baseline_map32 *map)
{
    map->entries.clear();
}

static size_t map_size(const baseline_map32 *map)
{
    return map->entries.size();
}

static size_t map_insert(baseline_map32 *map, const uint32_t *keys, size_t n)
{
    try {
        return add_up(
            n, [&](size_t i) { return size_t(map->entries.emplace(keys[i], keys[i]).second); });
    } catch (const std::bad_alloc &) {
        return 0;
    }
}

static size_t map_find(const baseline_map32 *map, const uint32_t *keys, size_t n)
{
    return add_up(n, [&](size_t i) {
        const auto at = map->entries.find(keys[i]);
        return size_t(at != map->entries.end() && at->second == keys[i]);
    });
}

static size_t map_range(const baseline_map32 *map, const uint32_t *lows, size_t n, size_t limit)
{
    return add_up(n, [&](size_t i) {
        size_t count = 0;
        auto at = map->entries.lower_bound(lows[i]);
        for (size_t k = 0; k < limit && at != map->entries.end(); k++, ++at)
            count += at->first == at->second;
        return count;
    });
}

// Its erase is no concurrent operation.
const baseline_map32_kind baseline_map32_tbb = { "oneTBB map", nullptr,  map_create, map_destroy,
                                                 map_clear,    map_size, map_insert, map_find,
                                                 nullptr,      map_range };

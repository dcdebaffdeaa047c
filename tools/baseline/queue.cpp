// SPDX-License-Identifier: Apache-2.0
#include "baseline/queue.h"

#include <functional>
#include <new>
#include <queue>
#include <vector>

struct baseline_queue {
    std::priority_queue<int32_t, std::vector<int32_t>, std::greater<int32_t>> keys;
};

static baseline_queue *create()
{
    return new (std::nothrow) baseline_queue;
}

static void destroy(baseline_queue *queue)
{
    delete queue;
}

static bool push(baseline_queue *queue, const int32_t *keys, size_t n)
{
    try {
        for (size_t i = 0; i < n; i++)
            queue->keys.push(keys[i]);
    } catch (const std::bad_alloc &) {
        return false;
    }
    return true;
}

static size_t pop(baseline_queue *queue, int32_t *keys, size_t n)
{
    size_t got = 0;
    for (; got < n && !queue->keys.empty(); got++) {
        keys[got] = queue->keys.top();
        queue->keys.pop();
    }
    return got;
}

static void clear(baseline_queue *queue)
{
    queue->keys = {};
}

const baseline_queue_kind baseline_queue_std = {
    "std::priority_queue", nullptr, true, create, destroy, push, pop, clear
};

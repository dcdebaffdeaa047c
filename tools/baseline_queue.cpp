// SPDX-License-Identifier: Apache-2.0
#include "baseline_queue.h"

#include <functional>
#include <new>
#include <queue>
#include <vector>

struct baseline_queue {
    std::priority_queue<int32_t, std::vector<int32_t>, std::greater<int32_t>> keys;
};

struct baseline_queue *baseline_queue_create(void)
{
    return new (std::nothrow) baseline_queue;
}

void baseline_queue_destroy(struct baseline_queue *queue)
{
    delete queue;
}

bool baseline_queue_push(struct baseline_queue *queue, const int32_t *keys, size_t n)
{
    try {
        for (size_t i = 0; i < n; i++)
            queue->keys.push(keys[i]);
    } catch (const std::bad_alloc &) {
        return false;
    }
    return true;
}

size_t baseline_queue_pop(struct baseline_queue *queue, int32_t *keys, size_t n)
{
    size_t got = 0;
    for (; got < n && !queue->keys.empty(); got++) {
        keys[got] = queue->keys.top();
        queue->keys.pop();
    }
    return got;
}

void baseline_queue_clear(struct baseline_queue *queue)
{
    queue->keys = {};
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Where there is no C++ compiler: no baseline. */
#include "baseline_queue.h"

struct baseline_queue *baseline_queue_create(void)
{
    return NULL;
}

void baseline_queue_destroy(struct baseline_queue *queue)
{
    (void)queue;
}

bool baseline_queue_push(struct baseline_queue *queue, const int32_t *keys, size_t n)
{
    (void)queue, (void)keys, (void)n;
    return false;
}

size_t baseline_queue_pop(struct baseline_queue *queue, int32_t *keys, size_t n)
{
    (void)queue, (void)keys, (void)n;
    return 0;
}

void baseline_queue_clear(struct baseline_queue *queue)
{
    (void)queue;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* std::priority_queue of int32_t, smallest first: what `clade bench heap` stands beside. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct baseline_queue;

/* An empty queue; NULL when memory is out, or when clade was built without a C++ compiler. */
struct baseline_queue *baseline_queue_create(void);
void baseline_queue_destroy(struct baseline_queue *queue);
/* One by one. False when memory is out. */
bool baseline_queue_push(struct baseline_queue *queue, const int32_t *keys, size_t n);
/* One by one, at most n; returns how many there were. */
size_t baseline_queue_pop(struct baseline_queue *queue, int32_t *keys, size_t n);
/* Forget everything, memory too. */
void baseline_queue_clear(struct baseline_queue *queue);

#ifdef __cplusplus
}
#endif

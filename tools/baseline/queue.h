/* SPDX-License-Identifier: Apache-2.0 */
/* Queues of int32_t, smallest first: what `clade bench heap` stands beside. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct baseline_queue;

struct baseline_queue_kind {
    const char *name;
    const char *missing; /* why this build has none, and no functions; or NULL */
    bool in_order;       /* what is popped comes in order */
    /* An empty queue; NULL when memory is out. */
    struct baseline_queue *(*create)(void);
    void (*destroy)(struct baseline_queue *queue);
    /* One by one. False when memory is out. */
    bool (*push)(struct baseline_queue *queue, const int32_t *keys, size_t n);
    /* One by one, at most n; returns how many there were. */
    size_t (*pop)(struct baseline_queue *queue, int32_t *keys, size_t n);
    /* Forget everything, memory too. */
    void (*clear)(struct baseline_queue *queue);
};

extern const struct baseline_queue_kind baseline_queue_std; /* on one core */
extern const struct baseline_queue_kind baseline_queue_tbb; /* oneTBB's, on all cores at once */

#ifdef __cplusplus
}
#endif

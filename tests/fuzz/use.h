/* SPDX-License-Identifier: Apache-2.0 */
/* What kernels do with an object: the device functions, called by one thread. The files that define
 * these see the device's side of the shared headers, fuzz_use.c the host's. */
#pragma once

#include <stdint.h>

/* `steps` operations of all sorts, drawn from `seed`. */
void use_map(void *list, uint32_t seed, uint32_t steps);
void use_map_wide(void *list, uint32_t seed, uint32_t steps); /* keys of 64 bits, no values */
void use_sequence(void *list, uint32_t seed, uint32_t steps);
void use_dlist(void *list, uint32_t seed, uint32_t steps);
void use_queue(void *queue, uint32_t seed, uint32_t steps);
void use_rbtree(void *tree, uint32_t seed, uint32_t steps);
void use_adheap(void *heaps, uint32_t seed, uint32_t steps);
void use_heap_top_down(void *heap, uint32_t seed, uint32_t steps);
void use_heap_top_down_keys(void *heap, uint32_t seed, uint32_t steps);
void use_heap_bottom_up(void *heap, uint32_t seed, uint32_t steps);
void use_heap_bottom_up_keys(void *heap, uint32_t seed, uint32_t steps);
void use_heap_front(void *heap, uint32_t seed, uint32_t steps);
/* A block below `bookkeeping`, a number of bytes, is a failure. */
void use_kma(void *kma, uint32_t bookkeeping, uint32_t seed, uint32_t steps);
void use_kma_make_ready(void *kma);

/* What the host launches between kernels. */
void use_map_reclaim(void *list);
void use_dlist_reclaim(void *list);

static inline uint32_t use_draw(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}

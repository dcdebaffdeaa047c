/* SPDX-License-Identifier: Apache-2.0 */
/* Sequential model of one heap: a bag of words of which the least is the root. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct model_heap {
    uint64_t *words;
    uint32_t size, capacity;
};

bool model_insert(struct model_heap *heap, uint64_t word);
/* False when empty. */
bool model_pop(struct model_heap *heap, uint64_t *word);
/* Take one copy of `word` out; false when there is none. */
bool model_erase(struct model_heap *heap, uint64_t word);
/* Insert, or replace the root by a greater word. */
void model_feed(struct model_heap *heap, uint64_t word);

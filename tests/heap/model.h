/* SPDX-License-Identifier: Apache-2.0 */
/* The heap as a sequential program: a binary heap of (order, id) pairs, and the order of keys
 * written down a second time, from the meaning of the types. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct model_heap {
    uint64_t *orders;
    size_t count;
    size_t room;
};

void model_heap_push(struct model_heap *model, uint64_t order);
/* The least; the model is not empty. */
uint64_t model_heap_pop(struct model_heap *model);
void model_heap_free(struct model_heap *model);

/* A number that ascends with the heap's order of keys whose bits are `bits`. `type` and `order`
 * as in clade/shared/types.h. Floats: by value, -0 before +0. */
uint64_t model_heap_order(uint32_t type, uint32_t order, uint64_t bits);
bool model_heap_is_nan(uint32_t type, uint64_t bits);

/* SPDX-License-Identifier: Apache-2.0 */
/* An empty heap of a tree engine in host memory, u32 keys and values, smallest first, as
 * clade_heap_create() makes it. */
#pragma once

#include <stdlib.h>
#include <string.h>

#include "clade/shared/heap.h"

static inline size_t heap_memory_bytes(uint32_t capacity, uint32_t batch)
{
    const uint32_t nodes = (capacity - 1) / batch + 1;
    return CLADE_HEAP_VALUES_AT(nodes, batch, 4) + CLADE_HEAP_SLOTS_BYTES(nodes, batch, 4);
}

/* free() it. */
static inline clade_heap_head *heap_memory_new(uint32_t capacity, uint32_t batch, uint32_t engine)
{
    const size_t bytes = heap_memory_bytes(capacity, batch);
    clade_heap_head *head = aligned_alloc(128, (bytes + 127) / 128 * 128);
    if (!head)
        abort();
    memset(head, 0, bytes);
    head->nodes = (capacity - 1) / batch + 1;
    head->capacity[0] = capacity;
    head->object.shape = CLADE_HEAP_SHAPE(CLADE_U32, CLADE_U32, CLADE_MIN, engine, batch, 0);
    return head;
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "adheap/model.h"

#include <stddef.h>

static uint32_t root_of(const struct model_heap *heap)
{
    uint32_t root = 0;
    for (uint32_t i = 1; i < heap->size; i++)
        if (heap->words[i] < heap->words[root])
            root = i;
    return root;
}

bool model_insert(struct model_heap *heap, uint64_t word)
{
    if (heap->size == heap->capacity)
        return false;
    heap->words[heap->size++] = word;
    return true;
}

bool model_pop(struct model_heap *heap, uint64_t *word)
{
    if (heap->size == 0)
        return false;
    const uint32_t root = root_of(heap);
    *word = heap->words[root];
    heap->words[root] = heap->words[--heap->size];
    return true;
}

bool model_erase(struct model_heap *heap, uint64_t word)
{
    for (uint32_t i = 0; i < heap->size; i++)
        if (heap->words[i] == word) {
            heap->words[i] = heap->words[--heap->size];
            return true;
        }
    return false;
}

void model_feed(struct model_heap *heap, uint64_t word)
{
    if (model_insert(heap, word))
        return;
    const uint32_t root = root_of(heap);
    if (word > heap->words[root])
        heap->words[root] = word;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* A heap's keys put in order on the host: all entries are sorted, and sorted entries are a heap. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "heap/heap.h"

static int compare_entries(const void *a, const void *b)
{
    uint64_t x = ((const struct cladei_heap_entry *)a)->image;
    uint64_t y = ((const struct cladei_heap_entry *)b)->image;
    return x < y ? -1 : x > y;
}

static struct cladei_heap_entry entry_at(const struct cladei_heap_copy *copy,
                                         const clade_heap *heap, uint64_t index)
{
    struct cladei_heap_entry entry = { cladei_heap_image(heap, copy->keys, index), 0 };
    size_t bytes = CLADE_TYPE_BYTES(heap->params.value);
    if (bytes > 0)
        memcpy(&entry.value, copy->values + index * bytes, bytes);
    return entry;
}

static void put_entry(struct cladei_heap_copy *copy, const clade_heap *heap, uint64_t index,
                      struct cladei_heap_entry entry)
{
    size_t key_bytes = CLADE_TYPE_BYTES(heap->params.key);
    size_t value_bytes = CLADE_TYPE_BYTES(heap->params.value);
    memcpy(copy->keys + index * key_bytes, &entry.image, key_bytes);
    if (value_bytes > 0)
        memcpy(copy->values + index * value_bytes, &entry.value, value_bytes);
}

/* Sorted entries are a heap: nodes in the order of their numbers, then the buffer. */
static void lay_out(struct cladei_heap_copy *copy, const clade_heap *heap,
                    const struct cladei_heap_entry *entries, uint64_t size)
{
    const uint32_t batch = heap->params.batch;
    clade_heap_head *head = &copy->head;
    head->count = (uint32_t)(size / batch);
    head->root = head->count > 0 ? batch : 0;
    head->buffer = (uint32_t)(size % batch);
    head->repair = 0;
    head->object.first_error = head->object.first_error_item = 0;
    for (uint32_t node = 1; node <= heap->nodes; node++)
        copy->nodes[node].state = node <= head->count ? CLADE_HEAP_AVAIL : CLADE_HEAP_EMPTY;
    for (uint64_t i = 0; i < size; i++) {
        uint64_t node = i / batch + 1;
        uint64_t index = node <= head->count ? node * batch + i % batch : i % batch;
        put_entry(copy, heap, index, entries[i]);
        if (node <= head->count) {
            copy->nodes[node].last[0] = (clade_u32)entries[i].image;
            copy->nodes[node].last[1] = (clade_u32)(entries[i].image >> 32);
        }
    }
}

/* One command: it happens or it does not. Until it has, the heap is as it was, and can be repaired
 * again. */
static clade_status write_back(const struct cladei_heap_copy *copy, clade_heap *heap,
                               struct cladei_run *run, uint64_t slots)
{
    clade_status status = CLADE_OK;
    const clade_heap_params *p = &heap->params;
    const uint64_t keys_at = cladei_heap_keys_at(heap), values_at = cladei_heap_values_at(heap);
    const size_t key_bytes = (size_t)(slots * p->batch) * CLADE_TYPE_BYTES(p->key);
    const size_t value_bytes = (size_t)(slots * p->batch) * CLADE_TYPE_BYTES(p->value);
    const size_t end = (size_t)(value_bytes > 0 ? values_at + value_bytes : keys_at + key_bytes);
    char *bytes = malloc(end);
    CLADE_NO_MEMORY(bytes);
    CLADE_TRY(cladei_run_read(run, &heap->object, 0, bytes, end));
    memcpy(bytes, &copy->head, sizeof copy->head);
    memcpy(bytes + CLADE_HEAP_NODES_AT, copy->nodes,
           (heap->nodes + (size_t)1) * sizeof(clade_heap_node));
    memcpy(bytes + keys_at, copy->keys, key_bytes);
    if (value_bytes > 0)
        memcpy(bytes + values_at, copy->values, value_bytes);
    CLADE_TRY(cladei_run_write_whole(run, &heap->object, 0, bytes, end));
fail:
    free(bytes);
    return status;
}

clade_status cladei_heap_copy_entries(const struct cladei_heap_copy *copy, const clade_heap *heap,
                                      struct cladei_heap_entry **entries, uint64_t *count)
{
    clade_status status = CLADE_OK;
    const clade_heap_head *head = &copy->head;
    const uint32_t batch = heap->params.batch;
    const uint64_t size = cladei_heap_size_of(head, batch), slots = head->count + 1ull;
    uint64_t n = 0;
    *entries = malloc((size_t)(size + 1) * sizeof **entries);
    CLADE_NO_MEMORY(*entries);
    for (uint32_t i = 0; i < head->buffer; i++)
        (*entries)[n++] = entry_at(copy, heap, i);
    for (uint64_t i = 2ull * batch - head->root; i < slots * batch; i++)
        (*entries)[n++] = entry_at(copy, heap, i);
    qsort(*entries, (size_t)n, sizeof **entries, compare_entries);
    *count = n;
fail:
    return status;
}

clade_status cladei_heap_copy_write(struct cladei_heap_copy *copy, clade_heap *heap,
                                    struct cladei_run *run, const struct cladei_heap_entry *entries,
                                    uint64_t count)
{
    const uint64_t slots = copy->head.count + 1ull;
    lay_out(copy, heap, entries, count);
    return write_back(copy, heap, run, slots);
}

/* What is there is read by the head: no wait that gave up leaves one that goes beyond. The front
 * engine has no nodes that these would be written to, and none of its waits leaves disorder. */
static clade_status check_counts(const clade_heap_head *head, const clade_heap *heap)
{
    clade_status status = CLADE_OK;
    const uint32_t batch = heap->params.batch;
    CLADE_REQUIRE(heap->params.engine != CLADE_HEAP_FRONT, CLADE_E_CORRUPT,
                  "the heap's head is damaged: a front engine that needs a repair");
    CLADE_REQUIRE(head->count <= heap->nodes && head->root <= batch && head->buffer < batch &&
                      cladei_heap_size_of(head, batch) <= heap->params.capacity,
                  CLADE_E_CORRUPT,
                  "the heap's head is damaged: %u nodes, %u keys in the root and %u in the buffer",
                  head->count, head->root, head->buffer);
fail:
    return status;
}

clade_status clade_heap_repair(clade_heap *heap)
{
    clade_status status = CLADE_OK;
    clade_heap_head head;
    struct cladei_run run;
    struct cladei_heap_copy copy = { 0 };
    struct cladei_heap_entry *entries = NULL;
    uint64_t count;
    CLADE_REQUIRE(heap, CLADE_E_ARG, "the heap is NULL");
    if (heap->params.heaps > 1)
        return cladei_heap_repair_all(heap);
    CLADE_TRY(cladei_heap_read_head(heap, &head));
    if (head.repair == 0)
        return CLADE_OK;
    CLADE_TRY(check_counts(&head, heap));
    CLADE_TRY(cladei_run_begin(&run, heap->object.context, NULL));
    CLADE_TRY(cladei_heap_copy_open(&copy, heap, &run, &head));
    CLADE_TRY(cladei_heap_copy_entries(&copy, heap, &entries, &count));
    CLADE_TRY(cladei_heap_copy_write(&copy, heap, &run, entries, count));
fail:
    free(entries);
    cladei_heap_copy_close(&copy);
    return status;
}

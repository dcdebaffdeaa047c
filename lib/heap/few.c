/* SPDX-License-Identifier: Apache-2.0 */
/* The first keys, when they are few: the host puts them where the first insert would. So a program
 * whose own kernels do the rest does not wait until a driver has compiled an insert for them. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "device/context.h"
#include "heap/heap.h"

struct entry {
    uint64_t image;
    uint64_t value;
};

static int compare(const void *left, const void *right)
{
    const struct entry *a = left, *b = right;
    return (a->image > b->image) - (a->image < b->image);
}

static bool is_on_host(const clade_heap *heap, const struct cladei_call *call)
{
    return call->rows[HEAP_ROW_KEYS].array.host &&
           (heap->params.value == CLADE_NONE || call->rows[HEAP_ROW_VALUES].array.host);
}

bool cladei_few_suit(const clade_heap *heap, const struct cladei_call *call,
                     const clade_heap_head *head)
{
    const bool is_built = heap->kernels[cladei_heap_steps(heap) ? HEAP_STEP : HEAP_INSERT];
    bool suits = heap->params.engine != CLADE_HEAP_FRONT && !is_built &&
                 call->count < heap->params.batch && head->count == 0 && head->buffer == 0 &&
                 head->repair == 0 && is_on_host(heap, call);
    for (uint64_t i = 0; suits && i < call->count; i++)
        suits = !cladei_heap_is_nan(heap, call->rows[HEAP_ROW_KEYS].array.host, i);
    return suits;
}

/* In order, as the heap keeps them: keys, then values. */
static void write_sorted(const clade_heap *heap, const struct cladei_call *call,
                         struct entry *entries, char *keys, char *values)
{
    const size_t key_bytes = CLADE_TYPE_BYTES(heap->params.key);
    const size_t value_bytes = CLADE_TYPE_BYTES(heap->params.value);
    const char *given = call->rows[HEAP_ROW_VALUES].array.host;
    for (uint64_t i = 0; i < call->count; i++) {
        entries[i].image = cladei_heap_encode(heap, call->rows[HEAP_ROW_KEYS].array.host, i);
        if (value_bytes > 0) /* the low bytes: hosts are little-endian */
            memcpy(&entries[i].value, given + i * value_bytes, value_bytes);
    }
    qsort(entries, (size_t)call->count, sizeof *entries, compare);
    for (uint64_t i = 0; i < call->count; i++) {
        memcpy(keys + i * key_bytes, &entries[i].image, key_bytes);
        memcpy(values + i * value_bytes, &entries[i].value, value_bytes);
    }
}

/* The buffer is slot 0. The head comes last, and at once: before it nothing is in the heap. */
clade_status cladei_few_insert(clade_heap *heap, struct cladei_call *call,
                               const clade_heap_head *before)
{
    clade_status status = CLADE_OK;
    const size_t key_bytes = CLADE_TYPE_BYTES(heap->params.key);
    const size_t value_bytes = CLADE_TYPE_BYTES(heap->params.value);
    const size_t from = offsetof(clade_heap_head, lock);
    clade_heap_head head = *before;
    const uint64_t all = ((uint64_t)head.inserted[1] << 32 | head.inserted[0]) + call->count;
    struct entry *entries = calloc((size_t)call->count, sizeof *entries + key_bytes + value_bytes);
    CLADE_NO_MEMORY(entries);
    char *keys = (char *)(entries + call->count), *values = keys + call->count * key_bytes;
    write_sorted(heap, call, entries, keys, values);
    CLADE_TRY(cladei_run_write(&call->run, &heap->object, cladei_heap_keys_at(heap), keys,
                               (size_t)call->count * key_bytes));
    if (value_bytes > 0)
        CLADE_TRY(cladei_run_write(&call->run, &heap->object, cladei_heap_values_at(heap), values,
                                   (size_t)call->count * value_bytes));
    head.buffer = (clade_u32)call->count;
    head.inserted[0] = (clade_u32)all;
    head.inserted[1] = (clade_u32)(all >> 32);
    if (++head.inserts[0] == 0)
        head.inserts[1]++;
    CLADE_TRY(cladei_run_write(&call->run, &heap->object, from, (const char *)&head + from,
                               sizeof head - from));
fail:
    free(entries);
    return status;
}

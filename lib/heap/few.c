/* SPDX-License-Identifier: Apache-2.0 */
/* Few keys: the host inserts the first ones, and pops. Keys in order, cut into batches, are a heap.
 * So a program whose own kernels do the rest does not wait until a driver has compiled an insert or
 * a pop for them. */
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "device/context.h"
#include "heap/heap.h"

/* From so many batches on keys are many. To sort fewer takes the host a thousandth of the time that
 * a GPU's driver takes to compile an insert. Who pops more often will go on, and is better off with
 * a kernel. */
enum { FEW_BATCHES = 4, FEW_POPS = 16, FEW_BYTES = 1 << 20 };

/* What is written, as the heap's buffer has it. */
struct front {
    clade_heap_head head;
    clade_heap_node nodes[];
};
struct few {
    uint64_t count;
    uint32_t batch, nodes;
    struct cladei_heap_entry *entries; /* in order */
    struct front *front;
    char *keys, *values; /* slots 0 .. nodes */
};

static int compare(const void *left, const void *right)
{
    const struct cladei_heap_entry *a = left, *b = right;
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
                 call->count < (uint64_t)FEW_BATCHES * heap->params.batch && head->count == 0 &&
                 head->buffer == 0 && head->repair == 0 && is_on_host(heap, call);
    for (uint64_t i = 0; suits && i < call->count; i++)
        suits = !cladei_heap_is_nan(heap, call->rows[HEAP_ROW_KEYS].array.host, i);
    return suits;
}

/* A key is at place i of the keys in order: the first batches fill nodes, and what is less than one
 * is the buffer, slot 0. So every node's keys come before those of the nodes that come later. */
static size_t place_of(const struct few *few, uint64_t i)
{
    const uint64_t in_nodes = (uint64_t)few->nodes * few->batch;
    return (size_t)(i < in_nodes ? few->batch + i : i - in_nodes);
}

static void write_slots(const clade_heap *heap, const struct few *few)
{
    const size_t key_bytes = CLADE_TYPE_BYTES(heap->params.key);
    const size_t value_bytes = CLADE_TYPE_BYTES(heap->params.value);
    for (uint64_t i = 0; i < few->count; i++) {
        const size_t at = place_of(few, i);
        memcpy(few->keys + at * key_bytes, &few->entries[i].image, key_bytes);
        memcpy(few->values + at * value_bytes, &few->entries[i].value, value_bytes);
    }
}

static void read_sorted(const clade_heap *heap, const struct cladei_call *call,
                        const struct few *few)
{
    const size_t value_bytes = CLADE_TYPE_BYTES(heap->params.value);
    const char *given = call->rows[HEAP_ROW_VALUES].array.host;
    for (uint64_t i = 0; i < few->count; i++) {
        few->entries[i].image = cladei_heap_encode(heap, call->rows[HEAP_ROW_KEYS].array.host, i);
        if (value_bytes > 0) /* the low bytes: hosts are little-endian */
            memcpy(&few->entries[i].value, given + i * value_bytes, value_bytes);
    }
    qsort(few->entries, (size_t)few->count, sizeof *few->entries, compare);
}

/* The head, and the headers of the nodes, which follow it. */
static void fill_front(const struct few *few, const clade_heap_head *before)
{
    const uint64_t all = ((uint64_t)before->inserted[1] << 32 | before->inserted[0]) + few->count;
    const uint64_t batches = (few->count + few->batch - 1) / few->batch;
    clade_heap_head *head = &few->front->head;
    *head = *before;
    head->count = few->nodes;
    head->root = few->nodes > 0 ? few->batch : 0;
    head->buffer = (clade_u32)(few->count - (uint64_t)few->nodes * few->batch);
    head->inserted[0] = (clade_u32)all;
    head->inserted[1] = (clade_u32)(all >> 32);
    head->inserts[0] += (clade_u32)batches;
    if (head->inserts[0] < batches)
        head->inserts[1]++;
    for (size_t node = 1; node <= few->nodes; node++) {
        const uint64_t last = few->entries[node * few->batch - 1].image;
        few->front->nodes[node].state = CLADE_HEAP_AVAIL;
        few->front->nodes[node].last[0] = (clade_u32)last;
        few->front->nodes[node].last[1] = (clade_u32)(last >> 32);
    }
}

/* The head comes last, and at once with the nodes: before it nothing is in the heap. */
clade_status cladei_few_insert(clade_heap *heap, struct cladei_call *call,
                               const clade_heap_head *before)
{
    clade_status status = CLADE_OK;
    const size_t key_bytes = CLADE_TYPE_BYTES(heap->params.key);
    const size_t value_bytes = CLADE_TYPE_BYTES(heap->params.value);
    const size_t from = offsetof(clade_heap_head, lock);
    struct few few = { .count = call->count, .batch = heap->params.batch };
    few.nodes = (uint32_t)(few.count / few.batch);
    const size_t slots = (few.nodes + (size_t)1) * few.batch;
    const size_t front_bytes = sizeof few.front->head + (few.nodes + 1) * sizeof(clade_heap_node);
    few.entries = calloc(1, (size_t)few.count * sizeof *few.entries + front_bytes +
                                slots * (key_bytes + value_bytes));
    CLADE_NO_MEMORY(few.entries);
    few.front = (struct front *)(few.entries + few.count);
    few.keys = (char *)few.front + front_bytes;
    few.values = few.keys + slots * key_bytes;
    read_sorted(heap, call, &few);
    write_slots(heap, &few);
    fill_front(&few, before);
    CLADE_TRY(cladei_run_write(&call->run, &heap->object, cladei_heap_keys_at(heap), few.keys,
                               slots * key_bytes));
    if (value_bytes > 0)
        CLADE_TRY(cladei_run_write(&call->run, &heap->object, cladei_heap_values_at(heap),
                                   few.values, slots * value_bytes));
    CLADE_TRY(cladei_run_write(&call->run, &heap->object, from, (const char *)few.front + from,
                               front_bytes - from));
fail:
    free(few.entries);
    return status;
}

/* --- pops ------------------------------------------------------------------------------------- */

bool cladei_few_suit_pop(const clade_heap *heap, const struct cladei_call *call,
                         const clade_heap_head *head)
{
    const bool is_built = heap->kernels[cladei_heap_steps(heap) ? HEAP_STEP : HEAP_POP];
    return heap->params.engine != CLADE_HEAP_FRONT && !is_built && heap->host_pops < FEW_POPS &&
           head->count <= FEW_BATCHES && head->count <= heap->nodes &&
           head->root <= heap->params.batch && head->buffer < heap->params.batch &&
           head->lock == CLADE_HEAP_FREE && head->repair == 0 &&
           cladei_heap_bytes_in_use(heap, head) <= FEW_BYTES && is_on_host(heap, call) &&
           call->rows[HEAP_ROW_GOT].array.host;
}

/* As the engine's kernel counts them, by one group: the last batch may find the heap empty. */
static void count_out(clade_heap_head *head, uint64_t got, uint64_t asked, uint32_t batch)
{
    const uint64_t all = ((uint64_t)head->popped[1] << 32 | head->popped[0]) + got;
    const uint64_t batches = (asked + batch - 1) / batch, most = got / batch + 1;
    const uint64_t pops =
        ((uint64_t)head->pops[1] << 32 | head->pops[0]) + (batches < most ? batches : most);
    head->popped[0] = (clade_u32)all;
    head->popped[1] = (clade_u32)(all >> 32);
    head->pops[0] = (clade_u32)pops;
    head->pops[1] = (clade_u32)(pops >> 32);
}

/* The call's arrays receive what was popped; nothing is left to be read back to them. */
static void give(const clade_heap *heap, struct cladei_call *call,
                 const struct cladei_heap_entry *entries, uint64_t got)
{
    const size_t key_bytes = CLADE_TYPE_BYTES(heap->params.key);
    const size_t value_bytes = CLADE_TYPE_BYTES(heap->params.value);
    char *keys = call->rows[HEAP_ROW_KEYS].view.host;
    char *values = call->rows[HEAP_ROW_VALUES].view.host;
    for (uint64_t i = 0; i < got; i++) {
        cladei_heap_decode(heap, entries[i].image, keys + i * key_bytes);
        if (value_bytes > 0) /* the low bytes: hosts are little-endian */
            memcpy(values + i * value_bytes, &entries[i].value, value_bytes);
    }
    memcpy(call->rows[HEAP_ROW_GOT].view.host, &got, sizeof got);
    for (int row = HEAP_ROW_KEYS; row <= HEAP_ROW_GOT; row++)
        call->rows[row].view.bytes = 0;
}

clade_status cladei_few_pop(clade_heap *heap, struct cladei_call *call,
                            const clade_heap_head *before)
{
    clade_status status = CLADE_OK;
    struct cladei_heap_copy copy = { 0 };
    struct cladei_heap_entry *entries = NULL;
    uint64_t inside;
    CLADE_TRY(cladei_heap_copy_open(&copy, heap, &call->run, before));
    CLADE_TRY(cladei_heap_copy_entries(&copy, heap, &entries, &inside));
    const uint64_t got = call->count < inside ? call->count : inside;
    count_out(&copy.head, got, call->count, heap->params.batch);
    CLADE_TRY(cladei_heap_copy_write(&copy, heap, &call->run, entries + got, inside - got));
    give(heap, call, entries, got);
    heap->host_pops++;
fail:
    free(entries);
    cladei_heap_copy_close(&copy);
    return status;
}

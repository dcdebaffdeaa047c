/* SPDX-License-Identifier: Apache-2.0 */
/* Looking at a heap from the host: size, peek, statistics, the invariants. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "heap/heap.h"

/* --- images ---------------------------------------------------------------------------------- */

static unsigned key_bits(const clade_heap *heap)
{
    return 8 * CLADE_TYPE_BYTES(heap->params.key);
}

static uint64_t low_bits(const clade_heap *heap)
{
    return UINT64_MAX >> (64 - key_bits(heap));
}

uint64_t cladei_heap_image(const clade_heap *heap, const char *keys, uint64_t index)
{
    uint64_t image = 0;
    size_t bytes = CLADE_TYPE_BYTES(heap->params.key);
    memcpy(&image, keys + index * bytes, bytes); /* the low bytes: hosts are little-endian */
    return image;
}

/* The bit pattern that the user gave. */
static uint64_t decode_bits(const clade_heap *heap, uint64_t image)
{
    const uint64_t sign = (uint64_t)1 << (key_bits(heap) - 1);
    uint64_t plain = heap->params.order == CLADE_MAX ? ~image & low_bits(heap) : image;
    if (CLADE_TYPE_IS_FLOAT(heap->params.key))
        return plain & sign ? plain ^ sign : ~plain & low_bits(heap);
    if (heap->params.key == CLADE_I32 || heap->params.key == CLADE_I64)
        return plain ^ sign;
    return plain;
}

uint64_t cladei_heap_encode(const clade_heap *heap, const void *keys, uint64_t index)
{
    const uint64_t sign = (uint64_t)1 << (key_bits(heap) - 1);
    uint64_t plain = cladei_heap_image(heap, keys, index); /* the key's own bits */
    if (CLADE_TYPE_IS_FLOAT(heap->params.key))
        plain = plain & sign ? ~plain & low_bits(heap) : plain ^ sign;
    else if (heap->params.key == CLADE_I32 || heap->params.key == CLADE_I64)
        plain ^= sign;
    return heap->params.order == CLADE_MAX ? ~plain & low_bits(heap) : plain;
}

void cladei_heap_decode(const clade_heap *heap, uint64_t image, void *key)
{
    uint64_t bits = decode_bits(heap, image);
    memcpy(key, &bits, CLADE_TYPE_BYTES(heap->params.key));
}

static bool is_nan(const clade_heap *heap, uint64_t image)
{
    const uint64_t sign = (uint64_t)1 << (key_bits(heap) - 1);
    uint64_t magnitude = decode_bits(heap, image) & ~sign;
    if (!CLADE_TYPE_IS_FLOAT(heap->params.key))
        return false;
    return magnitude > (key_bits(heap) == 64 ? 0x7ff0000000000000u : 0x7f800000u);
}

bool cladei_heap_is_nan(const clade_heap *heap, const void *keys, uint64_t index)
{
    return is_nan(heap, cladei_heap_encode(heap, keys, index));
}

/* --- what earlier calls left ----------------------------------------------------------------- */

clade_status cladei_heap_read_head(clade_heap *heap, clade_heap_head *head)
{
    clade_status status = CLADE_OK;
    struct cladei_run run;
    CLADE_TRY(cladei_run_begin(&run, heap->object.context, NULL));
    CLADE_TRY(cladei_heap_mend(heap, &run));
    CLADE_TRY(cladei_run_read(&run, &heap->object, 0, head, sizeof *head));
fail:
    return status;
}

clade_status cladei_heap_settle(clade_heap *heap, struct cladei_run *run_or_null,
                                clade_heap_head *head)
{
    clade_status status = CLADE_OK, error;
    clade_u32 item;
    if (run_or_null)
        CLADE_TRY(cladei_run_read(run_or_null, &heap->object, 0, head, sizeof *head));
    else
        CLADE_TRY(cladei_heap_read_head(heap, head));
    if (head->object.first_error == 0)
        return CLADE_OK;
    CLADE_TRY(cladei_object_take_error(&heap->object, run_or_null, &error, &item));
    CLADE_REQUIRE(error != CLADE_E_FULL, error,
                  "the keys do not fit: the heap holds %" PRIu64 " of at most %" PRIu64,
                  cladei_heap_size_of(head, heap->params.batch), heap->params.capacity);
    CLADE_REQUIRE(error != CLADE_E_ARG, error, "key %u is not a number", item);
    CLADE_REQUIRE(error != CLADE_E_BUSY || head->repair == 0, error,
                  "waits gave up in mid-operation: the heap needs clade_heap_repair()");
    status = cladei_fail(error, "waits for the heap's locks gave up: %s at batch %u",
                         clade_status_name(error), item);
fail:
    return status;
}

/* --- short looks ----------------------------------------------------------------------------- */

static uint64_t pair(const clade_u32 *words)
{
    return (uint64_t)words[1] << 32 | words[0];
}

clade_status clade_heap_size(clade_heap *heap, uint64_t *size)
{
    clade_status status = CLADE_OK;
    clade_heap_head head;
    CLADE_REQUIRE(heap && size, CLADE_E_ARG, "the heap or the place for its size is NULL");
    if (heap->params.heaps > 1)
        return cladei_heap_size_of_all(heap, size);
    CLADE_TRY(cladei_heap_settle(heap, NULL, &head));
    *size = cladei_heap_size_of(&head, heap->params.batch);
fail:
    return status;
}

/* The front engine's first key: a kernel looks, for it may be in any leaf. */
static clade_status find_first(clade_heap *heap, clade_heap_head *head)
{
    clade_status status = CLADE_OK;
    struct cladei_run run;
    CLADE_TRY(cladei_heap_need(heap, HEAP_FIRST));
    CLADE_TRY(cladei_run_begin(&run, heap->object.context, NULL));
    const cl_kernel first = heap->kernels[HEAP_FIRST];
    CLADE_TRY(CLADEI_SET_ARGS(first, CLADEI_ARG(heap->object.mem)));
    CLADE_TRY(cladei_run_kernel(&run, first, 1, heap->params.group_size));
    CLADE_TRY(cladei_heap_read_head(heap, head));
    CLADE_REQUIRE(head->found, CLADE_E_CORRUPT, "the heap is not empty, but no key is found");
fail:
    return status;
}

clade_status clade_heap_peek(clade_heap *heap, void *key, void *value)
{
    clade_status status = CLADE_OK;
    clade_heap_head head;
    uint64_t image = 0;
    CLADE_REQUIRE(heap && key, CLADE_E_ARG, "the heap or the place for the key is NULL");
    CLADE_TRY(cladei_heap_require_one(heap));
    CLADE_TRY(cladei_heap_settle(heap, NULL, &head));
    CLADE_REQUIRE(head.repair == 0, CLADE_E_BUSY, "the heap needs clade_heap_repair()");
    CLADE_REQUIRE(head.count > 0 || head.buffer > 0, CLADE_E_NOT_FOUND, "the heap is empty");
    const size_t key_bytes = CLADE_TYPE_BYTES(heap->params.key);
    const size_t value_bytes = CLADE_TYPE_BYTES(heap->params.value);
    if (heap->params.engine == CLADE_HEAP_FRONT) {
        CLADE_TRY(find_first(heap, &head));
        if (value)
            memcpy(value, head.first_value, value_bytes);
        cladei_heap_decode(heap, pair(head.first_key), key);
        return CLADE_OK;
    }
    /* The root's keys are right-aligned in slot 1; the buffer is slot 0. */
    uint64_t index = head.count > 0 ? 2ull * heap->params.batch - head.root : 0;
    CLADE_TRY(cladei_object_read(&heap->object, cladei_heap_keys_at(heap) + index * key_bytes,
                                 &image, key_bytes));
    if (value && value_bytes > 0)
        CLADE_TRY(cladei_object_read(
            &heap->object, cladei_heap_values_at(heap) + index * value_bytes, value, value_bytes));
    cladei_heap_decode(heap, image, key);
fail:
    return status;
}

clade_status clade_heap_stats_read(clade_heap *heap, clade_heap_stats *stats)
{
    clade_status status = CLADE_OK;
    clade_heap_head head;
    CLADE_REQUIRE(heap && stats, CLADE_E_ARG, "the heap or the place for the counts is NULL");
    if (heap->params.heaps > 1)
        return cladei_heap_stats_of_all(heap, stats);
    CLADE_TRY(cladei_heap_read_head(heap, &head));
    *stats = (clade_heap_stats) {
        .size = cladei_heap_size_of(&head, heap->params.batch),
        .capacity = heap->params.capacity,
        .inserts = pair(head.inserts),
        .pops = pair(head.pops),
        .refused = pair(head.refused),
        .lock_retries = pair(head.retries),
        .cooperations = pair(head.cooperations),
        .bytes = heap->object.bytes + heap->bulk.lists.bytes,
    };
fail:
    return status;
}

/* --- the invariants -------------------------------------------------------------------------- */

clade_status cladei_heap_copy_open(struct cladei_heap_copy *copy, clade_heap *heap,
                                   struct cladei_run *run, const clade_heap_head *head)
{
    clade_status status = CLADE_OK;
    const clade_heap_params *p = &heap->params;
    uint64_t slots = (head->count < heap->nodes ? head->count : heap->nodes) + 1ull;
    size_t node_bytes = (heap->nodes + (size_t)1) * sizeof(clade_heap_node);
    size_t key_bytes = (size_t)slots * p->batch * CLADE_TYPE_BYTES(p->key);
    size_t value_bytes = (size_t)slots * p->batch * CLADE_TYPE_BYTES(p->value);
    *copy = (struct cladei_heap_copy) { .head = *head };
    copy->nodes = malloc(node_bytes);
    CLADE_NO_MEMORY(copy->nodes);
    copy->keys = malloc(key_bytes);
    CLADE_NO_MEMORY(copy->keys);
    CLADE_TRY(cladei_run_read(run, &heap->object, CLADE_HEAP_NODES_AT, copy->nodes, node_bytes));
    CLADE_TRY(
        cladei_run_read(run, &heap->object, cladei_heap_keys_at(heap), copy->keys, key_bytes));
    if (value_bytes > 0) {
        copy->values = malloc(value_bytes);
        CLADE_NO_MEMORY(copy->values);
        CLADE_TRY(cladei_run_read(run, &heap->object, cladei_heap_values_at(heap), copy->values,
                                  value_bytes));
    }
    return CLADE_OK;

fail:
    cladei_heap_copy_close(copy);
    return status;
}

void cladei_heap_copy_close(struct cladei_heap_copy *copy)
{
    free(copy->values);
    free(copy->keys);
    free(copy->nodes);
    *copy = (struct cladei_heap_copy) { 0 };
}

clade_status cladei_heap_check_head(const clade_heap_head *head, const clade_heap *heap)
{
    clade_status status = CLADE_OK;
    const clade_heap_params *p = &heap->params;
    const clade_status corrupt = CLADE_E_CORRUPT;
    uint64_t size = cladei_heap_size_of(head, p->batch);
    CLADE_REQUIRE(cladei_object_is_its_head(&heap->object, &head->object) &&
                      head->nodes == heap->nodes && pair(head->capacity) == p->capacity,
                  corrupt, "the constants of the heap's head are damaged");
    CLADE_REQUIRE(head->lock == CLADE_HEAP_FREE, corrupt, "the heap's lock is held");
    CLADE_REQUIRE(head->count <= heap->nodes, corrupt, "count is %u, there are %u nodes",
                  head->count, heap->nodes);
    CLADE_REQUIRE(head->count > 0 ? head->root >= 1 && head->root <= p->batch : head->root == 0,
                  corrupt, "the root has %u keys while count is %u", head->root, head->count);
    CLADE_REQUIRE(head->buffer < p->batch, corrupt, "the buffer has %u keys; a batch is %u",
                  head->buffer, p->batch);
    CLADE_REQUIRE(size <= p->capacity, corrupt,
                  "%" PRIu64 " keys are inside; the capacity is %" PRIu64, size, p->capacity);
    CLADE_REQUIRE(size == pair(head->inserted) - pair(head->popped), corrupt,
                  "%" PRIu64 " keys are inside; %" PRIu64 " came and %" PRIu64 " left", size,
                  pair(head->inserted), pair(head->popped));
fail:
    return status;
}

/* Slot `slot` holds ascending keys at places [from, batch) or, for the buffer, [0, to). */
static clade_status check_slot(const struct cladei_heap_copy *copy, const clade_heap *heap,
                               uint32_t slot, uint32_t from, uint32_t to)
{
    clade_status status = CLADE_OK;
    const uint64_t start = (uint64_t)slot * heap->params.batch;
    uint64_t before = 0;
    for (uint32_t i = from; i < to; i++) {
        uint64_t image = cladei_heap_image(heap, copy->keys, start + i);
        CLADE_REQUIRE(image >= before, CLADE_E_CORRUPT, "keys %u and %u of %s %u are out of order",
                      i - 1, i, slot ? "node" : "buffer", slot);
        CLADE_REQUIRE(!is_nan(heap, image), CLADE_E_CORRUPT, "key %u of %s %u is not a number", i,
                      slot ? "node" : "buffer", slot);
        before = image;
    }
fail:
    return status;
}

static uint32_t parent_of(uint32_t node)
{
    uint32_t top = 1;
    while (top <= node / 2)
        top *= 2;
    return (node & (top / 2 - 1)) | top / 2;
}

static clade_status check_node(const struct cladei_heap_copy *copy, const clade_heap *heap,
                               uint32_t node)
{
    clade_status status = CLADE_OK;
    const uint32_t batch = heap->params.batch;
    const clade_heap_node *it = &copy->nodes[node];
    const uint64_t start = (uint64_t)node * batch;
    if (node > copy->head.count) {
        CLADE_REQUIRE(it->state == CLADE_HEAP_EMPTY, CLADE_E_CORRUPT,
                      "node %u is beyond the last, %u, and in state %u", node, copy->head.count,
                      it->state);
        return CLADE_OK;
    }
    uint32_t first = node == 1 ? batch - copy->head.root : 0;
    CLADE_REQUIRE(it->state == CLADE_HEAP_AVAIL, CLADE_E_CORRUPT,
                  "node %u is in state %u while nothing runs", node, it->state);
    CLADE_TRY(check_slot(copy, heap, node, first, batch));
    uint64_t last = cladei_heap_image(heap, copy->keys, start + batch - 1);
    CLADE_REQUIRE(last == (pair(it->last) & low_bits(heap)), CLADE_E_CORRUPT,
                  "node %u does not know its last key", node);
    if (node > 1) {
        uint32_t parent = parent_of(node);
        uint64_t above = cladei_heap_image(heap, copy->keys, (uint64_t)parent * batch + batch - 1);
        CLADE_REQUIRE(above <= cladei_heap_image(heap, copy->keys, start), CLADE_E_CORRUPT,
                      "node %u has a key before its parent's, node %u", node, parent);
    }
fail:
    return status;
}

clade_status cladei_heap_copy_check(const struct cladei_heap_copy *copy, const clade_heap *heap)
{
    clade_status status = CLADE_OK;
    const clade_heap_head *head = &copy->head;
    CLADE_TRY(cladei_heap_check_head(head, heap));
    for (uint32_t node = 1; node <= heap->nodes; node++)
        CLADE_TRY(check_node(copy, heap, node));
    CLADE_TRY(check_slot(copy, heap, 0, 0, head->buffer));
    if (head->count > 0 && head->buffer > 0)
        CLADE_REQUIRE(cladei_heap_image(heap, copy->keys, 0) >=
                          cladei_heap_image(heap, copy->keys, 2ull * heap->params.batch - 1),
                      CLADE_E_CORRUPT, "the buffer has a key before the root's last");
fail:
    return status;
}

clade_status clade_heap_check(clade_heap *heap)
{
    clade_status status = CLADE_OK;
    clade_heap_head head;
    struct cladei_run run;
    struct cladei_heap_copy copy = { 0 };
    CLADE_REQUIRE(heap, CLADE_E_ARG, "the heap is NULL");
    if (heap->params.heaps > 1)
        return cladei_heap_check_all(heap);
    CLADE_TRY(cladei_heap_settle(heap, NULL, &head));
    CLADE_REQUIRE(head.repair == 0, CLADE_E_BUSY,
                  "the heap needs clade_heap_repair(): a wait gave up (%u)", head.repair);
    if (heap->params.engine == CLADE_HEAP_FRONT) {
        struct cladei_front_sum sum;
        return cladei_front_check(&heap->front, &heap->object, &sum);
    }
    CLADE_TRY(cladei_run_begin(&run, heap->object.context, NULL));
    CLADE_TRY(cladei_heap_copy_open(&copy, heap, &run, &head));
    CLADE_TRY(cladei_heap_copy_check(&copy, heap));
fail:
    cladei_heap_copy_close(&copy);
    return status;
}

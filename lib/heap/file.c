/* SPDX-License-Identifier: Apache-2.0 */
/* Heaps in files: their parameters, and what is filled of their buffer. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "device/context.h"
#include "heap/heap.h"
#include "object/saved.h"

/* What a file says of its heap: that of clade_heap_params which is not the device's affair. */
struct saved_params {
    uint64_t capacity;
    uint32_t key, value, order, batch, engine, heaps;
};

/* Nothing of earlier calls is left to be told, and the heap is sound; *filled receives the bytes in
 * use. */
static clade_status settle_for_file(clade_heap *heap, void *filled)
{
    clade_status status = CLADE_OK;
    clade_heap_head head;
    CLADE_TRY(cladei_heap_settle(heap, NULL, &head));
    CLADE_REQUIRE(head.repair == 0, CLADE_E_BUSY, "the heap needs clade_heap_repair()");
    /* What is cleaned lies where the head says. (The front engine is verified whole.) */
    if (heap->params.engine != CLADE_HEAP_FRONT)
        CLADE_TRY(cladei_heap_check_head(&head, heap));
    *(uint64_t *)filled = cladei_heap_bytes_in_use(heap, &head);
fail:
    return status;
}

static void clear(char *bytes, uint64_t from, uint64_t to)
{
    if (to > from)
        memset(bytes + from, 0, (size_t)(to - from));
}

/* Slots of `bytes` each at `at`: those that hold nothing, of the buffer, the root, and beyond the
 * last node. */
static void clear_slots(const clade_heap *heap, const clade_heap_head *head, char *base,
                        uint64_t at, uint64_t end, uint32_t bytes)
{
    const uint64_t batch = heap->params.batch;
    const uint64_t first = head->count > 0 ? 2 * batch - head->root : batch;
    clear(base, at + head->buffer * bytes, at + first * bytes);
    clear(base, at + (head->count + 1ull) * batch * bytes, end);
}

/* One of the other engines' heaps at `base`, `bytes` of it: nothing is left of keys that are gone,
 * or of memory that was never written. */
static void clean_nodes(const clade_heap *heap, char *base, uint64_t bytes)
{
    clade_heap_head head;
    const uint64_t keys_at = cladei_heap_keys_at(heap), values_at = cladei_heap_values_at(heap);
    memcpy(&head, base, sizeof head);
    for (uint32_t i = 0; i <= heap->nodes; i++) {
        const bool filled = i > 0 && i <= head.count;
        clade_heap_node old, node = { .state = filled ? CLADE_HEAP_AVAIL : CLADE_HEAP_EMPTY };
        char *at = base + CLADE_HEAP_NODES_AT + i * sizeof node;
        memcpy(&old, at, sizeof old);
        for (uint32_t w = 0; w < 2 && filled; w++)
            node.last[w] = old.last[w];
        memcpy(at, &node, sizeof node);
    }
    clear(base, CLADE_HEAP_NODES_AT + (heap->nodes + 1ull) * sizeof(clade_heap_node), keys_at);
    clear_slots(heap, &head, base, keys_at, bytes < values_at ? bytes : values_at,
                CLADE_TYPE_BYTES(heap->params.key));
    if (bytes > values_at)
        clear_slots(heap, &head, base, values_at, bytes, CLADE_TYPE_BYTES(heap->params.value));
}

/* Nothing of host calls stays in a head: not the key that was looked at last. */
static void clean_head(char *base)
{
    clear(base, offsetof(clade_heap_head, verdict), sizeof(clade_heap_head));
}

/* What is written: `payload` bytes, made fit for a file. */
static clade_status read_for_file(clade_heap *heap, char **bytes, uint64_t payload)
{
    clade_status status = CLADE_OK;
    const uint64_t stride = heap->params.heaps > 1 ? cladei_heap_stride(heap) : payload;
    *bytes = malloc((size_t)payload);
    CLADE_REQUIRE(*bytes, CLADE_E_NOMEM, "host memory is out: saving needs %" PRIu64 " bytes",
                  payload);
    CLADE_TRY(cladei_object_read(&heap->object, 0, *bytes, (size_t)payload));
    for (uint32_t i = 0; i < heap->params.heaps; i++)
        clean_head(*bytes + i * stride);
    if (heap->params.engine == CLADE_HEAP_FRONT) {
        clade_heap_head common;
        memcpy(&common, *bytes, sizeof common);
        CLADE_TRY(cladei_front_renew(&heap->front, *bytes, &common));
    } else {
        for (uint32_t i = 0; i < heap->params.heaps; i++)
            clean_nodes(heap, *bytes + i * stride, stride);
        clear(*bytes, heap->params.heaps * stride, payload);
    }
fail:
    return status;
}

clade_status clade_heap_save(clade_heap *heap, const char *path)
{
    clade_status status = CLADE_OK;
    uint64_t payload = 0;
    char *bytes = NULL;
    CLADE_REQUIRE(heap && path, CLADE_E_ARG, "the heap or the path is NULL");
    CLADE_TRY(cladei_heap_for_parts(heap, settle_for_file, &payload));
    const clade_heap_params *p = &heap->params;
    const struct saved_params params = { .capacity = p->capacity,
                                         .key = p->key,
                                         .value = p->value,
                                         .order = p->order,
                                         .batch = p->batch,
                                         .engine = p->engine,
                                         .heaps = p->heaps };
    if (p->engine == CLADE_HEAP_FRONT || p->heaps > 1)
        payload = heap->object.bytes;
    CLADE_TRY(read_for_file(heap, &bytes, payload));
    CLADE_TRY(
        cladei_object_save_bytes(&heap->object, path, &params, sizeof params, bytes, payload));
fail:
    free(bytes);
    return status;
}

/* One that some device may have. Whether this one does, creation tells. */
static bool has_a_size(const struct saved_params *p)
{
    const bool front = p->engine == CLADE_HEAP_FRONT;
    return p->batch <= (front ? CLADE_FRONT_LEAF_MAX / 2 : CLADE_HEAP_BATCH_MAX) &&
           (p->capacity - 1) / p->batch < CLADE_HEAP_NODES_MAX && p->heaps >= 1 &&
           p->heaps <= (front ? 1 : CLADE_HEAP_HEAPS_MAX) &&
           (!front || p->capacity < (uint64_t)1 << 30);
}

static clade_status load_params(clade_heap_params *params, const struct cladei_saved *saved,
                                const char *path)
{
    clade_status status = CLADE_OK;
    struct saved_params from;
    memcpy(&from, saved->params, sizeof from);
    CLADE_REQUIRE(from.capacity >= 1 && from.key >= CLADE_I32 && from.key <= CLADE_F64 &&
                      from.value <= CLADE_F64 && from.order <= CLADE_MAX &&
                      from.batch >= CLADE_HEAP_BATCH_MIN && from.engine >= CLADE_HEAP_TOP_DOWN &&
                      from.engine <= CLADE_HEAP_FRONT,
                  CLADE_E_CORRUPT, "%s is damaged: its heap is of no kind that exists", path);
    CLADE_REQUIRE(has_a_size(&from), CLADE_E_CORRUPT,
                  "%s is damaged: its heap is of no size that exists", path);
    *params = (clade_heap_params) { .capacity = from.capacity,
                                    .key = from.key,
                                    .value = from.value,
                                    .order = from.order,
                                    .batch = from.batch,
                                    .engine = from.engine,
                                    .heaps = from.heaps };
fail:
    return status;
}

/* The front engine's leaves are what suited the device that the file comes from: of how many keys,
 * *leaf, its head says. They stay so. 0 for other engines. */
static clade_status load_leaf(uint32_t *leaf, const struct cladei_saved *saved,
                              const clade_heap_params *params, const clade_context *context,
                              const char *path)
{
    clade_status status = CLADE_OK;
    *leaf = 0;
    if (params->engine != CLADE_HEAP_FRONT)
        return CLADE_OK;
    CLADE_REQUIRE(saved->payload_bytes >= 4 * CLADE_FRONT_HEAD_WORDS, CLADE_E_CORRUPT,
                  "%s is damaged: its heap has another size", path);
    memcpy(leaf, (const char *)saved->payload + 4 * CLADE_FRONT_C_LEAF, sizeof *leaf);
    CLADE_REQUIRE(*leaf >= CLADE_FRONT_LEAF_MIN && (*leaf & (*leaf - 1)) == 0 &&
                      *leaf / 2 >= params->batch && *leaf <= CLADE_FRONT_LEAF_MAX,
                  CLADE_E_CORRUPT, "%s is damaged: leaves of %u keys cannot be", path, *leaf);
    CLADE_REQUIRE(cladei_front_leaf_fits(context, params, *leaf), CLADE_E_ARG,
                  "%s: leaves of %u keys do not fit the local memory of %s: %u bytes", path, *leaf,
                  context->info.name, (unsigned)context->caps.local_bytes);
fail:
    return status;
}

/* What is saved whole is as large in its file: nothing is made as large as a file only claims. */
static clade_status check_size(const struct cladei_saved *saved, const clade_heap_params *params,
                               uint32_t leaf, const char *path)
{
    clade_status status = CLADE_OK;
    const bool front = params->engine == CLADE_HEAP_FRONT;
    clade_heap planned = { .params = *params,
                           .nodes = (uint32_t)((params->capacity - 1) / params->batch + 1) };
    if (front)
        CLADE_TRY(cladei_front_plan(&planned.front, params->capacity, leaf,
                                    CLADE_TYPE_BYTES(params->key),
                                    CLADE_TYPE_BYTES(params->value)));
    if (front || params->heaps > 1)
        CLADE_TRY(cladei_saved_fits(saved, cladei_heap_bytes(&planned), path));
fail:
    return status;
}

/* A heap's head in a file: what must be so is as in `fresh`, an empty heap's. */
static void renew_head(clade_heap_head *head, const clade_heap_head *fresh)
{
    const clade_heap_head from = *head;
    *head = *fresh;
    head->count = from.count;
    head->root = from.root;
    head->buffer = from.buffer;
    memcpy(head->inserted, from.inserted, sizeof head->inserted);
    memcpy(head->popped, from.popped, sizeof head->popped);
    memcpy((char *)head->inserts, (const char *)from.inserts, 5 * sizeof head->inserts);
}

clade_status cladei_heap_adopt_head(char *from, const clade_heap_head *fresh, const char *path)
{
    clade_status status = CLADE_OK;
    clade_heap_head head;
    memcpy(&head, from, sizeof head);
    CLADE_REQUIRE(head.object.shape == fresh->object.shape && head.repair == 0 &&
                      head.lock == CLADE_HEAP_FREE,
                  CLADE_E_CORRUPT, "%s is damaged: the head of its heap", path);
    renew_head(&head, fresh);
    memcpy(from, &head, sizeof head);
fail:
    return status;
}

/* Give the heap, which is empty, what a file has. Of that nothing is believed that can be derived;
 * the rest is checked, here or by clade_heap_check(). */
static clade_status take_in(clade_heap *heap, char *payload, uint64_t bytes, const char *path)
{
    clade_status status = CLADE_OK;
    const uint64_t heaps = heap->params.heaps;
    const uint64_t stride = heaps > 1 ? cladei_heap_stride(heap) : heap->object.bytes;
    clade_heap_head head, fresh;
    CLADE_REQUIRE(bytes >= sizeof head && bytes <= heap->object.bytes &&
                      (bytes == heap->object.bytes ||
                       (heaps == 1 && heap->params.engine != CLADE_HEAP_FRONT)),
                  CLADE_E_CORRUPT, "%s is damaged: its heap has another size", path);
    for (uint64_t i = 0; i < heaps; i++) {
        CLADE_TRY(cladei_object_read(&heap->object, i * stride, &fresh, sizeof fresh));
        CLADE_TRY(cladei_heap_adopt_head(payload + i * stride, &fresh, path));
    }
    memcpy(&head, payload, sizeof head);
    if (heap->params.engine == CLADE_HEAP_FRONT)
        CLADE_TRY(cladei_front_renew(&heap->front, payload, &head));
    else if (heaps == 1) /* or what is checked, and popped, would be what lay there before */
        CLADE_REQUIRE(bytes >= cladei_heap_bytes_in_use(heap, &head), CLADE_E_CORRUPT,
                      "%s is damaged: not all of its heap's keys are in it", path);
    CLADE_TRY(cladei_object_write(&heap->object, 0, payload, (size_t)bytes));
    if (heap->params.engine != CLADE_HEAP_FRONT)
        CLADE_TRY(clade_heap_check(heap));
fail:
    return status;
}

clade_status clade_heap_load(clade_heap **out, clade_context *context, const char *path)
{
    clade_status status = CLADE_OK;
    struct cladei_saved saved = { 0 };
    clade_heap_params params;
    uint32_t leaf;
    clade_heap *heap = NULL;
    CLADEI_PLACE(out, cladei_heap_kind.name);
    CLADE_REQUIRE(context && path, CLADE_E_ARG, "the context or the path is NULL");
    CLADE_TRY(
        cladei_saved_open(&saved, context, path, CLADE_HEAP_KIND, sizeof(struct saved_params)));
    CLADE_TRY(load_params(&params, &saved, path));
    CLADE_TRY(load_leaf(&leaf, &saved, &params, context, path));
    CLADE_TRY(check_size(&saved, &params, leaf, path));
    CLADE_TRY(cladei_heap_create(&heap, context, &params, leaf));
    CLADE_TRY(cladei_saved_is_of(&saved, &heap->object, path));
    CLADE_TRY(take_in(heap, saved.payload, saved.payload_bytes, path));
    *out = heap;
    heap = NULL;
fail:
    clade_heap_destroy(&heap);
    cladei_saved_close(&saved);
    return status;
}

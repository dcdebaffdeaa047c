/* SPDX-License-Identifier: Apache-2.0 */
/* Heaps in files: their parameters, and what is filled of their buffer. */
#include <string.h>

#include "heap.h"

/* What a file says of its heap: that of clade_heap_params which is not the device's affair. */
struct saved_params {
    uint64_t capacity;
    uint32_t key, value, order, batch, engine, heaps;
};

/* Nothing of earlier calls is left to be told, and the heap is sound; *filled receives the bytes of
 * its buffer that have something in them. */
static clade_status settle_for_file(clade_heap *heap, void *filled)
{
    clade_status status = CLADE_OK;
    clade_heap_head head;
    const clade_heap_params *p = &heap->params;
    CLADE_TRY(cladei_heap_settle(heap, &head));
    CLADE_REQUIRE(head.repair == 0, CLADE_E_BUSY, "the heap needs clade_heap_repair()");
    /* Slots are filled from the front: without values, those behind the last node are left out. */
    const uint64_t slots = (head.count + 1ull) * p->batch;
    *(uint64_t *)filled = p->value == CLADE_NONE
                              ? cladei_heap_keys_at(heap) + slots * CLADE_TYPE_BYTES(p->key)
                              : cladei_heap_values_at(heap) + slots * CLADE_TYPE_BYTES(p->value);
fail:
    return status;
}

clade_status clade_heap_save(clade_heap *heap, const char *path)
{
    clade_status status = CLADE_OK;
    uint64_t payload = 0;
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
    CLADE_TRY(cladei_object_save(&heap->object, path, &params, sizeof params, payload));
fail:
    return status;
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

clade_status clade_heap_load(clade_heap **out, clade_context *context, const char *path)
{
    clade_status status = CLADE_OK;
    struct cladei_saved saved = { 0 };
    clade_heap_params params;
    uint32_t leaf;
    clade_heap *heap = NULL;
    CLADE_REQUIRE(out, CLADE_E_ARG, "the place for the heap is NULL");
    *out = NULL;
    CLADE_REQUIRE(context && path, CLADE_E_ARG, "the context or the path is NULL");
    CLADE_TRY(cladei_saved_open(&saved, path, CLADE_HEAP_KIND, sizeof(struct saved_params)));
    CLADE_TRY(load_params(&params, &saved, path));
    CLADE_TRY(load_leaf(&leaf, &saved, &params, context, path));
    CLADE_TRY(cladei_heap_create(&heap, context, &params, leaf));
    CLADE_REQUIRE(saved.payload_bytes >= sizeof(clade_heap_head) &&
                      saved.payload_bytes <= heap->object.bytes,
                  CLADE_E_CORRUPT, "%s is damaged: its heap has another size", path);
    CLADE_TRY(cladei_object_write(&heap->object, 0, saved.payload, (size_t)saved.payload_bytes));
    CLADE_TRY(clade_heap_check(heap));
    *out = heap;
    heap = NULL;
fail:
    clade_heap_destroy(&heap);
    cladei_saved_close(&saved);
    return status;
}

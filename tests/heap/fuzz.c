/* SPDX-License-Identifier: Apache-2.0 */
/* The heap in fuzz_use.c: how large, an empty one, what loading does (tests/fuzz/kinds.h). */
#include "fuzz/kinds.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "heap/fuzz.h"
#include "heap/heap.h"

enum { BATCH = 4, NODES = 9, FRONT_BATCH = 16, FRONT_CAPACITY = 300 };

/* --- the heap's engines with nodes ------------------------------------------------------------ */

/* Top-down and bottom-up, each with values and without. */
static clade_heap heap_of(unsigned variant)
{
    clade_heap heap = { .nodes = NODES,
                        .params = { .capacity = NODES * BATCH,
                                    .key = CLADE_U32,
                                    .value = variant / 2 ? CLADE_U32 : CLADE_NONE,
                                    .batch = BATCH,
                                    .engine = CLADE_HEAP_TOP_DOWN + variant % 2,
                                    .heaps = 1 } };
    heap.object = (struct cladei_object) {
        .kind = CLADE_HEAP_KIND,
        .bytes = CLADE_HEAP_STRIDE(NODES, BATCH, 4, CLADE_TYPE_BYTES(heap.params.value)),
        .shape =
            CLADE_HEAP_SHAPE(CLADE_U32, heap.params.value, CLADE_MIN, heap.params.engine, BATCH, 0),
    };
    return heap;
}

static size_t heap_bytes(unsigned variant)
{
    return (size_t)heap_of(variant).object.bytes;
}

static void heap_empty(unsigned variant, uint32_t *words)
{
    const clade_heap heap = heap_of(variant);
    clade_heap_head *head = (clade_heap_head *)words;
    head->object = cladei_object_head(&heap.object);
    head->nodes = NODES;
    head->capacity[0] = NODES * BATCH;
}

static clade_status heap_load(unsigned variant, uint32_t *words)
{
    clade_status status = CLADE_OK;
    const clade_heap heap = heap_of(variant);
    uint32_t fresh[sizeof(clade_heap_head) / 4] = { 0 };
    char *bytes = (char *)words;
    heap_empty(variant, fresh);
    CLADE_TRY(cladei_heap_adopt_head(bytes, (const clade_heap_head *)fresh, "the file"));
    struct cladei_heap_copy copy = { .nodes =
                                         (clade_heap_node *)(void *)(bytes + CLADE_HEAP_NODES_AT),
                                     .keys = bytes + cladei_heap_keys_at(&heap) };
    memcpy(&copy.head, bytes, sizeof copy.head);
    CLADE_TRY(cladei_heap_copy_check(&copy, &heap));
fail:
    return status;
}

static void heap_use(unsigned variant, void *object, uint32_t seed, uint32_t steps)
{
    static void (*const uses[])(void *, uint32_t,
                                uint32_t) = { use_heap_top_down_keys, use_heap_bottom_up_keys,
                                              use_heap_top_down, use_heap_bottom_up };
    uses[variant](object, seed, steps);
}

/* --- its front engine ------------------------------------------------------------------------- */

static struct cladei_front front_of(void)
{
    struct cladei_front front;
    if (cladei_front_plan(&front, FRONT_CAPACITY, CLADE_FRONT_LEAF_MIN, 4, 4) != CLADE_OK)
        abort();
    front.shape = CLADE_HEAP_SHAPE(CLADE_U32, CLADE_U32, CLADE_MIN, CLADE_HEAP_FRONT, FRONT_BATCH,
                                   CLADE_FRONT_LEAF_MIN);
    return front;
}

static size_t front_bytes(unsigned variant)
{
    (void)variant;
    return (size_t)front_of().bytes;
}

static size_t front_patched(unsigned variant)
{
    (void)variant;
    return (size_t)front_of().keys_at;
}

static void front_empty(unsigned variant, uint32_t *words)
{
    const struct cladei_front front = front_of();
    (void)variant;
    cladei_front_image(&front, (char *)words);
}

static clade_status front_load(unsigned variant, uint32_t *words)
{
    clade_status status = CLADE_OK;
    const struct cladei_front front = front_of();
    uint32_t fresh[CLADE_FRONT_HEAD_WORDS];
    clade_heap_head common;
    (void)variant;
    cladei_front_head(&front, fresh);
    CLADE_TRY(cladei_heap_adopt_head((char *)words, (const clade_heap_head *)fresh, "the file"));
    memcpy(&common, words, sizeof common);
    CLADE_TRY(cladei_front_renew(&front, (char *)words, &common));
fail:
    return status;
}

static void front_use(unsigned variant, void *object, uint32_t seed, uint32_t steps)
{
    (void)variant;
    use_heap_front(object, seed, steps);
}

const struct fuzz_kind heap_fuzz[] = {
    { 4, heap_bytes, heap_empty, heap_load, heap_use, NULL },
    { 1, front_bytes, front_empty, front_load, front_use, front_patched },
    { 0 },
};

/* SPDX-License-Identifier: Apache-2.0 */
/* The heap's layout and life. Its calls over arrays: calls.c. */
#include <stdlib.h>

#include "base/borrow.h"
#include "base/error.h"
#include "device/context.h"
#include "device/queue.h"
#include "heap/heap.h"

/* --- layout ---------------------------------------------------------------------------------- */

uint64_t cladei_heap_keys_at(const clade_heap *heap)
{
    return CLADE_HEAP_KEYS_AT(heap->nodes);
}

uint64_t cladei_heap_values_at(const clade_heap *heap)
{
    return CLADE_HEAP_VALUES_AT(heap->nodes, heap->params.batch,
                                CLADE_TYPE_BYTES(heap->params.key));
}

uint64_t cladei_heap_stride(const clade_heap *heap)
{
    const clade_heap_params *p = &heap->params;
    return CLADE_HEAP_STRIDE(heap->nodes, p->batch, CLADE_TYPE_BYTES(p->key),
                             CLADE_TYPE_BYTES(p->value));
}

uint64_t cladei_heap_size_of(const clade_heap_head *head, uint32_t batch)
{
    uint64_t in_nodes = head->count ? (uint64_t)(head->count - 1) * batch + head->root : 0;
    return in_nodes + head->buffer;
}

uint64_t cladei_heap_bytes_in_use(const clade_heap *heap, const clade_heap_head *head)
{
    const clade_heap_params *p = &heap->params;
    const uint64_t slots = (head->count + 1ull) * p->batch;
    return p->value == CLADE_NONE
               ? cladei_heap_keys_at(heap) + slots * CLADE_TYPE_BYTES(p->key)
               : cladei_heap_values_at(heap) + slots * CLADE_TYPE_BYTES(p->value);
}

uint64_t cladei_heap_bytes(const clade_heap *heap)
{
    if (heap->params.engine == CLADE_HEAP_FRONT)
        return heap->front.bytes;
    if (heap->params.heaps > 1) {
        const uint64_t stride = cladei_heap_stride(heap), most = UINT64_MAX / heap->params.heaps;
        return stride <= most ? stride * heap->params.heaps : UINT64_MAX; /* no device has that */
    }
    return cladei_heap_values_at(heap) +
           CLADE_HEAP_SLOTS_BYTES(heap->nodes, heap->params.batch,
                                  CLADE_TYPE_BYTES(heap->params.value));
}

/* --- create and destroy ---------------------------------------------------------------------- */

/* For kernels without waits: as many groups as give each item a thousand elements, or as were asked
 * for; but none without an element. */
size_t cladei_heap_scan_groups(const clade_heap *heap, uint64_t count)
{
    const uint64_t most = count / heap->params.group_size + 1;
    uint64_t groups = count / ((uint64_t)heap->params.group_size * 1024) + 1;
    if (groups < heap->params.groups)
        groups = heap->params.groups;
    return (size_t)(groups < most ? groups : most);
}

static clade_u32 shape_of(const clade_heap *heap)
{
    const clade_heap_params *p = &heap->params;
    return CLADE_HEAP_SHAPE(p->key, p->value, p->order, p->engine, p->batch, heap->front.leaf);
}

static clade_status write_head(clade_heap *heap, struct cladei_run *run)
{
    clade_status status = CLADE_OK;
    const clade_heap_params *p = &heap->params;
    clade_heap_head head = { .object = cladei_object_head(&heap->object) };
    if (p->engine == CLADE_HEAP_FRONT)
        CLADE_TRY(cladei_front_format(&heap->front, &heap->object, run));
    head.nodes = heap->nodes;
    head.capacity[0] = (clade_u32)p->capacity;
    head.capacity[1] = (clade_u32)(p->capacity >> 32);
    CLADE_TRY(cladei_run_write(run, &heap->object, 0, &head, sizeof head));
fail:
    return status;
}

/* A part of it is the same heap. */
static bool *unfinished(clade_heap *heap)
{
    return heap->whole ? &heap->whole->unfinished : &heap->unfinished;
}

/* Of one heap: no keys, all nodes EMPTY, which is 0, all counts 0. These words follow one another.
 */
static clade_status make_one_empty(clade_heap *heap, struct cladei_run *run)
{
    clade_status status = CLADE_OK;
    const cl_uint zero = 0;
    const size_t from = offsetof(clade_heap_head, lock);
    const size_t to = CLADE_HEAP_NODES_AT + ((size_t)heap->nodes + 1) * sizeof(clade_heap_node);
    const clade_u32 no_error[2] = { 0 };
    CLADE_TRY(cladei_run_start(run));
    CLADE_TRY(cladei_queue_fill(run->queue, heap->object.mem, &zero, sizeof zero, from, to - from));
    CLADE_TRY(cladei_run_write(run, &heap->object, offsetof(clade_object_head, first_error),
                               no_error, sizeof no_error));
fail:
    return status;
}

/* Groups that make a heap of many empty. Where the driver leaves long loops, each has a heap or a
 * part of one. */
static size_t groups_for_empty(const clade_heap *heap, cl_uint *parts)
{
    const cl_uint heaps = heap->params.heaps;
    const uint64_t words = (heap->nodes + 1ull) * (sizeof(clade_heap_node) / 4);
    const size_t groups = cladei_heap_scan_groups(heap, words);
    *parts = 1;
    if (heap->object.context->caps.loop_limit > 0) {
        *parts = (cl_uint)(words / (heap->params.group_size * 1024ull) + 1);
        return (size_t)heaps * *parts;
    }
    return groups >= heaps ? groups : heaps < 4096 ? heaps : 4096;
}

/* Make a heap empty. The keys go by one command: it happens or it does not. (A single heap forgets
 * earlier errors by a second one.) The front engine's is written by the host, in several steps:
 * until the last one is enqueued it is no heap. */
static clade_status make_empty(clade_heap *heap, struct cladei_run *run)
{
    clade_status status = CLADE_OK;
    const cl_uint heaps = heap->params.heaps;
    if (heap->params.engine == CLADE_HEAP_FRONT) {
        *unfinished(heap) = true;
        CLADE_TRY(write_head(heap, run));
        *unfinished(heap) = false;
        return CLADE_OK;
    }
    if (heaps == 1)
        return make_one_empty(heap, run);
    CLADE_TRY(cladei_heap_need_all(heap)); /* for the parts */
    const cl_kernel kernel = heap->kernels[HEAP_EMPTY];
    cl_uint parts;
    const size_t groups = groups_for_empty(heap, &parts);
    CLADE_TRY(CLADEI_SET_ARGS(kernel, CLADEI_ARG(heap->object.mem), CLADEI_ARG(heaps),
                              CLADEI_ARG(parts)));
    CLADE_TRY(cladei_run_kernel(run, kernel, groups, heap->params.group_size));
fail:
    return status;
}

clade_status cladei_heap_mend(clade_heap *heap, struct cladei_run *run)
{
    return *unfinished(heap) ? make_empty(heap, run) : CLADE_OK;
}

clade_status cladei_heap_create(clade_heap **out, clade_context *context,
                                const clade_heap_params *params, uint32_t leaf)
{
    clade_status status = CLADE_OK;
    struct cladei_run run;
    clade_heap *heap = NULL;
    CLADEI_CREATION(out, context, params, clade_heap_params, cladei_heap_kind.name);
    heap = calloc(1, sizeof *heap);
    CLADE_NO_MEMORY(heap);
    heap->object.context = context;
    heap->params = *params;
    CLADE_TRY(cladei_heap_fill_in(&heap->params, context));
    heap->nodes = (uint32_t)((heap->params.capacity - 1) / heap->params.batch + 1);
    if (heap->params.engine == CLADE_HEAP_FRONT)
        CLADE_TRY(cladei_front_plan(&heap->front, heap->params.capacity,
                                    leaf ? leaf : cladei_front_leaf(context, &heap->params),
                                    CLADE_TYPE_BYTES(heap->params.key),
                                    CLADE_TYPE_BYTES(heap->params.value)));
    CLADE_TRY(cladei_object_create(&heap->object, context, cladei_heap_kind.number, shape_of(heap),
                                   cladei_heap_bytes(heap), cladei_heap_kind.name));
    cladei_heap_choose(heap);
    if (params->groups == 0) { /* or else the groups that were asked for do all calls */
        cladei_bulk_open(heap, 0);
        cladei_sorted_open(heap);
    }
    CLADE_TRY(cladei_run_begin(&run, context, NULL));
    if (heap->params.engine != CLADE_HEAP_FRONT)
        CLADE_TRY(write_head(heap, &run));
    CLADE_TRY(make_empty(heap, &run));
    if (params->group_size != 0) /* one that no kernel takes is refused here */
        CLADE_TRY(cladei_heap_need_all(heap));
    CLADE_TRY(clade_finish(context)); /* its first call may be in any queue */
    *out = heap;
    return CLADE_OK;

fail:
    clade_heap_destroy(&heap);
    return status;
}

clade_status clade_heap_create(clade_heap **out, clade_context *context,
                               const clade_heap_params *params)
{
    return cladei_heap_create(out, context, params, 0);
}

void clade_heap_destroy(clade_heap **heap)
{
    if (!heap || !*heap)
        return;
    clade_heap *it = *heap, *whole = it->whole;
    *heap = NULL;
    if (it->is_part) {
        cladei_object_close(&it->object, NULL, NULL, 0);
        free(it);
        clade_heap_destroy(&whole);
        return;
    }
    if (!cladei_let_go(&it->borrowers))
        return;
    cladei_object_close(&it->object, NULL, it->kernels, HEAP_KERNELS);
    cladei_bulk_close(it);
    cladei_sorted_close(it);
    free(it);
}

clade_status clade_heap_clear(clade_heap *heap, const clade_launch *launch)
{
    clade_status status = CLADE_OK;
    struct cladei_run run;
    CLADE_REQUIRE(heap, CLADE_E_ARG, "the heap is NULL");
    CLADE_TRY(cladei_run_begin(&run, heap->object.context, launch));
    run.blocking = !launch;
    if (make_empty(heap, &run) != CLADE_OK) /* once more */
        CLADE_TRY(make_empty(heap, &run));
    CLADE_TRY(cladei_run_end(&run));
fail:
    return status;
}

cl_mem clade_heap_mem(const clade_heap *heap)
{
    return heap ? heap->object.mem : NULL;
}

const char *clade_heap_options(const clade_heap *heap)
{
    return heap ? heap->options : NULL;
}

const clade_heap_params *clade_heap_params_of(const clade_heap *heap)
{
    return heap ? &heap->params : NULL;
}

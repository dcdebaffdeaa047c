/* SPDX-License-Identifier: Apache-2.0 */
/* The heap's life and its calls over whole arrays; cl/kernels/heap.cl has the kernels. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/borrow.h"
#include "base/error.h"
#include "base/reserved.h"
#include "clade/shared/heap_sorted.h"
#include "device/context.h"
#include "heap/heap.h"
#include "object/launch.h"
#include "object/object.h"
#include "program/program.h"

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

/* Three regions are the least that the device code works with; 1 KiB is left to the kernel. */
static uint64_t batch_max(const clade_context *context, uint32_t element_bytes)
{
    uint64_t local = context->caps.local_bytes > 1024 ? context->caps.local_bytes - 1024 : 0;
    uint64_t most = local / 3 / element_bytes;
    return most < CLADE_HEAP_BATCH_MAX ? most : CLADE_HEAP_BATCH_MAX;
}

/* As kernels choose that are compiled without it. */
static uint32_t batch_default(const clade_context *context, uint32_t element_bytes)
{
    return CLADE_HEAP_BATCH_DEFAULT(context->caps.is_cpu, context->caps.local_bytes, element_bytes);
}

/* On a CPU one item works for its group. On a GPU as many as there are
 * keys, to a power of two and 1,024. */
static uint32_t group_size_default(const clade_context *context, uint32_t batch)
{
    uint32_t most = context->caps.group_size_max < 1024 ? context->caps.group_size_max : 1024;
    if (context->caps.is_cpu)
        return 1;
    while (most > 32 && most / 2 >= batch)
        most /= 2;
    return most;
}

/* From so many keys on the front engine is the faster one, in kernels and by calls; below it would
 * also spend more on its pools than on keys. */
enum { FRONT_CAPACITY_MIN = 1 << 15, FRONT_CAPACITY_MAX = 1 << 30 };

/* What CLADE_HEAP_AUTO stands for. On a CPU the front engine's kernels take a driver several times
 * as long to compile, seconds that few programs earn back there: who does asks for it. A driver
 * that leaves long loops leaves the front engine's, too: there are more of them. */
static uint32_t engine_for(const clade_heap_params *params, const clade_context *context)
{
    const bool front = params->heaps <= 1 && !params->atomic_inserts && !context->caps.is_cpu &&
                       !context->caps.loop_limit && params->capacity >= FRONT_CAPACITY_MIN &&
                       params->capacity < FRONT_CAPACITY_MAX &&
                       params->batch <= cladei_front_batch(context, params->key, params->value);
    return front ? CLADE_HEAP_FRONT : CLADE_HEAP_TOP_DOWN;
}

static clade_status fill_in(clade_heap_params *params, const clade_context *context)
{
    clade_status status = CLADE_OK;
    const clade_caps *caps = &context->caps;
    if (params->key == CLADE_NONE)
        params->key = CLADE_I32;
    CLADE_REQUIRE(params->key <= CLADE_F64, CLADE_E_ARG, "key type %u does not exist", params->key);
    CLADE_REQUIRE(params->value <= CLADE_F64, CLADE_E_ARG, "value type %u does not exist",
                  params->value);
    CLADE_REQUIRE(params->order <= CLADE_MAX, CLADE_E_ARG, "order %u does not exist",
                  params->order);
    CLADE_REQUIRE(params->engine <= CLADE_HEAP_FRONT, CLADE_E_ARG, "engine %u does not exist",
                  params->engine);
    CLADE_REQUIRE(params->engine != CLADE_HEAP_FRONT || !params->atomic_inserts, CLADE_E_ARG,
                  "atomic_inserts is set; with CLADE_HEAP_FRONT inserts are atomic key by key");
    if (params->engine == CLADE_HEAP_AUTO)
        params->engine = engine_for(params, context);
    uint32_t element = CLADE_TYPE_BYTES(params->key) + CLADE_TYPE_BYTES(params->value);
    const bool front = params->engine == CLADE_HEAP_FRONT;
    uint64_t most = front ? cladei_front_batch(context, params->key, params->value)
                          : batch_max(context, element);
    if (params->batch == 0)
        params->batch = front ? (uint32_t)most : batch_default(context, element);
    CLADE_REQUIRE(params->batch >= CLADE_HEAP_BATCH_MIN && params->batch <= most, CLADE_E_ARG,
                  "batch is %u; with keys and values of %u bytes it goes from %u to %" PRIu64
                  " on %s, which has %" PRIu64 " bytes of local memory",
                  params->batch, element, CLADE_HEAP_BATCH_MIN, most, context->info.name,
                  (uint64_t)caps->local_bytes);
    CLADE_REQUIRE(params->capacity >= 1, CLADE_E_ARG, "capacity is 0; it must be 1 or more");
    CLADE_REQUIRE((params->capacity - 1) / params->batch < CLADE_HEAP_NODES_MAX, CLADE_E_ARG,
                  "capacity is %" PRIu64 "; with batches of %u the most is %" PRIu64,
                  params->capacity, params->batch, (uint64_t)CLADE_HEAP_NODES_MAX * params->batch);
    CLADE_REQUIRE(params->group_size <= caps->group_size_max, CLADE_E_ARG,
                  "group_size is %u; the most on %s is %u", params->group_size, context->info.name,
                  caps->group_size_max);
    if (params->heaps == 0)
        params->heaps = 1;
    CLADE_REQUIRE(params->heaps == 1 || (!front && params->heaps <= CLADE_HEAP_HEAPS_MAX),
                  CLADE_E_ARG, "heaps is %u; it goes from 1 to %u, with CLADE_HEAP_FRONT to 1",
                  params->heaps, CLADE_HEAP_HEAPS_MAX);
    if (params->group_size == 0 && front && !caps->is_cpu && caps->group_size_max >= 256)
        params->group_size = 256; /* what registers allow on NVIDIA */
    if (params->group_size == 0)
        params->group_size = group_size_default(context, params->batch);
    /* A driver that leaves long loops leaves waits for locks as well: one group has no waits. */
    if (params->groups == 0)
        params->groups = caps->compute_units && !caps->loop_limit
                             ? caps->compute_units * (front && !caps->is_cpu ? 2 : 1)
                             : 1;
fail:
    return status;
}

/* Batches that a group takes in one launch where the driver leaves long loops. One batch of 1024
 * keys takes up to about 1500 iterations of all loops; with the front engine it may split or sort
 * some leaves as well. */
static uint32_t short_rounds(const clade_heap *heap)
{
    return heap->params.engine == CLADE_HEAP_FRONT ? 4 : 16;
}

static clade_status build(clade_heap *heap)
{
    clade_status status = CLADE_OK;
    clade_context *context = heap->object.context;
    const clade_heap_params *p = &heap->params;
    char options[sizeof heap->options + 64];
    snprintf(heap->options, sizeof heap->options,
             "-DCLADE_HEAP_KEY_TYPE=%u -DCLADE_HEAP_VALUE_TYPE=%u -DCLADE_HEAP_ORDER=%u "
             "-DCLADE_HEAP_BATCH=%u -DCLADE_HEAP_ENGINE=%u",
             p->key, p->value, p->order, p->batch, p->engine);
    if (p->engine == CLADE_HEAP_FRONT)
        snprintf(heap->options + strlen(heap->options),
                 sizeof heap->options - strlen(heap->options), " -DCLADE_HEAP_LEAF=%u",
                 heap->front.leaf);
    snprintf(options, sizeof options, "%s -DCLADE_GROUP_SIZE=%u -DCLADE_HEAP_ROUNDS=%uu",
             heap->options, p->group_size,
             context->caps.loop_limit ? short_rounds(heap) : UINT32_MAX);
    CLADE_TRY(cladei_program_build_own(&heap->program, context, "kernels/heap.cl", options));
    CLADE_TRY(clade_program_kernel(&heap->empty, heap->program, "clade_heap_empty"));
    CLADE_TRY(clade_program_kernel(&heap->begin, heap->program, "clade_heap_begin"));
    CLADE_TRY(clade_program_kernel(&heap->scan, heap->program, "clade_heap_scan"));
    CLADE_TRY(clade_program_kernel(&heap->insert, heap->program, "clade_heap_insert"));
    CLADE_TRY(clade_program_kernel(&heap->pop, heap->program, "clade_heap_pop"));
    CLADE_TRY(clade_program_kernel(&heap->end, heap->program, "clade_heap_end"));
    if (p->engine == CLADE_HEAP_FRONT)
        CLADE_TRY(clade_program_kernel(&heap->first, heap->program, "clade_heap_first"));
fail:
    return status;
}

/* What the compiled kernels allow may be less than what the device allows: an empty run tells. (The
 * size that CL_KERNEL_WORK_GROUP_SIZE gives does not: NVIDIA's says 256 of kernels that it compiled
 * for 512.) Not on a CPU, which has no registers to run out of, and where PoCL would compile
 * kernels here that a user may never launch. */
static clade_status check_group_size(clade_heap *heap)
{
    clade_status status = CLADE_OK;
    const clade_context *context = heap->object.context;
    const cl_kernel kernels[] = { heap->insert, heap->pop };
    const cl_mem mem = heap->object.mem;
    const cl_ulong zero = 0;
    const size_t size = heap->params.group_size;
    for (size_t i = 0; i < 2 && !context->caps.is_cpu; i++) {
        CLADE_TRY(CLADEI_SET_ARGS(kernels[i], CLADEI_ARG(mem), CLADEI_ARG(mem), CLADEI_ARG(zero),
                                  CLADEI_ARG(mem), CLADEI_ARG(zero), CLADEI_ARG(zero)));
        cl_int code = clEnqueueNDRangeKernel(context->queue, kernels[i], 1, NULL, &size, &size, 0,
                                             NULL, NULL);
        CLADE_REQUIRE(code != CL_INVALID_WORK_GROUP_SIZE && code != CL_OUT_OF_RESOURCES,
                      CLADE_E_ARG, "group_size is %zu, and the heap's kernels allow less on %s",
                      size, context->info.name);
        CLADE_CL_CODE(code, "clEnqueueNDRangeKernel");
    }
fail:
    return status;
}

/* For kernels without waits: as many groups as give each item a thousand elements, or as were asked
 * for; but none without an element. */
static size_t scan_groups(const clade_heap *heap, uint64_t count)
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
    CLADE_CL(clEnqueueFillBuffer(run->queue, heap->object.mem, &zero, sizeof zero, from, to - from,
                                 0, NULL, NULL));
    CLADE_TRY(cladei_run_write(run, &heap->object, offsetof(clade_object_head, first_error),
                               no_error, sizeof no_error));
fail:
    return status;
}

/* Make a heap empty. One command: it happens or it does not. The front engine's is written by the
 * host, in several steps: until the last one is enqueued it is no heap. */
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
    CLADE_TRY(CLADEI_SET_ARGS(heap->empty, CLADEI_ARG(heap->object.mem), CLADEI_ARG(heaps)));
    size_t groups = scan_groups(heap, (uint64_t)heap->nodes * 8);
    if (groups < heaps)
        groups = heaps < 4096 ? heaps : 4096;
    CLADE_TRY(cladei_run_kernel(run, heap->empty, groups, heap->params.group_size));
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
    CLADE_REQUIRE(out, CLADE_E_ARG, "the place for the heap is NULL");
    *out = NULL;
    CLADE_REQUIRE(context && params, CLADE_E_ARG, "the context or the parameters are NULL");
    CLADE_TRY(CLADEI_RESERVED_CHECK(params, "clade_heap_params"));
    heap = calloc(1, sizeof *heap);
    CLADE_NO_MEMORY(heap);
    heap->object.context = context;
    heap->params = *params;
    CLADE_TRY(fill_in(&heap->params, context));
    heap->nodes = (uint32_t)((heap->params.capacity - 1) / heap->params.batch + 1);
    if (heap->params.engine == CLADE_HEAP_FRONT)
        CLADE_TRY(cladei_front_plan(&heap->front, heap->params.capacity,
                                    leaf ? leaf : cladei_front_leaf(context, &heap->params),
                                    CLADE_TYPE_BYTES(heap->params.key),
                                    CLADE_TYPE_BYTES(heap->params.value)));
    CLADE_TRY(cladei_object_create(&heap->object, context, CLADE_HEAP_KIND, shape_of(heap),
                                   cladei_heap_bytes(heap), "the heap"));
    CLADE_TRY(build(heap));
    if (params->groups == 0) { /* or else the groups that were asked for do all calls */
        cladei_bulk_open(heap, 0);
        cladei_sorted_open(heap);
    }
    CLADE_TRY(cladei_run_begin(&run, context, NULL));
    if (heap->params.engine != CLADE_HEAP_FRONT)
        CLADE_TRY(write_head(heap, &run));
    CLADE_TRY(make_empty(heap, &run));
    CLADE_TRY(check_group_size(heap));
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
        cladei_object_close(&it->object, &it->program, NULL, 0);
        free(it);
        clade_heap_destroy(&whole);
        return;
    }
    if (!cladei_let_go(&it->borrowers))
        return;
    const cl_kernel kernels[] = { it->empty, it->begin, it->scan, it->insert,
                                  it->pop,   it->end,   it->first };
    cladei_bulk_close(it);
    cladei_sorted_close(it);
    cladei_object_close(&it->object, &it->program, kernels, sizeof kernels / sizeof kernels[0]);
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

/* --- calls over arrays ----------------------------------------------------------------------- */

/* Arguments of one call, opened. Views of arrays that are not given stand in with the heap's own
 * buffer, which the kernels then do not touch. A call that blocks tells its own errors, so when all
 * are open it tells those of earlier calls before it does anything. */
struct call {
    struct cladei_run run;
    struct cladei_view keys, values, got;
    bool knows;      /* `inside` is known: the call blocks */
    uint64_t inside; /* keys before it */
};

static void call_close(struct call *call)
{
    cladei_view_close(&call->got);
    cladei_view_close(&call->values);
    cladei_view_close(&call->keys);
}

static clade_status call_open(struct call *call, clade_heap *heap, clade_array keys,
                              clade_array values, uint64_t count, const clade_launch *launch,
                              enum cladei_direction direction)
{
    clade_status status = CLADE_OK;
    const clade_heap_params *p = &heap->params;
    const bool given = values.host || values.mem;
    CLADE_REQUIRE(keys.host || keys.mem || count == 0, CLADE_E_ARG, "there is no array of keys");
    CLADE_REQUIRE(!given || p->value != CLADE_NONE, CLADE_E_ARG,
                  "values are given, but the heap has none");
    CLADE_REQUIRE(given || p->value == CLADE_NONE || count == 0, CLADE_E_ARG,
                  "the heap has values, but none are given");
    CLADE_TRY(cladei_run_begin(&call->run, heap->object.context, launch));
    CLADE_TRY(cladei_view_open(&call->keys, &call->run, keys, count, CLADE_TYPE_BYTES(p->key),
                               direction, "keys"));
    if (p->value != CLADE_NONE)
        CLADE_TRY(cladei_view_open(&call->values, &call->run, values, count,
                                   CLADE_TYPE_BYTES(p->value), direction, "values"));
fail:
    return status;
}

static size_t groups_for(const clade_heap *heap, uint64_t count)
{
    uint64_t batches = count / heap->params.batch + 1;
    return batches < heap->params.groups ? (size_t)batches : heap->params.groups;
}

/* Whether calls over many keys at once may do this one. The device has the last word: here a call
 * that is known to be none of theirs does not wait for their compiler. */
static bool may_be_bulk(const struct call *call, const clade_heap *heap, bool is_insert,
                        uint64_t count)
{
    const uint64_t sorted = heap->sorted.least, least = sorted ? sorted : heap->bulk.least;
    if (least == 0 || !call->knows)
        return least > 0 && count >= least;
    if (is_insert)
        return count >= least && call->inside == 0;
    return call->inside >= least &&
           count >= (sorted ? call->inside / CLADE_SORTED_PART_LEAST : least);
}

static clade_status bulk_prepare(clade_heap *heap, bool is_pop)
{
    return heap->sorted.least ? cladei_sorted_prepare(heap) : cladei_bulk_prepare(heap, is_pop);
}

static clade_status bulk_call(struct call *call, clade_heap *heap, bool is_pop, uint64_t count)
{
    if (heap->sorted.least)
        return cladei_sorted_call(heap, &call->run, &call->keys, &call->values, count, is_pop);
    return (is_pop ? cladei_bulk_pop : cladei_bulk_insert)(heap, &call->run, &call->keys,
                                                           &call->values, count);
}

/* What earlier calls left undone is done. What they left to tell is told, where this one blocks;
 * then it is known how many keys there are. */
static clade_status settle_before(struct call *call, clade_heap *heap)
{
    clade_status status = CLADE_OK;
    clade_heap_head head;
    CLADE_TRY(cladei_heap_mend(heap, &call->run));
    if (!call->run.blocking)
        return CLADE_OK;
    CLADE_TRY(cladei_heap_settle(heap, &call->run, &head));
    call->knows = true;
    call->inside = cladei_heap_size_of(&head, heap->params.batch);
fail:
    return status;
}

/* The kernel that opens the call, then `work` over its batches. */
static clade_status launch_work(struct call *call, clade_heap *heap, cl_kernel work, uint64_t count,
                                cl_ulong coming)
{
    clade_status status = CLADE_OK;
    cl_mem mem = heap->object.mem, keys = call->keys.mem;
    cl_mem values = call->values.mem ? call->values.mem : mem;
    cl_ulong n = count;
    const bool bulk = may_be_bulk(call, heap, coming > 0, count);
    if (bulk)
        CLADE_TRY(bulk_prepare(heap, coming == 0));
    CLADE_TRY(CLADEI_SET_ARGS(heap->begin, CLADEI_ARG(mem), CLADEI_ARG(coming)));
    CLADE_TRY(cladei_run_kernel(&call->run, heap->begin, 1, 1));
    if (count == 0)
        return CLADE_OK;
    if (coming > 0 && CLADE_TYPE_IS_FLOAT(heap->params.key)) {
        CLADE_TRY(CLADEI_SET_ARGS(heap->scan, CLADEI_ARG(mem), CLADEI_ARG(keys),
                                  CLADEI_ARG(call->keys.first), CLADEI_ARG(n)));
        CLADE_TRY(cladei_run_kernel(&call->run, heap->scan, scan_groups(heap, count),
                                    heap->params.group_size));
    }
    if (bulk)
        CLADE_TRY(bulk_call(call, heap, coming == 0, count));
    CLADE_TRY(CLADEI_SET_ARGS(work, CLADEI_ARG(mem), CLADEI_ARG(keys), CLADEI_ARG(call->keys.first),
                              CLADEI_ARG(values), CLADEI_ARG(call->values.first), CLADEI_ARG(n)));
    size_t groups = groups_for(heap, count);
    for (uint64_t left = count / heap->params.batch + 1, done = 0; left > 0; left -= done) {
        CLADE_TRY(cladei_run_kernel(&call->run, work, groups, heap->params.group_size));
        done = heap->object.context->caps.loop_limit ? groups * short_rounds(heap) : left;
        done = done < left ? done : left;
    }
fail:
    return status;
}

static clade_status launch_end(struct call *call, clade_heap *heap, cl_uint is_pop)
{
    clade_status status = CLADE_OK;
    cl_mem mem = heap->object.mem, got = call->got.mem ? call->got.mem : mem;
    CLADE_TRY(CLADEI_SET_ARGS(heap->end, CLADEI_ARG(mem), CLADEI_ARG(got),
                              CLADEI_ARG(call->got.first), CLADEI_ARG(is_pop)));
    CLADE_TRY(cladei_run_kernel(&call->run, heap->end, 1, 1));
fail:
    return status;
}

clade_status clade_heap_insert(clade_heap *heap, clade_array keys, clade_array values,
                               uint64_t count, const clade_launch *launch)
{
    clade_status status = CLADE_OK;
    struct call call = { 0 };
    clade_heap_head head;
    CLADE_REQUIRE(heap, CLADE_E_ARG, "the heap is NULL");
    CLADE_TRY(cladei_heap_require_one(heap));
    CLADE_REQUIRE(count <= heap->params.capacity, CLADE_E_FULL,
                  "%" PRIu64 " keys do not fit: the heap holds at most %" PRIu64, count,
                  heap->params.capacity);
    CLADE_TRY(call_open(&call, heap, keys, values, count, launch, CLADEI_IN));
    CLADE_TRY(settle_before(&call, heap));
    if (count > 0) {
        CLADE_TRY(launch_work(&call, heap, heap->insert, count, count));
        CLADE_TRY(launch_end(&call, heap, 0));
    }
    if (call.run.blocking)
        CLADE_TRY(cladei_heap_settle(heap, &call.run, &head));
    CLADE_TRY(cladei_run_end(&call.run));
fail:
    call_close(&call);
    return status;
}

/* Copy to host arrays what there is, and no more. */
static clade_status finish_output(struct call *call, clade_heap *heap)
{
    clade_status status = CLADE_OK;
    clade_heap_head head;
    if (!call->keys.host && !call->values.host)
        return CLADE_OK;
    CLADE_TRY(cladei_run_read(&call->run, &heap->object, 0, &head, sizeof head));
    uint64_t got = ((uint64_t)head.popped[1] << 32 | head.popped[0]) -
                   ((uint64_t)head.base[1] << 32 | head.base[0]);
    if (call->keys.host)
        call->keys.bytes = (size_t)got * CLADE_TYPE_BYTES(heap->params.key);
    if (call->values.host)
        call->values.bytes = (size_t)got * CLADE_TYPE_BYTES(heap->params.value);
    CLADE_TRY(cladei_view_finish(&call->keys, &call->run));
    CLADE_TRY(cladei_view_finish(&call->values, &call->run));
fail:
    return status;
}

clade_status clade_heap_pop(clade_heap *heap, clade_array keys, clade_array values, uint64_t count,
                            clade_array got, const clade_launch *launch)
{
    clade_status status = CLADE_OK;
    struct call call = { 0 };
    clade_heap_head head;
    CLADE_REQUIRE(heap, CLADE_E_ARG, "the heap is NULL");
    CLADE_TRY(cladei_heap_require_one(heap));
    CLADE_REQUIRE(got.host || got.mem, CLADE_E_ARG, "there is no place for the number got");
    /* More than it can hold cannot come; room for more is not asked for. */
    if (count > heap->params.capacity)
        count = heap->params.capacity;
    CLADE_TRY(call_open(&call, heap, keys, values, count, launch, CLADEI_OUT));
    CLADE_TRY(cladei_view_open(&call.got, &call.run, got, 1, sizeof(uint64_t), CLADEI_OUT, "got"));
    CLADE_TRY(settle_before(&call, heap));
    CLADE_TRY(launch_work(&call, heap, heap->pop, count, 0));
    CLADE_TRY(launch_end(&call, heap, 1));
    CLADE_TRY(cladei_view_finish(&call.got, &call.run));
    CLADE_TRY(finish_output(&call, heap));
    if (call.run.blocking)
        CLADE_TRY(cladei_heap_settle(heap, &call.run, &head));
    CLADE_TRY(cladei_run_end(&call.run));
fail:
    call_close(&call);
    return status;
}

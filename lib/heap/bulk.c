/* SPDX-License-Identifier: Apache-2.0 */
/* Calls of the host API over many keys at once, for the front engine. They have the heap to
 * themselves, which work-groups that meet in it do not: docs/inside/heap-front.md. The device
 * decides whether a call goes this way, so that nothing here waits for it; the engine's own kernel
 * follows, and does what is left. Their kernels take seconds to compile on some drivers, so the
 * first call over many keys compiles them, and a heap that has no such call never does. */
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "clade/shared/heap_bulk.h"
#include "device/context.h"
#include "heap/heap.h"

/* Fewer keys than these are no faster this way: it is a dozen of launches. */
enum { LEAST_CPU = 1 << 15, LEAST_GPU = 1 << 19 };

static const char *const kernel_names[BULK_KERNELS] = {
    "clade_heap_take_begin",  "clade_heap_take_count", "clade_heap_take_place",
    "clade_heap_take_move",   "clade_heap_take_end",   "clade_heap_build_begin",
    "clade_heap_build_count", "clade_heap_build_plan", "clade_heap_build_move",
    "clade_heap_build_end",
};
static const struct cladei_kernels take = { "kernels/heap_front_take.cl", kernel_names,
                                            BULK_BUILD_BEGIN };
static const struct cladei_kernels build = { "kernels/heap_front_build.cl",
                                             kernel_names + BULK_BUILD_BEGIN,
                                             BULK_KERNELS - BULK_BUILD_BEGIN };

/* A power of two. On a CPU one item works for its group. */
static uint32_t group_for(const clade_context *context)
{
    const clade_caps *caps = &context->caps;
    uint32_t group = 1;
    while (2 * group <= (caps->is_cpu ? 1u : 256u) && 2 * group <= caps->group_size_max)
        group *= 2;
    return group;
}

/* Local memory that a compiler may add. */
enum { COMPILER_BYTES = 256 };

static bool sorter_fits(const clade_heap *heap, uint32_t group, uint32_t bins)
{
    const struct cladei_front *f = &heap->front;
    return CLADE_BULK_SORTER_BYTES(f->key_bytes, f->value_bytes, f->leaf, group, bins) +
               COMPILER_BYTES <=
           heap->object.context->caps.local_bytes;
}

/* Keys of a tile: on a GPU what local memory holds beside counters for its digits, and each item an
 * equal share of it. */
static uint32_t tile_for(const clade_heap *heap, uint32_t group)
{
    const clade_caps *caps = &heap->object.context->caps;
    const uint32_t k = heap->front.key_bytes, v = heap->front.value_bytes, widest = k > v ? k : v;
    uint32_t tile = group == 1 ? 16384 : 16384 / widest;
    while (tile > group && (group > 1) &&
           (CLADE_BULK_MOVER_BYTES(widest, tile, group) + COMPILER_BYTES > caps->local_bytes ||
            tile > 32 * group))
        tile /= 2;
    return tile;
}

void cladei_bulk_open(clade_heap *heap, uint32_t group)
{
    const clade_context *context = heap->object.context;
    const clade_caps *caps = &context->caps;
    struct cladei_bulk *bulk = &heap->bulk;
    const uint64_t least = caps->is_cpu || group > 0 ? LEAST_CPU : LEAST_GPU;
    if (heap->params.engine != CLADE_HEAP_FRONT || heap->params.capacity < least ||
        caps->loop_limit)
        return;
    bulk->group = group ? group : group_for(context);
    /* A leaf is about half full; its keys find their bins sparse enough if it is not. Each item
     * looks after some. */
    bulk->bins = heap->front.leaf / 2;
    if (bulk->bins < bulk->group)
        bulk->bins = bulk->group;
    while (bulk->bins > bulk->group && !sorter_fits(heap, bulk->group, bulk->bins))
        bulk->bins /= 2;
    if (!sorter_fits(heap, bulk->group, bulk->bins))
        return;
    bulk->tile = tile_for(heap, bulk->group);
    bulk->least = least;
}

static clade_status prepare_pop(clade_heap *heap)
{
    clade_status status = CLADE_OK;
    const struct cladei_front *front = &heap->front;
    struct cladei_bulk *bulk = &heap->bulk;
    char options[sizeof heap->options + 64];
    snprintf(options, sizeof options, "%s -DCLADEI_BULK_GROUP=%u -DCLADEI_BULK_BINS=%u",
             heap->options, bulk->group, bulk->bins);
    CLADE_TRY(cladei_kernels_build(bulk->kernels, &take, heap->object.context, options));
    CLADE_TRY(cladei_scratch_reserve(
        &bulk->lists, heap->object.context,
        4ull * CLADE_BULK_TAKE_WORDS(front->count[CLADE_FRONT_POOL_LEAVES],
                                     front->count[CLADE_FRONT_POOL_DIRS], front->leaf)));
fail:
    return status;
}

static clade_status prepare_insert(clade_heap *heap)
{
    struct cladei_bulk *bulk = &heap->bulk;
    char options[sizeof heap->options + 64];
    snprintf(options, sizeof options, "%s -DCLADEI_BULK_GROUP=%u -DCLADEI_BULK_TILE=%u",
             heap->options, bulk->group, bulk->tile);
    return cladei_kernels_build(bulk->kernels + BULK_BUILD_BEGIN, &build, heap->object.context,
                                options);
}

clade_status cladei_bulk_prepare(clade_heap *heap, bool is_pop)
{
    return (is_pop ? prepare_pop : prepare_insert)(heap);
}

void cladei_bulk_close(clade_heap *heap)
{
    cladei_kernels_release(heap->bulk.kernels, BULK_KERNELS);
    cladei_scratch_drop(&heap->bulk.lists);
    heap->bulk = (struct cladei_bulk) { 0 };
}

/* Groups for `items` of work in turns: enough for the device, and no more. */
static size_t groups_for(const clade_heap *heap, uint64_t items)
{
    const uint32_t units = heap->object.context->caps.compute_units;
    const uint64_t most = 8ull * (units ? units : 1);
    const uint64_t groups = (items + heap->bulk.group - 1) / heap->bulk.group;
    return (size_t)(groups < most ? groups : most);
}

clade_status cladei_bulk_pop(clade_heap *heap, struct cladei_call *call)
{
    clade_status status = CLADE_OK;
    const struct cladei_bulk *bulk = &heap->bulk;
    const cl_kernel *kernels = bulk->kernels;
    struct cladei_run *run = &call->run;
    const cl_mem mem = heap->object.mem, lists = bulk->lists.mem;
    const cl_ulong wanted = call->count;
    const size_t leaves = groups_for(heap, heap->front.count[CLADE_FRONT_POOL_LEAVES]);
    CLADE_TRY(CLADEI_SET_ARGS(kernels[BULK_TAKE_BEGIN], CLADEI_ARG(mem), CLADEI_ARG(lists),
                              CLADEI_ARG(wanted)));
    CLADE_TRY(cladei_run_kernel(run, kernels[BULK_TAKE_BEGIN], leaves, bulk->group));
    CLADE_TRY(CLADEI_SET_ARGS(kernels[BULK_TAKE_COUNT], CLADEI_ARG(mem), CLADEI_ARG(lists)));
    CLADE_TRY(cladei_run_kernel(run, kernels[BULK_TAKE_COUNT], leaves, bulk->group));
    CLADE_TRY(CLADEI_SET_ARGS(kernels[BULK_TAKE_PLACE], CLADEI_ARG(mem), CLADEI_ARG(lists),
                              CLADEI_ARG(wanted)));
    CLADE_TRY(cladei_run_kernel(run, kernels[BULK_TAKE_PLACE], leaves, bulk->group));
    CLADE_TRY(CLADEI_SET_ARGS(kernels[BULK_TAKE_MOVE], CLADEI_ARG(mem), CLADEI_ARG(lists),
                              CLADEI_ARG(wanted), CLADEI_ROW(call, HEAP_ROW_KEYS),
                              CLADEI_ROW(call, HEAP_ROW_VALUES)));
    CLADE_TRY(cladei_run_kernel(run, kernels[BULK_TAKE_MOVE], groups_for(heap, UINT64_MAX / 2),
                                bulk->group));
    CLADE_TRY(CLADEI_SET_ARGS(kernels[BULK_TAKE_END], CLADEI_ARG(mem), CLADEI_ARG(lists),
                              CLADEI_ARG(wanted)));
    CLADE_TRY(cladei_run_kernel(run, kernels[BULK_TAKE_END], leaves, bulk->group));
fail:
    return status;
}

/* --- inserts --------------------------------------------------------------------------------- */

struct build {
    clade_heap *heap;
    struct cladei_call *call;
    cl_uint count, rows, tiles; /* segments and tiles that a level may have */
    cl_mem other[2];            /* keys and values that even levels read, but for the first */
};

/* Count, plan and move, for 8 bits of the keys. */
static clade_status build_level(struct build *b, cl_uint level)
{
    clade_status status = CLADE_OK;
    const struct cladei_bulk *bulk = &b->heap->bulk;
    const cl_kernel *kernels = bulk->kernels;
    const cl_mem mem = b->heap->object.mem, plan = bulk->lists.mem;
    const cl_mem other = b->other[0], other_values = b->other[1] ? b->other[1] : mem;
    struct cladei_call *call = b->call;
    const size_t groups = groups_for(b->heap, UINT64_MAX / 2);
    CLADE_TRY(CLADEI_SET_ARGS(kernels[BULK_BUILD_COUNT], CLADEI_ARG(mem), CLADEI_ARG(plan),
                              CLADEI_ARG(level), CLADEI_ARG(b->rows), CLADEI_ARG(b->tiles),
                              CLADEI_ARG(b->count), CLADEI_ROW(call, HEAP_ROW_KEYS),
                              CLADEI_ARG(other)));
    CLADE_TRY(cladei_run_kernel(&call->run, kernels[BULK_BUILD_COUNT], groups, bulk->group));
    CLADE_TRY(CLADEI_SET_ARGS(kernels[BULK_BUILD_PLAN], CLADEI_ARG(mem), CLADEI_ARG(plan),
                              CLADEI_ARG(level), CLADEI_ARG(b->rows), CLADEI_ARG(b->tiles),
                              CLADEI_ARG(b->count)));
    CLADE_TRY(cladei_run_kernel(&call->run, kernels[BULK_BUILD_PLAN],
                                b->rows < groups ? b->rows : groups, bulk->group));
    CLADE_TRY(CLADEI_SET_ARGS(kernels[BULK_BUILD_MOVE], CLADEI_ARG(mem), CLADEI_ARG(plan),
                              CLADEI_ARG(level), CLADEI_ARG(b->rows), CLADEI_ARG(b->tiles),
                              CLADEI_ARG(b->count), CLADEI_ROW(call, HEAP_ROW_KEYS),
                              CLADEI_ROW(call, HEAP_ROW_VALUES), CLADEI_ARG(other),
                              CLADEI_ARG(other_values)));
    CLADE_TRY(cladei_run_kernel(&call->run, kernels[BULK_BUILD_MOVE], groups, bulk->group));
fail:
    return status;
}

/* Where this room cannot be had, the engine's own kernel does the call. The driver keeps what is
 * given back until the kernels have run. */
static bool build_open(struct build *b)
{
    struct cladei_bulk *bulk = &b->heap->bulk;
    const uint64_t words =
        CLADE_BULK_PLAN_WORDS + 2ull * b->rows * CLADE_BULK_S_WORDS + 2ull * b->tiles;
    const uint64_t bytes[2] = { (uint64_t)b->count * b->heap->front.key_bytes,
                                (uint64_t)b->count * b->heap->front.value_bytes };
    cl_int code = CL_SUCCESS;
    for (int i = 0; i < 2 && code == CL_SUCCESS; i++)
        if (bytes[i] > 0)
            b->other[i] = clCreateBuffer(b->heap->object.context->cl, CL_MEM_READ_WRITE,
                                         (size_t)bytes[i], NULL, &code);
    return code == CL_SUCCESS &&
           cladei_scratch_reserve(&bulk->lists, b->heap->object.context, 4 * words) == CLADE_OK;
}

static void build_close(struct build *b)
{
    for (int i = 0; i < 2; i++)
        if (b->other[i])
            clReleaseMemObject(b->other[i]);
}

clade_status cladei_bulk_insert(clade_heap *heap, struct cladei_call *call)
{
    clade_status status = CLADE_OK;
    const struct cladei_bulk *bulk = &heap->bulk;
    const cl_kernel *kernels = bulk->kernels;
    struct cladei_run *run = &call->run;
    struct build b = { .heap = heap, .call = call };
    const cl_mem mem = heap->object.mem;
    const uint64_t count = call->count;
    b.count = (cl_uint)count; /* below 2^30 */
    b.rows = (cl_uint)CLADE_BULK_SEGMENTS_MAX(count, heap->front.leaf);
    b.tiles = (cl_uint)CLADE_BULK_TILES_MAX(count, heap->front.leaf, bulk->tile);
    if (build_open(&b)) {
        const cl_mem plan = bulk->lists.mem;
        const size_t groups = groups_for(heap, heap->front.count[CLADE_FRONT_POOL_BLOCKS] / 32);
        CLADE_TRY(CLADEI_SET_ARGS(kernels[BULK_BUILD_BEGIN], CLADEI_ARG(mem), CLADEI_ARG(plan),
                                  CLADEI_ARG(b.count), CLADEI_ARG(b.rows), CLADEI_ARG(b.tiles)));
        CLADE_TRY(cladei_run_kernel(run, kernels[BULK_BUILD_BEGIN], groups, bulk->group));
        for (cl_uint level = 0; level < heap->front.key_bytes; level++)
            CLADE_TRY(build_level(&b, level));
        CLADE_TRY(CLADEI_SET_ARGS(kernels[BULK_BUILD_END], CLADEI_ARG(mem), CLADEI_ARG(plan),
                                  CLADEI_ARG(b.count)));
        CLADE_TRY(cladei_run_kernel(run, kernels[BULK_BUILD_END], groups, bulk->group));
    }
fail:
    build_close(&b);
    return status;
}

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
#include "object/launch.h"
#include "program/program.h"

/* Fewer keys than these are no faster this way: it is a dozen of launches. */
enum { LEAST_CPU = 1 << 15, LEAST_GPU = 1 << 19 };

static const char *const names[BULK_KERNELS] = {
    "clade_heap_take_begin",  "clade_heap_take_count", "clade_heap_take_place",
    "clade_heap_take_move",   "clade_heap_take_end",   "clade_heap_build_begin",
    "clade_heap_build_count", "clade_heap_build_plan", "clade_heap_build_move",
    "clade_heap_build_end",
};

/* A power of two. On a CPU one item works for its group. */
static uint32_t group_for(const clade_context *context)
{
    const clade_caps *caps = &context->caps;
    uint32_t group = 1;
    while (2 * group <= (caps->is_cpu ? 1u : 256u) && 2 * group <= caps->group_size_max)
        group *= 2;
    return group;
}

/* Bytes of local memory: bulk_sorter in cl/kernels/heap_front_take.cl, and what a compiler may add.
 */
static uint64_t sorter_bytes(const clade_heap *heap, uint32_t group, uint32_t bins)
{
    const uint64_t leaf = heap->front.leaf, k = heap->front.key_bytes;
    return leaf * k + 2ull * group * k + 4ull * (bins + bins / 16) + 8ull * group +
           (heap->front.value_bytes ? 2 * leaf : 0) + 256;
}

/* Keys of a tile: on a GPU what local memory holds beside counters for its digits, and each item an
 * equal share of it. */
static uint32_t tile_for(const clade_heap *heap, uint32_t group)
{
    const clade_caps *caps = &heap->object.context->caps;
    const uint32_t k = heap->front.key_bytes, v = heap->front.value_bytes, widest = k > v ? k : v;
    uint32_t tile = group == 1 ? 16384 : 16384 / widest;
    while (tile > group && (group > 1) &&
           (tile * widest + 4096 + 8 * group + 256 > caps->local_bytes || tile > 32 * group))
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
    bulk->bins = heap->front.leaf;
    while (bulk->bins > bulk->group &&
           sorter_bytes(heap, bulk->group, bulk->bins) > caps->local_bytes)
        bulk->bins /= 2;
    if (sorter_bytes(heap, bulk->group, bulk->bins) > caps->local_bytes)
        return;
    bulk->tile = tile_for(heap, bulk->group);
    bulk->least = least;
}

/* Kernels `first` .. `end` of a file. What a failed call left undone the next one does. */
static clade_status compile(clade_heap *heap, clade_program **program, const char *file,
                            const char *more_options, int first, int end)
{
    clade_status status = CLADE_OK;
    cl_kernel *kernels = heap->bulk.kernels;
    char options[sizeof heap->options + 64];
    snprintf(options, sizeof options, "%s %s", heap->options, more_options);
    if (!*program)
        CLADE_TRY(cladei_program_build_own(program, heap->object.context, file, options));
    for (int i = first; i < end; i++)
        if (!kernels[i])
            CLADE_TRY(clade_program_kernel(&kernels[i], *program, names[i]));
fail:
    return status;
}

static clade_status make_lists(clade_heap *heap)
{
    clade_status status = CLADE_OK;
    const struct cladei_front *front = &heap->front;
    struct cladei_bulk *bulk = &heap->bulk;
    const uint64_t bytes =
        4ull * CLADE_BULK_TAKE_WORDS(front->count[CLADE_FRONT_POOL_LEAVES],
                                     front->count[CLADE_FRONT_POOL_DIRS], front->leaf);
    cl_int code;
    if (bulk->lists)
        return CLADE_OK;
    bulk->lists =
        clCreateBuffer(heap->object.context->cl, CL_MEM_READ_WRITE, (size_t)bytes, NULL, &code);
    CLADE_CL_CODE(code, "clCreateBuffer");
    bulk->bytes = bytes;
fail:
    return status;
}

clade_status cladei_bulk_prepare(clade_heap *heap, bool is_pop)
{
    clade_status status = CLADE_OK;
    struct cladei_bulk *bulk = &heap->bulk;
    char options[64];
    if (is_pop) {
        snprintf(options, sizeof options, "-DCLADEI_BULK_GROUP=%u -DCLADEI_BULK_BINS=%u",
                 bulk->group, bulk->bins);
        CLADE_TRY(compile(heap, &bulk->take, "kernels/heap_front_take.cl", options, BULK_TAKE_BEGIN,
                          BULK_BUILD_BEGIN));
        CLADE_TRY(make_lists(heap));
    } else {
        snprintf(options, sizeof options, "-DCLADEI_BULK_GROUP=%u -DCLADEI_BULK_TILE=%u",
                 bulk->group, bulk->tile);
        CLADE_TRY(compile(heap, &bulk->build, "kernels/heap_front_build.cl", options,
                          BULK_BUILD_BEGIN, BULK_KERNELS));
    }
fail:
    return status;
}

/* After the queue has come to its end. */
void cladei_bulk_close(clade_heap *heap)
{
    struct cladei_bulk *bulk = &heap->bulk;
    if (bulk->take || bulk->build)
        (void)clFinish(heap->object.context->queue);
    for (int i = 0; i < BULK_KERNELS; i++)
        if (bulk->kernels[i])
            clReleaseKernel(bulk->kernels[i]);
    clade_program_destroy(&bulk->take);
    clade_program_destroy(&bulk->build);
    if (bulk->lists)
        clReleaseMemObject(bulk->lists);
    *bulk = (struct cladei_bulk) { 0 };
}

/* Groups for `items` of work in turns: enough for the device, and no more. */
static size_t groups_for(const clade_heap *heap, uint64_t items)
{
    const uint32_t units = heap->object.context->caps.compute_units;
    const uint64_t most = 8ull * (units ? units : 1);
    const uint64_t groups = (items + heap->bulk.group - 1) / heap->bulk.group;
    return (size_t)(groups < most ? groups : most);
}

clade_status cladei_bulk_pop(clade_heap *heap, struct cladei_run *run,
                             const struct cladei_view *keys, const struct cladei_view *values,
                             uint64_t count)
{
    clade_status status = CLADE_OK;
    const struct cladei_bulk *bulk = &heap->bulk;
    const cl_kernel *kernels = bulk->kernels;
    cl_mem mem = heap->object.mem, to = keys->mem, values_to = values->mem ? values->mem : mem;
    cl_ulong wanted = count;
    const size_t leaves = groups_for(heap, heap->front.count[CLADE_FRONT_POOL_LEAVES]);
    CLADE_TRY(CLADEI_SET_ARGS(kernels[BULK_TAKE_BEGIN], CLADEI_ARG(mem), CLADEI_ARG(bulk->lists),
                              CLADEI_ARG(wanted)));
    CLADE_TRY(cladei_run_kernel(run, kernels[BULK_TAKE_BEGIN], leaves, bulk->group));
    CLADE_TRY(CLADEI_SET_ARGS(kernels[BULK_TAKE_COUNT], CLADEI_ARG(mem), CLADEI_ARG(bulk->lists)));
    CLADE_TRY(cladei_run_kernel(run, kernels[BULK_TAKE_COUNT], leaves, bulk->group));
    CLADE_TRY(CLADEI_SET_ARGS(kernels[BULK_TAKE_PLACE], CLADEI_ARG(mem), CLADEI_ARG(bulk->lists),
                              CLADEI_ARG(wanted)));
    CLADE_TRY(cladei_run_kernel(run, kernels[BULK_TAKE_PLACE], leaves, bulk->group));
    CLADE_TRY(CLADEI_SET_ARGS(kernels[BULK_TAKE_MOVE], CLADEI_ARG(mem), CLADEI_ARG(bulk->lists),
                              CLADEI_ARG(wanted), CLADEI_ARG(to), CLADEI_ARG(keys->first),
                              CLADEI_ARG(values_to), CLADEI_ARG(values->first)));
    CLADE_TRY(cladei_run_kernel(run, kernels[BULK_TAKE_MOVE], groups_for(heap, UINT64_MAX / 2),
                                bulk->group));
    CLADE_TRY(CLADEI_SET_ARGS(kernels[BULK_TAKE_END], CLADEI_ARG(mem), CLADEI_ARG(bulk->lists),
                              CLADEI_ARG(wanted)));
    CLADE_TRY(cladei_run_kernel(run, kernels[BULK_TAKE_END], leaves, bulk->group));
fail:
    return status;
}

/* --- inserts --------------------------------------------------------------------------------- */

/* Buffers of one insert: its plan, and two of the call's size for keys and for values. They are
 * given back when all is enqueued, and the driver keeps them until it has run. */
enum { PLAN, KEYS, VALUES = KEYS + 2, BUFFERS = VALUES + 2 };

struct build {
    clade_heap *heap;
    struct cladei_run *run;
    const struct cladei_view *keys, *values;
    cl_uint count, rows, tiles; /* segments and tiles that a level may have */
    cl_mem buffers[BUFFERS];
};

static bool build_open(struct build *b)
{
    const struct cladei_front *front = &b->heap->front;
    const uint64_t n = b->count;
    const uint64_t bytes[BUFFERS] = {
        4ull * (CLADE_BULK_PLAN_WORDS + 2ull * b->rows * CLADE_BULK_S_WORDS + 2ull * b->tiles),
        n * front->key_bytes,
        n * front->key_bytes,
        n * front->value_bytes,
        n * front->value_bytes,
    };
    cl_int code = CL_SUCCESS;
    for (int i = 0; i < BUFFERS && code == CL_SUCCESS; i++)
        if (bytes[i] > 0)
            b->buffers[i] = clCreateBuffer(b->heap->object.context->cl, CL_MEM_READ_WRITE,
                                           (size_t)bytes[i], NULL, &code);
    return code == CL_SUCCESS;
}

static void build_close(struct build *b)
{
    for (int i = 0; i < BUFFERS; i++)
        if (b->buffers[i])
            clReleaseMemObject(b->buffers[i]);
}

/* Count, plan and move, for 8 bits of the keys. */
static clade_status build_level(struct build *b, cl_uint level)
{
    clade_status status = CLADE_OK;
    const struct cladei_bulk *bulk = &b->heap->bulk;
    const cl_kernel *kernels = bulk->kernels;
    const cl_uint raw = level == 0, from = (level + 1) % 2, to = level % 2;
    const cl_ulong first = raw ? b->keys->first : 0, values_first = raw ? b->values->first : 0;
    cl_mem mem = b->heap->object.mem, plan = b->buffers[PLAN];
    cl_mem keys = raw ? b->keys->mem : b->buffers[KEYS + from], to_keys = b->buffers[KEYS + to];
    const bool valued = b->heap->front.value_bytes > 0; /* or else a buffer that is not looked at */
    cl_mem values = !valued ? mem : raw ? b->values->mem : b->buffers[VALUES + from];
    cl_mem to_values = valued ? b->buffers[VALUES + to] : mem;
    const size_t groups = groups_for(b->heap, UINT64_MAX / 2);
    CLADE_TRY(CLADEI_SET_ARGS(kernels[BULK_BUILD_COUNT], CLADEI_ARG(plan), CLADEI_ARG(level),
                              CLADEI_ARG(b->rows), CLADEI_ARG(b->tiles), CLADEI_ARG(keys),
                              CLADEI_ARG(first), CLADEI_ARG(raw)));
    CLADE_TRY(cladei_run_kernel(b->run, kernels[BULK_BUILD_COUNT], groups, bulk->group));
    CLADE_TRY(CLADEI_SET_ARGS(kernels[BULK_BUILD_PLAN], CLADEI_ARG(mem), CLADEI_ARG(plan),
                              CLADEI_ARG(level), CLADEI_ARG(b->rows), CLADEI_ARG(b->tiles),
                              CLADEI_ARG(b->count)));
    CLADE_TRY(cladei_run_kernel(b->run, kernels[BULK_BUILD_PLAN],
                                b->rows < groups ? b->rows : groups, bulk->group));
    CLADE_TRY(CLADEI_SET_ARGS(kernels[BULK_BUILD_MOVE], CLADEI_ARG(mem), CLADEI_ARG(plan),
                              CLADEI_ARG(level), CLADEI_ARG(b->rows), CLADEI_ARG(b->tiles),
                              CLADEI_ARG(keys), CLADEI_ARG(first), CLADEI_ARG(values),
                              CLADEI_ARG(values_first), CLADEI_ARG(raw), CLADEI_ARG(to_keys),
                              CLADEI_ARG(to_values)));
    CLADE_TRY(cladei_run_kernel(b->run, kernels[BULK_BUILD_MOVE], groups, bulk->group));
fail:
    return status;
}

clade_status cladei_bulk_insert(clade_heap *heap, struct cladei_run *run,
                                const struct cladei_view *keys, const struct cladei_view *values,
                                uint64_t count)
{
    clade_status status = CLADE_OK;
    const struct cladei_bulk *bulk = &heap->bulk;
    const cl_kernel *kernels = bulk->kernels;
    struct build b = { .heap = heap, .run = run, .keys = keys, .values = values };
    cl_mem mem = heap->object.mem;
    b.count = (cl_uint)count; /* below 2^30 */
    b.rows = (cl_uint)CLADE_BULK_SEGMENTS_MAX(count, heap->front.leaf);
    b.tiles = (cl_uint)CLADE_BULK_TILES_MAX(count, heap->front.leaf, bulk->tile);
    if (build_open(&b)) {
        const size_t groups = groups_for(heap, heap->front.count[CLADE_FRONT_POOL_BLOCKS] / 32);
        CLADE_TRY(CLADEI_SET_ARGS(kernels[BULK_BUILD_BEGIN], CLADEI_ARG(mem),
                                  CLADEI_ARG(b.buffers[PLAN]), CLADEI_ARG(b.count),
                                  CLADEI_ARG(b.rows), CLADEI_ARG(b.tiles)));
        CLADE_TRY(cladei_run_kernel(run, kernels[BULK_BUILD_BEGIN], groups, bulk->group));
        for (cl_uint level = 0; level < heap->front.key_bytes; level++)
            CLADE_TRY(build_level(&b, level));
        CLADE_TRY(CLADEI_SET_ARGS(kernels[BULK_BUILD_END], CLADEI_ARG(mem),
                                  CLADEI_ARG(b.buffers[PLAN]), CLADEI_ARG(b.count)));
        CLADE_TRY(cladei_run_kernel(run, kernels[BULK_BUILD_END], groups, bulk->group));
    }
fail:
    build_close(&b);
    return status;
}

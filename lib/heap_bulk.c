/* SPDX-License-Identifier: Apache-2.0 */
/* Calls of the host API over many keys at once, for the front engine. They have the heap to
 * themselves, which work-groups that meet in it do not: docs/heap-front.md. The device decides
 * whether a call goes this way, so that nothing here waits for it; the engine's own kernel follows,
 * and does what is left. */
#include <stdio.h>
#include <string.h>

#include "clade/shared/heap_bulk.h"
#include "heap.h"

/* Fewer keys than these are no faster this way: it is a dozen of launches. */
enum { LEAST_CPU = 1 << 15, LEAST_GPU = 1 << 19 };

static const char *const names[BULK_KERNELS] = {
    "clade_heap_take_begin", "clade_heap_take_count", "clade_heap_take_place",
    "clade_heap_take_move",  "clade_heap_take_end",
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

/* Bytes of local memory: bulk_sorter in cl/heap_front_take.cl, and what a compiler may add. */
static uint64_t sorter_bytes(const clade_heap *heap, uint32_t group, uint32_t bins)
{
    const uint64_t leaf = heap->front.leaf, k = heap->front.key_bytes;
    return leaf * k + 2ull * group * k + 4ull * (bins + bins / 16) + 8ull * group +
           (heap->front.value_bytes ? 2 * leaf : 0) + 256;
}

static clade_status build(clade_heap *heap, uint32_t bins)
{
    clade_status status = CLADE_OK;
    struct cladei_bulk *bulk = &heap->bulk;
    char options[sizeof heap->options + 64];
    snprintf(options, sizeof options, "%s -DBULK_GROUP=%u -DBULK_BINS=%u", heap->options,
             bulk->group, bins);
    CLADE_TRY(
        cladei_program_build_own(&bulk->take, heap->object.context, "heap_front_take.cl", options));
    for (int i = 0; i < BULK_KERNELS; i++)
        CLADE_TRY(clade_program_kernel(&bulk->kernels[i], bulk->take, names[i]));
fail:
    return status;
}

clade_status cladei_bulk_open(clade_heap *heap, uint32_t group)
{
    clade_status status = CLADE_OK;
    clade_context *context = heap->object.context;
    const clade_caps *caps = &context->caps;
    struct cladei_bulk *bulk = &heap->bulk;
    const uint64_t least = caps->is_cpu ? LEAST_CPU : LEAST_GPU;
    cl_int code;
    if (heap->params.engine != CLADE_HEAP_FRONT || heap->params.capacity < least ||
        caps->loop_limit)
        return CLADE_OK;
    bulk->group = group ? group : group_for(context);
    uint32_t bins = heap->front.leaf;
    while (bins > bulk->group && sorter_bytes(heap, bulk->group, bins) > caps->local_bytes)
        bins /= 2;
    if (sorter_bytes(heap, bulk->group, bins) > caps->local_bytes)
        return CLADE_OK;
    CLADE_TRY(build(heap, bins));
    bulk->bytes =
        4ull * CLADE_BULK_TAKE_WORDS(heap->front.count[CLADE_FRONT_POOL_LEAVES],
                                     heap->front.count[CLADE_FRONT_POOL_DIRS], heap->front.leaf);
    bulk->lists = clCreateBuffer(context->cl, CL_MEM_READ_WRITE, (size_t)bulk->bytes, NULL, &code);
    CLADE_CL_CODE(code, "clCreateBuffer");
    bulk->least = least;
fail:
    return status;
}

/* After the queue has come to its end. */
void cladei_bulk_close(clade_heap *heap)
{
    struct cladei_bulk *bulk = &heap->bulk;
    if (bulk->take)
        (void)clFinish(heap->object.context->queue);
    for (int i = 0; i < BULK_KERNELS; i++)
        if (bulk->kernels[i])
            clReleaseKernel(bulk->kernels[i]);
    clade_program_destroy(&bulk->take);
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

clade_status cladei_bulk_delete(clade_heap *heap, struct cladei_run *run,
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

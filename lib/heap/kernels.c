/* SPDX-License-Identifier: Apache-2.0 */
/* The kernels of calls over arrays: compiled when a call first needs them. */
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "device/context.h"
#include "heap/heap.h"

static const char *const kernel_names[HEAP_KERNELS] = {
    "clade_heap_step", "clade_heap_scan",   "clade_heap_empty", "clade_heap_begin",
    "clade_heap_end",  "clade_heap_insert", "clade_heap_pop",   "clade_heap_first",
};
const struct cladei_kind cladei_heap_kind = {
    CLADE_HEAP_KIND, "the heap", { "kernels/heap.cl", kernel_names, HEAP_KERNELS }, NULL
};

/* CLADE_HEAP_PART, and what it has: a driver of a GPU compiles all of a program at once, a second
 * or more for each engine's insert or pop. One of a CPU compiles what is launched: each program
 * costs it a fifth of a second, and each kernel again what it has in common with others. */
struct part {
    unsigned number;
    size_t first, end;
};
static const struct part steps = { 4, HEAP_STEP, HEAP_BEGIN };
static const struct part whole = { 0, HEAP_SCAN, HEAP_KERNELS };
static const struct part parts[] = {
    { 1, HEAP_SCAN, HEAP_INSERT },
    { 2, HEAP_INSERT, HEAP_POP },
    { 3, HEAP_POP, HEAP_KERNELS },
};

void cladei_heap_choose(clade_heap *heap)
{
    const clade_heap_params *p = &heap->params;
    int length = snprintf(heap->options, sizeof heap->options,
                          "-DCLADE_HEAP_KEY_TYPE=%u -DCLADE_HEAP_VALUE_TYPE=%u "
                          "-DCLADE_HEAP_ORDER=%u -DCLADE_HEAP_BATCH=%u -DCLADE_HEAP_ENGINE=%u",
                          p->key, p->value, p->order, p->batch, p->engine);
    if (p->engine == CLADE_HEAP_FRONT)
        snprintf(heap->options + length, sizeof heap->options - (size_t)length,
                 " -DCLADE_HEAP_LEAF=%u", heap->front.leaf);
}

/* What the compiled kernel allows may be less than what the device allows: an empty run tells. (The
 * size that CL_KERNEL_WORK_GROUP_SIZE gives does not: NVIDIA's says 256 of kernels that it compiled
 * for 512.) */
static clade_status check_group_size(const clade_heap *heap, cl_kernel kernel)
{
    clade_status status = CLADE_OK;
    const clade_context *context = heap->object.context;
    const cl_mem mem = heap->object.mem;
    const cl_ulong zero = 0;
    const cl_uint nothing = 0;
    const size_t size = heap->params.group_size;
    if (kernel == heap->kernels[HEAP_STEP])
        CLADE_TRY(CLADEI_SET_ARGS(kernel, CLADEI_ARG(mem), CLADEI_ARG(mem), CLADEI_ARG(zero),
                                  CLADEI_ARG(mem), CLADEI_ARG(zero), CLADEI_ARG(zero),
                                  CLADEI_ARG(mem), CLADEI_ARG(zero), CLADEI_ARG(nothing),
                                  CLADEI_ARG(mem), CLADEI_ARG(mem), CLADEI_ARG(mem),
                                  CLADEI_ARG(mem), CLADEI_ARG(mem)));
    else
        CLADE_TRY(CLADEI_SET_ARGS(kernel, CLADEI_ARG(mem), CLADEI_ARG(mem), CLADEI_ARG(zero),
                                  CLADEI_ARG(mem), CLADEI_ARG(zero), CLADEI_ARG(zero)));
    cl_int code =
        clEnqueueNDRangeKernel(context->queue, kernel, 1, NULL, &size, &size, 0, NULL, NULL);
    CLADE_REQUIRE(code != CL_INVALID_WORK_GROUP_SIZE && code != CL_OUT_OF_RESOURCES, CLADE_E_ARG,
                  "group_size is %zu, and the heap's kernels allow less on %s", size,
                  context->info.name);
    CLADE_CL_CODE(code, "clEnqueueNDRangeKernel");
fail:
    return status;
}

static clade_status build(clade_heap *heap, const struct part *part)
{
    clade_status status = CLADE_OK;
    clade_context *context = heap->object.context;
    const bool front = heap->params.engine == CLADE_HEAP_FRONT;
    const size_t end = front || part->end < HEAP_FIRST ? part->end : HEAP_FIRST;
    const struct cladei_kernels which = { cladei_heap_kind.kernels.file, kernel_names + part->first,
                                          end - part->first };
    cl_kernel *kernels = heap->kernels + part->first;
    char options[sizeof heap->options + 96];
    snprintf(options, sizeof options,
             "%s -DCLADE_GROUP_SIZE=%u -DCLADE_HEAP_ROUNDS=%uu -DCLADE_HEAP_PART=%u", heap->options,
             heap->params.group_size,
             context->caps.loop_limit
                 ? cladei_heap_short_rounds(&heap->params, context->caps.loop_limit)
                 : UINT32_MAX,
             part->number);
    CLADE_TRY(cladei_kernels_build(kernels, &which, context, options));
    if (part->number == 2 || part->number == 3 || part->number == 4)
        status = check_group_size(heap, kernels[0]);
    if (status != CLADE_OK)
        cladei_kernels_release(kernels, which.count);
fail:
    return status;
}

bool cladei_heap_steps(const clade_heap *heap)
{
    return heap->object.context->caps.is_cpu && heap->params.engine != CLADE_HEAP_FRONT;
}

clade_status cladei_heap_need(clade_heap *heap, enum heap_kernel kernel)
{
    const struct part *part = parts;
    if (heap->kernels[cladei_heap_steps(heap) ? HEAP_STEP : kernel])
        return CLADE_OK;
    if (cladei_heap_steps(heap))
        return build(heap, &steps);
    if (heap->object.context->caps.is_cpu)
        return build(heap, &whole);
    while (part->end <= (size_t)kernel)
        part++;
    return build(heap, part);
}

clade_status cladei_heap_need_all(clade_heap *heap)
{
    clade_status status = CLADE_OK;
    CLADE_TRY(cladei_heap_need(heap, HEAP_BEGIN));
    CLADE_TRY(cladei_heap_need(heap, HEAP_INSERT));
    CLADE_TRY(cladei_heap_need(heap, HEAP_POP));
fail:
    return status;
}

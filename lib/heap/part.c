/* SPDX-License-Identifier: Apache-2.0 */
/* Objects of many heaps: one heap of them, and a look at all. A part is a heap of its own on a
 * sub-buffer, which borrows the kernels. */
#include <inttypes.h>
#include <stdlib.h>

#include "base/borrow.h"
#include "base/error.h"
#include "device/context.h"
#include "heap/heap.h"

clade_status cladei_heap_require_one(const clade_heap *heap)
{
    clade_status status = CLADE_OK;
    CLADE_REQUIRE(heap->params.heaps == 1, CLADE_E_ARG,
                  "the object holds %u heaps: clade_heap_part() gives one", heap->params.heaps);
fail:
    return status;
}

/* `*part` is heap `index`; its buffer is to be released. */
static clade_status open_part(clade_heap *part, const clade_heap *heap, uint32_t index)
{
    clade_status status = CLADE_OK;
    cl_int code;
    const uint64_t stride = heap->params.heaps > 1 ? cladei_heap_stride(heap) : heap->object.bytes;
    const cl_buffer_region region = { (size_t)(index * stride), (size_t)stride };
    *part = *heap;
    part->is_part = true;
    part->bulk = (struct cladei_bulk) { 0 }; /* whose kernels would have nobody to free them */
    part->sorted = (struct cladei_sorted) { 0 };
    part->params.heaps = 1;
    part->object.bytes = stride;
    part->object.mem = clCreateSubBuffer(heap->object.mem, CL_MEM_READ_WRITE,
                                         CL_BUFFER_CREATE_TYPE_REGION, &region, &code);
    CLADE_CL_CODE(code, "clCreateSubBuffer");
fail:
    return status;
}

clade_status clade_heap_part(clade_heap **out, clade_heap *heap, uint32_t index)
{
    clade_status status = CLADE_OK;
    clade_heap *part = NULL;
    CLADEI_PLACE(out, cladei_heap_kind.name);
    CLADE_REQUIRE(heap, CLADE_E_ARG, "the heap is NULL");
    CLADE_REQUIRE(!heap->is_part, CLADE_E_ARG, "the heap is a part of an object already");
    CLADE_REQUIRE(index < heap->params.heaps, CLADE_E_ARG, "heap %u of %u does not exist", index,
                  heap->params.heaps);
    CLADE_TRY(cladei_heap_need_all(heap)); /* which a part borrows */
    part = malloc(sizeof *part);
    CLADE_NO_MEMORY(part);
    CLADE_TRY(open_part(part, heap, index));
    part->whole = heap;
    cladei_hold(&heap->borrowers);
    cladei_hold(&part->object.context->borrowers);
    *out = part;
    return CLADE_OK;

fail:
    free(part);
    return status;
}

clade_status cladei_heap_for_parts(clade_heap *heap,
                                   clade_status (*each)(clade_heap *part, void *data), void *data)
{
    clade_status status = CLADE_OK;
    if (heap->params.heaps == 1)
        return each(heap, data);
    for (uint32_t i = 0; i < heap->params.heaps && status == CLADE_OK; i++) {
        clade_heap part;
        CLADE_TRY(open_part(&part, heap, i));
        status = each(&part, data);
        clReleaseMemObject(part.object.mem);
    }
fail:
    return status;
}

static clade_status add_size(clade_heap *part, void *data)
{
    uint64_t size = 0, *sum = data;
    const clade_status status = clade_heap_size(part, &size);
    *sum += size;
    return status;
}

clade_status cladei_heap_size_of_all(clade_heap *heap, uint64_t *size)
{
    clade_status status = CLADE_OK;
    uint64_t sum = 0;
    CLADE_TRY(cladei_heap_for_parts(heap, add_size, &sum));
    *size = sum;
fail:
    return status;
}

static clade_status add_stats(clade_heap *part, void *data)
{
    clade_heap_stats it = { 0 }, *sum = data;
    const clade_status status = clade_heap_stats_read(part, &it);
    sum->size += it.size;
    sum->capacity += it.capacity;
    sum->inserts += it.inserts;
    sum->pops += it.pops;
    sum->refused += it.refused;
    sum->lock_retries += it.lock_retries;
    sum->cooperations += it.cooperations;
    sum->bytes += it.bytes;
    return status;
}

clade_status cladei_heap_stats_of_all(clade_heap *heap, clade_heap_stats *stats)
{
    clade_status status = CLADE_OK;
    clade_heap_stats sum = { 0 };
    CLADE_TRY(cladei_heap_for_parts(heap, add_stats, &sum));
    *stats = sum;
fail:
    return status;
}

static clade_status check_part(clade_heap *part, void *data)
{
    (void)data;
    return clade_heap_check(part);
}

clade_status cladei_heap_check_all(clade_heap *heap)
{
    return cladei_heap_for_parts(heap, check_part, NULL);
}

static clade_status repair_part(clade_heap *part, void *data)
{
    (void)data;
    return clade_heap_repair(part);
}

clade_status cladei_heap_repair_all(clade_heap *heap)
{
    return cladei_heap_for_parts(heap, repair_part, NULL);
}

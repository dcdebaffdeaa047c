/* SPDX-License-Identifier: Apache-2.0 */
/* The caller's arrays and page-locked memory of the host. */
#include <inttypes.h>
#include <string.h>

#include "mpi/arrays.h"

/* A buffer that stays mapped: so the driver has locked its pages. */
static clade_status make(struct cladei_mpi_stage *stage, clade_context *context, cl_mem_flags flags,
                         void *memory, uint64_t bytes)
{
    clade_status status = CLADE_OK;
    cl_int code;
    cladei_mpi_stage_free(stage, context);
    stage->mem = clCreateBuffer(clade_context_cl_context(context), CL_MEM_READ_WRITE | flags,
                                (size_t)bytes, memory, &code);
    CLADEM_CL(code);
    stage->host =
        clEnqueueMapBuffer(clade_context_cl_queue(context), stage->mem, CL_TRUE,
                           CL_MAP_READ | CL_MAP_WRITE, 0, (size_t)bytes, 0, NULL, NULL, &code);
    CLADEM_CL(code);
    stage->bytes = bytes;
    return CLADE_OK;

fail:
    cladei_mpi_stage_free(stage, context);
    return status;
}

clade_status cladei_mpi_stage_reserve(struct cladei_mpi_stage *stage, clade_context *context,
                                      uint64_t bytes)
{
    if (bytes <= stage->bytes)
        return CLADE_OK;
    return make(stage, context, CL_MEM_ALLOC_HOST_PTR, NULL, bytes);
}

clade_status cladei_mpi_stage_wrap(struct cladei_mpi_stage *stage, clade_context *context,
                                   void *memory, uint64_t bytes)
{
    return make(stage, context, CL_MEM_USE_HOST_PTR, memory, bytes);
}

void cladei_mpi_stage_free(struct cladei_mpi_stage *stage, clade_context *context)
{
    if (stage->host)
        clEnqueueUnmapMemObject(clade_context_cl_queue(context), stage->mem, stage->host, 0, NULL,
                                NULL);
    if (stage->mem) {
        (void)!clade_finish(context); /* the caller's failure, if there is one, came before */
        clReleaseMemObject(stage->mem);
    }
    *stage = (struct cladei_mpi_stage) { 0 };
}

clade_status cladei_mpi_array_check(clade_context *context, clade_array array, uint64_t count,
                                    uint64_t bytes, const char *name)
{
    clade_status status = CLADE_OK;
    cl_context its = NULL;
    size_t size = 0;
    if (count == 0)
        return CLADE_OK;
    CLADEM_REQUIRE(cladei_mpi_is_given(array), CLADE_E_ARG, "there is no array %s", name);
    CLADEM_REQUIRE(!array.host || !array.mem, CLADE_E_ARG,
                   "%s lies in host memory and in device memory", name);
    if (!array.mem)
        return CLADE_OK;
    CLADEM_REQUIRE(array.offset % bytes == 0, CLADE_E_ARG,
                   "the offset %zu of %s is no multiple of its element's %" PRIu64 " bytes",
                   array.offset, name, bytes);
    CLADEM_CL(clGetMemObjectInfo(array.mem, CL_MEM_CONTEXT, sizeof its, &its, NULL));
    CLADEM_REQUIRE(its == clade_context_cl_context(context), CLADE_E_ARG,
                   "the buffer of %s is of another OpenCL context", name);
    CLADEM_CL(clGetMemObjectInfo(array.mem, CL_MEM_SIZE, sizeof size, &size, NULL));
    CLADEM_REQUIRE(array.offset <= size && count <= (size - array.offset) / bytes, CLADE_E_ARG,
                   "the buffer of %s is too small for %" PRIu64 " elements", name, count);
fail:
    return status;
}

clade_status cladei_mpi_array_make(cl_mem *mem, clade_context *context, uint64_t bytes)
{
    clade_status status = CLADE_OK;
    cl_int code;
    *mem = clCreateBuffer(clade_context_cl_context(context), CL_MEM_READ_WRITE, (size_t)bytes + 8,
                          NULL, &code);
    CLADEM_CL(code);
fail:
    return status;
}

clade_status cladei_mpi_array_upload(cl_mem *mem, clade_context *context, const void *from,
                                     uint64_t bytes)
{
    clade_status status = CLADE_OK;
    CLADEM_TRY(cladei_mpi_array_make(mem, context, bytes));
    CLADEM_TRY(cladei_mpi_array_write(context, clade_device(*mem, 0), from, bytes));
fail:
    return status;
}

/* Whether the caller made the buffer so that the host may not do something with it. Such a one is
 * copied on the device. */
static bool is_closed(cl_mem mem, cl_mem_flags to)
{
    cl_mem_flags flags = 0;
    return clGetMemObjectInfo(mem, CL_MEM_FLAGS, sizeof flags, &flags, NULL) == CL_SUCCESS &&
           (flags & to);
}

static clade_status read_by_copy(clade_context *context, clade_array array, void *to,
                                 uint64_t bytes)
{
    clade_status status = CLADE_OK;
    cl_mem copy = NULL;
    CLADEM_TRY(cladei_mpi_array_make(&copy, context, bytes));
    CLADEM_TRY(cladei_mpi_array_bring(context, array, copy, bytes));
    CLADEM_TRY(cladei_mpi_array_read(context, clade_device(copy, 0), to, bytes));
fail:
    if (copy)
        clReleaseMemObject(copy);
    return status;
}

static clade_status write_by_copy(clade_context *context, clade_array array, const void *from,
                                  uint64_t bytes)
{
    clade_status status = CLADE_OK;
    cl_mem copy = NULL;
    CLADEM_TRY(cladei_mpi_array_upload(&copy, context, from, bytes));
    CLADEM_TRY(cladei_mpi_array_fill(context, array, copy, 0, bytes));
fail:
    if (copy)
        clReleaseMemObject(copy);
    return status;
}

clade_status cladei_mpi_array_read(clade_context *context, clade_array array, void *to,
                                   uint64_t bytes)
{
    clade_status status = CLADE_OK;
    if (bytes == 0)
        return CLADE_OK;
    if (array.host)
        memcpy(to, array.host, (size_t)bytes);
    else if (is_closed(array.mem, CL_MEM_HOST_NO_ACCESS | CL_MEM_HOST_WRITE_ONLY))
        CLADEM_TRY(read_by_copy(context, array, to, bytes));
    else
        CLADEM_CL(clEnqueueReadBuffer(clade_context_cl_queue(context), array.mem, CL_TRUE,
                                      array.offset, (size_t)bytes, to, 0, NULL, NULL));
fail:
    return status;
}

clade_status cladei_mpi_array_write(clade_context *context, clade_array array, const void *from,
                                    uint64_t bytes)
{
    clade_status status = CLADE_OK;
    if (bytes == 0 || !cladei_mpi_is_given(array))
        return CLADE_OK;
    if (array.host)
        memcpy(array.host, from, (size_t)bytes);
    else if (is_closed(array.mem, CL_MEM_HOST_NO_ACCESS | CL_MEM_HOST_READ_ONLY))
        CLADEM_TRY(write_by_copy(context, array, from, bytes));
    else
        CLADEM_CL(clEnqueueWriteBuffer(clade_context_cl_queue(context), array.mem, CL_TRUE,
                                       array.offset, (size_t)bytes, from, 0, NULL, NULL));
fail:
    return status;
}

clade_status cladei_mpi_array_fill(clade_context *context, clade_array array, cl_mem from,
                                   uint64_t offset, uint64_t bytes)
{
    clade_status status = CLADE_OK;
    cl_command_queue queue = clade_context_cl_queue(context);
    if (bytes == 0)
        return CLADE_OK;
    if (array.host)
        CLADEM_CL(clEnqueueReadBuffer(queue, from, CL_TRUE, (size_t)offset, (size_t)bytes,
                                      array.host, 0, NULL, NULL));
    else
        CLADEM_CL(clEnqueueCopyBuffer(queue, from, array.mem, (size_t)offset, array.offset,
                                      (size_t)bytes, 0, NULL, NULL));
    CLADEM_TRY(clade_finish(context));
fail:
    return status;
}

clade_status cladei_mpi_array_bring(clade_context *context, clade_array array, cl_mem to,
                                    uint64_t bytes)
{
    clade_status status = CLADE_OK;
    cl_command_queue queue = clade_context_cl_queue(context);
    if (array.host || bytes == 0)
        return cladei_mpi_array_write(context, clade_device(to, 0), array.host, bytes);
    CLADEM_CL(
        clEnqueueCopyBuffer(queue, array.mem, to, array.offset, 0, (size_t)bytes, 0, NULL, NULL));
    CLADEM_TRY(clade_finish(context));
fail:
    return status;
}

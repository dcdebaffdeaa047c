/* SPDX-License-Identifier: Apache-2.0 */
/* Array arguments, the stretch of queue that one call uses, and its scratch memory. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/reserved.h"
#include "device/context.h"
#include "device/queue.h"
#include "device/wait.h"
#include "object/launch.h"

/* An event of a launch. A handle of another platform can be asked, too, for the loader finds the
 * driver by the handle; to wait for it crashes some drivers. To wait for a command that has failed
 * never ends with some; with others the work is done, on what the command did not write. */
static clade_status check_event(cl_event event, cl_uint number, cl_context ours)
{
    clade_status status = CLADE_OK;
    cl_context its = NULL;
    cl_int state = CL_COMPLETE;
    const cl_int code = clGetEventInfo(event, CL_EVENT_CONTEXT, sizeof its, &its, NULL);
    CLADE_REQUIRE(code != CL_INVALID_EVENT, CLADE_E_ARG, "event %u of the wait list is none",
                  number);
    CLADE_CL_CODE(code, "clGetEventInfo");
    CLADE_REQUIRE(its == ours, CLADE_E_ARG,
                  "event %u of the wait list is of another OpenCL context", number);
    CLADE_CL(clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof state, &state, NULL));
    CLADE_CL_CODE(state < 0 ? state : CL_SUCCESS, "a command of the wait list");
fail:
    return status;
}

static clade_status check_wait_list(const clade_launch *launch, cl_context ours)
{
    clade_status status = CLADE_OK;
    CLADE_REQUIRE(launch->wait_count == 0 || launch->wait, CLADE_E_ARG,
                  "the launch has a wait count but no wait list");
    for (cl_uint i = 0; i < launch->wait_count; i++)
        CLADE_TRY(check_event(launch->wait[i], i, ours));
fail:
    return status;
}

clade_status cladei_run_begin(struct cladei_run *run, clade_context *context,
                              const clade_launch *launch)
{
    clade_status status = CLADE_OK;
    *run = (struct cladei_run) { .context = context, .queue = context->queue };
    if (!launch)
        return CLADE_OK;
    CLADE_TRY(CLADEI_RESERVED_CHECK(launch, "clade_launch"));
    CLADE_TRY(check_wait_list(launch, context->cl));
    if (launch->queue) {
        CLADE_TRY(cladei_queue_check(launch->queue, context->cl, context->device));
        run->queue = launch->queue;
    }
    run->event = launch->event;
    run->wait = launch->wait;
    run->wait_count = launch->wait_count;
fail:
    return status;
}

clade_status cladei_run_start(struct cladei_run *run)
{
    clade_status status = CLADE_OK;
    if (run->wait_count > 0)
        CLADE_CL(clEnqueueBarrierWithWaitList(run->queue, run->wait_count, run->wait, NULL));
    run->wait_count = 0;
    run->is_started = true;
    for (struct cladei_view *view; (view = run->inputs);) {
        run->inputs = view->next;
        CLADE_CL(clEnqueueWriteBuffer(run->queue, view->mem, CL_TRUE, 0, view->bytes, view->from, 0,
                                      NULL, NULL));
    }
fail:
    return status;
}

static clade_status check_device_array(cl_context ours, clade_array array, size_t bytes,
                                       size_t element_bytes, const char *name)
{
    clade_status status = CLADE_OK;
    cl_context its = NULL;
    size_t size = 0;
    CLADE_REQUIRE(!array.host, CLADE_E_ARG, "%s lies in host and device memory at once", name);
    CLADE_REQUIRE(array.offset % element_bytes == 0, CLADE_E_ARG,
                  "the offset %zu of %s is no multiple of its element's %zu bytes", array.offset,
                  name, element_bytes);
    CLADE_CL(clGetMemObjectInfo(array.mem, CL_MEM_CONTEXT, sizeof its, &its, NULL));
    CLADE_REQUIRE(its == ours, CLADE_E_ARG, "the buffer of %s is of another OpenCL context", name);
    CLADE_CL(clGetMemObjectInfo(array.mem, CL_MEM_SIZE, sizeof size, &size, NULL));
    CLADE_REQUIRE(array.offset <= size && bytes <= size - array.offset, CLADE_E_ARG,
                  "%s needs %zu bytes from offset %zu on, its buffer has %zu", name, bytes,
                  array.offset, size);
fail:
    return status;
}

clade_status cladei_array_check(const struct cladei_run *run, clade_array array, uint64_t count,
                                size_t element_bytes, const char *name)
{
    clade_status status = CLADE_OK;
    CLADE_REQUIRE(count <= SIZE_MAX / 16, CLADE_E_ARG, "the count %" PRIu64 " is too large", count);
    if (array.mem)
        CLADE_TRY(check_device_array(run->context->cl, array, (size_t)count * element_bytes,
                                     element_bytes, name));
fail:
    return status;
}

clade_status cladei_view_open(struct cladei_view *view, struct cladei_run *run, clade_array array,
                              uint64_t count, size_t element_bytes, enum cladei_direction direction,
                              const char *name)
{
    clade_status status = CLADE_OK;
    cl_int code;
    *view = (struct cladei_view) { .bytes = (size_t)count * element_bytes };
    CLADE_TRY(cladei_array_check(run, array, count, element_bytes, name));
    if (array.mem) {
        view->mem = array.mem;
        view->first = array.offset / element_bytes;
        return CLADE_OK;
    }
    if (!array.host)
        return CLADE_OK;
    run->blocking = true;
    view->mem = clCreateBuffer(run->context->cl, CL_MEM_READ_WRITE, view->bytes ? view->bytes : 1,
                               NULL, &code);
    CLADE_CL_CODE(code, "clCreateBuffer");
    view->owned = true;
    if (direction != CLADEI_IN)
        view->host = array.host;
    if (direction != CLADEI_OUT && view->bytes > 0) {
        view->from = array.host;
        view->next = run->inputs;
        run->inputs = view;
    }
    return CLADE_OK;

fail:
    cladei_view_close(view);
    return status;
}

clade_status cladei_view_finish(struct cladei_view *view, struct cladei_run *run)
{
    clade_status status = CLADE_OK;
    CLADE_TRY(cladei_run_start(run));
    if (view->host && view->bytes > 0)
        CLADE_CL(clEnqueueReadBuffer(run->queue, view->mem, CL_TRUE, 0, view->bytes, view->host, 0,
                                     NULL, NULL));
fail:
    return status;
}

void cladei_view_close(struct cladei_view *view)
{
    if (view->owned && view->mem)
        clReleaseMemObject(view->mem);
    *view = (struct cladei_view) { 0 };
}

clade_status cladei_run_end(struct cladei_run *run)
{
    clade_status status = CLADE_OK;
    cl_event event = NULL;
    CLADE_TRY(cladei_run_start(run));
    if (run->event)
        CLADE_CL(clEnqueueMarkerWithWaitList(run->queue, 0, NULL, &event));
    if (run->blocking)
        CLADE_TRY(cladei_queue_finish(run->context, run->queue));
    else
        CLADE_CL(clFlush(run->queue));
    if (run->event)
        *run->event = event;
    return CLADE_OK;

fail:
    if (event)
        clReleaseEvent(event);
    return status;
}

clade_status cladei_run_kernel(struct cladei_run *run, cl_kernel kernel, size_t groups,
                               size_t group_size)
{
    clade_status status = CLADE_OK;
    clade_context *context = run->context;
    const bool is_expected = context->sleeps_early && run->queue == context->queue;
    const bool is_narrow = is_expected && groups == 1;
    const size_t items = groups * group_size;
    cl_event event = NULL;
    CLADE_TRY(cladei_run_start(run));
    CLADE_CL(clEnqueueNDRangeKernel(run->queue, kernel, 1, NULL, &items, &group_size, 0, NULL,
                                    context->on_launch || is_narrow ? &event : NULL));
    if (context->on_launch && event)
        context->on_launch(context->on_launch_data, kernel, event);
    if (is_expected)
        cladei_wait_expect(context, is_narrow ? event : NULL);
    if (event && !is_narrow)
        clReleaseEvent(event);
fail:
    return status;
}

clade_status cladei_run_items(struct cladei_run *run, cl_kernel kernel, uint64_t items,
                              size_t group_size)
{
    const size_t most = run->context->caps.group_size_max;
    const size_t group = group_size < most ? group_size : most;
    return cladei_run_kernel(run, kernel, (size_t)((items + group - 1) / group), group);
}

clade_status cladei_set_args(cl_kernel kernel, const struct cladei_arg *args, size_t count)
{
    clade_status status = CLADE_OK;
    for (size_t i = 0; i < count; i++)
        CLADE_CL(clSetKernelArg(kernel, (cl_uint)i, args[i].size, args[i].value));
fail:
    return status;
}

void cladei_scratch_drop(struct cladei_scratch *scratch)
{
    if (scratch->mem)
        clReleaseMemObject(scratch->mem);
    *scratch = (struct cladei_scratch) { 0 };
}

clade_status cladei_scratch_reserve(struct cladei_scratch *scratch, clade_context *context,
                                    uint64_t bytes)
{
    clade_status status = CLADE_OK;
    cl_int code;
    void *zeros = NULL;
    if (bytes < 16)
        bytes = 16;
    if (bytes <= scratch->bytes)
        return CLADE_OK;
    CLADE_REQUIRE(bytes <= context->caps.alloc_bytes_max, CLADE_E_ARG,
                  "scratch memory of %" PRIu64 " bytes is needed; the limit of %s is %" PRIu64,
                  bytes, context->info.name, context->caps.alloc_bytes_max);
    /* Counters start from 0 (lib/kselect/parts.c). And oclgrind calls some words uninitialized
     * that kernels did store. */
    if (bytes <= 1 << 20) {
        zeros = calloc(1, (size_t)bytes);
        CLADE_NO_MEMORY(zeros);
    }
    cladei_scratch_drop(scratch);
    scratch->mem =
        clCreateBuffer(context->cl, CL_MEM_READ_WRITE | (zeros ? CL_MEM_COPY_HOST_PTR : 0),
                       (size_t)bytes, zeros, &code);
    CLADE_CL_CODE(code, "clCreateBuffer");
    scratch->bytes = bytes;
fail:
    free(zeros);
    return status;
}

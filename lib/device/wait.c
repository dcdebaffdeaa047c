/* SPDX-License-Identifier: Apache-2.0 */
/* Waits for the end of what a caller wants soon, by looking before the host sleeps. */
#include <sched.h>
#include <string.h>
#include <time.h>

#include "base/error.h"
#include "device/context.h"
#include "device/queue.h"
#include "device/wait.h"

/* A launch and a kernel of 80 us: after a longer one the host may as well sleep. */
enum { LOOK_NS = 100000 };

bool cladei_sleeps_early(const char *platform, const clade_caps *caps)
{
    return caps->is_cpu && strstr(platform, "Portable Computing Language");
}

static int64_t now_ns(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

/* Until the event is done or has failed, but not for long. The driver's threads come first, where
 * there are no more cores than they take. */
static cl_int look(cl_command_queue queue, cl_event event)
{
    const int64_t start = now_ns();
    cl_int state = CL_QUEUED, code = clFlush(queue);
    while (code == CL_SUCCESS && state > CL_COMPLETE && now_ns() - start < LOOK_NS) {
        sched_yield();
        code = clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof state, &state, NULL);
    }
    return code;
}

void cladei_queue_leave(clade_context *context, cl_command_queue queue)
{
    if (context->sleeps_early && queue == context->queue)
        __atomic_store_n(&context->has_left, true, __ATOMIC_RELAXED);
}

/* At what comes after all that is in the queue. */
static cl_int look_at_end(cl_command_queue queue)
{
    cl_event end = NULL;
    cl_int code = clEnqueueMarkerWithWaitList(queue, 0, NULL, &end);
    if (code == CL_SUCCESS)
        code = look(queue, end);
    if (end)
        clReleaseEvent(end);
    return code;
}

clade_status cladei_queue_await(clade_context *context)
{
    clade_status status = CLADE_OK;
    const bool looks = __atomic_exchange_n(&context->has_left, false, __ATOMIC_RELAXED);
    const cl_int looked = looks ? look_at_end(context->queue) : CL_SUCCESS;
    CLADE_TRY(cladei_queue_finish(context, context->queue));
    CLADE_CL_CODE(looked, "clEnqueueMarkerWithWaitList");
fail:
    return status;
}

/* After this nothing touches the host's memory any more. */
static clade_status wait_for(const clade_context *context, cl_command_queue queue, cl_event event)
{
    clade_status status = CLADE_OK;
    const cl_int looked = look(queue, event);
    const cl_int waited = clWaitForEvents(1, &event);
    clReleaseEvent(event);
    if (waited != CL_SUCCESS)
        cladei_queue_settle(context, queue);
    CLADE_CL_CODE(waited, "clWaitForEvents");
    CLADE_CL_CODE(looked, "clGetEventInfo");
fail:
    return status;
}

clade_status cladei_queue_read(const clade_context *context, cl_command_queue queue, cl_mem mem,
                               size_t offset, size_t bytes, void *to)
{
    clade_status status = CLADE_OK;
    const bool looks = context->sleeps_early;
    cl_event event = NULL;
    CLADE_CL(
        clEnqueueReadBuffer(queue, mem, !looks, offset, bytes, to, 0, NULL, looks ? &event : NULL));
    if (looks)
        CLADE_TRY(wait_for(context, queue, event));
fail:
    return status;
}

clade_status cladei_queue_write(const clade_context *context, cl_command_queue queue, cl_mem mem,
                                size_t offset, size_t bytes, const void *from)
{
    clade_status status = CLADE_OK;
    const bool looks = context->sleeps_early;
    cl_event event = NULL;
    CLADE_CL(clEnqueueWriteBuffer(queue, mem, !looks, offset, bytes, from, 0, NULL,
                                  looks ? &event : NULL));
    if (looks)
        CLADE_TRY(wait_for(context, queue, event));
fail:
    return status;
}

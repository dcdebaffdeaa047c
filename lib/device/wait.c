/* SPDX-License-Identifier: Apache-2.0 */
/* The wait for what calls have left in the queue, by looking before the host sleeps. */
#include <sched.h>
#include <string.h>
#include <time.h>

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
static void look(cl_event event)
{
    const int64_t start = now_ns();
    cl_int state = CL_QUEUED, code = CL_SUCCESS;
    while (code == CL_SUCCESS && state > CL_COMPLETE && now_ns() - start < LOOK_NS) {
        sched_yield();
        code = clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof state, &state, NULL);
    }
}

/* At what comes after all that is in the queue. Who cannot look sleeps: that is no failure. */
static void look_at_end(cl_command_queue queue)
{
    cl_event end = NULL;
    if (clEnqueueMarkerWithWaitList(queue, 0, NULL, &end) != CL_SUCCESS)
        return;
    if (clFlush(queue) == CL_SUCCESS)
        look(end);
    clReleaseEvent(end);
}

void cladei_queue_leave(clade_context *context, cl_command_queue queue)
{
    if (context->sleeps_early && queue == context->queue)
        __atomic_store_n(&context->has_left, true, __ATOMIC_RELAXED);
}

clade_status cladei_queue_await(clade_context *context)
{
    if (__atomic_exchange_n(&context->has_left, false, __ATOMIC_RELAXED))
        look_at_end(context->queue);
    return cladei_queue_finish(context, context->queue);
}

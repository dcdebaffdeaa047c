/* SPDX-License-Identifier: Apache-2.0 */
/* The wait for what calls have left in the queue, by looking before the host sleeps. */
#include <sched.h>
#include <string.h>
#include <time.h>

#include "device/context.h"
#include "device/queue.h"
#include "device/wait.h"

/* A launch and a kernel of 180 us: after a longer one the host may as well sleep. */
enum { LOOK_NS = 200000 };

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
 * there are no more cores than they take. Who cannot look sleeps: that is no failure. */
static void look(cl_event event)
{
    const int64_t start = now_ns();
    cl_int state = CL_QUEUED, code = CL_SUCCESS;
    while (code == CL_SUCCESS && state > CL_COMPLETE && now_ns() - start < LOOK_NS) {
        sched_yield();
        code = clGetEventInfo(event, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof state, &state, NULL);
    }
}

/* The event that is there becomes the caller's. It acquires what the thread that brought it did. */
static cl_event swap(clade_context *context, cl_event event)
{
    return __atomic_exchange_n(&context->last, event, __ATOMIC_ACQ_REL);
}

void cladei_wait_expect(clade_context *context, cl_event event)
{
    const cl_event before = swap(context, event);
    if (before)
        clReleaseEvent(before);
    if (!event)
        __atomic_store_n(&context->is_wide, true, __ATOMIC_RELAXED);
}

clade_status cladei_wait(clade_context *context)
{
    const cl_event last = swap(context, NULL);
    const bool is_wide = __atomic_exchange_n(&context->is_wide, false, __ATOMIC_RELAXED);
    if (last && !is_wide)
        look(last);
    if (last)
        clReleaseEvent(last);
    return cladei_queue_finish(context, context->queue);
}

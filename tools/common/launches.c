/* SPDX-License-Identifier: Apache-2.0 */
#include "common/launches.h"

#include <stdlib.h>

void launches_add(void *data, cl_kernel kernel, cl_event event)
{
    struct launches *l = data;
    if (!l->records)
        return;
    if (l->count == l->room) {
        const size_t room = l->room ? 2 * l->room : 256;
        struct launch *all = realloc(l->all, room * sizeof *all);
        if (!all) {
            l->lost = true;
            return;
        }
        l->all = all;
        l->room = room;
    }
    clRetainKernel(kernel);
    clRetainEvent(event);
    l->all[l->count++] = (struct launch) { kernel, event };
}

void launches_forget(struct launches *l)
{
    for (size_t i = 0; i < l->count; i++) {
        clReleaseEvent(l->all[i].event);
        clReleaseKernel(l->all[i].kernel);
    }
    l->count = 0;
}

void launches_free(struct launches *l)
{
    launches_forget(l);
    free(l->all);
    *l = (struct launches) { .count = 0 };
}

bool launch_ms(const struct launch *launch, double *ms)
{
    cl_ulong start = 0, end = 0;
    const bool known = clGetEventProfilingInfo(launch->event, CL_PROFILING_COMMAND_START,
                                               sizeof start, &start, NULL) == CL_SUCCESS &&
                       clGetEventProfilingInfo(launch->event, CL_PROFILING_COMMAND_END, sizeof end,
                                               &end, NULL) == CL_SUCCESS;
    *ms = end > start ? 1e-6 * (double)(end - start) : 0;
    return known;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Arrays and launches: one call's stretch of work on a queue. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "clade/array.h"
#include "clade/context.h"

/* One array argument of a call, as a buffer that a kernel can take. */
struct cladei_view {
    cl_mem mem;     /* NULL: the argument was not given */
    cl_ulong first; /* the first element's index in `mem` */
    void *host;     /* read back to here by cladei_view_finish(), or NULL */
    size_t bytes;
    bool owned;
    const void *from;         /* host memory that is to be written to `mem`, */
    struct cladei_view *next; /* and the next view of which this is so */
};

/* INOUT: what the call does not write stays as it was. */
enum cladei_direction { CLADEI_IN, CLADEI_OUT, CLADEI_INOUT };

/* One call's stretch of work on a queue. */
struct cladei_run {
    clade_context *context;
    cl_command_queue queue;
    cl_event *event;
    const cl_event *wait; /* the launch's wait list, until the first command */
    cl_uint wait_count;
    bool is_started;            /* something of the call may be in the queue */
    bool blocking;              /* some argument lies in host memory */
    struct cladei_view *inputs; /* what is written there before the first command */
};

static inline bool cladei_is_given(clade_array array)
{
    return array.host || array.mem;
}

/* All that the call does to its object goes through run->queue, after the launch's wait list. Here
 * nothing is enqueued: a call that is refused for its arrays leaves nothing behind that waits. */
clade_status cladei_run_begin(struct cladei_run *run, clade_context *context,
                              const clade_launch *launch);
/* Call this before each command. Before the first one it enqueues the wait list, and then what
 * arrays in host memory hold. The functions here that take a run call it. Others that use
 * run->queue must call it themselves, but not before all arrays are open. */
clade_status cladei_run_start(struct cladei_run *run);
/* Whether an array can be opened, which is looked at again then. */
clade_status cladei_array_check(const struct cladei_run *run, clade_array array, uint64_t count,
                                size_t element_bytes, const char *name);
/* `name` is the parameter's, for messages. An array that is not given becomes an empty view. The
 * view stays where it is until the run has started. */
clade_status cladei_view_open(struct cladei_view *view, struct cladei_run *run, clade_array array,
                              uint64_t count, size_t element_bytes, enum cladei_direction direction,
                              const char *name);
clade_status cladei_view_finish(struct cladei_view *view, struct cladei_run *run);
void cladei_view_close(struct cladei_view *view);
clade_status cladei_run_end(struct cladei_run *run);
/* Enqueue a one-dimensional kernel of `groups` work-groups. */
clade_status cladei_run_kernel(struct cladei_run *run, cl_kernel kernel, size_t groups,
                               size_t group_size);
/* The same over at least `items` work-items, in groups of `group_size` where the device allows so
 * many, and of as many as it allows elsewhere. */
clade_status cladei_run_items(struct cladei_run *run, cl_kernel kernel, uint64_t items,
                              size_t group_size);

/* Set kernel arguments by position. */
struct cladei_arg {
    size_t size;
    const void *value;
};
clade_status cladei_set_args(cl_kernel kernel, const struct cladei_arg *args, size_t count);
#define CLADEI_ARG(variable)          \
    {                                 \
        sizeof(variable), &(variable) \
    }
#define CLADEI_LOCAL(bytes) \
    {                       \
        (bytes), NULL       \
    }
#define CLADEI_SET_ARGS(kernel, ...)                                       \
    cladei_set_args((kernel), (const struct cladei_arg[]) { __VA_ARGS__ }, \
                    sizeof((const struct cladei_arg[]) { __VA_ARGS__ }) /  \
                        sizeof(struct cladei_arg))

/* Memory that is kept between runs and grows; its content is a run's own. Of at most 1 MiB it
 * starts as zeros. */
struct cladei_scratch {
    cl_mem mem;
    uint64_t bytes;
};
/* At least `bytes`, 16 at the least. */
clade_status cladei_scratch_reserve(struct cladei_scratch *scratch, clade_context *context,
                                    uint64_t bytes);
/* Give it back; work that uses it keeps it alive. */
void cladei_scratch_drop(struct cladei_scratch *scratch);

/* SPDX-License-Identifier: Apache-2.0 */
/* Arrays and launches: how data and order are passed to every call that works on many elements. */
#pragma once

#include <stddef.h>

#include "clade/export.h"
#include <CL/cl.h>

#ifdef __cplusplus
extern "C" {
#endif

/* An array in host memory, or in a buffer from a byte offset on. A small value: pass it as it is.
 * Whether it is read or written, and its length, is said by the function that takes it. */
typedef struct clade_array {
    void *host;    /* host memory, or NULL */
    cl_mem mem;    /* device memory, or NULL */
    size_t offset; /* bytes into `mem`; a multiple of the element's size */
} clade_array;

/* Host memory; an input is not written to, so const is cast away only in form. */
static inline clade_array clade_host(const void *pointer)
{
    clade_array array = { (void *)(size_t)pointer, (cl_mem)0, 0 };
    return array;
}

/* Device memory of the context that the object lives in. Borrowed until the call's work is done. */
static inline clade_array clade_device(cl_mem mem, size_t offset)
{
    clade_array array = { (void *)0, mem, offset };
    return array;
}

/* No array: the argument is not given. */
static inline clade_array clade_no_array(void)
{
    clade_array array = { (void *)0, (cl_mem)0, 0 };
    return array;
}

/* How a call is enqueued. NULL in place of a launch: the context's own in-order queue, no wait
 * list, no event.
 *
 * With host arrays a call blocks until they may be used again. With device arrays alone it only
 * enqueues; `event`, or clade_finish(), says when it is done. */
typedef struct clade_launch {
    cl_command_queue queue; /* an in-order queue of the context, or NULL: the context's own */
    const cl_event *wait;   /* what must be complete before the call's work starts */
    cl_uint wait_count;     /* how many */
    cl_event *event;        /* when not NULL: receives an event of the whole work when the call
                             * succeeds; the caller's */
} clade_launch;

#ifdef __cplusplus
}
#endif

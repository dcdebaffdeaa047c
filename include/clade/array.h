/* SPDX-License-Identifier: Apache-2.0 */
/* Arrays and launches: how data and order are passed to every call that works on many elements. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "clade/export.h"
#include <CL/cl.h>

#ifdef __cplusplus
extern "C" {
#endif

/* An array in host memory, or in a buffer from a byte offset on. A small value: pass it as it is.
 * It is made by clade_host(), clade_device() and clade_no_array(), or their exported forms below.
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

/**
 * The same three as exported functions, for languages that call the library but cannot use a
 * header's inline functions. A clade_array is three words: returned and passed by value, as the C
 * calling convention of the platform says.
 *
 * @return clade_host(pointer), clade_device(mem, offset), clade_no_array().
 *
 * Owner:   nothing changes hands.
 * Threads: any.
 * Blocks:  no.
 */
CLADE_API clade_array clade_array_of_host(const void *pointer);
/** Device memory: see clade_array_of_host(). */
CLADE_API clade_array clade_array_of_mem(cl_mem mem, size_t offset);
/** No array: see clade_array_of_host(). */
CLADE_API clade_array clade_array_of_nothing(void);

/* How a call is enqueued. NULL in place of a launch: the context's own in-order queue, no wait
 * list, no event.
 *
 * With host arrays a call blocks until they may be used again. With device arrays alone it only
 * enqueues; `event`, or clade_finish(), says when it is done.
 *
 * All that a call does to its object it does in the launch's queue, after the wait list, whether it
 * blocks or not. So calls in one queue need no events between them. Calls on one object in several
 * queues do: each waits for the event of the one before. So do calls that take no launch, such as
 * clade_heap_size() and clade_heap_destroy(), which use the context's own queue and block: work in
 * other queues must be done first. An object that was created or loaded may be used in any queue at
 * once.
 *
 * What a call writes is apart from its other arrays, and all are apart from objects' own buffers.
 *
 * CLADE_E_ARG, and nothing done: the queue is out-of-order, or of another OpenCL context or device;
 * an event or a buffer is of another context; a buffer is too small for the array. Such a call
 * waits for nothing, and leaves nothing in the queue. */
typedef struct clade_launch {
    cl_command_queue queue; /* an in-order queue of the context, or NULL: the context's own. A
                             * command of yours in an out-of-order queue goes before the call by
                             * `wait`, and behind it by `event` */
    const cl_event *wait;   /* what must be complete before the call's work starts; may be NULL */
    cl_uint wait_count;     /* how many */
    cl_event *event;        /* when not NULL: receives an event of the whole work when the call
                             * succeeds, the caller's; what fails does not touch it */
    uint64_t reserved[4];   /* zero: see clade/error.h */
} clade_launch;

#ifdef __cplusplus
}
#endif

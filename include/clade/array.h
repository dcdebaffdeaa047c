/* SPDX-License-Identifier: Apache-2.0 */
/* Arrays and launches. Every call that works on many elements takes its data as arrays, and its
 * queue and events as a launch. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "clade/export.h"
#include <CL/cl.h>

#ifdef __cplusplus
extern "C" {
#endif

/* An array in host memory, or in a buffer from a byte offset on. It is a small value that is passed
 * as it is. clade_host(), clade_device() and clade_no_array() make one, and so do the exported
 * forms below. The function that takes an array says how long it is and whether it is read or
 * written. */
typedef struct clade_array {
    void *host;    /* host memory, or NULL */
    cl_mem mem;    /* device memory, or NULL */
    size_t offset; /* bytes into `mem`; a multiple of the element's size */
} clade_array;

/* Make an array of host memory. The cast takes const away, but no call writes to its inputs. */
static inline clade_array clade_host(const void *pointer)
{
    clade_array array = { (void *)(size_t)pointer, (cl_mem)0, 0 };
    return array;
}

/* Make an array of device memory: a buffer of the object's context. The call borrows it until its
 * work is done. `offset` counts bytes. */
static inline clade_array clade_device(cl_mem mem, size_t offset)
{
    clade_array array = { (void *)0, mem, offset };
    return array;
}

/* Make no array: the argument is not given. */
static inline clade_array clade_no_array(void)
{
    clade_array array = { (void *)0, (cl_mem)0, 0 };
    return array;
}

/**
 * The same three as exported functions, for languages that cannot use a header's inline functions.
 * A clade_array is a struct of three words, returned and passed by value as the platform's C
 * calling convention says.
 *
 * @return clade_host(pointer), clade_device(mem, offset), clade_no_array().
 *
 * Owner:   nothing changes hands.
 * Threads: any.
 * Blocks:  no.
 */
CLADE_API clade_array clade_array_of_host(const void *pointer);
/** Make an array of device memory: see clade_array_of_host(). */
CLADE_API clade_array clade_array_of_mem(cl_mem mem, size_t offset);
/** Make no array: see clade_array_of_host(). */
CLADE_API clade_array clade_array_of_nothing(void);

/* How a call is enqueued. NULL in place of a launch means the context's own in-order queue, no wait
 * list and no event.
 *
 * Blocking. A call with an array in host memory blocks until that array may be used again. A call
 * with device arrays alone only enqueues; `event` or clade_finish() tells when it is done.
 *
 * Order. A call works on its object in the launch's queue, after the wait list, whether it blocks
 * or not. So calls in one queue need no events between them. Calls on one object in several queues
 * need them: each call must wait for the event of the call before it. A call without a launch, such
 * as clade_heap_size() or clade_heap_destroy(), uses the context's own queue and blocks. Work on
 * the object in other queues must be done before such a call. An object that was just created or
 * loaded may be used in any queue.
 *
 * Overlap. An array that a call writes must not overlap its other arrays. No array may overlap the
 * buffer of an object.
 *
 * Errors. The call returns CLADE_E_ARG and does nothing when the queue is out-of-order or belongs
 * to another OpenCL context or device, when an event or a buffer belongs to another context, and
 * when a buffer is too small for its array. It returns CLADE_E_DEVICE when an event of the wait
 * list has failed already; clade_error_last()->cl_code is the event's. Such a call waits for nothing
 * and leaves nothing in the queue. When an event fails later, the driver decides what happens.
 */
typedef struct clade_launch {
    cl_command_queue queue; /* an in-order queue of the context; NULL: the context's own. Commands
                             * of yours in an out-of-order queue come before the call by `wait`, and
                             * after it by `event` */
    const cl_event *wait;   /* events that must be complete before the work starts; may be NULL */
    cl_uint wait_count;     /* how many events `wait` has */
    cl_event *event;        /* not NULL: receives an event of the whole work if the call succeeds.
                             * The caller releases it. A call that fails leaves it untouched */
    uint64_t reserved[4];   /* zero: see clade/error.h */
} clade_launch;

#ifdef __cplusplus
}
#endif

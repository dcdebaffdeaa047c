/* SPDX-License-Identifier: Apache-2.0 */
/* A bounded lock-free FIFO queue of 30-bit values, in kernels and from the host.
 * docs/inside/queue.md has its invariants and proofs.
 *
 * Kernels take `__global clade_queue_head *queue` (clade_queue_mem()) and call
 * clade_queue_append_wi() and clade_queue_pop_wi() from `clade/queue.clh`. Larger things go into a
 * block of an allocator (clade/kma.h), and its ref into the queue: refs of the first 16 GiB fit. */
#pragma once

#include <stdint.h>

#include "clade/array.h"
#include "clade/context.h"
#include "clade/shared/queue.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A queue: opaque. */
typedef struct clade_queue clade_queue;

/* Zero fields are defaults. */
typedef struct clade_queue_params {
    uint64_t capacity; /* values; required, 2 .. CLADE_QUEUE_CAPACITY_MAX. Rounded up to a power of
                        * two */
    uint64_t reserved[4]; /* zero: see clade/error.h */
} clade_queue_params;

/* The functions' contracts follow the common rules: clade/error.h, clade/array.h. */

/**
 * Create an empty queue.
 *
 * @retval CLADE_OK     `*out` is the queue.
 * @retval CLADE_E_ARG  The capacity is out of range; the message has the limit.
 * @retval CLADE_E_DEVICE, CLADE_E_BUILD, CLADE_E_NOMEM  As named.
 *
 * Owner:   the caller; clade_queue_destroy() frees it. It holds its context.
 * Threads: any.
 * Blocks:  while its kernels are built.
 */
CLADE_API CLADE_CHECKED clade_status clade_queue_create(clade_queue **out, clade_context *context,
                                                        const clade_queue_params *params);

/** Free a queue. NULL and pointers to NULL are fine; sets NULL.
 *
 * Owner:   takes the queue.
 * Threads: one, when no other uses the queue.
 * Blocks:  until the context's queue is empty.
 */
CLADE_API void clade_queue_destroy(clade_queue **queue);

/**
 * Put values at the end, in the array's order: the first ones, as many as there is room for.
 *
 * @param values    `count` uint32_t, at most CLADE_QUEUE_VALUE_MAX. If one is larger, none is put.
 * @param statuses  Receives `count` int32_t, or no array: CLADE_OK, CLADE_E_FULL, or CLADE_E_ARG
 * for all.
 *
 * @retval CLADE_OK      Done (some array in host memory) or enqueued. Each item has its status.
 * @retval CLADE_E_FULL  Without statuses: some were not put. With device arrays alone the next append
 *                       with host arrays tells, or clade_queue_size().
 * @retval CLADE_E_ARG, CLADE_E_DEVICE, CLADE_E_NOMEM  As named; nothing was done. A value that is
 * too large is told as CLADE_E_FULL is, with statuses as well.
 *
 * Owner:   arrays stay the caller's; device arrays are borrowed until the work is done.
 * Threads: one at a time per queue.
 * Blocks:  with host arrays.
 */
CLADE_API CLADE_CHECKED clade_status clade_queue_append(clade_queue *queue, clade_array values,
                                                        uint64_t count, clade_array statuses,
                                                        const clade_launch *launch);

/**
 * Take the oldest values, in order.
 *
 * @param values  Room for `count` uint32_t; those behind the last value taken are left alone.
 * @param got     Receives one uint64_t, how many were taken; or no array.
 *
 * @retval CLADE_OK  Done (some array in host memory) or enqueued. Fewer than `count` are no error.
 * @retval CLADE_E_ARG, CLADE_E_DEVICE, CLADE_E_NOMEM  As named; nothing was done.
 *
 * Owner, threads, blocks: as clade_queue_append().
 */
CLADE_API CLADE_CHECKED clade_status clade_queue_pop(clade_queue *queue, clade_array values,
                                                     uint64_t count, clade_array got,
                                                     const clade_launch *launch);

/**
 * Make it empty.
 *
 * @retval CLADE_OK  Enqueued.
 * @retval CLADE_E_ARG, CLADE_E_DEVICE  As named.
 *
 * Owner:   nothing changes hands.
 * Threads: one at a time per queue.
 * Blocks:  no.
 */
CLADE_API CLADE_CHECKED clade_status clade_queue_clear(clade_queue *queue,
                                                       const clade_launch *launch);

/**
 * How many values are inside.
 *
 * @retval CLADE_OK  Known.
 * @retval CLADE_E_FULL  An earlier call with device arrays was refused something. Told once.
 * @retval CLADE_E_ARG, CLADE_E_DEVICE  As named; the first also of an earlier call, as above.
 *
 * Owner:   nothing changes hands.
 * Threads: one at a time per queue.
 * Blocks:  yes.
 */
CLADE_API CLADE_CHECKED clade_status clade_queue_size(clade_queue *queue, uint64_t *size);

/**
 * Verify the invariants of docs/inside/queue.md on a quiescent queue.
 *
 * @retval CLADE_OK         They hold.
 * @retval CLADE_E_CORRUPT  The message says what does not, and where.
 * @retval CLADE_E_ARG, CLADE_E_DEVICE, CLADE_E_NOMEM  As named.
 *
 * Owner:   nothing changes hands.
 * Threads: one at a time per queue.
 * Blocks:  yes; reads the whole queue.
 */
CLADE_API CLADE_CHECKED clade_status clade_queue_check(clade_queue *queue);

/**
 * Write a queue to a file; make one from it, on any device. What a file says is
 * checked, whoever wrote it: a loaded queue is sound.
 *
 * @retval CLADE_OK         Done.
 * @retval CLADE_E_NOT_FOUND  Load: there is no such file.
 * @retval CLADE_E_CORRUPT  The file is damaged, or holds no queue.
 * @retval CLADE_E_IO, CLADE_E_ARG, CLADE_E_DEVICE, CLADE_E_BUILD, CLADE_E_NOMEM  As named.
 *
 * Owner:   load: the caller, as clade_queue_create().
 * Threads: one at a time per queue.
 * Blocks:  yes.
 */
CLADE_API CLADE_CHECKED clade_status clade_queue_save(clade_queue *queue, const char *path);
/** Make one from a file that clade_queue_save() wrote: see there. */
CLADE_API CLADE_CHECKED clade_status clade_queue_load(clade_queue **out, clade_context *context,
                                                      const char *path);

/** The object's buffer, to pass to kernels of your own as `__global clade_queue_head *`. Programs
 * need no options: all queues have one shape.
 *
 * @return Borrowed from `queue`.
 *
 * Owner:   the queue.
 * Threads: any.
 * Blocks:  no.
 */
CLADE_API cl_mem clade_queue_mem(const clade_queue *queue);

#ifdef __cplusplus
}
#endif

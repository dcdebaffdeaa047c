/* SPDX-License-Identifier: Apache-2.0 */
/* A lock-free queue, first in first out, of 30-bit values; it has a fixed capacity.
 *
 * Kernels take `__global clade_queue_head *queue` (clade_queue_mem()) and call
 * clade_queue_append_wi() and clade_queue_pop_wi() from `clade/queue.clh`. For larger things, put
 * each into a block of an allocator (clade/kma.h), and the block's ref into the queue. Refs of the
 * first 16 GiB fit. docs/inside/queue.md has the invariants and the proofs. */
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

/* What a queue is to be. A zero field means its default. */
typedef struct clade_queue_params {
    uint64_t capacity; /* how many values it can hold. Required, 2 .. CLADE_QUEUE_CAPACITY_MAX;
                        * rounded up to a power of two */
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

/**
 * Free a queue and set the handle to NULL. NULL and a pointer to NULL are fine.
 *
 * Owner:   takes the queue.
 * Threads: one, when no other uses the queue.
 * Blocks:  until the context's queue is empty.
 */
CLADE_API void clade_queue_destroy(clade_queue **queue);

/**
 * Append values at the end, in the array's order. If there is no room for all, the first ones are
 * appended, as many as fit.
 *
 * @param queue     Which one.
 * @param values    `count` uint32_t, each at most CLADE_QUEUE_VALUE_MAX. If one is larger, none is
 *                  appended.
 * @param count     How many.
 * @param statuses  Receives `count` int32_t, or no array. CLADE_OK: the value is in. CLADE_E_FULL:
 *                  it is not. CLADE_E_ARG, for all of them: some value is too large.
 * @param launch    Queue and events (clade/array.h); may be NULL.
 *
 * @retval CLADE_OK      Done with an array in host memory, else enqueued. Each value has its
 *                       status.
 * @retval CLADE_E_FULL  Without an array of statuses: some values were not appended. With device
 *                       arrays alone the next append with host arrays tells so, or
 *                       clade_queue_size().
 * @retval CLADE_E_ARG   An argument is wrong, and nothing was done. Or a value is too large, with
 *                       statuses or without; with device arrays alone the same calls tell so.
 * @retval CLADE_E_DEVICE, CLADE_E_NOMEM  As named; nothing was done.
 *
 * Owner:   arrays stay the caller's; device arrays are borrowed until the work is done.
 * Threads: one at a time per queue.
 * Blocks:  with host arrays.
 */
CLADE_API CLADE_CHECKED clade_status clade_queue_append(clade_queue *queue, clade_array values,
                                                        uint64_t count, clade_array statuses,
                                                        const clade_launch *launch);

/**
 * Pop the oldest values, the oldest first.
 *
 * @param queue   Which one.
 * @param values  Room for `count` uint32_t. If fewer values are there, the rest of it is left
 *                alone.
 * @param count   How many are wanted.
 * @param got     Receives one uint64_t: how many were popped; or no array.
 * @param launch  Queue and events (clade/array.h); may be NULL.
 *
 * @retval CLADE_OK  Done with an array in host memory, else enqueued. It is no failure when fewer
 *                   than `count` were there.
 * @retval CLADE_E_ARG, CLADE_E_DEVICE, CLADE_E_NOMEM  As named; nothing was done.
 *
 * Owner, threads, blocks: as clade_queue_append().
 */
CLADE_API CLADE_CHECKED clade_status clade_queue_pop(clade_queue *queue, clade_array values,
                                                     uint64_t count, clade_array got,
                                                     const clade_launch *launch);

/**
 * Empty the queue.
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
 * Count the values inside.
 *
 * @retval CLADE_OK  `*size` is exact.
 * @retval CLADE_E_FULL  An earlier call with device arrays was refused something. It is told once.
 * @retval CLADE_E_ARG   An argument is NULL. Or an earlier call with device arrays had a value that
 *                       is too large; that is told once.
 * @retval CLADE_E_DEVICE  As named.
 *
 * Owner:   nothing changes hands.
 * Threads: one at a time per queue.
 * Blocks:  yes.
 */
CLADE_API CLADE_CHECKED clade_status clade_queue_size(clade_queue *queue, uint64_t *size);

/**
 * Verify the invariants of docs/inside/queue.md in a queue. No kernel may use the queue
 * meanwhile.
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
 * Write a queue to a file. clade_queue_load() makes a queue from it, on any device. Loading checks
 * what the file says. So a loaded queue is sound, whoever wrote the file.
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

/**
 * The queue's buffer, an argument for kernels of your own: `__global clade_queue_head *`. Programs
 * need no compiler options for it, because all queues have the same layout.
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

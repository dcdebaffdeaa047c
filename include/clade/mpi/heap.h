/* SPDX-License-Identifier: Apache-2.0 */
/* A priority queue over all ranks.
 *
 * Every rank has an ordinary heap (clade/heap.h). Keys are inserted into one's own heap, by the
 * host's calls or in kernels, and no message is sent. A pop takes the first keys of all heaps
 * together.
 *
 * Ranks may have different devices, engines and capacities. Type of keys, type of values and order
 * are the same on all. docs/inside/mpi.md says how the pop works and what it costs.
 *
 * Who calls, what blocks and how errors are told: clade/mpi/comm.h.
 *
 * Source: P. Sanders: Randomized priority queues for fast parallel access, J. Parallel and
 * Distributed Computing 49 (1998); L. Huebschle-Schneider, P. Sanders, I. Mueller: Communication
 * efficient algorithms for top-k selection problems, IPDPS 2016. */
#pragma once

#include "clade/heap.h"
#include "clade/mpi/comm.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A heap over all ranks: opaque. */
typedef struct clade_mpi_heap clade_mpi_heap;

/**
 * Create an empty heap on every rank.
 *
 * @param out      Receives the heap; NULL on failure.
 * @param mpi      The communicator.
 * @param context  The rank's device.
 * @param params   As for clade_heap_create(). `capacity` is that of the rank alone. `key`, `value`
 *                 and `order` are the same on all ranks; `heaps` is 0 or 1.
 *
 * @retval CLADE_OK     Every rank has its heap.
 * @retval CLADE_E_ARG  A parameter is out of range, or not the same on all ranks.
 * @return Else as clade_heap_create() on the lowest rank that failed; no rank has one.
 *
 * Owner:   the caller; clade_mpi_heap_destroy() frees it. It holds its communicator.
 * Threads: one at a time per communicator.
 * Blocks:  until all ranks have called.
 */
CLADE_API CLADE_CHECKED clade_status clade_mpi_heap_create(clade_mpi_heap **out, clade_mpi *mpi,
                                                           clade_context *context,
                                                           const clade_heap_params *params);

/**
 * Free a heap and set the handle to NULL. NULL and a pointer to NULL are fine.
 *
 * Owner:   takes the heap, and with it the rank's own.
 * Threads: one at a time per communicator.
 * Blocks:  until the context's queue is empty; may wait for all ranks.
 */
CLADE_API void clade_mpi_heap_destroy(clade_mpi_heap **heap);

/**
 * The rank's own heap: for clade_heap_insert(), and for kernels of one's own. All calls of
 * clade/heap.h may be used but clade_heap_destroy(). They concern this rank alone.
 *
 * @return Borrowed; NULL for NULL.
 *
 * Owner:   the heap over all ranks.
 * Threads: any.
 * Blocks:  no.
 */
CLADE_API clade_heap *clade_mpi_heap_own(const clade_mpi_heap *heap);

/**
 * Pop the first keys of all ranks. Every rank receives those that came from its own heap, in their
 * order: the result stays distributed.
 *
 * With `most` greater than `count` the number is not exact, and the call sends fewer messages: if
 * `most` is twice `count`, one round of them is usually enough.
 *
 * @param heap    Which one.
 * @param keys    Room for `room` keys of this rank; may be no array when `room` is 0.
 * @param values  Room for `room` values; no array when the heap has none.
 * @param room    How many keys this rank can take. `most` is always enough.
 * @param count   How many keys are wanted, of all ranks together; the same on all ranks.
 * @param most    How many there may be at most, `count` or more; the same on all ranks. 0: `count`.
 * @param got     Receives how many keys this rank got. All ranks together got `count` .. `most`, or
 *                all keys when there are fewer.
 *
 * @retval CLADE_OK      Done. Equal keys are taken evenly from the ranks that have them.
 * @retval CLADE_E_FULL  The keys of some rank are more than its `room`. No key was taken.
 * @retval CLADE_E_ARG   An argument is wrong, or not the same on all ranks. No key was taken.
 * @retval CLADE_E_CORRUPT  Keys that were taken out to look at could not be put back, and it is
 *                       not known which ones: a device failed in the middle of that. Every later
 *                       call says so.
 * @return Else as clade_heap_pop() on the lowest rank that failed. No key was taken. Where a device
 *         failed, keys that the call had looked at may be outside of the rank's own heap until the
 *         next call puts them back; clade_mpi_heap_size() counts them. With one rank and room for
 *         `count` keys the call is clade_heap_pop() itself, and promises what that does.
 *
 * Owner:   arrays stay the caller's.
 * Threads: one at a time per communicator.
 * Blocks:  until all ranks have called.
 */
CLADE_API CLADE_CHECKED clade_status clade_mpi_heap_pop(clade_mpi_heap *heap, clade_array keys,
                                                        clade_array values, uint64_t room,
                                                        uint64_t count, uint64_t most,
                                                        uint64_t *got);

/**
 * Pop the first keys of all ranks, and bring them all to one rank, in their order.
 *
 * @param root    The rank that receives them; the same on all ranks.
 * @param keys    On the root: room for `room` keys. Elsewhere no array.
 * @param values  Likewise.
 * @param room    On the root: how many keys it can take. Elsewhere 0.
 * @param got     Receives how many keys were popped, on every rank.
 *
 * Others, returns, owner, threads, blocks: as clade_mpi_heap_pop().
 */
CLADE_API CLADE_CHECKED clade_status clade_mpi_heap_pop_at(clade_mpi_heap *heap, int root,
                                                           clade_array keys, clade_array values,
                                                           uint64_t room, uint64_t count,
                                                           uint64_t most, uint64_t *got);

/**
 * Count the keys of all ranks.
 *
 * @param heap  Which one.
 * @param size  Receives the count, on every rank.
 *
 * @retval CLADE_OK  `*size` is exact.
 * @return Else as clade_heap_size() on the lowest rank that failed.
 *
 * Owner:   nothing changes hands.
 * Threads: one at a time per communicator.
 * Blocks:  until all ranks have called.
 */
CLADE_API CLADE_CHECKED clade_status clade_mpi_heap_size(clade_mpi_heap *heap, uint64_t *size);

#ifdef __cplusplus
}
#endif

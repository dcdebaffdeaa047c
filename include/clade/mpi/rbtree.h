/* SPDX-License-Identifier: Apache-2.0 */
/* An ordered map over all ranks.
 *
 * Every rank has an interval of the keys, in the order of the ranks, and an ordinary tree
 * (clade/rbtree.h) with the keys of its interval. A call takes a batch of operations from every
 * rank, sends them to the ranks that the keys belong to, does them there, and brings the answers
 * back in the order of the caller's arrays.
 *
 * The intervals divide the type's numbers evenly at first. clade_mpi_rbtree_build() chooses them by
 * the keys that it is given, and clade_mpi_rbtree_balance() by those that are there. So build first
 * if there are many keys. If you insert for long, balance now and then; else one rank may get most
 * of the keys.
 *
 * Batches may have different lengths, 0 included. Ranks may have different devices and capacities.
 *
 * What these calls share:
 *
 * Arrays. As in clade/rbtree.h, in host or device memory. Each rank decides for itself whether it
 * gives values, and an array of statuses. Without statuses the call returns the first CLADE_E_FULL
 * or CLADE_E_BUSY that a key of any rank met, on all ranks. All other keys took effect in any case.
 *
 * Order. Of operations on equal keys in one call, from one rank or several, any may come first.
 *
 * Errors. A call that returns CLADE_E_ARG has done nothing anywhere. If memory is out on a rank, or
 * a device fails, some of the operations may have been done.
 *
 * Who calls, what blocks and how errors are told: clade/mpi/comm.h. */
#pragma once

#include "clade/mpi/comm.h"
#include "clade/rbtree.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A tree over all ranks: opaque. */
typedef struct clade_mpi_rbtree clade_mpi_rbtree;

/**
 * Create an empty tree on every rank.
 *
 * @param out      Receives the tree; NULL on failure.
 * @param mpi      The communicator.
 * @param context  The rank's device.
 * @param params   As for clade_rbtree_create(). `capacity` is that of the rank alone. `key` and
 *                 `value` are the same on all ranks.
 *
 * @retval CLADE_OK     Every rank has its tree.
 * @retval CLADE_E_ARG  A parameter is out of range, or not the same on all ranks.
 * @return Else as clade_rbtree_create() on the lowest rank that failed; no rank has one.
 *
 * Owner:   the caller; clade_mpi_rbtree_destroy() frees it. It holds its communicator.
 * Threads: one at a time per communicator.
 * Blocks:  until all ranks have called.
 */
CLADE_API CLADE_CHECKED clade_status clade_mpi_rbtree_create(clade_mpi_rbtree **out, clade_mpi *mpi,
                                                             clade_context *context,
                                                             const clade_rbtree_params *params);

/**
 * Free a tree and set the handle to NULL. NULL and a pointer to NULL are fine.
 *
 * Owner:   takes the tree, and with it the rank's own.
 * Threads: one at a time per communicator.
 * Blocks:  until the context's queue is empty; may wait for all ranks.
 */
CLADE_API void clade_mpi_rbtree_destroy(clade_mpi_rbtree **tree);

/**
 * The rank's own tree, with the keys of its interval: for calls of clade/rbtree.h that read it or
 * save it, and for kernels of one's own. They concern this rank alone. Only the owner of a key
 * (clade_mpi_rbtree_owner()) may put it into its tree; else no rank finds the key.
 *
 * @return Borrowed; NULL for NULL.
 *
 * Owner:   the tree over all ranks.
 * Threads: any.
 * Blocks:  no.
 */
CLADE_API clade_rbtree *clade_mpi_rbtree_own(const clade_mpi_rbtree *tree);

/**
 * The rank that a key belongs to, until the next call that builds or balances.
 *
 * @param key  One element of the type of the keys.
 *
 * @return 0 .. clade_mpi_ranks() - 1, ascending with the key; -1 if an argument is NULL.
 *
 * Owner:   nothing changes hands.
 * Threads: any.
 * Blocks:  no.
 */
CLADE_API int clade_mpi_rbtree_owner(const clade_mpi_rbtree *tree, const void *key);

/**
 * Insert keys. A key that is there keeps its value. Of equal keys one is inserted.
 *
 * @param tree      Which one.
 * @param keys      `count` keys of this rank's batch; only read.
 * @param values    `count` values; only read. No array: the values are 0.
 * @param count     How many, on this rank.
 * @param statuses  Receives `count` int32_t, or no array: CLADE_OK, CLADE_RBTREE_PRESENT,
 *                  CLADE_E_FULL or CLADE_E_BUSY.
 *
 * @retval CLADE_OK      Done on all ranks. Each key has its status.
 * @retval CLADE_E_FULL, CLADE_E_BUSY  On some rank without an array of statuses a key met it.
 * @retval CLADE_E_ARG   An argument is wrong, or the ranks made different calls.
 * @return Else the status of the lowest rank that failed.
 *
 * Owner:   arrays stay the caller's.
 * Threads: one at a time per communicator.
 * Blocks:  until all ranks have called.
 */
CLADE_API CLADE_CHECKED clade_status clade_mpi_rbtree_insert(clade_mpi_rbtree *tree,
                                                             clade_array keys, clade_array values,
                                                             uint64_t count, clade_array statuses);

/**
 * Insert keys, and replace the values of those that are there. Of the values of equal keys one
 * stays.
 *
 * Arguments, returns, owner, threads, blocks: as clade_mpi_rbtree_insert().
 */
CLADE_API CLADE_CHECKED clade_status clade_mpi_rbtree_put(clade_mpi_rbtree *tree, clade_array keys,
                                                          clade_array values, uint64_t count,
                                                          clade_array statuses);

/**
 * Erase keys.
 *
 * @param values    Receives the value of each key that was there; or no array.
 * @param statuses  Receives `count` int32_t, or no array: CLADE_OK, CLADE_E_NOT_FOUND or
 *                  CLADE_E_BUSY.
 *
 * Others, returns, owner, threads, blocks: as clade_mpi_rbtree_insert().
 */
CLADE_API CLADE_CHECKED clade_status clade_mpi_rbtree_erase(clade_mpi_rbtree *tree,
                                                            clade_array keys, clade_array values,
                                                            uint64_t count, clade_array statuses);

/**
 * Look keys up.
 *
 * @param values    Receives the value of each key that is there; or no array.
 * @param statuses  Receives `count` int32_t, CLADE_OK or CLADE_E_NOT_FOUND; or no array.
 *
 * Others, returns, owner, threads, blocks: as clade_mpi_rbtree_insert().
 */
CLADE_API CLADE_CHECKED clade_status clade_mpi_rbtree_find(clade_mpi_rbtree *tree, clade_array keys,
                                                           clade_array values, uint64_t count,
                                                           clade_array statuses);

/**
 * Look for the nearest key to each given one, whichever rank has it.
 *
 * @param keys      `count` keys, which need not be in the tree; only read.
 * @param what      CLADE_RBTREE_LOWER, _NEXT, _FLOOR or _PREV; the same on all ranks.
 * @param found     Room for `count` keys: receives the nearest one, where there is one.
 * @param values    Receives its value; or no array.
 * @param statuses  Receives `count` int32_t, CLADE_OK or CLADE_E_NOT_FOUND; or no array.
 *
 * Others, returns, owner, threads, blocks: as clade_mpi_rbtree_insert().
 */
CLADE_API CLADE_CHECKED clade_status clade_mpi_rbtree_seek(clade_mpi_rbtree *tree, clade_array keys,
                                                           uint32_t what, clade_array found,
                                                           clade_array values, uint64_t count,
                                                           clade_array statuses);

/**
 * Replace the whole content by the keys of all ranks' arrays, and divide the intervals so that
 * every rank gets about the same number. Of equal keys one stays.
 *
 * @param keys    `count` keys of this rank, in any order; only read.
 * @param values  `count` values; only read. No array: the values are 0.
 * @param count   How many, on this rank.
 *
 * @retval CLADE_OK      Done.
 * @retval CLADE_E_FULL  The keys of some rank's interval do not fit its tree. All trees are as
 *                       before.
 * @retval CLADE_E_ARG, CLADE_E_NOMEM  As named. All trees are as before.
 * @return Else the status of the lowest rank whose device failed: the tree is then empty on all
 *         ranks.
 *
 * Others, owner, threads, blocks: as clade_mpi_rbtree_insert().
 */
CLADE_API CLADE_CHECKED clade_status clade_mpi_rbtree_build(clade_mpi_rbtree *tree,
                                                            clade_array keys, clade_array values,
                                                            uint64_t count);

/**
 * Divide the intervals anew if some rank holds more than one and a half times the mean, and move
 * keys to their new owners: then every rank holds the same number, or one key more. Else the call
 * only looks.
 *
 * @param moved  Receives 1 if keys were moved, else 0, on every rank; may be NULL.
 *
 * @retval CLADE_OK      Done.
 * @retval CLADE_E_FULL  The mean is more than some rank's capacity. All trees are as before.
 * @retval CLADE_E_NOMEM  As named. All trees are as before.
 * @return Else the status of the lowest rank whose device failed. All trees are as before; but if a
 *         device refuses that, too, CLADE_E_CORRUPT.
 *
 * Others, owner, threads, blocks: as clade_mpi_rbtree_insert().
 */
CLADE_API CLADE_CHECKED clade_status clade_mpi_rbtree_balance(clade_mpi_rbtree *tree, int *moved);

/**
 * Count the keys of all ranks.
 *
 * @param size  Receives the count, on every rank.
 *
 * @retval CLADE_OK  `*size` is exact.
 * @return Else as clade_rbtree_size() on the lowest rank that failed.
 *
 * Others, owner, threads, blocks: as clade_mpi_rbtree_insert().
 */
CLADE_API CLADE_CHECKED clade_status clade_mpi_rbtree_size(clade_mpi_rbtree *tree, uint64_t *size);

#ifdef __cplusplus
}
#endif

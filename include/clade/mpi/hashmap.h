/* SPDX-License-Identifier: Apache-2.0 */
/* A hash map over all ranks.
 *
 * Every key belongs to one rank, by its hash, and lies in the ordinary map (clade/hashmap.h) of
 * that rank. A call takes a batch of operations from every rank, sends them to the ranks that the
 * keys belong to, does them there, and brings the answers back in the order of the caller's arrays.
 *
 * Batches may have different lengths, 0 included. Ranks may have different devices and capacities.
 * Keys are spread evenly, whatever they are. So a rank needs capacity for its part of them and a
 * little more.
 *
 * What these calls share:
 *
 * Arrays. As in clade/hashmap.h, in host or device memory. Each rank decides for itself whether it
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

#include "clade/hashmap.h"
#include "clade/mpi/comm.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A map over all ranks: opaque. */
typedef struct clade_mpi_hashmap clade_mpi_hashmap;

/**
 * Create an empty map on every rank.
 *
 * @param out      Receives the map; NULL on failure.
 * @param mpi      The communicator.
 * @param context  The rank's device.
 * @param params   As for clade_hashmap_create(). `capacity` is that of the rank alone. `key`,
 *                 `value` and `no_erase` are the same on all ranks.
 *
 * @retval CLADE_OK     Every rank has its map.
 * @retval CLADE_E_ARG  A parameter is out of range, or not the same on all ranks.
 * @return Else as clade_hashmap_create() on the lowest rank that failed; no rank has one.
 *
 * Owner:   the caller; clade_mpi_hashmap_destroy() frees it. It holds its communicator.
 * Threads: one at a time per communicator.
 * Blocks:  until all ranks have called.
 */
CLADE_API CLADE_CHECKED clade_status clade_mpi_hashmap_create(clade_mpi_hashmap **out,
                                                              clade_mpi *mpi,
                                                              clade_context *context,
                                                              const clade_hashmap_params *params);

/**
 * Free a map and set the handle to NULL. NULL and a pointer to NULL are fine.
 *
 * Owner:   takes the map, and with it the rank's own.
 * Threads: one at a time per communicator.
 * Blocks:  until the context's queue is empty; may wait for all ranks.
 */
CLADE_API void clade_mpi_hashmap_destroy(clade_mpi_hashmap **map);

/**
 * The rank's own map, with the keys that belong to this rank: for calls of clade/hashmap.h that
 * read it, clear it, grow it or save it, and for kernels of one's own. They concern this rank
 * alone. Only the owner of a key (clade_mpi_hashmap_owner()) may put it into its map; else no rank
 * finds the key.
 *
 * @return Borrowed; NULL for NULL.
 *
 * Owner:   the map over all ranks.
 * Threads: any.
 * Blocks:  no.
 */
CLADE_API clade_hashmap *clade_mpi_hashmap_own(const clade_mpi_hashmap *map);

/**
 * The rank that a key belongs to.
 *
 * @param key  One element of the type of the keys.
 *
 * @return 0 .. clade_mpi_ranks() - 1; -1 if an argument is NULL. It depends on nothing but the key
 *         and the number of ranks.
 *
 * Owner:   nothing changes hands.
 * Threads: any.
 * Blocks:  no.
 */
CLADE_API int clade_mpi_hashmap_owner(const clade_mpi_hashmap *map, const void *key);

/**
 * Insert keys. A key that is there keeps its value. Of equal keys one is inserted.
 *
 * @param map       Which one.
 * @param keys      `count` keys of this rank's batch; only read.
 * @param values    `count` values; only read. No array: the values are 0.
 * @param count     How many, on this rank.
 * @param statuses  Receives `count` int32_t, or no array: CLADE_OK, CLADE_HASHMAP_PRESENT,
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
CLADE_API CLADE_CHECKED clade_status clade_mpi_hashmap_insert(clade_mpi_hashmap *map,
                                                              clade_array keys, clade_array values,
                                                              uint64_t count, clade_array statuses);

/**
 * Insert keys, and replace the values of those that are there. Of the values of equal keys one
 * stays.
 *
 * Arguments, returns, owner, threads, blocks: as clade_mpi_hashmap_insert().
 */
CLADE_API CLADE_CHECKED clade_status clade_mpi_hashmap_put(clade_mpi_hashmap *map, clade_array keys,
                                                           clade_array values, uint64_t count,
                                                           clade_array statuses);

/**
 * Change the values of keys by a function of them and the operands, as clade_hashmap_update() does.
 * All operands of equal keys take effect, whichever ranks they come from.
 *
 * @param operands  `count` of the value's type; only read.
 * @param what      CLADE_HASHMAP_PLUS, _MIN or _MAX; the same on all ranks.
 *
 * Others, returns, owner, threads, blocks: as clade_mpi_hashmap_insert().
 */
CLADE_API CLADE_CHECKED clade_status clade_mpi_hashmap_update(clade_mpi_hashmap *map,
                                                              clade_array keys,
                                                              clade_array operands, uint32_t what,
                                                              uint64_t count, clade_array statuses);

/**
 * Erase keys.
 *
 * @param values    Receives the value of each key that was there; or no array.
 * @param statuses  Receives `count` int32_t, or no array: CLADE_OK, CLADE_E_NOT_FOUND or
 *                  CLADE_E_BUSY.
 *
 * Others, returns, owner, threads, blocks: as clade_mpi_hashmap_insert().
 */
CLADE_API CLADE_CHECKED clade_status clade_mpi_hashmap_erase(clade_mpi_hashmap *map,
                                                             clade_array keys, clade_array values,
                                                             uint64_t count, clade_array statuses);

/**
 * Look keys up.
 *
 * @param values    Receives the value of each key that is there; or no array.
 * @param statuses  Receives `count` int32_t, CLADE_OK or CLADE_E_NOT_FOUND; or no array.
 *
 * Others, returns, owner, threads, blocks: as clade_mpi_hashmap_insert().
 */
CLADE_API CLADE_CHECKED clade_status clade_mpi_hashmap_find(clade_mpi_hashmap *map,
                                                            clade_array keys, clade_array values,
                                                            uint64_t count, clade_array statuses);

/**
 * Count the keys of all ranks.
 *
 * @param size  Receives the count, on every rank.
 *
 * @retval CLADE_OK  `*size` is exact.
 * @return Else as clade_hashmap_size() on the lowest rank that failed.
 *
 * Others, owner, threads, blocks: as clade_mpi_hashmap_insert().
 */
CLADE_API CLADE_CHECKED clade_status clade_mpi_hashmap_size(clade_mpi_hashmap *map, uint64_t *size);

#ifdef __cplusplus
}
#endif

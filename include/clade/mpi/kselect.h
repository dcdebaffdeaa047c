/* SPDX-License-Identifier: Apache-2.0 */
/* Selection from one row that is spread over all ranks: the k first keys of all.
 *
 * Every rank has a part of the row. The parts may have different lengths, 0 included. The row is
 * the parts one after the other, in the order of the ranks. The result is exact for every input,
 * and NaN comes last, as in clade/kselect.h. If each of many rows fits a device, none of this is
 * needed: every rank selects from its own rows with a clade_kselect.
 *
 * Who calls, what blocks and how errors are told: clade/mpi/comm.h. */
#pragma once

#include "clade/kselect.h"
#include "clade/mpi/comm.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A selector over all ranks: opaque. */
typedef struct clade_mpi_kselect clade_mpi_kselect;

/**
 * Create a selector on every rank.
 *
 * @param out      Receives the selector; NULL on failure.
 * @param mpi      The communicator.
 * @param context  The rank's device.
 * @param params   `length` is that of the rank's part, 0 .. CLADE_KSELECT_LENGTH_MAX. `k` is that
 *                 of the whole row, 1 .. the sum of the lengths. `k`, `key`, `order` and `indices`
 *                 are the same on all ranks. `method`, `group_size` and `parts` are as for
 *                 clade_kselect_create(); `output` and `arity` are 0: results come in order.
 *
 * @retval CLADE_OK     Every rank has its selector.
 * @retval CLADE_E_ARG  A parameter is out of range, or not the same on all ranks.
 * @return Else as clade_kselect_create() on the lowest rank that failed; no rank has one.
 *
 * Owner:   the caller; clade_mpi_kselect_destroy() frees it. It holds its communicator.
 * Threads: one at a time per communicator.
 * Blocks:  until all ranks have called.
 */
CLADE_API CLADE_CHECKED clade_status clade_mpi_kselect_create(clade_mpi_kselect **out,
                                                              clade_mpi *mpi,
                                                              clade_context *context,
                                                              const clade_kselect_params *params);

/**
 * Free a selector and set the handle to NULL. NULL and a pointer to NULL are fine.
 *
 * Owner:   takes the selector.
 * Threads: one at a time per communicator.
 * Blocks:  may wait for all ranks.
 */
CLADE_API void clade_mpi_kselect_destroy(clade_mpi_kselect **selector);

/**
 * Select. Every rank receives those of the k first keys that are in its part, first one first: the
 * result stays distributed.
 *
 * @param selector  Which one.
 * @param keys      `length` keys, the rank's part; only read.
 * @param out       Room for `room` keys.
 * @param indices   Room for `room` uint64_t when clade_kselect_params.indices is 1, else no array:
 *                  the places of the results in the whole row.
 * @param room      How many keys this rank can take; the less of `length` and `k` is always enough.
 * @param got       Receives how many keys this rank got. All ranks together got k.
 *
 * @retval CLADE_OK      Done. Of equal keys that compete for the last places, about as many come
 *                       from each rank that has them.
 * @retval CLADE_E_FULL  The results of some rank are more than its `room`.
 * @retval CLADE_E_ARG   An argument is wrong.
 * @return Else as clade_kselect_run() on the lowest rank that failed.
 *
 * Owner:   arrays stay the caller's.
 * Threads: one at a time per communicator.
 * Blocks:  until all ranks have called.
 */
CLADE_API CLADE_CHECKED clade_status clade_mpi_kselect_run(clade_mpi_kselect *selector,
                                                           clade_array keys, clade_array out,
                                                           clade_array indices, uint64_t room,
                                                           uint64_t *got);

/**
 * Select, and bring the k first keys to one rank, in their order.
 *
 * @param root     The rank that receives them; the same on all ranks.
 * @param out      On the root: room for k keys. Elsewhere no array.
 * @param indices  On the root, and if the selector has indices: room for k uint64_t.
 *
 * Others, returns, owner, threads, blocks: as clade_mpi_kselect_run().
 */
CLADE_API CLADE_CHECKED clade_status clade_mpi_kselect_run_at(clade_mpi_kselect *selector, int root,
                                                              clade_array keys, clade_array out,
                                                              clade_array indices);

#ifdef __cplusplus
}
#endif

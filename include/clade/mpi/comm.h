/* SPDX-License-Identifier: Apache-2.0 */
/* Many devices: clade over MPI.
 *
 * MPI starts a program several times: each of these processes is a rank. Every rank opens one
 * device and has ordinary clade objects on it. The calls of clade-mpi are collective: every rank of
 * the communicator makes the same calls in the same order. What they share:
 *
 * Who calls. All ranks of the communicator, also those that bring nothing or want nothing: their
 * count is 0. One thread of a rank at a time uses a communicator and what is made on it. MPI must
 * have been initialized; MPI_THREAD_SINGLE is enough when only one thread calls.
 *
 * Blocking. Every call blocks, and may wait for every other rank.
 *
 * Errors. When a call fails on one rank, it fails on all ranks, in the same call and with the same
 * status: that of the lowest rank that failed. clade_error_last() then has its sentence, which
 * begins with the rank: "rank 2: ...". Nobody waits for a rank that has failed. One error is told
 * to its own rank alone: a handle that is NULL where the call needs it, because then there is no
 * communicator by which to tell the others. The launcher looks after ranks that have not been
 * started, have ended or have crashed, as in every program of MPI.
 *
 * Arguments. Each function says which arguments must be the same on all ranks. The ranks compare
 * them; if they differ, the call is CLADE_E_ARG everywhere.
 *
 * Memory. Data goes from rank to rank through host memory. Arrays may lie in host or device memory,
 * and every rank chooses for itself.
 *
 * The work on the device is done in the queue of the rank's context. Work of the caller in other
 * queues, on the objects or on arrays of a call, must be done before the call. When the call
 * returns, its results are there. */
#pragma once

#include <mpi.h>
#include <stdint.h>

#include "clade/context.h"
#include "clade/error.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A communicator of clade: opaque. */
typedef struct clade_mpi clade_mpi;

/**
 * Make a communicator of clade from one of MPI, which is duplicated: messages of clade never meet
 * those of the caller. Errors of MPI itself are handled as the caller's communicator says: usually
 * they end the job. If it has MPI_ERRORS_RETURN, calls return CLADE_E_IO.
 *
 * @param out   Receives the communicator; NULL on failure.
 * @param comm  An intracommunicator of MPI.
 *
 * @retval CLADE_OK     `*out` is the communicator, on every rank of `comm`.
 * @retval CLADE_E_ARG  `out` is NULL; or MPI is not initialized, or `comm` is no intracommunicator,
 *                      which is told to the rank alone.
 * @retval CLADE_E_NOMEM, CLADE_E_IO  As named.
 *
 * Owner:   the caller; clade_mpi_destroy() frees it.
 * Threads: one.
 * Blocks:  until all ranks of `comm` have called.
 */
CLADE_API CLADE_CHECKED clade_status clade_mpi_create(clade_mpi **out, MPI_Comm comm);

/**
 * Free a communicator and set the handle to NULL. NULL and a pointer to NULL are fine. What was
 * made on it may be destroyed before or after; the last one frees it. All ranks destroy in the same
 * order, before MPI_Finalize().
 *
 * Owner:   takes the communicator.
 * Threads: one.
 * Blocks:  may wait for all ranks.
 */
CLADE_API void clade_mpi_destroy(clade_mpi **mpi);

/**
 * This process' rank.
 *
 * @return 0 .. clade_mpi_ranks() - 1; -1 for NULL.
 *
 * Owner:   nothing changes hands.
 * Threads: any.
 * Blocks:  no.
 */
CLADE_API int clade_mpi_rank(const clade_mpi *mpi);
/** How many ranks there are: see clade_mpi_rank(). */
CLADE_API int clade_mpi_ranks(const clade_mpi *mpi);
/** This process' number among the ranks of its host: see clade_mpi_rank(). */
CLADE_API int clade_mpi_host_rank(const clade_mpi *mpi);
/** How many ranks are on this host: see clade_mpi_rank(). */
CLADE_API int clade_mpi_host_ranks(const clade_mpi *mpi);

/**
 * Tell all ranks how it went, as clade's own collective calls do. A program uses it after work of
 * its own that may fail on one rank, so that no rank goes on alone.
 *
 * @param mpi     Which one.
 * @param status  How it went here. If it is not CLADE_OK, clade_error_last() has the sentence.
 *
 * @retval CLADE_OK  All ranks gave CLADE_OK.
 * @return Else the status of the lowest rank that gave another; clade_error_last() has its
 *         sentence.
 *
 * Owner:   nothing changes hands.
 * Threads: one at a time per communicator.
 * Blocks:  until all ranks have called.
 */
CLADE_API CLADE_CHECKED clade_status clade_mpi_agree(clade_mpi *mpi, clade_status status);

/**
 * Open a device on every rank. The ranks of one host share its devices: the first one that fits
 * `params`, and those of the same platform and name. Rank r of the host takes number r of these.
 * When there are fewer, it goes on with the first again, so ranks may share a device. If `params`
 * has the caller's own handles, or names one device as "P:D", the rank opens just that. Ranks need
 * not have the same parameters, and a rank may open its context by clade_context_create() instead.
 *
 * @param out     Receives the context; NULL on failure.
 * @param mpi     The communicator.
 * @param params  Where to run; NULL: all defaults.
 *
 * @retval CLADE_OK  Every rank has its context.
 * @return Else as clade_context_create() on the lowest rank that failed; no rank has one.
 *
 * Owner:   the caller; clade_context_destroy() closes it.
 * Threads: one at a time per communicator.
 * Blocks:  until all ranks have called.
 */
CLADE_API CLADE_CHECKED clade_status clade_mpi_context_create(clade_context **out, clade_mpi *mpi,
                                                              const clade_context_params *params);

#ifdef __cplusplus
}
#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Elements from every rank to every rank. */
#pragma once

#include "mpi/comm.h"

/* How many elements go from rank to rank, and where they begin in the arrays of both sides: numbers
 * for each rank. */
struct cladei_mpi_exchange {
    clade_mpi *mpi;
    uint64_t *send, *send_at, *receive, *receive_at;
    uint64_t sends, receives; /* in all */
    int *ints;                /* the same four for MPI */
    MPI_Request *requests;    /* two for each rank */
    uint64_t piece;           /* elements of a message when not all at once; 0: all at once */
};

clade_status cladei_mpi_exchange_make(struct cladei_mpi_exchange *exchange, clade_mpi *mpi);
void cladei_mpi_exchange_free(struct cladei_mpi_exchange *exchange);

/* From exchange->send, tell everyone; the rest of the numbers follow. A rank that has failed sends
 * nothing; the caller agrees next. */
clade_status cladei_mpi_exchange_plan(struct cladei_mpi_exchange *exchange, clade_status own);

/* All ranks agree that they are ready to move, that the numbers fit those of MPI, and that
 * everything else is alike that must be (its first number is not used). */
clade_status cladei_mpi_exchange_agree(struct cladei_mpi_exchange *exchange, clade_status own,
                                       const struct cladei_mpi_alike *alike_or_null);

/* Move elements of `bytes`: to[receive_at[r] ..] becomes what rank r had at from[send_at[me] ..].
 * Backwards, what was received goes back to where it came from. */
clade_status cladei_mpi_exchange_move(struct cladei_mpi_exchange *exchange, const void *from,
                                      void *to, uint64_t bytes);
clade_status cladei_mpi_exchange_answer(struct cladei_mpi_exchange *exchange, const void *from,
                                        void *to, uint64_t bytes);

/* The most elements that a rank may send or receive at once: what MPI's int counts. Tests make it
 * small. */
extern uint64_t cladei_mpi_exchange_most;

/* SPDX-License-Identifier: Apache-2.0 */
/* The communicator, and how ranks agree. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "clade/mpi/comm.h"
#include "mpi/fail.h"

struct clade_mpi {
    MPI_Comm comm;
    int rank, ranks;
    int host_rank, host_ranks;
    uint32_t borrowers; /* objects that were made on it, and its caller */
};

/* Objects hold the communicator. The last one that lets go frees it. */
void cladei_mpi_hold(clade_mpi *mpi);
void cladei_mpi_let_go(clade_mpi *mpi);

/* Words that every rank must have been given alike, and for a message what they are. And numbers of
 * which all ranks learn the greatest. */
enum { CLADEI_MPI_WORDS = 6, CLADEI_MPI_NUMBERS = 3 };
struct cladei_mpi_alike {
    uint64_t words[CLADEI_MPI_WORDS];
    const char *names[CLADEI_MPI_WORDS];   /* NULL ends them */
    uint64_t *numbers[CLADEI_MPI_NUMBERS]; /* likewise; changed where all agree */
};

/* The status of the lowest rank that failed, on all ranks and with its sentence. If none failed,
 * CLADE_E_ARG where ranks were not given the same words. One reduction, and a broadcast on failure.
 * It comes before data moves, so nobody waits for a rank that has failed. */
clade_status cladei_mpi_agree(clade_mpi *mpi, clade_status status,
                              const struct cladei_mpi_alike *alike_or_null);
/* The same where a collective call carries a word of each rank besides: of all ranks' words the
 * greatest is 0, or that of the lowest rank that failed, which all are told. */
uint64_t cladei_mpi_word(const clade_mpi *mpi, clade_status own);
clade_status cladei_mpi_told_word(clade_mpi *mpi, uint64_t word);
/* The second half, where all ranks know by other means that `rank` failed with `status`. */
clade_status cladei_mpi_told(clade_mpi *mpi, int rank, clade_status status);

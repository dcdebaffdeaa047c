/* SPDX-License-Identifier: Apache-2.0 */
/* The communicator: its life, and how ranks agree on a status. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mpi/comm.h"

/* --- agreement -------------------------------------------------------------------------------- */

enum { SENTENCE_BYTES = 1000 };

struct sentence {
    int cl_code;
    char text[SENTENCE_BYTES];
};

clade_status cladei_mpi_told(clade_mpi *mpi, int rank, clade_status failed)
{
    clade_status status = CLADE_OK;
    struct sentence said = { 0 };
    if (mpi->rank == rank) {
        const clade_error *error = clade_error_last();
        said.cl_code = error->cl_code;
        strncpy(said.text, error->message, sizeof said.text - 1);
    }
    CLADEM_MPI(MPI_Bcast(&said, sizeof said, MPI_BYTE, rank, mpi->comm));
    char text[SENTENCE_BYTES + 32];
    snprintf(text, sizeof text, "rank %d: %s", rank, said.text);
    return clade_error_set(failed, said.cl_code, text);
fail:
    return status;
}

/* Ranks that failed send their distance from the end, and the status below it: the greatest is the
 * lowest rank's. */
uint64_t cladei_mpi_word(const clade_mpi *mpi, clade_status own)
{
    return own == CLADE_OK ? 0 : (uint64_t)(mpi->ranks - mpi->rank) << 32 | (uint32_t)-own;
}

clade_status cladei_mpi_told_word(clade_mpi *mpi, uint64_t word)
{
    return cladei_mpi_told(mpi, mpi->ranks - (int)(word >> 32), -(int)(uint32_t)word);
}

static int count_of(const char *const *names)
{
    int count = 0;
    while (count < CLADEI_MPI_WORDS && names[count])
        count++;
    return count;
}

/* A word and its complement both have their greatest: they are one word if all are alike. */
static clade_status compare(const struct cladei_mpi_alike *alike, const uint64_t *words, int count)
{
    clade_status status = CLADE_OK;
    for (int i = 0; i < count; i++)
        CLADEM_REQUIRE(words[2 * i] == ~words[2 * i + 1], CLADE_E_ARG,
                       "%s must be the same on all ranks, and goes from %" PRIu64 " to %" PRIu64,
                       alike->names[i], ~words[2 * i + 1], words[2 * i]);
fail:
    return status;
}

clade_status cladei_mpi_agree(clade_mpi *mpi, clade_status own,
                              const struct cladei_mpi_alike *alike)
{
    clade_status status = CLADE_OK;
    uint64_t words[1 + 2 * CLADEI_MPI_WORDS + CLADEI_MPI_NUMBERS] = { cladei_mpi_word(mpi, own) };
    const int count = alike ? count_of(alike->names) : 0;
    uint64_t *numbers = words + 1 + 2 * count;
    for (int i = 0; i < count; i++) {
        words[1 + 2 * i] = alike->words[i];
        words[2 + 2 * i] = ~alike->words[i];
    }
    for (int i = 0; alike && i < CLADEI_MPI_NUMBERS; i++)
        numbers[i] = alike->numbers[i] ? *alike->numbers[i] : 0;
    CLADEM_MPI(MPI_Allreduce(MPI_IN_PLACE, words, 1 + 2 * count + CLADEI_MPI_NUMBERS, MPI_UINT64_T,
                             MPI_MAX, mpi->comm));
    if (words[0])
        return cladei_mpi_told_word(mpi, words[0]);
    CLADEM_TRY(compare(alike, words + 1, count));
    for (int i = 0; alike && i < CLADEI_MPI_NUMBERS; i++)
        if (alike->numbers[i])
            *alike->numbers[i] = numbers[i];
fail:
    return status;
}

clade_status clade_mpi_agree(clade_mpi *mpi, clade_status own)
{
    clade_status status = CLADE_OK;
    CLADEM_REQUIRE(mpi, CLADE_E_ARG, "the communicator is NULL");
    CLADEM_TRY(cladei_mpi_agree(mpi, own, NULL));
fail:
    return status;
}

/* --- life ------------------------------------------------------------------------------------- */

static void free_comm(MPI_Comm *comm)
{
    int finalized = 0;
    MPI_Finalized(&finalized);
    if (*comm != MPI_COMM_NULL && !finalized)
        MPI_Comm_free(comm);
}

void cladei_mpi_hold(clade_mpi *mpi)
{
    mpi->borrowers++;
}

void cladei_mpi_let_go(clade_mpi *mpi)
{
    if (--mpi->borrowers > 0)
        return;
    free_comm(&mpi->comm);
    free(mpi);
}

static clade_status ask(clade_mpi *mpi)
{
    clade_status status = CLADE_OK;
    MPI_Comm host = MPI_COMM_NULL;
    CLADEM_MPI(MPI_Comm_rank(mpi->comm, &mpi->rank));
    CLADEM_MPI(MPI_Comm_size(mpi->comm, &mpi->ranks));
    CLADEM_MPI(
        MPI_Comm_split_type(mpi->comm, MPI_COMM_TYPE_SHARED, mpi->rank, MPI_INFO_NULL, &host));
    CLADEM_MPI(MPI_Comm_rank(host, &mpi->host_rank));
    CLADEM_MPI(MPI_Comm_size(host, &mpi->host_ranks));
fail:
    free_comm(&host);
    return status;
}

static clade_status usable(MPI_Comm comm)
{
    clade_status status = CLADE_OK;
    int begun = 0, ended = 0, inter = 1;
    MPI_Initialized(&begun);
    MPI_Finalized(&ended);
    CLADEM_REQUIRE(begun && !ended, CLADE_E_ARG, "MPI is not initialized, or finalized already");
    CLADEM_REQUIRE(comm != MPI_COMM_NULL, CLADE_E_ARG, "the communicator is MPI_COMM_NULL");
    CLADEM_MPI(MPI_Comm_test_inter(comm, &inter));
    CLADEM_REQUIRE(!inter, CLADE_E_ARG, "the communicator is an intercommunicator");
fail:
    return status;
}

/* What a rank fails in by itself comes after the duplication, by which it can be told. */
static clade_status allocate(clade_mpi **made, clade_mpi **out)
{
    clade_status status = CLADE_OK;
    CLADEM_REQUIRE(out, CLADE_E_ARG, "the place for the communicator is NULL");
    *made = malloc(sizeof **made);
    CLADEM_NO_MEMORY(*made);
fail:
    return status;
}

clade_status clade_mpi_create(clade_mpi **out, MPI_Comm comm)
{
    clade_status status = CLADE_OK;
    clade_mpi mpi = { .comm = MPI_COMM_NULL, .borrowers = 1 };
    clade_mpi *made = NULL;
    if (out)
        *out = NULL;
    CLADEM_TRY(usable(comm));
    CLADEM_MPI(MPI_Comm_dup(comm, &mpi.comm));
    CLADEM_TRY(ask(&mpi));
    CLADEM_TRY(cladei_mpi_agree(&mpi, allocate(&made, out), NULL));
    *made = mpi;
    *out = made;
    return CLADE_OK;

fail:
    free(made);
    free_comm(&mpi.comm);
    return status;
}

void clade_mpi_destroy(clade_mpi **mpi)
{
    if (!mpi || !*mpi)
        return;
    cladei_mpi_let_go(*mpi);
    *mpi = NULL;
}

int clade_mpi_rank(const clade_mpi *mpi)
{
    return mpi ? mpi->rank : -1;
}

int clade_mpi_ranks(const clade_mpi *mpi)
{
    return mpi ? mpi->ranks : 0;
}

int clade_mpi_host_rank(const clade_mpi *mpi)
{
    return mpi ? mpi->host_rank : -1;
}

int clade_mpi_host_ranks(const clade_mpi *mpi)
{
    return mpi ? mpi->host_ranks : 0;
}

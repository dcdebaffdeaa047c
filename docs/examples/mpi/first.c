/* SPDX-License-Identifier: Apache-2.0 */
/* Every rank has jobs on its own device; the five most urgent of all come to rank 0. */
#include <clade/mpi/mpi.h>
#include <stdio.h>

static clade_status work(clade_mpi *mpi, clade_context **context, clade_mpi_heap **jobs)
{
    const clade_heap_params params = { .capacity = 1000 };
    int due[100], first[5];
    uint64_t got;
    const int rank = clade_mpi_rank(mpi), ranks = clade_mpi_ranks(mpi);
    clade_status status = clade_mpi_context_create(context, mpi, NULL); /* a device for each rank */
    if (status == CLADE_OK)
        status = clade_mpi_heap_create(jobs, mpi, *context, &params);
    if (status != CLADE_OK)
        return status; /* on all ranks */
    for (int i = 0; i < 100; i++)
        due[i] = i * ranks + rank;
    /* This rank's own heap: no message is sent. What fails here alone, all have to be told. */
    status =
        clade_heap_insert(clade_mpi_heap_own(*jobs), clade_host(due), clade_no_array(), 100, NULL);
    status = clade_mpi_agree(mpi, status);
    if (status == CLADE_OK)
        status = clade_mpi_heap_pop_at(*jobs, 0, rank ? clade_no_array() : clade_host(first),
                                       clade_no_array(), rank ? 0 : 5, 5, 5, &got);
    if (status == CLADE_OK && rank == 0)
        printf("%d jobs: %d %d %d %d %d\n", (int)got, first[0], first[1], first[2], first[3],
               first[4]);
    return status;
}

int main(int count, char **words)
{
    clade_mpi *mpi = NULL;
    clade_context *context = NULL;
    clade_mpi_heap *jobs = NULL;
    MPI_Init(&count, &words);
    clade_status status = clade_mpi_create(&mpi, MPI_COMM_WORLD);
    if (status == CLADE_OK)
        status = work(mpi, &context, &jobs);
    if (status != CLADE_OK)
        fprintf(stderr, "%s\n", clade_error_last()->message);
    clade_mpi_heap_destroy(&jobs);
    clade_context_destroy(&context);
    clade_mpi_destroy(&mpi);
    MPI_Finalize();
    return status != CLADE_OK;
}

/* SPDX-License-Identifier: Apache-2.0 */
#include <mpi.h>

#include "mpi/late_driver.h"
#include "mpi/ranks.h"

clade_mpi *ranks_all;
int ranks_me, ranks_count;

int ranks_run_group(const char *name, const struct CMUnitTest *tests, size_t count)
{
    int failed = 1;
    MPI_Init(NULL, NULL);
    MPI_Comm_rank(MPI_COMM_WORLD, &ranks_me);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks_count);
    if (ranks_me > 0 && !freopen("/dev/null", "w", stdout))
        MPI_Abort(MPI_COMM_WORLD, 1);
    const char *late = getenv("MPI_LATE");
    late_driver_usual(late ? (unsigned)strtoul(late, NULL, 10) : 0);
    if (clade_mpi_create(&ranks_all, MPI_COMM_WORLD) == CLADE_OK)
        failed = fixture_run_group(name, tests, count);
    clade_mpi_destroy(&ranks_all);
    MPI_Finalize();
    return failed;
}

uint64_t ranks_sum(uint64_t number)
{
    MPI_Allreduce(MPI_IN_PLACE, &number, 1, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
    return number;
}

bool ranks_alike(uint64_t number)
{
    uint64_t ends[2] = { number, ~number };
    MPI_Allreduce(MPI_IN_PLACE, ends, 2, MPI_UINT64_T, MPI_MAX, MPI_COMM_WORLD);
    return ends[0] == ~ends[1];
}

uint64_t *ranks_gather(const uint64_t *numbers, size_t count, size_t *counts, size_t *total)
{
    int own = (int)count, *each = test_calloc((size_t)ranks_count, 2 * sizeof *each);
    int *places = each + ranks_count;
    MPI_Allgather(&own, 1, MPI_INT, each, 1, MPI_INT, MPI_COMM_WORLD);
    *total = 0;
    for (int r = 0; r < ranks_count; r++) {
        places[r] = (int)*total;
        *total += (size_t)each[r];
        if (counts)
            counts[r] = (size_t)each[r];
    }
    uint64_t *all = malloc((*total + 1) * sizeof *all);
    assert_non_null(all);
    MPI_Allgatherv(numbers, own, MPI_UINT64_T, all, each, places, MPI_UINT64_T, MPI_COMM_WORLD);
    test_free(each);
    return all;
}

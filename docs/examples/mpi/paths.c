/* SPDX-License-Identifier: Apache-2.0 */
/* A ring road through all ranks: each has three crossings of it, and the arcs that leave them. */
#include <clade/mpi/mpi.h>
#include <stdio.h>

static clade_status work(clade_mpi *mpi, clade_context *context, clade_mpi_paths **paths)
{
    const uint32_t first = 3 * (uint32_t)clade_mpi_rank(mpi); /* numbers of all ranks' nodes */
    const uint32_t all = 3 * (uint32_t)clade_mpi_ranks(mpi), source = 0;
    const uint32_t offsets[4] = { 0, 1, 2, 3 }, weights[3] = { 10, 10, 10 };
    const uint32_t targets[3] = { first + 1, first + 2, (first + 3) % all };
    uint32_t lengths[3], before[3];
    clade_mpi_graph *graph = NULL;
    clade_status status = clade_mpi_graph_create(
        &graph, mpi, context,
        &(clade_graph_params) { .nodes = 3, .arcs = 3, .offsets = clade_host(offsets),
                                .targets = clade_host(targets), .weights = clade_host(weights) });
    if (status == CLADE_OK)
        status = clade_mpi_paths_create(paths, graph, NULL);
    clade_mpi_graph_destroy(&graph); /* the path finder holds it */
    if (status == CLADE_OK) /* rank 0 alone names a source */
        status = clade_mpi_paths_run(*paths, &(clade_paths_query) {
            .sources = clade_host(&source), .source_count = first == 0 });
    if (status == CLADE_OK)
        status = clade_mpi_paths_read(*paths, clade_host(lengths), clade_host(before));
    if (status == CLADE_OK && first + 3 == all)
        printf("node %u: length %u, after node %u\n", all - 1, lengths[2], before[2]);
    return status;
}

int main(int count, char **words)
{
    clade_mpi *mpi = NULL;
    clade_context *context = NULL;
    clade_mpi_paths *paths = NULL;
    MPI_Init(&count, &words);
    clade_status status = clade_mpi_create(&mpi, MPI_COMM_WORLD);
    if (status == CLADE_OK)
        status = clade_mpi_context_create(&context, mpi, NULL);
    if (status == CLADE_OK)
        status = work(mpi, context, &paths);
    if (status != CLADE_OK)
        fprintf(stderr, "%s\n", clade_error_last()->message);
    clade_mpi_paths_destroy(&paths);
    clade_context_destroy(&context);
    clade_mpi_destroy(&mpi);
    MPI_Finalize();
    return status != CLADE_OK;
}

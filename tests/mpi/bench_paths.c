/* SPDX-License-Identifier: Apache-2.0 */
/* Shortest paths over ranks: how long a search takes, and where the time goes.
 *
 *     mpirun -n RANKS mpi_bench_paths grid SIDE [once]
 *     mpirun -n RANKS mpi_bench_paths kronecker SCALE [once]
 *
 * The graphs are in bench_graphs.h. With one rank the same search is also done by clade alone, as
 * `plain`. `once`: two searches, of which the first compiles kernels, for graphs that are large. In
 * the end the result is looked at by Graph500's rules, on all devices. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mpi/bench_graphs.h"

struct work {
    struct bench *b;
    struct graph graph;
    clade_graph *plain_graph;
    clade_paths *plain;
    clade_mpi_graph *over_ranks;
    clade_mpi_paths *paths;
    double last; /* when the last step ended */
};

/* How long a step took, on the slowest rank. */
static void tell(struct work *w, const char *what)
{
    MPI_Barrier(MPI_COMM_WORLD);
    const double time = now();
    if (clade_mpi_rank(w->b->mpi) == 0)
        printf("%s: %.1f ms\n", what, time - w->last);
    fflush(stdout);
    w->last = time;
}

static void open_plain(struct work *w)
{
    const clade_graph_params params = graph_params(&w->graph);
    must(clade_graph_create(&w->plain_graph, w->b->context, &params), "graph alone");
    must(clade_paths_create(&w->plain, w->plain_graph, &(clade_paths_params) { 0 }),
         "path finder alone");
}

static void open_all(struct work *w)
{
    const clade_graph_params params = graph_params(&w->graph);
    must(clade_mpi_graph_create(&w->over_ranks, w->b->mpi, w->b->context, &params), "graph");
    tell(w, "graph over ranks");
    must(clade_mpi_paths_create(&w->paths, w->over_ranks, NULL), "path finder");
    tell(w, "path finder");
}

static void search(void *data)
{
    struct work *w = data;
    const clade_paths_query query = { .sources = clade_host(&w->graph.source),
                                      .source_count = clade_mpi_rank(w->b->mpi) == 0 };
    must(clade_mpi_paths_run(w->paths, &query), "search");
}

static void search_plain(void *data)
{
    struct work *w = data;
    const clade_paths_query query = { .sources = clade_host(&w->graph.source), .source_count = 1 };
    must(clade_paths_run(w->plain, &query, NULL), "search alone");
}

static void measure_searches(struct work *w, const char *name)
{
    if (clade_mpi_ranks(w->b->mpi) == 1)
        open_plain(w);
    measure(w->b, &(struct subject) { .name = name,
                                      .operations = w->graph.nodes,
                                      .data = w,
                                      .run = search,
                                      .plain = search_plain });
}

static void search_twice(struct work *w)
{
    for (int i = 0; i < 2; i++) {
        search(w);
        tell(w, i ? "the same search again" : "the first search");
    }
}

static void close_all(struct work *w)
{
    clade_paths_destroy(&w->plain);
    clade_graph_destroy(&w->plain_graph);
    clade_mpi_paths_destroy(&w->paths);
    clade_mpi_graph_destroy(&w->over_ranks);
    graph_free(&w->graph);
    bench_close(w->b);
}

int main(int count, char **words)
{
    struct bench b = { 0 };
    struct work w = { .b = &b };
    bench_open(&b, &count, &words);
    const uint64_t size = count > 2 ? strtoull(words[2], NULL, 0) : 0;
    const bool is_grid = count > 1 && strcmp(words[1], "grid") == 0;
    if (size == 0) {
        fprintf(stderr, "usage: mpi_bench_paths grid SIDE | kronecker SCALE [once]\n");
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    w.last = now();
    if (is_grid)
        graph_grid(&w.graph, &b, size);
    else
        graph_kronecker(&w.graph, &b, (unsigned)size);
    b.total = w.graph.nodes;
    if (clade_mpi_rank(b.mpi) == 0)
        printf("%llu nodes on %d ranks, %llu arcs on rank 0\n", (unsigned long long)w.graph.nodes,
               clade_mpi_ranks(b.mpi), (unsigned long long)w.graph.arcs);
    tell(&w, "arrays on the device");
    open_all(&w);
    if (count > 3)
        search_twice(&w);
    else
        measure_searches(&w, is_grid ? "paths grid" : "paths kronecker");
    graph_look(&w.graph, w.paths);
    tell(&w, "the rules");
    close_all(&w);
    return 0;
}

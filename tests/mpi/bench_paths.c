/* SPDX-License-Identifier: Apache-2.0 */
/* Shortest paths over ranks: how long a search takes, and where the time goes.
 *
 *     mpirun -n RANKS mpi_bench_paths grid SIDE [once]
 *     mpirun -n RANKS mpi_bench_paths kronecker SCALE [once]
 *
 * A grid has SIDE * SIDE nodes with four arcs each, whose weights are 1 .. 1000; its rows are dealt
 * out. A Kronecker graph has 2^SCALE nodes, and 16 edges for each. With one rank the same search is
 * also done by clade alone, as `plain`. `once`: one search, for graphs that are large. All ranks
 * look at all arcs of theirs in the end: no arc could lower a length. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mpi/measure.h"

struct work {
    struct bench *b;
    uint64_t nodes, first, count; /* in all; this rank's */
    uint32_t *offsets, *targets, *weights;
    uint32_t source;
    clade_graph *plain_graph;
    clade_paths *plain;
    clade_mpi_graph *graph;
    clade_mpi_paths *paths;
};

static uint64_t mixed(uint64_t z)
{
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

static void *array(uint64_t count)
{
    void *it = calloc((size_t)count + 1, 4);
    if (!it)
        MPI_Abort(MPI_COMM_WORLD, 1);
    return it;
}

static void share(struct work *w)
{
    must(clade_mpi_graph_share(w->b->mpi, w->nodes, NULL, &w->first, &w->count), "share");
    w->offsets = array(w->count + 1);
}

/* --- graphs, each rank's part by itself --------------------------------------------------------
 */

/* The same both ways. */
static uint32_t weight_of(uint64_t a, uint64_t b)
{
    return 1 + (uint32_t)(mixed(a < b ? a * 0x9e3779b97f4a7c15u + b : b * 0x9e3779b97f4a7c15u + a) %
                          1000);
}

/* Nodes begin .. end of a rank's share, whose arcs begin at `arcs`. Returns where they end. If not
 * `fills`, arcs are only counted. */
static uint64_t make_nodes(struct work *w, uint64_t side, uint64_t begin, uint64_t end,
                           uint64_t arcs, bool fills)
{
    for (uint64_t i = begin; i < end; i++) {
        const uint64_t node = w->first + i, x = node % side;
        const uint64_t sides[4] = { node - side, node - 1, node + 1, node + side };
        const bool there[4] = { node >= side, x > 0, x + 1 < side, node + side < w->nodes };
        for (int s = 0; s < 4; s++) {
            if (fills && there[s]) {
                w->targets[arcs] = (uint32_t)sides[s];
                w->weights[arcs] = weight_of(node, sides[s]);
            }
            arcs += there[s];
        }
        if (fills)
            w->offsets[i + 1] = (uint32_t)arcs;
    }
    return arcs;
}

/* Threads make parts of a share: one would take minutes for the largest grids. */
enum { THREADS = 12 };

struct part {
    pthread_t thread;
    struct work *w;
    uint64_t side, begin, end, arcs;
    bool fills;
};

static void *make_part(void *data)
{
    struct part *p = data;
    const uint64_t end = make_nodes(p->w, p->side, p->begin, p->end, p->arcs, p->fills);
    if (!p->fills)
        p->arcs = end;
    return NULL;
}

static void make_grid(struct work *w, uint64_t side)
{
    struct part parts[THREADS];
    w->nodes = side * side;
    share(w);
    w->targets = array(4 * w->count);
    w->weights = array(4 * w->count);
    for (int fills = 0; fills < 2; fills++) {
        uint64_t before = 0;
        for (uint64_t t = 0; t < THREADS; t++) {
            const uint64_t arcs = fills ? parts[t].arcs : 0;
            parts[t] = (struct part) { .w = w,
                                       .side = side,
                                       .begin = w->count * t / THREADS,
                                       .end = w->count * (t + 1) / THREADS,
                                       .arcs = fills ? before : 0,
                                       .fills = fills };
            before += arcs;
            if (pthread_create(&parts[t].thread, NULL, make_part, &parts[t]))
                MPI_Abort(MPI_COMM_WORLD, 1);
        }
        for (int t = 0; t < THREADS; t++)
            pthread_join(parts[t].thread, NULL);
    }
    w->source = (uint32_t)(w->nodes / 2 + side / 2);
}

/* Edge i, as Graph500 draws it, with its nodes renumbered by a permutation. */
static void draw_edge(uint64_t i, unsigned scale, uint64_t ends[2])
{
    const uint64_t mask = ((uint64_t)1 << scale) - 1;
    ends[0] = ends[1] = 0;
    for (unsigned bit = 0; bit < scale; bit++) {
        const uint64_t drawn = mixed((i + 1) * 0x9e3779b97f4a7c15u + bit) % 100; /* 57 19 19 5 */
        ends[0] |= (uint64_t)(drawn >= 76) << bit;
        ends[1] |= (uint64_t)((drawn >= 57 && drawn < 76) || drawn >= 95) << bit;
    }
    for (int e = 0; e < 2; e++)
        ends[e] = (ends[e] * 0x9e3779b1u + 12345) & mask;
}

/* Every rank draws all edges, and keeps its own: first how many, then which. */
static void make_kronecker(struct work *w, unsigned scale)
{
    const uint64_t edges = (uint64_t)16 << scale;
    uint64_t ends[2];
    w->nodes = (uint64_t)1 << scale;
    share(w);
    uint32_t *at = array(w->count + 1);
    for (int fill = 0; fill < 2; fill++) {
        for (uint64_t i = 0; i < edges; i++) {
            draw_edge(i, scale, ends);
            for (int e = 0; e < 2; e++) {
                const uint64_t own = ends[e] - w->first;
                if (own >= w->count)
                    continue;
                if (fill) {
                    w->targets[at[own]] = (uint32_t)ends[1 - e];
                    w->weights[at[own]] = 1 + (uint32_t)(mixed(i) % 255);
                }
                at[own]++;
            }
        }
        if (fill)
            break;
        for (uint64_t v = 0; v < w->count; v++) {
            w->offsets[v + 1] = w->offsets[v] + at[v];
            at[v] = w->offsets[v];
        }
        w->targets = array(w->offsets[w->count]);
        w->weights = array(w->offsets[w->count]);
    }
    free(at);
    draw_edge(0, scale, ends);
    w->source = (uint32_t)ends[0];
}

/* --- searches -----------------------------------------------------------------------------------
 */

static void open_all(struct work *w)
{
    const clade_graph_params params = {
        .nodes = w->count,
        .arcs = w->offsets[w->count],
        .offsets = clade_host(w->offsets),
        .targets = clade_host(w->targets),
        .weights = clade_host(w->weights),
    };
    const double begin = now();
    must(clade_mpi_graph_create(&w->graph, w->b->mpi, w->b->context, &params), "graph");
    must(clade_mpi_paths_create(&w->paths, w->graph, NULL), "path finder");
    if (clade_mpi_rank(w->b->mpi) == 0)
        printf("%llu nodes, %u arcs on rank 0: made in %.0f ms\n", (unsigned long long)w->nodes,
               w->offsets[w->count], now() - begin);
    if (clade_mpi_ranks(w->b->mpi) > 1)
        return;
    must(clade_graph_create(&w->plain_graph, w->b->context, &params), "graph alone");
    must(clade_paths_create(&w->plain, w->plain_graph, &(clade_paths_params) { 0 }),
         "path finder alone");
}

static void search(void *data)
{
    struct work *w = data;
    const clade_paths_query query = { .sources = clade_host(&w->source),
                                      .source_count = clade_mpi_rank(w->b->mpi) == 0 };
    must(clade_mpi_paths_run(w->paths, &query), "search");
}

static void search_plain(void *data)
{
    struct work *w = data;
    const clade_paths_query query = { .sources = clade_host(&w->source), .source_count = 1 };
    must(clade_paths_run(w->plain, &query, NULL), "search alone");
}

/* No arc within a part could lower a length; and all ranks' sum of lengths, to compare runs. */
static void look(struct work *w)
{
    uint32_t *lengths = array(w->count), *before = array(w->count);
    uint64_t sums[3] = { 0, 0, 0 }; /* reached, lengths, arcs that could */
    must(clade_mpi_paths_read(w->paths, clade_host(lengths), clade_host(before)), "read");
    for (uint64_t v = 0; v < w->count; v++) {
        if (lengths[v] == UINT32_MAX)
            continue;
        sums[0]++;
        sums[1] += lengths[v];
        for (uint32_t arc = w->offsets[v]; arc < w->offsets[v + 1]; arc++) {
            const uint64_t to = w->targets[arc] - w->first;
            sums[2] += to < w->count && lengths[to] > lengths[v] + w->weights[arc];
        }
    }
    MPI_Allreduce(MPI_IN_PLACE, sums, 3, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
    clade_mpi_paths_stats stats;
    must(clade_mpi_paths_stats_read(w->paths, &stats), "stats");
    if (clade_mpi_rank(w->b->mpi) == 0)
        printf("reached %llu, sum of lengths %llu, arcs that could lower one %llu; steps %llu; "
               "rank 0 sent %llu and expanded %llu\n",
               (unsigned long long)sums[0], (unsigned long long)sums[1],
               (unsigned long long)sums[2], (unsigned long long)stats.steps,
               (unsigned long long)stats.sent, (unsigned long long)stats.expanded);
    free(lengths);
    free(before);
    if (sums[2] > 0)
        MPI_Abort(MPI_COMM_WORLD, 1);
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
    if (is_grid)
        make_grid(&w, size);
    else
        make_kronecker(&w, (unsigned)size);
    b.total = w.nodes;
    open_all(&w);
    if (count > 3) {
        for (int i = 0; i < 2; i++) { /* the first one compiles kernels */
            MPI_Barrier(MPI_COMM_WORLD);
            const double begin = now();
            search(&w);
            printf("rank %d: one search: %.1f ms\n", clade_mpi_rank(b.mpi), now() - begin);
            fflush(stdout);
        }
    } else {
        measure(&b, &(struct subject) { .name = is_grid ? "paths grid" : "paths kronecker",
                                        .operations = w.nodes,
                                        .data = &w,
                                        .run = search,
                                        .plain = search_plain });
    }
    look(&w);
    clade_paths_destroy(&w.plain);
    clade_graph_destroy(&w.plain_graph);
    clade_mpi_paths_destroy(&w.paths);
    clade_mpi_graph_destroy(&w.graph);
    free(w.offsets);
    free(w.targets);
    free(w.weights);
    bench_close(&b);
    return 0;
}

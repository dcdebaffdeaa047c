/* SPDX-License-Identifier: Apache-2.0 */
/* Graphs, made and looked at on the device (bench_graphs.cl). */
#include <stdio.h>
#include <stdlib.h>

#include "mpi/bench_graphs.h"

static void *array(uint64_t count)
{
    void *it = calloc((size_t)count + 1, 4);
    if (!it)
        MPI_Abort(MPI_COMM_WORLD, 1);
    return it;
}

static void done(cl_int code, const char *what)
{
    if (code == CL_SUCCESS)
        return;
    fprintf(stderr, "%s: OpenCL error %d\n", what, code);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

/* --- kernels -----------------------------------------------------------------------------------
 */

enum { ITEMS = 1 << 18 };

struct arg {
    size_t size;
    const void *value;
};
#define ARG(variable)                 \
    {                                 \
        sizeof(variable), &(variable) \
    }

/* The kernels stride over their elements. */
static void run(const struct graph *g, const char *name, const struct arg *args, cl_uint count)
{
    cl_kernel kernel;
    const size_t items = ITEMS;
    must(clade_program_kernel(&kernel, g->program, name), name);
    for (cl_uint i = 0; i < count; i++)
        done(clSetKernelArg(kernel, i, args[i].size, args[i].value), name);
    done(clEnqueueNDRangeKernel(clade_context_cl_queue(g->b->context), kernel, 1, NULL, &items,
                                NULL, 0, NULL, NULL),
         name);
    must(clade_finish(g->b->context), name);
    clReleaseKernel(kernel);
}
#define RUN(graph, name, ...)                              \
    run(graph, name, (const struct arg[]) { __VA_ARGS__ }, \
        sizeof((const struct arg[]) { __VA_ARGS__ }) / sizeof(struct arg))

/* --- graphs ------------------------------------------------------------------------------------
 */

static void begin(struct graph *g, struct bench *b, uint64_t nodes)
{
    const clade_program_params params = { .file = "mpi/bench_graphs.cl",
                                          .include_path = TEST_KERNELS };
    *g = (struct graph) { .b = b, .nodes = nodes };
    must(clade_program_build(&g->program, b->context, &params), "kernels of the bench");
    must(clade_mpi_graph_share(b->mpi, nodes, NULL, &g->first, &g->count), "share");
}

void graph_grid(struct graph *g, struct bench *b, uint64_t side)
{
    begin(g, b, side * side);
    const cl_ulong wide = side, nodes = g->nodes, first = g->first, count = g->count;
    g->offsets = buffer(b, 4 * (g->count + 1));
    g->targets = buffer(b, 16 * g->count + 4);
    g->weights = buffer(b, 16 * g->count + 4);
    RUN(g, "make_grid", ARG(g->offsets), ARG(g->targets), ARG(g->weights), ARG(wide), ARG(nodes),
        ARG(first), ARG(count));
    cl_uint arcs;
    done(clEnqueueReadBuffer(clade_context_cl_queue(b->context), g->offsets, CL_TRUE,
                             4 * (size_t)g->count, 4, &arcs, 0, NULL, NULL),
         "arcs");
    g->arcs = arcs;
    g->source = (uint32_t)(g->nodes / 2 + side / 2);
}

static uint64_t mixed(uint64_t z)
{
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
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

/* A graph on the host. */
struct rows {
    uint32_t *offsets, *targets, *weights;
};

/* All edges are drawn. With targets they are put at `at` of their nodes; without, counted there. */
static void draw_edges(const struct graph *g, unsigned scale, const struct rows *rows, uint32_t *at)
{
    uint64_t ends[2];
    for (uint64_t i = 0; i < (uint64_t)16 << scale; i++) {
        draw_edge(i, scale, ends);
        for (int e = 0; e < 2; e++) {
            const uint64_t own = ends[e] - g->first;
            if (own >= g->count)
                continue;
            if (rows->targets) {
                rows->targets[at[own]] = (uint32_t)ends[1 - e];
                rows->weights[at[own]] = 1 + (uint32_t)(mixed(i) % 255);
            }
            at[own]++;
        }
    }
}

static cl_mem uploaded(struct bench *b, uint32_t *from, uint64_t count)
{
    cl_mem mem = buffer(b, 4 * count + 4);
    done(clEnqueueWriteBuffer(clade_context_cl_queue(b->context), mem, CL_TRUE, 0, 4 * count, from,
                              0, NULL, NULL),
         "upload");
    free(from);
    return mem;
}

void graph_kronecker(struct graph *g, struct bench *b, unsigned scale)
{
    struct rows rows = { 0 };
    uint64_t ends[2];
    begin(g, b, (uint64_t)1 << scale);
    uint32_t *at = array(g->count);
    rows.offsets = array(g->count + 1);
    draw_edges(g, scale, &rows, at);
    for (uint64_t v = 0; v < g->count; v++) {
        rows.offsets[v + 1] = rows.offsets[v] + at[v];
        at[v] = rows.offsets[v];
    }
    g->arcs = rows.offsets[g->count];
    rows.targets = array(g->arcs);
    rows.weights = array(g->arcs);
    draw_edges(g, scale, &rows, at);
    free(at);
    g->offsets = uploaded(b, rows.offsets, g->count + 1);
    g->targets = uploaded(b, rows.targets, g->arcs);
    g->weights = uploaded(b, rows.weights, g->arcs);
    draw_edge(0, scale, ends);
    g->source = (uint32_t)ends[0];
}

clade_graph_params graph_params(const struct graph *g)
{
    return (clade_graph_params) { .nodes = g->count,
                                  .arcs = g->arcs,
                                  .offsets = clade_device(g->offsets, 0),
                                  .targets = clade_device(g->targets, 0),
                                  .weights = clade_device(g->weights, 0) };
}

void graph_free(struct graph *g)
{
    clReleaseMemObject(g->offsets);
    clReleaseMemObject(g->targets);
    clReleaseMemObject(g->weights);
    clade_program_destroy(&g->program);
}

/* --- rules -------------------------------------------------------------------------------------
 */

/* Lengths of all ranks' nodes, on this device. */
static cl_mem gather_lengths(const struct graph *g, clade_mpi_paths *paths, cl_mem before)
{
    const int ranks = clade_mpi_ranks(g->b->mpi), count = (int)g->count, first = (int)g->first;
    uint32_t *lengths = array(g->nodes);
    int *counts = array((uint64_t)ranks), *firsts = array((uint64_t)ranks);
    must(clade_mpi_paths_read(paths, clade_host(lengths + g->first), clade_device(before, 0)),
         "read");
    MPI_Allgather(&count, 1, MPI_INT, counts, 1, MPI_INT, MPI_COMM_WORLD);
    MPI_Allgather(&first, 1, MPI_INT, firsts, 1, MPI_INT, MPI_COMM_WORLD);
    MPI_Allgatherv(MPI_IN_PLACE, 0, MPI_UINT32_T, lengths, counts, firsts, MPI_UINT32_T,
                   MPI_COMM_WORLD);
    free(counts);
    free(firsts);
    return uploaded(g->b, lengths, g->nodes);
}

enum { REACHED, LENGTHS, LOWERED, UNTRUE, SUMS };

/* Of all ranks. */
static void sum_up(const struct graph *g, clade_mpi_paths *paths, uint64_t sums[SUMS])
{
    cl_mem before = buffer(g->b, 4 * g->count + 4);
    cl_mem lengths = gather_lengths(g, paths, before);
    cl_mem items = buffer(g->b, 8 * (uint64_t)SUMS * ITEMS);
    uint64_t *each = array(2 * (uint64_t)SUMS * ITEMS);
    const cl_ulong first = g->first, count = g->count, nodes = g->nodes;
    RUN(g, "look", ARG(g->offsets), ARG(g->targets), ARG(g->weights), ARG(lengths), ARG(before),
        ARG(first), ARG(count), ARG(nodes), ARG(g->source), ARG(items));
    done(clEnqueueReadBuffer(clade_context_cl_queue(g->b->context), items, CL_TRUE, 0,
                             8 * (size_t)SUMS * ITEMS, each, 0, NULL, NULL),
         "sums");
    for (size_t i = 0; i < (size_t)SUMS * ITEMS; i++)
        sums[i / ITEMS] += each[i];
    MPI_Allreduce(MPI_IN_PLACE, sums, SUMS, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
    free(each);
    clReleaseMemObject(items);
    clReleaseMemObject(lengths);
    clReleaseMemObject(before);
}

void graph_look(const struct graph *g, clade_mpi_paths *paths)
{
    uint64_t sums[SUMS] = { 0 };
    clade_mpi_paths_stats stats;
    sum_up(g, paths, sums);
    must(clade_mpi_paths_stats_read(paths, &stats), "stats");
    if (clade_mpi_rank(g->b->mpi) == 0)
        printf("reached %llu, sum of lengths %llu, arcs that could lower one %llu, nodes whose "
               "length nothing explains %llu; steps %llu; rank 0 sent %llu and expanded %llu\n",
               (unsigned long long)sums[REACHED], (unsigned long long)sums[LENGTHS],
               (unsigned long long)sums[LOWERED], (unsigned long long)sums[UNTRUE],
               (unsigned long long)stats.steps, (unsigned long long)stats.sent,
               (unsigned long long)stats.expanded);
    if (sums[LOWERED] + sums[UNTRUE] > 0 || sums[REACHED] < 2)
        MPI_Abort(MPI_COMM_WORLD, 1);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Graphs for the bench of shortest paths: each rank's part on its own device. */
#pragma once

#include "mpi/measure.h"

struct graph {
    struct bench *b;
    uint64_t nodes, first, count, arcs; /* nodes in all; this rank's */
    uint32_t source;
    cl_mem offsets, targets, weights;
    clade_program *program;
};

/* side * side nodes with four arcs each, whose weights are 1 .. 1000; rows are dealt out. */
void graph_grid(struct graph *graph, struct bench *b, uint64_t side);
/* Graph500's: 2^scale nodes, and 16 edges for each, both ways. Made on the host. */
void graph_kronecker(struct graph *graph, struct bench *b, unsigned scale);
clade_graph_params graph_params(const struct graph *graph);
void graph_free(struct graph *graph);

/* Whether a search from the source found shortest paths, by the rules of bench_graphs.cl: all ranks
 * look at all arcs of theirs. Prints what was reached; ends the job if something is wrong. */
void graph_look(const struct graph *graph, clade_mpi_paths *paths);

/* SPDX-License-Identifier: Apache-2.0 */
/* A graph of few nodes with very many arcs and many with few, as social networks are: made up from
 * a seed like those of the Graph500 benchmark. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "graph/graph.h"

#define KRONECKER_SCALE_MAX 28

/* Zero fields mean the default. */
struct kronecker_params {
    uint32_t scale; /* 2^scale nodes, 1 .. KRONECKER_SCALE_MAX; default 16 */
    uint32_t edges; /* for each node; default 16 */
    uint64_t seed;  /* default 1 */
};

/* Make one. Each edge is drawn by itself: at each of `scale` steps one of four parts of the matrix,
 * with chances of 57, 19, 19 and 5 in a hundred. Nodes are then renumbered at random. Both
 * directions of an edge have the same weight, 1 .. 255. Loops and parallel edges stay; many nodes
 * have no edge. The same parameters give the same graph on every machine.
 *
 * On failure `*out` is untouched. The caller frees it with graph_free(). */
bool kronecker_create(struct graph *out, const struct kronecker_params *params,
                      struct file_error *error);

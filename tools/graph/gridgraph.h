/* SPDX-License-Identifier: Apache-2.0 */
/* A road network made up from a seed: for trying things where no real one is at hand. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "graph/coordinates.h"
#include "graph/graph.h"

/* Zero fields mean the default. */
struct gridgraph_params {
    uint32_t columns; /* crossings from west to east, 2 .. 30000; default 540 */
    uint32_t rows;    /* from south to north, likewise; default 500 */
    uint64_t seed;    /* default 1 */
};

#define GRIDGRAPH_NODES_MAX 400000000

/* About square, and large enough for so many nodes (4 .. GRIDGRAPH_NODES_MAX), with room for the
 * crossings that are cut off and left out. */
void gridgraph_choose_size(struct gridgraph_params *params, uint64_t nodes);

/* Make a graph: crossings near the points of a grid, streets between neighbours of which a quarter
 * is missing, and a few fast diagonal highways. Weights are travel times, about 250 to 3500
 * each. Every street is passable both ways; parts that are cut off are left out, so that every
 * node reaches every other. The same parameters give the same graph on every machine. By default
 * it has more than 250,000 nodes. NULL `params` are all defaults.
 *
 * `where` receives where its nodes lie; it may be NULL. On failure both are untouched. The caller
 * frees them with graph_free() and coordinates_free(). */
bool gridgraph_create(struct graph *out, struct coordinates *where,
                      const struct gridgraph_params *params, struct file_error *error);

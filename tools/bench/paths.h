/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of the suite of paths share. */
#pragma once

#include "bench/bench.h"
#include "graph/graph.h"

/* A row: a graph from one node, by clade_paths, by a clade heap, by one core's Dijkstra. Takes the
 * graph. `name`: its first cell, or NULL. */
bool bench_paths_row(struct bench *bench, const char *name, struct graph *graph, uint32_t source);
/* Rows of searches from many sources at once. Takes the graph. */
bool bench_paths_sources(struct bench *bench, struct graph *graph);
/* A table of searches in grids with obstacles. */
bool bench_paths_grids(struct bench *bench);

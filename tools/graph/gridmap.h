/* SPDX-License-Identifier: Apache-2.0 */
/* Grids with obstacles: read, made up, written; shortest ways on the host.
 *
 * A file is text, plain, gzip or xz, in the form of the Moving AI laboratory's maps: "type octile",
 * "height H", "width W", "map", then H rows of W characters: . G S are free, @ O T W are not. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/textfile.h"
#include "graph/graph.h"

#define GRIDMAP_CELLS_MAX ((uint64_t)1 << 28)

/* What a step costs. One goes straight or diagonally, the latter only where both cells beside it
 * are free. */
enum { GRIDMAP_STRAIGHT = 5, GRIDMAP_DIAGONAL = 7 };

#define GRIDMAP_FAR UINT32_MAX

struct gridmap {
    uint32_t width, height;
    uint8_t *blocked; /* row by row; 1: an obstacle */
};

/* Read a map. On failure `*out` is untouched, and `error` has the file, the line and the reason.
 * The caller frees it with gridmap_free(). */
bool gridmap_read(struct gridmap *out, const char *path, struct file_error *error);
bool gridmap_read_memory(struct gridmap *out, const char *name, const void *data, size_t bytes,
                         struct file_error *error);

/* Make a map up: each cell but the first and the last is an obstacle with a chance of `percent`.
 * The same arguments give the same map everywhere. false: memory is out. */
bool gridmap_generate(struct gridmap *out, uint32_t width, uint32_t height, uint32_t percent,
                      uint64_t seed);

bool gridmap_write(const struct gridmap *map, const char *path, struct file_error *error);

/* Free what it points to. It is then empty. */
void gridmap_free(struct gridmap *map);

/* The least cost of a way between two cells, by Dijkstra's algorithm with buckets; GRIDMAP_FAR:
 * there is none. false: memory is out. */
bool gridmap_distance(const struct gridmap *map, uint32_t from, uint32_t to, uint32_t *distance);

/* The up to 8 cells that one step leads to; cost[i] is that of the i-th. Returns how many. */
unsigned gridmap_steps(const struct gridmap *map, uint32_t cell, uint32_t to[8], uint32_t cost[8]);

/* What any way from a cell to another costs at least: that of the way without obstacles. */
uint32_t gridmap_bound(const struct gridmap *map, uint32_t from, uint32_t to);

/* The grid as a graph: node `cell` has the steps from there, an obstacle none. false: memory is
 * out. The caller frees it with graph_free(). */
bool gridmap_graph(struct graph *out, const struct gridmap *map);

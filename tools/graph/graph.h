/* SPDX-License-Identifier: Apache-2.0 */
/* Graphs on the host: read from files, kept as compressed sparse rows.
 *
 * Formats, told apart by what the file holds; each may be packed with gzip or xz:
 *   DIMACS shortest paths  `c` comments, `p sp NODES ARCS`, `a FROM TO WEIGHT`
 *   PACE tree width        `p tw NODES EDGES`, then `U V` a line: both directions, each with the
 *                          weight 1 + ((U * 2654435761 + V * 40503) mod 2^32) mod 1000
 *   METIS                  `NODES EDGES [FMT [NCON]]`, then a line of neighbours for each node;
 *                          vertex sizes and weights are passed over; weight 1 where there is none
 *   MatrixMarket           coordinate; pattern (weight 1), integer, real with integral values;
 *                          general or symmetric; entry (i, j) is the arc from i to j
 * Nodes are numbered from 1 in all of them. Parallel arcs and loops are kept. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/textfile.h"

#define GRAPH_NODES_MAX  ((uint64_t)UINT32_MAX - 1)
#define GRAPH_ARCS_MAX   ((uint64_t)1 << 40)
#define GRAPH_WEIGHT_MAX ((uint64_t)UINT32_MAX)

/* Node `u` has the arcs first[u] .. first[u + 1] - 1, in the file's order. */
struct graph {
    uint64_t nodes; /* 1 .. GRAPH_NODES_MAX */
    uint64_t arcs;  /* directed; an undirected edge is two */
    uint64_t *first;
    uint32_t *target;  /* an index, from 0 */
    uint32_t *weight;  /* never negative; 0 is allowed */
    uint32_t first_id; /* in the file, node `u` is called u + first_id */
};

/* Read a graph. On failure `*out` is untouched and `error` says what is wrong, and where.
 * The caller frees it with graph_free(). */
bool graph_read(struct graph *out, const char *path, struct file_error *error);

/* The same from bytes in memory; `name` is for messages, and its ending (".mtx") decides where the
 * bytes do not. */
bool graph_read_memory(struct graph *out, const char *name, const void *data, size_t bytes,
                       struct file_error *error);

/* Write a graph in the DIMACS form. The file appears under its name when it is complete, or not
 * at all. `comment` is one line, or NULL. */
bool graph_write_dimacs(const struct graph *graph, const char *path, const char *comment,
                        struct file_error *error);

/* Free what the graph points to; NULL is fine. It is then empty. */
void graph_free(struct graph *graph);

/* Whether the arrays keep what struct graph promises. For tests. */
bool graph_valid(const struct graph *graph);

/* SPDX-License-Identifier: Apache-2.0 */
/* Shortest paths on the host: what device results are compared with. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "graph/graph.h"

/* The distance of a node that cannot be reached. */
#define DISTANCE_NONE UINT64_MAX

/* Figures that tell one set of distances from another. */
struct distance_summary {
    uint64_t reached; /* nodes with a distance, the source among them */
    uint64_t max;     /* the greatest distance; 0 when nothing is reached */
    uint64_t sum;     /* of all distances, modulo 2^64 */
};

/* Write the distance of every node from node `source` (an index, from 0) to `distance`, which has
 * room for graph->nodes. On failure `error` is set: no such source, or memory is out; `distance`
 * then holds nothing of use. */
bool dijkstra(uint64_t *distance, const struct graph *graph, uint64_t source,
              struct file_error *error);

struct distance_summary distance_summary(const uint64_t *distance, uint64_t nodes);

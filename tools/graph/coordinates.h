/* SPDX-License-Identifier: Apache-2.0 */
/* Where the nodes of a graph lie: read, written, and what is at least left of a way from there.
 *
 * A file is text, plain, gzip or xz, in the form of the 9th DIMACS challenge: `c` comments,
 * `p aux sp co NODES`, then `v ID X Y` for each node, of which X and Y are whole numbers. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "graph/graph.h"

struct coordinates {
    uint64_t nodes;
    int32_t *x; /* on a map, or the longitude in millionths of a degree */
    int32_t *y; /* the latitude */
};

/* Read those of a graph of `nodes` nodes. On failure `*out` is untouched, and `error` has the file,
 * the line and the reason. The caller frees them with coordinates_free(). */
bool coordinates_read(struct coordinates *out, const char *path, uint64_t nodes,
                      struct file_error *error);
bool coordinates_read_memory(struct coordinates *out, const char *name, const void *data,
                             size_t bytes, uint64_t nodes, struct file_error *error);

bool coordinates_write(const struct coordinates *coordinates, const char *path, const char *comment,
                       struct file_error *error);

/* Free what it points to. It is then empty. */
void coordinates_free(struct coordinates *coordinates);

/* Write to bounds[] for each node what is at least left of the way from there to `to`: the distance
 * as the crow flies, on a plane or on a sphere, times the least weight of any arc for its distance.
 * Of plane and sphere the one counts that says more about `from`. Along no arc a bound falls by
 * more than the weight, whatever the coordinates are. false: memory is out. */
bool coordinates_bounds(uint32_t *bounds, const struct graph *graph,
                        const struct coordinates *coordinates, uint32_t from, uint32_t to);

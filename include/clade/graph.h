/* SPDX-License-Identifier: Apache-2.0 */
/* A graph that stays on the device: directed, its arcs weighted. Path finders work on it
 * (clade/paths.h). */
#pragma once

#include <stdint.h>

#include "clade/array.h"
#include "clade/context.h"
#include "clade/shared/paths.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A graph: opaque. */
typedef struct clade_graph clade_graph;

/* What a graph is: for each node the arcs that leave it, as compressed rows. The call that makes
 * the graph reads all arrays. They are not needed later. A zero field means its default. */
typedef struct clade_graph_params {
    uint64_t nodes;       /* 1 .. CLADE_GRAPH_NODES_MAX. Required */
    uint64_t arcs;        /* 0 .. CLADE_GRAPH_ARCS_MAX. A two-way street is two arcs */
    clade_array offsets;  /* nodes + 1 uint32_t: arcs of node u are offsets[u] .. offsets[u+1]-1;
                           * the first is 0, the last is `arcs`. Required */
    clade_array targets;  /* `arcs` uint32_t: where each arc leads. Required if there are arcs */
    clade_array weights;  /* `arcs` uint32_t or float, not negative, infinite or NaN. No array: each
                           * is 1 */
    uint32_t weight_type; /* CLADE_PATHS_U32 (default) or CLADE_PATHS_F32 */
    uint32_t reserved0;   /* zero */
    uint64_t reserved[4]; /* zero: see clade/error.h */
} clade_graph_params;

/* The functions' contracts follow the common rules: clade/error.h, clade/array.h. */

/**
 * Make a graph.
 *
 * @retval CLADE_OK     `*out` is the graph.
 * @retval CLADE_E_ARG  A parameter is out of range, or offsets fall, or an arc leads to no node, or
 *                      a weight is negative, infinite or no number. The message says which.
 * @retval CLADE_E_DEVICE, CLADE_E_BUILD, CLADE_E_NOMEM  As named.
 *
 * Owner:   the caller; clade_graph_destroy() frees it. It holds its context. Arrays stay the
 *          caller's, and are not looked at after the call.
 * Threads: any.
 * Blocks:  until the graph is made. Reads device arrays in the context's queue.
 */
CLADE_API CLADE_CHECKED clade_status clade_graph_create(clade_graph **out, clade_context *context,
                                                        const clade_graph_params *params);

/**
 * Let go of a graph and set the handle to NULL. It lives until the last path finder on it is
 * destroyed. NULL and a pointer to NULL are fine.
 *
 * Owner:   takes the caller's hold of the graph.
 * Threads: any.
 * Blocks:  until the context's queue is empty, if it was the last hold.
 */
CLADE_API void clade_graph_destroy(clade_graph **graph);

/**
 * The graph's buffer, an argument for kernels of your own: `__global const clade_graph_head *`.
 *
 * @return Borrowed from `graph`.
 *
 * Owner:   the graph.
 * Threads: any.
 * Blocks:  no.
 */
CLADE_API cl_mem clade_graph_mem(const clade_graph *graph);

#ifdef __cplusplus
}
#endif

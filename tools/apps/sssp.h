/* SPDX-License-Identifier: Apache-2.0 */
/* Shortest paths on a device: the algorithm behind `clade sssp`. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include <clade/clade.h>

#include "graph/graph.h"

struct sssp_params {
    uint64_t source;   /* an index, from 0 */
    bool heap;         /* by a heap, as the paper does it, in place of clade_paths */
    bool wide;         /* 64-bit distances */
    uint32_t batch;    /* nodes a group takes at once; 0: what suits the device */
    uint32_t engine;   /* of the heap; CLADE_HEAP_AUTO: CLADE_HEAP_TOP_DOWN, as of other searches */
    uint64_t capacity; /* of the heap, in entries; 0: one for each arc */
    /* Called between launches with the nodes expanded so far; may be NULL. */
    void (*progress)(void *user, uint64_t visited);
    void *progress_user;
};

struct sssp_result {
    uint64_t visited; /* nodes expanded, again after each time they came nearer */
    uint64_t spilled; /* entries that found the heap full and were put in later */
    double time_ms;   /* of the search alone: the graph is on the device before */
    bool too_far;     /* distances overflowed: nothing else is valid, try `wide` */
    char error[1200]; /* why it failed */
};

/* Write all distances from the source to `distance` (graph->nodes of them; UINT64_MAX: not
 * reached). False on failure: result->error says why. */
bool sssp_solve_by_paths(uint64_t *distance, struct sssp_result *result, clade_context *context,
                         const struct graph *graph, const struct sssp_params *params);
bool sssp_solve_by_heap(uint64_t *distance, struct sssp_result *result, clade_context *context,
                        const struct graph *graph, const struct sssp_params *params);

/* The search by a heap in steps, for several on one graph. The four belong to the search until it
 * is closed. NULL, or false: result->error says why. */
struct sssp_heap;
struct sssp_heap *sssp_heap_open(struct sssp_result *result, clade_context *context,
                                 const struct graph *graph, const struct sssp_params *params);
bool sssp_heap_run(struct sssp_heap *search);
bool sssp_heap_read(struct sssp_heap *search, uint64_t *distance);
void sssp_heap_close(struct sssp_heap *search); /* NULL is fine */

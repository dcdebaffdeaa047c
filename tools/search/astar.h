/* SPDX-License-Identifier: Apache-2.0 */
/* A*: the searches behind `clade astar`, on a device and on one core of the host. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include <clade/clade.h>

#include "graph/dijkstra.h"
#include "graph/graph.h"
#include "graph/gridmap.h"

/* What is searched. The bounds say for each node what is at least left of the way from there to
 * `to`; along an arc they fall by at most its weight. */
struct astar_problem {
    const struct graph *graph;
    const uint32_t *bounds;
    uint32_t from, to; /* indices, from 0 */
};

struct astar_result {
    uint64_t length;   /* of the best way; DISTANCE_NONE: there is none */
    uint32_t *way;     /* its nodes from first to last; NULL: there is none. free() it */
    uint64_t nodes;    /* how many */
    uint64_t explored; /* nodes expanded, again after each time they came nearer */
    uint64_t spilled;  /* entries that found the heap full and were put in later */
    double graph_ms;   /* until the graph was on the device */
    double time_ms;    /* of the search alone */
    char error[1200];
};

/* Find a shortest way by clade_paths. False on failure: result->error says why. */
bool astar_solve_by_paths(struct astar_result *result, clade_context *context,
                          const struct astar_problem *problem);

/* The same with a binary heap on one core. */
bool astar_solve_on_host(struct astar_result *result, const struct astar_problem *problem);

/* Whether the way leads from `from` to `to` along arcs that add up to the length. `why`: a sentence
 * when not. */
bool astar_is_way(const struct astar_result *result, const struct astar_problem *problem,
                  const char **why);

/* --- by a heap on the device, on grids ------------------------------------------------------- */

/* Zero fields are defaults. */
struct astar_params {
    uint32_t from, to; /* cells, free ones */
    uint32_t engine;   /* of the heap */
    uint32_t batch;    /* entries that a group makes at most; default: what suits the device */
    uint32_t groups;   /* most work-groups at once; default: what suits */
    uint64_t heap;     /* the heap's capacity in entries; default: 2^20 */
    /* Called between launches with the cells expanded so far; may be NULL. */
    void (*progress)(void *user, uint64_t explored);
    void *progress_user;
};

bool astar_solve_by_heap(struct astar_result *result, clade_context *context,
                         const struct gridmap *map, const struct astar_params *params);

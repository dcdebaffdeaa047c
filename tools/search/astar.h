/* SPDX-License-Identifier: Apache-2.0 */
/* A* on a grid on a device: the search behind `clade astar`. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include <clade/clade.h>

#include "graph/gridmap.h"

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

struct astar_result {
    uint32_t length;   /* cost of the best way; GRIDMAP_FAR: there is none */
    uint32_t *way;     /* its cells from first to last; NULL: there is none. free() it */
    uint64_t cells;    /* how many */
    uint64_t explored; /* cells expanded, again after each time they came nearer */
    uint64_t spilled;
    double time_ms; /* of the search alone: the map is on the device before */
    char error[1200];
};

/* Find a shortest way. False on failure: result->error says why. */
bool astar_solve(struct astar_result *result, clade_context *context, const struct gridmap *map,
                 const struct astar_params *params);

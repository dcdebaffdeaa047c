/* SPDX-License-Identifier: Apache-2.0 */
/* What `clade astar` searches: a map or a graph, from where to where. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "search/astar.h"

/* As the command line says it. */
struct astar_source {
    const char *file;                      /* a map, or with `co` a graph; NULL: made up */
    const char *co;                        /* coordinates of a graph's nodes */
    const char *write;                     /* where the map goes; NULL: nowhere */
    const char *from, *to;                 /* "X,Y", in a graph a node's number; NULL: not given */
    uint64_t width, height, percent, seed; /* of a map that is made up */
    bool has_graph;                        /* make a graph of a map, and bounds */
};

struct astar_task {
    struct astar_problem problem;
    struct gridmap map; /* empty when it is a graph */
    struct graph graph;
    uint32_t *bounds;
};

/* "WIDTHxHEIGHT". */
bool astar_size(const char *text, struct astar_source *source);

/* false, and a sentence on standard error: it cannot be searched. Close it in either case. */
bool astar_task_open(struct astar_task *task, const struct astar_source *source);
void astar_task_close(struct astar_task *task);

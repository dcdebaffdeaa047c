/* SPDX-License-Identifier: Apache-2.0 */
/* Dijkstra's algorithm with a binary heap of nodes. */
#include "graph/dijkstra.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>

#define NOT_QUEUED UINT32_MAX

/* Nodes ordered by their distance. node[0 .. count - 1] is a heap: no node is nearer than its
 * parent; place[] is its inverse, NOT_QUEUED for nodes outside. */
struct frontier {
    const uint64_t *distance;
    uint32_t *node;
    uint32_t *place;
    uint32_t count;
};

static void put(struct frontier *frontier, uint32_t place, uint32_t node)
{
    frontier->node[place] = node;
    frontier->place[node] = place;
}

/* The node's distance has become smaller, or it is new at the end: move it up to its place. */
static void sift_up(struct frontier *frontier, uint32_t place)
{
    uint32_t node = frontier->node[place];

    while (place > 0) {
        uint32_t parent = frontier->node[(place - 1) / 2];
        if (frontier->distance[parent] <= frontier->distance[node])
            break;
        put(frontier, place, parent);
        place = (place - 1) / 2;
    }
    put(frontier, place, node);
}

/* `node` is to stand at the top or below it: move nearer children up until it fits. */
static void sift_down(struct frontier *frontier, uint32_t node)
{
    uint64_t place = 0, child; /* 64 bits: 2 * place may exceed 32 */

    while ((child = 2 * place + 1) < frontier->count) {
        if (child + 1 < frontier->count && frontier->distance[frontier->node[child + 1]] <
                                               frontier->distance[frontier->node[child]])
            child++;
        if (frontier->distance[node] <= frontier->distance[frontier->node[child]])
            break;
        put(frontier, (uint32_t)place, frontier->node[child]);
        place = child;
    }
    put(frontier, (uint32_t)place, node);
}

static uint32_t take_nearest(struct frontier *frontier)
{
    uint32_t nearest = frontier->node[0];
    uint32_t last = frontier->node[--frontier->count];

    frontier->place[nearest] = NOT_QUEUED;
    if (frontier->count > 0)
        sift_down(frontier, last);
    /* A wrong order would still end in the right distances, only late: it is caught here. */
    assert(frontier->count == 0 ||
           frontier->distance[nearest] <= frontier->distance[frontier->node[0]]);
    return nearest;
}

static void add_or_move_up(struct frontier *frontier, uint32_t node)
{
    if (frontier->place[node] == NOT_QUEUED)
        put(frontier, frontier->count++, node);
    sift_up(frontier, frontier->place[node]);
}

bool dijkstra(uint64_t *distance, const struct graph *graph, uint64_t source,
              struct file_error *error)
{
    struct frontier frontier = { .distance = distance };

    if (source >= graph->nodes)
        return file_error_set(error, "shortest paths",
                              "there is no node %" PRIu64 ": nodes are %" PRIu32 " to %" PRIu64,
                              source + graph->first_id, graph->first_id,
                              graph->nodes - 1 + graph->first_id);
    frontier.node = malloc((size_t)graph->nodes * sizeof *frontier.node);
    frontier.place = malloc((size_t)graph->nodes * sizeof *frontier.place);
    if (!frontier.node || !frontier.place) {
        free(frontier.node);
        free(frontier.place);
        return file_error_set(error, "shortest paths", "memory is out for %" PRIu64 " nodes",
                              graph->nodes);
    }
    for (uint64_t u = 0; u < graph->nodes; u++) {
        distance[u] = DISTANCE_NONE;
        frontier.place[u] = NOT_QUEUED;
    }
    distance[source] = 0;
    add_or_move_up(&frontier, (uint32_t)source);
    while (frontier.count > 0) {
        uint32_t u = take_nearest(&frontier);
        for (uint64_t i = graph->first[u]; i < graph->first[u + 1]; i++) {
            uint32_t v = graph->target[i];
            uint64_t through = distance[u] + graph->weight[i];
            if (through < distance[v]) {
                distance[v] = through;
                add_or_move_up(&frontier, v);
            }
        }
    }
    free(frontier.node);
    free(frontier.place);
    return true;
}

struct distance_summary distance_summary(const uint64_t *distance, uint64_t nodes)
{
    struct distance_summary summary = { 0, 0, 0 };

    for (uint64_t u = 0; u < nodes; u++) {
        if (distance[u] == DISTANCE_NONE)
            continue;
        summary.reached++;
        summary.sum += distance[u];
        if (distance[u] > summary.max)
            summary.max = distance[u];
    }
    return summary;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* A* with a binary heap on one core, and the proof of a way. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/clock.h"
#include "graph/parse.h"
#include "search/astar.h"

/* Of two with the same estimate the one that is further on its way comes first. */
struct entry {
    uint64_t estimate; /* length + bound */
    uint32_t length, node;
};

struct search {
    const struct astar_problem *problem;
    struct astar_result *result;
    uint32_t *length;      /* UINT32_MAX: not reached */
    uint32_t *predecessor; /* of nodes that were reached, but `from` */
    struct entry *heap;
    uint64_t count, room;
};

static bool comes_before(const struct entry *a, const struct entry *b)
{
    return a->estimate != b->estimate ? a->estimate < b->estimate : a->length > b->length;
}

static bool push(struct search *s, uint32_t node)
{
    const struct entry entry = { (uint64_t)s->length[node] + s->problem->bounds[node],
                                 s->length[node], node };
    if (!graph_grow(&s->heap, &s->room, s->count + 1, sizeof *s->heap))
        return false;
    uint64_t at = s->count++;
    for (; at > 0 && comes_before(&entry, &s->heap[(at - 1) / 2]); at = (at - 1) / 2)
        s->heap[at] = s->heap[(at - 1) / 2];
    s->heap[at] = entry;
    return true;
}

static struct entry pop(struct search *s)
{
    const struct entry first = s->heap[0], last = s->heap[--s->count];
    uint64_t at = 0, child;
    while ((child = 2 * at + 1) < s->count) {
        if (child + 1 < s->count && comes_before(&s->heap[child + 1], &s->heap[child]))
            child++;
        if (!comes_before(&s->heap[child], &last))
            break;
        s->heap[at] = s->heap[child];
        at = child;
    }
    s->heap[at] = last;
    return first;
}

/* As on the device, a length of 2^32 - 1 or more is none. */
static bool expand(struct search *s, const struct entry *entry)
{
    const struct graph *graph = s->problem->graph;
    s->result->explored++;
    for (uint64_t arc = graph->first[entry->node]; arc < graph->first[entry->node + 1]; arc++) {
        const uint32_t to = graph->target[arc];
        const uint64_t through = (uint64_t)entry->length + graph->weight[arc];
        if (through >= s->length[to])
            continue;
        s->length[to] = (uint32_t)through;
        s->predecessor[to] = entry->node;
        if (!push(s, to))
            return false;
    }
    return true;
}

static bool search(struct search *s)
{
    const struct astar_problem *p = s->problem;
    memset(s->length, 0xff, (size_t)p->graph->nodes * sizeof *s->length);
    s->length[p->from] = 0;
    bool fine = push(s, p->from);
    while (fine && s->count > 0) {
        const struct entry entry = pop(s);
        if (entry.node == p->to)
            break;
        if (entry.length == s->length[entry.node])
            fine = expand(s, &entry);
    }
    return fine;
}

static bool keep_way(struct search *s)
{
    const struct astar_problem *p = s->problem;
    struct astar_result *r = s->result;
    r->length = s->length[p->to];
    for (uint32_t node = p->to; node != p->from; node = s->predecessor[node])
        r->nodes++;
    r->way = malloc((size_t)++r->nodes * sizeof *r->way);
    uint32_t node = p->to;
    for (uint64_t i = r->nodes; r->way && i-- > 0; node = s->predecessor[node])
        r->way[i] = node;
    return r->way != NULL;
}

bool astar_solve_on_host(struct astar_result *result, const struct astar_problem *problem)
{
    const size_t nodes = (size_t)problem->graph->nodes;
    struct search s = { .problem = problem, .result = result };
    *result = (struct astar_result) { .length = DISTANCE_NONE };
    s.length = malloc(nodes * sizeof *s.length);
    s.predecessor = calloc(nodes, sizeof *s.predecessor);
    const double begin = now_ms();
    bool fine = s.length && s.predecessor && search(&s);
    result->time_ms = now_ms() - begin;
    if (fine && s.length[problem->to] != UINT32_MAX)
        fine = keep_way(&s);
    if (!fine)
        snprintf(result->error, sizeof result->error, "host memory is out");
    free(s.length);
    free(s.predecessor);
    free(s.heap);
    return fine;
}

/* --- the proof of a way ----------------------------------------------------------------------- */

static bool add_step(const struct graph *graph, uint32_t from, uint32_t to, uint64_t *length)
{
    uint64_t least = DISTANCE_NONE;
    for (uint64_t arc = graph->first[from]; arc < graph->first[from + 1]; arc++)
        if (graph->target[arc] == to && graph->weight[arc] < least)
            least = graph->weight[arc];
    *length += least == DISTANCE_NONE ? 0 : least;
    return least != DISTANCE_NONE;
}

bool astar_is_way(const struct astar_result *result, const struct astar_problem *problem,
                  const char **why)
{
    uint64_t length = 0;
    *why = "the way found goes where no arc is";
    for (uint64_t i = 1; i < result->nodes; i++)
        if (!add_step(problem->graph, result->way[i - 1], result->way[i], &length))
            return false;
    *why = "the way found is not as long as it says";
    return result->way[0] == problem->from && result->way[result->nodes - 1] == problem->to &&
           length == result->length;
}

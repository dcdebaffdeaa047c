/* SPDX-License-Identifier: Apache-2.0 */
/* A* on a grid by a heap on the device: buffers, launches, the end, the way. cl/tools/astar.cl has
 * the kernel. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/clock.h"
#include "search/astar.h"
#include "search/bestfirst.h"

/* state[] of cl/tools/astar.cl */
enum { EXPLORED, DROPPED, STATE };

struct search {
    struct bestfirst base;
    const struct gridmap *map;
    const struct astar_params *params;
    struct astar_result *result;
    cl_mem blocked, dist, state;
    size_t cells;
    cl_uint seen[STATE];
    uint64_t taken; /* entries, so far */
};

/* --- setting up ----------------------------------------------------------------------------- */

static bool build(struct search *s)
{
    struct bestfirst *b = &s->base;
    char options[768];
    snprintf(options, sizeof options, "%s -DASTAR_TAKE=%u", b->frontier.options,
             (unsigned)b->batch / 8);
    if (!bestfirst_buffer(b, &s->blocked, s->cells) ||
        !bestfirst_buffer(b, &s->dist, s->cells * sizeof(cl_uint)) ||
        !bestfirst_buffer(b, &s->state, STATE * sizeof(cl_uint)))
        return false;
    const cl_mem mems[] = { s->blocked, s->dist, s->state };
    const cl_uint words[] = { s->map->width, s->map->height, s->params->to };
    return bestfirst_build(b, "tools/astar.cl", options, "clade_astar_expand") &&
           bestfirst_set(b, mems, sizeof mems / sizeof mems[0], words,
                         sizeof words / sizeof words[0]) &&
           bestfirst_write(b, s->blocked, 0, s->map->blocked, s->cells);
}

/* --- launching ------------------------------------------------------------------------------ */

/* All cells far, the first at hand. */
static bool start(struct search *s)
{
    struct bestfirst *b = &s->base;
    const cl_uint zero[STATE] = { 0 };
    const uint32_t estimate = gridmap_bound(s->map, s->params->from, s->params->to);
    memset(s->seen, 0, sizeof s->seen);
    return bestfirst_fill(b, s->dist, GRIDMAP_FAR, s->cells * sizeof(cl_uint)) &&
           bestfirst_write(b, s->dist, s->params->from * sizeof(cl_uint), zero, sizeof zero[0]) &&
           bestfirst_write(b, s->state, 0, zero, sizeof zero) &&
           bestfirst_frontier(b,
                              frontier_put(&b->frontier, GRIDMAP_FAR - estimate, s->params->from));
}

/* Wait for what was launched, and look at how far it is. */
static bool look(void *user, size_t groups)
{
    struct search *s = user;
    struct bestfirst *b = &s->base;
    cl_uint now[STATE], best;
    if (!bestfirst_read(b, s->state, 0, now, sizeof now) ||
        !bestfirst_read(b, s->dist, s->params->to * sizeof best, &best, sizeof best))
        return false;
    s->result->explored += now[EXPLORED] - s->seen[EXPLORED]; /* the words may wrap */
    s->taken += (now[EXPLORED] - s->seen[EXPLORED]) + (uint64_t)(now[DROPPED] - s->seen[DROPPED]);
    memcpy(s->seen, now, sizeof now);
    s->result->length = best == GRIDMAP_FAR ? DISTANCE_NONE : best;
    /* Estimates of `best` or more are dead; while there is no way, none are. */
    if (!bestfirst_frontier(b, frontier_settle(&b->frontier, groups,
                                               best == GRIDMAP_FAR ? 0 : GRIDMAP_FAR - best + 1)))
        return false;
    if (s->params->progress)
        s->params->progress(s->params->progress_user, s->result->explored);
    return true;
}

static uint64_t taken(void *user)
{
    return ((const struct search *)user)->taken;
}

/* --- the way --------------------------------------------------------------------------------- */

/* From the goal back, always to a cell that is nearer by what the step costs: the distances of a
 * best way are exact. */
static bool trace(struct search *s)
{
    struct astar_result *r = s->result;
    uint32_t *distance = malloc(s->cells * sizeof *distance), to[8], cost[8];
    const uint64_t most = r->length / GRIDMAP_STRAIGHT + 1;
    uint32_t cell = s->params->to;
    bool fine = distance && (r->way = malloc((size_t)most * sizeof *r->way)) &&
                bestfirst_read(&s->base, s->dist, 0, distance, s->cells * sizeof *distance);
    if (!fine && !*r->error)
        snprintf(r->error, sizeof r->error, "host memory is out");
    if (fine)
        r->way[r->nodes++] = cell;
    while (fine && cell != s->params->from) {
        const unsigned steps = gridmap_steps(s->map, cell, to, cost);
        unsigned i = 0;
        while (i < steps && distance[to[i]] != distance[cell] - cost[i])
            i++;
        if ((fine = i < steps && r->nodes < most))
            r->way[r->nodes++] = cell = to[i];
        else
            snprintf(r->error, sizeof r->error, "the distances found make no way");
    }
    for (uint64_t i = 0; fine && i < r->nodes / 2; i++) {
        uint32_t other = r->way[r->nodes - 1 - i];
        r->way[r->nodes - 1 - i] = r->way[i];
        r->way[i] = other;
    }
    free(distance);
    return fine;
}

static bool run(struct search *s)
{
    struct bestfirst *b = &s->base;
    const struct bestfirst_steps steps = {
        .user = s, .look = look, .taken = taken, .take = b->batch / 8
    };
    const struct frontier_params params = { .engine = s->params->engine,
                                            .capacity = s->params->heap ? s->params->heap
                                                                        : (uint64_t)1 << 20 };
    if (!bestfirst_open(b, params) || !build(s))
        return false;
    /* Some drivers compile a kernel when it is first launched: that is not the search's time. */
    if (!start(s) || !bestfirst_launch(b, 1, 0) || !look(s, 1) ||
        !bestfirst_frontier(b, frontier_clear(&b->frontier)) ||
        !bestfirst_clade(b, clade_finish(b->context)))
        return false;
    const double begin = now_ms();
    if (!start(s) || !bestfirst_run(b, &steps))
        return false;
    s->result->time_ms = now_ms() - begin;
    s->result->spilled = b->frontier.spilled;
    return s->result->length == DISTANCE_NONE || trace(s);
}

bool astar_solve_by_heap(struct astar_result *result, clade_context *context,
                         const struct gridmap *map, const struct astar_params *params)
{
    struct search search = { .base = { .context = context,
                                       .queue = clade_context_cl_queue(context),
                                       .error = result->error,
                                       .error_size = sizeof result->error },
                             .map = map,
                             .params = params,
                             .result = result,
                             .cells = (size_t)map->width * map->height };
    *result = (struct astar_result) { 0 };
    bestfirst_choose(&search.base, params->groups, 64, params->batch);
    bool fine = run(&search);
    const cl_mem mems[] = { search.blocked, search.dist, search.state };
    bestfirst_close(&search.base, mems, sizeof mems / sizeof mems[0]);
    if (!fine) {
        free(result->way);
        result->way = NULL;
    }
    return fine;
}

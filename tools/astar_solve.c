/* SPDX-License-Identifier: Apache-2.0 */
/* The search on the device: buffers, launches, the end, the way. cl/astar.cl has the kernel. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "astar.h"
#include "failure.h"
#include "frontier.h"

/* state[] of cl/astar.cl */
enum { EXPLORED, DROPPED, STATE };

/* As in knapsack_solve.c. */
enum { ROUNDS = 64, ROUNDS_SHORT = 2, ROUNDS_FIRST = 8, IDLE_MAX = 1000 };

struct search {
    clade_context *context;
    cl_command_queue queue;
    const struct gridmap *map;
    const struct astar_params *params;
    struct astar_result *result;
    struct frontier frontier;
    clade_program *program;
    cl_kernel expand;
    cl_mem blocked, dist, state;
    size_t group_size, groups, cells;
    cl_uint batch, rounds;
    cl_uint seen[STATE];
    uint64_t taken; /* entries, so far */
};

static bool cl_ok(struct search *s, const char *call, cl_int code)
{
    return failure_none_cl(s->result->error, sizeof s->result->error, call, code);
}

static bool clade_ok(struct search *s, clade_status status)
{
    return failure_none(s->result->error, sizeof s->result->error, status);
}

static bool frontier_ok(struct search *s, bool fine)
{
    if (!fine)
        snprintf(s->result->error, sizeof s->result->error, "%s", s->frontier.error);
    return fine;
}

/* What any way from a cell to the goal costs at least. */
static uint32_t ahead(const struct search *s, uint32_t cell)
{
    const uint32_t width = s->map->width, goal = s->params->to;
    const uint32_t x = cell % width, y = cell / width, gx = goal % width, gy = goal / width;
    const uint32_t dx = x > gx ? x - gx : gx - x, dy = y > gy ? y - gy : gy - y;
    const uint32_t most = dx > dy ? dx : dy, least = dx > dy ? dy : dx;
    return GRIDMAP_STRAIGHT * (most - least) + GRIDMAP_DIAGONAL * least;
}

/* --- setting up ----------------------------------------------------------------------------- */

static void choose_sizes(struct search *s)
{
    const clade_caps *caps = clade_context_caps(s->context);
    const struct astar_params *p = s->params;
    s->group_size = caps->is_cpu ? 1 : 256;
    /* A driver that leaves long loops leaves waits for locks as well: one group has no waits. */
    s->groups = caps->loop_limit ? 1
                : p->groups      ? p->groups
                : caps->is_cpu   ? caps->compute_units
                                 : 64;
    s->batch = p->batch ? p->batch : caps->is_cpu ? 512 : 1024;
    s->rounds = caps->loop_limit ? ROUNDS_SHORT : ROUNDS;
    s->cells = (size_t)s->map->width * s->map->height;
}

static bool make_buffer(struct search *s, cl_mem *mem, size_t bytes)
{
    cl_int code;
    *mem =
        clCreateBuffer(clade_context_cl_context(s->context), CL_MEM_READ_WRITE, bytes, NULL, &code);
    return cl_ok(s, "clCreateBuffer", code);
}

static bool build(struct search *s)
{
    char options[768];
    snprintf(options, sizeof options, "%s -DASTAR_TAKE=%u", s->frontier.options,
             (unsigned)s->batch / 8);
    return make_buffer(s, &s->blocked, s->cells) &&
           make_buffer(s, &s->dist, s->cells * sizeof(cl_uint)) &&
           make_buffer(s, &s->state, STATE * sizeof(cl_uint)) &&
           clade_ok(s, clade_program_build(
                           &s->program, s->context,
                           &(clade_program_params) { .file = "astar.cl", .options = options })) &&
           clade_ok(s, clade_program_kernel(&s->expand, s->program, "clade_astar_expand")) &&
           cl_ok(s, "clEnqueueWriteBuffer",
                 clEnqueueWriteBuffer(s->queue, s->blocked, CL_TRUE, 0, s->cells, s->map->blocked,
                                      0, NULL, NULL));
}

static void release_all(struct search *s)
{
    cl_mem mems[] = { s->blocked, s->dist, s->state };
    for (size_t i = 0; i < sizeof mems / sizeof mems[0]; i++)
        if (mems[i])
            clReleaseMemObject(mems[i]);
    if (s->expand)
        clReleaseKernel(s->expand);
    clade_program_destroy(&s->program);
    frontier_destroy(&s->frontier);
}

/* --- launching ------------------------------------------------------------------------------ */

static bool launch(struct search *s, size_t groups, cl_uint rounds)
{
    const cl_mem mems[] = { clade_heap_mem(s->frontier.heap),
                            s->blocked,
                            s->dist,
                            s->state,
                            s->frontier.spill_key,
                            s->frontier.spill_value,
                            s->frontier.spill_count };
    const cl_uint words[] = { s->map->width, s->map->height, s->params->to, rounds };
    const size_t items = groups * s->group_size;
    cl_uint argument = 0;
    bool fine = true;
    for (size_t i = 0; fine && i < sizeof mems / sizeof mems[0]; i++)
        fine = cl_ok(s, "clSetKernelArg",
                     clSetKernelArg(s->expand, argument++, sizeof mems[i], &mems[i]));
    for (size_t i = 0; fine && i < sizeof words / sizeof words[0]; i++)
        fine = cl_ok(s, "clSetKernelArg",
                     clSetKernelArg(s->expand, argument++, sizeof words[i], &words[i]));
    return fine && cl_ok(s, "clEnqueueNDRangeKernel",
                         clEnqueueNDRangeKernel(s->queue, s->expand, 1, NULL, &items,
                                                &s->group_size, 0, NULL, NULL));
}

static bool read_words(struct search *s, cl_mem mem, size_t offset, void *to, size_t bytes)
{
    return cl_ok(s, "clEnqueueReadBuffer",
                 clEnqueueReadBuffer(s->queue, mem, CL_TRUE, offset, bytes, to, 0, NULL, NULL));
}

/* All cells far, the first at hand. */
static bool start(struct search *s)
{
    const cl_uint far = GRIDMAP_FAR, zero[STATE] = { 0 };
    memset(s->seen, 0, sizeof s->seen);
    return cl_ok(s, "clEnqueueFillBuffer",
                 clEnqueueFillBuffer(s->queue, s->dist, &far, sizeof far, 0, s->cells * sizeof far,
                                     0, NULL, NULL)) &&
           cl_ok(s, "clEnqueueWriteBuffer",
                 clEnqueueWriteBuffer(s->queue, s->dist, CL_TRUE, s->params->from * sizeof(cl_uint),
                                      sizeof zero[0], zero, 0, NULL, NULL)) &&
           cl_ok(s, "clEnqueueWriteBuffer",
                 clEnqueueWriteBuffer(s->queue, s->state, CL_TRUE, 0, sizeof zero, zero, 0, NULL,
                                      NULL)) &&
           frontier_ok(s, frontier_put(&s->frontier, GRIDMAP_FAR - ahead(s, s->params->from),
                                       s->params->from));
}

/* Wait for what was launched, and look at how far it is. */
static bool look(struct search *s, size_t groups)
{
    cl_uint now[STATE], best;
    if (!read_words(s, s->state, 0, now, sizeof now) ||
        !read_words(s, s->dist, s->params->to * sizeof best, &best, sizeof best))
        return false;
    s->result->explored += now[EXPLORED] - s->seen[EXPLORED]; /* the words may wrap */
    s->taken += (now[EXPLORED] - s->seen[EXPLORED]) + (uint64_t)(now[DROPPED] - s->seen[DROPPED]);
    memcpy(s->seen, now, sizeof now);
    s->result->length = best;
    /* Estimates of `best` or more are dead; while there is no way, none are. */
    if (!frontier_ok(s, frontier_settle(&s->frontier, groups,
                                        best == GRIDMAP_FAR ? 0 : GRIDMAP_FAR - best + 1)))
        return false;
    if (s->params->progress)
        s->params->progress(s->params->progress_user, s->result->explored);
    return true;
}

static double now_ms(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e3 + (double)time.tv_nsec * 1e-6;
}

/* Launch until nothing is open after a launch: then no group holds an entry either. */
static bool search(struct search *s)
{
    unsigned idle = 0; /* launches in a row that took no entry */
    cl_uint rounds = s->rounds < ROUNDS_FIRST ? s->rounds : ROUNDS_FIRST;
    while (s->frontier.size + s->frontier.stored > 0) {
        const uint64_t before = s->taken;
        size_t groups = (size_t)(s->frontier.size / (s->batch / 8)) + 1;
        if (groups > s->groups)
            groups = s->groups;
        if (!launch(s, groups, rounds) || !look(s, groups))
            return false;
        idle = s->taken > before ? 0 : idle + 1;
        if (idle > IDLE_MAX) {
            snprintf(s->result->error, sizeof s->result->error,
                     "the search made no progress in %u launches", idle);
            return false;
        }
        rounds = s->rounds;
    }
    return true;
}

/* --- the way --------------------------------------------------------------------------------- */

/* From the goal back, always to a cell that is nearer by what the step costs: the distances of a
 * best way are exact. */
static bool trace(struct search *s)
{
    struct astar_result *r = s->result;
    uint32_t *distance = malloc(s->cells * sizeof *distance), to[8], cost[8];
    const uint64_t most = (uint64_t)r->length / GRIDMAP_STRAIGHT + 1;
    uint32_t cell = s->params->to;
    bool fine = distance && (r->way = malloc((size_t)most * sizeof *r->way)) &&
                read_words(s, s->dist, 0, distance, s->cells * sizeof *distance);
    if (!fine && !*r->error)
        snprintf(r->error, sizeof r->error, "host memory is out");
    if (fine)
        r->way[r->cells++] = cell;
    while (fine && cell != s->params->from) {
        const unsigned steps = gridmap_steps(s->map, cell, to, cost);
        unsigned i = 0;
        while (i < steps && distance[to[i]] != distance[cell] - cost[i])
            i++;
        if ((fine = i < steps && r->cells < most))
            r->way[r->cells++] = cell = to[i];
        else
            snprintf(r->error, sizeof r->error, "the distances found make no way");
    }
    for (uint64_t i = 0; fine && i < r->cells / 2; i++) {
        uint32_t other = r->way[r->cells - 1 - i];
        r->way[r->cells - 1 - i] = r->way[i];
        r->way[i] = other;
    }
    free(distance);
    return fine;
}

static bool run(struct search *s)
{
    const struct frontier_params params = { .batch = s->batch,
                                            .engine = s->params->engine,
                                            .capacity = s->params->heap ? s->params->heap
                                                                        : (uint64_t)1 << 20,
                                            .groups = s->groups };
    if (!frontier_ok(s, frontier_create(&s->frontier, s->context, &params)) || !build(s))
        return false;
    /* Some drivers compile a kernel when it is first launched: that is not the search's time. */
    if (!start(s) || !launch(s, 1, 0) || !look(s, 1) ||
        !frontier_ok(s, frontier_clear(&s->frontier)) || !clade_ok(s, clade_finish(s->context)))
        return false;
    const double begin = now_ms();
    if (!start(s) || !search(s))
        return false;
    s->result->time_ms = now_ms() - begin;
    s->result->spilled = s->frontier.spilled;
    return s->result->length == GRIDMAP_FAR || trace(s);
}

bool astar_solve(struct astar_result *result, clade_context *context, const struct gridmap *map,
                 const struct astar_params *params)
{
    struct search search = { .context = context,
                             .queue = clade_context_cl_queue(context),
                             .map = map,
                             .params = params,
                             .result = result };
    *result = (struct astar_result) { 0 };
    choose_sizes(&search);
    bool fine = run(&search);
    release_all(&search);
    if (!fine) {
        free(result->way);
        result->way = NULL;
    }
    return fine;
}

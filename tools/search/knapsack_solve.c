/* SPDX-License-Identifier: Apache-2.0 */
/* The search on the device: buffers, launches, the end. cl/tools/knapsack.cl has the kernel. */
#include <stdio.h>
#include <string.h>

#include "common/clock.h"
#include "search/bestfirst.h"
#include "search/knapsack.h"

/* state[] of cl/tools/knapsack.cl */
enum { BEST, EXPLORED, DEAD, STATE };

struct search {
    struct bestfirst base;
    const struct knapsack_core *core;
    const struct knapsack_params *params;
    struct knapsack_result *result;
    cl_mem weight, profit, lighter, table, state;
    cl_uint items, level_bits, room_bits, gain_bits, table_bits;
    bool wide;
    cl_uint seen[STATE]; /* state[] after the last launch */
    uint64_t best, open;
    double begin; /* of the search, ms */
};

/* --- setting up ----------------------------------------------------------------------------- */

/* Bits that hold 0 .. value. */
static cl_uint bits_for(uint64_t value)
{
    cl_uint bits = 1;
    while (bits < 64 && value >> bits)
        bits++;
    return bits;
}

/* Whether a table word of `bits` bits can name a node's kind and hold its gain. */
static bool table_fits(const struct search *s, cl_uint bits)
{
    const cl_uint place = s->level_bits + s->room_bits;
    return place < 64 && (place > s->table_bits ? place - s->table_bits : 0) + s->gain_bits <= bits;
}

static void choose_sizes(struct search *s)
{
    const clade_caps *caps = clade_context_caps(s->base.context);
    const struct knapsack_params *p = s->params;
    bestfirst_choose(&s->base, p->groups, 8, p->batch);
    s->items = s->core->items;
    s->level_bits = bits_for(s->items);
    s->room_bits = bits_for(s->core->capacity);
    s->gain_bits = bits_for(s->core->bound - s->core->found);
    s->table_bits = p->no_dominance ? 0 : caps->is_cpu ? 20 : 22;
    if (s->table_bits > s->level_bits + s->room_bits)
        s->table_bits = s->level_bits + s->room_bits;
    s->wide = p->wide || s->gain_bits + s->level_bits > 32 || s->room_bits > 32 ||
              (s->table_bits > 0 && caps->int64_atomics && !table_fits(s, 32));
    /* A word of 64 bits is whole only where there are atomics on it. */
    if (s->wide ? !caps->int64_atomics || !table_fits(s, 64) : !table_fits(s, 32))
        s->table_bits = 0;
}

static bool make_buffers(struct search *s)
{
    struct bestfirst *b = &s->base;
    const size_t sums = ((size_t)s->items + 1) * sizeof(cl_ulong);
    const size_t table = ((size_t)1 << s->table_bits) * (s->wide ? 8 : 4);
    return bestfirst_buffer(b, &s->weight, sums) && bestfirst_buffer(b, &s->profit, sums) &&
           bestfirst_buffer(b, &s->lighter, s->items * sizeof(cl_uint)) &&
           bestfirst_buffer(b, &s->table, table) &&
           bestfirst_buffer(b, &s->state, STATE * sizeof(cl_uint));
}

static bool build(struct search *s)
{
    struct bestfirst *b = &s->base;
    char options[768];
    snprintf(options, sizeof options, "%s -DKNAPSACK_TAKE=%u", b->frontier.options,
             (unsigned)b->batch / 2);
    if (!make_buffers(s) ||
        !bestfirst_build(b, "tools/knapsack.cl", options, "clade_knapsack_expand"))
        return false;
    const cl_mem mems[] = { s->weight, s->profit, s->lighter, s->table, s->state };
    const cl_uint words[] = { s->items, s->level_bits, s->room_bits, s->gain_bits, s->table_bits };
    return bestfirst_set(b, mems, sizeof mems / sizeof mems[0], words,
                         sizeof words / sizeof words[0]);
}

/* --- launching ------------------------------------------------------------------------------ */

/* The instance, an empty table, the root. */
static bool start(struct search *s)
{
    struct bestfirst *b = &s->base;
    const size_t sums = ((size_t)s->items + 1) * sizeof(cl_ulong);
    const size_t table = ((size_t)1 << s->table_bits) * (s->wide ? 8 : 4);
    const cl_uint zero[STATE] = { 0 };
    const uint64_t gain = s->core->bound - s->core->found;
    memset(s->seen, 0, sizeof s->seen);
    s->best = s->core->found;
    s->open = 1;
    return bestfirst_write(b, s->weight, 0, s->core->weight, sums) &&
           bestfirst_write(b, s->profit, 0, s->core->profit, sums) &&
           bestfirst_write(b, s->lighter, 0, s->core->lighter, s->items * sizeof(cl_uint)) &&
           bestfirst_write(b, s->state, 0, zero, sizeof zero) &&
           bestfirst_fill(b, s->table, 0, table) &&
           bestfirst_frontier(b,
                              frontier_put(&b->frontier, gain << s->level_bits, s->core->capacity));
}

/* What is at least the bound of everything that is open. */
static uint64_t open_bound(const struct search *s)
{
    const uint64_t bound = s->core->found + (s->base.frontier.top >> s->level_bits);
    return s->open > 0 && bound > s->best ? bound : s->best;
}

/* Wait for what was launched, and look at how far it is. */
static bool look(void *user, size_t groups)
{
    struct search *s = user;
    struct bestfirst *b = &s->base;
    cl_uint now[STATE];
    if (!bestfirst_read(b, s->state, 0, now, sizeof now))
        return false;
    s->result->explored += now[EXPLORED] - s->seen[EXPLORED]; /* the words may wrap */
    s->result->dead += now[DEAD] - s->seen[DEAD];
    memcpy(s->seen, now, sizeof now);
    s->best = s->core->found + now[BEST];
    if (!bestfirst_frontier(
            b, frontier_settle(&b->frontier, groups, ((uint64_t)now[BEST] + 1) << s->level_bits)))
        return false;
    s->open = b->frontier.size + b->frontier.stored;
    if (s->params->progress) {
        struct knapsack_progress progress = { s->best, open_bound(s), s->result->explored,
                                              s->open };
        s->params->progress(s->params->progress_user, &progress);
    }
    return true;
}

static uint64_t taken(void *user)
{
    const struct search *s = user;
    return s->result->explored + s->result->dead;
}

static bool stops(void *user)
{
    const struct search *s = user;
    s->result->stopped = (s->params->stop && *s->params->stop) ||
                         (s->params->limit_ms > 0 && now_ms() - s->begin > s->params->limit_ms);
    return s->result->stopped;
}

/* Some drivers compile a kernel when it is first launched. That is not the search's time. */
static bool warm_up(struct search *s)
{
    struct bestfirst *b = &s->base;
    return start(s) && bestfirst_launch(b, 1, 0) && look(s, 1) &&
           bestfirst_frontier(b, frontier_clear(&b->frontier)) &&
           bestfirst_clade(b, clade_finish(b->context));
}

static bool run(struct search *s)
{
    struct bestfirst *b = &s->base;
    const struct bestfirst_steps steps = {
        .user = s, .look = look, .taken = taken, .stops = stops, .take = b->batch / 2
    };
    const struct frontier_params params = { .wide = s->wide,
                                            .keep_dead = s->params->no_gc,
                                            .engine = s->params->engine,
                                            .capacity = s->params->heap ? s->params->heap
                                                                        : (uint64_t)1 << 22 };
    if (!bestfirst_open(b, params) || !build(s) || !warm_up(s))
        return false;
    s->result->explored = s->result->dead = 0;
    s->begin = now_ms();
    if (!start(s) || !bestfirst_run(b, &steps))
        return false;
    s->result->time_ms = now_ms() - s->begin;
    s->result->best = s->best;
    s->result->bound = s->result->stopped ? open_bound(s) : s->best;
    s->result->spilled = b->frontier.spilled;
    s->result->moved = b->frontier.moved;
    s->result->collections = b->frontier.collections;
    s->result->collected = b->frontier.collected;
    return true;
}

bool knapsack_solve(struct knapsack_result *result, clade_context *context,
                    const struct knapsack_core *core, const struct knapsack_params *params)
{
    struct search search = { .base = { .context = context,
                                       .queue = clade_context_cl_queue(context),
                                       .error = result->error,
                                       .error_size = sizeof result->error },
                             .core = core,
                             .params = params,
                             .result = result };
    *result = (struct knapsack_result) { .best = core->found, .bound = core->bound };
    if (core->items == 0)
        return true;
    choose_sizes(&search);
    bool fine = run(&search);
    const cl_mem mems[] = { search.weight, search.profit, search.lighter, search.table,
                            search.state };
    bestfirst_close(&search.base, mems, sizeof mems / sizeof mems[0]);
    return fine;
}

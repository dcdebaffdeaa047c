/* SPDX-License-Identifier: Apache-2.0 */
/* The search on the device: buffers, launches, the end. cl/knapsack.cl has the kernel. */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "failure.h"
#include "frontier.h"
#include "knapsack.h"

/* state[] of cl/knapsack.cl */
enum { BEST, EXPLORED, DEAD, STATE };

/* Batches that one group takes in one launch, so that no launch lasts long; fewer where the driver
 * limits loops (clade_caps.loop_limit). */
enum { ROUNDS = 64, ROUNDS_SHORT = 2, ROUNDS_FIRST = 8, IDLE_MAX = 1000 };

struct search {
    clade_context *context;
    cl_command_queue queue;
    const struct knapsack_core *core;
    const struct knapsack_params *params;
    struct knapsack_result *result;
    struct frontier frontier;
    clade_program *program;
    cl_kernel expand;
    cl_mem weight, profit, lighter, table, state;
    size_t group_size, groups;
    cl_uint batch, rounds, items, level_bits, room_bits, gain_bits, table_bits;
    bool wide;
    cl_uint seen[STATE]; /* state[] after the last launch */
    uint64_t best, open;
};

/* --- failing -------------------------------------------------------------------------------- */

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
    const clade_caps *caps = clade_context_caps(s->context);
    const struct knapsack_params *p = s->params;
    s->group_size = caps->is_cpu ? 1 : 256;
    /* A driver that leaves long loops leaves waits for locks as well: one group has no waits. */
    s->groups = caps->loop_limit ? 1
                : p->groups      ? p->groups
                : caps->is_cpu   ? caps->compute_units
                                 : 8;
    s->batch = p->batch ? p->batch : caps->is_cpu ? 512 : 1024;
    s->rounds = caps->loop_limit ? ROUNDS_SHORT : ROUNDS;
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
    snprintf(options, sizeof options, "%s -DKNAPSACK_TAKE=%u", s->frontier.options,
             (unsigned)s->batch / 2);
    const size_t sums = ((size_t)s->items + 1) * sizeof(cl_ulong);
    const size_t table = ((size_t)1 << s->table_bits) * (s->wide ? 8 : 4);
    return make_buffer(s, &s->weight, sums) && make_buffer(s, &s->profit, sums) &&
           make_buffer(s, &s->lighter, s->items * sizeof(cl_uint)) &&
           make_buffer(s, &s->table, table) && make_buffer(s, &s->state, STATE * sizeof(cl_uint)) &&
           clade_ok(s, clade_program_build(
                           &s->program, s->context,
                           &(clade_program_params) { .file = s->params->engine == CLADE_HEAP_FRONT
                                                                 ? "knapsack_front.cl"
                                                                 : "knapsack.cl",
                                                     .options = options })) &&
           clade_ok(s, clade_program_kernel(&s->expand, s->program, "clade_knapsack_expand"));
}

static void release_all(struct search *s)
{
    cl_mem mems[] = { s->weight, s->profit, s->lighter, s->table, s->state };
    for (size_t i = 0; i < sizeof mems / sizeof mems[0]; i++)
        if (mems[i])
            clReleaseMemObject(mems[i]);
    if (s->expand)
        clReleaseKernel(s->expand);
    clade_program_destroy(&s->program);
    frontier_destroy(&s->frontier);
}

/* --- launching ------------------------------------------------------------------------------ */

/* The arguments up to the number of rounds stay the same. */
static bool set_arguments(struct search *s)
{
    const cl_mem heap = clade_heap_mem(s->frontier.heap);
    const cl_mem mems[] = { heap,
                            s->weight,
                            s->profit,
                            s->lighter,
                            s->table,
                            s->state,
                            s->frontier.spill_key,
                            s->frontier.spill_value,
                            s->frontier.spill_count };
    const cl_uint words[] = { s->items, s->level_bits, s->room_bits, s->gain_bits, s->table_bits };
    cl_uint argument = 0;
    for (size_t i = 0; i < sizeof mems / sizeof mems[0]; i++)
        if (!cl_ok(s, "clSetKernelArg",
                   clSetKernelArg(s->expand, argument++, sizeof mems[i], &mems[i])))
            return false;
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (!cl_ok(s, "clSetKernelArg",
                   clSetKernelArg(s->expand, argument++, sizeof words[i], &words[i])))
            return false;
    return true;
}

static bool launch(struct search *s, size_t groups, cl_uint rounds)
{
    enum { ROUNDS_ARGUMENT = 14 };
    const size_t items = groups * s->group_size;
    return cl_ok(s, "clSetKernelArg",
                 clSetKernelArg(s->expand, ROUNDS_ARGUMENT, sizeof rounds, &rounds)) &&
           cl_ok(s, "clEnqueueNDRangeKernel",
                 clEnqueueNDRangeKernel(s->queue, s->expand, 1, NULL, &items, &s->group_size, 0,
                                        NULL, NULL));
}

static bool write_words(struct search *s, cl_mem mem, const void *from, size_t bytes)
{
    return cl_ok(s, "clEnqueueWriteBuffer",
                 clEnqueueWriteBuffer(s->queue, mem, CL_TRUE, 0, bytes, from, 0, NULL, NULL));
}

/* The instance, an empty table, the root. */
static bool start(struct search *s)
{
    const size_t sums = ((size_t)s->items + 1) * sizeof(cl_ulong);
    const size_t table = ((size_t)1 << s->table_bits) * (s->wide ? 8 : 4);
    const cl_uint zero[STATE] = { 0 };
    const uint64_t gain = s->core->bound - s->core->found;
    memset(s->seen, 0, sizeof s->seen);
    s->best = s->core->found;
    return write_words(s, s->weight, s->core->weight, sums) &&
           write_words(s, s->profit, s->core->profit, sums) &&
           write_words(s, s->lighter, s->core->lighter, s->items * sizeof(cl_uint)) &&
           write_words(s, s->state, zero, sizeof zero) &&
           cl_ok(s, "clEnqueueFillBuffer",
                 clEnqueueFillBuffer(s->queue, s->table, zero, sizeof zero[0], 0, table, 0, NULL,
                                     NULL)) &&
           frontier_ok(s, frontier_put(&s->frontier, gain << s->level_bits, s->core->capacity));
}

/* What is at least the bound of everything that is open. */
static uint64_t open_bound(const struct search *s)
{
    const uint64_t bound = s->core->found + (s->frontier.top >> s->level_bits);
    return s->open > 0 && bound > s->best ? bound : s->best;
}

/* Wait for what was launched, and look at how far it is. */
static bool look(struct search *s, size_t groups)
{
    cl_uint now[STATE];
    if (!cl_ok(s, "clEnqueueReadBuffer",
               clEnqueueReadBuffer(s->queue, s->state, CL_TRUE, 0, sizeof now, now, 0, NULL, NULL)))
        return false;
    s->result->explored += now[EXPLORED] - s->seen[EXPLORED]; /* the words may wrap */
    s->result->dead += now[DEAD] - s->seen[DEAD];
    memcpy(s->seen, now, sizeof now);
    s->best = s->core->found + now[BEST];
    if (!frontier_ok(
            s, frontier_settle(&s->frontier, groups, ((uint64_t)now[BEST] + 1) << s->level_bits)))
        return false;
    s->open = s->frontier.size + s->frontier.stored;
    if (s->params->progress) {
        struct knapsack_progress progress = { s->best, open_bound(s), s->result->explored,
                                              s->open };
        s->params->progress(s->params->progress_user, &progress);
    }
    return true;
}

static double now_ms(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e3 + (double)time.tv_nsec * 1e-6;
}

static bool is_time(const struct search *s, double begin)
{
    return (s->params->stop && *s->params->stop) ||
           (s->params->limit_ms > 0 && now_ms() - begin > s->params->limit_ms);
}

/* Launch until nothing is open after a launch: then no group holds a node either. */
static bool search(struct search *s, double begin)
{
    unsigned idle = 0; /* launches in a row that took no node */
    cl_uint rounds = s->rounds < ROUNDS_FIRST ? s->rounds : ROUNDS_FIRST;
    s->open = 1;
    while (s->open > 0 && !(s->result->stopped = is_time(s, begin))) {
        const uint64_t before = s->result->explored + s->result->dead;
        /* No more groups than there is work for: an idle one only gets in the way. */
        size_t groups = (size_t)(s->frontier.size / (s->batch / 2)) + 1;
        if (groups > s->groups)
            groups = s->groups;
        if (!launch(s, groups, rounds) || !look(s, groups))
            return false;
        idle = s->result->explored + s->result->dead > before ? 0 : idle + 1;
        if (idle > IDLE_MAX) {
            snprintf(s->result->error, sizeof s->result->error,
                     "the search made no progress in %u launches", idle);
            return false;
        }
        rounds = s->rounds;
    }
    return true;
}

/* Some drivers compile a kernel when it is first launched. That is not the search's time. */
static bool warm_up(struct search *s)
{
    return start(s) && launch(s, 1, 0) && look(s, 1) &&
           frontier_ok(s, frontier_clear(&s->frontier)) && clade_ok(s, clade_finish(s->context));
}

static bool run(struct search *s)
{
    const struct frontier_params params = { .wide = s->wide,
                                            .keep_dead = s->params->no_gc,
                                            .batch = s->batch,
                                            .engine = s->params->engine,
                                            .capacity = s->params->heap ? s->params->heap
                                                                        : (uint64_t)1 << 22,
                                            .groups = s->groups };
    if (!frontier_ok(s, frontier_create(&s->frontier, s->context, &params)) || !build(s) ||
        !set_arguments(s) || !warm_up(s))
        return false;
    s->result->explored = s->result->dead = 0;
    const double begin = now_ms();
    if (!start(s) || !search(s, begin))
        return false;
    s->result->time_ms = now_ms() - begin;
    s->result->best = s->best;
    s->result->bound = s->result->stopped ? open_bound(s) : s->best;
    s->result->spilled = s->frontier.spilled;
    s->result->moved = s->frontier.moved;
    s->result->collections = s->frontier.collections;
    s->result->collected = s->frontier.collected;
    return true;
}

bool knapsack_solve(struct knapsack_result *result, clade_context *context,
                    const struct knapsack_core *core, const struct knapsack_params *params)
{
    struct search search = { .context = context,
                             .queue = clade_context_cl_queue(context),
                             .core = core,
                             .params = params,
                             .result = result };
    *result = (struct knapsack_result) { .best = core->found, .bound = core->bound };
    if (core->items == 0)
        return true;
    choose_sizes(&search);
    bool fine = run(&search);
    release_all(&search);
    return fine;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* The replay on the device: events sorted by symbol, launches until all are done.
 * cl/tools/orders.cl has the kernel. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "apps/orders.h"
#include "common/clock.h"

/* counters[] of cl/tools/orders.cl */
enum { UNFINISHED, STEPS, FULL, WRONG, COUNTERS };

/* Steps of an item a launch, so that none lasts long; fewer where the driver limits loops. */
enum { ROUNDS = 512, ROUNDS_SHORT = 16, IDLE_MAX = 1000, STATE_BYTES = 48, GROUP = 16 };

struct replay {
    clade_context *context;
    cl_command_queue queue;
    const struct orders *orders;
    struct orders_result *result;
    uint32_t *place; /* of each event of the file in the sorted ones */
    struct orders_event *sorted;
    uint32_t *first, *symbols, symbol_count;
    clade_rbtree *book, *index;
    clade_program *program;
    cl_kernel kernel;
    cl_mem events, firsts, names, states, outcomes, filled, costs, counters;
};

static bool fail(struct replay *r, const char *sentence)
{
    snprintf(r->result->error, sizeof r->result->error, "%s", sentence);
    return false;
}

static bool told(struct replay *r, clade_status status)
{
    if (status == CLADE_OK)
        return true;
    const clade_error *error = clade_error_last();
    snprintf(r->result->error, sizeof r->result->error, "%s%s%.900s", error->message,
             *error->log ? "\n" : "", error->log);
    return false;
}

static bool done(struct replay *r, cl_int code, const char *what)
{
    if (code == CL_SUCCESS)
        return true;
    snprintf(r->result->error, sizeof r->result->error, "%s failed (%d)", what, code);
    return false;
}

/* Events of a symbol lie together, in the order of the file. */
static bool sort_events(struct replay *r)
{
    const struct orders *o = r->orders;
    uint32_t *starts = calloc(ORDERS_SYMBOL_MAX + 2, sizeof *starts);
    r->place = malloc((size_t)o->count * sizeof *r->place);
    r->sorted = malloc((size_t)o->count * sizeof *r->sorted);
    r->first = malloc((ORDERS_SYMBOL_MAX + 2) * sizeof *r->first);
    r->symbols = malloc((ORDERS_SYMBOL_MAX + 1) * sizeof *r->symbols);
    const bool fine = starts && r->place && r->sorted && r->first && r->symbols;
    if (fine) {
        for (uint64_t i = 0; i < o->count; i++)
            starts[o->symbol[i] + 1u]++;
        for (uint32_t s = 0; s <= ORDERS_SYMBOL_MAX; s++) {
            if (starts[s + 1] > 0) {
                r->symbols[r->symbol_count] = s;
                r->first[r->symbol_count++] = starts[s];
            }
            starts[s + 1] += starts[s];
        }
        r->first[r->symbol_count] = (uint32_t)o->count;
        for (uint64_t i = 0; i < o->count; i++) {
            r->place[i] = starts[o->symbol[i]]++;
            r->sorted[r->place[i]] = o->events[i];
        }
    }
    free(starts);
    return fine || fail(r, "memory is out");
}

static cl_mem buffer(struct replay *r, const void *data, uint64_t bytes, cl_int *code)
{
    if (*code != CL_SUCCESS)
        return NULL;
    return clCreateBuffer(clade_context_cl_context(r->context),
                          CL_MEM_READ_WRITE | (data ? (cl_mem_flags)CL_MEM_COPY_HOST_PTR : 0),
                          (size_t)bytes, (void *)(uintptr_t)data, code);
}

/* Where each symbol begins; everything else of a state is zero. */
static bool make_states(struct replay *r)
{
    cl_int code = CL_SUCCESS;
    unsigned char *states = calloc(r->symbol_count, STATE_BYTES);
    if (!states)
        return fail(r, "memory is out");
    for (uint32_t i = 0; i < r->symbol_count; i++)
        memcpy(states + (size_t)i * STATE_BYTES + 28, &r->first[i], 4);
    r->states = buffer(r, states, (uint64_t)r->symbol_count * STATE_BYTES, &code);
    free(states);
    return done(r, code, "clCreateBuffer");
}

static bool make_buffers(struct replay *r)
{
    const uint64_t n = r->orders->count;
    cl_int code = CL_SUCCESS;
    r->events = buffer(r, r->sorted, n * sizeof *r->sorted, &code);
    r->firsts = buffer(r, r->first, 4ull * (r->symbol_count + 1ull), &code);
    r->names = buffer(r, r->symbols, 4ull * r->symbol_count, &code);
    r->outcomes = buffer(r, NULL, 4 * n, &code);
    r->filled = buffer(r, NULL, 4 * n, &code);
    r->costs = buffer(r, NULL, 8 * n, &code);
    r->counters = buffer(r, NULL, 4 * COUNTERS, &code);
    return done(r, code, "clCreateBuffer") && make_states(r);
}

/* Both trees have room for every order, come as it may. */
static bool make_trees(struct replay *r)
{
    clade_rbtree_params params = { .capacity = 1000, .key = CLADE_U64, .value = CLADE_U64 };
    for (uint64_t i = 0; i < r->orders->count; i++)
        params.capacity += r->orders->events[i].kind != ORDERS_CANCEL ? 2 : 0;
    return told(r, clade_rbtree_create(&r->book, r->context, &params)) &&
           told(r, clade_rbtree_create(&r->index, r->context, &params)) &&
           told(r, clade_program_build(&r->program, r->context,
                                       &(clade_program_params) { .file = "tools/orders.cl" })) &&
           told(r, clade_program_kernel(&r->kernel, r->program, "clade_orders"));
}

static bool set_arguments(struct replay *r)
{
    cl_mem mems[] = { clade_rbtree_mem(r->book),
                      clade_rbtree_mem(r->index),
                      r->events,
                      r->firsts,
                      r->names,
                      r->states,
                      r->outcomes,
                      r->filled,
                      r->costs,
                      r->counters };
    const cl_uint steps = clade_context_caps(r->context)->loop_limit ? ROUNDS_SHORT : ROUNDS;
    cl_int code = CL_SUCCESS;
    for (cl_uint i = 0; code == CL_SUCCESS && i < 10; i++)
        code = clSetKernelArg(r->kernel, i, sizeof mems[i], &mems[i]);
    if (code == CL_SUCCESS)
        code = clSetKernelArg(r->kernel, 10, sizeof r->symbol_count, &r->symbol_count);
    if (code == CL_SUCCESS)
        code = clSetKernelArg(r->kernel, 11, sizeof steps, &steps);
    return done(r, code, "clSetKernelArg");
}

/* A launch that does nothing: some drivers compile a kernel when it first runs. */
static bool warm_up(struct replay *r)
{
    const size_t group = GROUP;
    const cl_uint none = 0;
    cl_int code = clSetKernelArg(r->kernel, 10, sizeof none, &none);
    if (code == CL_SUCCESS)
        code = clEnqueueNDRangeKernel(r->queue, r->kernel, 1, NULL, &group, &group, 0, NULL, NULL);
    if (code == CL_SUCCESS)
        code = clSetKernelArg(r->kernel, 10, sizeof r->symbol_count, &r->symbol_count);
    return done(r, code, "a launch") && told(r, clade_finish(r->context));
}

static bool run(struct replay *r)
{
    /* Groups of one size: some drivers compile a kernel for each. */
    const size_t group = GROUP, items = (r->symbol_count + group - 1) / group * group;
    cl_uint counters[COUNTERS] = { [UNFINISHED] = 1 };
    for (unsigned idle = 0; counters[UNFINISHED] > 0; idle = counters[STEPS] > 0 ? 0 : idle + 1) {
        const cl_uint zero = 0;
        if (idle == IDLE_MAX)
            return fail(r, "the trees stayed busy: no event went on in 1000 launches");
        cl_int code =
            clEnqueueFillBuffer(r->queue, r->counters, &zero, 4, 0, 4 * COUNTERS, 0, NULL, NULL);
        if (code == CL_SUCCESS)
            code =
                clEnqueueNDRangeKernel(r->queue, r->kernel, 1, NULL, &items, &group, 0, NULL, NULL);
        if (code == CL_SUCCESS)
            code = clEnqueueReadBuffer(r->queue, r->counters, CL_TRUE, 0, 4 * COUNTERS, counters, 0,
                                       NULL, NULL);
        if (!done(r, code, "a launch"))
            return false;
        if (counters[FULL] > 0)
            return fail(r, "a tree is full");
        if (counters[WRONG] > 0)
            return fail(r, "a tree answered what it may not");
    }
    return true;
}

static bool read_outcomes(struct replay *r)
{
    const size_t n = (size_t)r->orders->count;
    cl_uint *outcomes = malloc(4 * n), *filled = malloc(4 * n);
    cl_ulong *costs = malloc(8 * n);
    r->result->outcomes = malloc(n * sizeof *r->result->outcomes);
    bool fine = (outcomes && filled && costs && r->result->outcomes) || fail(r, "memory is out");
    cl_int code = CL_SUCCESS;
    if (fine)
        code =
            clEnqueueReadBuffer(r->queue, r->outcomes, CL_TRUE, 0, 4 * n, outcomes, 0, NULL, NULL);
    if (fine && code == CL_SUCCESS)
        code = clEnqueueReadBuffer(r->queue, r->filled, CL_TRUE, 0, 4 * n, filled, 0, NULL, NULL);
    if (fine && code == CL_SUCCESS)
        code = clEnqueueReadBuffer(r->queue, r->costs, CL_TRUE, 0, 8 * n, costs, 0, NULL, NULL);
    fine = fine && done(r, code, "clEnqueueReadBuffer");
    for (size_t i = 0; fine && i < n; i++) {
        const uint32_t at = r->place[i];
        r->result->outcomes[i] = (struct orders_outcome) { costs[at], filled[at], outcomes[at] };
    }
    free(outcomes);
    free(filled);
    free(costs);
    return fine;
}

/* Pieces of one interval after another: this needs no more kernels than the replay's tree has, and
 * no item walks farther than a driver's limit of loops. */
static bool read_book(struct replay *r, uint64_t *keys, uint64_t *values)
{
    const uint32_t piece = clade_context_caps(r->context)->loop_limit ? 256 : 65536;
    const uint64_t high = UINT64_MAX;
    uint64_t low = 0, got = 0;
    uint32_t count = piece;
    while (got < r->result->resting && count == piece) {
        const uint64_t left = r->result->resting - got;
        const uint32_t limit = left < piece ? (uint32_t)left : piece;
        if (!told(r, clade_rbtree_range(r->book, clade_host(&low), clade_host(&high), limit,
                                        clade_host(keys + got), clade_host(values + got),
                                        clade_host(&count), 1, NULL)))
            return false;
        got += count;
        low = got > 0 ? keys[got - 1] + 1 : 0;
    }
    return got == r->result->resting || fail(r, "the book has fewer orders than it counts");
}

/* Both trees are whole and hold the same number of orders; with `keys` wanted, read the book. */
static bool look_at_trees(struct replay *r, uint64_t **keys, uint64_t **values)
{
    clade_rbtree_stats book, index;
    if (!told(r, clade_rbtree_stats_read(r->book, &book)) ||
        !told(r, clade_rbtree_stats_read(r->index, &index)))
        return false;
    if (index.size != book.size)
        return fail(r, "book and index do not have the same orders");
    r->result->resting = book.size;
    if (!keys)
        return true;
    *keys = malloc((size_t)(book.size + 1) * 8);
    *values = malloc((size_t)(book.size + 1) * 8);
    return (*keys && *values) ? read_book(r, *keys, *values) : fail(r, "memory is out");
}

static void release(struct replay *r)
{
    cl_mem mems[] = { r->events,   r->firsts, r->names, r->states,
                      r->outcomes, r->filled, r->costs, r->counters };
    for (size_t i = 0; i < sizeof mems / sizeof mems[0]; i++)
        if (mems[i])
            clReleaseMemObject(mems[i]);
    if (r->kernel)
        clReleaseKernel(r->kernel);
    clade_program_destroy(&r->program);
    clade_rbtree_destroy(&r->book);
    clade_rbtree_destroy(&r->index);
    free(r->place);
    free(r->sorted);
    free(r->first);
    free(r->symbols);
}

bool orders_solve(struct orders_result *result, clade_context *context, const struct orders *orders,
                  uint64_t **keys, uint64_t **values)
{
    struct replay r = { .context = context,
                        .queue = clade_context_cl_queue(context),
                        .orders = orders,
                        .result = result };
    *result = (struct orders_result) { 0 };
    if (keys)
        *keys = *values = NULL;
    bool fine =
        sort_events(&r) && make_buffers(&r) && make_trees(&r) && set_arguments(&r) && warm_up(&r);
    const double begin = now_ms();
    fine = fine && run(&r);
    result->time_ms = now_ms() - begin;
    fine = fine && read_outcomes(&r) && look_at_trees(&r, keys, values);
    release(&r);
    return fine;
}

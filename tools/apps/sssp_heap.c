/* SPDX-License-Identifier: Apache-2.0 */
/* The search with a heap, as the paper does it: buffers, launches, the end. cl/tools/sssp.cl has
 * the kernels. */
#include "apps/sssp.h"

#include "common/clock.h"
#include "common/failure.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* counters[] of cl/tools/sssp.cl */
enum { VISITED, OVERFLOWED, QUEUED, SPILLED, COUNTERS };

/* Pop batches that one group takes in one launch, so that no launch lasts long; fewer where the
 * driver limits loops (clade_caps.loop_limit). */
enum { ROUNDS = 64, ROUNDS_SHORT = 2, IDLE_MAX = 1000 };

struct sssp_heap {
    clade_context *context;
    cl_command_queue queue;
    const struct graph *graph;
    const struct sssp_params *params;
    struct sssp_result *result;
    size_t groups;  /* that work on the heap at once */
    size_t sweeper; /* that look at all nodes, each item at few enough for the driver's loops */
    size_t group_size, batch, distance_bytes;
    cl_uint rounds;
    uint64_t capacity; /* of the heap */
    clade_heap *heap;
    clade_program *program;
    cl_kernel init, expand, gather;
    cl_mem first, target, weight, dist, mark, counters;
    cl_mem list; /* gathered nodes */
    cl_mem keys; /* gathered nodes' distances */
    cl_uint count[COUNTERS];
};

/* --- failing -------------------------------------------------------------------------------- */

static bool cl_ok(struct sssp_heap *s, const char *call, cl_int code)
{
    return failure_none_cl(s->result->error, sizeof s->result->error, call, code);
}

static bool clade_ok(struct sssp_heap *s, clade_status status)
{
    return failure_none(s->result->error, sizeof s->result->error, status);
}

#define TRY_CL(call)                  \
    do {                              \
        if (!cl_ok(s, #call, (call))) \
            return false;             \
    } while (0)

/* --- memory --------------------------------------------------------------------------------- */

static bool make_buffer(struct sssp_heap *s, cl_mem *mem, size_t bytes, const void *content)
{
    cl_int code;
    *mem = clCreateBuffer(clade_context_cl_context(s->context), CL_MEM_READ_WRITE,
                          bytes ? bytes : 4, NULL, &code);
    if (!cl_ok(s, "clCreateBuffer", code))
        return false;
    if (content && bytes > 0)
        TRY_CL(clEnqueueWriteBuffer(s->queue, *mem, CL_TRUE, 0, bytes, content, 0, NULL, NULL));
    return true;
}

/* The graph's offsets fit 32 bits on the device. */
static bool upload_offsets(struct sssp_heap *s)
{
    const size_t nodes = (size_t)s->graph->nodes;
    cl_uint *first = malloc((nodes + 1) * sizeof *first);
    if (!first) {
        snprintf(s->result->error, sizeof s->result->error, "host memory is out");
        return false;
    }
    for (size_t v = 0; v <= nodes; v++)
        first[v] = (cl_uint)s->graph->first[v];
    bool fine = make_buffer(s, &s->first, (nodes + 1) * sizeof *first, first);
    free(first);
    return fine;
}

static bool make_buffers(struct sssp_heap *s)
{
    const struct graph *graph = s->graph;
    const size_t nodes = (size_t)graph->nodes, arcs = (size_t)graph->arcs, word = sizeof(cl_uint);
    return upload_offsets(s) && make_buffer(s, &s->target, arcs * word, graph->target) &&
           make_buffer(s, &s->weight, arcs * word, graph->weight) &&
           make_buffer(s, &s->dist, nodes * s->distance_bytes, NULL) &&
           make_buffer(s, &s->mark, nodes * word, NULL) &&
           make_buffer(s, &s->counters, sizeof s->count, NULL) &&
           make_buffer(s, &s->list, nodes * word, NULL) &&
           make_buffer(s, &s->keys, nodes * s->distance_bytes, NULL);
}

static void release_all(struct sssp_heap *s)
{
    cl_mem mems[] = { s->first, s->target,   s->weight, s->dist,
                      s->mark,  s->counters, s->list,   s->keys };
    cl_kernel kernels[] = { s->init, s->expand, s->gather };
    for (size_t i = 0; i < sizeof mems / sizeof mems[0]; i++)
        if (mems[i])
            clReleaseMemObject(mems[i]);
    for (size_t i = 0; i < sizeof kernels / sizeof kernels[0]; i++)
        if (kernels[i])
            clReleaseKernel(kernels[i]);
    clade_program_destroy(&s->program);
    clade_heap_destroy(&s->heap);
}

/* --- launching ------------------------------------------------------------------------------ */

struct arg {
    size_t size;
    const void *value;
};
#define ARG(variable)                 \
    {                                 \
        sizeof(variable), &(variable) \
    }
#define ARGS(...)                         \
    (const struct arg[]) { __VA_ARGS__ }, \
        sizeof((const struct arg[]) { __VA_ARGS__ }) / sizeof(struct arg)

static bool launch(struct sssp_heap *s, cl_kernel kernel, size_t groups, const struct arg *args,
                   size_t count)
{
    const size_t items = groups * s->group_size;
    for (size_t i = 0; i < count; i++)
        TRY_CL(clSetKernelArg(kernel, (cl_uint)i, args[i].size, args[i].value));
    TRY_CL(
        clEnqueueNDRangeKernel(s->queue, kernel, 1, NULL, &items, &s->group_size, 0, NULL, NULL));
    return true;
}

/* Wait for what was launched, and look at the counters. */
static bool look(struct sssp_heap *s)
{
    TRY_CL(clEnqueueReadBuffer(s->queue, s->counters, CL_TRUE, 0, sizeof s->count, s->count, 0,
                               NULL, NULL));
    s->result->visited += s->count[VISITED];
    s->result->spilled += s->count[SPILLED];
    s->result->too_far = s->result->too_far || s->count[OVERFLOWED] > 0;
    if (s->params->progress)
        s->params->progress(s->params->progress_user, s->result->visited);
    /* All but what the caller looks at next start anew. */
    const cl_uint zero[COUNTERS] = { 0 };
    TRY_CL(
        clEnqueueWriteBuffer(s->queue, s->counters, CL_TRUE, 0, sizeof zero, zero, 0, NULL, NULL));
    return true;
}

static bool start(struct sssp_heap *s)
{
    cl_uint nodes = (cl_uint)s->graph->nodes, source = (cl_uint)s->params->source;
    return launch(s, s->init, s->sweeper,
                  ARGS(ARG(s->dist), ARG(s->mark), ARG(nodes), ARG(source), ARG(s->counters)));
}

/* --- the search --------------------------------------------------------------------------- */

/* Launch until the heap is empty at the end of a launch: then no group holds queued work. */
static bool drain_heap(struct sssp_heap *s)
{
    cl_mem heap = clade_heap_mem(s->heap);
    const cl_uint rounds = s->rounds;
    uint64_t size = 1, before = 0;
    unsigned idle = 0; /* launches in a row that expanded nothing */
    while (size > 0 && !s->result->too_far) {
        /* No more groups than there is work for: an idle one only gets in the way. */
        size_t groups = (size_t)(size / s->batch) + 1;
        if (!launch(s, s->expand, groups < s->groups ? groups : s->groups,
                    ARGS(ARG(heap), ARG(s->dist), ARG(s->mark), ARG(s->first), ARG(s->target),
                         ARG(s->weight), ARG(s->counters), ARG(rounds))) ||
            !look(s) || !clade_ok(s, clade_heap_size(s->heap, &size)))
            return false;
        /* Stale entries alone fill a launch now and then, not many; a heap that gives nothing
         * although it is not empty must not hold us for ever. */
        idle = s->result->visited > before ? 0 : idle + 1;
        before = s->result->visited;
        if (idle > IDLE_MAX + s->graph->arcs / s->batch) {
            snprintf(s->result->error, sizeof s->result->error,
                     "the search made no progress in %u launches", idle);
            return false;
        }
    }
    return true;
}

/* Put the marked nodes into the (empty) heap, as many as fit; mark the others again. */
static bool refill_heap(struct sssp_heap *s, uint64_t capacity)
{
    cl_uint nodes = (cl_uint)s->graph->nodes;
    if (!launch(s, s->gather, s->sweeper,
                ARGS(ARG(s->dist), ARG(s->mark), ARG(nodes), ARG(s->list), ARG(s->keys),
                     ARG(s->counters))) ||
        !look(s))
        return false;
    uint64_t count = s->count[QUEUED];
    for (uint64_t from = 0; from < count && !s->result->too_far; from += capacity) {
        uint64_t part = count - from < capacity ? count - from : capacity;
        if (!clade_ok(s, clade_heap_insert(
                             s->heap, clade_device(s->keys, (size_t)from * s->distance_bytes),
                             clade_device(s->list, (size_t)from * sizeof(cl_uint)), part, NULL)) ||
            !drain_heap(s))
            return false;
    }
    return true;
}

static bool search_heap(struct sssp_heap *s, uint64_t capacity)
{
    const uint64_t nearest = 0;
    cl_uint source = (cl_uint)s->params->source;
    uint64_t spilled = 0;
    if (!clade_ok(s,
                  clade_heap_insert(s->heap, clade_host(&nearest), clade_host(&source), 1, NULL)) ||
        !drain_heap(s))
        return false;
    while (s->result->spilled > spilled && !s->result->too_far) {
        spilled = s->result->spilled;
        if (!refill_heap(s, capacity))
            return false;
    }
    return true;
}

/* --- setting up ----------------------------------------------------------------------------- */

static void choose_sizes(struct sssp_heap *s)
{
    const clade_caps *caps = clade_context_caps(s->context);
    s->distance_bytes = s->params->wide ? 8 : 4;
    s->batch = s->params->batch ? s->params->batch : 256;
    s->group_size = caps->is_cpu ? 1 : 256;
    s->groups = caps->is_cpu ? caps->compute_units : 2 * (size_t)caps->compute_units;
    s->sweeper = 4 * s->groups;
    s->rounds = ROUNDS;
    if (caps->loop_limit > 0) {
        /* A driver that ends loops ends waits, too, and the heap would have to be repaired. */
        s->groups = 1;
        s->sweeper += (size_t)s->graph->nodes / (caps->loop_limit / 2 * s->group_size);
        s->rounds = ROUNDS_SHORT;
    }
}

static bool build(struct sssp_heap *s)
{
    char options[512];
    snprintf(options, sizeof options, "%s -DSSSP_BATCH=%zu -DSSSP_GROUP=%zu -DSSSP_WIDE=%d",
             clade_heap_options(s->heap), s->batch, s->group_size, s->params->wide);
    return clade_ok(s, clade_program_build(&s->program, s->context,
                                           &(clade_program_params) { .file = "tools/sssp.cl",
                                                                     .options = options })) &&
           clade_ok(s, clade_program_kernel(&s->init, s->program, "clade_sssp_init")) &&
           clade_ok(s, clade_program_kernel(&s->expand, s->program, "clade_sssp_expand")) &&
           clade_ok(s, clade_program_kernel(&s->gather, s->program, "clade_sssp_gather"));
}

bool sssp_heap_read(struct sssp_heap *s, uint64_t *distance)
{
    const size_t nodes = (size_t)s->graph->nodes;
    TRY_CL(clEnqueueReadBuffer(s->queue, s->dist, CL_TRUE, 0, nodes * s->distance_bytes, distance,
                               0, NULL, NULL));
    if (s->params->wide)
        return true;
    /* Widened in place, from the end: the narrow words lie in the lower half. */
    const unsigned char *bytes = (const unsigned char *)distance;
    for (size_t v = nodes; v-- > 0;) {
        cl_uint narrow;
        memcpy(&narrow, bytes + v * sizeof narrow, sizeof narrow);
        distance[v] = narrow == UINT32_MAX ? UINT64_MAX : narrow;
    }
    return true;
}

/* Some drivers compile a kernel when it is first launched. That is not the search's time, so each
 * is launched once on nothing. */
static bool warm_up(struct sssp_heap *s)
{
    const uint64_t key = 0;
    const cl_uint none = 0, value = 0;
    cl_mem heap = clade_heap_mem(s->heap);
    return start(s) &&
           clade_ok(s, clade_heap_insert(s->heap, clade_host(&key), clade_host(&value), 1, NULL)) &&
           clade_ok(s, clade_heap_clear(s->heap, NULL)) &&
           launch(s, s->expand, 1,
                  ARGS(ARG(heap), ARG(s->dist), ARG(s->mark), ARG(s->first), ARG(s->target),
                       ARG(s->weight), ARG(s->counters), ARG(none))) &&
           clade_ok(s, clade_finish(s->context));
}

bool sssp_heap_run(struct sssp_heap *s)
{
    *s->result = (struct sssp_result) { 0 };
    const double begin = now_ms();
    const bool fine = start(s) && search_heap(s, s->capacity);
    s->result->time_ms = now_ms() - begin;
    return fine;
}

static bool is_possible(const struct sssp_heap *s)
{
    const struct graph *graph = s->graph;
    char *error = s->result->error;
    const size_t room = sizeof s->result->error;
    if (graph->arcs > CLADE_GRAPH_ARCS_MAX || graph->nodes > INT32_MAX) {
        snprintf(error, room,
                 "the graph has %" PRIu64 " nodes and %" PRIu64 " arcs; the device takes %d and %u",
                 graph->nodes, graph->arcs, INT32_MAX, CLADE_GRAPH_ARCS_MAX);
        return false;
    }
    if (s->params->wide && !clade_context_caps(s->context)->int64_atomics) {
        snprintf(error, room,
                 "distances of this graph need 64 bits, and the device has no 64-bit atomics");
        return false;
    }
    return true;
}

static bool create_heap(struct sssp_heap *s)
{
    const struct sssp_params *params = s->params;
    s->capacity = params->capacity ? params->capacity : s->graph->arcs + s->batch;
    const clade_heap_params heap = { .capacity = s->capacity,
                                     .key = params->wide ? CLADE_U64 : CLADE_U32,
                                     .value = CLADE_U32,
                                     .engine =
                                         params->engine ? params->engine : CLADE_HEAP_TOP_DOWN,
                                     .batch = (uint32_t)s->batch };
    return clade_ok(s, clade_heap_create(&s->heap, s->context, &heap));
}

void sssp_heap_close(struct sssp_heap *s)
{
    if (!s)
        return;
    release_all(s);
    free(s);
}

struct sssp_heap *sssp_heap_open(struct sssp_result *result, clade_context *context,
                                 const struct graph *graph, const struct sssp_params *params)
{
    struct sssp_heap *s = calloc(1, sizeof *s);
    *result = (struct sssp_result) { 0 };
    if (!s) {
        snprintf(result->error, sizeof result->error, "host memory is out");
        return NULL;
    }
    s->context = context;
    s->queue = clade_context_cl_queue(context);
    s->graph = graph;
    s->params = params;
    s->result = result;
    if (is_possible(s)) {
        choose_sizes(s);
        if (create_heap(s) && build(s) && make_buffers(s) && warm_up(s))
            return s;
    }
    sssp_heap_close(s);
    return NULL;
}

bool sssp_solve_by_heap(uint64_t *distance, struct sssp_result *result, clade_context *context,
                        const struct graph *graph, const struct sssp_params *params)
{
    struct sssp_heap *s = sssp_heap_open(result, context, graph, params);
    const bool fine = s && sssp_heap_run(s) && sssp_heap_read(s, distance);
    sssp_heap_close(s);
    return fine;
}

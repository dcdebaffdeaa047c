/* SPDX-License-Identifier: Apache-2.0 */
/* Calls of the host API over many keys at once, for the tree engines on CPUs: by sorting, and the
 * sorted array is the heap (cl/kernels/heap_sorted.cl). As in bulk.c the device decides whether a
 * call goes this way, so that nothing here waits for it; the engine's own kernel follows, and does
 * what is left. */
#include "base/error.h"
#include "clade/shared/heap_sorted.h"
#include "device/context.h"
#include "heap/heap.h"

/* Fewer keys than these are no faster this way: of a pop inside, and of an insert. Keys are
 * numbered in 31 bits. */
enum { LEAST = 1 << 15, INSERT_LEAST = 1 << 13, TILES_MAX = 32, TILE_LEAST_LOG = 14 };
#define CAPACITY_MAX (1ull << 31)

static const char *const kernel_names[SORTED_KERNELS] = {
    "clade_heap_sorted_begin",     "clade_heap_sorted_encode",    "clade_heap_sorted_gather",
    "clade_heap_sorted_find_runs", "clade_heap_sorted_sort_runs", "clade_heap_sorted_move_runs",
    "clade_heap_sorted_count",     "clade_heap_sorted_scan",      "clade_heap_sorted_move",
    "clade_heap_sorted_finish",    "clade_heap_sorted_alone",
};
static const struct cladei_kernels files = { "kernels/heap_sorted.cl", kernel_names,
                                             SORTED_KERNELS };

void cladei_sorted_open(clade_heap *heap)
{
    const clade_caps *caps = &heap->object.context->caps;
    const clade_heap_params *p = &heap->params;
    struct cladei_sorted *sorted = &heap->sorted;
    const uint32_t tiles = 4 * (caps->compute_units ? caps->compute_units : 1);
    if (p->engine == CLADE_HEAP_FRONT || p->heaps > 1 || !caps->is_cpu || caps->loop_limit ||
        p->capacity < LEAST || p->capacity >= CAPACITY_MAX)
        return;
    sorted->least = LEAST;
    sorted->insert_least = INSERT_LEAST;
    sorted->tiles = tiles < TILES_MAX ? tiles : TILES_MAX;
}

/* One item adds up the digits' counts of all tiles: tiles of few keys would take longer for that
 * than for their keys. */
uint32_t cladei_sorted_tiles(const clade_heap *heap, uint64_t count)
{
    const uint64_t tiles = count >> TILE_LEAST_LOG;
    return tiles == 0 ? 1 : tiles < heap->sorted.tiles ? (uint32_t)tiles : heap->sorted.tiles;
}

void cladei_sorted_close(clade_heap *heap)
{
    cladei_kernels_release(heap->sorted.kernels, SORTED_KERNELS);
}

clade_status cladei_sorted_prepare(clade_heap *heap)
{
    return cladei_kernels_build(heap->sorted.kernels, &files, heap->object.context, heap->options);
}

/* --- one call -------------------------------------------------------------------------------- */

/* Buffers of one call: its plan, and two sides of keys and of values. They are given back when all
 * is enqueued, and the driver keeps them until it has run. */
enum { PLAN, RUNS, KEYS, VALUES = KEYS + 2, BUFFERS = VALUES + 2 };

struct sorting {
    clade_heap *heap;
    struct cladei_call *call;
    cl_uint is_pop, tiles;
    cl_mem buffers[BUFFERS];
};

/* Room for `most` keys on each side; whether there is. */
static bool sorting_open(struct sorting *s, uint64_t most)
{
    const clade_heap_params *p = &s->heap->params;
    const uint64_t plan = 4ull * CLADE_SORTED_PLAN_WORDS(s->tiles);
    const uint64_t keys = most * CLADE_TYPE_BYTES(p->key);
    const uint64_t values = most * CLADE_TYPE_BYTES(p->value);
    const uint64_t runs =
        s->is_pop ? 0 : 2 * CLADE_SORTED_RUNS_MOST(most) * sizeof(cladei_sorted_run);
    const uint64_t bytes[BUFFERS] = { plan, runs, keys, keys, values, values };
    cl_int code = CL_SUCCESS;
    for (int i = 0; i < BUFFERS && code == CL_SUCCESS; i++)
        if (bytes[i] > 0)
            s->buffers[i] = clCreateBuffer(s->heap->object.context->cl, CL_MEM_READ_WRITE,
                                           (size_t)bytes[i], NULL, &code);
    return code == CL_SUCCESS;
}

static void release(cl_mem *buffer)
{
    if (*buffer)
        clReleaseMemObject(*buffer);
    *buffer = NULL;
}

static void sorting_close(struct sorting *s)
{
    for (int i = 0; i < BUFFERS; i++)
        release(&s->buffers[i]);
}

/* A buffer, or, where it has no bytes, one that is not looked at. */
static cl_mem side(const struct sorting *s, int buffer)
{
    return s->buffers[buffer] ? s->buffers[buffer] : s->heap->object.mem;
}

/* The keys come to side 0. */
static clade_status bring(struct sorting *s)
{
    clade_status status = CLADE_OK;
    const struct cladei_sorted *sorted = &s->heap->sorted;
    const cl_kernel begin = sorted->kernels[SORTED_BEGIN];
    const cl_kernel work = sorted->kernels[s->is_pop ? SORTED_GATHER : SORTED_ENCODE];
    cl_mem mem = s->heap->object.mem, plan = s->buffers[PLAN], keys_0 = side(s, KEYS);
    cl_mem values_0 = side(s, VALUES);
    const cl_uint least = (cl_uint)sorted->least;
    CLADE_TRY(CLADEI_SET_ARGS(begin, CLADEI_ARG(mem), CLADEI_ARG(plan), CLADEI_ARG(s->call->count),
                              CLADEI_ARG(least), CLADEI_ARG(s->is_pop)));
    CLADE_TRY(cladei_run_kernel(&s->call->run, begin, 1, 1));
    if (s->is_pop)
        CLADE_TRY(CLADEI_SET_ARGS(work, CLADEI_ARG(mem), CLADEI_ARG(plan), CLADEI_ARG(keys_0),
                                  CLADEI_ARG(values_0)));
    else
        CLADE_TRY(CLADEI_SET_ARGS(work, CLADEI_ARG(plan), CLADEI_ROW(s->call, HEAP_ROW_KEYS),
                                  CLADEI_ROW(s->call, HEAP_ROW_VALUES), CLADEI_ARG(keys_0),
                                  CLADEI_ARG(values_0)));
    CLADE_TRY(cladei_run_kernel(&s->call->run, work, s->tiles, 1));
fail:
    return status;
}

/* Keys of an insert that come in a few runs go to side 1; then the passes have nothing to do. */
static clade_status move_runs(struct sorting *s)
{
    clade_status status = CLADE_OK;
    const struct cladei_sorted *sorted = &s->heap->sorted;
    const cl_kernel *kernels = sorted->kernels;
    cl_mem plan = s->buffers[PLAN], runs = side(s, RUNS), keys_0 = side(s, KEYS);
    cl_mem keys_1 = side(s, KEYS + 1), values_0 = side(s, VALUES), values_1 = side(s, VALUES + 1);
    CLADE_TRY(CLADEI_SET_ARGS(kernels[SORTED_FIND_RUNS], CLADEI_ARG(plan), CLADEI_ARG(keys_0),
                              CLADEI_ARG(runs)));
    CLADE_TRY(cladei_run_kernel(&s->call->run, kernels[SORTED_FIND_RUNS], s->tiles, 1));
    CLADE_TRY(CLADEI_SET_ARGS(kernels[SORTED_SORT_RUNS], CLADEI_ARG(plan), CLADEI_ARG(keys_0),
                              CLADEI_ARG(runs), CLADEI_ARG(s->tiles)));
    CLADE_TRY(cladei_run_kernel(&s->call->run, kernels[SORTED_SORT_RUNS], 1, 1));
    CLADE_TRY(CLADEI_SET_ARGS(kernels[SORTED_MOVE_RUNS], CLADEI_ARG(plan), CLADEI_ARG(keys_0),
                              CLADEI_ARG(values_0), CLADEI_ARG(keys_1), CLADEI_ARG(values_1),
                              CLADEI_ARG(runs)));
    CLADE_TRY(cladei_run_kernel(&s->call->run, kernels[SORTED_MOVE_RUNS], s->tiles, 1));
fail:
    return status;
}

static clade_status pass(struct sorting *s, cl_uint number)
{
    clade_status status = CLADE_OK;
    const struct cladei_sorted *sorted = &s->heap->sorted;
    const cl_kernel *kernels = sorted->kernels;
    cl_mem plan = s->buffers[PLAN], keys_0 = side(s, KEYS), keys_1 = side(s, KEYS + 1);
    cl_mem values_0 = side(s, VALUES), values_1 = side(s, VALUES + 1);
    CLADE_TRY(CLADEI_SET_ARGS(kernels[SORTED_COUNT], CLADEI_ARG(plan), CLADEI_ARG(keys_0),
                              CLADEI_ARG(keys_1), CLADEI_ARG(number)));
    CLADE_TRY(cladei_run_kernel(&s->call->run, kernels[SORTED_COUNT], s->tiles, 1));
    CLADE_TRY(CLADEI_SET_ARGS(kernels[SORTED_SCAN], CLADEI_ARG(plan), CLADEI_ARG(s->tiles)));
    CLADE_TRY(cladei_run_kernel(&s->call->run, kernels[SORTED_SCAN], 1, 1));
    CLADE_TRY(CLADEI_SET_ARGS(kernels[SORTED_MOVE], CLADEI_ARG(plan), CLADEI_ARG(keys_0),
                              CLADEI_ARG(values_0), CLADEI_ARG(keys_1), CLADEI_ARG(values_1),
                              CLADEI_ARG(number)));
    CLADE_TRY(cladei_run_kernel(&s->call->run, kernels[SORTED_MOVE], s->tiles, 1));
fail:
    return status;
}

static clade_status finish(struct sorting *s)
{
    clade_status status = CLADE_OK;
    const struct cladei_sorted *sorted = &s->heap->sorted;
    const cl_kernel kernel = sorted->kernels[SORTED_FINISH];
    cl_mem mem = s->heap->object.mem, plan = s->buffers[PLAN];
    cl_mem keys_0 = side(s, KEYS), keys_1 = side(s, KEYS + 1);
    cl_mem values_0 = side(s, VALUES), values_1 = side(s, VALUES + 1);
    const struct cladei_row *keys = &s->call->rows[HEAP_ROW_KEYS];
    const struct cladei_row *values = &s->call->rows[HEAP_ROW_VALUES];
    cl_mem out = s->is_pop ? keys->view.mem : keys_0;
    cl_mem out_values = s->is_pop ? values->view.mem : values_0;
    const cl_ulong first = s->is_pop ? keys->view.first : 0;
    const cl_ulong values_first = s->is_pop ? values->view.first : 0;
    CLADE_TRY(CLADEI_SET_ARGS(kernel, CLADEI_ARG(mem), CLADEI_ARG(plan), CLADEI_ARG(keys_0),
                              CLADEI_ARG(values_0), CLADEI_ARG(keys_1), CLADEI_ARG(values_1),
                              CLADEI_ARG(out), CLADEI_ARG(first), CLADEI_ARG(out_values),
                              CLADEI_ARG(values_first), CLADEI_ARG(s->call->count),
                              CLADEI_ARG(s->is_pop)));
    CLADE_TRY(cladei_run_kernel(&s->call->run, kernel, s->tiles, 1));
fail:
    return status;
}

void cladei_sorted_release(struct cladei_sorted_keys *sorted)
{
    release(&sorted->plan);
    for (int i = 0; i < 2; i++) {
        release(&sorted->keys[i]);
        release(&sorted->values[i]);
    }
}

/* What a sort leaves of an insert. If the device did not sort, the engine's kernel looks at no keys
 * either. */
static void take_keys(struct sorting *s, struct cladei_sorted_keys *sorted)
{
    *sorted = (struct cladei_sorted_keys) { s->buffers[PLAN],
                                            { s->buffers[KEYS], s->buffers[KEYS + 1] },
                                            { s->buffers[VALUES], s->buffers[VALUES + 1] } };
    s->buffers[PLAN] = NULL;
    for (int i = KEYS; i < BUFFERS; i++)
        s->buffers[i] = NULL;
}

bool cladei_sorted_opens(const clade_heap *heap, uint64_t count)
{
    return heap->sorted.least > 0 && cladei_sorted_tiles(heap, count) == 1 &&
           !CLADE_TYPE_IS_FLOAT(heap->params.key);
}

/* All of an insert of one tile. */
static clade_status insert_alone(struct sorting *s)
{
    clade_status status = CLADE_OK;
    const cl_kernel kernel = s->heap->sorted.kernels[SORTED_ALONE];
    const cl_uint opens = cladei_sorted_opens(s->heap, s->call->count);
    cl_mem mem = s->heap->object.mem, plan = s->buffers[PLAN], runs = side(s, RUNS);
    cl_mem keys_0 = side(s, KEYS), keys_1 = side(s, KEYS + 1);
    cl_mem values_0 = side(s, VALUES), values_1 = side(s, VALUES + 1);
    CLADE_TRY(CLADEI_SET_ARGS(kernel, CLADEI_ARG(mem), CLADEI_ARG(plan),
                              CLADEI_ROW(s->call, HEAP_ROW_KEYS),
                              CLADEI_ROW(s->call, HEAP_ROW_VALUES), CLADEI_ARG(keys_0),
                              CLADEI_ARG(values_0), CLADEI_ARG(keys_1), CLADEI_ARG(values_1),
                              CLADEI_ARG(runs), CLADEI_ARG(s->call->count), CLADEI_ARG(opens)));
    CLADE_TRY(cladei_run_kernel(&s->call->run, kernel, 1, 1));
fail:
    return status;
}

/* All of a call, a launch for each step. */
static clade_status sort_by_steps(struct sorting *s)
{
    clade_status status = CLADE_OK;
    const cl_uint passes = CLADE_SORTED_PASSES(CLADE_TYPE_BYTES(s->heap->params.key));
    CLADE_TRY(bring(s));
    if (!s->is_pop)
        CLADE_TRY(move_runs(s));
    for (cl_uint number = 0; number < passes; number++)
        CLADE_TRY(pass(s, number));
    CLADE_TRY(finish(s));
fail:
    return status;
}

clade_status cladei_sorted_call(clade_heap *heap, struct cladei_call *call, bool is_pop,
                                struct cladei_sorted_keys *sorted)
{
    clade_status status = CLADE_OK;
    const uint64_t capacity = heap->params.capacity;
    const uint64_t part = CLADE_SORTED_PART_LEAST * (call->count + 1);
    const uint64_t most = !is_pop ? call->count : part < capacity ? part : capacity;
    struct sorting s = { .heap = heap, .call = call, .is_pop = is_pop };
    s.tiles = cladei_sorted_tiles(heap, most);
    if (sorting_open(&s, most)) {
        CLADE_TRY((!is_pop && s.tiles == 1 ? insert_alone : sort_by_steps)(&s));
        if (!is_pop)
            take_keys(&s, sorted);
    }
fail:
    sorting_close(&s);
    return status;
}

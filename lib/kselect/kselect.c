/* SPDX-License-Identifier: Apache-2.0 */
/* k-selection: choosing a shape, and launching. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/borrow.h"
#include "base/error.h"
#include "base/text.h"
#include "context/context.h"
#include "device/context.h"
#include "kselect/kselect.h"

/* --- shapes --------------------------------------------------------------------------------- */

static uint32_t power_up(uint64_t value)
{
    uint32_t power = 1;
    while (power < value)
        power *= 2;
    return power;
}

/* One item a row on CPUs. On GPUs a group whose items hold the row in registers while that is few
 * enough; longer rows are read again. */
static struct cladei_kselect_shape row_shape(const clade_kselect *s)
{
    const uint64_t length = s->params.length;
    uint32_t group = s->params.group_size;
    if (group == 1 || (group == 0 && cladei_prefers_one_item(s->context)))
        return (struct cladei_kselect_shape) { 1, 128, 10, 256, false };
    if (group == 0) {
        group = length <= 512 ? 32 : length <= 1 << 14 ? 256 : length <= 3 << 14 ? 128 : 1024;
        while (group > s->context->caps.group_size_max)
            group /= 2;
    }
    const uint32_t items = power_up((length + group - 1) / group);
    const uint32_t ranked = length <= 1024 ? 64 : 256;
    if (items <= 32)
        return (struct cladei_kselect_shape) { group, items, 8, ranked, true };
    return (struct cladei_kselect_shape) { group, 16, 11, 1024, false };
}

static struct cladei_kselect_shape shared_shape(const clade_kselect *s)
{
    uint32_t group = s->params.group_size;
    if (group == 1 || (group == 0 && cladei_prefers_one_item(s->context)))
        return (struct cladei_kselect_shape) { 1, 256, 11, CLADE_KSELECT_COLLECT, false };
    if (group == 0)
        group = s->context->caps.group_size_max < 256 ? s->context->caps.group_size_max : 256;
    return (struct cladei_kselect_shape) { group, 16, 11, CLADE_KSELECT_COLLECT, false };
}

static void shape_options(struct cladei_text *options, const clade_kselect *s,
                          const struct cladei_kselect_shape *shape)
{
    cladei_text_printf(options, "-DCLADE_KSELECT_GROUP=%u -DCLADE_KSELECT_ITEMS=%u", shape->group,
                       shape->items);
    cladei_text_printf(options, " -DCLADE_KSELECT_DIGIT=%u -DCLADE_KSELECT_RANKED=%u", shape->digit,
                       shape->ranked);
    cladei_text_printf(options, " -DCLADE_KSELECT_ONCE=%d -DCLADE_KSELECT_CODED=%d", shape->once,
                       s->params.output != CLADE_KSELECT_ANY);
    cladei_text_printf(options, " -DCLADE_KSELECT_KEY=%u -DCLADE_KSELECT_ORDER=%u", s->params.key,
                       s->params.order);
    cladei_text_printf(options, " -DCLADE_KSELECT_INDICES=%u", s->params.indices);
}

/* Whether `rows` rows are worked on by several groups each. */
static bool is_shared(const clade_kselect *s, uint64_t rows)
{
    const uint64_t length = s->params.length, units = s->context->caps.compute_units;
    if (s->params.method != CLADE_KSELECT_AUTO)
        return s->params.method == CLADE_KSELECT_SHARED;
    if (s->context->caps.is_cpu)
        return length >= 1 << 16 && rows < 2 * units;
    return length > 1 << 20 || (length >= 1 << 14 && rows < 2 * units);
}

/* The groups that share a row, as a power of two. */
static cl_uint parts_log_of(const clade_kselect *s, uint64_t rows)
{
    const uint64_t tile = (uint64_t)s->shared.group * s->shared.items;
    const uint64_t tiles = (s->params.length + tile - 1) / tile;
    uint64_t parts = s->params.parts;
    cl_uint log = 0;
    if (parts == 0) /* sixteen groups a compute unit */
        parts = ((uint64_t)s->context->caps.compute_units * 16 + rows - 1) / rows;
    while (2ull << log <= parts && 2ull << log <= tiles)
        log++;
    return log;
}

/* --- create, destroy ------------------------------------------------------------------------ */

static clade_status need_rows(clade_kselect *s)
{
    static const char *const name = "clade_kselect_rows";
    static const struct cladei_kernels kernels = { "kernels/kselect.cl", &name, 1 };
    struct cladei_text options = { 0 };
    shape_options(&options, s, &s->row);
    return cladei_kernels_build_with(&s->kernels[KSELECT_ROWS], &kernels, s->context, &options);
}

static clade_status need_shared(clade_kselect *s)
{
    static const char *const names[] = { "clade_kselect_start", "clade_kselect_count",
                                         "clade_kselect_scan", "clade_kselect_place",
                                         "clade_kselect_finish" };
    static const struct cladei_kernels kernels = { "kernels/kselect_shared.cl", names,
                                                   sizeof names / sizeof names[0] };
    struct cladei_text options = { 0 };
    shape_options(&options, s, &s->shared);
    return cladei_kernels_build_with(&s->kernels[KSELECT_START], &kernels, s->context, &options);
}

/* The kernels of the way that so many rows go. */
static clade_status need(clade_kselect *s, uint64_t rows)
{
    const int way = is_shared(s, rows)                ? KSELECT_START
                    : cladei_kselect_is_scan(s, rows) ? KSELECT_SCAN_ROWS
                                                      : KSELECT_ROWS;
    if (s->kernels[way])
        return CLADE_OK;
    return way == KSELECT_START       ? need_shared(s)
           : way == KSELECT_SCAN_ROWS ? cladei_kselect_need_scan(s)
                                      : need_rows(s);
}

static clade_status check_params(const clade_context *context, const clade_kselect_params *p)
{
    clade_status status = CLADE_OK;
    CLADE_REQUIRE(p->length >= 1 && p->length <= CLADE_KSELECT_LENGTH_MAX, CLADE_E_ARG,
                  "the length %" PRIu64 " is not in 1 .. %" PRIu64, p->length,
                  CLADE_KSELECT_LENGTH_MAX);
    CLADE_REQUIRE(p->length <= 1u << 20 || context->caps.loop_limit == 0, CLADE_E_UNSUPPORTED,
                  "rows of %" PRIu64
                  " keys need longer loops than the device runs; its limit is %u",
                  p->length, 1u << 20);
    CLADE_REQUIRE(p->group_size != 1 || context->caps.loop_limit == 0, CLADE_E_UNSUPPORTED,
                  "groups of one item need longer loops than the device runs");
    CLADE_REQUIRE(p->k >= 1 && p->k <= p->length, CLADE_E_ARG,
                  "k = %" PRIu64 " is not in 1 .. %" PRIu64 ", the row's length", p->k, p->length);
    CLADE_REQUIRE(p->key == CLADE_I32 || p->key == CLADE_U32 || p->key == CLADE_F32, CLADE_E_ARG,
                  "the key type %u is none of I32, U32 and F32", p->key);
    CLADE_REQUIRE(p->order == CLADE_MIN || p->order == CLADE_MAX, CLADE_E_ARG,
                  "the order %u is neither MIN nor MAX", p->order);
    CLADE_REQUIRE(p->output <= CLADE_KSELECT_HEAP, CLADE_E_ARG, "the output %u is unknown",
                  p->output);
    CLADE_REQUIRE(p->indices <= 1, CLADE_E_ARG, "indices is %u, neither 0 nor 1", p->indices);
    CLADE_REQUIRE(p->method <= CLADE_KSELECT_SCAN, CLADE_E_ARG, "the method %u is unknown",
                  p->method);
    CLADE_REQUIRE(p->arity == 8 || p->arity == 16 || p->arity == 32 || p->arity == 64, CLADE_E_ARG,
                  "the arity %u is none of 8, 16, 32 and 64", p->arity);
    CLADE_REQUIRE((p->group_size & (p->group_size - 1)) == 0 &&
                      p->group_size <= context->caps.group_size_max && p->group_size <= 1024,
                  CLADE_E_ARG, "the group size %u is no power of two up to %u", p->group_size,
                  context->caps.group_size_max < 1024 ? context->caps.group_size_max : 1024);
    CLADE_REQUIRE(p->group_size == 0 || context->caps.subgroup_size == 0 ||
                      p->group_size >= context->caps.subgroup_size,
                  CLADE_E_ARG, "the group size %u is below the sub-group's %u", p->group_size,
                  context->caps.subgroup_size);
fail:
    return status;
}

clade_status clade_kselect_create(clade_kselect **out, clade_context *context,
                                  const clade_kselect_params *params)
{
    clade_status status = CLADE_OK;
    clade_kselect *s = NULL;
    CLADEI_CREATION(out, context, params, clade_kselect_params, "the selector");
    s = calloc(1, sizeof *s);
    CLADE_NO_MEMORY(s);
    s->context = context;
    cladei_hold(&context->borrowers);
    s->params = *params;
    if (s->params.key == 0)
        s->params.key = CLADE_I32;
    if (s->params.arity == 0)
        s->params.arity = context->caps.is_cpu ? 8 : 32;
    CLADE_TRY(check_params(context, &s->params));
    if (s->params.k == 1) /* one result is in order */
        s->params.output = CLADE_KSELECT_ANY;
    s->row = row_shape(s);
    s->shared = shared_shape(s);
    CLADE_TRY(need(s, UINT64_MAX)); /* what few rows need is built when few come */
    if (s->params.output != CLADE_KSELECT_ANY)
        CLADE_TRY(cladei_kselect_need_sort(s));
    *out = s;
    s = NULL;
fail:
    clade_kselect_destroy(&s);
    return status;
}

void clade_kselect_destroy(clade_kselect **selector)
{
    if (!selector || !*selector)
        return;
    clade_kselect *s = *selector;
    cladei_kernels_release(s->kernels, KSELECT_KERNELS);
    const struct cladei_scratch scratch[] = { s->state, s->bins, s->collected, s->sorting[0],
                                              s->sorting[1] };
    for (size_t i = 0; i < sizeof scratch / sizeof scratch[0]; i++)
        if (scratch[i].mem)
            clReleaseMemObject(scratch[i].mem);
    cladei_context_let_go(s->context);
    free(s);
    *selector = NULL;
}

/* --- run ------------------------------------------------------------------------------------ */

static clade_status run_rows(clade_kselect *s, struct cladei_run *run,
                             const struct cladei_kselect_job *job)
{
    clade_status status = CLADE_OK;
    const cl_ulong stride = job->stride;
    const cl_uint length = (cl_uint)s->params.length, k = (cl_uint)s->params.k;
    const cl_uint rows = (cl_uint)job->rows;
    size_t groups = job->rows;
    /* Without indices no kernel touches them, but an argument must be some buffer. */
    cl_mem indices = job->indices.mem ? job->indices.mem : job->out.mem;
    if (s->row.group == 1 && groups > (size_t)s->context->caps.compute_units * 16)
        groups = (size_t)s->context->caps.compute_units * 16;
    CLADE_TRY(CLADEI_SET_ARGS(s->kernels[KSELECT_ROWS], CLADEI_ARG(job->keys.mem),
                              CLADEI_ARG(job->keys.first), CLADEI_ARG(job->out.mem),
                              CLADEI_ARG(job->out.first), CLADEI_ARG(indices),
                              CLADEI_ARG(job->indices.first), CLADEI_ARG(stride),
                              CLADEI_ARG(length), CLADEI_ARG(k), CLADEI_ARG(rows)));
    CLADE_TRY(cladei_run_kernel(run, s->kernels[KSELECT_ROWS], groups, s->row.group));
fail:
    return status;
}

static clade_status reserve_state(clade_kselect *s, uint64_t rows)
{
    clade_status status = CLADE_OK;
    CLADE_TRY(cladei_scratch_reserve(&s->state, s->context, rows * sizeof(clade_kselect_row)));
    CLADE_TRY(
        cladei_scratch_reserve(&s->bins, s->context, rows * sizeof(cl_uint) << s->shared.digit));
    CLADE_TRY(cladei_scratch_reserve(&s->collected, s->context,
                                     rows * 2 * s->shared.ranked * sizeof(cl_uint)));
fail:
    return status;
}

static clade_status count_digits(clade_kselect *s, struct cladei_run *run,
                                 const struct cladei_kselect_job *job, cl_uint parts_log)
{
    clade_status status = CLADE_OK;
    const cl_uint length = (cl_uint)s->params.length, k = (cl_uint)s->params.k;
    const size_t rows = (size_t)job->rows;
    CLADE_TRY(CLADEI_SET_ARGS(s->kernels[KSELECT_START], CLADEI_ARG(s->state.mem),
                              CLADEI_ARG(s->bins.mem), CLADEI_ARG(length), CLADEI_ARG(k)));
    CLADE_TRY(cladei_run_kernel(run, s->kernels[KSELECT_START], rows, s->shared.group));
    CLADE_TRY(CLADEI_SET_ARGS(s->kernels[KSELECT_COUNT], CLADEI_ARG(job->keys.mem),
                              CLADEI_ARG(job->keys.first), CLADEI_ARG(s->state.mem),
                              CLADEI_ARG(s->bins.mem), CLADEI_ARG(length), CLADEI_ARG(parts_log)));
    CLADE_TRY(CLADEI_SET_ARGS(s->kernels[KSELECT_SCAN], CLADEI_ARG(s->state.mem),
                              CLADEI_ARG(s->bins.mem)));
    if (s->params.length <= s->shared.ranked || s->params.k == s->params.length)
        return CLADE_OK; /* nothing to look for */
    for (uint32_t bits = 0; bits < 32; bits += s->shared.digit) {
        CLADE_TRY(
            cladei_run_kernel(run, s->kernels[KSELECT_COUNT], rows << parts_log, s->shared.group));
        CLADE_TRY(cladei_run_kernel(run, s->kernels[KSELECT_SCAN], rows, s->shared.group));
    }
fail:
    return status;
}

static clade_status run_shared(clade_kselect *s, struct cladei_run *run,
                               const struct cladei_kselect_job *job)
{
    clade_status status = CLADE_OK;
    const cl_ulong stride = job->stride;
    const cl_uint length = (cl_uint)s->params.length, k = (cl_uint)s->params.k;
    const cl_uint parts_log = parts_log_of(s, job->rows);
    cl_mem indices = job->indices.mem ? job->indices.mem : job->out.mem;
    CLADE_TRY(reserve_state(s, job->rows));
    CLADE_TRY(count_digits(s, run, job, parts_log));
    CLADE_TRY(CLADEI_SET_ARGS(
        s->kernels[KSELECT_PLACE], CLADEI_ARG(job->keys.mem), CLADEI_ARG(job->keys.first),
        CLADEI_ARG(s->state.mem), CLADEI_ARG(s->collected.mem), CLADEI_ARG(job->out.mem),
        CLADEI_ARG(job->out.first), CLADEI_ARG(indices), CLADEI_ARG(job->indices.first),
        CLADEI_ARG(stride), CLADEI_ARG(length), CLADEI_ARG(k), CLADEI_ARG(parts_log)));
    CLADE_TRY(cladei_run_kernel(run, s->kernels[KSELECT_PLACE], (size_t)job->rows << parts_log,
                                s->shared.group));
    CLADE_TRY(CLADEI_SET_ARGS(s->kernels[KSELECT_FINISH], CLADEI_ARG(s->state.mem),
                              CLADEI_ARG(s->collected.mem), CLADEI_ARG(job->out.mem),
                              CLADEI_ARG(job->out.first), CLADEI_ARG(indices),
                              CLADEI_ARG(job->indices.first), CLADEI_ARG(stride), CLADEI_ARG(k)));
    CLADE_TRY(
        cladei_run_kernel(run, s->kernels[KSELECT_FINISH], (size_t)job->rows, s->shared.group));
fail:
    return status;
}

/* Bytes of the largest scratch buffer, for each row. */
static uint64_t scratch_of_row(const clade_kselect *s)
{
    const uint64_t sorting = s->params.output == CLADE_KSELECT_SORTED ? s->params.k * 8 : 0;
    uint64_t shared = 0;
    if (s->params.method == CLADE_KSELECT_SHARED)
        shared =
            (uint64_t)sizeof(cl_uint) * ((1u << s->shared.digit) + 2 * (uint64_t)s->shared.ranked);
    return sorting > shared ? sorting : shared;
}

/* The rows that go to the device at once: host rows in pieces of a quarter of the largest buffer,
 * never more than scratch buffers can be had for, and never more than a launch's counters hold. */
static uint64_t rows_at_once(const clade_kselect *s, clade_array keys, uint64_t rows)
{
    const uint64_t largest = s->context->caps.alloc_bytes_max, limit = largest / 4;
    const uint64_t scratch = scratch_of_row(s);
    uint64_t most = keys.host ? limit / (s->params.length * sizeof(cl_uint)) : rows;
    const uint64_t counters = 1u << 24;
    if (scratch > 0 && most > largest / scratch)
        most = largest / scratch;
    most = most > counters ? counters : most;
    return most < 1 ? 1 : most > rows ? rows : most;
}

static clade_array array_at(clade_array array, uint64_t element)
{
    if (array.host)
        array.host = (char *)array.host + element * sizeof(cl_uint);
    if (array.mem)
        array.offset += (size_t)element * sizeof(cl_uint);
    return array;
}

static clade_status run_piece(clade_kselect *s, struct cladei_run *run, clade_array keys,
                              uint64_t rows, clade_array out, clade_array indices)
{
    clade_status status = CLADE_OK;
    struct cladei_kselect_job job = { .rows = rows, .stride = s->params.k };
    const uint64_t results = rows * s->params.k;
    const size_t word = sizeof(cl_uint);
    CLADE_TRY(
        cladei_view_open(&job.keys, run, keys, rows * s->params.length, word, CLADEI_IN, "keys"));
    CLADE_TRY(cladei_view_open(&job.out, run, out, results, word, CLADEI_OUT, "out"));
    CLADE_TRY(cladei_view_open(&job.indices, run, indices, results, word, CLADEI_OUT, "indices"));
    CLADE_TRY(need(s, rows));
    if (is_shared(s, rows))
        CLADE_TRY(run_shared(s, run, &job));
    else if (cladei_kselect_is_scan(s, rows))
        CLADE_TRY(cladei_kselect_scan(s, run, &job));
    else
        CLADE_TRY(run_rows(s, run, &job));
    if (s->params.output != CLADE_KSELECT_ANY)
        CLADE_TRY(cladei_kselect_sort(s, run, &job));
    CLADE_TRY(cladei_view_finish(&job.out, run));
    CLADE_TRY(cladei_view_finish(&job.indices, run));
fail:
    /* What was enqueued may use the views; a call that only enqueues waits for nothing. */
    if (status != CLADE_OK && run->is_started && run->blocking)
        clFinish(run->queue);
    cladei_view_close(&job.keys);
    cladei_view_close(&job.out);
    cladei_view_close(&job.indices);
    return status;
}

/* All of them, before the first piece is worked on. */
static clade_status check_arrays(const clade_kselect *s, struct cladei_run *run, clade_array keys,
                                 uint64_t rows, clade_array out, clade_array indices)
{
    clade_status status = CLADE_OK;
    const uint64_t all = rows * s->params.length, results = rows * s->params.k;
    const size_t word = sizeof(cl_uint);
    CLADE_TRY(cladei_array_check(run, keys, all, word, "keys"));
    CLADE_TRY(cladei_array_check(run, out, results, word, "out"));
    CLADE_TRY(cladei_array_check(run, indices, results, word, "indices"));
fail:
    return status;
}

clade_status clade_kselect_run(clade_kselect *s, clade_array keys, clade_array out,
                               clade_array indices, uint64_t rows, const clade_launch *launch)
{
    clade_status status = CLADE_OK;
    struct cladei_run run;
    CLADE_REQUIRE(s, CLADE_E_ARG, "the selector is NULL");
    CLADE_REQUIRE(cladei_is_given(keys) || rows == 0, CLADE_E_ARG, "keys are not given");
    CLADE_REQUIRE(cladei_is_given(out) || rows == 0, CLADE_E_ARG, "out is not given");
    CLADE_REQUIRE(cladei_is_given(indices) == (s->params.indices == 1) || rows == 0, CLADE_E_ARG,
                  "indices are %s, but the selector was made %s them",
                  s->params.indices ? "not given" : "given", s->params.indices ? "for" : "without");
    CLADE_REQUIRE(rows <= SIZE_MAX / 16 / s->params.length, CLADE_E_ARG,
                  "%" PRIu64 " rows are too many", rows);
    CLADE_TRY(cladei_run_begin(&run, s->context, launch));
    CLADE_TRY(check_arrays(s, &run, keys, rows, out, indices));
    for (uint64_t first = 0, now; first < rows; first += now) {
        now = rows_at_once(s, keys, rows - first);
        CLADE_TRY(run_piece(s, &run, array_at(keys, first * s->params.length), now,
                            array_at(out, first * s->params.k),
                            array_at(indices, first * s->params.k)));
    }
    CLADE_TRY(cladei_run_end(&run));
fail:
    return status;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* k-selection: selectors, and rows that are alike. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/borrow.h"
#include "base/error.h"
#include "base/text.h"
#include "context/context.h"
#include "device/context.h"
#include "device/queue.h"
#include "kselect/kselect.h"

/* --- create, destroy ------------------------------------------------------------------------ */

/* Heaps have keys of 32 bits, and do not know which of equal keys came first. */
static clade_status check_heaps(const clade_kselect_params *p)
{
    clade_status status = CLADE_OK;
    const bool is_scan = p->method == CLADE_KSELECT_SCAN;
    CLADE_REQUIRE(CLADE_TYPE_BYTES(p->key) == 4 || (p->output != CLADE_KSELECT_HEAP && !is_scan),
                  CLADE_E_UNSUPPORTED, "heaps have keys of 32 bits, not of type %u", p->key);
    CLADE_REQUIRE(p->ties == CLADE_KSELECT_TIES_ANY || !is_scan, CLADE_E_UNSUPPORTED,
                  "a scan does not heed which of equal keys come first");
fail:
    return status;
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
    CLADE_REQUIRE(p->group_size == 0 || context->caps.loop_limit == 0 ||
                      p->length <= (uint64_t)p->group_size * (context->caps.loop_limit / 4),
                  CLADE_E_UNSUPPORTED,
                  "rows of %" PRIu64
                  " keys by groups of %u items need longer loops than the device runs",
                  p->length, p->group_size);
    CLADE_REQUIRE(p->k >= 1 && p->k <= p->length, CLADE_E_ARG,
                  "k = %" PRIu64 " is not in 1 .. %" PRIu64 ", the row's length", p->k, p->length);
    CLADE_REQUIRE(p->key >= CLADE_I32 && p->key <= CLADE_BF16, CLADE_E_ARG,
                  "the key type %u is none of I32, U32, F32, I64, U64, F64, F16 and BF16", p->key);
    CLADE_REQUIRE(p->order == CLADE_MIN || p->order == CLADE_MAX, CLADE_E_ARG,
                  "the order %u is neither MIN nor MAX", p->order);
    CLADE_REQUIRE(p->output <= CLADE_KSELECT_HEAP, CLADE_E_ARG, "the output %u is unknown",
                  p->output);
    CLADE_REQUIRE(p->indices <= 1, CLADE_E_ARG, "indices is %u, neither 0 nor 1", p->indices);
    CLADE_REQUIRE(p->method <= CLADE_KSELECT_FIRST, CLADE_E_ARG, "the method %u is unknown",
                  p->method);
    CLADE_REQUIRE(p->ties <= CLADE_KSELECT_TIES_LOWEST, CLADE_E_ARG, "the ties %u are unknown",
                  p->ties);
    CLADE_REQUIRE(p->reserved0 == 0, CLADE_E_ARG, "the reserved word is %u, not 0", p->reserved0);
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
    CLADE_REQUIRE(p->method != CLADE_KSELECT_FIRST || p->k == 1, CLADE_E_ARG,
                  "the method FIRST is for k = 1, not %" PRIu64, p->k);
    CLADE_TRY(check_heaps(p));
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
    s->params.group_size = cladei_kselect_asked_group(context, s->params.group_size);
    cladei_kselect_shapes(s);
    /* What few rows need is built when few come, and what many long ones need when many do. */
    CLADE_TRY(
        cladei_kselect_need(s, KSELECT_ALIKE, cladei_kselect_is_parted(s, 1) ? 1 : UINT64_MAX));
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
    for (int set = 0; set < KSELECT_SETS; set++)
        cladei_kernels_release(s->kernels[set], KSELECT_KERNELS);
    cladei_kernels_release(&s->span, 1);
    struct cladei_scratch *const scratch[] = { &s->state,      &s->bins,     &s->collected,
                                               &s->parts,      &s->meetings, &s->sorting[0],
                                               &s->sorting[1], &s->spans };
    for (size_t i = 0; i < sizeof scratch / sizeof scratch[0]; i++)
        cladei_scratch_drop(scratch[i]);
    cladei_context_let_go(s->context);
    free(s);
    *selector = NULL;
}

/* --- run ------------------------------------------------------------------------------------ */

/* The most rows of a piece: a launch's counters bound them. */
#define PIECE_MOST ((uint64_t)1 << 24)

static uint64_t greater(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

/* Bytes of the largest scratch buffer, for each of many rows. */
static uint64_t scratch_of_row(const clade_kselect *s, int set)
{
    const uint64_t words = 1 + cladei_kselect_is_wide(s);
    uint64_t bytes = set == KSELECT_EACH ? sizeof(clade_kselect_span) : 0;
    if (s->params.output == CLADE_KSELECT_SORTED)
        bytes = greater(bytes, s->params.k * 8 * words);
    if (cladei_kselect_is_first(s))
        bytes = greater(bytes, sizeof(cl_ulong) << cladei_kselect_parts_log(s, PIECE_MOST));
    else if (cladei_kselect_is_shared(s, PIECE_MOST))
        bytes =
            greater(bytes, (uint64_t)sizeof(cl_uint) * ((1u << s->shared.digit) +
                                                        (1 + words) * (uint64_t)s->shared.ranked));
    return bytes;
}

uint64_t cladei_kselect_rows_at_once(const clade_kselect *s, int set, uint64_t rows)
{
    const uint64_t largest = s->context->caps.alloc_bytes_max, scratch = scratch_of_row(s, set);
    uint64_t most = PIECE_MOST, groups = (uint64_t)1 << 31; /* kernels count groups in 32 bits */
    groups >>= cladei_kselect_parts_log(s, PIECE_MOST);
    most = most < groups ? most : groups;
    if (scratch > 0 && most > largest / scratch)
        most = largest / scratch;
    return most < 1 ? 1 : most > rows ? rows : most;
}

uint64_t cladei_kselect_bytes_at_once(const clade_kselect *s)
{
    return s->context->caps.alloc_bytes_max / 4;
}

/* Host rows go to the device in pieces. */
static uint64_t rows_at_once(const clade_kselect *s, clade_array keys, uint64_t rows)
{
    const uint64_t row = s->params.length * cladei_kselect_key_bytes(s);
    const uint64_t most = keys.host ? cladei_kselect_bytes_at_once(s) / row : rows;
    return cladei_kselect_rows_at_once(s, KSELECT_ALIKE, most < 1 ? 1 : most > rows ? rows : most);
}

clade_array cladei_kselect_array_at(clade_array array, uint64_t element, size_t bytes)
{
    if (array.host)
        array.host = (char *)array.host + element * bytes;
    if (array.mem)
        array.offset += (size_t)element * bytes;
    return array;
}

static clade_status run_piece(clade_kselect *s, struct cladei_run *run, clade_array keys,
                              uint64_t rows, clade_array out, clade_array indices)
{
    clade_status status = CLADE_OK;
    struct cladei_kselect_job job = { .rows = rows, .stride = s->params.k, .set = KSELECT_ALIKE };
    const uint64_t results = rows * s->params.k;
    const size_t key = cladei_kselect_key_bytes(s);
    CLADE_TRY(
        cladei_view_open(&job.keys, run, keys, rows * s->params.length, key, CLADEI_IN, "keys"));
    CLADE_TRY(cladei_view_open(&job.out, run, out, results, key, CLADEI_OUT, "out"));
    CLADE_TRY(cladei_view_open(&job.indices, run, indices, results, sizeof(cl_uint), CLADEI_OUT,
                               "indices"));
    job.spans = job.out.mem;
    CLADE_TRY(cladei_kselect_select(s, run, &job));
    CLADE_TRY(cladei_view_finish(&job.out, run));
    CLADE_TRY(cladei_view_finish(&job.indices, run));
fail:
    /* What was enqueued may use the views; a call that only enqueues waits for nothing. */
    if (status != CLADE_OK && run->is_started && run->blocking)
        cladei_queue_settle(run->context, run->queue);
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
    const size_t key = cladei_kselect_key_bytes(s);
    CLADE_TRY(cladei_array_check(run, keys, all, key, "keys"));
    CLADE_TRY(cladei_array_check(run, out, results, key, "out"));
    CLADE_TRY(cladei_array_check(run, indices, results, sizeof(cl_uint), "indices"));
fail:
    return status;
}

clade_status cladei_kselect_check_call(const clade_kselect *s, clade_array keys, clade_array out,
                                       clade_array indices, uint64_t rows)
{
    clade_status status = CLADE_OK;
    CLADE_REQUIRE(s, CLADE_E_ARG, "the selector is NULL");
    CLADE_REQUIRE(cladei_is_given(keys) || rows == 0, CLADE_E_ARG, "keys are not given");
    CLADE_REQUIRE(cladei_is_given(out) || rows == 0, CLADE_E_ARG, "out is not given");
    CLADE_REQUIRE(cladei_is_given(indices) == (s->params.indices == 1) || rows == 0, CLADE_E_ARG,
                  "indices are %s, but the selector was made %s them",
                  s->params.indices ? "not given" : "given", s->params.indices ? "for" : "without");
    CLADE_REQUIRE(rows <= SIZE_MAX / 16 / s->params.length, CLADE_E_ARG,
                  "%" PRIu64 " rows are too many", rows);
fail:
    return status;
}

clade_status clade_kselect_run(clade_kselect *s, clade_array keys, clade_array out,
                               clade_array indices, uint64_t rows, const clade_launch *launch)
{
    clade_status status = CLADE_OK;
    struct cladei_run run;
    const size_t key = s ? cladei_kselect_key_bytes(s) : 0;
    CLADE_TRY(cladei_kselect_check_call(s, keys, out, indices, rows));
    CLADE_TRY(cladei_run_begin(&run, s->context, launch));
    CLADE_TRY(check_arrays(s, &run, keys, rows, out, indices));
    for (uint64_t first = 0, now; first < rows; first += now) {
        const uint64_t result = first * s->params.k;
        now = rows_at_once(s, keys, rows - first);
        CLADE_TRY(run_piece(s, &run, cladei_kselect_array_at(keys, first * s->params.length, key),
                            now, cladei_kselect_array_at(out, result, key),
                            cladei_kselect_array_at(indices, result, sizeof(cl_uint))));
    }
    CLADE_TRY(cladei_run_end(&run));
fail:
    return status;
}

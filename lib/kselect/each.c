/* SPDX-License-Identifier: Apache-2.0 */
/* k-selection: rows of which each has a length and a k of its own. A kernel makes a span of what
 * the caller's arrays say about a row; the kernels that select work by the spans. */
#include <inttypes.h>

#include "base/error.h"
#include "context/context.h"
#include "device/context.h"
#include "device/queue.h"
#include "kselect/kselect.h"

/* A call's arrays, of which pieces are worked on. */
struct each {
    clade_array keys, offsets, ks, out, indices, statuses;
    uint64_t rows, room; /* keys that there are from the first on */
};

/* A piece's further arrays. */
struct piece {
    struct cladei_view offsets, ks, statuses;
    cl_ulong base, room; /* the offset of its first key, and how many keys it may have from there */
};

/* --- what is checked before anything is enqueued --------------------------------------------- */

/* Offsets in host memory. */
static clade_status check_offsets(const clade_kselect *s, const uint64_t *offsets, uint64_t rows)
{
    clade_status status = CLADE_OK;
    for (uint64_t r = 0; r < rows; r++) {
        CLADE_REQUIRE(offsets[r] <= offsets[r + 1], CLADE_E_ARG,
                      "offsets descend from %" PRIu64 " to %" PRIu64 " at row %" PRIu64, offsets[r],
                      offsets[r + 1], r);
        CLADE_REQUIRE(offsets[r + 1] - offsets[r] <= s->params.length, CLADE_E_ARG,
                      "row %" PRIu64 " has %" PRIu64
                      " keys, but the selector was made for %" PRIu64,
                      r, offsets[r + 1] - offsets[r], s->params.length);
    }
fail:
    return status;
}

static clade_status check_ks(const clade_kselect *s, const uint32_t *ks, uint64_t rows)
{
    clade_status status = CLADE_OK;
    for (uint64_t r = 0; r < rows; r++)
        CLADE_REQUIRE(ks[r] <= s->params.k, CLADE_E_ARG,
                      "row %" PRIu64 " asks for %" PRIu32
                      " results, but the selector was made for %" PRIu64,
                      r, ks[r], s->params.k);
fail:
    return status;
}

/* The keys that all rows take, where the host can tell. */
static uint64_t keys_needed(const clade_kselect *s, const struct each *call)
{
    return call->offsets.host ? ((const uint64_t *)call->offsets.host)[call->rows]
                              : call->rows * s->params.length;
}

/* How many keys lie in the array: in host memory as many as are needed. */
static clade_status find_room(const clade_kselect *s, struct each *call)
{
    clade_status status = CLADE_OK;
    const size_t key = cladei_kselect_key_bytes(s);
    size_t bytes;
    call->room = keys_needed(s, call);
    if (call->keys.mem) {
        CLADE_CL(clGetMemObjectInfo(call->keys.mem, CL_MEM_SIZE, sizeof bytes, &bytes, NULL));
        call->room = bytes > call->keys.offset ? (bytes - call->keys.offset) / key : 0;
    }
fail:
    return status;
}

static clade_status check_each(const clade_kselect *s, const struct cladei_run *run,
                               struct each *call)
{
    clade_status status = CLADE_OK;
    const uint64_t rows = call->rows, results = rows * s->params.k;
    const size_t key = cladei_kselect_key_bytes(s);
    CLADE_REQUIRE(!call->keys.host || !call->offsets.mem, CLADE_E_ARG,
                  "the keys are in host memory, so the offsets must be, too");
    CLADE_TRY(cladei_array_check(run, call->offsets, rows + 1, sizeof(cl_ulong), "offsets"));
    CLADE_TRY(cladei_array_check(run, call->ks, rows, sizeof(cl_uint), "ks"));
    CLADE_TRY(cladei_array_check(run, call->out, results, key, "out"));
    CLADE_TRY(cladei_array_check(run, call->indices, results, sizeof(cl_uint), "indices"));
    CLADE_TRY(cladei_array_check(run, call->statuses, rows, sizeof(cl_int), "statuses"));
    if (call->offsets.host)
        CLADE_TRY(check_offsets(s, call->offsets.host, rows));
    if (call->ks.host)
        CLADE_TRY(check_ks(s, call->ks.host, rows));
    CLADE_TRY(find_room(s, call));
    if (!call->offsets.mem) /* the others are looked at on the device */
        CLADE_TRY(cladei_array_check(run, call->keys, keys_needed(s, call), key, "keys"));
fail:
    return status;
}

/* --- pieces ---------------------------------------------------------------------------------- */

/* Where the keys of a row begin; nobody asks when the offsets are on the device. */
static uint64_t begin_of(const clade_kselect *s, const struct each *call, uint64_t row)
{
    return call->offsets.host ? ((const uint64_t *)call->offsets.host)[row]
                              : row * s->params.length;
}

/* Host rows go to the device in pieces: as many as fit, but one at least. */
static uint64_t rows_of_piece(const clade_kselect *s, const struct each *call, uint64_t first)
{
    const uint64_t most = cladei_kselect_rows_at_once(s, KSELECT_EACH, call->rows - first);
    const uint64_t keys = cladei_kselect_bytes_at_once(s) / cladei_kselect_key_bytes(s);
    uint64_t rows = 1;
    if (!call->keys.host)
        return most;
    while (rows < most && begin_of(s, call, first + rows + 1) - begin_of(s, call, first) <= keys)
        rows++;
    return rows;
}

/* The keys of a piece: of host memory its own, of a buffer all. */
static clade_status open_keys(const clade_kselect *s, struct cladei_run *run,
                              const struct each *call, uint64_t first, struct piece *piece,
                              struct cladei_kselect_job *job)
{
    const size_t key = cladei_kselect_key_bytes(s);
    const bool is_host = call->keys.host, has_offsets = cladei_is_given(call->offsets);
    const uint64_t begin = is_host || !has_offsets ? begin_of(s, call, first) : 0;
    const uint64_t end = is_host ? begin_of(s, call, first + job->rows) : call->room;
    piece->base = has_offsets ? begin : 0; /* without offsets rows are counted in the piece */
    piece->room = end > begin ? end - begin : 0;
    return cladei_view_open(&job->keys, run, cladei_kselect_array_at(call->keys, begin, key),
                            piece->room, key, CLADEI_IN, "keys");
}

static clade_status open_piece(const clade_kselect *s, struct cladei_run *run,
                               const struct each *call, uint64_t first, struct piece *piece,
                               struct cladei_kselect_job *job)
{
    clade_status status = CLADE_OK;
    const uint64_t rows = job->rows, results = rows * s->params.k, at = first * s->params.k;
    const size_t key = cladei_kselect_key_bytes(s), word = sizeof(cl_uint);
    CLADE_TRY(open_keys(s, run, call, first, piece, job));
    CLADE_TRY(cladei_view_open(&piece->offsets, run,
                               cladei_kselect_array_at(call->offsets, first, sizeof(cl_ulong)),
                               rows + 1, sizeof(cl_ulong), CLADEI_IN, "offsets"));
    CLADE_TRY(cladei_view_open(&piece->ks, run, cladei_kselect_array_at(call->ks, first, word),
                               rows, word, CLADEI_IN, "ks"));
    CLADE_TRY(cladei_view_open(&piece->statuses, run,
                               cladei_kselect_array_at(call->statuses, first, word), rows, word,
                               CLADEI_OUT, "statuses"));
    /* A row may have fewer results than there is room for: the rest stays as it was. */
    CLADE_TRY(cladei_view_open(&job->out, run, cladei_kselect_array_at(call->out, at, key), results,
                               key, CLADEI_INOUT, "out"));
    CLADE_TRY(cladei_view_open(&job->indices, run, cladei_kselect_array_at(call->indices, at, word),
                               results, word, CLADEI_INOUT, "indices"));
fail:
    return status;
}

static clade_status make_spans(clade_kselect *s, struct cladei_run *run, const struct piece *piece,
                               struct cladei_kselect_job *job)
{
    static const char *const name = "clade_kselect_spans";
    static const struct cladei_kernels kernels = { "kernels/kselect_each.cl", &name, 1 };
    clade_status status = CLADE_OK;
    const cl_uint length = (cl_uint)s->params.length, k = (cl_uint)s->params.k;
    const cl_uint rows = (cl_uint)job->rows;
    const cl_uint given = (piece->offsets.mem ? CLADE_KSELECT_GIVEN_OFFSETS : 0) |
                          (piece->ks.mem ? CLADE_KSELECT_GIVEN_KS : 0) |
                          (piece->statuses.mem ? CLADE_KSELECT_GIVEN_STATUSES : 0);
    /* An argument must be some buffer. */
    cl_mem offsets = piece->offsets.mem ? piece->offsets.mem : job->out.mem;
    cl_mem ks = piece->ks.mem ? piece->ks.mem : job->out.mem;
    cl_mem statuses = piece->statuses.mem ? piece->statuses.mem : job->out.mem;
    CLADE_TRY(cladei_kernels_build(&s->span, &kernels, s->context, ""));
    CLADE_TRY(
        cladei_scratch_reserve(&s->spans, s->context, job->rows * sizeof(clade_kselect_span)));
    job->spans = s->spans.mem;
    CLADE_TRY(CLADEI_SET_ARGS(
        s->span, CLADEI_ARG(job->spans), CLADEI_ARG(offsets), CLADEI_ARG(piece->offsets.first),
        CLADEI_ARG(ks), CLADEI_ARG(piece->ks.first), CLADEI_ARG(statuses),
        CLADEI_ARG(piece->statuses.first), CLADEI_ARG(given), CLADEI_ARG(piece->base),
        CLADEI_ARG(piece->room), CLADEI_ARG(length), CLADEI_ARG(k), CLADEI_ARG(rows)));
    CLADE_TRY(cladei_run_items(run, s->span, job->rows, s->context->caps.is_cpu ? 1 : 64));
fail:
    return status;
}

static clade_status run_piece(clade_kselect *s, struct cladei_run *run, const struct each *call,
                              uint64_t first, uint64_t rows)
{
    clade_status status = CLADE_OK;
    struct cladei_kselect_job job = { .rows = rows, .stride = s->params.k, .set = KSELECT_EACH };
    struct piece piece = { .base = 0 };
    CLADE_TRY(open_piece(s, run, call, first, &piece, &job));
    CLADE_TRY(cladei_kselect_need(s, KSELECT_EACH, rows));
    CLADE_TRY(make_spans(s, run, &piece, &job));
    CLADE_TRY(cladei_kselect_select(s, run, &job));
    CLADE_TRY(cladei_view_finish(&job.out, run));
    CLADE_TRY(cladei_view_finish(&job.indices, run));
    CLADE_TRY(cladei_view_finish(&piece.statuses, run));
fail:
    /* As for rows that are alike: what was enqueued may use the views. */
    if (status != CLADE_OK && run->is_started && run->blocking)
        cladei_queue_settle(run->context, run->queue);
    struct cladei_view *const views[] = { &job.keys, &job.out,       &job.indices,
                                          &piece.ks, &piece.offsets, &piece.statuses };
    for (size_t i = 0; i < sizeof views / sizeof views[0]; i++)
        cladei_view_close(views[i]);
    return status;
}

clade_status clade_kselect_run_each(clade_kselect *s, clade_array keys, clade_array offsets,
                                    clade_array ks, clade_array out, clade_array indices,
                                    uint64_t rows, clade_array statuses, const clade_launch *launch)
{
    clade_status status = CLADE_OK;
    struct cladei_run run;
    struct each call = { keys, offsets, ks, out, indices, statuses, rows, 0 };
    CLADE_TRY(cladei_kselect_check_call(s, keys, out, indices, rows));
    CLADE_TRY(cladei_run_begin(&run, s->context, launch));
    if (rows > 0)
        CLADE_TRY(check_each(s, &run, &call));
    for (uint64_t first = 0, now; first < rows; first += now) {
        now = rows_of_piece(s, &call, first);
        CLADE_TRY(run_piece(s, &run, &call, first, now));
    }
    CLADE_TRY(cladei_run_end(&run));
fail:
    return status;
}

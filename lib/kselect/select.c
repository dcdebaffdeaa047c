/* SPDX-License-Identifier: Apache-2.0 */
/* k-selection: choosing a way for the rows, and launching it. */
#include <string.h>

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

/* The keys that an item holds: a power of two makes up to half of them padding, steps of a quarter
 * a fifth. (CLADEI_KSELECT_POWERS=1 for a comparison.) */
static uint32_t items_up(uint64_t value)
{
    uint32_t power = power_up(value), step = power / 8 ? power / 8 : 1, items = power;
#ifndef CLADEI_KSELECT_POWERS
    while (items - step >= value && items > step)
        items -= step;
#endif
    return items;
}

/* About 16 keys an item where the row stays in registers: more of them leave room for few groups at
 * a time, and with fewer more items wait where one works. Longer rows are read again. */
static uint32_t group_of(uint64_t length)
{
    return length <= 1 << 9    ? 32
           : length <= 1 << 10 ? 64
           : length <= 1 << 11 ? 128
           : length <= 3 << 11 ? 256
           : length <= 1 << 13 ? 512
           : length <= 3 << 14 ? 128
                               : 512;
}

/* PoCL 3.1 and 5.0 optimize groups of several items wrongly: of 32 and more results were written
 * beyond their arrays, of 4 to 16 some were missing now and then. Unoptimized, 5.0 stops at an
 * assertion of its own. */
uint32_t cladei_kselect_asked_group(const clade_context *context, uint32_t group)
{
    const bool is_pocl = strstr(context->info.platform, "Portable Computing Language") != NULL;
    return is_pocl && context->caps.is_cpu && group > 1 ? 1 : group;
}

/* The most keys that a group compares with each other, each item its share of them with all. A
 * driver that leaves long loops would leave this one. */
static uint32_t ranked_by(const clade_kselect *s, uint32_t group, uint32_t most)
{
    const uint32_t limit = s->context->caps.loop_limit;
    while (limit > 0 && (uint64_t)most * most / group > limit / 4)
        most /= 2;
    return most;
}

/* One item a row on CPUs: its local memory has the row's last members, 256 of them in short rows.
 * The more of them, the fewer looks at a long row. */
enum { CPU_LONG = 1 << 14, CPU_MEMBERS = 2048 };

/* Rows that a single item looks at once, as a rule: its local memory has room for four times as
 * many keys as are wanted, and with more wanted than this share it is not sooner done. */
static bool is_few(const clade_kselect *s)
{
    const clade_kselect_params *p = &s->params;
    return p->length >= CPU_LONG && 4 * p->k <= CPU_MEMBERS && 256 * p->k <= p->length;
}

/* Rows in which a range with the k-th key is guessed (clade/kselect/likely.clh), and how many
 * members it may have: half of local memory at most. */
enum { LIKELY = 1 << 16, LIKELY_LEAST = 1 << 13, LIKELY_MOST = 1 << 17 };

static uint32_t members_of(const clade_kselect *s)
{
    const uint64_t length = s->params.length, bytes = cladei_kselect_is_wide(s) ? 12 : 8;
    uint64_t members = LIKELY_LEAST;
    if (length < CPU_LONG)
        return 256;
    if (length < LIKELY || is_few(s))
        return CPU_MEMBERS;
    while (members < LIKELY_MOST && (length > 1 << 18 ? 16 : 8) * members < length)
        members *= 2;
    while (members > LIKELY_LEAST && 2 * members * bytes > s->context->caps.local_bytes)
        members /= 2;
    return 2 * members * bytes > s->context->caps.local_bytes ? CPU_MEMBERS : (uint32_t)members;
}

bool cladei_kselect_is_likely(const clade_kselect *s)
{
    return s->row.group == 1 && s->row.ranked > CPU_MEMBERS;
}

static struct cladei_kselect_shape row_shape(const clade_kselect *s)
{
    const uint64_t length = s->params.length;
    uint32_t group = s->params.group_size;
    if (group == 1 || (group == 0 && cladei_prefers_one_item(s->context)))
        return (struct cladei_kselect_shape) { 1, 128, 8, members_of(s), false };
    if (group == 0) {
        group = group_of(length);
        while (group > s->context->caps.group_size_max)
            group /= 2;
    }
    const uint32_t items = items_up((length + group - 1) / group);
    const uint32_t ranked = length <= 1024 ? 64 : 256;
    if (items <= (cladei_kselect_is_wide(s) ? 16 : 32))
        return (struct cladei_kselect_shape) { group, items, 8, ranked, true };
    return (struct cladei_kselect_shape) { group, 16, 11, ranked_by(s, group, 1024), false };
}

static struct cladei_kselect_shape shared_shape(const clade_kselect *s)
{
    uint32_t group = s->params.group_size;
    if (group == 1 || (group == 0 && cladei_prefers_one_item(s->context)))
        return (struct cladei_kselect_shape) { 1, 256, 11, CLADE_KSELECT_COLLECT, false };
    if (group == 0)
        group = s->context->caps.group_size_max < 256 ? s->context->caps.group_size_max : 256;
    return (struct cladei_kselect_shape) { group, 16, 11,
                                           ranked_by(s, group, CLADE_KSELECT_COLLECT), false };
}

void cladei_kselect_shapes(clade_kselect *s)
{
    s->row = row_shape(s);
    s->shared = shared_shape(s);
}

void cladei_kselect_options(struct cladei_text *options, const clade_kselect *s, int set)
{
    cladei_text_printf(options, " -DCLADE_KSELECT_KEY=%u -DCLADE_KSELECT_ORDER=%u", s->params.key,
                       s->params.order);
    if (set == KSELECT_EACH)
        cladei_text_printf(options, " -DCLADE_KSELECT_EACH=1");
}

/* From so many keys on digits sort a row sooner than comparisons of each key with each. */
enum { COMPARED = 128 };

/* Longer rows are not ranked whole: groups of few items, which a caller asked for, rank more of a
 * bin than the default ones do. */
enum { SHORT_MOST = 256 };

/* Rows of which all keys are compared with each other, so that results are in order. That kernel is
 * small, and its compiler is done soon. Where all keys are results there is nothing to select. */
static bool is_short(const clade_kselect *s)
{
    const clade_kselect_params *p = &s->params;
    return p->length <= s->row.ranked && p->length <= SHORT_MOST &&
           (p->k < p->length || (p->output == CLADE_KSELECT_SORTED && p->length <= COMPARED));
}

/* Whether the results of this way need not be put in order. */
static bool is_ordered(const clade_kselect *s, int way)
{
    return s->params.output == CLADE_KSELECT_ANY ||
           (s->params.output == CLADE_KSELECT_SORTED && way == KSELECT_ROWS && is_short(s));
}

static void shape_options(struct cladei_text *options, const clade_kselect *s,
                          const struct cladei_kselect_shape *shape, bool coded, int set)
{
    cladei_text_printf(options, "-DCLADE_KSELECT_GROUP=%u -DCLADE_KSELECT_ITEMS=%u", shape->group,
                       shape->items);
    cladei_text_printf(options, " -DCLADE_KSELECT_DIGIT=%u -DCLADE_KSELECT_RANKED=%u", shape->digit,
                       shape->ranked);
    cladei_text_printf(options, " -DCLADE_KSELECT_ONCE=%d -DCLADE_KSELECT_CODED=%d", shape->once,
                       coded);
    cladei_text_printf(options, " -DCLADE_KSELECT_INDICES=%u", s->params.indices);
    if (s->params.ties == CLADE_KSELECT_TIES_LOWEST)
        cladei_text_printf(options, " -DCLADE_KSELECT_LOWEST=1");
    cladei_kselect_options(options, s, set);
}

void cladei_kselect_row_options(struct cladei_text *options, const clade_kselect *s, int set)
{
    shape_options(options, s, &s->row, !is_ordered(s, KSELECT_ROWS), set);
    if (cladei_kselect_is_likely(s))
        cladei_text_printf(options, " -DCLADE_KSELECT_LIKELY=1");
}

/* Whether the last of so many groups run beside few others: `resident` run at a time, and in the
 * last turn more than a fifth of all turns' places are empty: one row more than there are places
 * takes as long as twice as many. (CLADEI_KSELECT_TURNS=0 for a comparison.) */
static bool is_left_alone(uint64_t rows, uint64_t resident)
{
#if defined(CLADEI_KSELECT_TURNS) && !CLADEI_KSELECT_TURNS
    return false;
#endif
    const uint64_t places = (rows + resident - 1) / resident * resident;
    return rows < 16 * resident && 5 * (places - rows) > places;
}

bool cladei_kselect_is_shared(const clade_kselect *s, uint64_t rows)
{
    const uint64_t length = s->params.length, units = s->context->caps.compute_units;
    if (s->params.method != CLADE_KSELECT_AUTO)
        return s->params.method == CLADE_KSELECT_SHARED;
    /* Groups of one item that share a row have a launch for each digit, and take six times as long
     * together for some keys: fewer than eight of them are not faster, nor are sixteen in rows that
     * one item reads once. Where a range is guessed they share a row in another way, sooner
     * (parts.c). */
    if (s->context->caps.is_cpu)
        return length >= (is_few(s) ? 1 << 22 : 1 << 21) && units >= 8 * rows;
    if (length > 1 << 20 || (length >= 1 << 14 && rows < 2 * units))
        return true;
    return !s->row.once && s->row.group == 512 && is_left_alone(rows, 4 * units);
}

uint32_t cladei_kselect_parts_log(const clade_kselect *s, uint64_t rows)
{
    /* Groups a compute unit. The first key's groups are short: many make the last turn short. Those
     * of one item are not, and each costs its launch. */
    const uint64_t groups = !cladei_kselect_is_first(s) ? 16 : s->shared.group == 1 ? 4 : 64;
    const uint64_t tile = (uint64_t)s->shared.group * s->shared.items;
    const uint64_t tiles = (s->params.length + tile - 1) / tile;
    uint64_t parts = s->params.parts;
    cl_uint log = 0;
    if (parts == 0)
        parts = ((uint64_t)s->context->caps.compute_units * groups + rows - 1) / rows;
    while (2ull << log <= parts && 2ull << log <= tiles)
        log++;
    return log;
}

/* --- kernels
 * --------------------------------------------------------------------------------------- */

static clade_status need_rows(clade_kselect *s, int set)
{
    static const char *const name = "clade_kselect_rows";
    static const struct cladei_kernels kernels = { "kernels/kselect.cl", &name, 1 };
    struct cladei_text options = { 0 };
    cladei_kselect_row_options(&options, s, set);
    if (is_short(s))
        cladei_text_printf(&options, " -DCLADE_KSELECT_SHORT=1");
    if (s->row.group == 1 && is_few(s))
        cladei_text_printf(&options, " -DCLADE_KSELECT_FEW=1");
    return cladei_kernels_build_with(&s->kernels[set][KSELECT_ROWS], &kernels, s->context,
                                     &options);
}

static clade_status need_shared(clade_kselect *s, int set)
{
    static const char *const names[] = { "clade_kselect_start", "clade_kselect_count",
                                         "clade_kselect_scan", "clade_kselect_place",
                                         "clade_kselect_finish" };
    static const struct cladei_kernels kernels = { "kernels/kselect_shared.cl", names,
                                                   sizeof names / sizeof names[0] };
    struct cladei_text options = { 0 };
    shape_options(&options, s, &s->shared, !is_ordered(s, KSELECT_START), set);
    return cladei_kernels_build_with(&s->kernels[set][KSELECT_START], &kernels, s->context,
                                     &options);
}

/* The kernel that tells which way so many rows go. A scan knows only rows that are alike. */
static int way_of(const clade_kselect *s, int set, uint64_t rows)
{
    if (cladei_kselect_is_first(s))
        return KSELECT_LOOK;
    if (set == KSELECT_ALIKE && cladei_kselect_is_parted(s, rows))
        return KSELECT_PARTS;
    if (cladei_kselect_is_shared(s, rows))
        return KSELECT_START;
    return set == KSELECT_ALIKE && cladei_kselect_is_scan(s, rows) ? KSELECT_SCAN_ROWS
                                                                   : KSELECT_ROWS;
}

clade_status cladei_kselect_need(clade_kselect *s, int set, uint64_t rows)
{
    clade_status status = CLADE_OK;
    const int way = way_of(s, set, rows);
    if (!s->kernels[set][way])
        CLADE_TRY(way == KSELECT_LOOK        ? cladei_kselect_need_first(s, set)
                  : way == KSELECT_PARTS     ? cladei_kselect_need_parts(s)
                  : way == KSELECT_START     ? need_shared(s, set)
                  : way == KSELECT_SCAN_ROWS ? cladei_kselect_need_scan(s)
                                             : need_rows(s, set));
    if (!is_ordered(s, way))
        CLADE_TRY(cladei_kselect_need_sort(s, set));
fail:
    return status;
}

/* --- launches
 * -------------------------------------------------------------------------------------- */

static clade_status run_rows(clade_kselect *s, struct cladei_run *run,
                             const struct cladei_kselect_job *job)
{
    clade_status status = CLADE_OK;
    const cl_kernel *kernels = s->kernels[job->set];
    const cl_ulong stride = job->stride;
    const cl_uint length = (cl_uint)s->params.length, k = (cl_uint)s->params.k;
    const cl_uint rows = (cl_uint)job->rows;
    size_t groups = job->rows;
    /* Without indices no kernel touches them, but an argument must be some buffer. */
    cl_mem indices = job->indices.mem ? job->indices.mem : job->out.mem;
    if (s->row.group == 1 && groups > (size_t)s->context->caps.compute_units * 16)
        groups = (size_t)s->context->caps.compute_units * 16;
    CLADE_TRY(CLADEI_SET_ARGS(
        kernels[KSELECT_ROWS], CLADEI_ARG(job->keys.mem), CLADEI_ARG(job->keys.first),
        CLADEI_ARG(job->out.mem), CLADEI_ARG(job->out.first), CLADEI_ARG(indices),
        CLADEI_ARG(job->indices.first), CLADEI_ARG(stride), CLADEI_ARG(job->spans),
        CLADEI_ARG(length), CLADEI_ARG(k), CLADEI_ARG(rows)));
    CLADE_TRY(cladei_run_kernel(run, kernels[KSELECT_ROWS], groups, s->row.group));
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
                                     rows * (cladei_kselect_is_wide(s) ? 3 : 2) * s->shared.ranked *
                                         sizeof(cl_uint)));
fail:
    return status;
}

/* How many digits a search may need: those of a word, and of an index where it decides. */
static uint32_t digits_of(const clade_kselect *s, int set)
{
    const uint32_t digit = s->shared.digit, word = cladei_kselect_is_wide(s) ? 64 : 32;
    uint32_t index = 0;
    if (s->params.length <= s->shared.ranked ||
        (set == KSELECT_ALIKE && s->params.k == s->params.length))
        return 0; /* nothing to look for */
    while (s->params.ties == CLADE_KSELECT_TIES_LOWEST && (s->params.length - 1) >> index > 0)
        index++;
    return (word + digit - 1) / digit + (index + digit - 1) / digit;
}

static clade_status count_digits(clade_kselect *s, struct cladei_run *run,
                                 const struct cladei_kselect_job *job, cl_uint parts_log)
{
    clade_status status = CLADE_OK;
    const cl_kernel *kernels = s->kernels[job->set];
    const cl_uint length = (cl_uint)s->params.length, k = (cl_uint)s->params.k;
    const size_t rows = (size_t)job->rows;
    CLADE_TRY(CLADEI_SET_ARGS(kernels[KSELECT_START], CLADEI_ARG(s->state.mem),
                              CLADEI_ARG(s->bins.mem), CLADEI_ARG(job->spans), CLADEI_ARG(length),
                              CLADEI_ARG(k)));
    CLADE_TRY(cladei_run_kernel(run, kernels[KSELECT_START], rows, s->shared.group));
    CLADE_TRY(CLADEI_SET_ARGS(kernels[KSELECT_COUNT], CLADEI_ARG(job->keys.mem),
                              CLADEI_ARG(job->keys.first), CLADEI_ARG(s->state.mem),
                              CLADEI_ARG(s->bins.mem), CLADEI_ARG(job->spans), CLADEI_ARG(length),
                              CLADEI_ARG(k), CLADEI_ARG(parts_log)));
    CLADE_TRY(
        CLADEI_SET_ARGS(kernels[KSELECT_SCAN], CLADEI_ARG(s->state.mem), CLADEI_ARG(s->bins.mem)));
    for (uint32_t digit = 0; digit < digits_of(s, job->set); digit++) {
        CLADE_TRY(
            cladei_run_kernel(run, kernels[KSELECT_COUNT], rows << parts_log, s->shared.group));
        CLADE_TRY(cladei_run_kernel(run, kernels[KSELECT_SCAN], rows, s->shared.group));
    }
fail:
    return status;
}

static clade_status run_shared(clade_kselect *s, struct cladei_run *run,
                               const struct cladei_kselect_job *job)
{
    clade_status status = CLADE_OK;
    const cl_kernel *kernels = s->kernels[job->set];
    const cl_ulong stride = job->stride;
    const cl_uint length = (cl_uint)s->params.length, k = (cl_uint)s->params.k;
    const cl_uint parts_log = cladei_kselect_parts_log(s, job->rows);
    cl_mem indices = job->indices.mem ? job->indices.mem : job->out.mem;
    CLADE_TRY(reserve_state(s, job->rows));
    CLADE_TRY(count_digits(s, run, job, parts_log));
    CLADE_TRY(CLADEI_SET_ARGS(
        kernels[KSELECT_PLACE], CLADEI_ARG(job->keys.mem), CLADEI_ARG(job->keys.first),
        CLADEI_ARG(s->state.mem), CLADEI_ARG(s->collected.mem), CLADEI_ARG(job->out.mem),
        CLADEI_ARG(job->out.first), CLADEI_ARG(indices), CLADEI_ARG(job->indices.first),
        CLADEI_ARG(stride), CLADEI_ARG(job->spans), CLADEI_ARG(length), CLADEI_ARG(k),
        CLADEI_ARG(parts_log)));
    CLADE_TRY(cladei_run_kernel(run, kernels[KSELECT_PLACE], (size_t)job->rows << parts_log,
                                s->shared.group));
    CLADE_TRY(CLADEI_SET_ARGS(kernels[KSELECT_FINISH], CLADEI_ARG(s->state.mem),
                              CLADEI_ARG(s->collected.mem), CLADEI_ARG(job->out.mem),
                              CLADEI_ARG(job->out.first), CLADEI_ARG(indices),
                              CLADEI_ARG(job->indices.first), CLADEI_ARG(stride),
                              CLADEI_ARG(job->spans), CLADEI_ARG(length), CLADEI_ARG(k)));
    CLADE_TRY(cladei_run_kernel(run, kernels[KSELECT_FINISH], (size_t)job->rows, s->shared.group));
fail:
    return status;
}

clade_status cladei_kselect_select(clade_kselect *s, struct cladei_run *run,
                                   const struct cladei_kselect_job *job)
{
    clade_status status = CLADE_OK;
    const int way = way_of(s, job->set, job->rows);
    CLADE_TRY(cladei_kselect_need(s, job->set, job->rows));
    CLADE_TRY(way == KSELECT_LOOK        ? cladei_kselect_first(s, run, job)
              : way == KSELECT_PARTS     ? cladei_kselect_parts(s, run, job)
              : way == KSELECT_START     ? run_shared(s, run, job)
              : way == KSELECT_SCAN_ROWS ? cladei_kselect_scan(s, run, job)
                                         : run_rows(s, run, job));
    if (!is_ordered(s, way))
        CLADE_TRY(cladei_kselect_sort(s, run, job));
fail:
    return status;
}

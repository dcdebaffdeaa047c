/* SPDX-License-Identifier: Apache-2.0 */
/* Searches: a kernel runs some rounds, and the host starts it again until the search is done. So no
 * kernel holds the device for long, and a driver that ends long kernels ends none of these. */
#include <inttypes.h>
#include <string.h>

#include "base/error.h"
#include "device/context.h"
#include "paths/paths.h"

enum { ROUNDS = 4096 }; /* of one launch */
/* Where the driver leaves long loops: of the first launch, and how often a search is mended that
 * was cut all the same. */
enum { ROUNDS_SHORT = 64, MENDS = 64 };

/* --- one search --------------------------------------------------------------------------------
 */

static clade_status check_query(const clade_paths_query *query)
{
    clade_status status = CLADE_OK;
    CLADE_TRY(CLADEI_RESERVED_CHECK(query, "clade_paths_query"));
    CLADE_REQUIRE(query->part <= CLADE_PATHS_NEXT, CLADE_E_ARG,
                  "part is %u; it is 0, CLADE_PATHS_FIRST or CLADE_PATHS_NEXT", query->part);
    CLADE_REQUIRE(query->source_count <= UINT32_MAX, CLADE_E_ARG,
                  "source_count is %" PRIu64 "; the most is %u", query->source_count, UINT32_MAX);
    CLADE_REQUIRE(query->source_count == 0 || cladei_is_given(query->sources), CLADE_E_ARG,
                  "there is no array of sources");
    CLADE_REQUIRE(query->target_count <= UINT32_MAX, CLADE_E_ARG,
                  "target_count is %" PRIu64 "; the most is %u", query->target_count, UINT32_MAX);
    CLADE_REQUIRE((query->target_count > 0) == cladei_is_given(query->targets), CLADE_E_ARG,
                  "there are targets without their count, or the other way round");
    CLADE_REQUIRE(query->cutoff_float >= 0, CLADE_E_ARG, "cutoff_float is negative or no number");
fail:
    return status;
}

/* Of lengths, as the kernels keep them. */
static cl_ulong most_length(const clade_paths *paths)
{
    return paths->type == CLADE_PATHS_U64 ? UINT64_MAX - 1 : UINT32_MAX - 1;
}

/* The greatest length that is found. */
static clade_status choose_cutoff(const clade_paths *paths, const clade_paths_query *query,
                                  cl_ulong *cutoff)
{
    clade_status status = CLADE_OK;
    const cl_ulong most = most_length(paths);
    cl_uint bits = 0;
    memcpy(&bits, &query->cutoff_float, sizeof bits);
    if (paths->type == CLADE_PATHS_F32) {
        CLADE_REQUIRE(query->cutoff == 0, CLADE_E_ARG,
                      "cutoff is for integers; with float weights it is cutoff_float");
        *cutoff = query->cutoff_float > 0 && bits < 0x7f800000u ? bits : most; /* infinity: none */
    } else {
        CLADE_REQUIRE(query->cutoff_float == 0, CLADE_E_ARG,
                      "cutoff_float is for float weights; with integers it is cutoff");
        *cutoff = query->cutoff > 0 && query->cutoff < most ? query->cutoff : most;
    }
fail:
    return status;
}

/* A call begins whose kernels may refuse something. What an earlier one left in the head is not
 * this one's. */
static clade_status begin_telling(clade_paths *paths, struct cladei_run *run)
{
    clade_status status = CLADE_OK, earlier;
    if (paths->is_untold)
        CLADE_TRY(cladei_object_take_error(&paths->object, run, &earlier, NULL));
    paths->is_untold = true;
fail:
    return status;
}

static clade_status tell(clade_paths *paths, struct cladei_run *run)
{
    clade_status status = CLADE_OK;
    CLADE_TRY(cladei_kind_told(&cladei_paths_kind, &paths->object, run));
    paths->is_untold = false;
fail:
    return status;
}

/* The sources are kept: the tree of predecessors begins with them. A next part adds its own. */
static clade_status keep_sources(clade_paths *paths, struct cladei_call *call, uint64_t count)
{
    clade_status status = CLADE_OK;
    const struct cladei_view *view = &call->rows[PATHS_SOURCES_ROW].view;
    const uint64_t before = paths->source_count, all = before + count;
    cl_mem old = paths->sources, sources;
    cl_int code;
    CLADE_TRY(cladei_run_start(&call->run));
    if (old && count == 0)
        return CLADE_OK;
    sources = clCreateBuffer(paths->object.context->cl, CL_MEM_READ_WRITE,
                             (size_t)(all ? all : 1) * 4, NULL, &code);
    CLADE_CL_CODE(code, "clCreateBuffer");
    paths->sources = sources;
    paths->source_count = 0;
    if (before > 0)
        CLADE_CL(clEnqueueCopyBuffer(call->run.queue, old, sources, 0, 0, (size_t)before * 4, 0,
                                     NULL, NULL));
    if (count > 0)
        CLADE_CL(clEnqueueCopyBuffer(call->run.queue, view->mem, sources, (size_t)view->first * 4,
                                     (size_t)before * 4, (size_t)count * 4, 0, NULL, NULL));
    paths->source_count = all;
fail:
    if (old && paths->sources != old)
        clReleaseMemObject(old);
    return status;
}

/* No label is there; or all go on to be there, and which nodes wait is found anew. Beyond a cutoff
 * that rises nothing was looked for. */
static clade_status begin_labels(clade_paths *paths, struct cladei_call *call,
                                 const clade_paths_query *query, cl_ulong cutoff,
                                 clade_paths_slot *slot)
{
    clade_status status = CLADE_OK;
    const cl_mem mem = paths->object.mem, graph = paths->graph->object.mem;
    if (query->part == CLADE_PATHS_NEXT) {
        CLADE_TRY((cutoff > paths->cutoff ? cladei_paths_again_from_all
                                          : cladei_paths_again)(paths, call));
        CLADE_TRY(cladei_paths_slot_read(paths, &call->run, slot));
    } else {
        CLADE_TRY(CLADEI_SET_ARGS(paths->kernels[PATHS_BEGIN], CLADEI_ARG(mem), CLADEI_ARG(graph)));
        CLADE_TRY(cladei_paths_over_nodes(paths, &call->run, paths->kernels[PATHS_BEGIN]));
    }
    paths->cutoff = cutoff;
    if (query->part != CLADE_PATHS_NEXT || cutoff > paths->cutoff_most)
        paths->cutoff_most = cutoff;
fail:
    return status;
}

static clade_status begin(clade_paths *paths, struct cladei_call *call,
                          const clade_paths_query *query, cl_ulong cutoff, clade_paths_slot *slot)
{
    clade_status status = CLADE_OK;
    const cl_mem mem = paths->object.mem, graph = paths->graph->object.mem;
    const cl_ulong count = query->source_count, target_count = query->target_count;
    const uint64_t most = count > target_count ? count : target_count;
    CLADE_TRY(begin_telling(paths, &call->run));
    CLADE_TRY(keep_sources(paths, call, count));
    CLADE_TRY(begin_labels(paths, call, query, cutoff, slot));
    CLADE_TRY(CLADEI_SET_ARGS(paths->kernels[PATHS_SOURCES], CLADEI_ARG(mem), CLADEI_ARG(graph),
                              CLADEI_ROW(call, PATHS_SOURCES_ROW), CLADEI_ARG(count),
                              CLADEI_ROW(call, PATHS_TARGETS_ROW), CLADEI_ARG(target_count)));
    if (most > 0)
        CLADE_TRY(cladei_run_items(&call->run, paths->kernels[PATHS_SOURCES], most,
                                   paths->group < 64 ? paths->group : 64));
    CLADE_TRY(tell(paths, &call->run));
fail:
    return status;
}

clade_status cladei_paths_slot_read(clade_paths *paths, struct cladei_run *run,
                                    clade_paths_slot *slot)
{
    return cladei_run_read(run, &paths->object, sizeof paths->layout, slot, sizeof *slot);
}

/* One group goes on until the search is done, or, with a limit of loops, until a launch does
 * nothing.
 */
static clade_status go_alone(clade_paths *paths, struct cladei_call *call,
                             const struct cladei_paths_search *search, clade_paths_slot *slot)
{
    clade_status status = CLADE_OK;
    const cl_mem mem = paths->object.mem, graph = paths->graph->object.mem;
    const bool is_limited = paths->object.context->caps.loop_limit > 0;
    CLADE_TRY(CLADEI_SET_ARGS(paths->kernels[PATHS_GO], CLADEI_ARG(mem), CLADEI_ARG(graph),
                              CLADEI_ROW(call, PATHS_TARGETS_ROW), CLADEI_ARG(search->target_count),
                              CLADEI_ROW(call, PATHS_BOUNDS_ROW), CLADEI_ARG(search->has_bounds),
                              CLADEI_ARG(search->cutoff), CLADEI_ARG(search->rounds)));
    do {
        const clade_u32 before = slot->rounds;
        CLADE_TRY(cladei_run_kernel(&call->run, paths->kernels[PATHS_GO], 1, paths->group));
        CLADE_TRY(cladei_paths_slot_read(paths, &call->run, slot));
        paths->stats.launches++;
        if (slot->rounds == before && is_limited)
            break;
        CLADE_REQUIRE(slot->rounds != before, CLADE_E_BUSY,
                      "the device did none of the rounds of a launch");
    } while (slot->step != CLADE_PATHS_DONE);
fail:
    return status;
}

static clade_status go(clade_paths *paths, struct cladei_call *call,
                       const struct cladei_paths_search *search, clade_paths_slot *slot)
{
    return paths->groups > 0 ? cladei_paths_go_many(paths, call, search, slot)
                             : go_alone(paths, call, search, slot);
}

/* Where the driver leaves long loops: short launches, and what they left out is done again, by
 * launches that are shorter still. */
static clade_status go_limited(clade_paths *paths, struct cladei_call *call,
                               const struct cladei_paths_search *search, clade_paths_slot *slot)
{
    clade_status status = CLADE_OK;
    struct cladei_paths_search its = *search;
    bool goes_on = true;
    its.rounds = ROUNDS_SHORT;
    for (unsigned i = 0; goes_on; i++) {
        CLADE_REQUIRE(i < MENDS, CLADE_E_BUSY, "%s leaves loops: this graph is too large for it",
                      paths->object.context->info.name);
        CLADE_TRY(go(paths, call, &its, slot));
        CLADE_TRY(cladei_paths_mend(paths, call, PATHS_BOUNDS_ROW, its.has_bounds, its.cutoff,
                                    slot->step == CLADE_PATHS_DONE, &goes_on));
        its.rounds = its.rounds > 2 ? its.rounds / 2 : 1;
    }
fail:
    return status;
}

/* Labels that are not final go: the search ended before. */
static clade_status forget(clade_paths *paths, struct cladei_call *call,
                           const clade_paths_query *query)
{
    clade_status status = CLADE_OK;
    const cl_mem mem = paths->object.mem, graph = paths->graph->object.mem;
    const cl_uint has_bounds = cladei_is_given(query->bounds);
    CLADE_TRY(CLADEI_SET_ARGS(paths->kernels[PATHS_FORGET], CLADEI_ARG(mem), CLADEI_ARG(graph),
                              CLADEI_ROW(call, PATHS_BOUNDS_ROW), CLADEI_ARG(has_bounds)));
    CLADE_TRY(cladei_paths_over_nodes(paths, &call->run, paths->kernels[PATHS_FORGET]));
fail:
    return status;
}

/* Some sum did not fit: whether a node has no length for that. A cutoff leaves out what is longer;
 * and a search that ended at its targets has the lengths that it was to find. */
static clade_status judge(clade_paths *paths, struct cladei_call *call,
                          const clade_paths_query *query, const struct cladei_paths_search *its,
                          const clade_paths_slot *slot, bool *lacks)
{
    clade_status status = CLADE_OK;
    const cl_mem mem = paths->object.mem, graph = paths->graph->object.mem;
    const cl_kernel kernel = paths->kernels[PATHS_LACK];
    const uint64_t at = offsetof(clade_paths_head, left);
    clade_u32 left = 0;
    const bool has_all = its->target_count > 0 && slot->target == its->target_count;
    const cl_ulong most = most_length(paths); /* a cutoff, too, if it was asked for */
    *lacks = false;
    if (slot->overflow == 0 || has_all || its->cutoff != most || query->cutoff == most)
        return CLADE_OK;
    CLADE_TRY(cladei_run_write(&call->run, &paths->object, at, &left, sizeof left));
    CLADE_TRY(CLADEI_SET_ARGS(kernel, CLADEI_ARG(mem), CLADEI_ARG(graph)));
    CLADE_TRY(cladei_paths_over_arcs(paths, &call->run, kernel));
    CLADE_TRY(cladei_run_read(&call->run, &paths->object, at, &left, sizeof left));
    *lacks = left != 0;
fail:
    return status;
}

static void keep_stats(clade_paths *paths, const clade_paths_slot *slot)
{
    paths->stats.expanded = slot->expanded;
    paths->stats.rounds = slot->rounds;
    paths->stats.rebuilds = slot->rebuilds;
}

static clade_status search(clade_paths *paths, struct cladei_call *call,
                           const clade_paths_query *query)
{
    clade_status status = CLADE_OK;
    clade_paths_slot slot = { 0 };
    struct cladei_paths_search its = { .target_count = query->target_count,
                                       .has_bounds = cladei_is_given(query->bounds),
                                       .rounds = ROUNDS };
    const bool is_limited = paths->object.context->caps.loop_limit > 0;
    bool lacks;
    CLADE_TRY(choose_cutoff(paths, query, &its.cutoff));
    CLADE_TRY(begin(paths, call, query, its.cutoff, &slot));
    CLADE_TRY((is_limited ? go_limited : go)(paths, call, &its, &slot));
    CLADE_TRY(judge(paths, call, query, &its, &slot, &lacks));
    if (slot.settled != CLADE_PATHS_NONE && query->part == 0)
        CLADE_TRY(forget(paths, call, query));
    paths->is_left = slot.settled != CLADE_PATHS_NONE || its.cutoff < paths->cutoff_most;
    keep_stats(paths, &slot);
    call->run.blocking = true;
    if (lacks)
        call->run.event = NULL; /* a call that fails gives none */
    CLADE_TRY(cladei_call_finish(call));
    paths->has_result = true;
    CLADE_REQUIRE(!lacks, CLADE_E_FULL, "the length of some path does not fit a %s",
                  paths->type == CLADE_PATHS_F32 ? "float" : "uint32_t; params.wide holds it");
fail:
    return status;
}

/* A label that came from a node whose own has fallen since has no predecessor that adds up to it. So
 * nodes that wait are done first, as far as any part went. */
clade_status cladei_paths_complete(clade_paths *paths, struct cladei_call *call)
{
    clade_status status = CLADE_OK;
    clade_paths_slot slot;
    const struct cladei_paths_search its = { .cutoff = paths->cutoff_most, .rounds = ROUNDS };
    const bool is_limited = paths->object.context->caps.loop_limit > 0;
    if (!paths->in_parts || !paths->is_left)
        return CLADE_OK;
    CLADE_TRY(cladei_paths_again(paths, call));
    paths->has_result = false;
    if (its.cutoff > paths->cutoff)
        CLADE_TRY(cladei_paths_again_from_all(paths, call));
    CLADE_TRY(cladei_paths_slot_read(paths, &call->run, &slot));
    CLADE_TRY((is_limited ? go_limited : go)(paths, call, &its, &slot));
    keep_stats(paths, &slot);
    paths->is_left = false;
    paths->has_result = true;
fail:
    return status;
}

/* What an earlier search left is gone; a next part takes over its labels and its sources. */
static clade_status take_over(clade_paths *paths, const clade_paths_query *query)
{
    clade_status status = CLADE_OK;
    const bool has_result = paths->has_result && !paths->has_tree;
    const clade_paths_stats stats = paths->stats;
    const uint64_t source_count = paths->source_count;
    const cl_mem sources = paths->sources;
    const bool goes_on = query->part == CLADE_PATHS_NEXT;
    CLADE_REQUIRE(!goes_on || (has_result && paths->in_parts), CLADE_E_ARG,
                  "there is no search in parts to go on with, or its predecessors were asked for");
    if (goes_on)
        paths->sources = NULL;
    cladei_paths_forget(paths);
    paths->in_parts = query->part != 0;
    if (goes_on) {
        paths->sources = sources;
        paths->source_count = source_count;
        paths->stats = stats;
    }
fail:
    return status;
}

clade_status clade_paths_run(clade_paths *paths, const clade_paths_query *query,
                             const clade_launch *launch)
{
    clade_status status = CLADE_OK;
    struct cladei_call call = { .count = 0 };
    CLADE_REQUIRE(paths && query, CLADE_E_ARG, "an argument is NULL");
    CLADE_TRY(check_query(query));
    call.rows[PATHS_SOURCES_ROW] = (struct cladei_row) { "sources", query->sources, 4, CLADEI_IN,
                                                         .count = query->source_count };
    call.rows[PATHS_TARGETS_ROW] = (struct cladei_row) { "targets", query->targets, 4, CLADEI_IN,
                                                         .count = query->target_count };
    call.rows[PATHS_BOUNDS_ROW] =
        (struct cladei_row) { "bounds", query->bounds, paths->length_bytes, CLADEI_IN,
                              .count = paths->layout.nodes };
    CLADE_TRY(cladei_call_open(&call, &cladei_paths_kind, &paths->object, launch));
    CLADE_TRY(cladei_paths_need(paths));
    CLADE_TRY(take_over(paths, query));
    CLADE_TRY(search(paths, &call, query));
fail:
    cladei_call_close(&call);
    return status;
}

/* --- a table -----------------------------------------------------------------------------------
 */

static const char *const rows_names[ROWS_KERNELS] = {
    [ROWS_BEGIN] = "clade_paths_rows_begin",
    [ROWS_GO] = "clade_paths_rows",
};
static const struct cladei_kernels rows_kernels = { "kernels/paths_rows.cl", rows_names,
                                                    ROWS_KERNELS };

enum { TABLE_SOURCES, TABLE_LENGTHS };

/* Groups go on until no row is left. */
static clade_status go_table(clade_paths *paths, struct cladei_call *call, uint64_t count)
{
    clade_status status = CLADE_OK;
    const cl_mem mem = paths->object.mem, graph = paths->graph->object.mem;
    const cl_ulong rows = count;
    const bool is_limited = paths->object.context->caps.loop_limit > 0;
    const cl_uint rounds = is_limited ? ROUNDS_SHORT : ROUNDS;
    const size_t groups = paths->layout.slots < count ? paths->layout.slots : (size_t)count;
    clade_u32 left = (clade_u32)count, before;
    uint64_t idle = 0; /* launches in a row that ended no row */
    if (is_limited)
        CLADE_TRY(cladei_paths_rows_clear(paths, call, TABLE_LENGTHS, count));
    CLADE_TRY(CLADEI_SET_ARGS(paths->rows[ROWS_BEGIN], CLADEI_ARG(mem),
                              CLADEI_ROW(call, TABLE_SOURCES), CLADEI_ARG(rows)));
    CLADE_TRY(cladei_run_items(&call->run, paths->rows[ROWS_BEGIN],
                               paths->layout.slots > count ? paths->layout.slots : count,
                               paths->rows_group < 64 ? paths->rows_group : 64));
    CLADE_TRY(CLADEI_SET_ARGS(paths->rows[ROWS_GO], CLADEI_ARG(mem), CLADEI_ARG(graph),
                              CLADEI_ROW(call, TABLE_SOURCES), CLADEI_ARG(rows),
                              CLADEI_ROW(call, TABLE_LENGTHS), CLADEI_ARG(rounds)));
    do {
        before = left;
        CLADE_TRY(cladei_run_kernel(&call->run, paths->rows[ROWS_GO], groups, paths->rows_group));
        CLADE_TRY(cladei_run_read(&call->run, &paths->object, offsetof(clade_paths_head, left),
                                  &left, sizeof left));
        paths->stats.launches++;
        idle = left == before ? idle + 1 : 0;
        CLADE_REQUIRE(idle <= paths->graph->nodes, CLADE_E_BUSY,
                      "the searches ended in none of %" PRIu64 " launches", idle);
    } while (left != 0);
    if (is_limited)
        CLADE_TRY(cladei_paths_rows_look(paths, call, TABLE_SOURCES, TABLE_LENGTHS, count));
fail:
    return status;
}

clade_status clade_paths_table(clade_paths *paths, clade_array sources, clade_array lengths,
                               uint64_t count, const clade_launch *launch)
{
    clade_status status = CLADE_OK;
    struct cladei_call call = { .count = count, .most = UINT32_MAX - 1 };
    CLADE_REQUIRE(paths, CLADE_E_ARG, "the path finder is NULL");
    CLADE_REQUIRE(count <= UINT32_MAX - 1 && count <= UINT64_MAX / 16 / paths->layout.nodes,
                  CLADE_E_ARG, "the count is %" PRIu64 "; that is too large", count);
    call.rows[TABLE_SOURCES] =
        (struct cladei_row) { "sources", sources, 4, CLADEI_IN, .need = "of sources" };
    call.rows[TABLE_LENGTHS] = (struct cladei_row) { "lengths",
                                                     lengths,
                                                     paths->length_bytes,
                                                     CLADEI_OUT,
                                                     .need = "for the lengths",
                                                     .count = count * paths->layout.nodes };
    CLADE_TRY(cladei_call_open(&call, &cladei_paths_kind, &paths->object, launch));
    CLADE_TRY(
        cladei_kernels_build(paths->rows, &rows_kernels, paths->object.context, paths->options));
    CLADE_TRY(cladei_paths_group(paths, paths->rows[ROWS_GO], &paths->rows_group));
    cladei_paths_forget(paths);
    CLADE_TRY(begin_telling(paths, &call.run));
    if (count > 0)
        CLADE_TRY(go_table(paths, &call, count));
    CLADE_TRY(cladei_call_read(&call));
    CLADE_TRY(tell(paths, &call.run));
    call.run.blocking = true;
    CLADE_TRY(cladei_run_end(&call.run));
fail:
    cladei_call_close(&call);
    return status;
}

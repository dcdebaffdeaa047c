/* SPDX-License-Identifier: Apache-2.0 */
/* Searches on a driver that leaves long loops, and says nothing (clade_caps.loop_limit). Launches
 * are short there; and what one of them left out is found by a look at all arcs. */
#include "base/error.h"
#include "device/context.h"
#include "device/queue.h"
#include "paths/paths.h"

static const char *const names[MEND_KERNELS] = { [MEND_LOOK] = "clade_paths_mend",
                                                 [MEND_AGAIN] = "clade_paths_again",
                                                 [MEND_ALL] = "clade_paths_again_all",
                                                 [MEND_ROWS] = "clade_paths_rows_look" };
static const struct cladei_kernels mend_kernels = { "kernels/paths_mend.cl", names, MEND_KERNELS };

static clade_status build(clade_paths *paths)
{
    return cladei_kernels_build(paths->mend, &mend_kernels, paths->object.context, paths->options);
}

/* Run the kernel, whose arguments are set; *left is what it counts. */
static clade_status look(clade_paths *paths, struct cladei_run *run, cl_kernel kernel,
                         uint64_t items, size_t group, clade_u32 *left)
{
    clade_status status = CLADE_OK;
    const clade_u32 none = 0;
    CLADE_TRY(cladei_run_write(run, &paths->object, offsetof(clade_paths_head, left), &none,
                               sizeof none));
    CLADE_TRY(cladei_run_items(run, kernel, items, group < 64 ? group : 64));
    CLADE_TRY(
        cladei_run_read(run, &paths->object, offsetof(clade_paths_head, left), left, sizeof *left));
fail:
    return status;
}

static clade_status look_at_search(clade_paths *paths, struct cladei_call *call, cl_kernel kernel,
                                   unsigned bounds_row, cl_uint has_bounds, cl_ulong cutoff,
                                   clade_u32 *left)
{
    clade_status status = CLADE_OK;
    const cl_mem mem = paths->object.mem, graph = paths->graph->object.mem;
    *left = 0;
    if (paths->graph->arcs == 0)
        return CLADE_OK;
    CLADE_TRY(CLADEI_SET_ARGS(kernel, CLADEI_ARG(mem), CLADEI_ARG(graph),
                              CLADEI_ROW(call, bounds_row), CLADEI_ARG(has_bounds),
                              CLADEI_ARG(cutoff)));
    CLADE_TRY(look(paths, &call->run, kernel, paths->graph->arcs, paths->group, left));
fail:
    return status;
}

clade_status cladei_paths_again(clade_paths *paths, struct cladei_call *call)
{
    clade_status status = CLADE_OK;
    const cl_mem mem = paths->object.mem, graph = paths->graph->object.mem;
    CLADE_TRY(build(paths));
    CLADE_TRY(CLADEI_SET_ARGS(paths->mend[MEND_AGAIN], CLADEI_ARG(mem), CLADEI_ARG(graph)));
    CLADE_TRY(cladei_run_kernel(&call->run, paths->mend[MEND_AGAIN], 1, 1));
fail:
    return status;
}

clade_status cladei_paths_again_from_all(clade_paths *paths, struct cladei_call *call)
{
    clade_status status = CLADE_OK;
    const cl_mem mem = paths->object.mem, graph = paths->graph->object.mem;
    CLADE_TRY(cladei_paths_again(paths, call));
    CLADE_TRY(CLADEI_SET_ARGS(paths->mend[MEND_ALL], CLADEI_ARG(mem), CLADEI_ARG(graph)));
    CLADE_TRY(cladei_paths_over_nodes(paths, &call->run, paths->mend[MEND_ALL]));
fail:
    return status;
}

clade_status cladei_paths_mend(clade_paths *paths, struct cladei_call *call, unsigned bounds_row,
                               cl_uint has_bounds, cl_ulong cutoff, bool is_done, bool *goes_on)
{
    clade_status status = CLADE_OK;
    clade_u32 left = 1;
    CLADE_TRY(build(paths));
    if (is_done)
        CLADE_TRY(look_at_search(paths, call, paths->mend[MEND_LOOK], bounds_row, has_bounds,
                                 cutoff, &left));
    *goes_on = left > 0;
    if (*goes_on)
        CLADE_TRY(cladei_paths_again(paths, call));
fail:
    return status;
}

clade_status cladei_paths_rows_clear(clade_paths *paths, struct cladei_call *call, unsigned row,
                                     uint64_t count)
{
    clade_status status = CLADE_OK;
    const clade_u32 none = UINT32_MAX;
    const struct cladei_view *view = &call->rows[row].view;
    CLADE_TRY(cladei_run_start(&call->run));
    CLADE_TRY(cladei_queue_fill(call->run.queue, view->mem, &none, sizeof none,
                                (size_t)view->first * paths->length_bytes,
                                (size_t)(count * paths->layout.nodes) * paths->length_bytes));
fail:
    return status;
}

clade_status cladei_paths_rows_look(clade_paths *paths, struct cladei_call *call,
                                    unsigned sources_row, unsigned row, uint64_t count)
{
    clade_status status = CLADE_OK;
    const cl_mem mem = paths->object.mem, graph = paths->graph->object.mem;
    const cl_ulong rows = count;
    clade_u32 left = 0;
    if (count == 0 || paths->graph->arcs == 0)
        return CLADE_OK;
    CLADE_TRY(build(paths));
    CLADE_TRY(CLADEI_SET_ARGS(paths->mend[MEND_ROWS], CLADEI_ARG(mem), CLADEI_ARG(graph),
                              CLADEI_ROW(call, sources_row), CLADEI_ROW(call, row),
                              CLADEI_ARG(rows)));
    CLADE_TRY(look(paths, &call->run, paths->mend[MEND_ROWS], rows * paths->graph->arcs,
                   paths->rows_group, &left));
    CLADE_REQUIRE(left == 0, CLADE_E_BUSY,
                  "%s left loops: run the searches of this graph one by one",
                  paths->object.context->info.name);
fail:
    return status;
}

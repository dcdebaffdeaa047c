/* SPDX-License-Identifier: Apache-2.0 */
/* Path finders: their life, and what is read of a search's result. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/borrow.h"
#include "base/error.h"
#include "device/context.h"
#include "paths/paths.h"

static clade_status refused(const struct cladei_object *object, clade_status error, clade_u32 item)
{
    clade_status status = CLADE_OK;
    const clade_paths *paths = (const clade_paths *)object;
    CLADE_REQUIRE(error != CLADE_E_ARG, error, "node %u of the call is none: the graph has %u",
                  item, paths->layout.nodes);
    CLADE_REQUIRE(error != CLADE_E_FULL, error,
                  "the length of some path of row %u does not fit a %s", item,
                  paths->type == CLADE_PATHS_F32 ? "float" : "uint32_t; params.wide holds it");
fail:
    return status;
}

static const char *const kernel_names[PATHS_KERNELS] = {
    [PATHS_BEGIN] = "clade_paths_begin", [PATHS_SOURCES] = "clade_paths_sources",
    [PATHS_GO] = "clade_paths_go",       [PATHS_FORGET] = "clade_paths_forget",
    [PATHS_LACK] = "clade_paths_lack",   [PATHS_LENGTHS] = "clade_paths_lengths",
};
const struct cladei_kind cladei_paths_kind = { CLADE_PATHS_KIND,
                                               "the path finder",
                                               { "kernels/paths.cl", kernel_names, PATHS_KERNELS },
                                               refused };

/* --- create and destroy ------------------------------------------------------------------------
 */

/* How many common weights a bucket is wide. Narrower ones make more rounds, wider ones expand nodes
 * more often: docs/figures/paths.md. */
#define BUCKET 4.0f

static uint64_t at_least(uint64_t rooms)
{
    return rooms < 64 ? 64 : rooms;
}

/* How many entries each queue has room for. More than n entries are there only when labels fell
 * again and again; what finds no room is found again by its label. */
static void choose_rooms(clade_paths_head *head, uint64_t nodes)
{
    head->near_room = (clade_u32)at_least(nodes);
    head->far_room = (clade_u32)at_least(nodes / 2);
    head->ring_room = (clade_u32)at_least(nodes / 16);
}

/* See clade_paths_head. */
static uint64_t slot_bytes(const clade_paths_head *head, uint64_t length)
{
    const uint64_t entries = 2 * (uint64_t)head->near_room + 2 * (uint64_t)head->far_room +
                             (uint64_t)CLADE_PATHS_RING * head->ring_room;
    const uint64_t bytes = sizeof(clade_paths_slot) + 2 * length * head->nodes +
                           (length + 4) * entries + 4 * (uint64_t)head->nodes;
    return (bytes + 63) / 64 * 64;
}

/* PoCL hands clang's prefetch on to the processor. Simulators do not know it. */
static bool compiles_prefetch(const clade_context *context)
{
    return context->caps.is_cpu && strstr(context->info.platform, "Portable Computing Language");
}

static clade_status choose_type(clade_paths *paths, const clade_paths_params *params)
{
    clade_status status = CLADE_OK;
    const clade_context *context = paths->graph->object.context;
    CLADE_REQUIRE(params->wide <= 1, CLADE_E_ARG, "wide is %u; it is 0 or 1", params->wide);
    CLADE_REQUIRE(!params->wide || paths->graph->type == CLADE_PATHS_U32, CLADE_E_UNSUPPORTED,
                  "lengths of float weights are floats: wide is for integers");
    CLADE_REQUIRE(!params->wide || context->caps.int64_atomics, CLADE_E_UNSUPPORTED,
                  "lengths of 64 bits want 64-bit atomics, which %s does not have",
                  context->info.name);
    paths->type = params->wide ? CLADE_PATHS_U64 : paths->graph->type;
    paths->length_bytes = params->wide ? 8 : 4;
    (void)snprintf(paths->options, sizeof paths->options, "-DCLADE_PATHS_LENGTH=%u%s", paths->type,
                   compiles_prefetch(context) ? " -DCLADE_PATHS_PREFETCH" : "");
fail:
    return status;
}

/* The words that groups share come last, and pieces of heavy nodes: of PIECE arcs each, those of a
 * node with more arcs than MANY_ARCS (both are 16 at least). */
static void add_shared(clade_paths *paths)
{
    paths->groups = cladei_paths_groups(paths->graph->object.context);
    if (paths->groups == 0)
        return;
    paths->layout.shared_at = (clade_u32)(paths->object.bytes / 64);
    paths->layout.heavy_room = (clade_u32)(paths->graph->arcs / 8 + 1);
    paths->object.bytes += 4 * CLADE_PATHS_SHARED_WORDS + 8 * (uint64_t)paths->layout.heavy_room;
}

static clade_status choose_layout(clade_paths *paths, const clade_paths_params *params)
{
    clade_status status = CLADE_OK;
    uint64_t bytes;
    paths->layout.nodes = (clade_u32)paths->graph->nodes;
    paths->layout.slots = params->slots ? params->slots : 1;
    paths->layout.scale = 1 / (BUCKET * paths->graph->width);
    choose_rooms(&paths->layout, paths->graph->nodes);
    bytes = slot_bytes(&paths->layout, paths->length_bytes);
    paths->layout.slot_lines = (clade_u32)(bytes / 64);
    CLADE_REQUIRE(paths->layout.slots <= (UINT64_MAX / 2 - sizeof paths->layout) / bytes,
                  CLADE_E_ARG, "slots is %u, of %" PRIu64 " bytes each: that is too much",
                  params->slots, bytes);
    paths->object.bytes = sizeof paths->layout + paths->layout.slots * bytes;
    add_shared(paths);
fail:
    return status;
}

/* On a GPU the largest group there is: often one alone does a search. */
clade_status cladei_paths_group(clade_paths *paths, cl_kernel kernel, size_t *group)
{
    clade_status status = CLADE_OK;
    const clade_context *context = paths->object.context;
    size_t allowed;
    CLADE_CL(clGetKernelWorkGroupInfo(kernel, context->device, CL_KERNEL_WORK_GROUP_SIZE,
                                      sizeof allowed, &allowed, NULL));
    if (cladei_paths_items(context) > 0 && cladei_paths_items(context) < allowed)
        allowed = cladei_paths_items(context);
    else if (cladei_prefers_one_item(context))
        allowed = 1;
    for (*group = 1; *group * 2 <= allowed; *group *= 2)
        ;
fail:
    return status;
}

/* A path finder that only kernels of the user's search with needs none of these. */
clade_status cladei_paths_need(clade_paths *paths)
{
    clade_status status = CLADE_OK;
    CLADE_TRY(cladei_kernels_build(paths->kernels, &cladei_paths_kind.kernels,
                                   paths->object.context, paths->options));
    CLADE_TRY(cladei_paths_group(paths, paths->kernels[PATHS_GO], &paths->group));
fail:
    return status;
}

/* No slot has a search. */
static clade_status clear_slots(clade_paths *paths)
{
    clade_status status = CLADE_OK;
    const clade_paths_slot idle = { 0 };
    for (uint32_t slot = 0; slot < paths->layout.slots; slot++)
        CLADE_TRY(cladei_object_write(
            &paths->object, sizeof paths->layout + (uint64_t)slot * paths->layout.slot_lines * 64,
            &idle, sizeof idle));
fail:
    return status;
}

clade_status clade_paths_create(clade_paths **out, clade_graph *graph,
                                const clade_paths_params *params)
{
    clade_status status = CLADE_OK;
    clade_paths *paths = NULL;
    const struct cladei_kind *kind = &cladei_paths_kind;
    CLADEI_CREATION(out, graph, params, clade_paths_params, kind->name);
    paths = calloc(1, sizeof *paths);
    CLADE_NO_MEMORY(paths);
    paths->graph = graph;
    cladei_hold(&graph->borrowers);
    CLADE_TRY(choose_type(paths, params));
    CLADE_TRY(choose_layout(paths, params));
    CLADE_TRY(cladei_object_create(&paths->object, graph->object.context, kind->number,
                                   CLADE_PATHS_SHAPE(paths->type), paths->object.bytes,
                                   kind->name));
    CLADE_TRY(cladei_object_write_own(&paths->object, &paths->layout, sizeof paths->layout));
    CLADE_TRY(clear_slots(paths));
    *out = paths;
    return CLADE_OK;

fail:
    clade_paths_destroy(&paths);
    return status;
}

void cladei_paths_forget(clade_paths *paths)
{
    paths->has_result = paths->has_tree = false;
    free(paths->predecessors);
    paths->predecessors = NULL;
    if (paths->sources)
        clReleaseMemObject(paths->sources);
    paths->sources = NULL;
    paths->source_count = 0;
    paths->in_parts = false;
    paths->stats = (clade_paths_stats) { 0 };
}

void clade_paths_destroy(clade_paths **paths)
{
    clade_paths *gone = paths ? *paths : NULL;
    if (!gone)
        return;
    cladei_object_close(&gone->object, NULL, gone->kernels, PATHS_KERNELS);
    cladei_kernels_release(gone->rows, ROWS_KERNELS);
    cladei_kernels_release(gone->tree, TREE_KERNELS);
    cladei_kernels_release(gone->many, MANY_KERNELS);
    cladei_kernels_release(gone->mend, MEND_KERNELS);
    cladei_paths_forget(gone);
    clade_graph_destroy(&gone->graph);
    free(gone);
    *paths = NULL;
}

cl_mem clade_paths_mem(const clade_paths *paths)
{
    return paths ? paths->object.mem : NULL;
}

const char *clade_paths_options(const clade_paths *paths)
{
    return paths ? paths->options : NULL;
}

/* --- reading -----------------------------------------------------------------------------------
 */

clade_status cladei_paths_over_nodes(clade_paths *paths, struct cladei_run *run, cl_kernel kernel)
{
    const uint32_t most = paths->object.context->caps.group_size_max;
    return cladei_run_items(run, kernel, paths->layout.nodes, most < 64 ? most : 64);
}

clade_status cladei_paths_over_arcs(clade_paths *paths, struct cladei_run *run, cl_kernel kernel)
{
    const clade_caps *caps = &paths->object.context->caps;
    const uint32_t most = caps->group_size_max;
    if (caps->loop_limit == 0)
        return cladei_paths_over_nodes(paths, run, kernel);
    return paths->graph->arcs == 0
               ? CLADE_OK
               : cladei_run_items(run, kernel, paths->graph->arcs, most < 64 ? most : 64);
}

enum { LENGTHS, PREDECESSORS };

static clade_status enqueue_read(clade_paths *paths, struct cladei_call *call)
{
    clade_status status = CLADE_OK;
    const cl_mem mem = paths->object.mem, graph = paths->graph->object.mem;
    if ((call->given & 2u) != 0)
        CLADE_TRY(cladei_paths_complete(paths, call));
    if ((call->given & 1u) != 0) {
        CLADE_TRY(CLADEI_SET_ARGS(paths->kernels[PATHS_LENGTHS], CLADEI_ARG(mem),
                                  CLADEI_ROW(call, LENGTHS)));
        CLADE_TRY(cladei_paths_over_nodes(paths, &call->run, paths->kernels[PATHS_LENGTHS]));
    }
    if ((call->given & 2u) != 0) {
        CLADE_TRY(cladei_paths_tree_make(paths, &call->run));
        CLADE_TRY(CLADEI_SET_ARGS(paths->tree[TREE_READ], CLADEI_ARG(mem), CLADEI_ARG(graph),
                                  CLADEI_ROW(call, PREDECESSORS)));
        CLADE_TRY(cladei_paths_over_nodes(paths, &call->run, paths->tree[TREE_READ]));
    }
fail:
    return status;
}

clade_status clade_paths_read(clade_paths *paths, clade_array lengths, clade_array predecessors,
                              const clade_launch *launch)
{
    clade_status status = CLADE_OK;
    struct cladei_call call = {
        .rows = { [LENGTHS] = { "lengths", lengths, 4, CLADEI_OUT, .bit = 1 },
                  [PREDECESSORS] = { "predecessors", predecessors, 4, CLADEI_OUT, .bit = 2 },
                  [PATHS_BOUNDS_ROW] = { "bounds", clade_no_array(), 4, CLADEI_IN, .bit = 0 } },
    };
    CLADE_REQUIRE(paths, CLADE_E_ARG, "the path finder is NULL");
    CLADE_REQUIRE(paths->has_result, CLADE_E_ARG, "there is no result of a search to read");
    call.count = paths->layout.nodes;
    call.rows[LENGTHS].bytes = paths->length_bytes;
    CLADE_TRY(cladei_call_open(&call, &cladei_paths_kind, &paths->object, launch));
    CLADE_TRY(enqueue_read(paths, &call));
    CLADE_TRY(cladei_call_finish(&call));
fail:
    cladei_call_close(&call);
    return status;
}

clade_status clade_paths_stats_read(const clade_paths *paths, clade_paths_stats *stats)
{
    clade_status status = CLADE_OK;
    CLADE_REQUIRE(paths && stats, CLADE_E_ARG, "an argument is NULL");
    *stats = paths->stats;
fail:
    return status;
}

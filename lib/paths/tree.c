/* SPDX-License-Identifier: Apache-2.0 */
/* The tree of predecessors after a search, and one path of it. */
#include <inttypes.h>
#include <stdlib.h>

#include "base/error.h"
#include "device/context.h"
#include "paths/paths.h"

static const char *const names[TREE_KERNELS] = {
    [TREE_BEGIN] = "clade_paths_tree_begin", [TREE_ROOTS] = "clade_paths_tree_roots",
    [TREE_OFFER] = "clade_paths_tree_offer", [TREE_CLOSE] = "clade_paths_tree_close",
    [TREE_READ] = "clade_paths_tree_read",
};
static const struct cladei_kernels tree_kernels = { "kernels/paths_tree.cl", names, TREE_KERNELS };

static size_t group_of(const clade_paths *paths)
{
    return paths->group < 64 ? paths->group : 64;
}

static clade_status enqueue_roots(clade_paths *paths, struct cladei_run *run)
{
    clade_status status = CLADE_OK;
    const cl_mem mem = paths->object.mem, graph = paths->graph->object.mem;
    const cl_ulong first = 0, count = paths->source_count;
    CLADE_TRY(CLADEI_SET_ARGS(paths->tree[TREE_BEGIN], CLADEI_ARG(mem), CLADEI_ARG(graph)));
    CLADE_TRY(cladei_paths_over_nodes(paths, run, paths->tree[TREE_BEGIN]));
    if (count == 0)
        return CLADE_OK;
    CLADE_TRY(CLADEI_SET_ARGS(paths->tree[TREE_ROOTS], CLADEI_ARG(mem), CLADEI_ARG(graph),
                              CLADEI_ARG(paths->sources), CLADEI_ARG(first), CLADEI_ARG(count)));
    CLADE_TRY(cladei_run_items(run, paths->tree[TREE_ROOTS], count, group_of(paths)));
fail:
    return status;
}

/* One level more; *left nodes have no predecessor after it. */
static clade_status add_level(clade_paths *paths, struct cladei_run *run, cl_uint level,
                              clade_u32 *left)
{
    clade_status status = CLADE_OK;
    const cl_mem mem = paths->object.mem, graph = paths->graph->object.mem;
    const clade_u32 none = 0;
    CLADE_TRY(cladei_run_write(run, &paths->object, offsetof(clade_paths_head, left), &none,
                               sizeof none));
    CLADE_TRY(CLADEI_SET_ARGS(paths->tree[TREE_OFFER], CLADEI_ARG(mem), CLADEI_ARG(graph),
                              CLADEI_ARG(level)));
    CLADE_TRY(cladei_paths_over_arcs(paths, run, paths->tree[TREE_OFFER]));
    CLADE_TRY(CLADEI_SET_ARGS(paths->tree[TREE_CLOSE], CLADEI_ARG(mem), CLADEI_ARG(graph),
                              CLADEI_ARG(level)));
    CLADE_TRY(cladei_paths_over_nodes(paths, run, paths->tree[TREE_CLOSE]));
    CLADE_TRY(
        cladei_run_read(run, &paths->object, offsetof(clade_paths_head, left), left, sizeof *left));
fail:
    return status;
}

clade_status cladei_paths_tree_make(clade_paths *paths, struct cladei_run *run)
{
    clade_status status = CLADE_OK;
    clade_u32 left = UINT32_MAX, before;
    cl_uint level = 0;
    if (paths->has_tree)
        return CLADE_OK;
    CLADE_TRY(
        cladei_kernels_build(paths->tree, &tree_kernels, paths->object.context, paths->options));
    paths->in_parts = false; /* levels overwrite what tells which nodes wait */
    CLADE_TRY(enqueue_roots(paths, run));
    do {
        before = left;
        CLADE_TRY(add_level(paths, run, level++, &left));
        CLADE_REQUIRE(left < before, CLADE_E_CORRUPT, "%u nodes have a length and no predecessor",
                      left);
    } while (left > 0);
    paths->has_tree = true;
fail:
    return status;
}

/* --- one path ----------------------------------------------------------------------------------
 */

/* All predecessors on the host, until the next search. */
static clade_status read_predecessors(clade_paths *paths)
{
    clade_status status = CLADE_OK;
    uint32_t *predecessors = NULL;
    if (paths->predecessors)
        return CLADE_OK;
    predecessors = calloc(paths->layout.nodes, sizeof *predecessors);
    CLADE_NO_MEMORY(predecessors);
    CLADE_TRY(clade_paths_read(paths, clade_no_array(), clade_host(predecessors), NULL));
    paths->predecessors = predecessors;
    return CLADE_OK;

fail:
    free(predecessors);
    return status;
}

/* Whether a node without a predecessor was reached: then it is a source. Or else *got is 0. */
static clade_status check_reached(clade_paths *paths, uint32_t node, uint64_t *got)
{
    clade_status status = CLADE_OK;
    uint64_t length = 0;
    const uint64_t at =
        sizeof paths->layout + sizeof(clade_paths_slot) + node * paths->length_bytes;
    CLADE_TRY(cladei_object_read(&paths->object, at, &length, paths->length_bytes));
    if (length != 0)
        *got = 0;
    CLADE_REQUIRE(length == 0, CLADE_E_NOT_FOUND, "no path to node %u was found", node);
fail:
    return status;
}

clade_status clade_paths_trace(clade_paths *paths, uint32_t node, uint32_t *nodes, uint64_t room,
                               uint64_t *got)
{
    clade_status status = CLADE_OK;
    uint64_t length = 1, at;
    CLADE_REQUIRE(paths && got && (nodes || room == 0), CLADE_E_ARG, "an argument is NULL");
    CLADE_REQUIRE(paths->has_result, CLADE_E_ARG, "there is no result of a search to read");
    CLADE_REQUIRE(node < paths->layout.nodes, CLADE_E_ARG, "node %u is none: the graph has %u",
                  node, paths->layout.nodes);
    CLADE_TRY(read_predecessors(paths));
    for (uint32_t at_node = node; paths->predecessors[at_node] != CLADE_PATHS_NONE; length++) {
        at_node = paths->predecessors[at_node];
        CLADE_REQUIRE(at_node < paths->layout.nodes && length < paths->layout.nodes,
                      CLADE_E_CORRUPT, "the predecessors of node %u lead nowhere", node);
    }
    if (length == 1)
        CLADE_TRY(check_reached(paths, node, got));
    at = length;
    for (uint32_t at_node = node; at-- > 0 && length <= room;
         at_node = paths->predecessors[at_node])
        nodes[at] = at_node;
    *got = length;
fail:
    return status;
}

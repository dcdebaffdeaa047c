/* SPDX-License-Identifier: Apache-2.0 */
/* The search by clade_paths, the library's own. */
#include "apps/sssp.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/clock.h"
#include "common/failure.h"

static bool ok(struct sssp_result *result, clade_status status)
{
    return failure_none(result->error, sizeof result->error, status);
}

/* The library's offsets have 32 bits. */
static uint32_t *narrow_offsets(const struct graph *graph, struct sssp_result *result)
{
    uint32_t *offsets = malloc(((size_t)graph->nodes + 1) * sizeof *offsets);
    for (uint64_t v = 0; offsets && v <= graph->nodes; v++)
        offsets[v] = (uint32_t)graph->first[v];
    if (!offsets)
        snprintf(result->error, sizeof result->error, "host memory is out");
    return offsets;
}

static bool open_graph(clade_graph **out, clade_context *context, const struct graph *graph,
                       struct sssp_result *result)
{
    uint32_t *offsets = graph->arcs <= CLADE_GRAPH_ARCS_MAX ? narrow_offsets(graph, result) : NULL;
    const clade_graph_params params = { .nodes = graph->nodes,
                                        .arcs = graph->arcs,
                                        .offsets = clade_host(offsets),
                                        .targets = clade_host(graph->target),
                                        .weights = clade_host(graph->weight) };
    const bool made = (offsets || graph->arcs > CLADE_GRAPH_ARCS_MAX) &&
                      ok(result, clade_graph_create(out, context, &params));
    free(offsets);
    return made;
}

/* Widened in place, from the end: the narrow words lie in the lower half. */
static void widen(uint64_t *distance, uint64_t nodes)
{
    const unsigned char *bytes = (const unsigned char *)distance;
    for (size_t v = (size_t)nodes; v-- > 0;) {
        uint32_t narrow;
        memcpy(&narrow, bytes + v * sizeof narrow, sizeof narrow);
        distance[v] = narrow == UINT32_MAX ? UINT64_MAX : narrow;
    }
}

/* Search twice: some drivers compile a kernel when it is first launched. */
static bool run(clade_paths *paths, const struct sssp_params *params, struct sssp_result *result)
{
    const uint32_t source = (uint32_t)params->source;
    const clade_paths_query all = { .sources = clade_host(&source), .source_count = 1 };
    clade_paths_query nothing = all;
    clade_paths_stats stats;
    clade_status status;
    double begin;
    nothing.targets = clade_host(&source);
    nothing.target_count = 1;
    status = clade_paths_run(paths, &nothing, NULL);
    if (status != CLADE_E_FULL && !ok(result, status))
        return false;
    begin = now_ms();
    status = clade_paths_run(paths, &all, NULL);
    result->time_ms = now_ms() - begin;
    result->too_far = status == CLADE_E_FULL;
    if ((!result->too_far && !ok(result, status)) ||
        !ok(result, clade_paths_stats_read(paths, &stats)))
        return false;
    result->visited = stats.expanded;
    return true;
}

bool sssp_solve_by_paths(uint64_t *distance, struct sssp_result *result, clade_context *context,
                         const struct graph *graph, const struct sssp_params *params)
{
    clade_graph *on_device = NULL;
    clade_paths *paths = NULL;
    *result = (struct sssp_result) { 0 };
    const bool fine =
        open_graph(&on_device, context, graph, result) &&
        ok(result,
           clade_paths_create(&paths, on_device, &(clade_paths_params) { .wide = params->wide })) &&
        run(paths, params, result) &&
        ok(result, clade_paths_read(paths, clade_host(distance), clade_no_array(), NULL));
    if (fine && !params->wide)
        widen(distance, graph->nodes);
    clade_paths_destroy(&paths);
    clade_graph_destroy(&on_device);
    return fine;
}

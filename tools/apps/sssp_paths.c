/* SPDX-License-Identifier: Apache-2.0 */
/* The search by clade_paths, the library's own. */
#include "apps/sssp.h"

#include <string.h>

#include "common/clock.h"
#include "common/failure.h"
#include "search/device_graph.h"

static bool ok(struct sssp_result *result, clade_status status)
{
    return failure_none(result->error, sizeof result->error, status);
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
        device_graph_create(&on_device, context, graph, result->error, sizeof result->error) &&
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

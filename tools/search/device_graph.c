/* SPDX-License-Identifier: Apache-2.0 */
#include "search/device_graph.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "common/failure.h"

/* The library's offsets have 32 bits. */
static uint32_t *narrow_offsets(const struct graph *graph)
{
    uint32_t *offsets = malloc(((size_t)graph->nodes + 1) * sizeof *offsets);
    for (uint64_t v = 0; offsets && v <= graph->nodes; v++)
        offsets[v] = (uint32_t)graph->first[v];
    return offsets;
}

bool device_graph_create(clade_graph **out, clade_context *context, const struct graph *graph,
                         char *error, size_t error_size)
{
    /* The library refuses more arcs than these, and reads no array then. */
    uint32_t *offsets = graph->arcs <= CLADE_GRAPH_ARCS_MAX ? narrow_offsets(graph) : NULL;
    const clade_graph_params params = { .nodes = graph->nodes,
                                        .arcs = graph->arcs,
                                        .offsets = clade_host(offsets),
                                        .targets = clade_host(graph->target),
                                        .weights = clade_host(graph->weight) };
    bool made = false;
    if (!offsets && graph->arcs <= CLADE_GRAPH_ARCS_MAX)
        snprintf(error, error_size, "host memory is out");
    else
        made = failure_none(error, error_size, clade_graph_create(out, context, &params));
    free(offsets);
    return made;
}

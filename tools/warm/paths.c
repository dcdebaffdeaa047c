/* SPDX-License-Identifier: Apache-2.0 */
/* `clade warm`: path finders. */
#include <stdlib.h>

#include "warm/warm.h"

/* The host makes a graph of fewer arcs by itself. */
enum { MANY = 1 << 15 };

clade_status warm_paths(clade_context *context)
{
    const uint32_t offsets[WARM_KEYS + 1] = { 0, MANY, MANY, MANY }, source = 0;
    uint32_t *targets = calloc(MANY, sizeof *targets);
    uint32_t lengths[WARM_KEYS];
    clade_graph *graph = NULL;
    clade_paths *paths = NULL;
    clade_status status = CLADE_E_NOMEM;
    if (targets)
        status = clade_graph_create(&graph, context,
                                    &(clade_graph_params) { .nodes = WARM_KEYS,
                                                            .arcs = MANY,
                                                            .offsets = clade_host(offsets),
                                                            .targets = clade_host(targets) });
    if (status == CLADE_OK)
        status = clade_paths_create(&paths, graph, &(clade_paths_params) { 0 });
    if (status == CLADE_OK)
        status = clade_paths_run(
            paths, &(clade_paths_query) { .sources = clade_host(&source), .source_count = 1 },
            NULL);
    if (status == CLADE_OK)
        status = clade_paths_read(paths, clade_host(lengths), clade_no_array(), NULL);
    clade_paths_destroy(&paths);
    clade_graph_destroy(&graph);
    free(targets);
    return status;
}

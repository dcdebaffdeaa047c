/* SPDX-License-Identifier: Apache-2.0 */
/* Paths: how each public device function is called alone (tests/alone/alone.h). The second object
 * is the graph. */
#include "alone/alone.h"

static const struct call paths_calls[] = {
    { "clade_paths_run_wg",
      "__local clade_paths_scratch s; said = (uint)clade_paths_run_wg(O, kma, 0u, 1u, 100u, &s);",
      BY_STATUS },
    { "clade_paths_length_wi", "said = (uint)~clade_paths_length_wi(O, 0u, item % 8u);", BY_ZERO },
    { "clade_paths_lower_wi", "said = (uint)clade_paths_lower_wi(O, 0u, 1u + item % 7u, 0u);",
      BY_ZERO },
};

enum { NODES = 8 };

static clade_status open_paths(struct world *w, const struct kind *k)
{
    static clade_graph *graph; /* the process ends with them */
    static clade_paths *paths;
    const uint32_t offsets[NODES + 1] = { 0, 1, 2, 3, 4, 5, 6, 7, 8 };
    const uint32_t targets[NODES] = { 1, 2, 3, 4, 5, 6, 7, 0 }, source = 0;
    clade_paths_query query = { .sources = clade_host(&source), .source_count = 1 };
    TRY(clade_graph_create(&graph, w->context,
                           &(clade_graph_params) { .nodes = NODES,
                                                   .arcs = NODES,
                                                   .offsets = clade_host(offsets),
                                                   .targets = clade_host(targets),
                                                   .weight_type = k->key }));
    TRY(clade_paths_create(&paths, graph, &(clade_paths_params) { .wide = k->value }));
    TRY(clade_paths_run(paths, &query, NULL));
    w->object = clade_paths_mem(paths);
    w->kma = clade_graph_mem(graph);
    alone_options(w, clade_paths_options(paths));
    w->shape = CLADE_PATHS_SHAPE(k->value ? CLADE_PATHS_U64 : k->key);
    for (uint32_t type = CLADE_PATHS_U32; type <= CLADE_PATHS_U64; type++)
        alone_wrong(w, CLADE_PATHS_SHAPE(type));
    return CLADE_OK;
}

#define HEAD "#define KMA clade_graph_head\n" PLAIN("paths")
const struct kind paths_alone[] = {
    KIND("paths-32", HEAD, paths, open_paths, CLADE_PATHS_U32, 0, 0),
    KIND("paths-f32", HEAD, paths, open_paths, CLADE_PATHS_F32, 0, 0),
    { 0 },
};

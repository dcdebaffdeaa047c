/* SPDX-License-Identifier: Apache-2.0 */
/* What lasts between releases: path finders and graphs (tests/abi/abi.h). */
#include "abi/abi.h"

#include <clade/paths.h>

SIZE(clade_graph_params, 128);
AT(clade_graph_params, nodes, 0);
AT(clade_graph_params, arcs, 8);
AT(clade_graph_params, offsets, 16);
AT(clade_graph_params, targets, 40);
AT(clade_graph_params, weights, 64);
AT(clade_graph_params, weight_type, 88);

SIZE(clade_paths_params, 40);
AT(clade_paths_params, wide, 0);
AT(clade_paths_params, slots, 4);

SIZE(clade_paths_query, 136);
AT(clade_paths_query, sources, 0);
AT(clade_paths_query, source_count, 24);
AT(clade_paths_query, targets, 32);
AT(clade_paths_query, target_count, 56);
AT(clade_paths_query, bounds, 64);
AT(clade_paths_query, cutoff, 88);
AT(clade_paths_query, cutoff_float, 96);
AT(clade_paths_query, part, 100);

SIZE(clade_paths_stats, 96);
AT(clade_paths_stats, expanded, 0);
AT(clade_paths_stats, rounds, 8);
AT(clade_paths_stats, rebuilds, 16);
AT(clade_paths_stats, launches, 24);
AT(clade_paths_stats, given_up, 32);

static void structs(struct fixture *f)
{
    const uint32_t offsets[2] = { 0, 0 }, source = 0;
    clade_graph_params of_graph = { .nodes = 1, .offsets = clade_host(offsets) };
    clade_paths_params of_paths = { .wide = 0 };
    clade_paths_query query = { .sources = clade_host(&source), .source_count = 1 };
    clade_graph *graph = NULL;
    clade_paths *paths = NULL;
    assert_null(clade_graph_mem(NULL));
    assert_null(clade_paths_mem(NULL));
    assert_null(clade_paths_options(NULL));
    REFUSES(clade_graph_params, of_graph, clade_graph_create(&graph, f->context, &of_graph));
    assert_null(graph);
    assert_ok(clade_graph_create(&graph, f->context, &of_graph));
    REFUSES(clade_paths_params, of_paths, clade_paths_create(&paths, graph, &of_paths));
    assert_null(paths);
    assert_ok(clade_paths_create(&paths, graph, &of_paths));
    REFUSES(clade_paths_query, query, clade_paths_run(paths, &query, NULL));
    assert_ok(clade_paths_run(paths, &query, NULL));
    STATS_ARE_ZEROED(paths, paths);
    clade_paths_destroy(&paths);
    clade_graph_destroy(&graph);
}

static void shapes(meet_shape *meet)
{
    meet(CLADE_GRAPH_SHAPE(CLADE_PATHS_U32));
    meet(CLADE_GRAPH_SHAPE(CLADE_PATHS_F32));
    for (uint32_t type = CLADE_PATHS_U32; type <= CLADE_PATHS_U64; type++)
        meet(CLADE_PATHS_SHAPE(type));
}

static const uint32_t places[] = { CLADE_PATHS_LAYOUT(PLACE) };
const struct abi paths_abi = { "paths", structs, shapes, LAYOUT(PATHS) };

/* SPDX-License-Identifier: Apache-2.0 */
/* clade_paths: damaged graphs and bad queries are refused. */
#include "paths/test_paths.h"

void damaged_graphs_are_refused(void **state)
{
    struct fixture *f = *state;
    clade_graph *graph = NULL;
    uint32_t offsets[4] = { 0, 2, 2, 3 }, targets[3] = { 1, 2, 0 };
    float weights[3] = { 1, 0, -0.0f };
    clade_graph_params params = { .nodes = 3,
                                  .arcs = 3,
                                  .offsets = clade_host(offsets),
                                  .targets = clade_host(targets),
                                  .weights = clade_host(weights),
                                  .weight_type = CLADE_PATHS_F32 };
    assert_ok(clade_graph_create(&graph, f->context, &params));
    clade_graph_destroy(&graph);
    weights[1] = -1;
    assert_fails(clade_graph_create(&graph, f->context, &params), CLADE_E_ARG);
    assert_message("the weight of arc 1");
    assert_null(graph);
    weights[1] = 1e30f * 1e30f;
    assert_fails(clade_graph_create(&graph, f->context, &params), CLADE_E_ARG);
    weights[1] = weights[1] - weights[1];
    assert_fails(clade_graph_create(&graph, f->context, &params), CLADE_E_ARG);
    weights[1] = 0;
    targets[2] = 3;
    assert_fails(clade_graph_create(&graph, f->context, &params), CLADE_E_ARG);
    assert_message("the target of arc 2");
    targets[2] = 0;
    offsets[1] = 3;
    assert_fails(clade_graph_create(&graph, f->context, &params), CLADE_E_ARG);
    assert_message("offsets[2]");
    offsets[1] = 2;
    offsets[0] = 1;
    assert_fails(clade_graph_create(&graph, f->context, &params), CLADE_E_ARG);
    offsets[0] = 0;
    params.arcs = 2;
    assert_fails(clade_graph_create(&graph, f->context, &params), CLADE_E_ARG);
    assert_message("offsets[3]");
    params.arcs = 3;
    params.nodes = 0;
    assert_fails(clade_graph_create(&graph, f->context, &params), CLADE_E_ARG);
    params.nodes = (uint64_t)CLADE_GRAPH_NODES_MAX + 1;
    assert_fails(clade_graph_create(&graph, f->context, &params), CLADE_E_ARG);
    params.nodes = 3;
    params.weight_type = CLADE_PATHS_U64;
    assert_fails(clade_graph_create(&graph, f->context, &params), CLADE_E_ARG);
    params.weight_type = CLADE_PATHS_F32;
    params.targets = clade_no_array();
    assert_fails(clade_graph_create(&graph, f->context, &params), CLADE_E_ARG);
}

void bad_queries_are_refused(void **state)
{
    struct fixture *f = *state;
    struct opened o = open_drawn(f, row_of(10, 5), false, 1);
    uint32_t sources[2] = { 0, 10 };
    clade_paths_query query = from(sources, 2);
    assert_fails(clade_paths_run(o.paths, &query, NULL), CLADE_E_ARG);
    assert_message("node 1 of the call is none");
    assert_fails(clade_paths_read(o.paths, clade_host(o.got), clade_no_array(), NULL), CLADE_E_ARG);
    query.source_count = 0; /* nothing is reached */
    assert_ok(clade_paths_run(o.paths, &query, NULL));
    read_result(&o);
    for (uint32_t node = 0; node < 10; node++)
        assert_true(o.got[node] == UINT64_MAX && o.predecessors[node] == CLADE_PATHS_NONE);
    query.source_count = 1;
    query.targets = clade_host(&sources[1]);
    assert_fails(clade_paths_run(o.paths, &query, NULL), CLADE_E_ARG);
    query.target_count = 1;
    assert_fails(clade_paths_run(o.paths, &query, NULL), CLADE_E_ARG);
    assert_message("node 1 of the call is none");
    query.targets = clade_no_array();
    query.target_count = 0;
    query.cutoff_float = 3;
    assert_fails(clade_paths_run(o.paths, &query, NULL), CLADE_E_ARG);
    query.cutoff_float = 0;
    assert_ok(clade_paths_run(o.paths, &query, NULL));
    assert_fails(clade_paths_run(o.paths, NULL, NULL), CLADE_E_ARG);
    assert_fails(clade_paths_create(&o.paths, NULL, NULL), CLADE_E_ARG);
    assert_null(o.paths);
    close_drawn(&o);
}

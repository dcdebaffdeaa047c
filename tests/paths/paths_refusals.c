/* SPDX-License-Identifier: Apache-2.0 */
/* clade_paths: damaged graphs and bad queries are refused. */
#include "paths/test_paths.h"

enum { MOST = 1000 };

/* The same arrays on the device, which kernels look at; the host looks at few in its own memory. */
static clade_status create_of_device_arrays(struct fixture *f, clade_graph **graph,
                                            clade_graph_params params)
{
    cl_mem mems[3] = { NULL };
    clade_array *arrays[] = { &params.offsets, &params.targets, &params.weights };
    const uint64_t counts[] = { params.nodes + 1, params.arcs, params.arcs };
    for (size_t i = 0; i < 3; i++)
        if (arrays[i]->host) {
            mems[i] = fixture_buffer(f, counts[i] * 4, arrays[i]->host);
            *arrays[i] = clade_device(mems[i], 0);
        }
    const clade_status status = clade_graph_create(graph, f->context, &params);
    for (size_t i = 0; i < 3; i++)
        if (mems[i])
            clReleaseMemObject(mems[i]);
    return status;
}

static void assert_refused(struct fixture *f, const clade_graph_params *params, const char *message)
{
    clade_graph *graph = NULL;
    assert_fails(clade_graph_create(&graph, f->context, params), CLADE_E_ARG);
    assert_message(message);
    assert_fails(create_of_device_arrays(f, &graph, *params), CLADE_E_ARG);
    assert_message(message);
    assert_null(graph);
}

/* All words behind what objects of each kind begin with. */
static void read_graph(struct fixture *f, const clade_graph *graph, const struct drawn *drawn,
                       uint32_t *to)
{
    const size_t from = sizeof(clade_object_head);
    const size_t bytes = sizeof(clade_graph_head) + 4 * (size_t)CLADE_GRAPH_ARCS_AT(drawn->nodes) +
                         8 * (size_t)drawn->arcs;
    fixture_read(f, clade_graph_mem(graph), from, to, bytes - from);
    if (drawn->nodes % 2 == 0) /* no word is after the last offset of others */
        to[(sizeof(clade_graph_head) - from) / 4 + drawn->nodes + 1] = 0;
}

void graphs_of_host_and_device_arrays_are_the_same(void **state)
{
    struct fixture *f = *state;
    struct random random = random_from(f->seed);
    for (uint32_t i = 0; i < 2 * WEIGHTS; i++) {
        const uint32_t nodes = 1 + (uint32_t)random_below(&random, MOST);
        const uint32_t arcs = 1 + (uint32_t)random_below(&random, 3 * MOST);
        struct drawn drawn = draw_graph(
            &random, nodes, arcs, i % 2 ? CLADE_PATHS_F32 : CLADE_PATHS_U32, (enum weights)(i / 2));
        const size_t words = sizeof(clade_graph_head) / 4 + MOST + 2 + (size_t)6 * MOST;
        uint32_t *by_host = test_calloc(words, 4), *by_device = test_calloc(words, 4);
        clade_graph_params params = params_of(&drawn);
        clade_graph *graph;
        if (i % 5 == 4)
            params.weights = clade_no_array();
        assert_ok(clade_graph_create(&graph, f->context, &params));
        read_graph(f, graph, &drawn, by_host);
        clade_graph_destroy(&graph);
        assert_ok(create_of_device_arrays(f, &graph, params));
        read_graph(f, graph, &drawn, by_device);
        clade_graph_destroy(&graph);
        assert_memory_equal(by_host, by_device, words * 4);
        test_free(by_host);
        test_free(by_device);
        drawn_free(&drawn);
    }
}

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
    assert_refused(f, &params, "the weight of arc 1");
    weights[0] = -1; /* the first is told */
    assert_refused(f, &params, "the weight of arc 0");
    weights[0] = 1;
    weights[1] = 1e30f * 1e30f;
    assert_refused(f, &params, "the weight of arc 1");
    weights[1] = weights[1] - weights[1];
    assert_refused(f, &params, "the weight of arc 1");
    weights[1] = 0;
    targets[2] = 3;
    assert_refused(f, &params, "the target of arc 2");
    targets[0] = 3;
    assert_refused(f, &params, "the target of arc 0");
    targets[0] = 1;
    targets[2] = 0;
    offsets[1] = 3;
    assert_refused(f, &params, "offsets[2]");
    offsets[1] = 2;
    offsets[0] = 1;
    assert_refused(f, &params, "offsets[0]");
    offsets[0] = 0;
    params.arcs = 2;
    assert_refused(f, &params, "offsets[3]");
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

/* SPDX-License-Identifier: Apache-2.0 */
/* clade_paths: the lengths of every node are Dijkstra's, however the graph looks. */
#include "paths/test_paths.h"

static void random_graphs(struct fixture *f, uint32_t type, bool wide, size_t count)
{
    struct random random = random_from(f->seed + type + 2u * wide);
    for (size_t i = 0; i < count; i++) {
        const uint32_t nodes = 1 + (uint32_t)random_below(&random, i % 8 ? 60 : 700);
        const uint32_t arcs = (uint32_t)random_below(&random, 4 * nodes);
        const enum weights weights = (enum weights)(i % WEIGHTS);
        uint32_t sources[3];
        const uint64_t source_count = 1 + random_below(&random, 3);
        struct opened o = open_drawn(f, draw_graph(&random, nodes, arcs, type, weights), wide, 1);
        draw_sources(&random, sources, source_count, nodes);
        search_and_compare(&o, sources, source_count);
        draw_sources(&random, sources, 1, nodes);
        search_and_compare(&o, sources, 1);
        close_drawn(&o);
    }
}

static size_t graphs(const struct fixture *f)
{
    if (fixture_launches_slowly(f))
        return 2 * WEIGHTS; /* two of them large */
    return fixture_is_interpreted(f) ? 6 : fixture_scaled(60, 400, 2000);
}

void lengths_of_integers_are_dijkstras(void **state)
{
    random_graphs(*state, CLADE_PATHS_U32, false, graphs(*state));
}

void lengths_of_floats_are_dijkstras(void **state)
{
    random_graphs(*state, CLADE_PATHS_F32, false, graphs(*state));
}

void wide_lengths_are_dijkstras(void **state)
{
    struct fixture *f = *state;
    if (!f->caps->int64_atomics) {
        struct random random = random_from(1);
        struct drawn drawn = draw_graph(&random, 5, 5, CLADE_PATHS_U32, SMALL);
        const clade_graph_params params = params_of(&drawn);
        clade_graph *graph;
        clade_paths *paths;
        assert_ok(clade_graph_create(&graph, f->context, &params));
        assert_fails(clade_paths_create(&paths, graph, &(clade_paths_params) { .wide = 1 }),
                     CLADE_E_UNSUPPORTED);
        assert_null(paths);
        clade_graph_destroy(&graph);
        drawn_free(&drawn);
        return;
    }
    random_graphs(f, CLADE_PATHS_U32, true, graphs(f));
}

/* Of many paths to a node few are tried: buckets are narrow where nodes have many arcs. A GPU's
 * group takes what fills it, whatever the buckets are. */
void dense_graphs_take_little_work(void **state)
{
    struct fixture *f = *state;
    const char *options = getenv("CLADE_BUILD_OPTIONS"); /* they may widen rounds */
    const bool is_forced = options && strstr(options, "CLADE_PATHS_");
    struct random random = random_from(f->seed);
    const uint32_t source = 0, nodes = fixture_is_interpreted(f) ? 60 : 600;
    clade_paths_stats stats;
    struct opened o =
        open_drawn(f, draw_graph(&random, nodes, 64 * nodes, CLADE_PATHS_U32, SMALL), false, 1);
    search_and_compare(&o, &source, 1);
    assert_ok(clade_paths_stats_read(o.paths, &stats));
    assert_true(!f->caps->is_cpu || fixture_is_interpreted(f) || is_forced ||
                stats.expanded <= nodes + nodes / 2);
    close_drawn(&o);
}

/* More rounds than one launch does, of which there are 4,096. A group of a GPU hops over many nodes
 * of a row in each, and so may groups whose size a test asks for; where the driver leaves long
 * loops, launches are short. */
void long_rows_take_several_launches(void **state)
{
    struct fixture *f = *state;
    const char *options = getenv("CLADE_BUILD_OPTIONS");
    const bool is_forced = options && strstr(options, "CLADE_PATHS_");
    const uint32_t long_row = f->caps->is_cpu || f->caps->loop_limit ? 10000 : 100000;
    const uint32_t source = 0, nodes = fixture_is_interpreted(f) ? 100 : long_row;
    clade_paths_stats stats;
    struct opened o = open_drawn(f, row_of(nodes, 1000), false, 1);
    clade_paths_query query = from(&source, 1);
    assert_ok(clade_paths_run(o.paths, &query, NULL));
    read_result(&o);
    for (uint32_t node = 0; node < nodes; node++)
        assert_int_equal(o.got[node], 1000 * (uint64_t)node);
    assert_ok(clade_paths_stats_read(o.paths, &stats));
    assert_true(stats.expanded >= nodes);
    assert_true(stats.launches > 1 || stats.rounds < 2 * 4096);
    assert_true(is_forced || nodes < 10000 || stats.launches > 1);
    close_drawn(&o);
}

/* A row of nodes, each with arcs to the next ones: long, and always with some to expand. */
static struct drawn band_of(struct random *random, uint32_t nodes, uint32_t width)
{
    struct drawn it = { .nodes = nodes };
    it.offsets = test_calloc(nodes + 1, 4);
    it.targets = test_calloc((size_t)nodes * width, 4);
    it.weights = test_calloc((size_t)nodes * width, 4);
    for (uint32_t node = 0; node < nodes; node++) {
        for (uint32_t to = node + 1; to <= node + width && to < nodes; to++) {
            it.targets[it.arcs] = to;
            it.weights[it.arcs++] = (to - node) * 10 + (uint32_t)random_below(random, 100);
        }
        it.offsets[node + 1] = it.arcs;
    }
    return it;
}

/* So large that llvmpipe leaves loops of a search: nothing is missing all the same. Lengths are the
 * least when no arc lowers one and predecessors add up to them. */
void large_graphs_are_searched_to_the_end(void **state)
{
    struct fixture *f = *state;
    struct random random = random_from(f->seed);
    const uint32_t most = fixture_launches_slowly(f) ? 4000 : 20000;
    const uint32_t source = 0, nodes = fixture_is_interpreted(f) ? 200 : most;
    const clade_paths_query query = from(&source, 1);
    struct opened o = open_drawn(f, band_of(&random, nodes, 24), false, 1);
    const struct drawn *d = &o.drawn;
    assert_ok(clade_paths_run(o.paths, &query, NULL));
    read_result(&o);
    for (uint32_t node = 0; node < nodes; node++)
        for (uint32_t arc = d->offsets[node]; arc < d->offsets[node + 1]; arc++)
            assert_true(o.got[node] == UINT64_MAX ||
                        o.got[d->targets[arc]] <= o.got[node] + d->weights[arc]);
    assert_forest(d, false, o.got, o.predecessors, &source, 1);
    close_drawn(&o);
}

/* More arcs of one node than iterations that llvmpipe gives an item: each target has a predecessor,
 * and the sum that does not fit is that of another way. A table has the same row, or none. */
void lengths_of_integers_behind_many_arcs(void **state)
{
    struct fixture *f = *state;
    const uint32_t source = 0, least = 5, most = UINT32_MAX - 5;
    const uint32_t nodes = fixture_is_interpreted(f) ? 300 : 70000;
    const clade_paths_query query = from(&source, 1);
    struct drawn drawn = { .nodes = nodes, .arcs = nodes };
    drawn.offsets = test_calloc(nodes + 1, 4);
    drawn.targets = test_calloc(nodes, 4);
    drawn.weights = test_calloc(nodes, 4);
    for (uint32_t i = 0; i < nodes; i++) { /* the last arc leads from the last node to node 1 */
        drawn.targets[i] = i + 1 < nodes ? i + 1 : 1;
        drawn.weights[i] = i + 2 == nodes ? most : least + i % 7;
        drawn.offsets[i + 1] = i + 1 < nodes ? nodes - 1 : nodes;
    }
    struct opened o = open_drawn(f, drawn, false, 1);
    assert_ok(clade_paths_run(o.paths, &query, NULL));
    read_result(&o);
    for (uint32_t node = 1; node < nodes; node++) {
        assert_int_equal(o.got[node], drawn.weights[node - 1]);
        assert_int_equal(o.predecessors[node], source);
    }
    uint32_t *row = test_calloc(nodes, sizeof *row);
    const clade_status status =
        clade_paths_table(o.paths, clade_host(&source), clade_host(row), 1, NULL);
    assert_true(status == CLADE_OK || (status == CLADE_E_BUSY && f->caps->loop_limit > 0));
    for (uint32_t node = 0; node < nodes && status == CLADE_OK; node++)
        assert_int_equal(row[node], o.got[node]);
    test_free(row);
    close_drawn(&o);
}

/* So many arcs side by side. From node 0 a sum is met that does not fit, and no length lacks; from
 * node 1 that to node 3 does. */
void lengths_of_integers_behind_arcs_side_by_side(void **state)
{
    struct fixture *f = *state;
    const uint32_t sources[] = { 0, 1 }, far = UINT32_MAX - 2, none = UINT32_MAX;
    const uint32_t wanted[2][4] = { { 0, 5, 9, 14 }, { none, 0, far, none } };
    const uint32_t many = fixture_is_interpreted(f) ? 300 : 70000;
    struct drawn drawn = { .nodes = 4, .arcs = many + 3 };
    uint32_t rows[2][4];
    drawn.offsets = test_calloc(5, 4);
    drawn.targets = test_calloc(drawn.arcs, 4);
    drawn.weights = test_calloc(drawn.arcs, 4);
    for (uint32_t i = 0; i < drawn.arcs; i++) {
        drawn.targets[i] = i < many ? 1 : i < many + 2 ? 2 : 3;
        drawn.weights[i] = i == many ? 9 : i == many + 1 ? far : 5;
    }
    for (uint32_t node = 1; node <= 4; node++)
        drawn.offsets[node] = node < 4 ? many + node : many + 3;
    struct opened o = open_drawn(f, drawn, false, 1);
    assert_ok(clade_paths_table(o.paths, clade_host(sources), clade_host(rows), 1, NULL));
    assert_memory_equal(rows, wanted, sizeof wanted[0]);
    assert_fails(clade_paths_table(o.paths, clade_host(sources), clade_host(rows), 2, NULL),
                 CLADE_E_FULL);
    assert_message("row 1");
    assert_memory_equal(rows, wanted, sizeof wanted);
    close_drawn(&o);
}

/* Of arcs that weigh nothing, predecessors go level by level. */
void circles_of_zeros_make_no_circle_of_predecessors(void **state)
{
    struct fixture *f = *state;
    struct random random = random_from(f->seed);
    struct drawn drawn = draw_graph(&random, 90, 400, CLADE_PATHS_U32, SMALL);
    const uint32_t source = 3;
    struct opened o;
    memset(drawn.weights, 0, 400 * 4);
    o = open_drawn(f, drawn, false, 1);
    search_and_compare(&o, &source, 1);
    close_drawn(&o);
}

/* Node 0 has an arc to each other: more than a bucket has room for. Some find none, and are found
 * by their labels. */
void what_finds_no_room_is_not_lost(void **state)
{
    struct fixture *f = *state;
    const uint32_t nodes = 900, source = 0;
    clade_paths_stats stats;
    struct drawn drawn = { .nodes = nodes, .arcs = 2 * (nodes - 1) };
    drawn.offsets = test_calloc(nodes + 1, 4);
    drawn.targets = test_calloc(drawn.arcs, 4);
    drawn.weights = test_calloc(drawn.arcs, 4);
    for (uint32_t i = 0; i < nodes - 1; i++) { /* there for 1000 + i, and back for 1 */
        drawn.targets[i] = i + 1;
        drawn.weights[i] = 1000 + i % 7;
        drawn.targets[nodes - 1 + i] = (i + 2) % nodes;
        drawn.weights[nodes - 1 + i] = 3;
    }
    for (uint32_t i = 1; i <= nodes; i++)
        drawn.offsets[i] = nodes - 1 + (i - 1);
    struct opened o = open_drawn(f, drawn, false, 1);
    search_and_compare(&o, &source, 1);
    assert_ok(clade_paths_stats_read(o.paths, &stats));
    assert_true(stats.rebuilds > 0);
    close_drawn(&o);
}

void lengths_that_do_not_fit_are_told(void **state)
{
    struct fixture *f = *state;
    const uint32_t source = 0, one_is_none[] = { 0, 5 };
    uint32_t rows[2][5];
    struct opened o = open_drawn(f, row_of(5, 0x60000000u), false, 1);
    clade_paths_query query = from(&source, 1);
    cl_event event = NULL;
    assert_fails(clade_paths_run(o.paths, &query, &(clade_launch) { .event = &event }),
                 CLADE_E_FULL);
    assert_message("wide");
    assert_null(event); /* a call that fails gives none */
    read_result(&o);
    assert_int_equal(o.got[2], 0xc0000000u);
    assert_true(o.got[3] == UINT64_MAX && o.got[4] == UINT64_MAX);
    /* A source that is no node is told, not that a row before it lacks a length. */
    assert_fails(clade_paths_table(o.paths, clade_host(one_is_none), clade_host(rows), 2, NULL),
                 CLADE_E_ARG);
    close_drawn(&o);
    if (!f->caps->int64_atomics)
        return;
    o = open_drawn(f, row_of(5, 0x60000000u), true, 1);
    assert_ok(clade_paths_run(o.paths, &query, NULL));
    read_result(&o);
    assert_int_equal(o.got[4], 0x180000000u);
    close_drawn(&o);
}

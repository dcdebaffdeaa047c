/* SPDX-License-Identifier: Apache-2.0 */
/* clade_paths: every result against Dijkstra's, predecessors, ends, what is refused, kernels. */
#include "paths/model.h"

struct opened {
    struct drawn drawn;
    clade_graph *graph;
    clade_paths *paths;
    bool wide;
    uint64_t *wanted;
    uint64_t *got;
    uint32_t *predecessors;
};

static clade_graph_params params_of(const struct drawn *drawn)
{
    return (clade_graph_params) { .nodes = drawn->nodes,
                                  .arcs = drawn->arcs,
                                  .offsets = clade_host(drawn->offsets),
                                  .targets = clade_host(drawn->targets),
                                  .weights = clade_host(drawn->weights),
                                  .weight_type = drawn->type };
}

static struct opened open_drawn(struct fixture *f, struct drawn drawn, bool wide, uint32_t slots)
{
    struct opened o = { .drawn = drawn, .wide = wide };
    const clade_graph_params params = params_of(&drawn);
    assert_ok(clade_graph_create(&o.graph, f->context, &params));
    assert_ok(clade_paths_create(&o.paths, o.graph,
                                 &(clade_paths_params) { .wide = wide, .slots = slots }));
    o.wanted = test_calloc(drawn.nodes, sizeof *o.wanted);
    o.got = test_calloc(drawn.nodes, sizeof *o.got);
    o.predecessors = test_calloc(drawn.nodes, sizeof *o.predecessors);
    return o;
}

static void close_drawn(struct opened *o)
{
    test_free(o->wanted);
    test_free(o->got);
    test_free(o->predecessors);
    clade_graph_destroy(&o->graph);
    clade_paths_destroy(&o->paths);
    drawn_free(&o->drawn);
}

/* Lengths of one row as 64 bits; all bits 1 in their own width is UINT64_MAX. */
static void widen(uint64_t *out, const void *lengths, uint32_t nodes, bool wide)
{
    for (uint32_t i = 0; i < nodes; i++) {
        uint64_t length = 0;
        memcpy(&length, (const char *)lengths + i * (wide ? 8 : 4), wide ? 8 : 4);
        out[i] = !wide && length == UINT32_MAX ? UINT64_MAX : length;
    }
}

static void read_result(struct opened *o)
{
    void *lengths = test_malloc(o->drawn.nodes * (o->wide ? 8u : 4u));
    assert_ok(clade_paths_read(o->paths, clade_host(lengths), clade_host(o->predecessors), NULL));
    widen(o->got, lengths, o->drawn.nodes, o->wide);
    test_free(lengths);
}

static clade_paths_query from(const uint32_t *sources, uint64_t count)
{
    return (clade_paths_query) { .sources = clade_host(sources), .source_count = count };
}

static void assert_lengths(const struct opened *o)
{
    for (uint32_t node = 0; node < o->drawn.nodes; node++)
        assert_int_equal(o->got[node], o->wanted[node]);
}

static void search_and_compare(struct opened *o, const uint32_t *sources, uint64_t count)
{
    const clade_paths_query query = from(sources, count);
    bool overflow;
    dijkstra(&o->drawn, sources, count, o->wide, o->wanted, &overflow);
    if (overflow)
        assert_fails(clade_paths_run(o->paths, &query, NULL), CLADE_E_FULL);
    else
        assert_ok(clade_paths_run(o->paths, &query, NULL));
    read_result(o);
    assert_lengths(o);
    assert_forest(&o->drawn, o->wide, o->got, o->predecessors, sources, count);
}

/* --- against Dijkstra --------------------------------------------------------------------------
 */

static void draw_sources(struct random *random, uint32_t *sources, uint64_t count, uint32_t nodes)
{
    for (uint64_t i = 0; i < count; i++)
        sources[i] = (uint32_t)random_below(random, nodes);
}

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
    return fixture_is_interpreted(f) ? 6 : fixture_scaled(60, 400, 2000);
}

static void lengths_of_integers_are_dijkstras(void **state)
{
    random_graphs(*state, CLADE_PATHS_U32, false, graphs(*state));
}

static void lengths_of_floats_are_dijkstras(void **state)
{
    random_graphs(*state, CLADE_PATHS_F32, false, graphs(*state));
}

static void wide_lengths_are_dijkstras(void **state)
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

/* --- a thousand at once -----------------------------------------------------------------------
 */

enum { MANY = 1000 / WEIGHTS };

/* The small graph's arcs come after those of the graphs before it, and its nodes. */
static void append_graph(struct drawn *all, const struct drawn *one)
{
    for (uint32_t node = 0; node < one->nodes; node++)
        all->offsets[all->nodes + node + 1] = all->arcs + one->offsets[node + 1];
    for (uint32_t arc = 0; arc < one->arcs; arc++) {
        all->targets[all->arcs + arc] = all->nodes + one->targets[arc];
        all->weights[all->arcs + arc] = one->weights[arc];
    }
    all->nodes += one->nodes;
    all->arcs += one->arcs;
}

/* Many small graphs side by side in one, no arc from one to another, each with a source of its own;
 * with loops, parallel arcs, parts that are not reached; each eighth has one node. So it takes
 * seconds also where an interpreter runs the kernels. Of one kind of weights, for which buckets
 * are of use. */
static void compare_many(struct fixture *f, uint32_t type, bool wide, enum weights weights)
{
    struct random random = random_from(f->seed + 17 * type + wide + 31 * (uint32_t)weights);
    const uint32_t most = fixture_is_interpreted(f) ? 6 : 24;
    uint32_t *sources = test_calloc(MANY, 4);
    struct drawn all = { .type = type };
    all.offsets = test_calloc(MANY * most + 2, 4);
    all.targets = test_calloc(MANY * most * 4, 4);
    all.weights = test_calloc(MANY * most * 4, 4);
    for (uint32_t i = 0; i < MANY; i++) {
        const uint32_t nodes = i % 8 ? 1 + (uint32_t)random_below(&random, most) : 1;
        struct drawn one =
            draw_graph(&random, nodes, (uint32_t)random_below(&random, 4 * nodes), type, weights);
        sources[i] = all.nodes + (uint32_t)random_below(&random, nodes);
        append_graph(&all, &one);
        drawn_free(&one);
    }
    struct opened o = open_drawn(f, all, wide, 1);
    search_and_compare(&o, sources, MANY);
    close_drawn(&o);
    test_free(sources);
}

static void a_thousand_graphs_at_once(void **state)
{
    struct fixture *f = *state;
    for (uint32_t weights = 0; weights < WEIGHTS; weights++) {
        compare_many(f, CLADE_PATHS_U32, false, (enum weights)weights);
        compare_many(f, CLADE_PATHS_F32, false, (enum weights)weights);
        if (f->caps->int64_atomics)
            compare_many(f, CLADE_PATHS_U32, true, (enum weights)weights);
    }
}

/* Of many paths to a node few are tried: buckets are narrow where nodes have many arcs. A GPU's
 * group takes what fills it, whatever the buckets are. */
static void dense_graphs_take_little_work(void **state)
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

/* A row of nodes, each with an arc to the next. */
static struct drawn row_of(uint32_t nodes, uint32_t weight)
{
    struct drawn it = { .nodes = nodes, .arcs = nodes - 1 };
    it.offsets = test_calloc(nodes + 1, 4);
    it.targets = test_calloc(nodes, 4);
    it.weights = test_calloc(nodes, 4);
    for (uint32_t i = 0; i < nodes; i++) {
        it.offsets[i + 1] = i + 1 < nodes ? i + 1 : nodes - 1;
        it.targets[i] = i + 1;
        it.weights[i] = weight;
    }
    return it;
}

/* More rounds than one launch does. */
static void long_rows_take_several_launches(void **state)
{
    struct fixture *f = *state;
    const uint32_t source = 0, nodes = fixture_is_interpreted(f) ? 100 : 10000;
    clade_paths_stats stats;
    struct opened o = open_drawn(f, row_of(nodes, 1000), false, 1);
    clade_paths_query query = from(&source, 1);
    assert_ok(clade_paths_run(o.paths, &query, NULL));
    read_result(&o);
    for (uint32_t node = 0; node < nodes; node++)
        assert_int_equal(o.got[node], 1000 * (uint64_t)node);
    assert_ok(clade_paths_stats_read(o.paths, &stats));
    assert_true(stats.expanded >= nodes);
    assert_true(nodes < 10000 || stats.launches > 1);
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
static void large_graphs_are_searched_to_the_end(void **state)
{
    struct fixture *f = *state;
    struct random random = random_from(f->seed);
    const uint32_t source = 0, nodes = fixture_is_interpreted(f) ? 200 : 20000;
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

/* Of arcs that weigh nothing, predecessors go level by level. */
static void circles_of_zeros_make_no_circle_of_predecessors(void **state)
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
static void what_finds_no_room_is_not_lost(void **state)
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

static void lengths_that_do_not_fit_are_told(void **state)
{
    struct fixture *f = *state;
    const uint32_t source = 0;
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
    close_drawn(&o);
    if (!f->caps->int64_atomics)
        return;
    o = open_drawn(f, row_of(5, 0x60000000u), true, 1);
    assert_ok(clade_paths_run(o.paths, &query, NULL));
    read_result(&o);
    assert_int_equal(o.got[4], 0x180000000u);
    close_drawn(&o);
}

/* --- ends --------------------------------------------------------------------------------------
 */

/* Lengths up to those of the targets are there; of the others each is right or not there. */
static void a_search_ends_at_its_targets(void **state)
{
    struct fixture *f = *state;
    struct random random = random_from(f->seed);
    const uint32_t nodes = fixture_is_interpreted(f) ? 100 : 2000;
    struct opened o =
        open_drawn(f, draw_graph(&random, nodes, 3 * nodes, CLADE_PATHS_U32, SMALL), false, 1);
    for (size_t round = 0; round < fixture_scaled(10, 40, 100); round++) {
        uint32_t ends[4], source = (uint32_t)random_below(&random, nodes);
        const uint64_t count = 1 + random_below(&random, 4);
        clade_paths_query query = from(&source, 1);
        bool overflow;
        draw_sources(&random, ends, count, nodes);
        query.targets = clade_host(ends);
        query.target_count = count;
        dijkstra(&o.drawn, &source, 1, false, o.wanted, &overflow);
        assert_ok(clade_paths_run(o.paths, &query, NULL));
        read_result(&o);
        for (uint64_t i = 0; i < count; i++)
            assert_int_equal(o.got[ends[i]], o.wanted[ends[i]]);
        for (uint32_t node = 0; node < nodes; node++)
            assert_true(o.got[node] == UINT64_MAX || o.got[node] == o.wanted[node]);
        assert_forest(&o.drawn, false, o.got, o.predecessors, &source, 1);
    }
    close_drawn(&o);
}

static void a_near_target_takes_little_work(void **state)
{
    struct fixture *f = *state;
    const uint32_t source = 0, end = 20, nodes = fixture_is_interpreted(f) ? 200 : 5000;
    clade_paths_stats stats;
    struct opened o = open_drawn(f, row_of(nodes, 10), false, 1);
    clade_paths_query query = from(&source, 1);
    query.targets = clade_host(&end);
    query.target_count = 1;
    assert_ok(clade_paths_run(o.paths, &query, NULL));
    assert_ok(clade_paths_stats_read(o.paths, &stats));
    assert_in_range(stats.expanded, 20, 60);
    read_result(&o);
    assert_int_equal(o.got[end], 200);
    assert_int_equal(o.got[nodes - 1], UINT64_MAX);
    close_drawn(&o);
}

static void nothing_beyond_the_cutoff_is_found(void **state)
{
    struct fixture *f = *state;
    struct random random = random_from(f->seed);
    for (uint32_t type = CLADE_PATHS_U32; type <= CLADE_PATHS_F32; type++) {
        const uint32_t source = 0;
        const float limit = 40.5f;
        uint32_t bits;
        bool overflow;
        struct opened o = open_drawn(f, draw_graph(&random, 300, 900, type, SMALL), false, 1);
        clade_paths_query query = from(&source, 1);
        memcpy(&bits, &limit, sizeof bits);
        if (type == CLADE_PATHS_F32)
            query.cutoff_float = limit;
        else
            query.cutoff = bits = 90;
        dijkstra(&o.drawn, &source, 1, false, o.wanted, &overflow);
        assert_ok(clade_paths_run(o.paths, &query, NULL));
        read_result(&o);
        for (uint32_t node = 0; node < 300; node++)
            assert_int_equal(o.got[node], o.wanted[node] <= bits ? o.wanted[node] : UINT64_MAX);
        close_drawn(&o);
    }
}

/* A grid whose arcs weigh 10 to 14, with bounds of 10 a step. */
static void bounds_lead_to_the_target(void **state)
{
    struct fixture *f = *state;
    struct random random = random_from(f->seed);
    enum { SIDE = 24, NODES = SIDE * SIDE };
    struct drawn drawn = { .nodes = NODES };
    uint32_t *bounds = test_calloc(NODES, 4);
    const uint32_t source = SIDE / 2 * SIDE, end = source + SIDE / 2;
    clade_paths_query query = from(&source, 1);
    bool overflow;
    drawn.offsets = test_calloc(NODES + 1, 4);
    drawn.targets = test_calloc(4 * NODES, 4);
    drawn.weights = test_calloc(4 * NODES, 4);
    for (uint32_t node = 0; node < NODES; node++) {
        const int x = (int)(node % SIDE), y = (int)(node / SIDE);
        const int sides[4][2] = { { x + 1, y }, { x - 1, y }, { x, y + 1 }, { x, y - 1 } };
        for (int i = 0; i < 4; i++)
            if (sides[i][0] >= 0 && sides[i][0] < SIDE && sides[i][1] >= 0 && sides[i][1] < SIDE) {
                drawn.targets[drawn.arcs] = (uint32_t)(sides[i][1] * SIDE + sides[i][0]);
                drawn.weights[drawn.arcs++] = 10 + (uint32_t)random_below(&random, 5);
            }
        drawn.offsets[node + 1] = drawn.arcs;
        bounds[node] = 10 * (uint32_t)(abs(x - (int)(end % SIDE)) + abs(y - (int)(end / SIDE)));
    }
    struct opened o = open_drawn(f, drawn, false, 1);
    query.targets = clade_host(&end);
    query.target_count = 1;
    dijkstra(&o.drawn, &source, 1, false, o.wanted, &overflow);
    query.bounds = clade_host(bounds);
    assert_ok(clade_paths_run(o.paths, &query, NULL));
    read_result(&o);
    assert_int_equal(o.got[end], o.wanted[end]);
    for (uint32_t node = 0; node < NODES; node++)
        assert_true(o.got[node] == UINT64_MAX || o.got[node] == o.wanted[node]);
    assert_forest(&o.drawn, false, o.got, o.predecessors, &source, 1);
    test_free(bounds);
    close_drawn(&o);
}

/* From node AWAY a row of heavy arcs leads to the target, and a row of light ones away from it. As
 * bounds tell so, a search goes only a little way there, however many nodes a round expands. */
static void bounds_spare_what_leads_away(void **state)
{
    struct fixture *f = *state;
    enum { AWAY = 500, STEPS = 10, NODES = AWAY + 1 + STEPS, STEP = AWAY / STEPS };
    struct drawn drawn = row_of(NODES, 1);
    uint32_t bounds[NODES];
    const uint32_t source = AWAY, end = NODES - 1;
    clade_paths_stats plain, led;
    clade_paths_query query = from(&source, 1);
    for (uint32_t node = 0; node < NODES; node++) /* the light row goes down from node AWAY */
        bounds[node] = node < AWAY ? AWAY + (AWAY - node) : AWAY - (node - AWAY) * STEP;
    for (uint32_t node = 0; node < NODES; node++) {
        drawn.offsets[node] = node == 0 ? 0 : node <= AWAY ? node - 1 : node;
        if (node > 0 && node <= AWAY)
            drawn.targets[node - 1] = node - 1;
        if (node >= AWAY && node < end) {
            drawn.targets[node] = node + 1;
            drawn.weights[node] = STEP;
        }
    }
    drawn.offsets[NODES] = drawn.arcs = NODES - 1;
    struct opened o = open_drawn(f, drawn, false, 1);
    query.targets = clade_host(&end);
    query.target_count = 1;
    assert_ok(clade_paths_run(o.paths, &query, NULL));
    assert_ok(clade_paths_stats_read(o.paths, &plain));
    query.bounds = clade_host(bounds);
    assert_ok(clade_paths_run(o.paths, &query, NULL));
    assert_ok(clade_paths_stats_read(o.paths, &led));
    read_result(&o);
    assert_int_equal(o.got[end], AWAY);
    assert_true(plain.expanded >= AWAY);
    assert_true(led.expanded < AWAY / 4);
    close_drawn(&o);
}

/* --- tables, paths, kernels --------------------------------------------------------------------
 */

static void a_row_of_a_table_is_a_search(void **state)
{
    struct fixture *f = *state;
    struct random random = random_from(f->seed);
    enum { SOURCES = 20, NODES = 150 };
    for (uint32_t slots = 1; slots <= 7; slots += 3) {
        uint32_t sources[SOURCES], *rows = test_calloc(SOURCES * NODES, 4);
        bool overflow;
        struct opened o =
            open_drawn(f, draw_graph(&random, NODES, 400, CLADE_PATHS_U32, SKEWED), false, slots);
        draw_sources(&random, sources, SOURCES, NODES);
        assert_ok(clade_paths_table(o.paths, clade_host(sources), clade_host(rows), SOURCES, NULL));
        for (uint32_t i = 0; i < SOURCES; i++) {
            dijkstra(&o.drawn, &sources[i], 1, false, o.wanted, &overflow);
            widen(o.got, rows + (size_t)i * NODES, NODES, false);
            assert_lengths(&o);
        }
        assert_fails(clade_paths_read(o.paths, clade_host(rows), clade_no_array(), NULL),
                     CLADE_E_ARG);
        search_and_compare(&o, sources, 1);
        sources[11] = NODES;
        assert_fails(
            clade_paths_table(o.paths, clade_host(sources), clade_host(rows), SOURCES, NULL),
            CLADE_E_ARG);
        assert_message("node 11 of the call is none");
        assert_ok(clade_paths_table(o.paths, clade_no_array(), clade_no_array(), 0, NULL));
        test_free(rows);
        close_drawn(&o);
    }
}

static void a_path_is_read_from_its_source_on(void **state)
{
    struct fixture *f = *state;
    struct opened o = open_drawn(f, row_of(10, 5), false, 1);
    const uint32_t source = 2;
    uint32_t nodes[10] = { 99, 99, 99, 99 };
    uint64_t count = 99;
    clade_paths_query query = from(&source, 1);
    assert_fails(clade_paths_trace(o.paths, 4, nodes, 10, &count), CLADE_E_ARG);
    assert_ok(clade_paths_run(o.paths, &query, NULL));
    assert_ok(clade_paths_trace(o.paths, 4, nodes, 2, &count));
    assert_true(count == 3 && nodes[0] == 99); /* it does not fit */
    assert_ok(clade_paths_trace(o.paths, 4, nodes, 3, &count));
    assert_true(count == 3 && nodes[0] == 2 && nodes[1] == 3 && nodes[2] == 4 && nodes[3] == 99);
    assert_ok(clade_paths_trace(o.paths, 2, nodes, 3, &count));
    assert_true(count == 1 && nodes[0] == 2);
    assert_fails(clade_paths_trace(o.paths, 1, nodes, 3, &count), CLADE_E_NOT_FOUND);
    assert_int_equal(count, 0);
    assert_fails(clade_paths_trace(o.paths, 10, nodes, 3, &count), CLADE_E_ARG);
    close_drawn(&o);
}

static const char source_of_many[] =
    "#include \"clade/paths.clh\"\n"
    "__kernel void farthest(__global clade_paths_head *paths,\n"
    "                       __global const clade_graph_head *graph, __global uint *out)\n"
    "{\n"
    "    __local clade_paths_scratch scratch;\n"
    "    const uint slot = (uint)get_group_id(0);\n"
    "    uint most = 0;\n"
    "    int status = clade_paths_run_wg(paths, graph, slot, slot, 100000, &scratch);\n"
    "    if (get_local_id(0) != 0)\n"
    "        return;\n"
    "    for (uint node = 0; node < graph->nodes; node++) {\n"
    "        uint length = clade_paths_length_wi(paths, slot, node);\n"
    "        most = length != 0xffffffffu ? max(most, length) : most;\n"
    "    }\n"
    "    out[slot] = status == CLADE_OK ? most : 0xffffffffu;\n"
    "}\n";

/* A group from each of the first nodes: how far its farthest node is, or all bits 1. */
static void find_farthest(struct fixture *f, const struct opened *o, size_t slots, size_t group,
                          uint32_t *out)
{
    cl_mem out_mem = fixture_buffer(f, slots * sizeof *out, NULL);
    cl_mem paths_mem = clade_paths_mem(o->paths), graph_mem = clade_graph_mem(o->graph);
    clade_program *program;
    cl_kernel kernel;
    assert_ok(
        clade_program_build(&program, f->context,
                            &(clade_program_params) { .source = source_of_many,
                                                      .options = clade_paths_options(o->paths) }));
    assert_ok(clade_program_kernel(&kernel, program, "farthest"));
    fixture_arg(kernel, 0, paths_mem);
    fixture_arg(kernel, 1, graph_mem);
    fixture_arg(kernel, 2, out_mem);
    fixture_launch(f, kernel, slots * group, group);
    fixture_read(f, out_mem, 0, out, slots * sizeof *out);
    clReleaseKernel(kernel);
    clade_program_destroy(&program);
    clReleaseMemObject(out_mem);
}

static void groups_of_a_kernel_search_each_for_itself(void **state)
{
    struct fixture *f = *state;
    struct random random = random_from(f->seed);
    enum { SLOTS = 6, NODES = 300 };
    struct opened o =
        open_drawn(f, draw_graph(&random, NODES, 900, CLADE_PATHS_U32, SMALL), false, SLOTS);
    uint32_t out[SLOTS];
    for (size_t group = 1; group <= 16; group *= 4) {
        find_farthest(f, &o, SLOTS, group, out);
        for (uint32_t slot = 0; slot < SLOTS; slot++) {
            uint64_t most = 0;
            bool overflow;
            dijkstra(&o.drawn, &slot, 1, false, o.wanted, &overflow);
            for (uint32_t node = 0; node < NODES; node++)
                if (o.wanted[node] != UINT64_MAX && o.wanted[node] > most)
                    most = o.wanted[node];
            assert_int_equal(out[slot], most);
        }
    }
    close_drawn(&o);
}

static struct drawn copy_graph(uint32_t nodes, uint32_t arcs, const uint32_t *offsets,
                               const uint32_t *targets, const uint32_t *weights)
{
    struct drawn drawn = { .nodes = nodes,
                           .arcs = arcs,
                           .offsets = test_calloc(nodes + 1, 4),
                           .targets = test_calloc(arcs, 4),
                           .weights = test_calloc(arcs, 4) };
    memcpy(drawn.offsets, offsets, (nodes + 1) * sizeof *offsets);
    memcpy(drawn.targets, targets, arcs * sizeof *targets);
    memcpy(drawn.weights, weights, arcs * sizeof *weights);
    return drawn;
}

/* Node 1 is first reached by 3 * 10^9, and from there node 3 by 5 * 10^9. But the way by node 2 is
 * shorter, and then all fits. Node 3 has an arc that nobody can use. */
static void sums_of_other_ways_need_not_fit(void **state)
{
    struct fixture *f = *state;
    const uint32_t offsets[] = { 0, 2, 3, 4, 5 }, targets[] = { 1, 2, 3, 1, 0 }, source = 0;
    const uint32_t weights[] = { 3000000000u, 1000000000u, 2000000000u, 1000000000u, UINT32_MAX };
    struct opened o = open_drawn(f, copy_graph(4, 5, offsets, targets, weights), false, 1);
    uint32_t row[4], out = 0;
    search_and_compare(&o, &source, 1);
    assert_int_equal(o.got[3], 4000000000u);
    assert_ok(clade_paths_table(o.paths, clade_host(&source), clade_host(row), 1, NULL));
    assert_int_equal(row[3], 4000000000u);
    for (size_t group = 1; group <= 4; group *= 4) {
        find_farthest(f, &o, 1, group, &out);
        assert_int_equal(out, 4000000000u);
    }
    close_drawn(&o);
}

/* What a cutoff leaves out, and what is beyond the targets, need not fit either. */
static void what_was_not_asked_for_need_not_fit(void **state)
{
    struct fixture *f = *state;
    const uint32_t source = 0, target = 2;
    struct opened o = open_drawn(f, row_of(5, 0x60000000u), false, 1);
    clade_paths_query query = from(&source, 1);
    uint32_t row[5], out = 0;
    query.cutoff = 0x70000000u;
    assert_ok(clade_paths_run(o.paths, &query, NULL));
    read_result(&o);
    assert_int_equal(o.got[1], 0x60000000u);
    assert_true(o.got[2] == UINT64_MAX);
    query.cutoff = 0;
    query.targets = clade_host(&target);
    query.target_count = 1;
    assert_ok(clade_paths_run(o.paths, &query, NULL));
    read_result(&o);
    assert_int_equal(o.got[2], 0xc0000000u);
    query.cutoff = UINT64_MAX; /* more than any length: none */
    query.targets = clade_no_array();
    query.target_count = 0;
    assert_fails(clade_paths_run(o.paths, &query, NULL), CLADE_E_FULL);
    assert_fails(clade_paths_table(o.paths, clade_host(&source), clade_host(row), 1, NULL),
                 CLADE_E_FULL);
    assert_message("row 0");
    assert_true(row[2] == 0xc0000000u && row[3] == UINT32_MAX);
    find_farthest(f, &o, 1, 4, &out);
    assert_int_equal(out, UINT32_MAX);
    close_drawn(&o);
}

/* --- refusals ----------------------------------------------------------------------------------
 */

static void damaged_graphs_are_refused(void **state)
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

static void bad_queries_are_refused(void **state)
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

/* A graph lives as long as somebody needs it. */
static void a_path_finder_holds_its_graph(void **state)
{
    struct fixture *f = *state;
    const uint32_t source = 0;
    struct opened o = open_drawn(f, row_of(10, 5), false, 1);
    clade_graph_destroy(&o.graph);
    assert_null(o.graph);
    search_and_compare(&o, &source, 1);
    close_drawn(&o);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lengths_of_integers_are_dijkstras),
        cmocka_unit_test(lengths_of_floats_are_dijkstras),
        cmocka_unit_test(wide_lengths_are_dijkstras),
        cmocka_unit_test(a_thousand_graphs_at_once),
        cmocka_unit_test(dense_graphs_take_little_work),
        cmocka_unit_test(long_rows_take_several_launches),
        cmocka_unit_test(large_graphs_are_searched_to_the_end),
        cmocka_unit_test(circles_of_zeros_make_no_circle_of_predecessors),
        cmocka_unit_test(what_finds_no_room_is_not_lost),
        cmocka_unit_test(lengths_that_do_not_fit_are_told),
        cmocka_unit_test(a_search_ends_at_its_targets),
        cmocka_unit_test(a_near_target_takes_little_work),
        cmocka_unit_test(nothing_beyond_the_cutoff_is_found),
        cmocka_unit_test(bounds_lead_to_the_target),
        cmocka_unit_test(bounds_spare_what_leads_away),
        cmocka_unit_test(a_row_of_a_table_is_a_search),
        cmocka_unit_test(a_path_is_read_from_its_source_on),
        cmocka_unit_test(groups_of_a_kernel_search_each_for_itself),
        cmocka_unit_test(sums_of_other_ways_need_not_fit),
        cmocka_unit_test(what_was_not_asked_for_need_not_fit),
        cmocka_unit_test(damaged_graphs_are_refused),
        cmocka_unit_test(bad_queries_are_refused),
        cmocka_unit_test(a_path_finder_holds_its_graph),
    };
    return fixture_run("paths", tests);
}

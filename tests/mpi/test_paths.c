/* SPDX-License-Identifier: Apache-2.0 */
/* Lengths and predecessors of a graph that is spread over ranks are those of one device and of
 * Dijkstra's algorithm, however it is spread. */
#include <clade/mpi/paths.h>
#include <math.h>

#include "mpi/paths.h"
#include "mpi/ranks.h"
#include "paths/model.h"

/* How the nodes are dealt out. */
enum shares { BY_NODES, BY_ARCS, TO_ONE, AT_RANDOM, SHARES };

/* One rank's part of a graph that all ranks drew alike. */
struct part {
    uint64_t first, count;
    uint32_t *offsets;
    clade_mpi_graph *graph;
    clade_mpi_paths *paths;
};

static void share_at_random(struct random *random, uint32_t nodes, struct part *part)
{
    uint64_t cuts[64] = { 0 };
    cuts[ranks_count] = nodes;
    for (int r = 1; r < ranks_count; r++) { /* some are equal: those ranks have nothing */
        const uint64_t left = nodes - cuts[r - 1];
        cuts[r] =
            random_below(random, 3) ? cuts[r - 1] + random_below(random, left + 1) : cuts[r - 1];
    }
    part->first = cuts[ranks_me];
    part->count = cuts[ranks_me + 1] - cuts[ranks_me];
}

static void choose_share(struct random *random, const struct drawn *drawn, enum shares shares,
                         struct part *part)
{
    uint64_t *offsets = test_calloc(drawn->nodes + 1, sizeof *offsets);
    for (uint32_t node = 0; node <= drawn->nodes; node++)
        offsets[node] = drawn->offsets[node];
    if (shares <= BY_ARCS)
        assert_ok(clade_mpi_graph_share(ranks_all, drawn->nodes, shares == BY_ARCS ? offsets : NULL,
                                        &part->first, &part->count));
    if (shares == TO_ONE) {
        const int one = ranks_count / 2;
        part->first = ranks_me <= one ? 0 : drawn->nodes;
        part->count = ranks_me == one ? drawn->nodes : 0;
    }
    if (shares == AT_RANDOM)
        share_at_random(random, drawn->nodes, part);
    test_free(offsets);
    assert_int_equal(ranks_sum(part->count), drawn->nodes);
}

static clade_graph_params params_of_part(const struct drawn *drawn, struct part *part)
{
    const uint32_t begin = drawn->offsets[part->first],
                   arcs = drawn->offsets[part->first + part->count] - begin;
    part->offsets = test_calloc(part->count + 1, 4);
    for (uint64_t node = 0; node <= part->count; node++)
        part->offsets[node] = drawn->offsets[part->first + node] - begin;
    return (clade_graph_params) { .nodes = part->count,
                                  .arcs = arcs,
                                  .offsets = clade_host(part->offsets),
                                  .targets = clade_host(drawn->targets + begin),
                                  .weights = clade_host(drawn->weights + begin),
                                  .weight_type = drawn->type };
}

static struct part open_part(struct fixture *f, struct random *random, const struct drawn *drawn,
                             enum shares shares, bool wide)
{
    struct part part = { 0 };
    choose_share(random, drawn, shares, &part);
    const clade_graph_params params = params_of_part(drawn, &part);
    assert_ok(clade_mpi_graph_create(&part.graph, ranks_all, f->context, &params));
    assert_int_equal(clade_mpi_graph_first(part.graph, ranks_me), part.first);
    assert_int_equal(clade_mpi_graph_first(part.graph, ranks_count), drawn->nodes);
    assert_ok(
        clade_mpi_paths_create(&part.paths, part.graph, &(clade_paths_params) { .wide = wide }));
    return part;
}

static void close_part(struct part *part)
{
    clade_mpi_graph_destroy(&part->graph); /* the path finder holds it */
    clade_mpi_paths_destroy(&part->paths);
    test_free(part->offsets);
}

static uint64_t widened(const void *lengths, uint64_t i, bool wide)
{
    const uint32_t narrow = wide ? 0 : ((const uint32_t *)lengths)[i];
    if (wide)
        return ((const uint64_t *)lengths)[i];
    return narrow == UINT32_MAX ? UINT64_MAX : narrow;
}

/* All ranks' results, in the order of the nodes; both are freed by the caller. */
static void read_all(struct fixture *f, const struct part *part, bool wide, uint64_t **lengths,
                     uint32_t **predecessors)
{
    const size_t count = (size_t)part->count, bytes = wide ? 8 : 4;
    void *its = test_calloc(count + 1, bytes);
    uint32_t *before = test_calloc(count + 1, 4);
    uint64_t *numbers = test_calloc(count + 1, sizeof *numbers), *all;
    size_t total;
    cl_mem mem = fixture_buffer(f, count * bytes + 8, NULL);
    const bool on_device = ranks_me % 2;
    assert_ok(clade_mpi_paths_read(part->paths, on_device ? clade_device(mem, 0) : clade_host(its),
                                   clade_host(before)));
    if (on_device)
        fixture_read(f, mem, 0, its, count * bytes);
    for (size_t i = 0; i < count; i++)
        numbers[i] = widened(its, i, wide);
    *lengths = ranks_gather(numbers, count, NULL, &total);
    for (size_t i = 0; i < count; i++)
        numbers[i] = before[i];
    all = ranks_gather(numbers, count, NULL, &total);
    *predecessors = test_calloc(total + 1, 4);
    for (size_t i = 0; i < total; i++)
        (*predecessors)[i] = (uint32_t)all[i];
    free(all);
    clReleaseMemObject(mem);
    test_free(numbers);
    test_free(before);
    test_free(its);
}

/* --- the same on one device ------------------------------------------------------------------- */

struct alone {
    clade_graph *graph;
    clade_paths *paths;
    uint32_t *predecessors;
};

static struct alone open_alone(struct fixture *f, const struct drawn *drawn, bool wide)
{
    struct alone alone = { .predecessors = test_calloc(drawn->nodes, 4) };
    assert_ok(clade_graph_create(&alone.graph, f->context,
                                 &(clade_graph_params) { .nodes = drawn->nodes,
                                                         .arcs = drawn->arcs,
                                                         .offsets = clade_host(drawn->offsets),
                                                         .targets = clade_host(drawn->targets),
                                                         .weights = clade_host(drawn->weights),
                                                         .weight_type = drawn->type }));
    assert_ok(
        clade_paths_create(&alone.paths, alone.graph, &(clade_paths_params) { .wide = wide }));
    return alone;
}

static void close_alone(struct alone *alone)
{
    clade_paths_destroy(&alone->paths);
    clade_graph_destroy(&alone->graph);
    test_free(alone->predecessors);
}

/* --- searches --------------------------------------------------------------------------------- */

/* The search from `count` sources, of which each rank names some. */
static clade_status run_from(const struct part *part, const uint32_t *sources, uint64_t count,
                             clade_paths_query query)
{
    const uint64_t ranks = (uint64_t)ranks_count, me = (uint64_t)ranks_me;
    const uint64_t begin = count * me / ranks, end = count * (me + 1) / ranks;
    query.sources = clade_host(sources + begin);
    query.source_count = end - begin;
    return clade_mpi_paths_run(part->paths, &query);
}

/* Lengths are Dijkstra's, and predecessors those of one device. */
static void search_and_compare(struct fixture *f, const struct part *part, struct alone *alone,
                               const struct drawn *drawn, bool wide, const uint32_t *sources,
                               uint64_t count)
{
    uint64_t *wanted = test_calloc(drawn->nodes, sizeof *wanted), *lengths;
    uint32_t *predecessors;
    bool overflow = false;
    const clade_paths_query none = { 0 };
    dijkstra(drawn, sources, count, wide, wanted, &overflow);
    const clade_status status = run_from(part, sources, count, none);
    assert_int_equal(status, overflow ? CLADE_E_FULL : CLADE_OK);
    read_all(f, part, wide, &lengths, &predecessors);
    assert_memory_equal(lengths, wanted, drawn->nodes * sizeof *wanted);
    assert_forest(drawn, wide, lengths, predecessors, sources, count);
    const clade_status one = clade_paths_run(
        alone->paths,
        &(clade_paths_query) { .sources = clade_host(sources), .source_count = count }, NULL);
    assert_int_equal(one, status);
    assert_ok(
        clade_paths_read(alone->paths, clade_no_array(), clade_host(alone->predecessors), NULL));
    assert_memory_equal(predecessors, alone->predecessors, 4 * (size_t)drawn->nodes);
    test_free(predecessors);
    free(lengths);
    test_free(wanted);
}

static void try(struct fixture *f, struct random *random, struct drawn drawn, enum shares shares,
                bool wide)
{
    uint32_t sources[5];
    struct part part = open_part(f, random, &drawn, shares, wide);
    struct alone alone = open_alone(f, &drawn, wide);
    const uint64_t count = 1 + random_below(random, 5);
    for (uint64_t i = 0; i < count; i++)
        sources[i] = (uint32_t)random_below(random, drawn.nodes);
    search_and_compare(f, &part, &alone, &drawn, wide, sources, 1);
    search_and_compare(f, &part, &alone, &drawn, wide, sources, count);
    search_and_compare(f, &part, &alone, &drawn, wide, sources, 0);
    close_alone(&alone);
    close_part(&part);
    drawn_free(&drawn);
}

/* Sparse ones have parts that are not reached, dense ones loops and parallel arcs. */
static void try_all(struct fixture *f, uint32_t type, bool wide)
{
    struct random random = random_from(fixture_seed() + type);
    for (uint32_t weights = SMALL; weights < WEIGHTS; weights++)
        for (uint32_t shares = BY_NODES; shares < SHARES; shares++) {
            const uint32_t nodes = 1 + (uint32_t)random_below(&random, 120);
            const uint32_t arcs = nodes * (uint32_t)random_below(&random, 6);
            try(f, &random, draw_graph(&random, nodes, arcs, type, weights), shares, wide);
        }
}

static void integers(void **state)
{
    try_all(*state, CLADE_PATHS_U32, false);
}

static void floats(void **state)
{
    try_all(*state, CLADE_PATHS_F32, false);
}

static void wide_lengths(void **state)
{
    struct fixture *f = *state;
    fixture_by_night("integers and floats are searched alike");
    if (f->caps->int64_atomics)
        try_all(f, CLADE_PATHS_U32, true);
}

static void larger_graphs(void **state)
{
    struct random random = random_from(fixture_seed() + 7);
    const uint32_t nodes = (uint32_t)fixture_scaled(500, 5000, 50000);
    try(*state, &random, draw_graph(&random, nodes, 4 * nodes, CLADE_PATHS_U32, SMALL), BY_ARCS,
        false);
    try(*state, &random, draw_graph(&random, nodes, 4 * nodes, CLADE_PATHS_U32, MANY_ZEROS),
        AT_RANDOM, false);
}

/* Every arc leads to the next rank. */
static void a_row_that_changes_ranks_at_each_arc(void **state)
{
    struct random random = random_from(1);
    const uint32_t nodes = 40;
    struct drawn drawn = draw_graph(&random, nodes, nodes - 1, CLADE_PATHS_U32, EQUAL);
    const uint32_t half = nodes / 2;
    for (uint32_t node = 0; node <= nodes; node++)
        drawn.offsets[node] = node < nodes ? node : nodes - 1;
    for (uint32_t node = 0; node + 1 < nodes; node++) /* 0 20 1 21 2 ...; 39 has no arc */
        drawn.targets[node] = node < half ? node + half : node - half + 1;
    const uint32_t source = 0;
    struct part part = open_part(*state, &random, &drawn, BY_NODES, false);
    struct alone alone = open_alone(*state, &drawn, false);
    search_and_compare(*state, &part, &alone, &drawn, false, &source, 1);
    close_alone(&alone);
    close_part(&part);
    drawn_free(&drawn);
}

static void nothing_beyond_the_cutoff(void **state)
{
    struct fixture *f = *state;
    struct random random = random_from(fixture_seed());
    for (uint32_t type = CLADE_PATHS_U32; type <= CLADE_PATHS_F32; type++) {
        struct drawn drawn = draw_graph(&random, 300, 900, type, SMALL);
        struct part part = open_part(f, &random, &drawn, BY_ARCS, false);
        const uint32_t source = 3;
        const float limit = 40.5f;
        uint32_t bits, *predecessors;
        uint64_t *wanted = test_calloc(drawn.nodes, sizeof *wanted), *lengths;
        bool overflow;
        clade_paths_query query = { 0 };
        memcpy(&bits, &limit, sizeof bits);
        if (type == CLADE_PATHS_F32)
            query.cutoff_float = limit;
        else
            query.cutoff = bits = 90;
        dijkstra(&drawn, &source, 1, false, wanted, &overflow);
        assert_ok(run_from(&part, &source, 1, query));
        read_all(f, &part, false, &lengths, &predecessors);
        for (uint32_t node = 0; node < drawn.nodes; node++)
            assert_int_equal(lengths[node], wanted[node] <= bits ? wanted[node] : UINT64_MAX);
        test_free(predecessors);
        free(lengths);
        test_free(wanted);
        close_part(&part);
        drawn_free(&drawn);
    }
}

/* More than a length can be is no cutoff; the greatest length is one. As on one device. */
static void cutoffs_at_the_end_of_lengths(void **state)
{
    struct fixture *f = *state;
    struct random random = random_from(fixture_seed());
    struct drawn drawn = draw_graph(&random, 5, 4, CLADE_PATHS_U32, SMALL);
    const uint32_t source = 0;
    for (uint32_t node = 0; node <= 5; node++)
        drawn.offsets[node] = node < 4 ? node : 4;
    for (uint32_t arc = 0; arc < 4; arc++) {
        drawn.targets[arc] = arc + 1;
        drawn.weights[arc] = 0x60000000u;
    }
    struct part part = open_part(f, &random, &drawn, BY_ARCS, false);
    clade_paths_query query = { .cutoff = UINT32_MAX - 1 };
    assert_ok(run_from(&part, &source, 1, query));
    query.cutoff = UINT32_MAX;
    assert_fails(run_from(&part, &source, 1, query), CLADE_E_FULL);
    query.cutoff = UINT64_MAX;
    assert_fails(run_from(&part, &source, 1, query), CLADE_E_FULL);
    close_part(&part);
    drawn_free(&drawn);
}

/* --- Graph500 --------------------------------------------------------------------------------- */

/* Kronecker's graph: 2^scale nodes, 16 edges each, both ways, weights from 0 to 1. */
static struct drawn kronecker(struct random *random, unsigned scale)
{
    const uint32_t nodes = 1u << scale, edges = 16 * nodes;
    struct drawn it = { .nodes = nodes, .arcs = 2 * edges, .type = CLADE_PATHS_F32 };
    uint32_t *ends = test_calloc(2 * (size_t)edges, 4), *at = test_calloc(nodes + 1, 4);
    it.offsets = test_calloc(nodes + 1, 4);
    it.targets = test_calloc(it.arcs, 4);
    it.weights = test_calloc(it.arcs, 4);
    for (uint32_t edge = 0; edge < edges; edge++)
        for (unsigned bit = 0; bit < scale; bit++) {
            const uint64_t drawn = random_below(random, 100); /* 57 19 19 5 */
            ends[2 * edge] |= (uint32_t)(drawn >= 76) << bit;
            ends[2 * edge + 1] |= (uint32_t)((drawn >= 57 && drawn < 76) || drawn >= 95) << bit;
        }
    for (uint32_t i = 0; i < 2 * edges; i++)
        it.offsets[ends[i] + 1]++;
    for (uint32_t node = 0; node < nodes; node++)
        at[node + 1] = it.offsets[node + 1] += it.offsets[node];
    for (uint32_t edge = 0; edge < edges; edge++) {
        const float weight = (float)random_below(random, 1u << 24) / (float)(1u << 24);
        for (uint32_t end = 0; end < 2; end++) {
            const uint32_t place = at[ends[2 * edge + end]]++;
            it.targets[place] = ends[2 * edge + 1 - end];
            memcpy(&it.weights[place], &weight, sizeof weight);
        }
    }
    test_free(ends);
    test_free(at);
    return it;
}

/* An arc from `node` to `to` that adds up. */
static bool has_tree_arc(const struct drawn *g, const uint64_t *lengths, uint32_t node, uint32_t to)
{
    for (uint32_t arc = g->offsets[node]; arc < g->offsets[node + 1]; arc++)
        if (g->targets[arc] == to &&
            sum_of(g, false, lengths[node], g->weights[arc]) == lengths[to])
            return true;
    return false;
}

/* Its rules for results: the tree's arcs are arcs of the graph, and lengths add up along them; it
 * spans what is reached, and has no circle; no arc could lower a length, or lead from what is
 * reached to what is not. */
static void check_by_rules(const struct drawn *g, uint32_t root, const uint64_t *lengths,
                           const uint32_t *predecessors)
{
    assert_int_equal(lengths[root], 0);
    assert_int_equal(predecessors[root], CLADE_PATHS_NONE);
    for (uint32_t node = 0; node < g->nodes; node++) {
        uint32_t at = node, steps = 0;
        if (lengths[node] == UINT64_MAX) {
            assert_int_equal(predecessors[node], CLADE_PATHS_NONE);
            continue;
        }
        assert_true(node == root || has_tree_arc(g, lengths, predecessors[node], node));
        for (; at != root && steps < g->nodes; steps++)
            at = predecessors[at];
        assert_int_equal(at, root);
        for (uint32_t arc = g->offsets[node]; arc < g->offsets[node + 1]; arc++)
            assert_true(lengths[g->targets[arc]] <=
                        sum_of(g, false, lengths[node], g->weights[arc]));
    }
}

/* More arcs of one node than iterations that llvmpipe gives an item. The last one leads to where no
 * length fits. */
static void a_node_with_many_arcs(void **state)
{
    struct fixture *f = *state;
    struct random random = random_from(f->seed);
    const uint32_t nodes = 70000, source = 0, most = UINT32_MAX - 5;
    struct drawn drawn = { .nodes = nodes, .arcs = nodes - 1 };
    drawn.offsets = test_calloc(nodes + 1, 4);
    drawn.targets = test_calloc(nodes, 4);
    drawn.weights = test_calloc(nodes, 4);
    for (uint32_t node = 1; node < nodes; node++) {
        drawn.targets[node - 1] = node;
        drawn.weights[node - 1] = node == 1 ? most : node + 1 == nodes ? 100 : 0;
        drawn.offsets[node + 1] = nodes - 1;
    }
    drawn.offsets[1] = 1;
    struct part part = open_part(f, &random, &drawn, BY_NODES, false);
    uint64_t *lengths;
    uint32_t *predecessors;
    assert_fails(run_from(&part, &source, 1, (clade_paths_query) { 0 }), CLADE_E_FULL);
    read_all(f, &part, false, &lengths, &predecessors);
    for (uint32_t node = 1; node + 1 < nodes; node++) {
        assert_int_equal(lengths[node], most);
        assert_int_equal(predecessors[node], node > 1);
    }
    assert_true(lengths[nodes - 1] == UINT64_MAX);
    free(lengths);
    test_free(predecessors);
    close_part(&part);
    drawn_free(&drawn);
}

static void kronecker_graphs_by_the_rules(void **state)
{
    struct fixture *f = *state;
    struct random random = random_from(fixture_seed() + 500);
    struct drawn drawn = kronecker(&random, (unsigned)fixture_scaled(7, 9, 12));
    for (uint32_t shares = BY_NODES; shares <= BY_ARCS; shares++) {
        struct part part = open_part(f, &random, &drawn, shares, false);
        for (int i = 0; i < 3; i++) {
            const uint32_t root = (uint32_t)random_below(&random, drawn.nodes);
            uint64_t *lengths;
            uint32_t *predecessors;
            assert_ok(run_from(&part, &root, 1, (clade_paths_query) { 0 }));
            read_all(f, &part, false, &lengths, &predecessors);
            check_by_rules(&drawn, root, lengths, predecessors);
            test_free(predecessors);
            free(lengths);
        }
        close_part(&part);
    }
    drawn_free(&drawn);
}

/* --- shares, refusals, faults ----------------------------------------------------------------- */

static void shares_are_even(void **state)
{
    (void)state;
    const uint64_t offsets[5] = { 0, 1000, 1000, 1000, 1000 };
    uint64_t first, count;
    assert_ok(clade_mpi_graph_share(ranks_all, 1000003, NULL, &first, &count));
    assert_in_range(count, 1000003 / (uint64_t)ranks_count, 1000003 / (uint64_t)ranks_count + 1);
    assert_int_equal(ranks_sum(count), 1000003);
    assert_ok(clade_mpi_graph_share(ranks_all, 4, offsets, &first, &count));
    assert_int_equal(ranks_sum(count), 4);
    assert_int_equal(ranks_sum(first == 0 && count > 0), 1);
    assert_true(ranks_count == 1 || count < 4);
    assert_ok(clade_mpi_graph_share(ranks_all, 0, NULL, &first, &count));
    assert_int_equal(count, 0);
    assert_fails(clade_mpi_graph_share(NULL, 4, NULL, &first, &count), CLADE_E_ARG);
    assert_fails(clade_mpi_graph_share(ranks_all, 4, NULL, NULL, &count), CLADE_E_ARG);
}

/* Two nodes a rank, each with an arc to the other and one to the next rank's first. */
struct ring {
    uint32_t offsets[3], targets[4], weights[4];
};

static struct ring ring_of(void)
{
    const uint32_t first = 2 * (uint32_t)ranks_me, all = 2 * (uint32_t)ranks_count;
    return (struct ring) { { 0, 2, 4 },
                           { first + 1, (first + 2) % all, first, (first + 2) % all },
                           { 1, 5, 1, 5 } };
}

static clade_graph_params params_of_ring(const struct ring *ring)
{
    return (clade_graph_params) { .nodes = 2,
                                  .arcs = 4,
                                  .offsets = clade_host(ring->offsets),
                                  .targets = clade_host(ring->targets),
                                  .weights = clade_host(ring->weights) };
}

static void graphs_that_are_refused(void **state)
{
    struct fixture *f = *state;
    clade_mpi_graph *graph = NULL;
    const bool bad = ranks_me == ranks_count - 1;
    struct ring ring = ring_of();
    clade_graph_params params = params_of_ring(&ring);
#define REFUSED() \
    assert_fails(clade_mpi_graph_create(&graph, ranks_all, f->context, &params), CLADE_E_ARG)
    ring.targets[3] += bad ? 1000 : 0;
    REFUSED();
    assert_message("the target of arc 3 is no node");
    ring = ring_of();
    ring.offsets[1] = bad ? 5 : 2;
    REFUSED();
    ring = ring_of();
    ring.offsets[2] = bad ? 3 : 4;
    REFUSED();
    ring = ring_of();
    params.arcs = bad ? 0x100000000u : 4;
    REFUSED();
    params.arcs = 4;
    params.targets = bad ? clade_no_array() : clade_host(ring.targets);
    REFUSED();
    params = params_of_ring(&ring);
    params.nodes = bad ? 0 : 2; /* with arcs */
    REFUSED();
    params = params_of_ring(&ring);
    params.weight_type = bad ? 2 : 0;
    REFUSED();
    params.weight_type = bad ? 1 : 0;
    if (ranks_count > 1)
        REFUSED();
    params = params_of_ring(&ring);
    params.reserved[3] = bad;
    REFUSED();
    params.reserved[3] = 0;
    params.reserved0 = bad;
    REFUSED();
    params = (clade_graph_params) { 0 };
    REFUSED();
    assert_message("all ranks have 0 nodes");
    params = params_of_ring(&ring);
    assert_fails(clade_mpi_graph_create(bad ? NULL : &graph, ranks_all, f->context, &params),
                 CLADE_E_ARG);
    assert_fails(clade_mpi_graph_create(&graph, NULL, f->context, &params), CLADE_E_ARG);
    assert_null(graph);
#undef REFUSED
}

static void searches_that_are_refused(void **state)
{
    struct fixture *f = *state;
    clade_mpi_graph *graph = NULL;
    clade_mpi_paths *paths = NULL;
    const bool bad = ranks_me == ranks_count - 1;
    const struct ring ring = ring_of();
    const clade_graph_params params = params_of_ring(&ring);
    uint32_t source = 0, lengths[2];
    clade_mpi_paths_stats stats;
    clade_paths_params of_paths = { .slots = bad ? 2 : 0 };
    clade_paths_query query = { .sources = clade_host(&source), .source_count = 1 };
    const clade_array none = clade_no_array(), to = clade_host(lengths);
    assert_ok(clade_mpi_graph_create(&graph, ranks_all, f->context, &params));
    assert_fails(clade_mpi_paths_create(&paths, graph, &of_paths), CLADE_E_ARG);
    assert_fails(clade_mpi_paths_create(bad ? NULL : &paths, graph, NULL), CLADE_E_ARG);
    assert_fails(clade_mpi_paths_create(&paths, NULL, NULL), CLADE_E_ARG);
    assert_null(paths);
    assert_ok(clade_mpi_paths_create(&paths, graph, NULL));
    assert_fails(clade_mpi_paths_read(paths, to, none), CLADE_E_ARG);
    assert_message("no result");
    source = bad ? 2 * (uint32_t)ranks_count : 0;
    assert_fails(clade_mpi_paths_run(paths, &query), CLADE_E_ARG);
    assert_message("is no node");
    source = 0;
    query.sources = bad ? none : clade_host(&source);
    assert_fails(clade_mpi_paths_run(paths, &query), CLADE_E_ARG);
    query.sources = clade_host(&source);
    query.part = bad ? CLADE_PATHS_FIRST : 0;
    assert_fails(clade_mpi_paths_run(paths, &query), CLADE_E_ARG);
    query.part = 0;
    query.reserved[3] = bad;
    assert_fails(clade_mpi_paths_run(paths, &query), CLADE_E_ARG);
    query.reserved[3] = 0;
    query.cutoff = bad ? 7 : 8;
    if (ranks_count > 1)
        assert_fails(clade_mpi_paths_run(paths, &query), CLADE_E_ARG);
    query.cutoff = 0;
    query.cutoff_float = 1;
    assert_fails(clade_mpi_paths_run(paths, &query), CLADE_E_ARG);
    assert_message("float weights");
    assert_fails(clade_mpi_paths_run(paths, bad ? NULL : &query), CLADE_E_ARG);
    assert_fails(clade_mpi_paths_run(NULL, &query), CLADE_E_ARG);
    query.cutoff_float = 0;
    assert_ok(clade_mpi_paths_run(paths, &query));
    assert_ok(clade_mpi_paths_read(paths, bad ? to : none, none));
    assert_ok(clade_mpi_paths_read(paths, to, none));
    assert_int_equal(lengths[0], 5 * ranks_me);
    assert_int_equal(lengths[1], 5 * ranks_me + 1);
    assert_fails(clade_mpi_paths_read(NULL, to, none), CLADE_E_ARG);
    assert_ok(clade_mpi_paths_stats_read(paths, &stats));
    assert_true(stats.steps > 0 && stats.expanded >= 2);
    assert_true(ranks_count == 1 || stats.sent > 0);
    assert_fails(clade_mpi_paths_stats_read(paths, NULL), CLADE_E_ARG);
    assert_int_equal(clade_mpi_graph_first(graph, ranks_count + 1), 0);
    assert_int_equal(clade_mpi_graph_first(NULL, 0), 0);
    clade_mpi_paths_destroy(&paths);
    clade_mpi_paths_destroy(NULL);
    clade_mpi_graph_destroy(&graph);
    clade_mpi_graph_destroy(NULL);
}

struct faulty {
    struct fixture *f;
    clade_mpi_graph *graph;
    clade_mpi_paths *paths;
};

static clade_status create_and_run(void *data)
{
    struct faulty *it = data;
    const struct ring ring = ring_of();
    const clade_graph_params params = params_of_ring(&ring);
    const uint32_t source = 0;
    uint32_t lengths[2], predecessors[2];
    const clade_paths_query query = { .sources = clade_host(&source),
                                      .source_count = ranks_me == 0 };
    clade_status status = clade_mpi_graph_create(&it->graph, ranks_all, it->f->context, &params);
    if (status == CLADE_OK)
        status = clade_mpi_paths_create(&it->paths, it->graph, NULL);
    if (status == CLADE_OK)
        status = clade_mpi_paths_run(it->paths, &query);
    if (status == CLADE_OK)
        status = clade_mpi_paths_read(it->paths, clade_host(lengths), clade_host(predecessors));
    if (status == CLADE_OK)
        assert_int_equal(lengths[1], 5 * ranks_me + 1);
    return status;
}

static void destroy(void *data)
{
    struct faulty *it = data;
    clade_mpi_paths_destroy(&it->paths);
    clade_mpi_graph_destroy(&it->graph);
}

static void faults_on_one_rank(void **state)
{
    fixture_by_night("calls of heaps and maps fail on one rank");
    struct faulty it = { .f = *state };
    assert_true(ranks_fault_every(ranks_count - 1, create_and_run, destroy, &it) > 50);
}

/* Five ranks may send a sixth one more than its kernels count, and the rest would be lost. */
static void more_news_than_kernels_count(void **state)
{
    const struct fixture *f = *state;
    struct cladei_mpi_news news = { 0 };
    assert_fails(cladei_mpi_news_reserve(&news, f->context, (uint64_t)UINT32_MAX + 1, 4),
                 CLADE_E_NOMEM);
    assert_message("nodes are told of at once");
    assert_int_equal(news.room, 0);
    /* Nor where an earlier call for nearly as many has left the room. */
    news.room = (uint64_t)UINT32_MAX + 16;
    assert_fails(cladei_mpi_news_reserve(&news, f->context, (uint64_t)UINT32_MAX + 1, 4),
                 CLADE_E_NOMEM);
    assert_int_equal(news.room, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(integers),
        cmocka_unit_test(floats),
        cmocka_unit_test(wide_lengths),
        cmocka_unit_test(larger_graphs),
        cmocka_unit_test(a_row_that_changes_ranks_at_each_arc),
        cmocka_unit_test(nothing_beyond_the_cutoff),
        cmocka_unit_test(cutoffs_at_the_end_of_lengths),
        cmocka_unit_test(a_node_with_many_arcs),
        cmocka_unit_test(kronecker_graphs_by_the_rules),
        cmocka_unit_test(shares_are_even),
        cmocka_unit_test(graphs_that_are_refused),
        cmocka_unit_test(searches_that_are_refused),
        cmocka_unit_test(more_news_than_kernels_count),
        cmocka_unit_test(faults_on_one_rank),
    };
    return ranks_run("mpi_paths", tests);
}

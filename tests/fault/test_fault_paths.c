/* SPDX-License-Identifier: Apache-2.0 */
/* Whatever call fails, graphs and searches say so and keep nothing; a path finder has then no
 * result, or the right one, and its next search is right. */
#include <clade/paths.h>

#include "fault/fault.h"

enum { NODES = 6, ARCS = 8, ROWS = 3 };

static const uint32_t offsets[NODES + 1] = { 0, 3, 4, 5, 7, 8, 8 };
static const uint32_t arc_targets[ARCS] = { 1, 2, 3, 3, 3, 4, 5, 5 };
static const uint32_t weights[ARCS] = { 1, 2, 9, 3, 2, 1, 7, 1 };
static const uint32_t lengths[NODES] = { 0, 1, 2, 4, 5, 6 }, source, target = NODES - 1;
static const uint32_t row_sources[ROWS] = { 0, 5, 3 };

struct paths_case {
    struct fixture *f;
    clade_graph *graph;
    clade_paths *paths;
    bool is_unread; /* each call has a path finder that has not read its predecessors yet */
    bool is_new;    /* each call has one that has not done anything yet */
};

static clade_status make_graph(clade_graph **graph, struct fixture *f)
{
    return clade_graph_create(graph, f->context,
                              &(clade_graph_params) { .nodes = NODES,
                                                      .arcs = ARCS,
                                                      .offsets = clade_host(offsets),
                                                      .targets = clade_host(arc_targets),
                                                      .weights = clade_host(weights) });
}

static clade_status create_graph(void *data)
{
    struct paths_case *c = data;
    clade_graph *graph = NULL;
    const clade_status status = make_graph(&graph, c->f);
    assert_true((status == CLADE_OK) == (graph != NULL));
    clade_graph_destroy(&graph);
    return status;
}

static clade_status create_paths(void *data)
{
    struct paths_case *c = data;
    clade_paths *paths = NULL;
    const clade_status status =
        clade_paths_create(&paths, c->graph, &(clade_paths_params) { .slots = 2 });
    assert_true((status == CLADE_OK) == (paths != NULL));
    clade_paths_destroy(&paths);
    return status;
}

static clade_status search(void *data)
{
    struct paths_case *c = data;
    return clade_paths_run(
        c->paths, &(clade_paths_query) { .sources = clade_host(&source), .source_count = 1 }, NULL);
}

static clade_status search_to_a_target(void *data)
{
    struct paths_case *c = data;
    static const uint32_t bounds[NODES] = { 6, 5, 4, 2, 1, 0 };
    return clade_paths_run(c->paths,
                           &(clade_paths_query) { .sources = clade_host(&source),
                                                  .source_count = 1,
                                                  .targets = clade_host(&target),
                                                  .target_count = 1,
                                                  .bounds = clade_host(bounds) },
                           NULL);
}

/* Both parts have a source. */
static clade_status search_in_parts(void *data)
{
    struct paths_case *c = data;
    clade_paths_query query = { .sources = clade_host(&source),
                                .source_count = 1,
                                .targets = clade_host(&target),
                                .target_count = 1,
                                .part = CLADE_PATHS_FIRST };
    clade_status status = clade_paths_run(c->paths, &query, NULL);
    query = (clade_paths_query) { .sources = clade_host(&source),
                                  .source_count = 1,
                                  .part = CLADE_PATHS_NEXT };
    if (status == CLADE_OK)
        status = clade_paths_run(c->paths, &query, NULL);
    return status;
}

static clade_status read_all(void *data)
{
    struct paths_case *c = data;
    uint32_t got[NODES], predecessors[NODES];
    return clade_paths_read(c->paths, clade_host(got), clade_host(predecessors), NULL);
}

/* The lesser cutoff leaves something for who asks for predecessors; but all lengths are there. */
static clade_status end_parts(void *data)
{
    struct paths_case *c = data;
    clade_paths_query query = { .sources = clade_host(&source),
                                .source_count = 1,
                                .part = CLADE_PATHS_FIRST };
    clade_status status = clade_paths_run(c->paths, &query, NULL);
    query = (clade_paths_query) { .cutoff = 1, .part = CLADE_PATHS_NEXT };
    if (status == CLADE_OK)
        status = clade_paths_run(c->paths, &query, NULL);
    return status == CLADE_OK ? read_all(data) : status;
}

static clade_status trace(void *data)
{
    struct paths_case *c = data;
    uint32_t nodes[NODES];
    uint64_t got;
    return clade_paths_trace(c->paths, target, nodes, NODES, &got);
}

static clade_status table(void *data)
{
    struct paths_case *c = data;
    uint32_t rows[ROWS * NODES];
    return clade_paths_table(c->paths, clade_host(row_sources), clade_host(rows), ROWS, NULL);
}

static void has_right_lengths(struct paths_case *c)
{
    static const uint32_t way[] = { 0, 2, 3, 4, 5 };
    uint32_t got[NODES], nodes[NODES];
    uint64_t count = 0;
    assert_ok(clade_paths_read(c->paths, clade_host(got), clade_no_array(), NULL));
    for (uint32_t node = 0; node < NODES; node++)
        assert_true(got[node] == lengths[node] || (got[node] == UINT32_MAX && node != target));
    assert_ok(clade_paths_trace(c->paths, target, nodes, NODES, &count));
    assert_int_equal(count, 5);
    assert_int_equal(nodes[0], 0);
    assert_memory_equal(nodes + 2, way + 2, 3 * sizeof *way);
}

/* There is no result, or the right one; and a new search has it. */
static void is_sound(void *data)
{
    struct paths_case *c = data;
    uint32_t got[NODES];
    const clade_status status = clade_paths_read(c->paths, clade_host(got), clade_no_array(), NULL);
    if (status == CLADE_OK)
        has_right_lengths(c);
    else
        assert_int_equal(status, CLADE_E_ARG);
    assert_ok(search(c));
    has_right_lengths(c);
    if (c->is_unread || c->is_new) { /* its kernels are built anew */
        clade_paths_destroy(&c->paths);
        assert_ok(clade_paths_create(&c->paths, c->graph, &(clade_paths_params) { .slots = 2 }));
    }
    if (c->is_unread)
        assert_ok(search(c));
}

static void searches_survive_every_fault(void **state)
{
    struct fixture *f = *state;
    struct paths_case c = { .f = f };
    static clade_status (*const calls[])(void *) = { search, search_to_a_target, search_in_parts,
                                                     table,  end_parts,          read_all,
                                                     trace };
    const size_t all = sizeof calls / sizeof calls[0], search_calls = 5;
    uint64_t faults = 0;
    assert_ok(make_graph(&c.graph, f));
    assert_ok(clade_paths_create(&c.paths, c.graph, &(clade_paths_params) { .slots = 2 }));
    assert_ok(search(&c));
    has_right_lengths(&c);
    faults += fault_every(create_graph, NULL, &c);
    faults += fault_every(create_paths, NULL, &c);
    for (int how = 0; how < 3; how++) {
        c.is_unread = how == 1;
        c.is_new = how == 2;
        is_sound(&c);
        for (size_t i = 0; i < (c.is_new ? search_calls : all); i++)
            faults += fault_every(calls[i], is_sound, &c);
    }
    assert_true(faults > 100);
    clade_paths_destroy(&c.paths);
    clade_graph_destroy(&c.graph);
}

/* Both are refused, by their kernels. */
static const uint32_t no_node = NODES, bad_sources[ROWS] = { 0, NODES, 3 };

static clade_status search_from_no_node(void *data)
{
    struct paths_case *c = data;
    return clade_paths_run(
        c->paths, &(clade_paths_query) { .sources = clade_host(&no_node), .source_count = 1 },
        NULL);
}

static clade_status table_of_no_node(void *data)
{
    struct paths_case *c = data;
    uint32_t rows[ROWS * NODES];
    return clade_paths_table(c->paths, clade_host(bad_sources), clade_host(rows), ROWS, NULL);
}

/* A call that is refused tells that itself, or fails before it could: no later call does. */
static void what_a_call_left_is_not_told_by_the_next(void **state)
{
    struct fixture *f = *state;
    struct paths_case c = { .f = f };
    static clade_status (*const calls[])(void *) = { search_from_no_node, table_of_no_node };
    assert_ok(make_graph(&c.graph, f));
    assert_ok(clade_paths_create(&c.paths, c.graph, &(clade_paths_params) { .slots = 2 }));
    for (size_t i = 0; i < sizeof calls / sizeof calls[0]; i++) {
        bool failed = true;
        assert_int_equal(calls[i](&c), CLADE_E_ARG);
        for (uint64_t n = 1; failed; n++) {
            fault_arm(n);
            const clade_status status = calls[i](&c);
            failed = fault_disarm();
            assert_true(status != CLADE_OK);
            assert_ok(search(&c));
            has_right_lengths(&c);
            fault_arm(n);
            (void)calls[i](&c);
            (void)fault_disarm();
            assert_ok(table(&c));
        }
    }
    clade_paths_destroy(&c.paths);
    clade_graph_destroy(&c.graph);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(searches_survive_every_fault),
        cmocka_unit_test(what_a_call_left_is_not_told_by_the_next),
    };
    return fixture_run("fault-paths", tests);
}

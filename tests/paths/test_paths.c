/* SPDX-License-Identifier: Apache-2.0 */
/* clade_paths: rows of tables, paths, kernels of a user's; and the list of all tests. */
#include "paths/test_paths.h"

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
    query.targets = clade_no_array();
    query.target_count = 0;
    query.cutoff = UINT32_MAX - 1; /* the greatest length that fits */
    assert_ok(clade_paths_run(o.paths, &query, NULL));
    read_result(&o);
    assert_true(o.got[2] == 0xc0000000u && o.got[3] == UINT64_MAX);
    query.cutoff = UINT64_MAX; /* more than any length: none */
    assert_fails(clade_paths_run(o.paths, &query, NULL), CLADE_E_FULL);
    assert_fails(clade_paths_table(o.paths, clade_host(&source), clade_host(row), 1, NULL),
                 CLADE_E_FULL);
    assert_message("row 0");
    assert_true(row[2] == 0xc0000000u && row[3] == UINT32_MAX);
    find_farthest(f, &o, 1, 4, &out);
    assert_int_equal(out, UINT32_MAX);
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
        cmocka_unit_test(lengths_of_integers_behind_many_arcs),
        cmocka_unit_test(lengths_of_integers_behind_arcs_side_by_side),
        cmocka_unit_test(circles_of_zeros_make_no_circle_of_predecessors),
        cmocka_unit_test(what_finds_no_room_is_not_lost),
        cmocka_unit_test(lengths_that_do_not_fit_are_told),
        cmocka_unit_test(a_search_ends_at_its_targets),
        cmocka_unit_test(a_near_target_takes_little_work),
        cmocka_unit_test(nothing_beyond_the_cutoff_is_found),
        cmocka_unit_test(bounds_lead_to_the_target),
        cmocka_unit_test(bounds_spare_what_leads_away),
        cmocka_unit_test(lengths_from_the_target_are_bounds),
        cmocka_unit_test(a_search_goes_on_in_parts),
        cmocka_unit_test(parts_have_cutoffs_of_their_own),
        cmocka_unit_test(lengths_are_lowered_between_parts),
        cmocka_unit_test(predecessors_that_cannot_be_read_end_a_search),
        cmocka_unit_test(full_queues_do_not_end_a_search),
        cmocka_unit_test(predecessors_end_a_search_in_parts),
        cmocka_unit_test(what_is_over_does_not_go_on),
        cmocka_unit_test(a_row_of_a_table_is_a_search),
        cmocka_unit_test(a_path_is_read_from_its_source_on),
        cmocka_unit_test(groups_of_a_kernel_search_each_for_itself),
        cmocka_unit_test(sums_of_other_ways_need_not_fit),
        cmocka_unit_test(what_was_not_asked_for_need_not_fit),
        cmocka_unit_test(damaged_graphs_are_refused),
        cmocka_unit_test(graphs_of_host_and_device_arrays_are_the_same),
        cmocka_unit_test(bad_queries_are_refused),
        cmocka_unit_test(a_path_finder_holds_its_graph),
    };
    return fixture_run("paths", tests);
}

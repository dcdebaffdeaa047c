/* SPDX-License-Identifier: Apache-2.0 */
/* The kernel of docs/structures/paths.md does what the page says. */
#include "pages/page.h"

static void each_group_finds_its_farthest_node(void **state)
{
    struct fixture *f = *state;
    enum { NODES = 50, SLOTS = 4 };
    uint32_t offsets[NODES + 1], targets[NODES], sources[ITEMS] = { 0, 10, 49, 7 }, out[ITEMS];
    clade_graph *graph;
    clade_paths *paths;
    for (uint32_t i = 0; i < NODES;
         i++) { /* a row: arcs lead to the next node, the last to itself */
        offsets[i + 1] = i + 1;
        targets[i] = i + 1 < NODES ? i + 1 : i;
    }
    offsets[0] = 0;
    assert_ok(clade_graph_create(&graph, f->context,
                                 &(clade_graph_params) { .nodes = NODES,
                                                         .arcs = NODES,
                                                         .offsets = clade_host(offsets),
                                                         .targets = clade_host(targets) }));
    assert_ok(clade_paths_create(&paths, graph, &(clade_paths_params) { .slots = SLOTS }));
    struct example example = example_open(f, "paths.cl", "farthest", clade_paths_options(paths));
    cl_mem mems[] = { clade_paths_mem(paths), clade_graph_mem(graph) };
    cl_mem sources_mem = page_words(f, &example, 2, sources),
           out_mem = page_words(f, &example, 3, out);
    fixture_arg(example.kernel, 0, mems[0]);
    fixture_arg(example.kernel, 1, mems[1]);
    fixture_launch(f, example.kernel, SLOTS * 8, 8);
    fixture_read(f, out_mem, 0, out, sizeof out);
    for (int i = 0; i < SLOTS; i++)
        assert_int_equal(out[i], NODES - 1 - sources[i]);
    clReleaseMemObject(sources_mem);
    clReleaseMemObject(out_mem);
    example_close(&example);
    clade_paths_destroy(&paths);
    clade_graph_destroy(&graph);
}

const struct CMUnitTest paths_page = cmocka_unit_test(each_group_finds_its_farthest_node);

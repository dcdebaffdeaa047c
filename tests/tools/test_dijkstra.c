/* SPDX-License-Identifier: Apache-2.0 */
/* Shortest paths on the host, the made-up road network, and real ones where they are at hand. */
#include "graph/dijkstra.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "graph/gridgraph.h"
#include "graph/kronecker.h"
#include "tools/graph_helpers.h"

static uint64_t *distances(const struct graph *graph, uint64_t source)
{
    struct file_error error;
    uint64_t *distance = malloc((size_t)graph->nodes * sizeof *distance);

    assert_non_null(distance);
    assert_true(dijkstra(distance, graph, source, &error));
    return distance;
}

static void assert_summary(const struct graph *graph, uint64_t source, uint64_t reached,
                           uint64_t max, uint64_t sum)
{
    uint64_t *distance = distances(graph, source);
    struct distance_summary summary = distance_summary(distance, graph->nodes);

    free(distance);
    assert_int_equal(summary.reached, reached);
    assert_int_equal(summary.max, max);
    assert_int_equal(summary.sum, sum);
}

static struct graph read_text(const char *text)
{
    struct graph graph;
    struct file_error error;

    if (!graph_read_memory(&graph, "graph", text, strlen(text), &error))
        fail_msg("%s", error.text);
    return graph;
}

static void paths_are_shortest_and_directed(void **state)
{
    struct graph graph = read_text("p sp 5 6\na 1 2 10\na 1 3 3\na 3 2 4\na 2 4 0\na 3 4 8\n"
                                   "a 5 1 1\n");
    uint64_t *distance = distances(&graph, 0);

    (void)state;
    assert_int_equal(distance[0], 0);
    assert_int_equal(distance[1], 7);
    assert_int_equal(distance[2], 3);
    assert_int_equal(distance[3], 7);
    assert_true(distance[4] == DISTANCE_NONE);
    free(distance);
    assert_summary(&graph, 0, 4, 7, 17);
    assert_summary(&graph, 3, 1, 0, 0);
    graph_free(&graph);
}

static void distances_pass_32_bits(void **state)
{
    struct graph graph = read_text("p sp 3 2\na 1 2 4294967295\na 2 3 4294967295\n");

    (void)state;
    assert_summary(&graph, 0, 3, UINT64_C(8589934590), UINT64_C(12884901885));
    graph_free(&graph);
}

static void a_source_outside_is_refused(void **state)
{
    struct graph graph = read_text("p sp 3 0\n");
    struct file_error error;
    uint64_t distance[3];

    (void)state;
    assert_false(dijkstra(distance, &graph, 3, &error));
    assert_string_equal(error.text, "shortest paths: there is no node 4: nodes are 1 to 3");
    graph_free(&graph);
}

static uint32_t draw(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(*state >> 33);
}

/* The slow and plain way: relax every arc until nothing changes. */
static void relax_all(uint64_t *distance, const struct graph *graph, uint64_t source)
{
    bool changed = true;

    for (uint64_t u = 0; u < graph->nodes; u++)
        distance[u] = u == source ? 0 : DISTANCE_NONE;
    while (changed) {
        changed = false;
        for (uint64_t u = 0; u < graph->nodes; u++)
            for (uint64_t i = graph->first[u]; i < graph->first[u + 1]; i++)
                if (distance[u] != DISTANCE_NONE &&
                    distance[u] + graph->weight[i] < distance[graph->target[i]]) {
                    distance[graph->target[i]] = distance[u] + graph->weight[i];
                    changed = true;
                }
    }
}

static void random_graphs_agree_with_plain_relaxation(void **state)
{
    uint64_t seed = 20;
    struct text text = { 0 };

    (void)state;
    for (int round = 0; round < 300; round++) {
        uint32_t nodes = 1 + draw(&seed) % 60, arcs = draw(&seed) % 200;
        uint32_t weights = round % 3 == 0 ? 3 : 1000; /* few weights: many ties and zeros */
        text.length = 0;
        append(&text, "p sp %" PRIu32 " %" PRIu32 "\n", nodes, arcs);
        for (uint32_t i = 0; i < arcs; i++) {
            uint32_t u = 1 + draw(&seed) % nodes, v = 1 + draw(&seed) % nodes;
            append(&text, "a %" PRIu32 " %" PRIu32 " %" PRIu32 "\n", u, v, draw(&seed) % weights);
        }
        struct graph graph = read_text(text.text);
        uint64_t plain[60], source = draw(&seed) % nodes;
        uint64_t *distance = distances(&graph, source);
        relax_all(plain, &graph, source);
        assert_memory_equal(distance, plain, nodes * sizeof *plain);
        free(distance);
        graph_free(&graph);
    }
    free(text.text);
}

/* --- the made-up road network --------------------------------------------------------------- */

static bool has_arc(const struct graph *graph, uint32_t from, uint32_t to, uint32_t weight)
{
    for (uint64_t i = graph->first[from]; i < graph->first[from + 1]; i++)
        if (graph->target[i] == to && graph->weight[i] == weight)
            return true;
    return false;
}

static void the_grid_is_a_road_network(void **state)
{
    struct graph graph;
    struct file_error error;
    uint64_t highways = 0;

    (void)state;
    assert_true(gridgraph_create(&graph, NULL, NULL, &error));
    assert_true(graph_valid(&graph));
    assert_in_range(graph.nodes, 250000, 270000);
    assert_in_range(graph.arcs, graph.nodes * 5 / 2, graph.nodes * 7 / 2);
    for (uint32_t u = 0; u < graph.nodes; u++)
        for (uint64_t i = graph.first[u]; i < graph.first[u + 1]; i++) {
            assert_true(graph.weight[i] >= 100 && graph.weight[i] <= 4000);
            assert_true(graph.target[i] != u);
            assert_true(has_arc(&graph, graph.target[i], u, graph.weight[i]));
            highways += graph.weight[i] < 500;
        }
    assert_in_range(highways, 1000, graph.arcs / 10);
    /* The figures of this very graph: another machine that makes another graph is found out. */
    assert_summary(&graph, 0, 268623, 425324, UINT64_C(73274187399));
    graph_free(&graph);
}

static void the_grid_depends_on_its_parameters_alone(void **state)
{
    struct gridgraph_params params = { .columns = 90, .rows = 70, .seed = 7 };
    struct graph a, b, c;
    struct file_error error;

    (void)state;
    assert_true(gridgraph_create(&a, NULL, &params, &error));
    assert_true(gridgraph_create(&b, NULL, &params, &error));
    assert_same_graph(&a, &b);
    params.seed = 8;
    assert_true(gridgraph_create(&c, NULL, &params, &error));
    assert_true(a.arcs != c.arcs || memcmp(a.weight, c.weight, a.arcs * sizeof *a.weight) != 0);
    graph_free(&c);
    graph_free(&b);
    graph_free(&a);
}

static void small_grids_are_connected(void **state)
{
    struct file_error error;

    (void)state;
    for (uint32_t seed = 1; seed <= 200; seed++) {
        struct gridgraph_params params = { 5 + seed % 13, 5 + seed % 11, seed };
        struct graph graph;
        assert_true(gridgraph_create(&graph, NULL, &params, &error));
        assert_true(graph_valid(&graph));
        uint64_t *distance = distances(&graph, seed % graph.nodes);
        assert_int_equal(distance_summary(distance, graph.nodes).reached, graph.nodes);
        /* More than half of all crossings cannot but be the largest part. */
        assert_true(2 * graph.nodes > (uint64_t)params.columns * params.rows);
        free(distance);
        graph_free(&graph);
    }
}

static void the_grid_survives_a_file(void **state)
{
    struct gridgraph_params params = { .columns = 130, .rows = 150, .seed = 3 };
    struct graph graph, again;
    struct file_error error;

    (void)state;
    assert_true(gridgraph_create(&graph, NULL, &params, &error));
    assert_true(graph_write_dimacs(&graph, in_folder("grid.gr"), "a made-up grid", &error));
    assert_true(graph_read(&again, in_folder("grid.gr"), &error));
    assert_same_graph(&graph, &again);
    graph_free(&again);
    graph_free(&graph);
}

static void impossible_grids_are_refused(void **state)
{
    struct gridgraph_params narrow = { .columns = 1 }, wide = { .columns = 30001 };
    struct graph graph;
    struct file_error error;

    (void)state;
    assert_false(gridgraph_create(&graph, NULL, &narrow, &error));
    assert_string_equal(error.text, "grid: 1 by 500 crossings; each side must be 2 to 30000");
    assert_false(gridgraph_create(&graph, NULL, &wide, &error));
}

static void a_kronecker_graph_depends_on_its_parameters_alone(void **state)
{
    const struct kronecker_params params = { .scale = 10 }, large = { .scale = 29 };
    struct graph graph;
    struct file_error error;
    uint64_t most = 0, alone = 0;

    (void)state;
    assert_true(kronecker_create(&graph, &params, &error));
    assert_true(graph_valid(&graph));
    assert_true(graph.nodes == 1024 && graph.arcs == 2 * 16 * 1024);
    for (uint32_t u = 0; u < graph.nodes; u++) {
        const uint64_t arcs = graph.first[u + 1] - graph.first[u];
        most = arcs > most ? arcs : most;
        alone += arcs == 0;
        for (uint64_t i = graph.first[u]; i < graph.first[u + 1]; i++)
            assert_true(graph.weight[i] >= 1 && graph.weight[i] <= 255 &&
                        has_arc(&graph, graph.target[i], u, graph.weight[i]));
    }
    assert_true(most > 500 && alone > 10); /* not spread evenly */
    /* The figures of this very graph. */
    assert_summary(&graph, 0, 877, 349, 45787);
    graph_free(&graph);
    assert_false(kronecker_create(&graph, &large, &error));
    assert_non_null(strstr(error.text, "a scale of 29"));
}

static void memory_running_out_is_an_error(void **state)
{
    struct gridgraph_params params = { .columns = 60, .rows = 60 };
    struct file_error error;
    bool ok = false;
    unsigned nth = 0;

    (void)state;
    while (!ok && nth++ < 100) {
        struct graph graph;
        long live = live_allocations;
        struct coordinates where;
        uint64_t distance[3600];
        allocation_to_fail = nth;
        ok = gridgraph_create(&graph, &where, &params, &error);
        if (ok) {
            ok = dijkstra(distance, &graph, 0, &error);
            coordinates_free(&where);
            graph_free(&graph);
        }
        allocation_to_fail = 0;
        if (!ok)
            assert_non_null(strstr(error.text, "memory is out"));
        assert_int_equal(live_allocations, live);
    }
    assert_true(ok);
    assert_in_range(nth, 10, 99);
}

/* --- real networks --------------------------------------------------------------------------- */

static void read_data(struct graph *graph, const char *name)
{
    const char *data = getenv("CLADE_DATA");
    char path[1024];
    struct file_error error;

    if (!data || !*data) {
        print_message("skipped: CLADE_DATA does not name the folder of real data\n");
        skip();
    }
    snprintf(path, sizeof path, "%s/graphs/%s", data, name);
    if (!graph_read(graph, path, &error))
        fail_msg("%s", error.text);
    assert_true(graph_valid(graph));
}

static void new_york(void **state)
{
    struct graph graph;

    (void)state;
    read_data(&graph, "USA-road-d.NY.gr.gz");
    assert_int_equal(graph.nodes, 264346);
    assert_int_equal(graph.arcs, 730100);
    assert_summary(&graph, 1 - graph.first_id, 264346, 1440081, UINT64_C(186686642878));
    assert_summary(&graph, 100000 - graph.first_id, 264346, 1142706, UINT64_C(130800329807));
    graph_free(&graph);
}

static void florida(void **state)
{
    struct graph graph;

    (void)state;
    read_data(&graph, "FLA.pace.gr.xz");
    assert_int_equal(graph.nodes, 1070376);
    assert_int_equal(graph.arcs, 2 * 1343951);
    assert_summary(&graph, 0, 1070376, 941059, UINT64_C(587822966506));
    graph_free(&graph);
}

static void rome(void **state)
{
    struct graph graph;

    (void)state;
    read_data(&graph, "rome99.gr");
    assert_int_equal(graph.nodes, 3353);
    assert_int_equal(graph.arcs, 8870);
    graph_free(&graph);
}

static void metis_graphs(void **state)
{
    struct graph graph;

    (void)state;
    read_data(&graph, "delaunay_n15.graph");
    assert_int_equal(graph.nodes, 32768);
    assert_int_equal(graph.arcs, 2 * 98274);
    graph_free(&graph);
    read_data(&graph, "rgg_n_2_15_s0.graph");
    assert_int_equal(graph.nodes, 32768);
    assert_int_equal(graph.arcs, 2 * 160240);
    for (uint32_t u = 0; u < graph.nodes; u++)
        for (uint64_t i = graph.first[u]; i < graph.first[u + 1]; i++)
            assert_true(has_arc(&graph, graph.target[i], u, 1));
    graph_free(&graph);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(paths_are_shortest_and_directed),
        cmocka_unit_test(distances_pass_32_bits),
        cmocka_unit_test(a_source_outside_is_refused),
        cmocka_unit_test(random_graphs_agree_with_plain_relaxation),
        cmocka_unit_test(the_grid_is_a_road_network),
        cmocka_unit_test(the_grid_depends_on_its_parameters_alone),
        cmocka_unit_test(small_grids_are_connected),
        cmocka_unit_test(the_grid_survives_a_file),
        cmocka_unit_test(impossible_grids_are_refused),
        cmocka_unit_test(a_kronecker_graph_depends_on_its_parameters_alone),
        cmocka_unit_test(memory_running_out_is_an_error),
        cmocka_unit_test(new_york),
        cmocka_unit_test(florida),
        cmocka_unit_test(rome),
        cmocka_unit_test(metis_graphs),
    };
    return cmocka_run_group_tests_name("dijkstra", tests, folder_setup, folder_teardown);
}

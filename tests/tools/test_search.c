/* SPDX-License-Identifier: Apache-2.0 */
/* Best-first searches on the device: knapsack against dynamic programming, A* against Dijkstra,
 * with heaps too small for them, of either width, on either engine. */
#include "harness/fixture.h"

#include "graph/gridgraph.h"
#include "search/astar.h"
#include "search/knapsack.h"

enum { BATCH = 32 }; /* small, so that small instances take many batches and groups */

static struct knapsack_result solve(struct fixture *f, const struct knapsack *k, bool plain,
                                    const struct knapsack_params *params)
{
    struct knapsack_result result;
    struct knapsack_core core;
    assert_true(knapsack_core_create(&core, k, plain));
    if (!knapsack_solve(&result, f->context, &core, params))
        fail_msg("%s", result.error);
    knapsack_core_free(&core);
    return result;
}

static void assert_optimum(struct fixture *f, const struct knapsack *k, bool plain,
                           const struct knapsack_params *params)
{
    char why[400];
    uint64_t optimum;
    assert_true(knapsack_prove(k, &optimum, why, sizeof why));
    struct knapsack_result result = solve(f, k, plain, params);
    assert_int_equal(result.best, optimum);
    assert_int_equal(result.bound, optimum);
    assert_false(result.stopped);
}

/* Many kinds of instances; `plain` ones have more nodes. */
static void solve_many(struct fixture *f, const struct knapsack_params *params, size_t count)
{
    for (uint64_t seed = 1; seed <= count; seed++) {
        struct knapsack k;
        const uint64_t items = 1 + (f->seed + seed * 7) % 40;
        assert_true(knapsack_generate(&k, items, (enum knapsack_kind)(seed % 3), f->seed + seed));
        k.capacity = k.capacity * (1 + seed % 4) / 2;
        assert_optimum(f, &k, seed % 2, params);
        knapsack_free(&k);
    }
}

static void instances_are_solved_to_the_optimum(void **state)
{
    solve_many(*state, &(struct knapsack_params) { .batch = BATCH }, fixture_scaled(12, 60, 600));
}

static void dominance_changes_no_result(void **state)
{
    solve_many(*state, &(struct knapsack_params) { .batch = BATCH, .no_dominance = true },
               fixture_scaled(6, 30, 300));
}

/* An instance that needs more nodes than the least heap holds: they go to the host and come back.
 */
static void a_heap_that_is_too_small_is_no_failure(void **state)
{
    struct fixture *f = *state;
    struct knapsack_params params = {
        .batch = BATCH, .groups = fixture_is_small() ? 1 : 2, .heap = 1, .no_dominance = true
    };
    struct knapsack k;
    assert_true(fixture_is_small() ? knapsack_generate(&k, 50, KNAPSACK_STRONG, 6)
                                   : knapsack_generate(&k, 60, KNAPSACK_STRONG, 5));
    uint64_t spilled = 0, moved = 0, collected = 0;
    for (int no_gc = 0; no_gc < 2; no_gc++) {
        params.no_gc = no_gc;
        assert_optimum(f, &k, true, &params);
        struct knapsack_result result = solve(f, &k, true, &params);
        spilled += result.spilled;
        moved += result.moved;
        collected += result.collections;
        if (no_gc)
            assert_int_equal(result.collections, 0);
    }
    print_message("spilled %d, moved %d, collections %d\n", (int)spilled, (int)moved,
                  (int)collected);
    assert_true(moved > 0 && collected > 0);
    knapsack_free(&k);
}

static void wide_keys_and_other_engines_find_the_same(void **state)
{
    struct fixture *f = *state;
    if (fixture_is_small()) {
        print_message("skipped: three more variants to compile, under CLADE_TEST_SIZE=normal\n");
        skip();
    }
    solve_many(f, &(struct knapsack_params) { .batch = BATCH, .wide = true }, 20);
    solve_many(f, &(struct knapsack_params) { .batch = BATCH, .engine = CLADE_HEAP_BOTTOM_UP }, 20);
    solve_many(f, &(struct knapsack_params) { .batch = BATCH, .engine = CLADE_HEAP_FRONT }, 20);
    /* Profits and weights that need 64 bits. */
    struct knapsack k;
    assert_true(knapsack_generate(&k, 30, KNAPSACK_WEAK, 9));
    uint64_t optimum = solve(f, &k, true, &(struct knapsack_params) { .batch = BATCH }).best;
    for (uint64_t i = 0; i < k.items; i++) {
        k.profit[i] *= 3000000;
        k.weight[i] *= 4000000;
    }
    k.capacity *= 4000000;
    assert_int_equal(solve(f, &k, true, &(struct knapsack_params) { .batch = BATCH }).best,
                     optimum * 3000000);
    knapsack_free(&k);
}

static void a_search_can_be_stopped(void **state)
{
    struct fixture *f = *state;
    const volatile int stop = 1;
    struct knapsack k;
    struct knapsack_core core;
    assert_true(knapsack_generate(&k, 60, KNAPSACK_STRONG, 5));
    assert_true(knapsack_core_create(&core, &k, true));
    assert_true(core.bound > core.found);
    struct knapsack_result result =
        solve(f, &k, true, &(struct knapsack_params) { .batch = BATCH, .stop = &stop });
    assert_true(result.stopped);
    assert_int_equal(result.best, core.found);
    assert_int_equal(result.bound, core.bound);
    knapsack_core_free(&core);
    knapsack_free(&k);
}

static void assert_way(const struct astar_result *result, const struct astar_problem *problem,
                       uint64_t expected)
{
    const char *why = NULL;
    assert_int_equal(result->length, expected);
    assert_int_equal(result->way == NULL, expected == DISTANCE_NONE);
    if (result->way && !astar_is_way(result, problem, &why))
        fail_msg("%s", why);
    free(result->way);
}

static void find_by_paths(struct fixture *f, const struct astar_problem *problem, uint64_t expected)
{
    struct astar_result result;
    if (!astar_solve_on_host(&result, problem))
        fail_msg("%s", result.error);
    assert_way(&result, problem, expected);
    if (!astar_solve_by_paths(&result, f->context, problem))
        fail_msg("%s", result.error);
    assert_way(&result, problem, expected);
}

/* "There is no way" would be wrong. */
static void a_way_too_long_to_count_is_told(void **state)
{
    struct fixture *f = *state;
    uint64_t first[] = { 0, 1, 2, 2 };
    uint32_t target[] = { 1, 2 }, weight[] = { UINT32_MAX - 1, UINT32_MAX - 1 };
    const uint32_t bounds[] = { 0, 0, 0 };
    const struct graph graph = {
        .nodes = 3, .arcs = 2, .first = first, .target = target, .weight = weight
    };
    const struct astar_problem far = { .graph = &graph, .bounds = bounds, .from = 0, .to = 2 };
    const struct astar_problem near = { .graph = &graph, .bounds = bounds, .from = 0, .to = 1 };
    const struct astar_problem none = { .graph = &graph, .bounds = bounds, .from = 2, .to = 0 };
    struct astar_result result;
    find_by_paths(f, &near, UINT32_MAX - 1);
    find_by_paths(f, &none, DISTANCE_NONE);
    assert_false(astar_solve_by_paths(&result, f->context, &far));
    assert_non_null(strstr(result.error, "32 bits"));
}

static void find_way(struct fixture *f, const struct gridmap *map, uint64_t heap)
{
    const uint32_t goal = map->width * map->height - 1;
    struct astar_params params = { .to = goal, .batch = BATCH, .heap = heap };
    struct astar_result result;
    struct graph graph;
    uint32_t distance;
    assert_true(gridmap_graph(&graph, map));
    assert_true(graph_valid(&graph));
    assert_true(gridmap_distance(map, 0, goal, &distance));
    const uint64_t expected = distance == GRIDMAP_FAR ? DISTANCE_NONE : distance;
    uint32_t *bounds = test_calloc(graph.nodes, sizeof *bounds);
    for (uint64_t cell = 0; cell < graph.nodes; cell++)
        bounds[cell] = gridmap_bound(map, (uint32_t)cell, goal);
    const struct astar_problem problem = { &graph, bounds, 0, goal };
    if (!astar_solve_by_heap(&result, f->context, map, &params))
        fail_msg("%s", result.error);
    assert_way(&result, &problem, expected);
    find_by_paths(f, &problem, expected);
    test_free(bounds);
    graph_free(&graph);
}

static void ways_are_shortest(void **state)
{
    struct fixture *f = *state;
    const size_t count = fixture_scaled(6, 30, 200), most = fixture_scaled(30, 200, 800);
    for (uint64_t seed = 1; seed <= count; seed++) {
        struct gridmap map;
        assert_true(gridmap_generate(&map, 1 + (uint32_t)((seed * 37) % most),
                                     1 + (uint32_t)((seed * 53) % most), (uint32_t)(seed * 7 % 45),
                                     f->seed + seed));
        find_way(f, &map, seed % 2);
        gridmap_free(&map);
    }
}

/* Whatever the coordinates say, bounds fall along no arc by more than its weight. */
static void assert_bounds(const struct graph *graph, const uint32_t *bounds, uint32_t to)
{
    assert_int_equal(bounds[to], 0);
    for (uint64_t u = 0; u < graph->nodes; u++)
        for (uint64_t arc = graph->first[u]; arc < graph->first[u + 1]; arc++)
            assert_true(bounds[u] <= (uint64_t)bounds[graph->target[arc]] + graph->weight[arc]);
}

/* Roads whose crossings lie where they are, and where they are not. */
static void ways_on_roads_are_shortest(void **state)
{
    struct fixture *f = *state;
    struct random random = random_from(f->seed);
    for (uint64_t seed = 1; seed <= fixture_scaled(4, 20, 100); seed++) {
        const struct gridgraph_params params = { 20 + (uint32_t)seed, 30, seed };
        struct file_error error;
        struct graph graph;
        struct coordinates where;
        assert_true(gridgraph_create(&graph, &where, &params, &error));
        const uint32_t from = (uint32_t)random_below(&random, graph.nodes);
        const uint32_t to = (uint32_t)random_below(&random, graph.nodes);
        uint32_t *bounds = test_calloc(graph.nodes, sizeof *bounds);
        uint64_t *distance = test_calloc(graph.nodes, sizeof *distance);
        for (uint64_t u = 0; seed % 4 == 0 && u < graph.nodes; u++)
            where.x[u] = (int32_t)random_below(&random, 1u << 31);
        assert_true(coordinates_bounds(bounds, &graph, &where, from, to));
        assert_bounds(&graph, bounds, to);
        assert_true(from == to || seed % 4 == 0 || bounds[from] > 0);
        assert_true(dijkstra(distance, &graph, from, &error));
        find_by_paths(f, &(struct astar_problem) { &graph, bounds, from, to }, distance[to]);
        test_free(distance);
        test_free(bounds);
        coordinates_free(&where);
        graph_free(&graph);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(instances_are_solved_to_the_optimum),
        cmocka_unit_test(dominance_changes_no_result),
        cmocka_unit_test(a_heap_that_is_too_small_is_no_failure),
        cmocka_unit_test(wide_keys_and_other_engines_find_the_same),
        cmocka_unit_test(a_search_can_be_stopped),
        cmocka_unit_test(ways_are_shortest),
        cmocka_unit_test(ways_on_roads_are_shortest),
        cmocka_unit_test(a_way_too_long_to_count_is_told),
    };
    return fixture_run("search", tests);
}

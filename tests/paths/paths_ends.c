/* SPDX-License-Identifier: Apache-2.0 */
/* clade_paths: searches that end before all nodes are reached: targets, cutoffs, bounds. */
#include "paths/test_paths.h"

/* Lengths up to those of the targets are there; of the others each is right or not there. */
void a_search_ends_at_its_targets(void **state)
{
    struct fixture *f = *state;
    struct random random = random_from(f->seed);
    const uint32_t nodes = fixture_is_interpreted(f) ? 100 : 2000;
    struct opened o =
        open_drawn(f, draw_graph(&random, nodes, 3 * nodes, CLADE_PATHS_U32, SMALL), false, 1);
    for (size_t round = 0; round < fixture_scaled(fixture_launches_slowly(f) ? 3 : 10, 40, 100);
         round++) {
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
        uint64_t last = 0; /* target's length */
        for (uint64_t i = 0; i < count; i++) {
            assert_int_equal(o.got[ends[i]], o.wanted[ends[i]]);
            last = last > o.wanted[ends[i]] ? last : o.wanted[ends[i]];
        }
        for (uint32_t node = 0; node < nodes; node++)
            assert_true(o.got[node] == o.wanted[node] ||
                        (o.got[node] == UINT64_MAX && o.wanted[node] > last));
        assert_forest(&o.drawn, false, o.got, o.predecessors, &source, 1);
    }
    close_drawn(&o);
}

void a_near_target_takes_little_work(void **state)
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

void nothing_beyond_the_cutoff_is_found(void **state)
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
void bounds_lead_to_the_target(void **state)
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

/* The same bounds at the end of a device's array, of which the rest leads nowhere. */
static void lead_from_within(struct fixture *f, struct opened *o, clade_paths_query *query,
                             const uint32_t *bounds, uint32_t nodes)
{
    uint32_t *array = test_calloc(3 * nodes, 4);
    clade_paths_stats led;
    memcpy(array + 2 * nodes, bounds, nodes * sizeof *bounds);
    cl_mem mem = fixture_buffer(f, 3 * nodes * sizeof *array, array);
    query->bounds = clade_device(mem, 2 * nodes * sizeof *array);
    assert_ok(clade_paths_run(o->paths, query, NULL));
    assert_ok(clade_paths_stats_read(o->paths, &led));
    read_result(o);
    assert_true(led.expanded < nodes / 4);
    clReleaseMemObject(mem);
    test_free(array);
}

/* From node AWAY a row of heavy arcs leads to the target, and a row of light ones away from it. As
 * bounds tell so, a search goes only a little way there, however many nodes a round expands. */
void bounds_spare_what_leads_away(void **state)
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
    lead_from_within(f, &o, &query, bounds, NODES);
    assert_true(o.got[end] == AWAY);
    close_drawn(&o);
}

/* A small graph, and the same with each arc turned. From node 2 no way leads to node 1. */
static struct drawn draw_dead_end(bool turned, uint32_t type)
{
    static const uint32_t arcs[][3] = {
        { 0, 1, 2 }, { 0, 2, 10 }, { 0, 3, 5 }, { 3, 2, 1 }, { 3, 1, 100000 }
    };
    enum { ARCS = sizeof arcs / sizeof arcs[0] };
    struct drawn drawn = row_of(4, 1);
    test_free(drawn.targets);
    test_free(drawn.weights);
    drawn.targets = test_calloc(ARCS, 4);
    drawn.weights = test_calloc(ARCS, 4);
    drawn.type = type;
    drawn.arcs = 0;
    for (uint32_t node = 0; node < 4; node++) {
        drawn.offsets[node] = drawn.arcs;
        for (size_t i = 0; i < ARCS; i++)
            if (arcs[i][turned ? 1 : 0] == node) {
                const float weight = (float)arcs[i][2];
                drawn.targets[drawn.arcs] = arcs[i][turned ? 0 : 1];
                if (type == CLADE_PATHS_F32)
                    memcpy(drawn.weights + drawn.arcs, &weight, sizeof weight);
                else
                    drawn.weights[drawn.arcs] = arcs[i][2];
                drawn.arcs++;
            }
    }
    drawn.offsets[4] = drawn.arcs;
    return drawn;
}

/* One with a target and bounds finds the target's length. */
static void search_to_end(struct opened *o, uint32_t source, uint32_t end, const void *bounds)
{
    bool overflow;
    clade_paths_query query = from(&source, 1);
    query.targets = clade_host(&end);
    query.target_count = 1;
    query.bounds = clade_host(bounds);
    dijkstra(&o->drawn, &source, 1, false, o->wanted, &overflow);
    assert_ok(clade_paths_run(o->paths, &query, NULL));
    read_result(o);
    assert_int_equal(o->got[end], o->wanted[end]);
}

/* What a search from the target along turned arcs read are bounds. It did not reach nodes from
 * which no way leads to the target. Those come last, and have no length that is not exact. */
void lengths_from_the_target_are_bounds(void **state)
{
    struct fixture *f = *state;
    const uint32_t source = 0, end = 1;
    for (uint32_t type = CLADE_PATHS_U32; type <= CLADE_PATHS_F32; type++) {
        uint32_t bounds[4];
        struct opened o = open_drawn(f, draw_dead_end(true, type), false, 1);
        clade_paths_query query = from(&end, 1);
        assert_ok(clade_paths_run(o.paths, &query, NULL));
        assert_ok(clade_paths_read(o.paths, clade_host(bounds), clade_no_array(), NULL));
        assert_int_equal(bounds[2], UINT32_MAX);
        close_drawn(&o);
        o = open_drawn(f, draw_dead_end(false, type), false, 1);
        search_to_end(&o, source, end, bounds);
        for (uint32_t node = 0; node < 4; node++)
            assert_true(o.got[node] == UINT64_MAX || o.got[node] == o.wanted[node]);
        close_drawn(&o);
    }
}

enum { FAN = 9, FAN_NODES = 2 * FAN + 4, FAN_ARCS = FAN * FAN + 2 * FAN + 2 };
static const float fan_half = 0.4f; /* of the way from a last one of the fan to the end */

static void add_arc(struct drawn *it, uint32_t target, float weight)
{
    it->targets[it->arcs] = target;
    memcpy(&it->weights[it->arcs++], &weight, sizeof weight);
}

/* From node 0 to 1, which is so far, to each of FAN nodes, from each to each of FAN others, and by
 * one node to the end. Each of the first ones offers a shorter way than the one before it, but to
 * one of the others. */
static struct drawn fan_of(float far)
{
    const uint32_t last = FAN_NODES - 1;
    struct drawn it = { .nodes = FAN_NODES, .type = CLADE_PATHS_F32 };
    it.offsets = test_calloc(FAN_NODES + 1, 4);
    it.targets = test_calloc(FAN_ARCS, 4);
    it.weights = test_calloc(FAN_ARCS, 4);
    for (uint32_t node = 0; node <= last; node++) {
        const bool is_first = node >= 2 && node < 2 + FAN;
        if (node == 0)
            add_arc(&it, 1, far);
        for (uint32_t i = 0; i < FAN && node == 1; i++)
            add_arc(&it, 2 + i, 0);
        for (uint32_t i = 0; i < FAN && is_first; i++)
            add_arc(&it, 2 + FAN + i, (float)(i == 0 ? node - 1 : 2 + FAN - node));
        if (node >= 2 + FAN && node < last)
            add_arc(&it, node + 1 < last ? last - 1 : last, fan_half);
        it.offsets[node + 1] = it.arcs;
    }
    return it;
}

/* In a round more nodes are lowered than the near queue has room for. And lengths are so far from
 * 0 that the sums that order nodes are rounded: there is a length of which a bucket begins after
 * some node and before the one that its length came from. What is found has predecessors. */
void full_queues_do_not_end_a_search(void **state)
{
    struct fixture *f = *state;
    const uint32_t source = 0, end = FAN_NODES - 1;
    float bounds[FAN_NODES];
    for (uint32_t node = 0; node < FAN_NODES; node++)
        bounds[node] = node < 2 + FAN ? 1 + 2 * fan_half : 2 * fan_half;
    bounds[end - 1] = fan_half;
    bounds[end] = 0;
    for (uint32_t more = 0; more < 24; more++) {
        struct opened o = open_drawn(f, fan_of((float)(0x800000 + more)), false, 1);
        search_to_end(&o, source, end, bounds);
        assert_forest(&o.drawn, false, o.got, o.predecessors, &source, 1);
        close_drawn(&o);
    }
}

/* Parts end at targets, and bring sources of their own; the last one leaves nothing out. What is
 * there between two parts is never less than the length. */
void a_search_goes_on_in_parts(void **state)
{
    struct fixture *f = *state;
    struct random random = random_from(f->seed);
    const uint32_t nodes = fixture_is_interpreted(f) ? 100 : 2000;
    struct opened o =
        open_drawn(f, draw_graph(&random, nodes, 3 * nodes, CLADE_PATHS_U32, MANY_ZEROS), false, 1);
    for (size_t round = 0; round < fixture_scaled(3, 20, 50); round++) {
        uint32_t sources[6], ends[6];
        clade_paths_query query = { .part = CLADE_PATHS_FIRST };
        bool overflow;
        draw_sources(&random, sources, 6, nodes);
        draw_sources(&random, ends, 6, nodes);
        dijkstra(&o.drawn, sources, 6, false, o.wanted, &overflow);
        assert_ok(clade_paths_run(o.paths, &query, NULL));
        for (uint32_t part = 0; part < 6; part++) {
            query = from(sources + part, 1);
            query.part = CLADE_PATHS_NEXT;
            query.targets = clade_host(ends + part);
            query.target_count = 1;
            assert_ok(clade_paths_run(o.paths, &query, NULL));
            assert_ok(
                clade_paths_read(o.paths, clade_host(o.predecessors), clade_no_array(), NULL));
            widen(o.got, o.predecessors, nodes, false);
            for (uint32_t node = 0; node < nodes; node++)
                assert_true(o.got[node] >= o.wanted[node]);
        }
        query = (clade_paths_query) { .part = CLADE_PATHS_NEXT };
        assert_ok(clade_paths_run(o.paths, &query, NULL));
        read_result(&o);
        assert_lengths(&o);
        assert_forest(&o.drawn, false, o.got, o.predecessors, sources, 6);
    }
    close_drawn(&o);
}

/* Each part has a cutoff of its own. What one left out for its length, the next ones find. */
void parts_have_cutoffs_of_their_own(void **state)
{
    struct fixture *f = *state;
    struct random random = random_from(f->seed);
    static const uint64_t cutoffs[] = { 5, 1, 1, 12, 12, 9, 40, 7, 0 };
    for (uint32_t round = 0; round < 2; round++) {
        const uint32_t source = 0;
        uint64_t most = 0; /* that was looked for */
        bool overflow;
        struct opened o = open_drawn(
            f, round ? row_of(30, 3) : draw_graph(&random, 200, 600, CLADE_PATHS_U32, SMALL), false,
            1);
        dijkstra(&o.drawn, &source, 1, false, o.wanted, &overflow);
        for (size_t part = 0; part < sizeof cutoffs / sizeof cutoffs[0]; part++) {
            clade_paths_query query = from(&source, part == 0);
            query.part = part == 0 ? CLADE_PATHS_FIRST : CLADE_PATHS_NEXT;
            query.cutoff = cutoffs[part];
            assert_ok(clade_paths_run(o.paths, &query, NULL));
            assert_ok(
                clade_paths_read(o.paths, clade_host(o.predecessors), clade_no_array(), NULL));
            widen(o.got, o.predecessors, o.drawn.nodes, false);
            most = cutoffs[part] > most ? cutoffs[part] : most;
            for (uint32_t node = 0; node < o.drawn.nodes; node++)
                assert_true(
                    o.got[node] ==
                    (o.wanted[node] <= most || cutoffs[part] == 0 ? o.wanted[node] : UINT64_MAX));
        }
        read_result(&o);
        assert_lengths(&o);
        assert_forest(&o.drawn, false, o.got, o.predecessors, &source, 1);
        close_drawn(&o);
    }
}

/* The last part ends at its target, or has a lesser cutoff, when lengths that came from its source
 * have reached few nodes. So others are of a way that is not the shortest any more. */
void predecessors_end_a_search_in_parts(void **state)
{
    struct fixture *f = *state;
    enum { ROW = 60, WEIGHT = 3 };
    const uint32_t sources[] = { 0, 20 };
    bool overflow;
    struct opened o = open_drawn(f, row_of(ROW, WEIGHT), false, 1);
    dijkstra(&o.drawn, sources, 2, false, o.wanted, &overflow);
    for (uint32_t round = 0; round < 2; round++) {
        clade_paths_query query = from(sources, 1);
        query.part = CLADE_PATHS_FIRST;
        assert_ok(clade_paths_run(o.paths, &query, NULL));
        query = from(sources + 1, 1);
        query.part = CLADE_PATHS_NEXT;
        query.targets = round ? clade_no_array() : clade_host(sources + 1);
        query.target_count = !round;
        query.cutoff = round ? WEIGHT : 0;
        assert_ok(clade_paths_run(o.paths, &query, NULL));
        assert_ok(clade_paths_read(o.paths, clade_host(o.predecessors), clade_no_array(), NULL));
        assert_true(o.predecessors[ROW - 1] > o.wanted[ROW - 1]);
        read_result(&o);
        assert_lengths(&o);
        assert_forest(&o.drawn, false, o.got, o.predecessors, sources, 2);
    }
    close_drawn(&o);
}

void what_is_over_does_not_go_on(void **state)
{
    struct fixture *f = *state;
    const uint32_t source = 0;
    struct opened o = open_drawn(f, row_of(10, 1), false, 1);
    clade_paths_query query = from(&source, 1);
    query.part = CLADE_PATHS_NEXT;
    assert_fails(clade_paths_run(o.paths, &query, NULL), CLADE_E_ARG);
    query.part = 0;
    assert_ok(clade_paths_run(o.paths, &query, NULL));
    query.part = CLADE_PATHS_NEXT; /* a whole search took back what was not final */
    assert_fails(clade_paths_run(o.paths, &query, NULL), CLADE_E_ARG);
    assert_message("in parts");
    query.part = CLADE_PATHS_FIRST;
    assert_ok(clade_paths_run(o.paths, &query, NULL));
    read_result(&o); /* with predecessors */
    query.part = CLADE_PATHS_NEXT;
    assert_fails(clade_paths_run(o.paths, &query, NULL), CLADE_E_ARG);
    query.part = CLADE_PATHS_NEXT + 1;
    assert_fails(clade_paths_run(o.paths, &query, NULL), CLADE_E_ARG);
    assert_message("part is 3");
    close_drawn(&o);
}

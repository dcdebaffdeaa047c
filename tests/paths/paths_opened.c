/* SPDX-License-Identifier: Apache-2.0 */
#include "paths/test_paths.h"

clade_graph_params params_of(const struct drawn *drawn)
{
    return (clade_graph_params) { .nodes = drawn->nodes,
                                  .arcs = drawn->arcs,
                                  .offsets = clade_host(drawn->offsets),
                                  .targets = clade_host(drawn->targets),
                                  .weights = clade_host(drawn->weights),
                                  .weight_type = drawn->type };
}

struct opened open_drawn(struct fixture *f, struct drawn drawn, bool wide, uint32_t slots)
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

void close_drawn(struct opened *o)
{
    test_free(o->wanted);
    test_free(o->got);
    test_free(o->predecessors);
    clade_graph_destroy(&o->graph);
    clade_paths_destroy(&o->paths);
    drawn_free(&o->drawn);
}

void widen(uint64_t *out, const void *lengths, uint32_t nodes, bool wide)
{
    for (uint32_t i = 0; i < nodes; i++) {
        uint64_t length = 0;
        memcpy(&length, (const char *)lengths + i * (wide ? 8 : 4), wide ? 8 : 4);
        out[i] = !wide && length == UINT32_MAX ? UINT64_MAX : length;
    }
}

void read_result(struct opened *o)
{
    void *lengths = test_malloc(o->drawn.nodes * (o->wide ? 8u : 4u));
    assert_ok(clade_paths_read(o->paths, clade_host(lengths), clade_host(o->predecessors), NULL));
    widen(o->got, lengths, o->drawn.nodes, o->wide);
    test_free(lengths);
}

clade_paths_query from(const uint32_t *sources, uint64_t count)
{
    return (clade_paths_query) { .sources = clade_host(sources), .source_count = count };
}

void assert_lengths(const struct opened *o)
{
    for (uint32_t node = 0; node < o->drawn.nodes; node++)
        assert_int_equal(o->got[node], o->wanted[node]);
}

void search_and_compare(struct opened *o, const uint32_t *sources, uint64_t count)
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

void draw_sources(struct random *random, uint32_t *sources, uint64_t count, uint32_t nodes)
{
    for (uint64_t i = 0; i < count; i++)
        sources[i] = (uint32_t)random_below(random, nodes);
}

struct drawn row_of(uint32_t nodes, uint32_t weight)
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

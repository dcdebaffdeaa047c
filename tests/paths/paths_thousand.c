/* SPDX-License-Identifier: Apache-2.0 */
/* clade_paths: many small graphs in one, searched at once. */
#include "paths/test_paths.h"

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

void a_thousand_graphs_at_once(void **state)
{
    struct fixture *f = *state;
    for (uint32_t weights = 0; weights < WEIGHTS; weights++) {
        compare_many(f, CLADE_PATHS_U32, false, (enum weights)weights);
        compare_many(f, CLADE_PATHS_F32, false, (enum weights)weights);
        if (f->caps->int64_atomics)
            compare_many(f, CLADE_PATHS_U32, true, (enum weights)weights);
    }
}

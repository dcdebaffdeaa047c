/* SPDX-License-Identifier: Apache-2.0 */
/* The shortest paths' part of `clade selftest`. */
#include "selftest/selftest.h"

enum { SIDE = 24, NODES = SIDE * SIDE, ARCS = 4 * NODES };

static uint32_t offsets[NODES + 1], targets[ARCS], weights[ARCS], lengths[NODES], before[NODES];

/* Streets of a town: to the east they take 1, to the west 2, to the south 3, to the north 4. */
static uint32_t draw_town(void)
{
    uint32_t arcs = 0;
    for (uint32_t node = 0; node < NODES; node++) {
        const uint32_t x = node % SIDE, y = node / SIDE;
        const bool there[4] = { x + 1 < SIDE, x > 0, y + 1 < SIDE, y > 0 };
        const uint32_t to[4] = { node + 1, node - 1, node + SIDE, node - SIDE };
        for (uint32_t i = 0; i < 4; i++) {
            if (there[i]) {
                targets[arcs] = to[i];
                weights[arcs++] = i + 1;
            }
        }
        offsets[node + 1] = arcs;
    }
    return arcs;
}

/* From the north-western corner, and the way to the opposite one. */
static bool is_right(clade_paths *paths)
{
    static uint32_t way[NODES];
    uint64_t nodes = 0;
    bool right = selftest_fine("paths", clade_paths_read(paths, clade_host(lengths),
                                                         clade_host(before), NULL)) &&
                 selftest_fine("paths", clade_paths_trace(paths, NODES - 1, way, NODES, &nodes)) &&
                 nodes == 2 * SIDE - 1 && way[0] == 0 && way[nodes - 1] == NODES - 1 &&
                 before[0] == CLADE_PATHS_NONE;
    for (uint32_t node = 0; right && node < NODES; node++)
        right = lengths[node] == node % SIDE + 3 * (node / SIDE);
    return right;
}

bool selftest_paths(clade_context *context)
{
    const uint32_t source = 0, arcs = draw_town();
    const clade_graph_params params = { .nodes = NODES,
                                        .arcs = arcs,
                                        .offsets = clade_host(offsets),
                                        .targets = clade_host(targets),
                                        .weights = clade_host(weights) };
    const clade_paths_query query = { .sources = clade_host(&source), .source_count = 1 };
    clade_graph *graph = NULL;
    clade_paths *paths = NULL;
    const bool right =
        selftest_fine("paths", clade_graph_create(&graph, context, &params)) &&
        selftest_fine("paths", clade_paths_create(&paths, graph, &(clade_paths_params) { 0 })) &&
        selftest_fine("paths", clade_paths_run(paths, &query, NULL)) && is_right(paths);
    clade_paths_destroy(&paths);
    clade_graph_destroy(&graph);
    return right;
}

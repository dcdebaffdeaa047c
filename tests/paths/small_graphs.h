/* SPDX-License-Identifier: Apache-2.0 */
/* Small graphs for searches on host threads, laid out by hand, and their lengths. Include the
 * device headers after vectors.h and before this. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

enum { NODES = 40, ARCS = 5 * NODES, FAR_ROOM = 3, RING_ROOM = 2 };
enum { ENTRIES = 2 * NODES + 2 * FAR_ROOM + CLADE_PATHS_RING * RING_ROOM };
enum { SLOT_WORDS = 64 + 2 * NODES + 2 * ENTRIES + NODES, LINES = (SLOT_WORDS + 15) / 16 };

/* As in a buffer, words follow the head. */
struct graph_memory {
    clade_graph_head head;
    uint offsets[(NODES + 2) / 2 * 2]; /* an even number: arcs of two words follow */
    uint arcs[ARCS][2];
};

static uint draw_from(uint *state, uint below)
{
    *state = *state * 1664525u + 1013904223u;
    return (uint)((uint64_t)(*state >> 4) * below >> 28);
}

/* Weights of which some are 0, some equal, some so far apart that the far pile has them. */
static uint draw_weight(uint *state, uint kind)
{
    switch (kind) {
    case 0:
        return draw_from(state, 2);
    case 1:
        return draw_from(state, 100);
    case 2:
        return draw_from(state, 4) ? 1 + draw_from(state, 3) : draw_from(state, 100000);
    default:
        return 5;
    }
}

/* Nodes have less than `degree` arcs each, as long as there is room. */
static void draw_graph(struct graph_memory *g, uint *state, uint degree)
{
    /* The layout is that of exactly NODES nodes; those behind `used` have no arcs. */
    const uint used = 1 + draw_from(state, NODES), kind = draw_from(state, 4);
    uint arcs = 0;
    *g = (struct graph_memory) { .head.nodes = NODES };
    g->head.object.shape = CLADE_GRAPH_SHAPE(CLADE_PATHS_U32);
    for (uint node = 0; node < NODES; node++) {
        for (uint i = node < used ? draw_from(state, degree) : 0; i > 0 && arcs < ARCS;
             i--, arcs++) {
            g->arcs[arcs][0] = draw_from(state, used);
            g->arcs[arcs][1] = draw_weight(state, kind);
        }
        g->offsets[node + 1] = arcs;
    }
    g->offsets[NODES + 1] = UINT32_MAX; /* nobody reads the word that fills the line */
    g->head.arcs = arcs;
}

/* Bellman and Ford's; without sums that do not fit. */
static void find_lengths(const struct graph_memory *g, uint source, uint *length)
{
    bool fell = true;
    memset(length, 0xff, NODES * sizeof *length);
    length[source] = 0;
    while (fell) {
        fell = false;
        for (uint node = 0; node < NODES; node++)
            for (uint arc = g->offsets[node]; arc < g->offsets[node + 1]; arc++) {
                const uint to = g->arcs[arc][0], sum = length[node] + g->arcs[arc][1];
                if (length[node] != UINT32_MAX && sum >= length[node] && sum < length[to]) {
                    length[to] = sum;
                    fell = true;
                }
            }
    }
}

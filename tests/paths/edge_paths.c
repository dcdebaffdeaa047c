/* SPDX-License-Identifier: Apache-2.0 */
/* The kernels for drivers that leave long loops (cl/kernels/paths_mend.cl), by one item: a search
 * of which labels are taken away again. What the look at all arcs counts and marks is compared with
 * a count of its own; then the search goes on to the right lengths, and a second look finds
 * nothing. So for rows of a table. */
#include "host/device.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "paths/vectors.h"

#include "clade/paths.clh"

#undef __kernel
#define __kernel static
#include "kernels/paths_mend.cl"

#include "paths/small_graphs.h"

enum { ROUNDS = 300, ROWS = 3, BEYOND = 5 };

static struct {
    clade_paths_head head;
    uint slot[LINES * 16];
} paths;
static struct graph_memory graph;
static clade_paths_scratch scratch;
static uint wrong, bounds[NODES + 1], wanted[NODES];
static const uint none = 0xffffffffu;

static void expect(bool holds, const char *what, uint seed)
{
    if (!holds && wrong++ < 8)
        printf("seed %u: %s\n", seed, what);
}

static void make_paths(uint *state)
{
    memset(&paths, 0, sizeof paths);
    memset(paths.slot, 0x5a, sizeof paths.slot);
    paths.head.object.shape = CLADE_PATHS_SHAPE(CLADE_PATHS_U32);
    paths.head.nodes = NODES;
    paths.head.slots = 1;
    paths.head.slot_lines = LINES;
    paths.head.near_room = NODES;
    paths.head.far_room = FAR_ROOM;
    paths.head.ring_room = RING_ROOM;
    paths.head.scale = 1.0f / (float)(1u << draw_from(state, 8));
    for (uint node = 0; node <= NODES; node++)
        bounds[node] = draw_from(state, 200);
}

static uint bucket_of(uint node, uint length, bool has_bounds)
{
    return (uint)((float)(length + (has_bounds ? bounds[1 + node] : 0)) * paths.head.scale);
}

/* Whether a look must count the arc from `node`. */
static bool is_left(const uint *label, uint node, uint arc, bool has_bounds, uint cutoff)
{
    const clade_paths_slot *slot = (const clade_paths_slot *)paths.slot;
    const uint sum = label[node] + graph.arcs[arc][1];
    return label[node] != none && bucket_of(node, label[node], has_bounds) < slot->settled &&
           sum <= cutoff && sum < label[graph.arcs[arc][0]];
}

static void look(bool has_bounds, uint cutoff, uint seed)
{
    uint *label = paths.slot + sizeof(clade_paths_slot) / 4, *done = label + NODES;
    uint left = 0, marked[NODES] = { 0 };
    for (uint node = 0; node < NODES; node++)
        for (uint arc = graph.offsets[node]; arc < graph.offsets[node + 1]; arc++)
            marked[node] += is_left(label, node, arc, has_bounds, cutoff);
    paths.head.left = 0;
    for (uint node = 0; node < NODES; node++)
        done[node] = label[node];
    for (uint i = 0; i < graph.head.arcs + BEYOND; i++) {
        shim_self = (struct shim_item) { .global_id = i, .local_size = 1, .groups = 1 };
        clade_paths_mend(&paths.head, &graph.head, bounds, 1, has_bounds, cutoff);
    }
    for (uint node = 0; node < NODES; node++) {
        left += marked[node];
        expect(done[node] == (marked[node] ? none : label[node]), "another node waits", seed);
    }
    expect(paths.head.left == left, "another number of arcs", seed);
}

/* From the labels as they are to the end. Items beyond the first do nothing. */
static void go_on(uint seed)
{
    clade_paths_slot *slot = (clade_paths_slot *)paths.slot;
    const cladei_paths_targets targets = { NULL, 0 };
    const uint rounds = slot->rounds, rebuilds = slot->rebuilds, expanded = slot->expanded;
    cladei_paths_piece p;
    slot->overflow = 1;
    for (uint item = 2; item-- > 0;) {
        shim_self = (struct shim_item) { .global_id = item, .local_size = 1, .groups = 1 };
        clade_paths_again(&paths.head, &graph.head);
        expect(item == 0 || slot->step == CLADE_PATHS_DONE, "an item more began again", seed);
    }
    expect(slot->step == CLADE_PATHS_EXPAND && slot->lost == 0 && slot->far_least == none &&
               slot->settled == 0,
           "it did not begin again", seed);
    expect(slot->rounds == rounds && slot->rebuilds == rebuilds && slot->expanded == expanded &&
               slot->overflow == 1,
           "counts were not kept", seed);
    slot->overflow = 0;
    cladei_paths_open(&p, &paths.head, &graph.head, 0);
    expect(cladei_paths_go_wg(&scratch, &p, &targets, 100000), "it does not end", seed);
}

static void run_round(uint seed)
{
    uint state = seed;
    uint *label = paths.slot + sizeof(clade_paths_slot) / 4;
    clade_paths_slot *slot = (clade_paths_slot *)paths.slot;
    draw_graph(&graph, &state, 9);
    make_paths(&state);
    const uint source = draw_from(&state, NODES);
    find_lengths(&graph, source, wanted);
    shim_self = (struct shim_item) { .local_size = 1, .groups = 1 };
    expect(clade_paths_run_wg(&paths.head, &graph.head, 0, source, 100000, &scratch) == CLADE_OK,
           "a search failed", seed);
    look(false, none - 1, seed);
    for (uint i = draw_from(&state, 6); i > 0; i--) { /* taken away, or longer than it need be */
        const uint node = draw_from(&state, NODES);
        if (node != source && label[node] != none)
            label[node] = i % 2 ? none : label[node] + 1000;
    }
    slot->settled = draw_from(&state, 2) ? 1 + draw_from(&state, 20) : none;
    look(draw_from(&state, 2) != 0, draw_from(&state, 2) ? draw_from(&state, 150) : none - 1, seed);
    slot->settled = none;
    look(false, none - 1, seed);
    go_on(seed);
    expect(memcmp(label, wanted, sizeof wanted) == 0, "another length", seed);
}

/* Rows of a table, behind one that is another's. */
static void look_at_rows(uint seed)
{
    static uint rows[NODES + (ROWS + 1) * NODES], sources[2 + ROWS];
    uint state = seed, left = 0, lacking = 0; /* a bit for each row */
    draw_graph(&graph, &state, 4);
    if (graph.head.arcs == 0)
        return;
    for (uint i = draw_from(&state, 3); i > 0; i--) /* sums that do not fit */
        graph.arcs[draw_from(&state, graph.head.arcs)][1] = none - draw_from(&state, 100);
    for (uint row = 0; row < ROWS; row++) {
        uint *its = rows + (row + 1) * NODES;
        const uint source = draw_from(&state, NODES);
        sources[2 + row] = draw_from(&state, 5) ? source : NODES; /* which is none */
        find_lengths(&graph, source, its);
        for (uint i = draw_from(&state, 3); i > 0; i--)
            its[draw_from(&state, 3) ? draw_from(&state, NODES) : source] = none;
        left += sources[2 + row] == source && its[source] != 0;
        for (uint node = 0; node < NODES; node++)
            for (uint arc = graph.offsets[node]; arc < graph.offsets[node + 1]; arc++) {
                const uint to = graph.arcs[arc][0];
                const ulong sum = (ulong)its[node] + graph.arcs[arc][1];
                left += its[node] != none && sum < its[to];
                lacking |= its[node] != none && its[to] == none && sum >= none ? 1u << row : 0u;
            }
    }
    for (uint node = 0; node < NODES; node++) /* a row too many, in which much is left */
        rows[(ROWS + 1) * NODES + node] = node % 2 ? none : 0;
    paths.head.left = 0;
    for (uint i = 0; i < (ROWS + 1) * graph.head.arcs; i++) {
        shim_self = (struct shim_item) { .global_id = i, .local_size = 1, .groups = 1 };
        clade_paths_rows_look(&paths.head, &graph.head, sources, 2, rows, NODES, ROWS);
    }
    expect(paths.head.left == left, "another number of arcs of rows", seed);
    expect((int)paths.head.object.first_error == (lacking ? CLADE_E_FULL : 0) &&
               (!lacking || (lacking >> paths.head.object.first_error_item & 1u)),
           "another row lacks a length", seed);
    paths.head.object.first_error = 0;
}

int main(void)
{
    const uint base = shim_seed();
    for (uint i = 0; i < ROUNDS; i++) {
        run_round(base + i * 7919u);
        look_at_rows(base + i * 104729u);
    }
    printf("paths that are mended: %d rounds from seed %u, %u wrong\n", ROUNDS, base, wrong);
    return wrong != 0;
}

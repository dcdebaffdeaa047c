/* SPDX-License-Identifier: Apache-2.0 */
/* paths.clh on host threads: groups that search on one graph at the same time, each in a slot of
 * its own, with queues that are far too small. Each length is compared with Dijkstra's; the
 * sanitizers see what the items of a group do to each other's words.
 *
 *   host_paths [ROUNDS]     CLADE_TEST_SEED as in the other tests
 *
 * Each bug planted by -DCLADE_PLANT_NAME must make it fail (tests/paths/meson.build has the names).
 */
#include "host/device.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    uint x, y;
} uint2;
#define rotate(x, n) ((x) << ((n) % 32u) | (x) >> ((32u - (n) % 32u) % 32u))

#include "clade/paths.clh"

enum { NODES = 40, ARCS = 5 * NODES, SLOTS = 2, ITEMS = 4, FAR_ROOM = 3, RING_ROOM = 2 };
enum { ENTRIES = 2 * NODES + 2 * FAR_ROOM + CLADE_PATHS_RING * RING_ROOM };
enum { SLOT_WORDS = 64 + 2 * NODES + 2 * ENTRIES + NODES, LINES = (SLOT_WORDS + 15) / 16 };

/* The objects, laid out by hand; as in a buffer, words follow the heads. */
struct graph_memory {
    clade_graph_head head;
    uint offsets[(NODES + 2) / 2 * 2]; /* an even number: arcs of two words follow */
    uint arcs[ARCS][2];
};
struct paths_memory {
    clade_paths_head head;
    uint slots[SLOTS][LINES * 16];
};

struct job {
    struct graph_memory graph;
    struct paths_memory paths;
    uint sources[SLOTS];
    int status[SLOTS];
};

static void run_item(void *argument, void *local)
{
    struct job *job = argument;
    const uint slot = (uint)get_group_id(0);
    const int status = clade_paths_run_wg(&job->paths.head, &job->graph.head, slot,
                                          job->sources[slot], 100000, local);
    if (get_local_id(0) == 0)
        job->status[slot] = status;
}

static uint draw(uint *state, uint below)
{
    *state = *state * 1664525u + 1013904223u;
    return (uint)((uint64_t)(*state >> 4) * below >> 28);
}

/* Weights of which some are 0, some equal, some so far apart that the far pile has them. */
static uint draw_weight(uint *state, uint kind)
{
    switch (kind) {
    case 0:
        return draw(state, 2);
    case 1:
        return draw(state, 100);
    case 2:
        return draw(state, 4) ? 1 + draw(state, 3) : draw(state, 100000);
    default:
        return 5;
    }
}

static void draw_graph(struct graph_memory *g, uint *state)
{
    /* The layout is that of exactly NODES nodes; those behind `used` have no arcs. */
    const uint used = 1 + draw(state, NODES), kind = draw(state, 4);
    uint arcs = 0;
    *g = (struct graph_memory) { .head.nodes = NODES };
    g->head.object.shape = CLADE_GRAPH_SHAPE(CLADE_PATHS_U32);
    for (uint node = 0; node < NODES; node++) {
        for (uint i = node < used ? draw(state, 6) : 0; i > 0 && arcs < ARCS; i--, arcs++) {
            g->arcs[arcs][0] = draw(state, used);
            g->arcs[arcs][1] = draw_weight(state, kind);
        }
        g->offsets[node + 1] = arcs;
    }
    g->head.arcs = arcs;
}

static void make_paths(struct paths_memory *p, uint *state)
{
    *p = (struct paths_memory) { .head = { .nodes = NODES,
                                           .slots = SLOTS,
                                           .slot_lines = LINES,
                                           .near_room = NODES,
                                           .far_room = FAR_ROOM,
                                           .ring_room = RING_ROOM,
                                           .scale = 1.0f / (float)(1u << draw(state, 8)) } };
    p->head.object.shape = CLADE_PATHS_SHAPE(CLADE_PATHS_U32);
    memset(p->slots, 0x5a, sizeof p->slots);
}

/* Bellman and Ford's. */
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
                if (length[node] != UINT32_MAX && sum < length[to]) {
                    length[to] = sum;
                    fell = true;
                }
            }
    }
}

static int compare(struct job *job, uint slot, uint seed)
{
    uint wanted[NODES];
    find_lengths(&job->graph, job->sources[slot], wanted);
    for (uint node = 0; node < NODES; node++) {
        const uint got = clade_paths_length_wi(&job->paths.head, slot, node);
        if (job->status[slot] == CLADE_OK && got == wanted[node])
            continue;
        printf("seed %u, slot %u: status %d, node %u has length %u, not %u\n", seed, slot,
               job->status[slot], node, got, wanted[node]);
        return 1;
    }
    return 0;
}

static int run_round(struct job *job, uint seed)
{
    uint state = seed;
    int failed = 0;
    draw_graph(&job->graph, &state);
    make_paths(&job->paths, &state);
    for (uint slot = 0; slot < SLOTS; slot++)
        job->sources[slot] = draw(&state, NODES);
    shim_launch(run_item, job, SLOTS, ITEMS, sizeof(clade_paths_scratch));
    for (uint slot = 0; slot < SLOTS; slot++)
        failed += compare(job, slot, seed);
    return failed;
}

int main(int argc, char **argv)
{
    const uint base = shim_seed(), rounds = shim_rounds(argc, argv, 400);
    struct job *job = aligned_alloc(64, (sizeof *job + 63) / 64 * 64);
    int failed = 0;
    for (uint i = 0; job && i < rounds && failed == 0; i++)
        failed += run_round(job, base + i * 7919u);
    printf("paths: %u rounds from seed %u, %d failed\n", rounds, base, failed);
    free(job);
    return failed != 0 || !job;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* paths.clh on host threads: groups that search on one graph at the same time, each in a slot of
 * its own, with queues that are far too small. Each length is compared with Dijkstra's; the
 * sanitizers see what the items of a group do to each other's words. In some graphs sums do not
 * fit: all items must be told whether a node has no length by that. When the call returns, its
 * local memory is the caller's again: who comes back first writes there.
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

#include "paths/vectors.h"

#include "clade/paths.clh"

#include "paths/small_graphs.h"

enum { SLOTS = 2, ITEMS = 4 };

/* The objects, laid out by hand; as in a buffer, words follow the heads. */
struct paths_memory {
    clade_paths_head head;
    uint slots[SLOTS][LINES * 16];
};

static uint full; /* searches in which a node had no length since that did not fit */

struct job {
    struct graph_memory graph;
    struct paths_memory paths;
    uint sources[SLOTS];
    int status[SLOTS][ITEMS];
};

static void run_item(void *argument, void *local)
{
    struct job *job = argument;
    const uint slot = (uint)get_group_id(0);
    job->status[slot][get_local_id(0)] = clade_paths_run_wg(
        &job->paths.head, &job->graph.head, slot, job->sources[slot], 100000, local);
    if (get_local_id(0) == 0)
        memset(local, 0x5a, sizeof(clade_paths_scratch));
}

static void make_paths(struct paths_memory *p, uint *state)
{
    *p = (struct paths_memory) { .head = { .nodes = NODES,
                                           .slots = SLOTS,
                                           .slot_lines = LINES,
                                           .near_room = NODES,
                                           .far_room = FAR_ROOM,
                                           .ring_room = RING_ROOM,
                                           .scale = 1.0f / (float)(1u << draw_from(state, 8)) } };
    p->head.object.shape = CLADE_PATHS_SHAPE(CLADE_PATHS_U32);
    memset(p->slots, 0x5a, sizeof p->slots);
}

/* Heavy arcs, of which no two fit into a length. */
static void make_heavy(struct graph_memory *g, uint *state)
{
    for (uint arc = 0; arc < g->head.arcs; arc++)
        g->arcs[arc][1] += draw_from(state, 2) ? 0x90000000u : 0u;
}

/* Whether an arc leads from a node with a length to one without. */
static bool lacks_one(const struct graph_memory *g, const uint *length)
{
    for (uint node = 0; node < NODES; node++)
        for (uint arc = g->offsets[node]; arc < g->offsets[node + 1]; arc++)
            if (length[node] != UINT32_MAX && length[g->arcs[arc][0]] == UINT32_MAX)
                return true;
    return false;
}

static int compare(struct job *job, uint slot, uint seed)
{
    uint wanted[NODES];
    int failed = 0;
    find_lengths(&job->graph, job->sources[slot], wanted);
    const int status = lacks_one(&job->graph, wanted) ? CLADE_E_FULL : CLADE_OK;
    full += status == CLADE_E_FULL;
    for (uint item = 0; item < ITEMS && !failed; item++)
        if (job->status[slot][item] != status && ++failed)
            printf("seed %u, slot %u, item %u: status %d, not %d\n", seed, slot, item,
                   job->status[slot][item], status);
    for (uint node = 0; node < NODES && !failed; node++) {
        const uint got = clade_paths_length_wi(&job->paths.head, slot, node);
        if (got != wanted[node] && ++failed)
            printf("seed %u, slot %u: node %u has length %u, not %u\n", seed, slot, node, got,
                   wanted[node]);
    }
    return failed;
}

static int run_round(struct job *job, uint seed)
{
    uint state = seed;
    int failed = 0;
    draw_graph(&job->graph, &state, 6);
    if (seed % 4 == 0)
        make_heavy(&job->graph, &state);
    make_paths(&job->paths, &state);
    for (uint slot = 0; slot < SLOTS; slot++)
        job->sources[slot] = draw_from(&state, NODES);
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
    if (job && failed == 0 && rounds >= 100 && full == 0)
        failed += printf("no sum was too large: this test does not see what it should\n");
    printf("paths: %u rounds from seed %u, %u without a length, %d failed\n", rounds, base, full,
           failed);
    free(job);
    return failed != 0 || !job;
}

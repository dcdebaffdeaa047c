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

#include "paths/vectors.h"

#include "clade/paths.clh"

#include "paths/small_graphs.h"

enum { SLOTS = 2, ITEMS = 4 };

/* The objects, laid out by hand; as in a buffer, words follow the heads. */
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
    draw_graph(&job->graph, &state, 6);
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
    printf("paths: %u rounds from seed %u, %d failed\n", rounds, base, failed);
    free(job);
    return failed != 0 || !job;
}

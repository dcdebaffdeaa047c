/* SPDX-License-Identifier: Apache-2.0 */
/* A search by many groups (cl/clade/paths/many.clh) on host threads: waits that end and waits that
 * are given up, queues and buffers that are far too small, nodes in pieces, targets. Each length is
 * compared with Bellman and Ford's; the sanitizers see what groups do to each other's words.
 *
 *   host_paths_many [ROUNDS]     CLADE_TEST_SEED as in the other tests */
/* In a copy of the search's words a group often loses its core. */
#define SHIM_YIELD 7
#include "host/device.h"
#include "host/pause.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "paths/vectors.h"

static uint wait_looks, hops;
#define CLADE_PATHS_WAIT      wait_looks
#define CLADE_PATHS_HOPS      hops
#define CLADE_PATHS_OWN       2u
#define CLADE_PATHS_BUFFER    4u
#define CLADE_PATHS_ENOUGH    4u
#define CLADE_PATHS_PIECE     2u
#define CLADE_PATHS_MANY_ARCS 3u

#include "clade/paths.clh"
#include "clade/paths/many.clh"

/* The kernel that folds is one group's: its local memory may be anybody's. */
#undef __local
#undef __kernel
#define __local  static
#define __kernel static
#include "kernels/paths_many.cl"
#undef __local
#define __local

#include "paths/small_graphs.h"

enum { ITEMS = 2, GROUPS_MOST = 3 };

/* The objects, laid out by hand; as in a buffer, words follow the heads. */
struct paths_memory {
    clade_paths_head head;
    uint slot[LINES * 16];
    uint shared[CLADE_PATHS_SHARED_WORDS];
    uint heavy[ARCS][2];
};
struct local_memory {
    clade_paths_scratch scratch;
    clade_paths_gathered gathered;
};

struct job {
    struct graph_memory graph;
    struct paths_memory paths;
    uint source, targets[3], target_count;
    uint groups, rounds, meets;
    uint is_first;
};

static void run_item(void *argument, void *local)
{
    struct job *job = argument;
    struct local_memory *its = local;
    clade_paths_head *head = &job->paths.head;
    const cladei_paths_targets targets = { job->targets, job->target_count };
    cladei_paths_all all = { clade_paths_words(head), (uint)get_group_id(0),
                             (uint)get_num_groups(0), 0 };
    cladei_paths_piece p;
    cladei_paths_open(&p, head, &job->graph.head, 0);
    p.heavy = (uint2 *)((uint *)all.words + CLADE_PATHS_SHARED_WORDS);
    cladei_paths_go_many(&its->scratch, &its->gathered, &p, &targets, &all, job->rounds,
                         job->meets != 0);
}

static void fold_item(void *argument, void *local)
{
    struct job *job = argument;
    (void)local;
    clade_paths_fold(&job->paths.head, &job->graph.head, job->is_first);
}

static void begin_item(void *argument, void *local)
{
    struct job *job = argument;
    cladei_paths_piece p;
    (void)local;
    cladei_paths_open(&p, &job->paths.head, &job->graph.head, 0);
    cladei_paths_begin_wg(&p);
    if (get_local_id(0) == 0)
        cladei_paths_source_wi(&p, job->source);
}

static void make_paths(struct paths_memory *p, uint *state)
{
    const uint widest = draw_from(state, 2) != 0 ? 8 : 18; /* in the wide ones a group hops */
    *p = (struct paths_memory) { .head = { .nodes = NODES,
                                           .slots = 1,
                                           .slot_lines = LINES,
                                           .near_room = NODES,
                                           .far_room = FAR_ROOM,
                                           .ring_room = RING_ROOM,
                                           .heavy_room = ARCS,
                                           .scale =
                                               1.0f / (float)(1u << draw_from(state, widest)) } };
    p->head.object.shape = CLADE_PATHS_SHAPE(CLADE_PATHS_U32);
    p->head.shared_at = (uint)(offsetof(struct paths_memory, shared) / 64);
    memset(p->slot, 0x5a, sizeof p->slot);
    memset(p->shared, 0x5a, sizeof p->shared);
    memset(p->heavy, 0x5a, sizeof p->heavy);
}

/* Labels in buckets below `settled` are final, and there are no shorter paths. */
static int compare(struct job *job, uint seed)
{
    uint wanted[NODES];
    const clade_paths_slot *slot = (const clade_paths_slot *)job->paths.slot;
    const uint *label = job->paths.slot + sizeof *slot / 4;
    find_lengths(&job->graph, job->source, wanted);
    for (uint node = 0; node < NODES; node++) {
        const bool is_final =
            cladei_length_bucket(wanted[node], job->paths.head.scale) < slot->settled ||
            slot->settled == CLADE_PATHS_NONE;
        if (is_final ? label[node] == wanted[node] : label[node] >= wanted[node])
            continue;
        printf("seed %u: node %u has length %u, not %u\n", seed, node, label[node], wanted[node]);
        return 1;
    }
    for (uint i = 0; i < job->target_count; i++)
        if (label[job->targets[i]] != wanted[job->targets[i]]) {
            printf("seed %u: target %u has length %u, not %u\n", seed, job->targets[i],
                   label[job->targets[i]], wanted[job->targets[i]]);
            return 1;
        }
    return 0;
}

/* Launches, with meetings and without, until the search is done; each does a round at least. */
static int search(struct job *job, uint *state, uint seed)
{
    const clade_paths_slot *slot = (const clade_paths_slot *)job->paths.slot;
    uint before = 0;
    shim_launch(begin_item, job, 1, ITEMS, 8);
    job->is_first = 1;
    shim_launch(fold_item, job, 1, ITEMS, 8);
    job->is_first = 0;
    while (slot->step != CLADE_PATHS_DONE) {
        before = slot->rounds;
        job->meets = draw_from(state, 4) != 0;
        job->rounds = 1 + draw_from(state, 50);
        wait_looks = draw_from(state, 2) != 0 ? 100000u : draw_from(state, 30);
        shim_launch(run_item, job, job->groups, ITEMS, sizeof(struct local_memory));
        shim_launch(fold_item, job, 1, ITEMS, 8);
        if (slot->rounds == before) {
            printf("seed %u: a launch did no round\n", seed);
            return 1;
        }
    }
    return 0;
}

static int run_round(struct job *job, uint seed)
{
    uint state = seed;
    draw_graph(&job->graph, &state, 9);
    make_paths(&job->paths, &state);
    job->source = draw_from(&state, NODES);
    job->target_count = draw_from(&state, 4);
    for (uint i = 0; i < job->target_count; i++)
        job->targets[i] = draw_from(&state, NODES);
    job->groups = 1 + draw_from(&state, GROUPS_MOST);
    hops = 1 + draw_from(&state, 5);
    return search(job, &state, seed) != 0 || compare(job, seed) != 0;
}

int main(int argc, char **argv)
{
    const uint base = shim_seed(), rounds = shim_rounds(argc, argv, 200);
    struct job *job = aligned_alloc(64, (sizeof *job + 63) / 64 * 64);
    int failed = 0;
    for (uint i = 0; job && i < rounds && failed == 0; i++) {
        alarm(15); /* items that part at a barrier wait for ever: a round takes milliseconds */
        failed += run_round(job, base + i * 7919u);
    }
    printf("paths of many groups: %u rounds from seed %u, %d failed\n", rounds, base, failed);
    free(job);
    return failed != 0 || !job;
}

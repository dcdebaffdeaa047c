/* SPDX-License-Identifier: Apache-2.0 */
/* many.clh: groups of one item that do one search together, in a graph of six nodes. All that they
 * share is looked at for data races: labels, entries, pieces of nodes, the meetings' words. Waits
 * end soon or are given up. What a launch leaves goes on, one group alone, to the right lengths. */
#include "relacy/device.h"

#include <math.h>

#include "paths/vectors.h"

static uint wait_looks;
#define CLADE_PATHS_WAIT      wait_looks
#define CLADE_PATHS_BUFFER    2u
#define CLADE_PATHS_ENOUGH    3u
#define CLADE_PATHS_PIECE     1u
#define CLADE_PATHS_MANY_ARCS 2u

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

enum { NODES = 6, ARCS = 9, ROOM = 6, GROUPS = 3 };
enum { ENTRIES = 4 * ROOM + CLADE_PATHS_RING * ROOM };
enum { SLOT_WORDS = 64 + 2 * NODES + 2 * ENTRIES + NODES, LINES = (SLOT_WORDS + 15) / 16 };

/* As in buffers, words follow the heads. */
static struct {
    clade_graph_head graph;
    uint offsets[(NODES + 2) / 2 * 2];
    uint arcs[ARCS][2];
} g;
static _Alignas(64) struct {
    clade_paths_head head;
    uint slot[LINES * 16];
    uint shared[CLADE_PATHS_SHARED_WORDS];
    uint heavy[ARCS][2];
} object;

/* Node 3 is first reached by 9, then by 4; nodes 0 and 3 are cut into pieces. */
static const uint ways[ARCS][3] = { { 0, 1, 1 }, { 0, 2, 2 }, { 0, 3, 9 }, { 1, 3, 3 }, { 2, 3, 3 },
                                    { 3, 4, 1 }, { 3, 5, 7 }, { 3, 0, 0 }, { 4, 5, 1 } };
static const uint lengths[NODES] = { 0, 1, 2, 4, 5, 6 };

static struct {
    clade_paths_scratch scratch;
    clade_paths_gathered gathered;
} local[GROUPS];
static uint groups, targets[1] = { 5 }, target_count;

static void make_graph(void)
{
    g.graph.object.shape = CLADE_GRAPH_SHAPE(CLADE_PATHS_U32);
    g.graph.nodes = NODES;
    g.graph.arcs = ARCS;
    for (uint i = 0; i < ARCS; i++) {
        g.offsets[ways[i][0] + 1u] = i + 1u;
        g.arcs[i][0] = ways[i][1];
        g.arcs[i][1] = ways[i][2];
    }
    for (uint node = 1; node <= NODES; node++)
        g.offsets[node] = max(g.offsets[node], g.offsets[node - 1]);
}

static cladei_paths_piece open(void)
{
    cladei_paths_piece p;
    cladei_paths_open(&p, &object.head, &g.graph, 0);
    p.heavy = (uint2 *)object.heavy;
    return p;
}

void weak_setup(void)
{
    object.head = (clade_paths_head) { .nodes = NODES,
                                       .slots = 1,
                                       .slot_lines = LINES,
                                       .near_room = ROOM,
                                       .far_room = ROOM,
                                       .ring_room = ROOM,
                                       .heavy_room = ARCS,
                                       .scale = 0.5f };
    object.head.object.shape = CLADE_PATHS_SHAPE(CLADE_PATHS_U32);
    object.head.shared_at = (uint)(((char *)object.shared - (char *)&object) / 64);
    make_graph();
    const cladei_paths_piece p = open();
    cladei_paths_begin_wg(&p);
    cladei_paths_source_wi(&p, 0);
    clade_paths_fold(&object.head, &g.graph, 1);
    weak_share(&object, sizeof object, "paths");
}

static void launch(uint me, uint members, uint rounds, bool meets)
{
    const cladei_paths_piece p = open();
    const cladei_paths_targets its = { targets, target_count };
    cladei_paths_all all = { clade_paths_words(&object.head), me, members, 0 };
    cladei_paths_go_many(&local[me].scratch, &local[me].gathered, &p, &its, &all, rounds, meets);
}

/* Rounds of one group more, until the search is done. */
static const char *end(void)
{
    const clade_paths_slot *slot = (const clade_paths_slot *)object.slot;
    const uint *label = object.slot + sizeof *slot / 4;
    const uint at_least = slot->rounds + 1u;
    uint before;
    clade_paths_fold(&object.head, &g.graph, 0);
    if (slot->rounds < at_least)
        return "a launch did no round";
    for (uint i = 0; i < 50 && slot->step != CLADE_PATHS_DONE; i++) {
        before = slot->rounds;
        launch(0, 1, 4, true);
        clade_paths_fold(&object.head, &g.graph, 0);
        if (slot->rounds == before)
            return "a launch did no round";
    }
    if (slot->step != CLADE_PATHS_DONE)
        return "the search does not end";
    for (uint node = 0; node < NODES; node++)
        if (label[node] != lengths[node])
            return "a length is wrong";
    return NULL;
}

static void all_wait(void)
{
    groups = 2;
    wait_looks = 400;
    target_count = 0;
}

static void two_go_on(uint me)
{
    launch(me, groups, 8, true);
}

static void some_give_up(void)
{
    all_wait();
    wait_looks = 2;
    target_count = 1;
}

static void three(void)
{
    all_wait();
    groups = 3;
    wait_looks = 3;
}

static void nobody_waits(uint me)
{
    launch(me, groups, 1, false);
}

const weak_world weak_worlds[] = {
    { "paths: two groups do eight rounds", 2, all_wait, two_go_on, end, 600, 0 },
    { "paths: two groups that give up soon", 2, some_give_up, two_go_on, end, 1000, 0 },
    { "paths: three groups", 3, three, two_go_on, end, 400, 0 },
    { "paths: nobody waits", 2, all_wait, nobody_waits, end, 300, 0 },
    { 0 },
};

const weak_needed weak_needed_orders[] = {
    { "cladei_paths_arrive_wi", "add_acq_rel" },
    { "cladei_paths_arrive_wi", "load_acquire" },
    { 0 },
};

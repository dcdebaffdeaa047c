/* SPDX-License-Identifier: Apache-2.0 */
/* Searches by one item at the ends of what numbers can be: the last arcs that a graph may have, in
 * the largest steps of a group and in pieces of a node. A graph of so many arcs is not there: its
 * first ones are left out, and nobody may touch them. */
#include "host/device.h"

#include <math.h>

#include "paths/vectors.h"

#include "clade/paths.clh"
#include "clade/paths/many.clh"
#undef min
#undef max

#include "edges/edge.h"

#define CHECK(holds) expect((holds), #holds, __LINE__, 0)

enum { NODES = 8, ARCS = 7, WORDS = 64 };

static clade_u32 labels[NODES], done[NODES], lengths[WORDS], entries[WORDS];
static clade_u32 offsets[NODES + 1];
static uint2 arcs[ARCS]; /* from node 0 to each of the others, of weight 5 */
static clade_paths_scratch scratch;
static cladei_paths_piece piece;

static void make(void)
{
    const clade_u32 first = CLADE_GRAPH_ARCS_MAX - ARCS;
    memset(labels, 0xff, sizeof labels);
    memset(done, 0xff, sizeof done);
    scratch = (clade_paths_scratch) { .slot.window = CLADE_PATHS_RING };
    for (clade_u32 i = 0; i < ARCS; i++)
        arcs[i] = (uint2) { i + 1u, 5u };
    offsets[0] = first;
    for (clade_u32 node = 1; node <= NODES; node++)
        offsets[node] = CLADE_GRAPH_ARCS_MAX;
    labels[0] = 0;
    piece = (cladei_paths_piece) { .label = (volatile cladei_length_word *)labels,
                                   .done = done,
                                   .lengths = lengths,
                                   .entries = entries,
                                   .offsets = offsets,
                                   .arcs = (const uint2 *)((uintptr_t)arcs - 8ul * first),
                                   .nodes = NODES,
                                   .near_room = NODES,
                                   .cutoff = CLADEI_LENGTH_NONE - 1u,
                                   .scale = 1e-9f };
    shim_self = (struct shim_item) { .local_size = 1, .groups = 1 };
}

/* Whether just the first so many targets have their length. */
static void are_lowered(clade_u32 most)
{
    for (clade_u32 node = 1; node < NODES; node++)
        expect(labels[node] == (node <= most ? 5u : CLADEI_LENGTH_NONE), "label", node,
               labels[node]);
    expect(clade_load_local(&scratch.slot.near_count[1]) == most, "pushes", most, 0);
}

static void the_last_arcs_there_can_be(void)
{
    for (clade_u32 step = 1; step * CLADE_PATHS_BATCH <= 65536u; step *= 16u) {
        make();
        for (clade_u32 lane = 0; lane < step && lane < ARCS; lane++)
            cladei_paths_relax_wi(&scratch, &piece, offsets[0] + lane, offsets[1], step, 0);
        are_lowered(ARCS);
    }
}

static void the_last_arcs_of_a_share(void)
{
    static clade_paths_gathered gathered;
    static clade_u32 shared[CLADE_PATHS_SHARED_WORDS];
    const cladei_paths_hop hop = { false, 0, 0 };
    for (clade_u32 step = 1; step * CLADE_PATHS_BATCH <= 65536u; step *= 16u) {
        make();
        gathered = (clade_paths_gathered) { .target_node = CLADE_PATHS_NONE };
        for (clade_u32 lane = 0; lane < step && lane < ARCS; lane++)
            cladei_paths_relax_shared_wi(&scratch, &gathered, &piece, (clade_global_word)shared,
                                         &hop, offsets[0] + lane, offsets[1], step, 0, true);
        for (clade_u32 i = 0; i < ARCS; i++)
            expect(labels[i + 1u] == 5u && gathered.node[i] == i + 1u, "a push", i,
                   gathered.node[i]);
        expect(clade_load_local(&gathered.count) == ARCS, "gathered", step, 0);
    }
}

static void a_piece_ends_with_its_node(void)
{
    uint2 heavy[1];
    cladei_paths_task task;
    make();
    piece.heavy = heavy;
    done[0] = 0;
    cladei_paths_put_cut_wi(&piece, 0, 0);
    task = cladei_paths_piece_task_wi(&piece, 0);
    expect(task.first == offsets[0] && task.end == offsets[1], "piece", task.first, task.end);
}

int main(void)
{
    the_last_arcs_there_can_be();
    the_last_arcs_of_a_share();
    a_piece_ends_with_its_node();
    printf("paths: %u wrong\n", wrong);
    return wrong != 0;
}

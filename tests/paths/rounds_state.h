/* SPDX-License-Identifier: Apache-2.0 */
/* A search between two launches, taken out of its memory, and what holds of it whoever did the last
 * round: P2 and P3 of docs/inside/paths.md, and that the arcs of each node that was expanded have
 * been relaxed. Include the device headers and small_graphs.h first. */
#pragma once

#include "edges/edge.h"

/* Queues in which something waits: a row of the ring for each of its buckets, then these. */
enum { NEAR = CLADE_PATHS_RING, FAR, QUEUES };
static const uint none = CLADE_PATHS_NONE;

struct paths_memory {
    clade_paths_head head;
    uint slot[LINES * 16];
    uint shared[CLADE_PATHS_SHARED_WORDS];
    uint heavy[ARCS][2];
};

static struct graph_memory graph;
static struct paths_memory paths;
static uint source, *targets, target_count, bounds[NODES], cutoff;
static bool has_bounds, is_shared; /* whether groups do the search together */

struct state {
    clade_paths_slot slot;
    uint label[NODES], done[NODES], node[ENTRIES], length[ENTRIES], heavy[ARCS][2];
};

static uint least(uint a, uint b)
{
    return a < b ? a : b;
}

static uint room_of(uint queue)
{
    return queue == NEAR  ? paths.head.near_room
           : queue == FAR ? paths.head.far_room
                          : paths.head.ring_room;
}

/* Where near queue or far pile `which`, or a row of the ring, begins. */
static uint begin_of(uint queue, uint which)
{
    const uint near = 2 * paths.head.near_room, far = 2 * paths.head.far_room;
    return queue == NEAR  ? which * paths.head.near_room
           : queue == FAR ? near + which * paths.head.far_room
                          : near + far + queue * paths.head.ring_room;
}

/* Of near queues and far piles the one that is written. */
static uint first_of(const struct state *s, uint queue)
{
    return begin_of(queue, queue == NEAR ? 1 - s->slot.near_at : 1 - s->slot.far_at);
}

static uint pushes_of(const struct state *s, uint queue)
{
    return queue == NEAR  ? (uint)s->slot.near_count[1 - s->slot.near_at]
           : queue == FAR ? (uint)s->slot.far_count[1 - s->slot.far_at]
                          : (uint)s->slot.ring_count[queue];
}

static uint count_of(const struct state *s, uint queue)
{
    return least(pushes_of(s, queue), room_of(queue));
}

static void look(struct state *s)
{
    const uint entries = begin_of(CLADE_PATHS_RING - 1, 0) + paths.head.ring_room;
    const uint *words = paths.slot + sizeof s->slot / 4;
    memcpy(&s->slot, paths.slot, sizeof s->slot);
    memcpy(s->label, words, sizeof s->label);
    memcpy(s->done, words + NODES, sizeof s->done);
    memcpy(s->length, words + 2 * NODES, entries * sizeof(uint));
    memcpy(s->node, words + 2 * NODES + entries, entries * sizeof(uint));
    memcpy(s->heavy, paths.heavy, sizeof s->heavy);
}

static uint bucket_of(uint node, uint length)
{
    const uint bound = has_bounds ? bounds[node] : 0;
    const uint sum = length + bound < length ? none : length + bound;
    const float units = (float)sum * paths.head.scale;
    return units > 4.0e9f ? 4000000000u : (uint)units;
}

static uint sum_of(uint length, uint weight)
{
    return length + weight < length ? none : length + weight;
}

static uint arcs_of(uint node)
{
    return graph.offsets[node + 1] - graph.offsets[node];
}

/* Whether the arc is in a piece that waits. */
static bool is_in_a_piece(const struct state *s, uint node, uint arc)
{
    for (uint i = 0; i < s->slot.heavy; i++)
        if (s->heavy[i][0] == node && arc - s->heavy[i][1] < CLADE_PATHS_PIECE)
            return true;
    return false;
}

/* P2. */
static void waiting_nodes_have_entries(const struct state *s)
{
    bool waits[NODES] = { 0 };
    for (uint queue = 0; queue < QUEUES; queue++)
        for (uint i = 0; i < count_of(s, queue); i++) {
            const uint at = first_of(s, queue) + i, node = s->node[at];
            expect(node < NODES, "an entry that is no node", queue, node);
            if (node < NODES && s->length[at] == s->label[node]) {
                expect(!waits[node], "a length that waits twice", node, queue);
                waits[node] = true;
            }
        }
    for (uint node = 0; node < NODES; node++)
        if (s->label[node] < s->done[node] && !waits[node])
            expect(s->slot.lost <= bucket_of(node, s->label[node]), "nobody knows that it waits",
                   node, s->label[node]);
}

/* P3. */
static void entries_are_where_they_belong(const struct state *s)
{
    for (uint queue = 0; queue < QUEUES; queue++) {
        for (uint i = 0; i < count_of(s, queue); i++) {
            const uint at = first_of(s, queue) + i, bucket = bucket_of(s->node[at], s->length[at]);
            const bool is_late = bucket > s->slot.bucket;
            expect(queue == NEAR  ? !is_late
                   : queue == FAR ? is_late && bucket >= s->slot.far_least
                                  : is_late && bucket % CLADE_PATHS_RING == queue &&
                                        bucket - s->slot.bucket <= CLADE_PATHS_RING,
                   "an entry in another queue", queue, bucket);
            expect(s->length[at] >= s->label[s->node[at]], "a length that no label had", queue, i);
        }
        if (queue < NEAR)
            expect((s->slot.ring_used >> queue & 1u) == (pushes_of(s, queue) != 0), "a bit", queue,
                   s->slot.ring_used);
    }
}

static void arcs_of_expanded_nodes_are_relaxed(const struct state *s)
{
    for (uint node = 0; node < NODES; node++)
        for (uint arc = graph.offsets[node]; arc < graph.offsets[node + 1]; arc++) {
            const uint sum = sum_of(s->label[node], graph.arcs[arc][1]);
            if (s->label[node] == none || s->label[node] != s->done[node] || sum == none ||
                sum > cutoff || is_in_a_piece(s, node, arc))
                continue;
            expect(s->label[graph.arcs[arc][0]] <= sum, "an arc that was left out", node, arc);
        }
}

/* What a plan of many groups goes by: the bucket of the next target, when it was looked at. */
static void the_target_is_known(const struct state *s)
{
    if (!is_shared || s->slot.target >= target_count || s->slot.target_seen != s->slot.target + 1)
        return;
    const uint node = targets[s->slot.target], label = s->label[node];
    expect(s->slot.target_bucket == (label == none ? none : bucket_of(node, label)),
           "a target's bucket", s->slot.target_bucket, node);
}

static void check_state(const struct state *s)
{
    waiting_nodes_have_entries(s);
    if (s->slot.step != CLADE_PATHS_DONE)
        entries_are_where_they_belong(s);
    arcs_of_expanded_nodes_are_relaxed(s);
    the_target_is_known(s);
}

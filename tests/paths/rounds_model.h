/* SPDX-License-Identifier: Apache-2.0 */
/* A model of one round: what it is to do, by the words before it, and what may have come of that.
 * In which order a round's items do their work is chance. So labels may fall to different lengths
 * on their way, and each may leave an entry; all else is exact. */
#pragma once

#include "paths/rounds_state.h"

struct plan {
    struct state before;
    clade_paths_slot slot;        /* its words, as they are when the round begins */
    uint kept[QUEUES];            /* entries that stay where they are */
    uint total, entries[ENTRIES]; /* places of those that the round reads */
    uint enough, reach;
};

static uint next_of_ring(const struct plan *plan)
{
    uint next = none;
    for (uint row = 0; row < CLADE_PATHS_RING; row++)
        if (plan->kept[row] != 0) {
            const uint at = first_of(&plan->before, row);
            next = least(next, bucket_of(plan->before.node[at], plan->before.length[at]));
        }
    return next;
}

static uint target_of(const struct plan *plan)
{
    const uint at = plan->slot.target,
               label = at < target_count ? plan->before.label[targets[at]] : none;
    return label == none ? none : bucket_of(targets[at], label);
}

static void reads(struct plan *plan, uint begin, uint count)
{
    for (uint i = 0; i < count; i++)
        plan->entries[plan->total++] = begin + i;
}

/* Rows of the ring join the round, until it has enough. What else it is to do, if so. */
static uint fill(struct plan *plan)
{
    clade_paths_slot *slot = &plan->slot;
    const uint far = slot->far_least, lost = slot->lost;
    uint rows = 0;
    while (plan->total < plan->enough) {
        const uint ring = next_of_ring(plan), next = least(ring, least(far, lost));
        const uint target = target_of(plan);
        if (target <= slot->bucket && plan->total != 0)
            return CLADE_PATHS_EXPAND;
        if (target <= slot->bucket && target < next && lost > slot->bucket) {
            if (++slot->target == target_count) {
                slot->settled = next;
                return CLADE_PATHS_DONE;
            }
            if (is_shared)
                return CLADE_PATHS_LOOK_AT;
            continue;
        }
        if (next == none)
            return CLADE_PATHS_EXPAND;
        if (lost == next)
            return plan->total != 0 ? CLADE_PATHS_EXPAND : CLADE_PATHS_REBUILD;
        if (far <= ring)
            return rows != 0 ? CLADE_PATHS_EXPAND : CLADE_PATHS_SPREAD;
        reads(plan, first_of(&plan->before, ring % CLADE_PATHS_RING),
              plan->kept[ring % CLADE_PATHS_RING]);
        plan->kept[ring % CLADE_PATHS_RING] = 0;
        slot->bucket = ring;
        if (rows++ == 0)
            slot->window = ring + CLADE_PATHS_RING;
    }
    return CLADE_PATHS_EXPAND;
}

static void plan_expand(struct plan *plan)
{
    clade_paths_slot *slot = &plan->slot;
    const uint next = least(next_of_ring(plan), least(slot->far_least, slot->lost));
    const uint target = target_of(plan);
    slot->near_at = 1 - slot->near_at;
    plan->kept[NEAR] = 0;
    if (plan->total < plan->enough && next > slot->bucket && target > slot->bucket)
        slot->bucket = least(slot->bucket + plan->reach, least(next - 1, target));
}

static void plan_spread(struct plan *plan)
{
    clade_paths_slot *slot = &plan->slot;
    plan->total = 0;
    reads(plan, first_of(&plan->before, FAR), plan->kept[FAR]);
    plan->kept[FAR] = 0;
    slot->far_at = 1 - slot->far_at;
    slot->bucket = slot->far_least - 1;
    slot->window = slot->far_least + CLADE_PATHS_RING;
    slot->far_least = none;
}

static void plan_rebuild(struct plan *plan)
{
    clade_paths_slot *slot = &plan->slot;
    memset(plan->kept, 0, sizeof plan->kept);
    slot->rebuilds++;
    if (slot->bucket < slot->lost)
        slot->bucket = slot->lost;
    slot->window = slot->bucket + 1 + CLADE_PATHS_RING;
    slot->far_least = slot->lost = none;
}

static void plan_look(struct plan *plan)
{
    clade_paths_slot *slot = &plan->slot;
    slot->target_bucket = target_of(plan);
    slot->target_seen = slot->target < target_count ? slot->target + 1 : 0;
}

static void plan_round(struct plan *plan, const struct state *before)
{
    clade_paths_slot *slot = &plan->slot;
    plan->before = *before;
    *slot = before->slot;
    plan->total = 0;
    for (uint queue = 0; queue < QUEUES; queue++)
        plan->kept[queue] = count_of(before, queue);
    slot->rounds++;
    if (slot->heavy != 0) {
        slot->step = CLADE_PATHS_HEAVY;
        slot->heavy = 0;
        return;
    }
    slot->window = slot->bucket + 1 + CLADE_PATHS_RING;
    slot->step = CLADE_PATHS_LOOK_AT;
    if (!is_shared || slot->target >= target_count || slot->target_seen == slot->target + 1) {
        reads(plan, first_of(before, NEAR), plan->kept[NEAR]);
        slot->step = fill(plan);
    }
    if (slot->step == CLADE_PATHS_EXPAND && plan->total == 0) {
        slot->step = CLADE_PATHS_DONE;
        slot->settled = none;
    } else if (slot->step == CLADE_PATHS_EXPAND)
        plan_expand(plan);
    else if (slot->step == CLADE_PATHS_SPREAD)
        plan_spread(plan);
    else if (slot->step == CLADE_PATHS_REBUILD)
        plan_rebuild(plan);
    else if (slot->step == CLADE_PATHS_LOOK_AT)
        plan_look(plan);
}

/* --- what came of it ---------------------------------------------------------------------------
 */

static uint queue_of(const clade_paths_slot *slot, uint bucket)
{
    return bucket <= slot->bucket ? NEAR : bucket >= slot->window ? FAR : bucket % CLADE_PATHS_RING;
}

#define SAME(word) expect(slot->word == plan->slot.word, #word, slot->word, plan->slot.word)
static void words_are_planned(const struct plan *plan, const struct state *after)
{
    const clade_paths_slot *slot = &after->slot, *before = &plan->before.slot;
    const uint read_near = slot->near_at & 1, read_far = slot->far_at & 1;
    SAME(step);
    SAME(bucket);
    SAME(window);
    SAME(near_at);
    SAME(far_at);
    SAME(target);
    SAME(rounds);
    SAME(rebuilds);
    SAME(settled);
    SAME(row);
    SAME(target_seen);
    if (slot->step == CLADE_PATHS_LOOK_AT || slot->target_seen == 0)
        SAME(target_bucket);
    if (slot->step == CLADE_PATHS_REBUILD) /* all is forgotten */
        return;
    expect(slot->near_count[read_near] == before->near_count[read_near], "what was near",
           slot->near_count[read_near], before->near_count[read_near]);
    expect(slot->far_count[read_far] == before->far_count[read_far], "what was far",
           slot->far_count[read_far], before->far_count[read_far]);
}

static void entries_are_kept(const struct plan *plan, const struct state *after)
{
    for (uint queue = 0; queue < QUEUES; queue++) {
        const uint at = first_of(after, queue);
        expect(count_of(after, queue) >= plan->kept[queue], "fewer entries", queue,
               pushes_of(after, queue));
        expect(!is_shared || pushes_of(after, queue) <= room_of(queue), "a count above the room",
               queue, pushes_of(after, queue));
        for (uint i = at; i < at + plan->kept[queue]; i++)
            expect(after->node[i] == plan->before.node[i] &&
                       after->length[i] == plan->before.length[i],
                   "an entry that was there", queue, i - at);
    }
}

/* Whether this entry came in this round; at which place of its queue, or NONE. */
static uint place_of(const struct plan *plan, const struct state *after, uint queue, uint node,
                     uint length)
{
    for (uint i = plan->kept[queue]; i < count_of(after, queue); i++) {
        const uint at = first_of(after, queue) + i;
        if (after->node[at] == node && after->length[at] == length)
            return i;
    }
    return none;
}

/* A round that sorts: these nodes were put where they belong, as far as there was room. */
static void are_sorted(const struct plan *plan, const struct state *after, const bool *goes)
{
    uint offered[QUEUES] = { 0 }, far = plan->slot.far_least, lost = plan->slot.lost;
    for (uint node = 0; node < NODES; node++) {
        const uint label = after->label[node], bucket = bucket_of(node, label);
        const uint queue = queue_of(&plan->slot, bucket);
        if (!goes[node])
            continue;
        offered[queue]++;
        const bool has_room = place_of(plan, after, queue, node, label) != none;
        lost = has_room ? lost : least(lost, bucket);
        if (queue == FAR && (has_room || is_shared))
            far = least(far, bucket);
    }
    for (uint queue = 0; queue < QUEUES; queue++) {
        const uint all = plan->kept[queue] + offered[queue];
        expect(count_of(after, queue) == least(all, room_of(queue)), "entries of a queue", queue,
               count_of(after, queue));
    }
    expect(after->slot.far_least == far, "the least of the far pile", after->slot.far_least, far);
    expect(after->slot.lost == lost, "the least that was lost", after->slot.lost, lost);
}

static void check_sort(const struct plan *plan, const struct state *after)
{
    bool goes[NODES] = { 0 };
    if (plan->slot.step == CLADE_PATHS_REBUILD)
        for (uint node = 0; node < NODES; node++)
            goes[node] = after->label[node] < after->done[node];
    else if (plan->slot.step == CLADE_PATHS_SPREAD)
        for (uint i = 0; i < plan->total; i++) {
            const uint at = plan->entries[i], node = plan->before.node[at];
            goes[node] |= plan->before.length[at] == after->label[node];
        }
    are_sorted(plan, after, goes);
    expect(memcmp(after->label, plan->before.label, sizeof after->label) == 0, "labels", 0, 0);
    expect(memcmp(after->done, plan->before.done, sizeof after->done) == 0, "what is done", 0, 0);
    expect(after->slot.expanded == plan->slot.expanded, "a count of expanded nodes",
           after->slot.expanded, plan->slot.expanded);
    expect(after->slot.overflow == plan->slot.overflow, "an overflow", after->slot.overflow, 0);
    expect(after->slot.heavy == 0, "pieces", after->slot.heavy, 0);
}

/* Each entry that came is of a label that fell, and none came twice. What found no room is told by
 * the queue that is full. */
static void entries_are_falls(const struct plan *plan, const struct state *after)
{
    const uint lost = after->slot.lost;
    uint far = plan->slot.far_least;
    for (uint queue = 0; queue < QUEUES; queue++)
        for (uint i = plan->kept[queue]; i < count_of(after, queue); i++) {
            const uint at = first_of(after, queue) + i, node = after->node[at];
            const uint length = after->length[at], bucket = bucket_of(node, length);
            expect(length < plan->before.label[node] && length >= after->label[node],
                   "an entry of no fall", node, length);
            expect(place_of(plan, after, queue, node, length) == i, "an entry twice", node, length);
            expect(queue_of(&plan->slot, bucket) == queue, "a queue", queue, bucket);
            if (queue == FAR)
                far = least(far, bucket);
        }
    expect(lost <= plan->slot.lost, "what was lost before", lost, plan->slot.lost);
    if (lost < plan->slot.lost) {
        const uint queue = queue_of(&plan->slot, lost);
        expect(count_of(after, queue) == room_of(queue), "lost, though there is room", queue, lost);
    }
    expect(after->slot.far_least == far ||
               (is_shared && after->slot.far_least < far && after->slot.far_least >= lost),
           "the least of the far pile", after->slot.far_least, far);
}

/* Nodes with many arcs that were expanded wait in pieces, each once; no others do. */
static void pieces_are_all(const struct plan *plan, const struct state *after)
{
    uint wanted = 0;
    for (uint node = 0; node < NODES; node++) {
        const bool is_cut = is_shared && after->done[node] < plan->before.done[node] &&
                            arcs_of(node) > CLADE_PATHS_MANY_ARCS;
        for (uint arc = 0; is_cut && arc < arcs_of(node); arc += CLADE_PATHS_PIECE) {
            uint found = 0;
            for (uint i = 0; i < after->slot.heavy; i++)
                found +=
                    after->heavy[i][0] == node && after->heavy[i][1] == graph.offsets[node] + arc;
            expect(found == 1, "a piece", node, arc);
            wanted++;
        }
    }
    expect(after->slot.heavy == wanted, "pieces", after->slot.heavy, wanted);
}

/* Whether an arc that was relaxed for sure, or one that may have been, has a sum that does not fit.
 * A node that is expanded had some length between its two labels. */
static bool overflows(const struct plan *plan, const struct state *after, bool is_sure)
{
    for (uint node = 0; node < NODES; node++)
        for (uint arc = graph.offsets[node]; arc < graph.offsets[node + 1]; arc++) {
            const uint weight = graph.arcs[arc][1], before = plan->before.label[node];
            const bool is_new = after->done[node] < plan->before.done[node] &&
                                after->label[node] == after->done[node] &&
                                !is_in_a_piece(after, node, arc);
            if (is_sure ? is_new && sum_of(after->label[node], weight) == none
                        : after->label[node] != none &&
                              sum_of(before == none ? none - 1 : before, weight) == none)
                return true;
        }
    return false;
}

/* How many nodes were expanded: those that are done anew at least; without hops at most those whose
 * entries were current when the round began. */
static void expanded_nodes_are_counted(const struct plan *plan, const struct state *after,
                                       bool may_hop)
{
    const uint count = after->slot.expanded - plan->slot.expanded;
    uint sure = 0, most = 0;
    bool is_current[NODES] = { 0 };
    for (uint i = 0; i < plan->total; i++) {
        const uint at = plan->entries[i], node = plan->before.node[at];
        is_current[node] |= plan->before.length[at] == plan->before.label[node];
    }
    for (uint node = 0; node < NODES; node++) {
        const bool is_new = after->done[node] < plan->before.done[node];
        sure += is_new || (is_current[node] && after->label[node] == plan->before.label[node]);
        most += is_current[node];
        expect(!is_current[node] || is_new || after->label[node] < plan->before.label[node],
               "an entry that was not expanded", node, after->label[node]);
        expect(!is_new || is_current[node] || may_hop, "expanded without an entry", node, count);
        expect(after->done[node] >= after->label[node] &&
                   after->done[node] <= plan->before.done[node],
               "what is done", node, after->done[node]);
    }
    expect(count >= sure && (may_hop || count <= most), "a count of expanded nodes", count, sure);
}

/* Whether the round may have gone along this arc with a label that makes its target's `length`. */
static bool may_give(const struct plan *plan, const struct state *after, uint node, uint arc,
                     uint length, bool may_hop)
{
    const uint before = plan->before.label[node], was = length - graph.arcs[arc][1];
    bool is_begun = false;
    if (length < graph.arcs[arc][1])
        return false;
    if (plan->slot.step == CLADE_PATHS_HEAVY)
        return was == before && was == plan->before.done[node] &&
               is_in_a_piece(&plan->before, node, arc);
    for (uint i = 0; i < plan->total; i++)
        is_begun |= plan->before.node[plan->entries[i]] == node &&
                    plan->before.length[plan->entries[i]] == before;
    if (is_shared && arcs_of(node) > CLADE_PATHS_MANY_ARCS)
        return false;
    return (is_begun && was == before) || (may_hop && was < before && was >= after->label[node] &&
                                           bucket_of(node, was) <= plan->slot.bucket);
}

static void lengths_are_sums(const struct plan *plan, const struct state *after, bool may_hop)
{
    for (uint to = 0; to < NODES; to++) {
        bool is_sum = after->label[to] == plan->before.label[to];
        for (uint node = 0; node < NODES && !is_sum; node++)
            for (uint arc = graph.offsets[node]; arc < graph.offsets[node + 1]; arc++)
                is_sum |= graph.arcs[arc][0] == to &&
                          may_give(plan, after, node, arc, after->label[to], may_hop);
        expect(is_sum, "a label that no arc gave", to, after->label[to]);
    }
}

static void check_expand(const struct plan *plan, const struct state *after, bool may_hop)
{
    entries_are_falls(plan, after);
    lengths_are_sums(plan, after, may_hop);
    for (uint node = 0; node < NODES; node++)
        expect(after->label[node] == plan->before.label[node] ||
                   (after->label[node] < plan->before.label[node] && after->label[node] <= cutoff),
               "a label", node, after->label[node]);
    if (plan->slot.step == CLADE_PATHS_EXPAND) {
        pieces_are_all(plan, after);
        expanded_nodes_are_counted(plan, after, may_hop);
    } else {
        expect(after->slot.expanded == plan->slot.expanded, "a count of expanded nodes",
               after->slot.expanded, plan->slot.expanded);
        expect(after->slot.heavy == 0, "pieces that are left", after->slot.heavy, 0);
        expect(memcmp(after->done, plan->before.done, sizeof after->done) == 0, "done anew", 0, 0);
    }
    expect(after->slot.overflow <= 1 && after->slot.overflow >= plan->slot.overflow,
           "a word for overflows", after->slot.overflow, 0);
    expect(after->slot.overflow != 0 || !overflows(plan, after, true), "an overflow", 0, 0);
    expect(after->slot.overflow == plan->slot.overflow || overflows(plan, after, false),
           "no overflow", 0, 0);
}

/* `may_hop`: whether groups may have expanded what they pushed. */
static void check_round(const struct plan *plan, const struct state *after, bool may_hop)
{
    words_are_planned(plan, after);
    entries_are_kept(plan, after);
    if (wrong != 0)
        return;
    if (plan->slot.step == CLADE_PATHS_EXPAND || plan->slot.step == CLADE_PATHS_HEAVY)
        check_expand(plan, after, may_hop);
    else
        check_sort(plan, after);
}

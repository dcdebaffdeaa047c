/* SPDX-License-Identifier: Apache-2.0 */
/* 0/1 knapsack by branch and bound. Launched by `clade knapsack`; docs/guide/knapsack.md has the
 * search.
 *
 * A node is (level, room): items before `level` are decided, `room` is what they leave. Its key in
 * the max-heap is its gain in the upper bits, its level in the lower: the gain is its bound less
 * the profit found before the search. So its own profit need not be kept: it is the bound less what
 * fills the room, which is computed again. Profits are relative to what was found before the
 * search, modulo 2^64.
 *
 * KNAPSACK_TAKE nodes are taken at once; each makes at most two new ones.
 *
 * Words that groups share: state[KNAPSACK_BEST] (atomic maximum, relaxed: an old value prunes less,
 * no more); the counters (relaxed sums); table[] (single words, loaded and stored as they are: each
 * is one node that was queued, whole, and all that is read from it is compared). */

/* The host always says; these are for compiling without one. */
#ifndef KNAPSACK_TAKE
#define KNAPSACK_TAKE         128
#define CLADE_FRONTIER_BATCH  256
#define CLADE_FRONTIER_WIDE   0
#define CLADE_HEAP_KEY_TYPE   2 /* CLADE_U32 */
#define CLADE_HEAP_VALUE_TYPE 2
#define CLADE_HEAP_ORDER      1 /* CLADE_MAX */
#define CLADE_HEAP_BATCH      256
#endif

#include "clade/heap.clh"
#include "tools/frontier.clh"

/* state[] */
#define KNAPSACK_BEST     0 /* gain of the best solution so far */
#define KNAPSACK_EXPLORED 1 /* nodes expanded */
#define KNAPSACK_DEAD     2 /* nodes taken whose bound was no better than the best */

/* Most steps to an item that fits (one that does not is no mistake), and how often in a row a group
 * may find nothing. */
#define KNAPSACK_SKIP 32
#define KNAPSACK_IDLE 8

/* The instance, as the kernel's arguments have it. */
typedef struct knapsack_core {
    __global const ulong *weight; /* of the items before item i */
    __global const ulong *profit;
    __global const uint *lighter; /* the next item lighter than item i */
    __global clade_frontier_word *table;
    uint items, level_bits, room_bits, gain_bits;
    uint table_bits; /* 0: no table */
} knapsack_core;

typedef struct knapsack_group {
    clade_frontier batch;
    clade_atomic_u32 best, explored, dead;
} knapsack_group;

/* What items first .. bring into `room` when the last may be cut, rounded down; *whole: without
 * the cut one. */
CLADE_TEAM_FUNCTION ulong knapsack_fill_wi(const knapsack_core *core, uint first, ulong room,
                                           ulong *whole)
{
    uint low = first, high = core->items;
    ulong before = core->weight[first];
    while (low < high) { /* items first .. low - 1 fit */
        uint middle = low + (high - low + 1) / 2;
        bool fits = core->weight[middle] - before <= room;
        low = fits ? middle : low;
        high = fits ? high : middle - 1;
    }
    ulong weight = core->weight[low], profit = core->profit[low];
    *whole = profit - core->profit[first];
    if (low == core->items)
        return *whole;
    ulong left = room - (weight - before);
    return *whole + left * (core->profit[low + 1] - profit) / (core->weight[low + 1] - weight);
}

/* Where a node is remembered, and with what: an invertible mixing of (level, room), of which the
 * upper bits are the place and the lower ones are kept to tell nodes apart. */
CLADE_TEAM_FUNCTION ulong knapsack_place_wi(const knapsack_core *core, uint level, ulong room,
                                            clade_frontier_word *tag)
{
    uint bits = core->level_bits + core->room_bits;
    uint tag_bits = bits > core->table_bits ? bits - core->table_bits : 0;
    ulong mask = ~0ul >> (64 - bits), x = (ulong)level << core->room_bits | room;
    x = x * 0x9e3779b97f4a7c15ul & mask;
    x ^= x >> (bits / 2 + 1);
    x = x * 0xd6e8feb86659fd93ul & mask;
    *tag = (clade_frontier_word)(x & ((1ul << tag_bits) - 1));
    return x >> tag_bits;
}

CLADE_TEAM_FUNCTION clade_frontier_word knapsack_recall_wi(const knapsack_core *core, ulong place)
{
#if CLADE_FRONTIER_WIDE
    return clade_load_shared64(&core->table[place]);
#else
    return clade_load_shared(&core->table[place]);
#endif
}

CLADE_TEAM_FUNCTION void knapsack_remember_wi(const knapsack_core *core, ulong place,
                                              clade_frontier_word entry)
{
#if CLADE_FRONTIER_WIDE
    clade_store_shared64(&core->table[place], entry);
#else
    clade_store_shared(&core->table[place], entry);
#endif
}

/* The gain remembered for (level, room); 0: none. */
CLADE_TEAM_FUNCTION clade_frontier_word knapsack_seen_wi(const knapsack_core *core, ulong place,
                                                         clade_frontier_word tag)
{
    clade_frontier_word entry = knapsack_recall_wi(core, place);
    clade_frontier_word gain = entry & (((clade_frontier_word)1 << core->gain_bits) - 1);
    return entry >> core->gain_bits == tag ? gain : 0;
}

/* A node: raise the best by what it has and what fits at once; queue it if it may do better, and if
 * no node of the same level and room has as much. */
CLADE_TEAM_FUNCTION void knapsack_offer_wi(const knapsack_core *core, __local knapsack_group *group,
                                           uint level, ulong room, ulong profit)
{
    ulong whole;
    uint skipped = 0;
    while (skipped < KNAPSACK_SKIP && level < core->items &&
           core->weight[level + 1] - core->weight[level] > room) {
        level = core->lighter[level];
        skipped++;
    }
    ulong bound = profit + knapsack_fill_wi(core, level, room, &whole);
    uint best = clade_load_local(&group->best);
    if ((long)(profit + whole) > (long)(ulong)best) {
        clade_max_local(&group->best, (uint)(profit + whole));
        best = (uint)(profit + whole);
    }
    if ((long)bound <= (long)(ulong)best)
        return;
    clade_frontier_word gain = (clade_frontier_word)bound;
    if (core->table_bits > 0) {
        clade_frontier_word tag;
        ulong place = knapsack_place_wi(core, level, room, &tag);
        if (knapsack_seen_wi(core, place, tag) >= gain)
            return;
        knapsack_remember_wi(core, place, tag << core->gain_bits | gain);
    }
    clade_frontier_add_wi(&group->batch, gain << core->level_bits | level,
                          (clade_frontier_word)room);
}

/* A node that was taken: nothing when it is dead or a better one of its kind is known; else its two
 * children, with and without the item of its level. */
CLADE_TEAM_FUNCTION void knapsack_expand_wi(const knapsack_core *core,
                                            __local knapsack_group *group, clade_frontier_word key,
                                            clade_frontier_word value)
{
    clade_frontier_word gain = key >> core->level_bits;
    uint level = (uint)(key & (((clade_frontier_word)1 << core->level_bits) - 1));
    ulong room = value, whole;
    if (gain <= clade_load_local(&group->best)) {
        clade_add_local(&group->dead, 1u);
        return;
    }
    if (core->table_bits > 0) {
        clade_frontier_word tag;
        ulong place = knapsack_place_wi(core, level, room, &tag);
        if (knapsack_seen_wi(core, place, tag) > gain)
            return;
    }
    clade_add_local(&group->explored, 1u);
    ulong profit = (ulong)gain - knapsack_fill_wi(core, level, room, &whole);
    ulong weight = core->weight[level + 1] - core->weight[level];
    if (weight <= room)
        knapsack_offer_wi(core, group, level + 1, room - weight,
                          profit + core->profit[level + 1] - core->profit[level]);
    knapsack_offer_wi(core, group, level + 1, room, profit);
}

/* The sums and the best of the group, to all groups. All items; starts with a barrier. */
CLADE_TEAM_FUNCTION void knapsack_share_wg(__local knapsack_group *group,
                                           __global clade_atomic_u32 *state)
{
    clade_barrier();
    if (get_local_id(0) == 0) {
        clade_max_relaxed(&state[KNAPSACK_BEST], clade_load_local(&group->best));
        clade_add_relaxed(&state[KNAPSACK_EXPLORED], clade_load_local(&group->explored));
        clade_add_relaxed(&state[KNAPSACK_DEAD], clade_load_local(&group->dead));
    }
}

CLADE_TEAM_FUNCTION void knapsack_begin_wg(__local knapsack_group *group,
                                           __global clade_atomic_u32 *state)
{
    if (get_local_id(0) == 0) {
        clade_store_local(&group->best, clade_load_relaxed(&state[KNAPSACK_BEST]));
        clade_store_local(&group->explored, 0u);
        clade_store_local(&group->dead, 0u);
    }
    clade_frontier_begin_wg(&group->batch);
}

/* Up to `rounds` batches of the most promising nodes. A group ends early when the heap has nothing
 * for it several times in a row, or refuses its nodes: the host launches again. */
__kernel void clade_knapsack_expand(__global void *heap, __global const ulong *weight,
                                    __global const ulong *profit, __global const uint *lighter,
                                    __global clade_frontier_word *table,
                                    __global clade_atomic_u32 *state,
                                    __global clade_frontier_word *spill_key,
                                    __global clade_frontier_word *spill_value,
                                    __global uint *spill_count, uint items, uint level_bits,
                                    uint room_bits, uint gain_bits, uint table_bits, uint rounds)
{
    __local clade_heap_scratch scratch;
    __local knapsack_group group;
    knapsack_core core;
    core.weight = weight;
    core.profit = profit;
    core.lighter = lighter;
    core.table = table;
    core.items = items;
    core.level_bits = level_bits;
    core.room_bits = room_bits;
    core.gain_bits = gain_bits;
    core.table_bits = table_bits;
    bool inside = true;
    uint idle = 0, got;
    if (get_local_id(0) == 0)
        spill_count[get_group_id(0)] = 0;
    for (uint round = 0; round < rounds && inside && idle < KNAPSACK_IDLE; round++) {
        /* A status that is no success may come with nodes: they are ours now. */
        clade_heap_pop_wg(heap, &scratch, KNAPSACK_TAKE, &got);
        knapsack_begin_wg(&group, state);
        for (uint i = (uint)get_local_id(0); i < got; i += (uint)get_local_size(0))
            knapsack_expand_wi(&core, &group, clade_heap_key_wi(&scratch, i),
                               clade_heap_value_wi(&scratch, i));
        knapsack_share_wg(&group, state);
        inside = clade_frontier_end_wg(heap, &scratch, &group.batch, spill_key, spill_value,
                                       spill_count);
        idle = got > 0 ? 0 : idle + 1;
    }
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Pop of many keys at once from a front engine, launched by lib/heap/bulk.c: begin, count, place,
 * move, end, one after the other. docs/inside/heap-front.md has the reasons. Only `end` changes the
 * heap; what is launched after a failure finds it as it was.
 *
 * A unit is a leaf of the trie, or one that such a leaf chains. Their order is the trie's; in a
 * chain, all of whose keys are the same, the chained ones come before the leaf that has them.
 *
 * Check: CLADE_HEAP_KEY_TYPE=1..6 CLADE_HEAP_VALUE_TYPE=0,2,5 CLADE_HEAP_ORDER=0,1 CLADEI_BULK_GROUP=1,256
 * Check: CLADE_HEAP_KEY_TYPE=2 CLADE_HEAP_LEAF=256,512,4096 CLADEI_BULK_GROUP=1,64
 */

#include "clade/heap/bulk/sorter.clh"

/* Leaves of a chain that are looked at at once, where memory is far. */
#define CLADEI_BULK_LOOKS (CLADEI_BULK_GROUP == 1 ? 1u : 16u)

#include "clade/heap/bulk/lists.clh"

/* How many keys of the leaves go: the front's, which all go, are not among them. */
CLADE_INLINE uint cladei_bulk_wanted(clade_front_words control, cladei_bulk_lists l, ulong count)
{
    return (uint)min((ulong)clade_load_relaxed(l.sums),
                     count - clade_load_relaxed(control + CLADE_BULK_FRONT));
}

/* Any shape: decide, and begin the lists. */
__kernel CLADEI_BULK_SIZED void
clade_heap_take_begin(__global void *heap, __global clade_atomic_u32 *control, ulong count)
{
    const cladei_bulk_heap h = cladei_bulk_open(heap);
    const cladei_bulk_lists l = cladei_bulk_lists_of(h, control);
    CLADEI_BULK_ALL (i, h.leaf_count)
        l.unit[i] = 0;
    CLADEI_BULK_ALL (i, h.dir_count)
        clade_store_relaxed(l.sums + i, 0u);
    if (get_global_id(0) == 0) {
        __global clade_heap_head *head = (__global clade_heap_head *)heap;
        const uint word = clade_load_relaxed(h.head + CLADE_FRONT_W_WORD),
                   left = word & CLADE_FRONT_LEFT_MASK;
        const bool goes =
            clade_load_relaxed(&head->verdict) == 0 && cladei_bulk_is_whole(h) && left <= count;
        clade_store_relaxed(control + CLADE_BULK_STATE,
                            goes ? CLADE_BULK_GOES : CLADE_BULK_ORDINARY);
        clade_store_relaxed(control + CLADE_BULK_FRONT, left);
        clade_store_relaxed(control + CLADE_BULK_TAG, word >> CLADE_FRONT_TAG_SHIFT);
        clade_store_relaxed(control + CLADE_BULK_UNITS, 0u);
    }
}

/* Whether the entries from the root on lead to this leaf. What its record says may be of long
 * ago. */
CLADE_INLINE bool cladei_bulk_is_in_trie(cladei_bulk_heap h, uint leaf)
{
    uint entry = clade_load_relaxed(cladei_bulk_leaf(h, leaf) + CLADE_FRONT_L_UP), ref = leaf << 1;
    bool leads = true;
    for (uint depth = 0; leads && ref != 1u; depth++) {
        const uint dir = entry / CLADE_FRONT_FAN;
        leads = depth < CLADEI_BULK_KEY_BITS / CLADE_FRONT_BITS && dir < h.dir_count;
        leads = leads && clade_load_relaxed(h.entries + entry) == ref;
        ref = dir << 1 | 1u; /* the root's is 1 */
        entry = leads ? cladei_bulk_up(h, dir) : 0;
    }
    return leads;
}

/* The leaf behind one in a chain, or 0. */
CLADE_INLINE uint cladei_bulk_chained_by(cladei_bulk_heap h, uint leaf)
{
    return clade_load_relaxed(cladei_bulk_leaf(h, leaf) + CLADE_FRONT_L_CHAIN) &
           ~CLADE_FRONT_CLOSED;
}

/* The leaves that `leaf` chains, from `chained` on, become units; how many keys they have. A chain
 * mostly goes on with the next leaf in memory, so some of those are looked at before it is known
 * that it does. */
CLADE_INLINE uint cladei_bulk_chain_wi(cladei_bulk_heap h, cladei_bulk_lists l, uint leaf,
                                       uint chained)
{
    uint before = 0;
    for (uint i = 0; chained != 0 && i < h.leaf_count; i++) { /* one leaf a turn at least */
        const uint from = chained;
        uint next[CLADEI_BULK_LOOKS], here[CLADEI_BULK_LOOKS];
        _Pragma("unroll")
        for (uint j = 0; j < CLADEI_BULK_LOOKS; j++) {
            const uint at = min(from + j, h.leaf_count - 1u);
            next[j] = cladei_bulk_chained_by(h, at);
            here[j] = cladei_bulk_count(h, at);
        }
        _Pragma("unroll")
        for (uint j = 0; j < CLADEI_BULK_LOOKS; j++)
            if (chained == from + j) {
                l.unit[chained] = leaf;
                l.before[chained] = before;
                before += here[j];
                chained = next[j];
            }
    }
    return before;
}

/* A leaf of the trie, and what it chains, become units; directories learn how many keys lie below
 * them, but for the root: how many is the answer. */
CLADE_INLINE uint cladei_bulk_count_wi(cladei_bulk_heap h, cladei_bulk_lists l,
                                       clade_front_words control, uint leaf)
{
    clade_front_words at = cladei_bulk_leaf(h, leaf);
    const uint flags = clade_load_relaxed(at + CLADE_FRONT_L_COUNT) & ~CLADE_FRONT_COUNT_MASK;
    const uint own = cladei_bulk_count(h, leaf);
    if (flags != 0 || clade_load_relaxed(at + CLADE_FRONT_L_DONE) != own) /* step done */
        clade_store_relaxed(control + CLADE_BULK_STATE, CLADE_BULK_ORDINARY);
    const uint before = cladei_bulk_chain_wi(h, l, leaf, cladei_bulk_chained_by(h, leaf));
    l.unit[leaf] = leaf;
    l.before[leaf] = before;
    l.total[leaf] = before + own;
    uint dir = clade_load_relaxed(at + CLADE_FRONT_L_UP) / CLADE_FRONT_FAN;
    for (; dir != 0 && before + own > 0; dir = cladei_bulk_up(h, dir) / CLADE_FRONT_FAN)
        clade_add_relaxed(l.sums + dir, before + own);
    return before + own;
}

/* Any shape: find the units, and count. */
__kernel CLADEI_BULK_SIZED void clade_heap_take_count(__global void *heap,
                                                      __global clade_atomic_u32 *control)
{
    CLADE_LOCAL cladei_bulk_counter below; /* the root: a group adds there once */
    const cladei_bulk_heap h = cladei_bulk_open(heap);
    const cladei_bulk_lists l = cladei_bulk_lists_of(h, control);
    const uint leaves = cladei_bulk_goes(control) ? h.leaf_count : 0u;
    uint here = 0;
    if (get_local_id(0) == 0)
        cladei_bulk_set_local(&below, 0u);
    cladei_bulk_sync();
    CLADEI_BULK_ALL (leaf, leaves)
        if (leaf != 0 && cladei_bulk_is_in_trie(h, leaf))
            here += cladei_bulk_count_wi(h, l, control, leaf);
    if (here > 0)
        cladei_bulk_add_local(&below, here);
    cladei_bulk_sync();
    if (get_local_id(0) == 0 && cladei_bulk_get_local(&below) > 0)
        clade_add_relaxed(l.sums, cladei_bulk_get_local(&below));
}

/* A leaf of the trie learns how many keys lie before it and its chain. The launches before have
 * written all of this, so plain loads do: of one directory all at once. */
CLADE_INLINE uint cladei_bulk_place_wi(cladei_bulk_heap h, cladei_bulk_lists l, uint leaf)
{
    __global const uint *entries = (__global const uint *)h.entries;
    __global const uint *sums = (__global const uint *)l.sums;
    uint entry = clade_load_relaxed(cladei_bulk_leaf(h, leaf) + CLADE_FRONT_L_UP), start = 0;
    bool more = true;
    while (more) { /* to the root: all that lies before in each directory */
        const uint first = entry & ~(CLADE_FRONT_FAN - 1u);
        uint ref[CLADE_FRONT_FAN];
        _Pragma("unroll")
        for (uint e = 0; e < CLADE_FRONT_FAN; e++)
            ref[e] = entries[first + e];
        _Pragma("unroll")
        for (uint e = 0; e < CLADE_FRONT_FAN; e++)
            if (first + e < entry && ref[e] != CLADE_FRONT_DRAINED &&
                (e == 0 || ref[e] != ref[e > 0 ? e - 1u : 0u]))
                start += ref[e] & 1u ? sums[ref[e] >> 1] : l.total[ref[e] >> 1];
        more = entry >= CLADE_FRONT_FAN;
        entry = more ? cladei_bulk_up(h, entry / CLADE_FRONT_FAN) : 0;
    }
    l.start[leaf] = start;
    return start;
}

/* Any shape: list the units, but leaves of the trie that lie beyond what goes. A group lists its
 * own at once. */
__kernel CLADEI_BULK_SIZED void
clade_heap_take_place(__global void *heap, __global clade_atomic_u32 *control, ulong count)
{
    CLADE_LOCAL cladei_bulk_counter listed;
    CLADE_LOCAL uint place;
    const cladei_bulk_heap h = cladei_bulk_open(heap);
    const cladei_bulk_lists l = cladei_bulk_lists_of(h, control);
    const uint leaves = cladei_bulk_goes(control) ? h.leaf_count : 0u;
    const uint wanted = leaves > 0 ? cladei_bulk_wanted(control, l, count) : 0u;
    const uint me = (uint)get_local_id(0);
    for (uint from = (uint)get_global_id(0) - me; from < leaves; from += (uint)get_global_size(0)) {
        const uint leaf = from + me, unit = leaf < leaves ? l.unit[leaf] : 0u;
        uint start = 0, at = 0;
        if (unit == leaf && unit != 0)
            start = cladei_bulk_place_wi(h, l, leaf);
        const bool goes = unit != 0 && (unit != leaf || start <= wanted);
        if (me == 0)
            cladei_bulk_set_local(&listed, 0u);
        cladei_bulk_sync();
        if (goes)
            at = cladei_bulk_add_local(&listed, 1u);
        cladei_bulk_sync();
        if (me == 0)
            place = clade_add_relaxed(control + CLADE_BULK_UNITS, cladei_bulk_get_local(&listed));
        cladei_bulk_sync();
        if (goes)
            l.list[place + at] = leaf;
    }
}

/* --- moving ---------------------------------------------------------------------------------- */

#include "clade/heap/bulk/taker.clh"

/* A group a piece of the front or a unit, in turns. */
__kernel CLADEI_BULK_SIZED void
clade_heap_take_move(__global void *heap, __global clade_atomic_u32 *control, ulong count,
                     __global cladei_bulk_key *keys, ulong first,
                     __global cladei_bulk_value *values, ulong values_first)
{
    CLADE_LOCAL cladei_bulk_sorter sorter;
    const cladei_bulk_heap h = cladei_bulk_open(heap);
    const cladei_bulk_lists l = cladei_bulk_lists_of(h, control);
    const bool goes = cladei_bulk_goes(control);
    const uint left = clade_load_relaxed(control + CLADE_BULK_FRONT);
    clade_front_words e = cladei_bulk_epoch(h, clade_load_relaxed(control + CLADE_BULK_TAG));
    const uint pieces = goes && left > 0 ? clade_load_relaxed(e + CLADE_FRONT_E_PIECES) : 0u;
    const uint units = goes ? clade_load_relaxed(control + CLADE_BULK_UNITS) : 0u;
    const uint wanted = goes ? cladei_bulk_wanted(control, l, count) : 0u;
    for (uint u = (uint)get_group_id(0); u < pieces; u += (uint)get_num_groups(0))
        cladei_bulk_move_piece(h, l, &sorter, e, u, left, first, keys, values, values_first);
    const uint groups = (uint)get_num_groups(0), me = (uint)get_group_id(0);
    uint after = me + groups < units ? l.list[me + groups] : 0u; /* 0: nobody's, and not moved */
    cladei_bulk_unit next = cladei_bulk_load_unit(h, l, me < units ? l.list[me] : 0u);
    for (uint u = me; u < units; u += groups) {
        const cladei_bulk_unit unit = next;
        next = cladei_bulk_load_unit(h, l, after);
        after = u + 2u * groups < units ? l.list[u + 2u * groups] : 0u;
        cladei_bulk_move_unit(h, l, &sorter, control, unit, wanted, first + left, keys, values,
                              values_first + left);
    }
}

/* --- the heap afterwards --------------------------------------------------------------------- */

#include "clade/heap/bulk/leaver.clh"

/* Any shape: the keys that were moved are the heap's no more. With none left it is as new. */
__kernel CLADEI_BULK_SIZED void clade_heap_take_end(__global void *heap,
                                                    __global clade_atomic_u32 *control, ulong count)
{
    CLADE_LOCAL cladei_bulk_counter freed[4]; /* units by pool; runs of the front */
    CLADE_LOCAL uint runs[CLADE_FRONT_PIECES];
    __global clade_heap_head *head = (__global clade_heap_head *)heap;
    const cladei_bulk_heap h = cladei_bulk_open(heap);
    const cladei_bulk_lists l = cladei_bulk_lists_of(h, control);
    const bool goes = cladei_bulk_goes(control), first = get_global_id(0) == 0;
    const uint left = clade_load_relaxed(control + CLADE_BULK_FRONT), me = (uint)get_local_id(0);
    const uint wanted = goes ? cladei_bulk_wanted(control, l, count) : 0u;
    const bool all = wanted == clade_load_relaxed(l.sums), part = goes && !all;
    const uint leaf = clade_load_relaxed(control + CLADE_BULK_SPLIT);
    const uint gone = clade_load_relaxed(control + CLADE_BULK_GONE);
    if (me == 0)
        for (uint p = 0; p < 4u; p++)
            cladei_bulk_set_local(&freed[p], 0u);
    cladei_bulk_sync();
    cladei_bulk_free_front(h, cladei_bulk_epoch(h, clade_load_relaxed(control + CLADE_BULK_TAG)),
                           part && get_group_id(0) == 0 ? left : 0u, runs, &freed[3], freed);
    cladei_bulk_free_units(h, l, part ? clade_load_relaxed(control + CLADE_BULK_UNITS) : 0u, wanted,
                           freed);
    if (part && get_group_id(0) == 0)
        cladei_bulk_keep(h, l, leaf, gone);
    if (part && first)
        cladei_bulk_divide_wi(h, l, leaf, gone, wanted, freed);
    cladei_bulk_sync();
    if (part && me == 0)
        for (uint p = 0; p < 3u; p++) /* tokens last, a group's all at once */
            clade_front_unclaim_wi(h.head, p, cladei_bulk_get_local(&freed[p]));
    if (goes && all)
        cladei_bulk_reset(h);
    if (goes && first) {
        if (all)
            cladei_bulk_publish_wi(h, 0u, 0u, 0u, wanted);
        clade_sub_relaxed(h.head + CLADE_FRONT_W_SIZE, left + wanted);
        cladei_heap_count_wi(head->pops,
                             (left + wanted + CLADE_HEAP_BATCH - 1u) / CLADE_HEAP_BATCH);
        clade_store_relaxed(&head->ticket, CLADE_BULK_NO_MORE);
    }
}

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

typedef struct cladei_bulk_lists {
    __global uint
        *unit; /* by leaf: 0, or the leaf of the trie that it belongs to: itself, mostly */
    __global uint *before;          /* keys of its chain that come before its own */
    __global uint *total;           /* its keys and its chain's */
    __global uint *start;           /* rank, among all leaves' keys, of the first of these */
    __global uint *list;            /* leaves, in any order */
    clade_front_words sums;         /* by directory: keys below it */
    __global cladei_bulk_key *kept; /* the keys of the leaf that is divided, in order, */
    __global cladei_bulk_value *kept_values;
} cladei_bulk_lists;

CLADE_INLINE cladei_bulk_lists cladei_bulk_lists_of(cladei_bulk_heap h, clade_front_words control)
{
    const uint stride = h.leaf_count + (h.leaf_count & 1u);
    __global uint *lists = (__global uint *)control + CLADE_BULK_WORDS;
    cladei_bulk_lists l;
    l.unit = lists + CLADE_BULK_L_UNIT * (size_t)stride;
    l.before = lists + CLADE_BULK_L_BEFORE * (size_t)stride;
    l.total = lists + CLADE_BULK_L_TOTAL * (size_t)stride;
    l.start = lists + CLADE_BULK_L_START * (size_t)stride;
    l.list = lists + CLADE_BULK_L_LIST * (size_t)stride;
    l.sums = control + CLADE_BULK_SUMS_AT(h.leaf_count);
    l.kept = (__global cladei_bulk_key *)(control + CLADE_BULK_KEPT_AT(h.leaf_count, h.dir_count));
    l.kept_values = (__global cladei_bulk_value *)(l.kept + CLADE_HEAP_LEAF);
    return l;
}

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
        clade_store_relaxed(control + CLADE_BULK_SPLIT, 0u);
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
            if (chained == from + j && chained != 0) {
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

/* A key and its value go to the caller; or, beyond `gone`, to where they are kept. */
CLADE_INLINE void cladei_bulk_deliver(cladei_bulk_heap h, cladei_bulk_lists l, cladei_bulk_key key,
                                      size_t from, uint rank, uint gone, ulong to,
                                      __global cladei_bulk_key *keys,
                                      __global cladei_bulk_value *values, ulong values_to)
{
    if (rank < gone)
        keys[to + rank] = CLADEI_BULK_DECODE(key);
    else
        l.kept[rank] = key;
#if CLADEI_BULK_VALUE_BITS
    if (rank < gone)
        values[values_to + rank] = h.values[from];
    else
        l.kept_values[rank] = h.values[from];
#else
    (void)h, (void)from, (void)values, (void)values_to;
#endif
}

/* Block b of a run or leaf. */
CLADE_INLINE uint cladei_bulk_block(cladei_bulk_heap h, uint leaf, uint b)
{
    return clade_load_relaxed(cladei_bulk_leaf(h, leaf) + CLADE_FRONT_L_BLOCK + b);
}

/* The item's own one of the first blocks. */
CLADE_INLINE uint cladei_bulk_my_block(cladei_bulk_heap h, uint leaf)
{
    return cladei_bulk_block(h, leaf, min((uint)get_local_id(0), CLADE_FRONT_BLOCKS - 1u));
}

/* Slots first .. first + n - 1 of a run or leaf, which ascend, to their places; `sorter` has its
 * blocks. */
CLADE_INLINE void cladei_bulk_copy(cladei_bulk_heap h, cladei_bulk_lists l,
                                   __local cladei_bulk_sorter *s, uint first, uint n, uint gone,
                                   ulong to, __global cladei_bulk_key *keys,
                                   __global cladei_bulk_value *values, ulong values_to)
{
    CLADEI_BULK_EACH (i, n) {
        const size_t from = cladei_bulk_slot(s, first + i);
        cladei_bulk_deliver(h, l, h.keys[from], from, i, gone, to, keys, values, values_to);
    }
}

/* A leaf's n keys in order to their places; `sorter` has its blocks. They lie between `low` and
 * `low` + 2^bits - 1. Keys that are spread over that range need nothing else; of others the least
 * and the greatest are looked for. */
CLADE_INLINE void cladei_bulk_sort_leaf(cladei_bulk_heap h, cladei_bulk_lists l,
                                        __local cladei_bulk_sorter *s, uint n, cladei_bulk_key low,
                                        uint bits, uint gone, ulong to,
                                        __global cladei_bulk_key *keys,
                                        __global cladei_bulk_value *values, ulong values_to)
{
    uint shift = 0, most = 0;
    for (uint turn = 0, turns = 1; turn < turns; turn++) { /* no branch around barriers */
        for (uint again = turn; again > 0; again--) {
            cladei_bulk_range(h, s, n);
            low = s->low[0];
            bits = CLADEI_BULK_KEY_BITS - (uint)clz(s->high[0] - low);
        }
        shift = bits > CLADEI_BULK_BIN_BITS ? bits - CLADEI_BULK_BIN_BITS : 0u;
        cladei_bulk_fill_bins(h, s, n, low, shift);
        most = cladei_bulk_get_local(&s->crowded);
        turns += turn == 0 && shift != 0 && most != 0 ? 1u : 0u;
    }
    const bool crowded = shift != 0 && most > CLADEI_BULK_CROWD;
    const bool ranked = shift == 0 || crowded;
    cladei_bulk_sort_network(s, crowded ? n : 0u);
    const uint me = (uint)get_local_id(0);
    for (uint turn = 0; turn < n; turn += CLADEI_BULK_RANKS * CLADEI_BULK_GROUP) {
        cladei_bulk_key key_[CLADEI_BULK_RANKS];
        uint rank[CLADEI_BULK_RANKS];
        _Pragma("unroll")
        for (uint j = 0; j < CLADEI_BULK_RANKS; j++)
            key_[j] = s->keys[min(turn + j * CLADEI_BULK_GROUP + me, n - 1u)];
        _Pragma("unroll")
        for (uint j = 0; j < CLADEI_BULK_RANKS; j++) {
            const uint i = turn + j * CLADEI_BULK_GROUP + me;
            rank[j] = ranked ? i : cladei_bulk_rank(s, key_[j], min(i, n - 1u), low, shift);
        }
        _Pragma("unroll")
        for (uint j = 0; j < CLADEI_BULK_RANKS; j++) {
            const uint i = turn + j * CLADEI_BULK_GROUP + me;
#if CLADEI_BULK_VALUE_BITS
            const size_t from = cladei_bulk_slot(s, s->slots[min(i, n - 1u)]);
#else
            const size_t from = 0;
#endif
            if (i < n)
                cladei_bulk_deliver(h, l, key_[j], from, rank[j], gone, to, keys, values,
                                    values_to);
        }
    }
}

/* The group notes a run's or leaf's blocks. `block`: for item b, block b. */
CLADE_INLINE void cladei_bulk_blocks(cladei_bulk_heap h, __local cladei_bulk_sorter *s, uint leaf,
                                     uint block)
{
    cladei_bulk_sync();
    CLADEI_BULK_EACH (b, CLADE_FRONT_BLOCKS)
        s->block[b] = b < CLADEI_BULK_GROUP ? block : cladei_bulk_block(h, leaf, b);
    cladei_bulk_sync();
}

/* Piece p of the front to its place. */
CLADE_INLINE void cladei_bulk_move_piece(cladei_bulk_heap h, cladei_bulk_lists l,
                                         __local cladei_bulk_sorter *s, clade_front_words e, uint p,
                                         uint left, ulong to, __global cladei_bulk_key *keys,
                                         __global cladei_bulk_value *values, ulong values_to)
{
    clade_front_words piece = e + CLADE_FRONT_E_PIECE + 3u * p;
    const uint at = clade_load_relaxed(e + CLADE_FRONT_E_COUNT) - left; /* handed out before */
    const uint listed = p == 0 ? 0u : clade_load_relaxed(piece - 1);
    const uint begin = max(at, listed), end = clade_load_relaxed(piece + 2);
    const uint n = end > begin ? end - begin : 0u;
    const uint run = clade_load_relaxed(piece);
    cladei_bulk_blocks(h, s, run, cladei_bulk_my_block(h, run));
    cladei_bulk_copy(h, l, s, clade_load_relaxed(piece + 1) + (begin - listed), n, n,
                     to + (begin - at), keys, values, values_to + (begin - at));
}

/* What a group must know of a unit before it moves it: loaded while it moves the one before, and
 * not looked at until then. */
typedef struct cladei_bulk_unit {
    uint leaf, head;    /* of whose chain it is, mostly its own */
    uint start, before; /* if its own: the rank of the first of their keys; keys before its own */
    uint count, limit, sorted, shift, block;
    cladei_bulk_key low;
} cladei_bulk_unit;

CLADE_INLINE cladei_bulk_unit cladei_bulk_load_unit(cladei_bulk_heap h, cladei_bulk_lists l,
                                                    uint leaf)
{
    clade_front_words at = cladei_bulk_leaf(h, leaf);
    cladei_bulk_unit u;
    u.leaf = leaf;
    u.head = l.unit[leaf];
    u.start = l.start[leaf];
    u.before = l.before[leaf];
    u.count = clade_load_relaxed(at + CLADE_FRONT_L_COUNT);
    u.limit = clade_load_relaxed(at + CLADE_FRONT_L_LIMIT);
    u.sorted = clade_load_relaxed(at + CLADE_FRONT_L_SORTED);
    u.shift = clade_load_relaxed(at + CLADE_FRONT_L_SHIFT);
    u.low = cladei_bulk_load_key(at + CLADE_FRONT_L_LOW);
    u.block = cladei_bulk_my_block(h, leaf);
    return u;
}

/* One unit: what goes of it, to its place; what stays of the one that holds the key after the last
 * that goes, beside. */
CLADE_INLINE void cladei_bulk_move_unit(cladei_bulk_heap h, cladei_bulk_lists l,
                                        __local cladei_bulk_sorter *s, clade_front_words control,
                                        cladei_bulk_unit u, uint wanted, ulong to,
                                        __global cladei_bulk_key *keys,
                                        __global cladei_bulk_value *values, ulong values_to)
{
    const uint rank = (u.head == u.leaf ? u.start : l.start[u.head]) + u.before;
    const uint n = min(u.count & CLADE_FRONT_COUNT_MASK, u.limit);
    const uint gone = rank < wanted ? min(n, wanted - rank) : 0u;
    const bool divided = rank <= wanted && wanted - rank < n;
    const bool ordered = u.sorted == n || u.shift == 0;
    const uint moved = gone > 0 || divided ? n : 0u;
    cladei_bulk_blocks(h, s, u.leaf, u.block);
    cladei_bulk_copy(h, l, s, 0, ordered ? moved : 0u, gone, to + rank, keys, values,
                     values_to + rank);
    for (uint once = ordered || moved == 0 ? 0u : 1u; once > 0;
         once--) /* no branch around barriers */
        cladei_bulk_sort_leaf(h, l, s, n, u.low, u.shift, gone, to + rank, keys, values,
                              values_to + rank);
    if (divided && get_local_id(0) == 0) {
        clade_store_relaxed(control + CLADE_BULK_SPLIT, u.leaf);
        clade_store_relaxed(control + CLADE_BULK_GONE, gone);
    }
}

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

/* A unit goes back to its pool. Its token comes later: the group counts them, by pool, in
 * `freed`. */
CLADE_INLINE void cladei_bulk_put_wi(cladei_bulk_heap h, uint pool, uint unit,
                                     __local cladei_bulk_counter *freed)
{
    clade_front_put_wi(h.head, pool, unit);
    cladei_bulk_add_local(&freed[pool], 1u);
}

/* A leaf's entries are the front's from now on; a directory all of whose are goes too. */
CLADE_INLINE void cladei_bulk_drain_wi(cladei_bulk_heap h, uint leaf,
                                       __local cladei_bulk_counter *freed)
{
    clade_front_words at = cladei_bulk_leaf(h, leaf);
    uint entry = clade_load_relaxed(at + CLADE_FRONT_L_UP);
    uint span = 1u << clade_load_relaxed(at + CLADE_FRONT_L_SHIFT) % CLADE_FRONT_BITS;
    for (uint e = 0; e < span; e++)
        clade_store_relaxed(h.entries + entry + e, CLADE_FRONT_DRAINED);
    uint dir = entry / CLADE_FRONT_FAN;
    while (dir != 0 &&
           clade_add_acq_rel(h.dirs + (size_t)dir * CLADE_FRONT_D_WORDS + CLADE_FRONT_D_DRAINED,
                             span) == CLADE_FRONT_FAN - span) {
        entry = cladei_bulk_up(h, dir);
        clade_store_relaxed(h.entries + entry, CLADE_FRONT_DRAINED);
        cladei_bulk_put_wi(h, CLADE_FRONT_POOL_DIRS, dir, freed);
        dir = entry / CLADE_FRONT_FAN;
        span = 1;
    }
}

/* Block b of a leaf or run that goes; with the first, itself. An item a block: an inner loop over
 * the blocks, whose bound is a constant, PoCL 3.1 runs for items whose leaf does not go. */
CLADE_INLINE void cladei_bulk_free_wi(cladei_bulk_heap h, uint leaf, uint b,
                                      __local cladei_bulk_counter *freed)
{
    const uint block = clade_load_relaxed(cladei_bulk_leaf(h, leaf) + CLADE_FRONT_L_BLOCK + b);
    if (block != 0 && block != CLADE_FRONT_VOID)
        cladei_bulk_put_wi(h, CLADE_FRONT_POOL_BLOCKS, block, freed);
    if (b == 0)
        cladei_bulk_put_wi(h, CLADE_FRONT_POOL_LEAVES, leaf, freed);
}

/* Units that went as a whole. */
CLADE_INLINE void cladei_bulk_free_units(cladei_bulk_heap h, cladei_bulk_lists l, uint units,
                                         uint wanted, __local cladei_bulk_counter *freed)
{
    const uint parts = units * CLADE_FRONT_BLOCKS;
    CLADEI_BULK_ALL (t, parts) {
        const uint leaf = l.list[t / CLADE_FRONT_BLOCKS], b = t % CLADE_FRONT_BLOCKS;
        const bool goes =
            l.start[l.unit[leaf]] + l.before[leaf] + cladei_bulk_count(h, leaf) <= wanted;
        if (goes)
            cladei_bulk_free_wi(h, leaf, b, freed);
        if (goes && b == 0 && l.unit[leaf] == leaf)
            cladei_bulk_drain_wi(h, leaf, freed);
    }
}

/* One group: the front's runs. Who gives up the last of a run's keys has it freed. `e`: the
 * descriptor. */
CLADE_INLINE void cladei_bulk_free_front(cladei_bulk_heap h, clade_front_words e, uint left,
                                         __local uint *runs, __local cladei_bulk_counter *run_count,
                                         __local cladei_bulk_counter *freed)
{
    const uint pieces = left > 0 ? clade_load_relaxed(e + CLADE_FRONT_E_PIECES) : 0u;
    const uint at = clade_load_relaxed(e + CLADE_FRONT_E_COUNT) - left;
    CLADEI_BULK_EACH (p, pieces) {
        clade_front_words piece = e + CLADE_FRONT_E_PIECE + 3u * p;
        const uint run = clade_load_relaxed(piece), end = clade_load_relaxed(piece + 2);
        const uint begin = max(at, p == 0 ? 0u : clade_load_relaxed(piece - 1));
        if (end > begin && clade_sub_acq_rel(cladei_bulk_leaf(h, run) + CLADE_FRONT_L_LEFT,
                                             end - begin) == end - begin)
            runs[cladei_bulk_add_local(run_count, 1u)] = run;
    }
    cladei_bulk_sync();
    const uint parts = cladei_bulk_get_local(run_count) * CLADE_FRONT_BLOCKS;
    CLADEI_BULK_EACH (t, parts)
        cladei_bulk_free_wi(h, runs[t / CLADE_FRONT_BLOCKS], t % CLADE_FRONT_BLOCKS, freed);
}

/* One item: what stays of the leaf that is divided becomes the front, and all before it is
 * drained. */
CLADE_INLINE void cladei_bulk_divide_wi(cladei_bulk_heap h, cladei_bulk_lists l, uint leaf,
                                        uint gone, uint taken, __local cladei_bulk_counter *freed)
{
    const uint head = l.unit[leaf], n = cladei_bulk_count(h, leaf);
    clade_front_words at = cladei_bulk_leaf(h, leaf), top = cladei_bulk_leaf(h, head);
    const cladei_bulk_key low = cladei_bulk_load_key(top + CLADE_FRONT_L_LOW);
    cladei_bulk_key bound =
        low - 1u; /* of a chain only some leaves go; the one that has them stays in the trie */
    if (leaf == head) {
        const uint shift = clade_load_relaxed(at + CLADE_FRONT_L_SHIFT);
        clade_store_relaxed(at + CLADE_FRONT_L_COUNT, n | CLADE_FRONT_FROZEN);
        clade_store_relaxed(at + CLADE_FRONT_L_CHAIN, 0u);
        bound = low + (((cladei_bulk_key)1 << shift) - 1u);
        cladei_bulk_drain_wi(h, leaf, freed);
    } else {
        clade_store_relaxed(top + CLADE_FRONT_L_CHAIN, cladei_bulk_chained_by(h, leaf));
    }
    clade_store_relaxed(at + CLADE_FRONT_L_SORTED, n);
    clade_store_relaxed(at + CLADE_FRONT_L_LEFT, n - gone);
#ifdef CLADE_PLANT_BULK_BOUND
    if (false) {
#else
    if (leaf == head || low > 0) {
#endif
        cladei_bulk_store_key(h.head + CLADE_FRONT_W_BOUND, bound);
        clade_store_relaxed(h.head + CLADE_FRONT_W_BOUNDED, 1u);
    }
    cladei_bulk_forget_ring_wi(h);
    cladei_bulk_publish_wi(h, leaf, gone, n - gone, taken);
}

/* The first group: the keys that stay, in order, go to their slots. */
CLADE_INLINE void cladei_bulk_keep(cladei_bulk_heap h, cladei_bulk_lists l, uint leaf, uint gone)
{
    const uint n = cladei_bulk_count(h, leaf);
    CLADEI_BULK_EACH (stays, n - gone) {
        const uint i = gone + stays;
        const uint block = clade_load_relaxed(cladei_bulk_leaf(h, leaf) + CLADE_FRONT_L_BLOCK +
                                              i / CLADEI_BULK_BLOCK);
        const size_t to = (size_t)block * CLADEI_BULK_BLOCK + i % CLADEI_BULK_BLOCK;
        h.keys[to] = l.kept[i];
#if CLADEI_BULK_VALUE_BITS
        h.values[to] = l.kept_values[i];
#endif
    }
}

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

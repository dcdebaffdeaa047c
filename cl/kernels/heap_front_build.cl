/* SPDX-License-Identifier: Apache-2.0 */
/* Insert of many keys at once into an empty front engine, launched by lib/heap/bulk.c: begin, then
 * for each level, of 8 bits of the keys, count, plan and move, then end. docs/inside/heap-front.md
 * has the reasons. `begin` leaves an empty heap, and only `end` makes it another: what is launched
 * after a failure finds it empty.
 *
 * A segment is a range of keys, those with the same bits above the level's, that has too many for a
 * leaf; it lies in one piece and is read in tiles. The plan gives its digits, alone or some
 * neighbours together, leaves with blocks in one piece, or makes them segments of the next level.
 *
 * Check: CLADE_HEAP_KEY_TYPE=1..6 CLADE_HEAP_VALUE_TYPE=0,2,5 CLADE_HEAP_ORDER=0,1 CLADEI_BULK_GROUP=1,256
 * Check: CLADE_HEAP_KEY_TYPE=2 CLADE_HEAP_LEAF=256,512,4096 CLADEI_BULK_GROUP=1,64 CLADEI_BULK_TILE=1024
 */

#include "clade/heap/bulk/mover.clh"
#include "clade/heap/bulk/planner.clh"

/* Any shape: decide, make the empty heap one as new, and all keys one segment. */
__kernel CLADEI_BULK_SIZED void clade_heap_build_begin(__global void *heap,
                                                       __global clade_atomic_u32 *plan, uint count,
                                                       uint rows, uint tiles)
{
    __global clade_heap_head *head = (__global clade_heap_head *)heap;
    const cladei_bulk_heap h = cladei_bulk_open(heap);
    const cladei_bulk_level l = cladei_bulk_level_of(plan, 0u, rows, tiles);
    const bool goes =
        clade_load_relaxed(&head->verdict) == 0 &&
        clade_load_relaxed(&head->nan) == CLADE_HEAP_NO_NAN && cladei_bulk_is_whole(h) &&
        clade_load_relaxed(h.head + CLADE_FRONT_W_SIZE) == 0 &&
        (clade_load_relaxed(h.head + CLADE_FRONT_W_WORD) & CLADE_FRONT_LEFT_MASK) == 0;
    const uint here = (count + CLADEI_BULK_TILE - 1u) / CLADEI_BULK_TILE;
    if (goes)
        cladei_bulk_reset(h);
    CLADEI_BULK_ALL (t, here)
        clade_store_relaxed(l.map + t, 0u);
    CLADEI_BULK_ALL (d, CLADE_BULK_DIGITS)
        for (uint c = 0; c < cladei_bulk_sets(0u, rows); c++)
            clade_store_relaxed(cladei_bulk_set(l.segments, c) + CLADE_BULK_S_DIGITS + d, 0u);
    if (get_global_id(0) == 0) {
        for (uint w = 0; w < CLADE_BULK_PLAN_WORDS; w++)
            clade_store_relaxed(plan + w, 0u);
        clade_store_relaxed(plan + CLADE_BULK_STATE, goes ? CLADE_BULK_GOES : CLADE_BULK_ORDINARY);
        clade_store_relaxed(plan + CLADE_BULK_BLOCKS + CLADE_FRONT_POOL_LEAVES, CLADE_FRONT_FAN);
        clade_store_relaxed(l.words + CLADE_BULK_SEGMENTS, 1u);
        clade_store_relaxed(l.words + CLADE_BULK_TILES, here);
        for (uint w = 0; w < CLADE_BULK_S_DIGITS; w++)
            clade_store_relaxed(l.segments + w, 0u);
        clade_store_relaxed(l.segments + CLADE_BULK_S_COUNT, count);
    }
}

/* Keys that an item loads at once: their latencies overlap. With one at a time a pass over 256 MiB
 * takes 0.2 ms. */
#define CLADEI_BULK_COUNTS (CLADEI_BULK_GROUP == 1 ? 4u : 8u)

/* --- counting -------------------------------------------------------------------------------- */

/* The counts of a segment's digits go to it, and begin anew. */
CLADE_INLINE void cladei_bulk_flush(clade_front_words segment, __local cladei_bulk_counter *counts)
{
    CLADEI_BULK_EACH (d, CLADE_BULK_DIGITS) {
        const uint n = cladei_bulk_get_local(&counts[d]);
        if (n > 0)
            clade_add_relaxed(segment + CLADE_BULK_S_DIGITS + d, n);
        cladei_bulk_set_local(&counts[d], 0u);
    }
}

/* An item's next keys, CLADEI_BULK_COUNTS of the n from `turn` on that its group has: to the counts
 * of their digits. Places beyond the end have a count of their own. */
CLADE_INLINE void cladei_bulk_count_keys(__global const cladei_bulk_key *from, uint turn, uint n,
                                         uint shift, uint raw, __local cladei_bulk_counter *counts)
{
    const uint i = turn + (uint)get_local_id(0);
    __global const cladei_bulk_key *mine = from + i;
    cladei_bulk_key key_[CLADEI_BULK_COUNTS];
    uint d[CLADEI_BULK_COUNTS], run = 0;
    if (n - turn >= CLADEI_BULK_COUNTS * CLADEI_BULK_GROUP) {
        _Pragma("unroll")
        for (uint j = 0; j < CLADEI_BULK_COUNTS; j++)
            key_[j] = mine[j * CLADEI_BULK_GROUP];
        _Pragma("unroll")
        for (uint j = 0; j < CLADEI_BULK_COUNTS; j++)
            d[j] = cladei_bulk_digit(raw ? CLADEI_BULK_ENCODE(key_[j]) : key_[j], shift);
    } else {
        _Pragma("unroll")
        for (uint j = 0; j < CLADEI_BULK_COUNTS; j++) {
            const uint at = i + j * CLADEI_BULK_GROUP;
            key_[j] = from[min(at, n - 1u)];
            d[j] = at < n ? cladei_bulk_digit(raw ? CLADEI_BULK_ENCODE(key_[j]) : key_[j], shift)
                          : CLADE_BULK_DIGITS;
        }
    }
    _Pragma("unroll")
    for (uint j = 0; j < CLADEI_BULK_COUNTS; j++)
        run += d[j] == d[0] ? 1u : 0u;
    if (run > CLADEI_BULK_COUNTS / 4u) {
        cladei_bulk_add_local(&counts[d[0]], run);
        _Pragma("unroll")
        for (uint j = 1; j < CLADEI_BULK_COUNTS; j++)
            if (d[j] != d[0])
                cladei_bulk_add_local(&counts[d[j]], 1u);
    } else {
        _Pragma("unroll")
        for (uint j = 0; j < CLADEI_BULK_COUNTS; j++)
            cladei_bulk_add_local(&counts[d[j]], 1u);
    }
}

/* The tiles in as many stretches as groups, but those of the first level by turns, as it has
 * several sets of digits: how often each digit occurs in each segment. An item
 * adds keys that have its first one's digit at once where they are many, so that keys in order do
 * not meet in one counter. */
__kernel CLADEI_BULK_SIZED void
clade_heap_build_count(__global void *heap, __global clade_atomic_u32 *plan, uint level, uint rows,
                       uint tiles, uint size, __global const cladei_bulk_key *keys, ulong first,
                       __global const cladei_bulk_key *other)
{
    CLADE_LOCAL cladei_bulk_counter counts[CLADE_BULK_DIGITS + 1];
    const cladei_bulk_heap h = cladei_bulk_open(heap);
    const cladei_bulk_level l = cladei_bulk_level_of(plan, level, rows, tiles);
    const uint all = cladei_bulk_goes(plan) ? cladei_bulk_known(l.words + CLADE_BULK_TILES) : 0u;
    const uint raw = level == 0 ? 1u : 0u;
    __global const cladei_bulk_key *from_keys = raw ? keys + first
                                                : level % 2u != 0
                                                    ? h.keys + cladei_bulk_last(h, size)
                                                    : other;
    const uint groups = (uint)get_num_groups(0), me = (uint)get_group_id(0);
    const uint sets = cladei_bulk_sets(level, rows), each = (all + groups - 1u) / groups;
    const uint begin = min(raw ? me : me * each, all), step = raw ? groups : 1u;
    const uint end = raw ? all : min(begin + each, all);
    uint s = begin < end ? cladei_bulk_known(l.map + begin) : 0u, known = s;
    uint tile = 0, count = 0, start = 0;                            /* words of segment `known` */
    clade_front_words present = cladei_bulk_segment(l.segments, s); /* whose digits are counted */
    CLADEI_BULK_EACH (d, CLADE_BULK_DIGITS + 1u)
        cladei_bulk_set_local(&counts[d], 0u);
    for (uint t = begin; t < end; t += step) {
        clade_front_words segment = cladei_bulk_segment(l.segments, s);
        clade_front_words set = cladei_bulk_set(segment, t % sets);
        if (t == begin || s != known) {
            tile = cladei_bulk_known(segment + CLADE_BULK_S_TILE);
            count = cladei_bulk_known(segment + CLADE_BULK_S_COUNT);
            start = cladei_bulk_known(segment + CLADE_BULK_S_START);
        }
        known = s;
        const uint from = (t - tile) * CLADEI_BULK_TILE;
        const uint n = min(count - from, (uint)CLADEI_BULK_TILE);
        cladei_bulk_sync();
        if (set != present)
            cladei_bulk_flush(present, counts);
        present = set;
        cladei_bulk_sync();
        s = t + step < end ? cladei_bulk_known(l.map + t + step) : s; /* while keys come */
        for (uint turn = 0; turn < n; turn += CLADEI_BULK_COUNTS * CLADEI_BULK_GROUP)
            cladei_bulk_count_keys(from_keys + start + from, turn, n, l.shift, raw, counts);
    }
    cladei_bulk_sync();
    if (begin < end)
        cladei_bulk_flush(present, counts);
}

/* --- planning and moving --------------------------------------------------------------------- */

/* A group a segment, in turns. `size`: keys of the call. */
__kernel CLADEI_BULK_SIZED void clade_heap_build_plan(__global void *heap,
                                                      __global clade_atomic_u32 *plan, uint level,
                                                      uint rows, uint tiles, uint size)
{
    CLADE_LOCAL cladei_bulk_planner planner;
    __local cladei_bulk_planner *p = &planner;
    const cladei_bulk_heap h = cladei_bulk_open(heap);
    const cladei_bulk_level l = cladei_bulk_level_of(plan, level, rows, tiles);
    /* One item looks: another group may find meanwhile that there are too few units. */
    if (get_local_id(0) == 0)
        p->top = cladei_bulk_goes(plan) ? cladei_bulk_known(l.words + CLADE_BULK_SEGMENTS) : 0u;
    cladei_bulk_sync();
    const uint segments = p->top;
    const uint sets = cladei_bulk_sets(level, rows);
    for (uint s = (uint)get_group_id(0); s < segments; s += (uint)get_num_groups(0)) {
        clade_front_words segment = cladei_bulk_segment(l.segments, s);
        const cladei_bulk_key low = cladei_bulk_load_key(segment + CLADE_BULK_S_LOW);
        cladei_bulk_plan_begin(h, l, p, segment, level, sets);
        const bool there = p->top != 0 || level == 0;
        /* The upper half of the digits, and each of its values that needs a directory of its
         * own. */
        CLADEI_BULK_EACH (u, CLADE_FRONT_FAN + 1u) {
            const uint g = u > 0 ? u - 1u : 0u;
            bool wanted = there && (u == 0 || p->sums[g] > CLADE_HEAP_LEAF);
            cladei_bulk_dir d = { p->top, 0u, CLADE_FRONT_FAN, l.shift + CLADE_FRONT_BITS };
            if (u > 0 && wanted) {
                d.dir = cladei_bulk_make_dir_wi(h, plan, p->top * CLADE_FRONT_FAN + g);
                wanted = d.dir != 0;
            }
            if (u > 0) {
                d.first = g * CLADE_FRONT_FAN;
                d.width = 1u;
                d.shift = l.shift;
            }
            cladei_bulk_plan_dir_wi(h, l, p, d, wanted ? CLADE_FRONT_FAN : 0u);
        }
        cladei_bulk_sync();
        cladei_bulk_make_segments(p, l, low);
        cladei_bulk_make_leaves(h, l, p, low, size);
        cladei_bulk_chain(h, p, low, size);
        cladei_bulk_begin_segments(l, p);
        CLADEI_BULK_EACH (d, CLADE_BULK_DIGITS) {
            uint place = p->places[d];
            for (uint c = 0; c < sets; c++) {
                clade_front_words at = cladei_bulk_set(segment, c) + CLADE_BULK_S_DIGITS + d;
                const uint n = clade_load_relaxed(at);
                clade_store_relaxed(at, place);
                place += n;
            }
        }
        CLADEI_BULK_EACH (w, CLADE_BULK_DIGITS / 32u) {
            uint bits = 0;
            for (uint b = 0; b < 32u; b++)
                bits |= p->leafy[w * 32u + b] << b;
            for (uint c = 0; c < sets; c++)
                clade_store_relaxed(cladei_bulk_set(segment, c) + CLADE_BULK_S_LEAF + w, bits);
        }
    }
}

/* A group a tile, in turns: keys of each digit go to its leaf, or to its segment of the next
 * level. If leaves need the room that segments have, all groups see it, and the call goes the other
 * way. */
__kernel CLADEI_BULK_SIZED void
clade_heap_build_move(__global void *heap, __global clade_atomic_u32 *plan, uint level, uint rows,
                      uint tiles, uint size, __global const cladei_bulk_key *keys, ulong first,
                      __global const cladei_bulk_value *values, ulong values_first,
                      __global cladei_bulk_key *other, __global cladei_bulk_value *other_values)
{
    CLADE_LOCAL cladei_bulk_mover mover;
    const cladei_bulk_heap h = cladei_bulk_open(heap);
    const cladei_bulk_level l = cladei_bulk_level_of(plan, level, rows, tiles);
    const bool raw = level == 0, has_room = cladei_bulk_has_room(h, l, size);
    const uint all =
        cladei_bulk_goes(plan) && has_room ? cladei_bulk_known(l.words + CLADE_BULK_TILES) : 0u;
    const uint sets = cladei_bulk_sets(level, rows);
    const bool odd = level % 2u != 0;
    const uint last = has_room ? cladei_bulk_last(h, size) : 0u;
    const uint groups = (uint)get_num_groups(0), me = (uint)get_group_id(0);
    uint next = me < all ? cladei_bulk_known(l.map + me) : 0u; /* the next tile's segment */
    for (uint t = me; t < all; t += groups) {
        clade_front_words segment = cladei_bulk_segment(l.segments, next);
        next = t + groups < all ? cladei_bulk_known(l.map + t + groups) : 0u;
        const uint from = (t - cladei_bulk_known(segment + CLADE_BULK_S_TILE)) * CLADEI_BULK_TILE;
        const uint count =
            min(cladei_bulk_known(segment + CLADE_BULK_S_COUNT) - from, (uint)CLADEI_BULK_TILE);
        const cladei_bulk_stream m = { raw   ? keys
                                       : odd ? h.keys + last
                                             : other,
                                       raw   ? values
                                       : odd ? h.values + last
                                             : other_values,
                                       raw ? first : 0u,
                                       raw ? values_first : 0u,
                                       odd ? other : h.keys + last,
                                       odd ? other_values : h.values + last,
                                       raw ? 1u : 0u,
                                       l.shift,
                                       count,
                                       (size_t)cladei_bulk_known(segment + CLADE_BULK_S_START) +
                                           from };
        cladei_bulk_move_tile(h, m, cladei_bulk_set(segment, t % sets), &mover);
    }
    if (!has_room && get_local_id(0) == 0)
        clade_store_relaxed(plan + CLADE_BULK_STATE, CLADE_BULK_ORDINARY);
}

/* Any shape: what was built is the heap. */
__kernel CLADEI_BULK_SIZED void clade_heap_build_end(__global void *heap,
                                                     __global clade_atomic_u32 *plan, uint count)
{
    __global clade_heap_head *head = (__global clade_heap_head *)heap;
    const cladei_bulk_heap h = cladei_bulk_open(heap);
    if (!cladei_bulk_goes(plan))
        return;
    clade_front_words used = plan + CLADE_BULK_BLOCKS;
    cladei_bulk_free_pool(h, CLADE_FRONT_POOL_BLOCKS, 0u,
                          clade_load_relaxed(used + CLADE_FRONT_POOL_BLOCKS));
    cladei_bulk_free_pool(h, CLADE_FRONT_POOL_LEAVES, CLADE_FRONT_FAN,
                          clade_load_relaxed(used + CLADE_FRONT_POOL_LEAVES));
    cladei_bulk_free_pool(h, CLADE_FRONT_POOL_DIRS, 0u,
                          clade_load_relaxed(used + CLADE_FRONT_POOL_DIRS));
    if (get_global_id(0) == 0) {
        for (uint e = 0; e < CLADE_FRONT_FAN; e++)
            clade_store_relaxed(h.entries + e, clade_load_relaxed(plan + CLADE_BULK_ENTRIES + e));
        clade_store_relaxed(h.head + CLADE_FRONT_W_SIZE, count);
        cladei_heap_count_wi(head->inserts, (count + CLADE_HEAP_BATCH - 1u) / CLADE_HEAP_BATCH);
        clade_store_relaxed(&head->ticket, CLADE_BULK_NO_MORE);
    }
}

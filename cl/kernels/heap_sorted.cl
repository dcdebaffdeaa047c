/* SPDX-License-Identifier: Apache-2.0 */
/* Inserts and pops of many keys at once, of the top-down and bottom-up engines on CPUs, by sorting:
 * launched by lib/heap/sorted.c. An array in order, cut into nodes, is a heap. So a call brings its
 * keys together (`encode`, `gather`), sorts them by radix (`count`, `scan`, `move` for each digit),
 * and `finish` gives the first ones out and makes nodes of the others. Only `finish` changes the
 * heap: what is launched after a failure finds it as it was. Nobody else works on the heap
 * meanwhile.
 *
 * An insert into a heap that is not empty has its keys sorted, and the engine's own kernel inserts
 * them from the side where they are; or, if they were in order, from the caller's array. Batches of
 * a sorted array are far apart: most nodes on a batch's way lie wholly before it and are skipped,
 * where a batch of any keys is merged with each of them.
 *
 * Groups are one item each. Each has a tile, an equal share of the keys.
 *
 * Check: CLADE_HEAP_KEY_TYPE=1..6 CLADE_HEAP_VALUE_TYPE=0,2,5 CLADE_HEAP_ORDER=0,1 CLADE_HEAP_ENGINE=1
 * Check: CLADE_HEAP_KEY_TYPE=2 CLADE_HEAP_ENGINE=2 CLADE_HEAP_BATCH=64,1024
 */

#include "clade/shared/heap_sorted.h"
#include "clade/heap.clh"
#include "clade/heap/open.clh"

#define CLADEI_SORTED_SIZED __attribute__((reqd_work_group_size(1, 1, 1)))

typedef clade_heap_image cladei_sorted_key;
typedef clade_heap_stored cladei_sorted_value;

/* Keys and values on two sides: a pass moves them from one to the other. */
#define CLADEI_SORTED_SIDES                                                     \
    __global cladei_sorted_key *keys_0, __global cladei_sorted_value *values_0, \
        __global cladei_sorted_key *keys_1, __global cladei_sorted_value *values_1

/* Where tile `tile` of `count` keys begins. */
CLADE_INLINE uint cladei_sorted_tile(uint count, uint tile)
{
    return (uint)((ulong)count * tile / get_num_groups(0));
}

CLADE_INLINE uint cladei_sorted_first(uint count)
{
    return cladei_sorted_tile(count, (uint)get_group_id(0));
}

CLADE_INLINE uint cladei_sorted_end(uint count)
{
    return cladei_sorted_tile(count, (uint)get_group_id(0) + 1u);
}

CLADE_INLINE uint cladei_sorted_word(__global clade_atomic_u32 *plan, uint word)
{
    return clade_load_relaxed(plan + word);
}

/* Keys that are sorted, when it is known whether they are in order. */
CLADE_INLINE uint cladei_sorted_count(__global clade_atomic_u32 *plan)
{
    const bool goes = cladei_sorted_word(plan, CLADE_SORTED_IN_ORDER) == 0 ||
                      cladei_sorted_word(plan, CLADE_SORTED_UNSORTED) == 0;
    return goes ? cladei_sorted_word(plan, CLADE_SORTED_COUNT) : 0u;
}

CLADE_INLINE __global uint *cladei_sorted_counts(__global clade_atomic_u32 *plan)
{
    return (__global uint *)plan + CLADE_SORTED_COUNTS +
           get_group_id(0) * (size_t)CLADE_SORTED_DIGITS;
}

CLADE_INLINE uint cladei_sorted_digit(cladei_sorted_key key, uint pass)
{
    return (uint)(key >> pass * CLADE_SORTED_BITS) & (CLADE_SORTED_DIGITS - 1u);
}

CLADE_INLINE __global cladei_sorted_key *cladei_sorted_slots(__global void *heap)
{
    const uint nodes = ((__global clade_heap_head *)heap)->nodes;
    return (__global cladei_sorted_key *)((__global uchar *)heap + CLADE_HEAP_KEYS_AT(nodes));
}

CLADE_INLINE __global cladei_sorted_value *cladei_sorted_slot_values(__global void *heap)
{
    const uint nodes = ((__global clade_heap_head *)heap)->nodes;
    return (__global cladei_sorted_value *)((__global uchar *)heap +
                                            CLADE_HEAP_VALUES_AT(nodes, clade_heap_batch,
                                                                 sizeof(cladei_sorted_key)));
}

#include "clade/heap/tree/runs.clh"

/* --- bringing the keys together --------------------------------------------------------------- */

/* One item: decide, and begin the plan. `least`: of a pop, from so many keys inside on. */
CLADE_INLINE void cladei_sorted_begin_wi(__global void *heap, __global clade_atomic_u32 *plan,
                                         ulong count, uint least, uint is_pop)
{
    __global clade_heap_head *head = (__global clade_heap_head *)heap;
    const ulong inside = clade_heap_size_hint_wi(heap);
    const bool pays = !is_pop || (inside >= least && count >= inside / CLADE_SORTED_PART_LEAST);
    const bool goes = pays && clade_load_relaxed(&head->verdict) == 0 &&
                      clade_load_relaxed(&head->nan) == CLADE_HEAP_NO_NAN;
    clade_store_relaxed(plan + CLADE_SORTED_COUNT, !goes ? 0u : (uint)(is_pop ? inside : count));
    clade_store_relaxed(plan + CLADE_SORTED_TAKEN, is_pop ? (uint)min(count, inside) : 0u);
    clade_store_relaxed(plan + CLADE_SORTED_NODES, clade_load_relaxed(&head->count));
    clade_store_relaxed(plan + CLADE_SORTED_UNSORTED, 0u);
    clade_store_relaxed(plan + CLADE_SORTED_TO, 0u);
    clade_store_relaxed(plan + CLADE_SORTED_RUNS, 0u);
    clade_store_relaxed(plan + CLADE_SORTED_IN_ORDER,
                        is_pop && count < inside / CLADE_SORTED_PART ? 1u : 0u);
    clade_store_relaxed(plan + CLADE_SORTED_HANDS_ON, !is_pop && inside > 0 ? 1u : 0u);
}

/* The keys of an insert. */
CLADE_INLINE void cladei_sorted_encode_wi(__global clade_atomic_u32 *plan,
                                          __global const cladei_sorted_key *keys, ulong first,
                                          __global const cladei_sorted_value *values,
                                          ulong values_first, __global cladei_sorted_key *keys_0,
                                          __global cladei_sorted_value *values_0)
{
    const uint count = cladei_sorted_word(plan, CLADE_SORTED_COUNT),
               begin = cladei_sorted_first(count);
    const uint end = cladei_sorted_end(count);
    cladei_sorted_key before = 0;
    uint falls = 0;
#ifndef CLADE_PLANT_SORTED_SEAM
    if (begin > 0)
        before = clade_heap_encode(keys[first + begin - 1u]);
#endif
    for (uint i = begin; i < end; i++) {
        const cladei_sorted_key key = clade_heap_encode(keys[first + i]);
        falls += key < before ? 1u : 0u;
        before = key;
        keys_0[i] = key;
        if (clade_heap_values)
            values_0[i] = values[values_first + i];
    }
    cladei_sorted_counts(plan)[CLADEI_SORTED_FALLS] = falls;
    if (falls != 0)
        clade_store_relaxed(plan + CLADE_SORTED_UNSORTED, 1u);
}

/* One item: whether an insert's keys are in order. It looks at few keys if they are not. */
CLADE_INLINE bool cladei_sorted_is_in_order(__global const cladei_sorted_key *keys, uint count)
{
    uint falls = 0, i = 1;
    for (; i + CLADEI_SORTED_MANY <= count && falls == 0; i += CLADEI_SORTED_MANY)
        for (uint k = 0; k < CLADEI_SORTED_MANY; k++)
            falls |= clade_heap_encode(keys[i + k]) < clade_heap_encode(keys[i + k - 1u]) ? 1u : 0u;
    for (; i < count && falls == 0; i++)
        falls |= clade_heap_encode(keys[i]) < clade_heap_encode(keys[i - 1u]) ? 1u : 0u;
    return falls == 0;
}

/* The keys of the heap, nodes first: in order, after calls like these. */
__kernel CLADEI_SORTED_SIZED void clade_heap_sorted_gather(__global void *heap,
                                                           __global clade_atomic_u32 *plan,
                                                           __global cladei_sorted_key *keys_0,
                                                           __global cladei_sorted_value *values_0)
{
    __global clade_heap_head *head = (__global clade_heap_head *)heap;
    __global const cladei_sorted_key *slots = cladei_sorted_slots(heap);
    __global const cladei_sorted_value *slot_values = cladei_sorted_slot_values(heap);
    const uint count = cladei_sorted_word(plan, CLADE_SORTED_COUNT),
               begin = cladei_sorted_first(count);
    const uint end = cladei_sorted_end(count), in_nodes = count - clade_load_relaxed(&head->buffer);
    /* The root's keys lie at its slot's end, and the other nodes' behind them. */
#ifdef CLADE_PLANT_SORTED_ROOT
    const uint root_at = clade_heap_batch;
#else
    const uint root_at = 2u * clade_heap_batch - clade_load_relaxed(&head->root);
#endif
    cladei_sorted_key before = 0;
    uint unsorted = 0;
    if (begin > 0)
        before = slots[begin - 1u < in_nodes ? root_at + begin - 1u : begin - 1u - in_nodes];
    for (uint i = begin; i < end; i++) {
        const uint at = i < in_nodes ? root_at + i : i - in_nodes;
        const cladei_sorted_key key = slots[at];
        unsorted |= key < before;
        before = key;
        keys_0[i] = key;
        if (clade_heap_values)
            values_0[i] = slot_values[at];
    }
    if (unsorted)
        clade_store_relaxed(plan + CLADE_SORTED_UNSORTED, 1u);
}

/* --- sorting: stably, by whole runs of keys, after `encode` ----------------------------------- */

/* Each tile lists its runs, if there are few. */
CLADE_INLINE void cladei_sorted_find_runs_wi(__global clade_atomic_u32 *plan,
                                             __global const cladei_sorted_key *keys_0,
                                             __global cladei_sorted_run *runs)
{
    const uint count = cladei_sorted_word(plan, CLADE_SORTED_COUNT);
    const uint tiles = (uint)get_num_groups(0), room = CLADE_SORTED_RUNS_MOST(count) / tiles;
    const uint begin = cladei_sorted_first(count), end = cladei_sorted_end(count);
    if (cladei_sorted_has_runs(plan, count, tiles))
        cladei_sorted_counts(plan)[CLADEI_SORTED_FOUND] =
            begin < end
                ? cladei_sorted_find_runs(keys_0, begin, end, runs + get_group_id(0) * room, room)
                : 0u;
}

/* One item: where each run goes. If merging chains takes longer than digits do, these sort. */
CLADE_INLINE void cladei_sorted_sort_runs_wi(__global clade_atomic_u32 *plan,
                                             __global const cladei_sorted_key *keys_0,
                                             __global cladei_sorted_run *runs, uint tiles)
{
    const uint count = cladei_sorted_word(plan, CLADE_SORTED_COUNT);
    __global cladei_sorted_run *sorted;
    uint n;
    if (!cladei_sorted_has_runs(plan, count, tiles))
        return;
    n = cladei_sorted_sum(plan, CLADEI_SORTED_FOUND, tiles);
    if (n == CLADEI_SORTED_NONE)
        return;
    cladei_sorted_join_lists(plan, runs, CLADE_SORTED_RUNS_MOST(count) / tiles, tiles);
    sorted = cladei_sorted_sort_runs(runs, n);
    if (cladei_sorted_chain_runs(keys_0, sorted, n) > count)
        return;
    clade_store_relaxed(plan + CLADE_SORTED_RUNS, n);
    clade_store_relaxed(plan + CLADE_SORTED_RUNS_AT, sorted == runs ? 0u : n);
    clade_store_relaxed(plan + CLADE_SORTED_UNSORTED, 0u);
    clade_store_relaxed(plan + CLADE_SORTED_TO, 1u);
}

/* Keys and their values, from one place to another one that does not overlap it. A call: PoCL would
 * compile each copy of its loops. */
static __attribute__((noinline)) void cladei_sorted_copy_wi(
    __global const cladei_sorted_key *from, __global const cladei_sorted_value *from_values,
    __global cladei_sorted_key *to, __global cladei_sorted_value *to_values, uint n)
{
    for (uint i = 0; i < n; i++)
        to[i] = from[i];
    if (clade_heap_values)
        for (uint i = 0; i < n; i++)
            to_values[i] = from_values[i];
}

/* The runs, and chains of them, that begin in a tile. */
CLADE_INLINE void cladei_sorted_move_runs_wi(__global clade_atomic_u32 *plan, CLADEI_SORTED_SIDES,
                                             __global cladei_sorted_run *runs)
{
    const uint n = cladei_sorted_word(plan, CLADE_SORTED_RUNS);
    const uint count = cladei_sorted_word(plan, CLADE_SORTED_COUNT);
    const uint end = n != 0 ? cladei_sorted_end(count) : 0u;
    uint r = 0;
    if (n != 0) {
        runs += cladei_sorted_word(plan, CLADE_SORTED_RUNS_AT);
        r = cladei_sorted_run_at(runs, n, cladei_sorted_first(count));
    }
    for (; r < n && runs[r].place < end; r++) {
        __global cladei_sorted_run *chain = runs + r;
        uint place = chain->place;
        if (chain->runs == 1u)
            cladei_sorted_copy_wi(keys_0 + chain->start, values_0 + chain->start, keys_1 + place,
                                  values_1 + place, chain->end - chain->start);
        else if (chain->runs > 1u)
            for (uint next;
                 (next = cladei_sorted_next_run(keys_0, chain, chain->runs)) < chain->runs;
                 place++) {
                const uint i = chain[next].start++;
                keys_1[place] = keys_0[i];
                if (clade_heap_values)
                    values_1[place] = values_0[i];
            }
    }
}

/* --- sorting: stably, by one digit after the other, the lowest first -------------------------- */

CLADE_INLINE void cladei_sorted_count_wi(__global clade_atomic_u32 *plan,
                                         __global const cladei_sorted_key *keys_0,
                                         __global const cladei_sorted_key *keys_1, uint pass)
{
    __global uint *counts = cladei_sorted_counts(plan);
    __global const cladei_sorted_key *keys =
        cladei_sorted_word(plan, CLADE_SORTED_TO) ? keys_1 : keys_0;
    const uint count = cladei_sorted_count(plan), end = cladei_sorted_end(count);
    if (count == 0 || cladei_sorted_word(plan, CLADE_SORTED_UNSORTED) == 0)
        return;
    for (uint d = 0; d < CLADE_SORTED_DIGITS; d++)
        counts[d] = 0;
    for (uint i = cladei_sorted_first(count); i < end; i++)
        counts[cladei_sorted_digit(keys[i], pass)]++;
}

/* One item: counts become places. A pass in which all keys have one digit is left out. */
CLADE_INLINE void cladei_sorted_scan_wi(__global clade_atomic_u32 *plan, uint tiles)
{
    __global uint *counts = cladei_sorted_counts(plan);
    const uint count = cladei_sorted_count(plan), from = cladei_sorted_word(plan, CLADE_SORTED_TO);
    bool needed = false;
    uint place = 0;
    clade_store_relaxed(plan + CLADE_SORTED_FROM, from);
    if (count == 0 || cladei_sorted_word(plan, CLADE_SORTED_UNSORTED) == 0)
        return;
    for (uint d = 0; d < CLADE_SORTED_DIGITS; d++) {
        const uint before = place;
        for (uint t = 0; t < tiles; t++) {
            const uint here = counts[t * CLADE_SORTED_DIGITS + d];
            counts[t * CLADE_SORTED_DIGITS + d] = place;
            place += here;
        }
        needed |= place != before && place - before != count;
    }
    if (needed)
        clade_store_relaxed(plan + CLADE_SORTED_TO, 1u - from);
}

CLADE_INLINE void cladei_sorted_move_wi(__global clade_atomic_u32 *plan, CLADEI_SORTED_SIDES,
                                        uint pass)
{
    __global uint *places = cladei_sorted_counts(plan);
    const uint from = cladei_sorted_word(plan, CLADE_SORTED_FROM);
    const uint count = cladei_sorted_count(plan), end = cladei_sorted_end(count);
    __global const cladei_sorted_key *keys = from ? keys_1 : keys_0;
    __global const cladei_sorted_value *values = from ? values_1 : values_0;
    __global cladei_sorted_key *to_keys = from ? keys_0 : keys_1;
    __global cladei_sorted_value *to_values = from ? values_0 : values_1;
    if (cladei_sorted_word(plan, CLADE_SORTED_TO) == from)
        return;
    for (uint i = cladei_sorted_first(count); i < end; i++) {
        const cladei_sorted_key key = keys[i];
        const uint place = places[cladei_sorted_digit(key, pass)]++;
        to_keys[place] = key;
        if (clade_heap_values)
            to_values[place] = values[i];
    }
}

/* --- the outcome ------------------------------------------------------------------------------ */

/* Words of nodes 1 .. `nodes` filled ones, and of those that are not any more. */
CLADE_INLINE void cladei_sorted_set_nodes(__global void *heap,
                                          __global const cladei_sorted_key *kept, uint nodes,
                                          uint before)
{
    __global clade_heap_node *all =
        (__global clade_heap_node *)((__global uchar *)heap + CLADE_HEAP_NODES_AT);
    for (uint v = 1u + (uint)get_group_id(0); v <= max(nodes, before);
         v += (uint)get_num_groups(0)) {
        if (v <= nodes) {
#ifdef CLADE_PLANT_SORTED_LAST
            const cladei_sorted_key last = kept[(v - 1u) * clade_heap_batch];
#else
            const cladei_sorted_key last = kept[v * clade_heap_batch - 1u];
#endif
            clade_store_relaxed(&all[v].last[0], (uint)last);
            clade_store_relaxed(&all[v].last[1], (uint)((ulong)last >> 32));
        }
#ifdef CLADE_PLANT_SORTED_EMPTY
        if (v <= nodes)
#endif
            clade_store_relaxed(&all[v].state, v <= nodes ? CLADE_HEAP_AVAIL : CLADE_HEAP_EMPTY);
    }
}

CLADE_INLINE void cladei_sorted_add(__global uint *words, uint n)
{
    const ulong sum = ((ulong)words[1] << 32 | words[0]) + n;
    words[0] = (uint)sum;
    words[1] = (uint)(sum >> 32);
}

/* The heap's words, with `rest` keys inside. The counts are those of the engine's own batches. */
CLADE_INLINE void cladei_sorted_set_head(__global clade_heap_head *head, uint rest, uint taken,
                                         ulong asked, uint is_pop)
{
    const ulong batches = (asked + clade_heap_batch - 1u) / clade_heap_batch;
    clade_store_relaxed(&head->count, rest / clade_heap_batch);
    clade_store_relaxed(&head->root, rest >= clade_heap_batch ? clade_heap_batch : 0u);
    clade_store_relaxed(&head->buffer, rest % clade_heap_batch);
    clade_store_relaxed(&head->ticket, CLADE_SORTED_NO_MORE);
    if (is_pop) {
        cladei_sorted_add(head->popped, taken);
        cladei_heap_count_wi(head->pops, (uint)min(batches, (ulong)taken / clade_heap_batch + 1u));
    } else {
        cladei_sorted_add(head->inserted, rest);
        cladei_heap_count_wi(head->inserts, (uint)batches);
    }
}

/* A tile's keys that stay, number `begin` to `end` of them, become nodes and buffer. */
CLADE_INLINE void cladei_sorted_keep_wi(__global void *heap, __global const cladei_sorted_key *keys,
                                        __global const cladei_sorted_value *values, uint begin,
                                        uint end, uint in_nodes)
{
    __global cladei_sorted_key *slots = cladei_sorted_slots(heap);
    __global cladei_sorted_value *slot_values = cladei_sorted_slot_values(heap);
    const uint split = min(max(in_nodes, begin), end), rest = max(split, in_nodes) - in_nodes;
    cladei_sorted_copy_wi(keys + begin, values + begin, slots + clade_heap_batch + begin,
                          slot_values + clade_heap_batch + begin, split - begin);
    cladei_sorted_copy_wi(keys + split, values + split, slots + rest, slot_values + rest,
                          end - split);
}

/* The first keys go out, the others become nodes and buffer. Of an insert into a heap that is not
 * empty the engine's kernel takes them from where they are, and the heap stays as it is. */
CLADE_INLINE void cladei_sorted_finish_wi(__global void *heap, __global clade_atomic_u32 *plan,
                                          CLADEI_SORTED_SIDES, __global cladei_sorted_key *out,
                                          ulong out_first, __global cladei_sorted_value *out_values,
                                          ulong out_values_first, ulong asked, uint is_pop)
{
    const uint side = cladei_sorted_word(plan, CLADE_SORTED_TO);
    __global const cladei_sorted_key *keys = side ? keys_1 : keys_0;
    __global const cladei_sorted_value *values = side ? values_1 : values_0;
    const uint count = cladei_sorted_count(plan), end = cladei_sorted_end(count);
    const uint taken = cladei_sorted_word(plan, CLADE_SORTED_TAKEN), rest = count - taken;
    const uint begin = cladei_sorted_first(count), out_end = min(end, taken);
    if (count == 0 || cladei_sorted_word(plan, CLADE_SORTED_HANDS_ON) != 0)
        return;
    for (uint i = begin; i < out_end; i++) {
        out[out_first + i] = clade_heap_decode(keys[i]);
        if (clade_heap_values)
            out_values[out_values_first + i] = values[i];
    }
    cladei_sorted_keep_wi(heap, keys + taken, values + taken, max(begin, taken) - taken,
                          max(end, taken) - taken, rest / clade_heap_batch * clade_heap_batch);
    cladei_sorted_set_nodes(heap, keys + taken, rest / clade_heap_batch,
                            cladei_sorted_word(plan, CLADE_SORTED_NODES));
    if (get_group_id(0) == 0)
        cladei_sorted_set_head((__global clade_heap_head *)heap, rest, taken, asked, is_pop);
}

/* --- launches --------------------------------------------------------------------------------- */

__kernel CLADEI_SORTED_SIZED void clade_heap_sorted_begin(__global void *heap,
                                                          __global clade_atomic_u32 *plan,
                                                          ulong count, uint least, uint is_pop)
{
    cladei_sorted_begin_wi(heap, plan, count, least, is_pop);
}

__kernel CLADEI_SORTED_SIZED void
clade_heap_sorted_encode(__global clade_atomic_u32 *plan, __global const cladei_sorted_key *keys,
                         ulong first, __global const cladei_sorted_value *values,
                         ulong values_first, __global cladei_sorted_key *keys_0,
                         __global cladei_sorted_value *values_0)
{
    cladei_sorted_encode_wi(plan, keys, first, values, values_first, keys_0, values_0);
}

__kernel CLADEI_SORTED_SIZED void
clade_heap_sorted_find_runs(__global clade_atomic_u32 *plan,
                            __global const cladei_sorted_key *keys_0,
                            __global cladei_sorted_run *runs)
{
    cladei_sorted_find_runs_wi(plan, keys_0, runs);
}

__kernel CLADEI_SORTED_SIZED void
clade_heap_sorted_sort_runs(__global clade_atomic_u32 *plan,
                            __global const cladei_sorted_key *keys_0,
                            __global cladei_sorted_run *runs, uint tiles)
{
    cladei_sorted_sort_runs_wi(plan, keys_0, runs, tiles);
}

__kernel CLADEI_SORTED_SIZED void clade_heap_sorted_move_runs(__global clade_atomic_u32 *plan,
                                                              CLADEI_SORTED_SIDES,
                                                              __global cladei_sorted_run *runs)
{
    cladei_sorted_move_runs_wi(plan, keys_0, values_0, keys_1, values_1, runs);
}

__kernel CLADEI_SORTED_SIZED void clade_heap_sorted_count(__global clade_atomic_u32 *plan,
                                                          __global const cladei_sorted_key *keys_0,
                                                          __global const cladei_sorted_key *keys_1,
                                                          uint pass)
{
    cladei_sorted_count_wi(plan, keys_0, keys_1, pass);
}

__kernel CLADEI_SORTED_SIZED void clade_heap_sorted_scan(__global clade_atomic_u32 *plan,
                                                         uint tiles)
{
    cladei_sorted_scan_wi(plan, tiles);
}

__kernel CLADEI_SORTED_SIZED void clade_heap_sorted_move(__global clade_atomic_u32 *plan,
                                                         CLADEI_SORTED_SIDES, uint pass)
{
    cladei_sorted_move_wi(plan, keys_0, values_0, keys_1, values_1, pass);
}

__kernel CLADEI_SORTED_SIZED void
clade_heap_sorted_finish(__global void *heap, __global clade_atomic_u32 *plan, CLADEI_SORTED_SIDES,
                         __global cladei_sorted_key *out, ulong out_first,
                         __global cladei_sorted_value *out_values, ulong out_values_first,
                         ulong asked, uint is_pop)
{
    cladei_sorted_finish_wi(heap, plan, keys_0, values_0, keys_1, values_1, out, out_first,
                            out_values, out_values_first, asked, is_pop);
}

/* An insert of so few keys that one item sorts them: all of it in one launch, for each launch takes
 * as long as a thousand keys. `opens`: this is the call's first launch. */
__kernel CLADEI_SORTED_SIZED void clade_heap_sorted_alone(
    __global void *heap, __global clade_atomic_u32 *plan, __global const cladei_sorted_key *keys,
    ulong first, __global const cladei_sorted_value *values, ulong values_first,
    CLADEI_SORTED_SIDES, __global cladei_sorted_run *runs, ulong asked, uint opens)
{
    if (opens)
        clade_heap_open_wi(heap, asked);
    cladei_sorted_begin_wi(heap, plan, asked, 0u, 0u);
    if (cladei_sorted_word(plan, CLADE_SORTED_HANDS_ON) != 0 &&
        cladei_sorted_is_in_order(keys + first, cladei_sorted_word(plan, CLADE_SORTED_COUNT))) {
        clade_store_relaxed(plan + CLADE_SORTED_TO, CLADE_SORTED_RAW);
        return;
    }
    cladei_sorted_encode_wi(plan, keys, first, values, values_first, keys_0, values_0);
    cladei_sorted_find_runs_wi(plan, keys_0, runs);
    cladei_sorted_sort_runs_wi(plan, keys_0, runs, 1u);
    cladei_sorted_move_runs_wi(plan, keys_0, values_0, keys_1, values_1, runs);
    for (uint pass = 0; pass < CLADE_SORTED_PASSES(sizeof(cladei_sorted_key)); pass++) {
        cladei_sorted_count_wi(plan, keys_0, keys_1, pass);
        cladei_sorted_scan_wi(plan, 1u);
        cladei_sorted_move_wi(plan, keys_0, values_0, keys_1, values_1, pass);
    }
    cladei_sorted_finish_wi(heap, plan, keys_0, values_0, keys_1, values_1, keys_0, 0, values_0, 0,
                            asked, 0u);
}

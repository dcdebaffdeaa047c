/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels behind clade_rbtree_*: one work-item a key; launched by lib/rbtree/ops.c. Types come as
 * options (CLADE_RBTREE_KEY_TYPE, ...). Arrays come as a buffer and the first element's index.
 *
 * What the library can ask for (`cladec --check`): every key, values by their width, leaves of the
 * default size and of the least and the most keys.
 * Check: CLADE_RBTREE_KEY_TYPE=1,2,4,5 CLADE_RBTREE_VALUE_TYPE=0,2,5
 * Check: CLADE_RBTREE_KEY_TYPE=2,5 CLADE_RBTREE_VALUE_TYPE=0,2,5 CLADE_RBTREE_LEAF_CAPACITY=1,2,30
 * Check: CLADE_RBTREE_KEY_TYPE=1,2,4,5 CLADE_RBTREE_VALUE_TYPE=0,2,5 CLADE_RBTREE_RANKED=1
 */

#include "clade/rbtree/types.clh"
#include "clade/base/busy.clh"
#include "clade/rbtree.clh"

/* Which kernels: 1 those of inserts and sizes, 2 of inserts by groups, 3 of erasing, 4 of finding
 * and seeking, 5 of ranges, 6 of ranges downwards, 7 of ranks; 0 all. */
#ifndef CLADE_PART
#define CLADE_PART 0
#endif

/* The end of an item, and of all turns. */
static inline void finish(__global clade_rbtree_head *tree, __global int *statuses, ulong first,
                          uint i, int status, uint has, uint again, __global clade_atomic_u32 *busy)
{
    if (status == CLADE_E_FULL)
        clade_store_relaxed(&busy[CLADE_BUSY_FULL], 1u);
    cladei_busy_finish_wi(&tree->object, has & CLADE_RBTREE_GIVEN_STATUSES, statuses, first, i,
                          status, again, busy);
}

static inline void finish_all(__global clade_rbtree_head *tree, uint n, uint items, uint has,
                              uint again, __global clade_atomic_u32 *busy)
{
    cladei_busy_rest_wi(&tree->object, has & CLADE_RBTREE_GIVEN_STATUSES, n, items, again, busy);
}

#if CLADE_PART == 0 || CLADE_PART == 1

static inline ulong apart(cladei_rbtree_key a, cladei_rbtree_key b)
{
#if CLADE_RBTREE_IS_WIDE
    const ulong x = (ulong)a ^ CLADE_RBTREE_FLIP, y = (ulong)b ^ CLADE_RBTREE_FLIP;
#else
    const uint x = (uint)a ^ CLADE_RBTREE_FLIP, y = (uint)b ^ CLADE_RBTREE_FLIP;
#endif
    return x < y ? y - x : x - y;
}

/* Whether neighbours in the array are neighbours as keys: at most places of a sample the next key
 * is 2^CLADE_RBTREE_ROW_BITS times nearer than the key of the sample's next place. The sample is
 * the same for all items, so all find the same. `count` is at least 2. */
#define SAMPLE 8u
#ifndef CLADE_RBTREE_ROW_BITS
#define CLADE_RBTREE_ROW_BITS 10
#endif
static inline bool lie_in_rows(__global const cladei_rbtree_key *keys, uint count)
{
    const uint step = count / (SAMPLE + 1u);
    uint rows = 0;
#if !CLADE_CPU
    _Pragma("unroll")
#endif
    for (uint n = 0; n < SAMPLE; n++) {
        const cladei_rbtree_key key = keys[n * step];
        const cladei_rbtree_key far = keys[(n + 1u) % SAMPLE * step];
        rows +=
            apart(key, keys[n * step + 1u]) < apart(key, far) >> CLADE_RBTREE_ROW_BITS ? 1u : 0u;
    }
    return rows > SAMPLE / 2u;
}

/* With a stride, and keys that lie in rows, items that run at the same time take keys far apart, so
 * that they do not meet in one leaf: the n-th key is number n * stride. The stride and the number
 * of keys have no common divisor, so each key is taken once. Otherwise neighbouring items take
 * neighbouring keys, so that they read them together; so does the second launch. */
__kernel void clade_rbtree_insert(__global clade_rbtree_head *tree,
                                  __global const cladei_rbtree_key *keys, ulong first_key,
                                  __global const cladei_rbtree_value *values, ulong first_value,
                                  __global int *statuses, ulong first_status, uint count, uint mode,
                                  uint has, uint again, __global clade_atomic_u32 *busy,
                                  uint stride)
{
    const uint items = cladei_busy_items_wi(count, again, busy);
    const bool spreads = stride > 1u && lie_in_rows(&keys[first_key], count);
    uint n = (uint)get_global_id(0);
    for (; n < items; n += (uint)get_global_size(0)) {
        const uint m = spreads ? (uint)((ulong)n * stride % items) : n;
        const uint i = cladei_busy_item_wi(m, again, busy);
        const cladei_rbtree_key key = keys[first_key + i];
        const cladei_rbtree_value value =
            (has & CLADE_RBTREE_GIVEN_VALUES) ? values[first_value + i] : 0;
        const int status = clade_rbtree_insert_or_put_wi(tree, key, value, mode);
        finish(tree, statuses, first_status, i, status, has, again, busy);
    }
    finish_all(tree, n, items, has, again, busy);
}

/* Statuses of a second way to insert the same keys replace those of the first that ask for one. */
__kernel void clade_rbtree_amend(__global int *statuses, ulong first, __global const int *second,
                                 uint count)
{
    const uint i = (uint)get_global_id(0);
    if (i >= count)
        return;
    const int status = statuses[first + i];
    if (status == CLADE_E_FULL || status == CLADE_E_BUSY)
        statuses[first + i] = second[i];
}

/* Counts the keys of all live leaves: *size grows, low word first. */
__kernel void clade_rbtree_size(__global clade_rbtree_head *tree, __global clade_atomic_u32 *size)
{
    const clade_rbtree_pools t = clade_rbtree_open(tree);
    const uint leaves = min(clade_load_relaxed(&tree->leaves_used), tree->leaf_total);
    uint keys = 0;
    for (uint i = (uint)get_global_id(0); i < leaves; i += (uint)get_global_size(0)) {
        __global const uint *leaf = (__global const uint *)clade_rbtree_leaf_at(t, i);
        keys += (leaf[0] & CLADE_RBTREE_DEAD) ? 0u : CLADE_RBTREE_COUNT(leaf[1]);
    }
    if (keys > 0) {
        uint before = clade_add_relaxed(&size[0], keys);
        if (before + keys < before)
            clade_add_relaxed(&size[1], 1u);
    }
}

#endif
#if CLADE_PART == 0 || CLADE_PART == 2

/* By groups, which sort their keys: for keys that come in runs. */
__kernel void clade_rbtree_insert_groups(__global clade_rbtree_head *tree,
                                         __global const cladei_rbtree_key *keys, ulong first_key,
                                         __global const cladei_rbtree_value *values,
                                         ulong first_value, __global int *statuses,
                                         ulong first_status, uint count, uint mode, uint has,
                                         __global clade_atomic_u32 *busy)
{
    CLADE_LOCAL clade_rbtree_scratch scratch;
    const uint i = (uint)get_global_id(0);
    const bool active = i < count;
    const cladei_rbtree_key key = active ? keys[first_key + i] : 0;
    const cladei_rbtree_value value =
        active && (has & CLADE_RBTREE_GIVEN_VALUES) ? values[first_value + i] : 0;
    /* Not insert or put by a condition: PoCL 3.1 runs barriers under one wrong. */
    const int status = clade_rbtree_insert_or_put_wg(tree, key, value, active, &scratch, mode);
    if (active)
        finish(tree, statuses, first_status, i, status, has, 0u, busy);
}

#endif
#if CLADE_PART == 0 || CLADE_PART == 3

__kernel void clade_rbtree_erase(__global clade_rbtree_head *tree,
                                 __global const cladei_rbtree_key *keys, ulong first_key,
                                 __global cladei_rbtree_value *values, ulong first_value,
                                 __global int *statuses, ulong first_status, uint count, uint has,
                                 uint again, __global clade_atomic_u32 *busy)
{
    const uint items = cladei_busy_items_wi(count, again, busy);
    uint n = (uint)get_global_id(0);
    for (; n < items; n += (uint)get_global_size(0)) {
        const uint i = cladei_busy_item_wi(n, again, busy);
        cladei_rbtree_value value = 0;
        const int status = clade_rbtree_erase_wi(tree, keys[first_key + i], &value);
        if ((has & CLADE_RBTREE_GIVEN_VALUES) && status == CLADE_OK)
            values[first_value + i] = value;
        finish(tree, statuses, first_status, i, status, has, again, busy);
    }
    finish_all(tree, n, items, has, again, busy);
}

#endif
#if CLADE_PART == 0 || CLADE_PART == 4

#if CLADE_CPU
/* An item has neighbouring keys, and looks for one that equals the one before no second time. */
__kernel void clade_rbtree_find(__global clade_rbtree_head *tree,
                                __global const cladei_rbtree_key *keys, ulong first_key,
                                __global cladei_rbtree_value *values, ulong first_value,
                                __global int *statuses, ulong first_status, uint count, uint has)
{
    const uint begin = (uint)get_global_id(0) * CLADE_RBTREE_RUN;
    const uint end = min(count, begin + CLADE_RBTREE_RUN);
    cladei_rbtree_key before = 0;
    cladei_rbtree_value value = 0;
    int status = CLADE_E_NOT_FOUND;
    for (uint i = begin; i < end; i++) {
        const cladei_rbtree_key key = keys[first_key + i];
        if (i == begin || key != before)
            status = clade_rbtree_find_still_wi(tree, key, &value);
        if ((has & CLADE_RBTREE_GIVEN_VALUES) && status == CLADE_OK)
            values[first_value + i] = value;
        if (has & CLADE_RBTREE_GIVEN_STATUSES)
            statuses[first_status + i] = status;
        before = key;
    }
}
#else
/* Nobody changes the tree meanwhile: the host's calls on a tree do not overlap. */
__kernel void clade_rbtree_find(__global clade_rbtree_head *tree,
                                __global const cladei_rbtree_key *keys, ulong first_key,
                                __global cladei_rbtree_value *values, ulong first_value,
                                __global int *statuses, ulong first_status, uint count, uint has)
{
    const uint i = (uint)get_global_id(0);
    if (i >= count)
        return;
    cladei_rbtree_value value = 0;
    const int status = clade_rbtree_find_still_wi(tree, keys[first_key + i], &value);
    if ((has & CLADE_RBTREE_GIVEN_VALUES) && status == CLADE_OK)
        values[first_value + i] = value;
    if (has & CLADE_RBTREE_GIVEN_STATUSES)
        statuses[first_status + i] = status;
}
#endif

/* keys[i] becomes the key that was found. */
__kernel void clade_rbtree_seek(__global clade_rbtree_head *tree,
                                __global const cladei_rbtree_key *keys, ulong first_key,
                                __global cladei_rbtree_key *found, ulong first_found,
                                __global cladei_rbtree_value *values, ulong first_value,
                                __global int *statuses, ulong first_status, uint count, uint what,
                                uint has)
{
    const uint i = (uint)get_global_id(0);
    if (i >= count)
        return;
    cladei_rbtree_key key = keys[first_key + i];
    cladei_rbtree_value value = 0;
    const bool up = what == CLADE_RBTREE_LOWER || what == CLADE_RBTREE_NEXT;
    const bool strict = what == CLADE_RBTREE_NEXT || what == CLADE_RBTREE_PREV;
    const int status = clade_rbtree_seek_from(tree, &key, &value, up, strict);
    if (status == CLADE_OK) {
        found[first_found + i] = key;
        if (has & CLADE_RBTREE_GIVEN_VALUES)
            values[first_value + i] = value;
    }
    if (has & CLADE_RBTREE_GIVEN_STATUSES)
        statuses[first_status + i] = status;
}

#endif
#if CLADE_PART == 0 || CLADE_PART == 5

/* Ranges' results by whole groups, where scattered stores are dear. */
#ifndef CLADE_RBTREE_RANGE_TOGETHER
#define CLADE_RBTREE_RANGE_TOGETHER (!CLADE_CPU)
#endif

/* Query i's entries go to places i * limit on. Nobody changes the tree meanwhile. */
__kernel void clade_rbtree_range(__global clade_rbtree_head *tree,
                                 __global const cladei_rbtree_key *lows, ulong first_low,
                                 __global const cladei_rbtree_key *highs, ulong first_high,
                                 __global cladei_rbtree_key *keys, ulong first_key,
                                 __global cladei_rbtree_value *values, ulong first_value,
                                 __global uint *counts, ulong first_count, uint count, uint limit,
                                 uint has)
{
    const uint i = (uint)get_global_id(0);
    const bool active = i < count;
    const cladei_rbtree_key low = active ? lows[first_low + i] : 0;
    const cladei_rbtree_key high = active ? highs[first_high + i] : 0;
    uint got = 0;
#if CLADE_RBTREE_RANGE_TOGETHER
    CLADE_LOCAL clade_rbtree_range_scratch scratch;
    const ulong row = (ulong)(get_group_id(0) * get_local_size(0)) * limit;
    const int status = clade_rbtree_range_still_wg(
        tree, low, high, limit, keys + first_key + row,
        (has & CLADE_RBTREE_GIVEN_VALUES) ? values + first_value + row : 0, &got, active, &scratch);
#else
    const ulong row = (ulong)i * limit;
    const int status = clade_rbtree_range_still_wi(
        tree, low, high, active ? limit : 0u, keys + first_key + row,
        (has & CLADE_RBTREE_GIVEN_VALUES) ? values + first_value + row : 0, &got);
#endif
    if (active) {
        counts[first_count + i] = got;
        cladei_busy_tell_wi(&tree->object, false, 0, 0, i, status);
    }
}

#endif
#if CLADE_PART == 0 || CLADE_PART == 6

/* The same, greatest keys first. */
__kernel void clade_rbtree_range_down(__global clade_rbtree_head *tree,
                                      __global const cladei_rbtree_key *lows, ulong first_low,
                                      __global const cladei_rbtree_key *highs, ulong first_high,
                                      __global cladei_rbtree_key *keys, ulong first_key,
                                      __global cladei_rbtree_value *values, ulong first_value,
                                      __global uint *counts, ulong first_count, uint count,
                                      uint limit, uint has)
{
    const uint i = (uint)get_global_id(0);
    const ulong row = (ulong)i * limit;
    uint got = 0;
    if (i >= count)
        return;
    const int status = clade_rbtree_range_down_still_wi(
        tree, lows[first_low + i], highs[first_high + i], limit, keys + first_key + row,
        (has & CLADE_RBTREE_GIVEN_VALUES) ? values + first_value + row : 0, &got);
    counts[first_count + i] = got;
    cladei_busy_tell_wi(&tree->object, false, 0, 0, i, status);
}

#endif
#if CLADE_PART == 0 || CLADE_PART == 7

/* Of a ranked tree; kernels/rbtree_bulk.cl has those for others. */
__kernel void clade_rbtree_rank_ranked(__global clade_rbtree_head *tree,
                                       __global const cladei_rbtree_key *keys, ulong first,
                                       uint count, __global uint *ranks, ulong first_rank)
{
    const uint i = (uint)get_global_id(0);
    uint rank = 0;
    if (i >= count)
        return;
    const int status = clade_rbtree_rank_wi(tree, keys[first + i], &rank);
    ranks[first_rank + i] = rank;
    cladei_busy_tell_wi(&tree->object, false, 0, 0, i, status);
}

/* keys[i], values[i]: the entry that ranks[i] others are less than; 0 where there is none. */
__kernel void clade_rbtree_select_ranked(__global clade_rbtree_head *tree,
                                         __global const uint *ranks, ulong first_rank, uint count,
                                         __global cladei_rbtree_key *keys, ulong first,
                                         __global cladei_rbtree_value *values, ulong first_value,
                                         __global int *statuses, ulong first_status, uint has)
{
    const uint i = (uint)get_global_id(0);
    cladei_rbtree_key key = 0;
    cladei_rbtree_value value = 0;
    if (i >= count)
        return;
    const int status = clade_rbtree_select_wi(tree, ranks[first_rank + i], &key, &value);
    keys[first + i] = key;
    if (has & CLADE_RBTREE_GIVEN_VALUES)
        values[first_value + i] = value;
    if (has & CLADE_RBTREE_GIVEN_STATUSES)
        statuses[first_status + i] = status;
}

#endif

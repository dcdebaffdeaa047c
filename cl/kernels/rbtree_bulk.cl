/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels of the red-black tree's bulk path, launched by lib/rbtree/bulk.c: sort a batch of keys,
 * take the tree apart into sorted arrays ("old"), bring both together, build leaves and routers
 * anew. Nothing else uses the tree meanwhile, so loads are plain.
 *
 * Router m stands between leaves m - 1 and m; the router of leaves lo .. hi - 1 is (lo + hi) / 2,
 * its rank the floor of log2(hi - lo). Halving makes gaps of 1, or 0 beside powers of two, and
 * never two of 0 in a row: a strict red-black tree, without a link being followed.
 *
 * What the library can ask for (`cladec --check`): as cl/kernels/rbtree.cl, with the sort's shape
 * for GPUs by the key's width, and for CPUs.
 * Check: CLADE_RBTREE_KEY_TYPE=1,2 CLADE_RBTREE_VALUE_TYPE=0,2,5 CLADEI_RADIX_GROUP=256 CLADEI_RADIX_TILE=2048 CLADEI_RADIX_BITS=4
 * Check: CLADE_RBTREE_KEY_TYPE=4,5 CLADE_RBTREE_VALUE_TYPE=0,2,5 CLADEI_RADIX_GROUP=256 CLADEI_RADIX_TILE=1024 CLADEI_RADIX_BITS=4
 * Check: CLADE_RBTREE_KEY_TYPE=2,5 CLADE_RBTREE_VALUE_TYPE=0,5 CLADEI_RADIX_GROUP=512 CLADEI_RADIX_TILE=2048,4096 CLADEI_RADIX_BITS=8 CLADEI_RADIX_PEERS=1
 * Check: CLADE_RBTREE_KEY_TYPE=1,2,4,5 CLADE_RBTREE_VALUE_TYPE=0,2,5 CLADEI_RADIX_GROUP=1 CLADEI_RADIX_TILE=16384 CLADEI_RADIX_BITS=8
 * Check: CLADE_RBTREE_KEY_TYPE=2,5 CLADE_RBTREE_VALUE_TYPE=0,5 CLADE_RBTREE_LEAF_CAPACITY=1,30
 */

#include "clade/rbtree/types.clh"
#include "clade/base/object.clh"
#include "clade/rbtree.clh"

#ifndef CLADEI_RADIX_GROUP
#define CLADEI_RADIX_GROUP 256
#define CLADEI_RADIX_TILE  2048
#define CLADEI_RADIX_BITS  4
#endif

typedef clade_rbtree_leaf leaf_type;
typedef clade_rbtree_router router_type;
#if CLADE_RBTREE_IS_WIDE
typedef ulong cladei_radix_key;
#define KEY_TOP 0xfffffffffffffffful
#else
typedef uint cladei_radix_key;
#define KEY_TOP 0xffffffffu
#endif
#define CLADEI_RADIX_FLIP CLADE_RBTREE_FLIP
#include "clade/base/radix.clh"

/* --- sort and scan --------------------------------------------------------------------------- */

__kernel void clade_rbtree_images(__global const cladei_rbtree_key *keys, ulong first, uint count,
                                  __global cladei_radix_key *images, __global uint *items)
{
    const uint i = (uint)get_global_id(0);
    if (i >= count)
        return;
    images[i] = (cladei_radix_key)keys[first + i] ^ (cladei_radix_key)CLADE_RBTREE_FLIP;
    items[i] = i;
}

__kernel void clade_rbtree_user_keys(__global const cladei_radix_key *images, uint count,
                                     __global cladei_rbtree_key *keys, ulong first)
{
    const uint i = (uint)get_global_id(0);
    if (i < count)
        keys[first + i] = (cladei_rbtree_key)(images[i] ^ (cladei_radix_key)CLADE_RBTREE_FLIP);
}

/* *unsorted: bit 0 when keys descend somewhere, bit 1 when neighbours are equal. */
__kernel void clade_rbtree_unsorted(__global const cladei_radix_key *images, uint count,
                                    __global clade_atomic_u32 *unsorted)
{
    const uint i = (uint)get_global_id(0);
    if (i + 1u >= count || images[i] < images[i + 1u])
        return;
    const uint found = images[i] == images[i + 1u] ? 2u : 1u;
    if ((clade_load_relaxed(unsorted) & found) == 0u) /* else all of equal keys would meet there */
        clade_or_relaxed(unsorted, found);
}

/* `first`: where the keys begin, in the pass that reads the user's. */
__kernel void clade_rbtree_sort_count(__global const cladei_radix_key *keys, ulong first,
                                      uint count, uint shift, __global uint *histogram, uint tiles,
                                      uint is_first)
{
#if CLADEI_RADIX_GROUP == 1
    CLADE_LOCAL uint counts[CLADEI_RADIX_DIGITS];
#else
    CLADE_LOCAL clade_atomic_u32 counts[CLADEI_RADIX_DIGITS * CLADEI_RADIX_COPIES];
#endif
    cladei_radix_count_tile(keys + first, count, shift, histogram, tiles, is_first, counts);
}

__kernel void clade_rbtree_sort_move(__global const cladei_radix_key *keys, ulong first,
                                     __global const uint *items, __global cladei_radix_key *to_keys,
                                     __global uint *to_items, uint count, uint shift,
                                     __global const uint *starts, uint tiles, uint is_first)
{
#if CLADEI_RADIX_GROUP == 1
    CLADE_LOCAL uint next[CLADEI_RADIX_DIGITS];
    cladei_radix_move_tile(keys + first, items, to_keys, to_items, count, shift, starts, tiles,
                           is_first, next);
#else
    CLADE_LOCAL cladei_radix_local local_memory;
    cladei_radix_move_tile(keys + first, items, to_keys, to_items, count, shift, starts, tiles,
                           is_first, &local_memory);
#endif
}

__kernel void clade_rbtree_scan_tiles(__global uint *data, uint count, __global uint *sums,
                                      uint first_sum, uint is_max)
{
    CLADE_LOCAL uint totals[CLADEI_RADIX_GROUP];
    cladei_radix_scan_tile(data, count, sums + first_sum, totals, is_max);
}

/* The same for an upper level of a scan, which lies in `sums` itself. */
__kernel void clade_rbtree_scan_sums(__global uint *sums, uint first, uint count, uint first_sum,
                                     uint is_max)
{
    CLADE_LOCAL uint totals[CLADEI_RADIX_GROUP];
    cladei_radix_scan_tile(sums + first, count, sums + first_sum, totals, is_max);
}

/* Bring the scanned sums of tiles to the tiles' elements. */
__kernel void clade_rbtree_scan_spread(__global uint *data, uint first, uint count,
                                       __global const uint *sums, uint first_sum, uint is_max)
{
    const uint i = (uint)get_global_id(0);
    if (i >= count)
        return;
    const uint tile = i / CLADEI_RADIX_TILE;
    if (!is_max)
        data[first + i] += sums[first_sum + tile];
    else if (tile > 0)
        data[first + i] = max(data[first + i], sums[first_sum + tile - 1u]);
}

/* --- taking the tree apart ------------------------------------------------------------------- */

static inline __global leaf_type *leaf_at(__global clade_rbtree_head *tree, uint index)
{
    return clade_rbtree_leaf_at(clade_rbtree_open(tree), index);
}

static inline uint live(__global leaf_type *leaf)
{
    return (clade_load_relaxed(&leaf->meta) & CLADE_RBTREE_DEAD) ? 0u : 1u;
}

/* flags[i]: leaf i is in the tree; one element more than leaves. */
__kernel void clade_rbtree_leaves_live(__global clade_rbtree_head *tree, uint leaves,
                                       __global uint *flags)
{
    const uint i = (uint)get_global_id(0);
    if (i <= leaves)
        flags[i] = i < leaves ? live(leaf_at(tree, i)) : 0u;
}

/* List them, by the scanned flags. */
__kernel void clade_rbtree_leaves_list(__global clade_rbtree_head *tree, uint leaves,
                                       __global const uint *places, __global cladei_radix_key *lows,
                                       __global uint *indices)
{
    const uint i = (uint)get_global_id(0);
    if (i >= leaves || !live(leaf_at(tree, i)))
        return;
    lows[places[i]] = leaf_at(tree, i)->low;
    indices[places[i]] = i;
}

/* counts[j]: keys of the j-th leaf in order; one element more than leaves. */
__kernel void clade_rbtree_leaves_count(__global clade_rbtree_head *tree, uint leaves,
                                        __global const uint *indices, __global uint *counts)
{
    const uint j = (uint)get_global_id(0);
    if (j <= leaves)
        counts[j] = j < leaves ? CLADE_RBTREE_COUNT(leaf_at(tree, indices[j])->link) : 0u;
}

/* One item a slot: an entry's place is its leaf's first place and its rank in the leaf. */
__kernel void clade_rbtree_leaves_copy(__global clade_rbtree_head *tree, uint leaves,
                                       uint leaf_capacity, __global const uint *indices,
                                       __global const uint *places, __global cladei_radix_key *keys,
                                       __global cladei_rbtree_value *values)
{
    const uint j = (uint)get_global_id(0) / leaf_capacity;
    const uint slot = (uint)get_global_id(0) % leaf_capacity;
    if (j >= leaves)
        return;
    __global leaf_type *leaf = leaf_at(tree, indices[j]);
    const uint count = CLADE_RBTREE_COUNT(leaf->link);
    if (slot >= count)
        return;
    const cladei_radix_key key = leaf->keys[slot];
    uint rank = places[j];
    for (uint i = 0; i < count; i++)
        rank += leaf->keys[i] < key ? 1u : 0u;
    keys[rank] = key;
#if CLADE_RBTREE_HAS_VALUES
    values[rank] = leaf->values[slot];
#else
    (void)values;
#endif
}

/* --- bringing batch and old entries together ------------------------------------------------- */

/* The first place in keys[0 .. count - 1] whose key is not less. */
static inline uint lower_bound(__global const cladei_radix_key *keys, uint count,
                               cladei_radix_key key)
{
    uint low = 0, size = count;
    while (size > 0) {
        const uint left = size / 2u;
        const bool right = keys[low + left] < key;
        low = right ? low + left + 1u : low;
        size = right ? size - left - 1u : left;
    }
    return low;
}

#if CLADE_CPU
/* The same from place `low` on, when keys before it are less: by steps that double, for the next
 * key of a sorted batch mostly has its place near the one before. */
static inline uint lower_bound_from(__global const cladei_radix_key *keys, uint low, uint count,
                                    cladei_radix_key key)
{
    uint step = 1;
    while (step <= count - low && keys[low + step - 1u] < key) {
        low += step;
        step *= 2u;
    }
    return low + lower_bound(keys + low, min(step - 1u, count - low), key);
}
#endif

static inline void put_entry(__global clade_rbtree_head *tree, uint place, uint fill,
                             cladei_radix_key key, cladei_rbtree_value value)
{
    __global leaf_type *leaf = leaf_at(tree, place / fill);
    leaf->keys[place % fill] = key;
#if CLADE_RBTREE_HAS_VALUES
    leaf->values[place % fill] = value;
#else
    (void)value;
#endif
}

static inline uint subtree(uint low, uint high)
{
    return high - low == 1u ? CLADE_RBTREE_LEAF_LINK(low) : (low + high) / 2u << 1;
}

/* Router m, whose key is the least one of leaf m. */
static inline void fill_router(__global clade_rbtree_head *tree, uint leaves, uint m,
                               cladei_radix_key key)
{
    uint low = 0, high = leaves, middle = leaves / 2u;
    while (middle != m) { /* the interval that m halves: at most 27 steps */
        if (m < middle)
            high = middle;
        else
            low = middle;
        middle = (low + high) / 2u;
    }
    __global router_type *router = &clade_rbtree_open(tree).routers[m];
    router->key_ = key;
    router->left = subtree(low, m);
    router->right = subtree(m, high);
    clade_store_relaxed(&router->meta, (31u - clz(high - low)) * CLADE_RBTREE_RANK_ONE);
}

/* Entry i of the sorted batch: where it lies among the old ones, and whether it is the first of a
 * run of equal keys that are not there. With put the last of a run that is there gives its value to
 * the old entry. */
static inline void place_entry(uint i, uint place, __global const cladei_radix_key *keys,
                               __global const uint *items, uint count,
                               __global const cladei_radix_key *old_keys,
                               __global cladei_rbtree_value *old_values, uint old_count,
                               __global uint *places, __global uint *fresh,
                               __global const cladei_rbtree_value *values, ulong first_value,
                               uint mode, uint has)
{
    const cladei_radix_key key = keys[i];
    const bool there = place < old_count && old_keys[place] == key;
    const bool is_first = i == 0 || keys[i - 1u] != key;
    const bool is_last = i + 1u == count || keys[i + 1u] != key;
    places[i] = place;
    fresh[i] = is_first && !there ? 1u : 0u;
#if CLADE_RBTREE_HAS_VALUES
    if (there && is_last && mode == CLADE_RBTREE_PUT)
        old_values[place] = (has & CLADE_RBTREE_GIVEN_VALUES) ? values[first_value + items[i]] : 0;
#else
    (void)(old_values && values && items && first_value && mode && has && is_last);
#endif
}

/* All entries. One element of `fresh` more than entries. */
__kernel void clade_rbtree_place(__global const cladei_radix_key *keys, __global const uint *items,
                                 uint count, __global const cladei_radix_key *old_keys,
                                 __global cladei_rbtree_value *old_values, uint old_count,
                                 __global uint *places, __global uint *fresh,
                                 __global const cladei_rbtree_value *values, ulong first_value,
                                 uint mode, uint has)
{
#if CLADE_CPU
    const uint begin = (uint)get_global_id(0) * CLADE_RBTREE_RUN;
    const uint end = min(count, begin + CLADE_RBTREE_RUN);
    if (begin <= count && count < begin + CLADE_RBTREE_RUN)
        fresh[count] = 0;
    uint place = begin < end ? lower_bound(old_keys, old_count, keys[begin]) : 0u;
    for (uint i = begin; i < end; i++) {
        place = lower_bound_from(old_keys, place, old_count, keys[i]);
        place_entry(i, place, keys, items, count, old_keys, old_values, old_count, places, fresh,
                    values, first_value, mode, has);
    }
#else
    const uint i = (uint)get_global_id(0);
    if (i == count)
        fresh[i] = 0;
    if (i < count)
        place_entry(i, lower_bound(old_keys, old_count, keys[i]), keys, items, count, old_keys,
                    old_values, old_count, places, fresh, values, first_value, mode, has);
#endif
}

/* With fresh[] scanned: new entries go to their leaves, statuses to the caller, and to marks[p] how
 * many new ones lie before old entry p, where that grows. New ones beyond `room` are refused. */
__kernel void clade_rbtree_place_new(
    __global clade_rbtree_head *tree, __global const cladei_radix_key *keys,
    __global const uint *items, uint count, __global const cladei_radix_key *old_keys,
    uint old_count, __global const uint *places, __global const uint *fresh, __global uint *marks,
    __global const cladei_rbtree_value *values, ulong first_value, __global int *statuses,
    ulong first_status, uint mode, uint has, uint room, uint fill)
{
    const uint i = (uint)get_global_id(0);
    if (i >= count)
        return;
    const cladei_radix_key key = keys[i];
    const uint place = places[i], before = fresh[i + 1u];
    const bool there = place < old_count && old_keys[place] == key;
    const bool is_first = i == 0 || keys[i - 1u] != key;
    const bool is_last = i + 1u == count || keys[i + 1u] != key;
    const bool fits = there || before <= room;
    if (i + 1u == count || places[i + 1u] != place)
        marks[place] = before;
    if (!there && fits && (mode == CLADE_RBTREE_PUT ? is_last : is_first))
        put_entry(tree, place + before - 1u, fill, key,
                  (has & CLADE_RBTREE_GIVEN_VALUES) ? values[first_value + items[i]] : 0);
    const int status = !fits ? CLADE_E_FULL : there || !is_first ? CLADE_RBTREE_PRESENT : CLADE_OK;
    if (status != CLADE_OK && (has & CLADE_RBTREE_GIVEN_STATUSES))
        statuses[first_status + items[i]] = status;
    else if (!fits)
        cladei_object_note_wi(&tree->object, status, items[i]);
}

/* A GPU's group makes its leaves in local memory and writes them in a row: a line that is written
 * in parts costs a read. (A CPU's cache does that.) With leaves of the least keys it has most. */
#define LEAF_CAPACITY ((uint)(sizeof(((leaf_type *)0)->keys) / sizeof(cladei_radix_key)))
#define STAGED_FILL   (LEAF_CAPACITY < 2u ? 1u : LEAF_CAPACITY * 5u / 7u)
#define STAGED_LEAVES (CLADE_RBTREE_STAGED / STAGED_FILL)
#define LEAF_UNITS    ((uint)(sizeof(leaf_type) + 15u) / 16u)
#if CLADE_CPU && !defined(CLADE_SHIM)
#define IS_STAGED 0
#define STAGE     __global
#else
#define IS_STAGED 1
#define STAGE     __local
#endif

/* Leaf n of those that a group makes. */
static inline STAGE leaf_type *staged_leaf(STAGE uint4 *room, uint n)
{
    return (STAGE leaf_type *)(room + (size_t)n * LEAF_UNITS);
}

/* All of it but the entries. */
static inline void fill_head(STAGE leaf_type *leaf, __global const cladei_radix_key *keys,
                             uint count, uint fill, uint j)
{
    const uint rest = count - j * fill;
    leaf->low = j == 0u ? 0u : keys[j * fill];
    leaf->high = rest > fill ? keys[(j + 1u) * fill] - 1u : KEY_TOP;
    leaf->link = CLADE_RBTREE_PACK(rest > fill ? j + 2u : 0u, min(fill, rest));
    *(STAGE uint *)leaf = 0u; /* its meta word */
}

/* The same where nothing is old and no two keys are equal: entry i of the batch is entry i of the
 * tree. Leaves whole, and their routers. */
__kernel void clade_rbtree_place_all(__global clade_rbtree_head *tree,
                                     __global const cladei_radix_key *keys,
                                     __global const uint *items, uint count,
                                     __global const cladei_rbtree_value *values, ulong first_value,
                                     uint has, uint fill)
{
    const uint me = (uint)get_local_id(0), size = (uint)get_local_size(0);
    const uint leaves = (count + fill - 1u) / fill, each = CLADE_RBTREE_STAGED / fill;
    const uint first = (uint)get_group_id(0) * each, here = min(each, leaves - first);
    const uint entries = min(here * fill, count - first * fill);
    __global uint4 *to = (__global uint4 *)leaf_at(tree, first);
#if IS_STAGED
    CLADE_LOCAL uint4 room[STAGED_LEAVES * LEAF_UNITS];
    for (uint i = me; i < here * LEAF_UNITS * 4u; i += size)
        ((__local uint *)room)[i] = 0u;
    clade_barrier_local();
#else
    __global uint4 *room = to;
#endif
    for (uint e = me; e < entries; e += size) {
        STAGE leaf_type *leaf = staged_leaf(room, e / fill);
        const uint i = first * fill + e;
        leaf->keys[e % fill] = keys[i];
#if CLADE_RBTREE_HAS_VALUES
        leaf->values[e % fill] =
            (has & CLADE_RBTREE_GIVEN_VALUES) ? values[first_value + items[i]] : 0;
#else
        (void)(items && values && first_value && has);
#endif
    }
    for (uint n = me; n < here; n += size) {
        fill_head(staged_leaf(room, n), keys, count, fill, first + n);
        if (first + n > 0u)
            fill_router(tree, leaves, first + n, keys[(first + n) * fill]);
    }
#if IS_STAGED
    clade_barrier_local();
    for (uint i = me; i < here * LEAF_UNITS; i += size)
        to[i] = room[i];
#endif
}

/* Entry i of a sorted batch of erases: marks[p] = 1 where it meets old entry p. */
static inline void drop_entry(uint i, uint place, __global const cladei_radix_key *keys,
                              __global const uint *items, __global const cladei_radix_key *old_keys,
                              __global const cladei_rbtree_value *old_values, uint old_count,
                              __global uint *marks, __global cladei_rbtree_value *values,
                              ulong first_value, __global int *statuses, ulong first_status,
                              uint has)
{
    const cladei_radix_key key = keys[i];
    const bool there = place < old_count && old_keys[place] == key;
    const bool hit = there && (i == 0 || keys[i - 1u] != key);
    if (hit) {
        marks[place] = 1u;
        if (has & CLADE_RBTREE_GIVEN_VALUES)
            values[first_value + items[i]] = old_values[place];
    }
    if (!hit && (has & CLADE_RBTREE_GIVEN_STATUSES))
        statuses[first_status + items[i]] = CLADE_E_NOT_FOUND;
}

__kernel void clade_rbtree_drop(__global const cladei_radix_key *keys, __global const uint *items,
                                uint count, __global const cladei_radix_key *old_keys,
                                __global const cladei_rbtree_value *old_values, uint old_count,
                                __global uint *marks, __global cladei_rbtree_value *values,
                                ulong first_value, __global int *statuses, ulong first_status,
                                uint has)
{
#if CLADE_CPU
    const uint begin = (uint)get_global_id(0) * CLADE_RBTREE_RUN;
    const uint end = min(count, begin + CLADE_RBTREE_RUN);
    uint place = begin < end ? lower_bound(old_keys, old_count, keys[begin]) : 0u;
    for (uint i = begin; i < end; i++) {
        place = lower_bound_from(old_keys, place, old_count, keys[i]);
        drop_entry(i, place, keys, items, old_keys, old_values, old_count, marks, values,
                   first_value, statuses, first_status, has);
    }
#else
    const uint i = (uint)get_global_id(0);
    if (i < count)
        drop_entry(i, lower_bound(old_keys, old_count, keys[i]), keys, items, old_keys, old_values,
                   old_count, marks, values, first_value, statuses, first_status, has);
#endif
}

/* Old entries to their leaves. Erase: marks are scanned sums, of one element more than entries;
 * insert: they are scanned maxima. */
__kernel void clade_rbtree_move_old(__global clade_rbtree_head *tree,
                                    __global const cladei_radix_key *old_keys,
                                    __global const cladei_rbtree_value *old_values, uint old_count,
                                    __global const uint *marks, uint is_erase, uint room, uint fill)
{
    const uint i = (uint)get_global_id(0);
    if (i >= old_count || (is_erase && marks[i + 1u] != marks[i]))
        return;
    const uint place = is_erase ? i - marks[i] : i + min(marks[i], room);
#if CLADE_RBTREE_HAS_VALUES
    put_entry(tree, place, fill, old_keys[i], old_values[i]);
#else
    (void)old_values;
    put_entry(tree, place, fill, old_keys[i], 0);
#endif
}

/* --- building ------------------------------------------------------------------------------- */

__kernel void clade_rbtree_fill_leaves(__global clade_rbtree_head *tree, uint leaves, uint size,
                                       uint fill)
{
    const uint j = (uint)get_global_id(0);
    if (j >= leaves)
        return;
    __global leaf_type *leaf = leaf_at(tree, j);
    const bool is_last = j + 1u == leaves;
    leaf->low = j == 0u ? 0u : leaf->keys[0];
    leaf->high = is_last ? KEY_TOP : leaf_at(tree, j + 1u)->keys[0] - 1u;
    leaf->link = CLADE_RBTREE_PACK(is_last ? 0u : j + 2u, min(fill, size - j * fill));
    clade_store_relaxed(&leaf->meta, 0u);
}

__kernel void clade_rbtree_fill_routers(__global clade_rbtree_head *tree, uint leaves)
{
    const uint m = (uint)get_global_id(0) + 1u;
    if (m < leaves)
        fill_router(tree, leaves, m, leaf_at(tree, m)->keys[0]);
}

/* --- the index of a ranked tree -------------------------------------------------------------- */

static inline __global uint *words_at(__global clade_rbtree_head *tree, uint units)
{
    return (__global uint *)((__global uchar *)tree + (size_t)units * 16u);
}

/* Leaf i of `leaves` gets the slots from i * slots / leaves on. So this is the first leaf at a slot
 * or after it. */
static inline uint first_leaf_from(ulong slot, uint slots, uint leaves)
{
    return (uint)((min(slot, (ulong)slots) * leaves + slots - 1u) / slots);
}

/* Word w of all nodes: a version, or the keys of a run of slots, which are those of a run of
 * leaves. Also the place of leaf w, and the first leaf of slot w. */
__kernel void clade_rbtree_fill_index(__global clade_rbtree_head *tree, uint nodes, uint leaves,
                                      uint size, uint fill)
{
    const uint w = (uint)get_global_id(0), node = w / CLADE_RBTREE_NODE_WORDS;
    const uint slots = tree->slots;
    if (node >= nodes)
        return;
    uint level = 0;
    ulong span = 1;
    while (level + 1u < tree->levels && node >= tree->level_at[level + 1u]) {
        level++;
        span *= CLADE_RBTREE_NODE;
    }
    uint keys = 0;
    if (w % CLADE_RBTREE_NODE_WORDS != 0u) {
        const ulong at = (ulong)(node - tree->level_at[level]) * CLADE_RBTREE_NODE +
                         w % CLADE_RBTREE_NODE_WORDS - 1u;
        const ulong low = (ulong)first_leaf_from(at * span, slots, leaves) * fill;
        const ulong high = (ulong)first_leaf_from((at + 1u) * span, slots, leaves) * fill;
        keys = (uint)(min(high, (ulong)size) - min(low, (ulong)size));
    }
    words_at(tree, tree->nodes_at)[w] = keys;
    if (w < leaves) {
        __global uint *place = &words_at(tree, tree->places_at)[(size_t)w * 2u];
        place[0] = CLADE_RBTREE_PLACE((ulong)w * slots / leaves, 1u);
        place[1] = (uint)((w + 1ul) * slots / leaves);
    }
    if (w < slots) {
        const uint leaf = first_leaf_from(w, slots, leaves);
        const bool there = leaf < leaves && (ulong)leaf * slots / leaves == w;
        words_at(tree, tree->firsts_at)[w] = there ? leaf + 1u : 0u;
    }
}

/* --- rank and select -------------------------------------------------------------------------- */

/* ranks[i]: how many entries are less than key i. */
__kernel void clade_rbtree_rank(__global const cladei_rbtree_key *keys, ulong first, uint count,
                                __global const cladei_radix_key *entries, uint entry_count,
                                __global uint *ranks, ulong first_rank)
{
    const uint i = (uint)get_global_id(0);
    if (i < count)
        ranks[first_rank + i] =
            lower_bound(entries, entry_count,
                        (cladei_radix_key)keys[first + i] ^ (cladei_radix_key)CLADE_RBTREE_FLIP);
}

/* keys[i], values[i]: the entry that ranks[i] others are less than; 0 where there is none. */
__kernel void clade_rbtree_select(__global const uint *ranks, ulong first_rank, uint count,
                                  __global const cladei_radix_key *entries,
                                  __global const cladei_rbtree_value *entry_values,
                                  uint entry_count, __global cladei_rbtree_key *keys, ulong first,
                                  __global cladei_rbtree_value *values, ulong first_value,
                                  __global int *statuses, ulong first_status, uint has)
{
    const uint i = (uint)get_global_id(0);
    if (i >= count)
        return;
    const uint rank = ranks[first_rank + i];
    const bool there = rank < entry_count;
    keys[first + i] =
        there ? (cladei_rbtree_key)(entries[rank] ^ (cladei_radix_key)CLADE_RBTREE_FLIP) : 0;
#if CLADE_RBTREE_HAS_VALUES
    if (has & CLADE_RBTREE_GIVEN_VALUES)
        values[first_value + i] = there ? entry_values[rank] : 0;
#else
    (void)(entry_values && values && first_value);
#endif
    if (has & CLADE_RBTREE_GIVEN_STATUSES)
        statuses[first_status + i] = there ? CLADE_OK : CLADE_E_NOT_FOUND;
}

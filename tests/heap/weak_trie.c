/* SPDX-License-Identifier: Apache-2.0 */
/* The front engine's trie: an entry refers to a leaf or a directory whose unit was another one
 * before, and whoever walks there must see what it is now. The one free leaf is such a unit, and so
 * is the one free directory. With -DCONSUME_IS_RELAXED as on devices whose dialect has loads in
 * order that depend on each other, and nothing more: there who walks fences before it reads a leaf.
 */
#define CLADE_SPIN_LIMIT       200u
#define CLADE_HEAP_BATCH       4
#define CLADE_HEAP_LEAF        256
#define CLADE_FRONT_PUSH_LEAST 2u
#define CLADE_HEAP_KEY_TYPE    CLADE_U32
#define CLADE_HEAP_VALUE_TYPE  CLADE_U32
#define CLADE_GROUP_SCALAR     1
#define CLADE_LOCAL_BYTES      65536
#include "relacy/device.h"

#ifdef CONSUME_IS_RELAXED
#undef clade_load_consume
#define clade_load_consume(word) clade_load_relaxed(word)
#endif

#define CLADE_HEAP_ENGINE CLADE_HEAP_FRONT
#include "clade/heap.clh"

#include "heap/front/host_front.h"

enum { CAPACITY = 4096, LEAF = 256, KEY = 7, KEYS = 200, WIDE = 28 };

static clade_front_words heap;
static clade_heap_scratch scratch[2];
static uint unit, other; /* the free one; one more */
static uint directory;   /* the free one */

static clade_heap_front_heap opened(void)
{
    return clade_heap_front_open_wi(heap);
}

static clade_front_words words_of(uint leaf)
{
    return clade_heap_front_leaf(opened(), leaf);
}

void weak_setup(void)
{
    heap = host_front_new(CAPACITY, 4, LEAF);
    while (clade_front_claim_wi(heap, CLADE_FRONT_POOL_LEAVES, 1))
        other = unit, unit = clade_front_take_wi(heap, CLADE_FRONT_POOL_LEAVES, 0);
    while (clade_front_claim_wi(heap, CLADE_FRONT_POOL_DIRS, 1))
        directory = clade_front_take_wi(heap, CLADE_FRONT_POOL_DIRS, 0);
    weak_share(heap, host_front_bytes(CAPACITY, LEAF), "heap");
}

/* The leaf of the least keys, which is the first entry's. */
static uint first_leaf(void)
{
    return clade_load_relaxed(opened().entries) >> 1;
}

/* --- a leaf of one key was there, now one of many ----------------------------------------------
 */

static void begin_narrow(void)
{
    clade_front_words l = words_of(unit);
    clade_front_free_wi(heap, CLADE_FRONT_POOL_LEAVES, other);
    clade_heap_front_leaf_init_wi(opened(), unit, 0, 0, KEY, KEYS);
    clade_store_relaxed(l + CLADE_FRONT_L_COUNT, KEYS | CLADE_FRONT_SPLIT);
    clade_store_relaxed(l + CLADE_FRONT_L_CHAIN, CLADE_FRONT_CLOSED);
}

/* Who pushes a batch of one key wants a leaf of this key alone: others have no chains. */
static void widen_beside_push(uint me)
{
    clade_heap_front_heap h = opened();
    if (me == 0) {
        clade_heap_front_leaf_init_wi(h, unit, 0, WIDE, 0, KEYS);
        clade_exchange_acq_rel(h.entries, unit << 1);
    } else {
        const clade_front_push push = clade_heap_front_push_begin_wi(h, KEY, 4);
        WEAK_CHECK(push.onto == 0);
    }
}

/* --- a leaf of many keys was there, now one of one key, with a chain ---------------------------
 */

static void begin_wide(void)
{
    clade_heap_front_heap h = opened();
    const uint leaf = first_leaf();
    clade_front_words l = words_of(leaf), before = words_of(unit);
    clade_heap_front_leaf_init_wi(h, unit, 3, WIDE, 3u << WIDE, KEYS);
    clade_store_relaxed(before + CLADE_FRONT_L_COUNT, KEYS | CLADE_FRONT_FROZEN);
    clade_front_free_wi(heap, CLADE_FRONT_POOL_LEAVES, unit);
    /* A full leaf of the first key, whose splitter has its lock. */
    clade_heap_front_leaf_init_wi(h, leaf, 0, 0, 0, LEAF);
    clade_store_relaxed(l + CLADE_FRONT_L_COUNT, LEAF | CLADE_FRONT_SPLIT);
    clade_store_relaxed(l + CLADE_FRONT_L_LOCK, 1u);
}

/* The owner finds the leaf after the bound: the full one moves, and what takes its place has the
 * full one behind it. */
static void chain_beside_owner(uint me)
{
    clade_heap_front_heap h = opened();
    if (me == 0) {
        WEAK_CHECK(clade_heap_front_chain_wg(h, &scratch[0], first_leaf()) == CLADE_OK);
    } else {
        scratch[1].front.bounded = 0;
        const clade_heap_front_next next = clade_heap_front_next_leaf_wi(h, &scratch[1]);
        WEAK_CHECK(next.status != CLADE_OK ||
                   (next.leaf == unit && next.last == 0 && next.chained));
    }
}

/* --- a leaf of four entries is split in two of two entries each ------------------------------- */

static void begin_split(void)
{
    clade_heap_front_heap h = opened();
    clade_front_words l = words_of(first_leaf());
    clade_heap_front_leaf_init_wi(h, first_leaf(), 0, WIDE + 2, 0, LEAF);
    clade_store_relaxed(l + CLADE_FRONT_L_COUNT, LEAF | CLADE_FRONT_SPLIT);
    clade_store_relaxed(l + CLADE_FRONT_L_LOCK, 1u);
    clade_store_relaxed(words_of(unit) + CLADE_FRONT_L_COUNT, CLADE_FRONT_FROZEN);
    for (uint e = 0; e < 4; e++)
        clade_store_relaxed(h.entries + e, first_leaf() << 1);
}

static void split(void)
{
    clade_heap_front_heap h = opened();
    clade_front_split *now = &scratch[0].now.split;
    now->bits = 1;
    now->child[0] = unit;
    now->child[1] = other;
    const uint leaf = first_leaf();
    clade_heap_front_leaf_init_wi(h, unit, 0, WIDE + 1, 0, 0);
    clade_heap_front_leaf_init_wi(h, other, 2, WIDE + 1, 2u << WIDE, 0);
    clade_heap_front_split_publish_wg(h, &scratch[0], leaf, WIDE + 2);
}

/* The owner takes over the first of the two, which has no keys. */
static void split_beside_force(uint me)
{
    clade_heap_front_heap h = opened();
    if (me == 0) {
        split();
        return;
    }
    scratch[1].front.bounded = 0;
    const clade_heap_front_next next = clade_heap_front_next_leaf_wi(h, &scratch[1]);
    if (next.status == CLADE_OK && clade_heap_front_force_begin_wi(h, next.leaf).status == CLADE_OK)
        clade_heap_front_drain_wi(h, next.leaf);
}

/* The same, when it was looked up. */
static void split_beside_ring(uint me)
{
    clade_heap_front_heap h = opened();
    if (me == 0) {
        split();
        return;
    }
    clade_heap_front_refill *refill = &scratch[1].now.refill;
    uint leaf = 0;
    for (uint t = 0; t < CLADE_SPIN_LIMIT && leaf != unit; t++)
        leaf = clade_heap_front_walk_wi(h, 0).ref >> 1;
    if (leaf != unit)
        return;
    clade_fence_acquire();
    clade_store_relaxed(h.ring, leaf);
    clade_store_relaxed(h.ring + 1, clade_load_relaxed(words_of(leaf) + CLADE_FRONT_L_STAMP));
    clade_heap_front_inspect_wi(h, &scratch[1], 0, 0);
    clade_store_local(&refill->whole, 0u);
    clade_store_local(&refill->last, 0u);
    if (refill->good[0] == 2u)
        clade_heap_front_freeze_window_wg(h, &scratch[1], 1);
    clade_fence_acquire();
    if (clade_load_local(&refill->last) == 1u)
        clade_heap_front_drain_wi(h, leaf);
}

/* What is frozen is drained, and no entry refers to it; the other two are the second leaf's. */
static const char *expect_split(void)
{
    clade_heap_front_heap h = opened();
    const bool frozen = clade_load_relaxed(words_of(unit) + CLADE_FRONT_L_COUNT) != 0;
    for (uint e = 0; e < 4; e++)
        if (clade_load_relaxed(h.entries + e) != (e >= 2   ? other << 1
                                                  : frozen ? CLADE_FRONT_DRAINED
                                                           : unit << 1))
            return "an entry of a leaf that was split refers to another leaf";
    return NULL;
}

/* --- a leaf that keys come to is sorted ahead ---------------------------------------------------
 */

enum { BLOCK = 1 };

static void begin_sort(void)
{
    clade_heap_front_heap h = opened();
    clade_front_words l = words_of(first_leaf());
    clade_store_relaxed(l + CLADE_FRONT_L_BLOCK, BLOCK);
    for (uint i = 0; i < 2; i++)
        h.keys[clade_heap_front_slot_at(h, first_leaf(), i)] = 0;
    clade_store_relaxed(h.ring, first_leaf());
    clade_store_relaxed(h.ring + 1, clade_load_relaxed(l + CLADE_FRONT_L_STAMP));
    clade_store_relaxed(heap + CLADE_FRONT_W_RING_TAIL, 1u);
}

/* Two put one key each. Who sorts finds all slots stored that it is told of. */
static void put_beside_sort(uint me)
{
    clade_heap_front_heap h = opened();
    const uint leaf = first_leaf();
    clade_front_words l = words_of(leaf);
    if (me < 2) {
        const uint slot = clade_heap_front_reserve_in_wi(l, 1);
        h.keys[clade_heap_front_slot_at(h, leaf, slot)] = KEY;
        clade_fence_release();
        clade_add_relaxed(l + CLADE_FRONT_L_DONE, 1u);
        return;
    }
    const clade_front_locked locked = clade_heap_front_lock_unsorted_wi(h, 0);
    clade_fence_acquire();
    for (uint i = 0; locked.leaf != 0 && i < locked.keys; i++)
        WEAK_CHECK(h.keys[clade_heap_front_slot_at(h, leaf, i)] == KEY);
}

/* --- a directory of other entries was there, now one whose entries are all drained -------------
 */

/* The first entry is drained. Those of the free directory hold `before`. */
static void begin_directory(uint before)
{
    clade_heap_front_heap h = opened();
    clade_front_free_wi(heap, CLADE_FRONT_POOL_DIRS, directory);
    clade_store_relaxed(h.entries, CLADE_FRONT_DRAINED);
    clade_store_relaxed(h.dirs + CLADE_FRONT_D_DRAINED, 1u);
    for (uint e = 0; e < CLADE_FRONT_FAN; e++)
        clade_store_relaxed(h.entries + directory * CLADE_FRONT_FAN + e, before);
}

static void begin_dir_of_leaves(void)
{
    begin_directory(other << 1);
}

static void begin_dir_of_dirs(void)
{
    begin_directory(directory << 1 | 1u);
}

static void refine(void)
{
    WEAK_CHECK(clade_heap_front_refine_wi(opened(), 0, 0) == directory);
}

static void refine_beside_walk(uint me)
{
    if (me == 0)
        refine();
    else
        WEAK_CHECK(clade_heap_front_walk_wi(opened(), KEY).ref == CLADE_FRONT_DRAINED);
}

/* Who looks up leaves ahead lists those of the other entries alone. */
static void refine_beside_look(uint me)
{
    if (me == 0) {
        refine();
        return;
    }
    clade_heap_front_heap h = opened();
    clade_store_relaxed(heap + CLADE_FRONT_W_RING_STALE, 1u);
    clade_heap_front_look_ahead_wg(h, &scratch[1]);
    const uint tail = clade_load_relaxed(heap + CLADE_FRONT_W_RING_TAIL);
    for (uint at = 0; at < tail; at++)
        WEAK_CHECK(clade_load_relaxed(h.ring + 2u * at) != other);
}

/* Another owner, who finds the directory on its way to the key after the bound. */
static void refine_beside_spill(uint me)
{
    if (me == 0) {
        refine();
        return;
    }
    scratch[1].front.bounded = 1;
    scratch[1].front.bound = KEY - 1;
    WEAK_CHECK(clade_heap_front_spill_path_wi(opened(), &scratch[1]) <= 1);
}

const weak_world weak_worlds[] = {
    { "trie: a leaf of many keys comes, one pushes", 2, begin_narrow, widen_beside_push, NULL, 4000,
      0 },
    { "trie: a leaf is chained, one owns the front", 2, begin_wide, chain_beside_owner, NULL, 4000,
      0 },
    { "trie: a leaf is split, one owns the front", 2, begin_split, split_beside_force, expect_split,
      4000, 0 },
    { "trie: a leaf is split, one goes by the ring", 2, begin_split, split_beside_ring,
      expect_split, 4000, 0 },
    { "trie: a leaf is sorted, two put keys", 3, begin_sort, put_beside_sort, NULL, 40000, 0 },
#ifndef CONSUME_IS_RELAXED
    { "trie: a directory comes, one walks", 2, begin_dir_of_leaves, refine_beside_walk, NULL, 4000,
      0 },
    { "trie: a directory comes, one looks ahead", 2, begin_dir_of_leaves, refine_beside_look, NULL,
      400, 0 },
    { "trie: a directory comes, one spills", 2, begin_dir_of_dirs, refine_beside_spill, NULL, 4000,
      0 },
#endif
    { 0 },
};

const weak_needed weak_needed_orders[] = {
#ifdef CONSUME_IS_RELAXED
    { "clade_heap_front_push_begin_wi", "fence_acquire" },
    { "clade_heap_front_next_leaf_wi", "fence_acquire" },
#else
    { "clade_heap_front_walk_wi", "load_consume" },
    { "clade_heap_front_look_wi", "load_consume" },
    { "clade_heap_front_spill_path_wi", "load_consume" },
#endif
    { "clade_heap_front_take_over_wi", "exchange_acq_rel" },
    { "clade_heap_front_lock_unsorted_wi", "load_acquire" },
    { 0 },
};

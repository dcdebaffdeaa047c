/* SPDX-License-Identifier: Apache-2.0 */
/* A leaf that is full is taken to be split: others ask for slots in vain, and its keys come late.
 */
#pragma once

#include "heap/front/wait/later.h"

enum { FULL = 250, SPLITS = 5 }; /* the limit of leaf SPLITS, a leaf that ended early */

/* A group begins to split leaf SPLITS, whose words are the caller's. `keys`: how many it is told to
 * move, 0 for none. Its count is `count` then. */
static void split_begins(uint keys, uint count, const char *what)
{
    uint *line = expected + (clade_heap_front_leaf(h, SPLITS) - h.head);
    note();
    const clade_front_locked full = clade_heap_front_split_begin_wi(h, SPLITS);
    expect(!comes.at, "nobody came: this test sees nothing", count);
    expect_who_came();
    expect(full.leaf == (keys ? SPLITS : 0), what, count);
    expect(!keys || full.keys == keys, "keys of a leaf that is split", full.keys);
    line[CLADE_FRONT_L_COUNT] = count | (keys ? CLADE_FRONT_SPLIT : 0);
    line[CLADE_FRONT_L_LOCK] += keys != 0;
    expect_heap(what, count);
}

static clade_front_words full_leaf(uint shift, uint count, uint done)
{
    clade_front_words l = clade_heap_front_leaf(h, SPLITS);
    clade_heap_front_leaf_init_wi(h, SPLITS, 300, shift, BOUND, 0);
    clade_store_relaxed(l + CLADE_FRONT_L_LOCK, 0);
    clade_store_relaxed(l + CLADE_FRONT_L_LIMIT, FULL);
    clade_store_relaxed(l + CLADE_FRONT_L_COUNT, count);
    clade_store_relaxed(l + CLADE_FRONT_L_DONE, done);
    clade_store_relaxed(l + CLADE_FRONT_L_BLOCK, 9);
    return l;
}

/* Before it looks at the count, or between that and its compare-and-swap, somebody asks for a slot
 * in vain, freezes the leaf, or puts another one in its place. */
static void split_again(void)
{
    static const uint counts[] = { FULL - 1,
                                   FULL,
                                   FULL + 3,
                                   FULL | CLADE_FRONT_FROZEN,
                                   FULL | CLADE_FRONT_SPLIT,
                                   FULL | CLADE_FRONT_BEHIND };
    for (uint i = 0; i < 6; i++) {
        const uint count = (uint)(full_leaf(8, counts[i], FULL) - h.head) + CLADE_FRONT_L_COUNT;
        split_begins(i == 1 || i == 2 ? FULL : 0, counts[i], "a leaf to split");
        for (uint looks = 0; looks < 2; looks++) {
            (void)full_leaf(8, FULL, FULL);
            later(count, looks, count, counts[i]);
            split_begins(i == 1 || i == 2 ? FULL : 0, counts[i], "a leaf whose count has changed");
        }
    }
    clade_store_relaxed(full_leaf(8, FULL, FULL) + CLADE_FRONT_L_LOCK, 1);
    split_begins(0, FULL, "a leaf that is locked");
}

/* After so many looks at its limit all of its keys are there, or it turns out to end before. Who
 * takes a leaf of one key, which has a block, does not wait for them. */
static void split_waits(void)
{
    static const uint blocks[] = { 0, CLADE_FRONT_VOID };
    for (uint i = 0; i < FEW && few_looks[i] < LIMIT; i++) {
        const uint leaf = (uint)(full_leaf(8, FULL, FULL - 1) - h.head);
        const uint limit = leaf + CLADE_FRONT_L_LIMIT;
        later(limit, 1 + few_looks[i], leaf + CLADE_FRONT_L_DONE, FULL);
        split_begins(FULL, FULL, "a leaf whose keys come late");
        (void)full_leaf(8, FULL, FULL - 1);
        later(limit, 1 + few_looks[i], limit, FULL - 1);
        split_begins(FULL - 1, FULL, "a leaf that ends before");
    }
    (void)full_leaf(8, FULL, FULL - 1);
    split_begins(0, FULL, "a leaf whose keys do not come");
    (void)full_leaf(0, FULL, FULL - 1);
    split_begins(1, FULL, "a leaf of one key");
    for (uint i = 0; i < 2; i++) {
        clade_front_words l = full_leaf(0, FULL, FULL - 1);
        clade_store_relaxed(l + CLADE_FRONT_L_BLOCK, blocks[i]);
        split_begins(0, FULL, "a leaf of one key without a block");
    }
}

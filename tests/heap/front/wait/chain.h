/* SPDX-License-Identifier: Apache-2.0 */
/* A leaf comes onto a chain that another one closes, or puts a leaf onto, meanwhile. */
#pragma once

#include "heap/front/wait/later.h"

/* A leaf that is full enough for a batch of one key to be pushed onto its chain, and that batch. */
static void crowd(clade_front_words l)
{
    clade_store_relaxed(l + CLADE_FRONT_L_SHIFT, 0);
    clade_store_relaxed(l + CLADE_FRONT_L_COUNT, 200);
    for (uint i = 0; i < KEYS; i++) {
        s->keys[i] = BOUND;
        s->order[i] = (ushort)i;
    }
}

/* A batch of one key is to be pushed onto the chain of the key's leaf, which is closed between the
 * look at it and the push: nothing is, and each unit is back. `looks` 0: it is closed already. */
static void push_late(uint looks)
{
    const uint leaf = clade_heap_front_walk_wi(h, BOUND).ref >> 1;
    clade_front_words l = clade_heap_front_leaf(h, leaf);
    const uint chain = (uint)(l - h.head) + CLADE_FRONT_L_CHAIN;
    const uint shift = clade_load_relaxed(l + CLADE_FRONT_L_SHIFT);
    crowd(l);
    s->now.push.leaf = 0;
    note();
    later(chain, looks, chain, CLADE_FRONT_CLOSED);
    expect(!clade_heap_front_push_wg(h, s, KEYS), "a batch on a chain that is closed", looks);
    expect_who_came();
    expect((s->now.push.onto == leaf) == (looks > 0), "whether it was wanted", looks);
    if (looks > 0) {
        clade_front_words fresh = clade_heap_front_leaf(h, s->now.push.leaf);
        memcpy(expected + (fresh - h.head), (void *)fresh, CLADE_FRONT_LINE * sizeof *expected);
        memcpy(expected + CLADE_FRONT_W_HINT, (void *)(h.head + CLADE_FRONT_W_HINT),
               3 * sizeof *expected); /* where units came back last */
    }
    expect_heap("words of who pushes", looks);
    clade_store_relaxed(l + CLADE_FRONT_L_SHIFT, shift);
    clade_store_relaxed(l + CLADE_FRONT_L_COUNT, 0);
    set(chain, 0);
}

/* Another leaf comes onto the chain between the last look at it and the push, which is behind that
 * one then. */
static void push_again(void)
{
    enum { OTHER = 11 };
    const uint leaf = clade_heap_front_walk_wi(h, BOUND).ref >> 1;
    clade_front_words l = clade_heap_front_leaf(h, leaf);
    const uint chain = (uint)(l - h.head) + CLADE_FRONT_L_CHAIN;
    const uint shift = clade_load_relaxed(l + CLADE_FRONT_L_SHIFT);
    crowd(l);
    later(chain, 2, chain, OTHER);
    expect(clade_heap_front_push_wg(h, s, KEYS), "a push that another one overtakes", 0);
    expect(!comes.at, "nobody came: this test sees nothing", 0);
    const uint fresh = s->now.push.leaf;
    expect(clade_load_relaxed(h.head + chain) == fresh, "the leaf that was pushed", fresh);
    expect(clade_load_relaxed(clade_heap_front_leaf(h, fresh) + CLADE_FRONT_L_CHAIN) == OTHER,
           "the one behind it", fresh);
    comes.at = comes.word = NULL;
    clade_heap_front_free_run_wi(h, fresh);
    clade_store_relaxed(l + CLADE_FRONT_L_SHIFT, shift);
    clade_store_relaxed(l + CLADE_FRONT_L_COUNT, 0);
    set(chain, 0);
    seen++;
}

/* A front's owner chains a leaf, and another one comes onto the chain between its look and its
 * compare-and-swap: both are on it, and it is CLOSED if it was. */
static void chain_again(uint closed)
{
    enum { LEAF = 5, FRESH = 9, OTHER = 11, DEEPER = 13 };
    clade_front_words l = clade_heap_front_leaf(h, LEAF), fresh = clade_heap_front_leaf(h, FRESH);
    const uint chain = (uint)(l - h.head) + CLADE_FRONT_L_CHAIN;
    const uint had = clade_load_relaxed(l + CLADE_FRONT_L_CHAIN);
    const uint fresh_had = clade_load_relaxed(fresh + CLADE_FRONT_L_CHAIN);
    set(chain, DEEPER | closed);
    later(chain, 1, chain, OTHER | closed);
    clade_heap_front_chain_wi(l, fresh, FRESH);
    expect(!comes.at, "nobody came: this test sees nothing", closed);
    expect(clade_load_relaxed(l + CLADE_FRONT_L_CHAIN) == (FRESH | closed),
           "the leaf that was chained", closed);
    expect(clade_load_relaxed(fresh + CLADE_FRONT_L_CHAIN) == OTHER, "the one behind it", closed);
    comes.at = comes.word = NULL;
    set(chain, had);
    clade_store_relaxed(fresh + CLADE_FRONT_L_CHAIN, fresh_had);
    seen++;
}

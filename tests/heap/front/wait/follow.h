/* SPDX-License-Identifier: Apache-2.0 */
/* A batch's leaf is moving: its group waits for the one that takes its place. */
#pragma once

#include "heap/front/wait/later.h"

/* The batch's keys from i on belong to a leaf that is moving. After so many looks at the entry the
 * next leaf is there, of `full` keys; the keys are the front's when that is DRAINED. */
static void follow(uint looks, uint next, uint full)
{
    enum { LEAF = 5, AT = 300, I = 3 };
    const uint entry = (uint)(h.entries - h.head) + AT, count = next >> 1;
    const bool comes_early = looks < CLADE_FRONT_FOLLOWS, is_below = next == CLADE_FRONT_DRAINED;
    const bool gets = comes_early && !is_below && full < 256;
    clade_heap_front_leaf_init_wi(h, LEAF, AT, 0, BOUND, 256);
    clade_store_relaxed(clade_heap_front_leaf(h, LEAF) + CLADE_FRONT_L_COUNT,
                        256 | CLADE_FRONT_SPLIT);
    if (!is_below)
        clade_heap_front_leaf_init_wi(h, count, AT, 0, BOUND, full);
    set(entry, LEAF << 1);
    later(entry, looks, entry, next);
    s->each.append.ref[I] = LEAF << 1;
    clade_store_local(&s->each.append.nearest, 0u);
    note();
    const uint base = clade_heap_front_follow_wi(h, s, I, KEYS);
    expect(base == (gets                      ? full
                    : comes_early && is_below ? 0x80000000u + CLADE_FRONT_BELOW
                                              : 0x80000000u + CLADE_FRONT_AGAIN),
           "slots that it gets", base);
    expect(s->each.append.ref[I] == (comes_early && !is_below ? next : LEAF << 1), "its leaf",
           looks);
    expect(clade_load_local(&s->each.append.nearest) == 1, "others are told", looks);
    expect_who_came();
    if (gets)
        expected[clade_heap_front_leaf(h, count) + CLADE_FRONT_L_COUNT - h.head] += KEYS;
    expect_heap("words of who follows", looks);
}

static void follows(void)
{
    for (uint looks = 0; looks < CLADE_FRONT_FOLLOWS + 3; looks++) {
        follow(looks, 9 << 1, looks);
        follow(looks, 9 << 1, 256);
        follow(looks, CLADE_FRONT_DRAINED, 0);
    }
}

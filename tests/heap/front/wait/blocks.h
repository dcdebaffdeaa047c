/* SPDX-License-Identifier: Apache-2.0 */
/* A leaf gets its blocks, of which somebody else may give it one meanwhile, or say that it ends. */
#pragma once

#include "heap/front/wait/later.h"

#include "heap/front/host_units.h"

/* A leaf has `given` blocks, and then `ended` places that say VOID; its block b is wanted, and
 * `units` are left. `other`: what somebody else puts where the first empty place was, at look
 * number `looks` at it; 0: nobody. */
static void give(uint given, uint ended, uint b, uint units, uint other, uint looks)
{
    enum { LEAF = 5, BLOCK = 256 / CLADE_FRONT_BLOCKS, TOKENS = CLADE_FRONT_W_FREE };
    const uint at = (uint)(clade_heap_front_leaf(h, LEAF) - h.head);
    const uint blocks = at + CLADE_FRONT_L_BLOCK;
    const bool sees = other != 0 && looks == 0 && b > given;
    uint mine[CLADE_FRONT_BLOCKS], fresh = 0;
    for (uint i = 0; i < CLADE_FRONT_BLOCKS; i++)
        set(blocks + i, i < given ? 700 + i : i < given + ended ? CLADE_FRONT_VOID : 0);
    note();
    if (other != 0)
        later(blocks + given, looks, blocks + given, other);
    const uint got = clade_heap_front_ensure_wi(h, LEAF, b);
    expect(!comes.at, "nobody came: this test sees nothing", b);
    expect_who_came();
    for (uint i = min(b, given + ended + sees); i <= b; i++) {
        uint *word = expected + blocks + i;
        if (*word == 0 && ((i > 0 && word[-1] == CLADE_FRONT_VOID) || fresh == units)) {
            *word = CLADE_FRONT_VOID;
        } else if (*word == 0) {
            *word = mine[fresh++] = clade_load_relaxed(h.head + blocks + i);
            expect(*word != 0 && *word != CLADE_FRONT_VOID, "a block that is there to have", i);
            for (uint k = 0; k + 1 < fresh; k++)
                expect(mine[k] != *word, "a block twice", i);
        }
        if (*word == CLADE_FRONT_VOID)
            expected[at + CLADE_FRONT_L_LIMIT] = min(expected[at + CLADE_FRONT_L_LIMIT], i * BLOCK);
    }
    expect(got == expected[blocks + b], "the block that was wanted", b);
    expect(clade_load_relaxed(h.head + TOKENS) == expected[TOKENS] - fresh, "units that are left",
           b);
    for (uint i = 0; i < fresh && wrong == 0; i++)
        clade_front_free_wi(h.head, CLADE_FRONT_POOL_BLOCKS, mine[i]);
    memcpy(expected + CLADE_FRONT_W_HINT, (void *)(h.head + CLADE_FRONT_W_HINT),
           3 * sizeof *expected); /* where units came back last */
    expect_heap("words of a leaf and its blocks", b);
    for (uint i = 0; i < CLADE_FRONT_BLOCKS; i++)
        set(blocks + i, 0);
    set(at + CLADE_FRONT_L_LIMIT, 256);
}

static void gives(void)
{
    static const uint left[] = { 0, 1, 3, 20 }, before[] = { 0, 1, 2, 5, 15, 16 };
    for (uint u = 0; u < 4; u++) {
        const host_units hidden = host_units_hide((void *)h.head, CLADE_FRONT_POOL_BLOCKS, left[u]);
        for (uint i = 0; i < 6 * CLADE_FRONT_BLOCKS; i++) {
            const uint given = before[i % 6], b = i / 6;
            for (uint ended = 0; ended < 4 && given + ended <= CLADE_FRONT_BLOCKS; ended++)
                give(given, ended, b, left[u], 0, 0);
            for (uint looks = 0; given <= b && looks <= (b > given); looks++) {
                give(given, 0, b, left[u], 777, looks);
                give(given, 0, b, left[u], CLADE_FRONT_VOID, looks);
            }
        }
        host_units_show((void *)h.head, CLADE_FRONT_POOL_BLOCKS, hidden);
    }
}

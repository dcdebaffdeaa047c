/* SPDX-License-Identifier: Apache-2.0 */
/* Turns of a world that make more than one call, or ask more of it than the model knows. */
#pragma once

#include "heap/front/steps/judged.h"
#include "heap/front/steps/keys.h"
#include "heap/front/steps/shown.h"

/* A key or two that the front may have: one that has as many pieces as it may takes them, too. */
static void insert_few(void)
{
    const uint n = 1 + draw(2);
    for (uint i = 0; i < n; i++)
        call.keys[i] = inside[draw(size < 300 ? size : 300)];
    if (size + n <= capacity && next_id + n <= MOST)
        insert(n, false);
}

/* Pops that take over many leaves, and then keys all over the front. It is shortened for them where
 * it becomes too long: so some are the front's, and the others are not any more. */
static void crowd(void)
{
    uint left = 0;
    for (uint i = 0; i < 8 && left <= LEAF && size > 0; i++) {
        set(CLADE_FRONT_W_RECENT, 0); /* a hint */
        make(HELP, 60);
        pop(1 + draw(BATCH), false);
        left = clade_heap_front_left_of(word(CLADE_FRONT_W_WORD));
    }
    for (uint i = 0; i < BATCH && left > 0; i++)
        call.keys[i] = inside[draw(left < size ? left : size)];
    if (left > 0 && size + BATCH <= capacity && next_id + BATCH <= MOST)
        insert(BATCH, false);
}

/* How many keys a front is shortened to. */
static uint keep_some(void)
{
    return draw(3) == 0 ? 0u : draw(2) ? draw(40) : draw(1000);
}

/* Inserts of nothing give back what was retired before them, some units each. */
static void tidy(void)
{
    enum { ENOUGH = 60 };
    clade_front_words retired = (clade_front_words)heap + CLADE_FRONT_W_RETIRED;
    for (uint i = 0; i < ENOUGH; i++)
        insert(0, false);
    for (uint e = 0; e < 4; e++)
        expect(clade_load_relaxed(retired + e) == 0, "units are still retired, epoch", e, step_at);
    expect(word(CLADE_FRONT_W_READY) == 0, "units are still ready to be free", step_at, world_at);
}

/* Three keys in each of the first leaves: a pop takes over more of them than a short list has room
 * for. */
static void scatter(void)
{
    enum { KEYS = 3 * CLADE_FRONT_FAN, CALLS = 2 };
    for (uint c = 0; c < CALLS; c++) {
        for (uint i = 0; i < KEYS / CALLS; i++)
            call.keys[i] = (image)(LAST / KEYS) * (i * CALLS + c);
        insert(KEYS / CALLS, false);
    }
    pop(BATCH, false);
    check();
}

/* Leaves are sorted ahead, or not: slots that nobody has reserved stay as they are. */
static void help(uint times)
{
    const clade_heap_front_heap h = clade_heap_front_open_wi(heap);
    const size_t keys_at = (size_t)((char *)h.keys - (char *)heap);
    keep();
    make(HELP, times);
    for (uint leaf = 1; leaf < word(CLADE_FRONT_C_COUNT + CLADE_FRONT_POOL_LEAVES); leaf++) {
        clade_front_words l = clade_heap_front_leaf(h, leaf);
        for (uint i = word_of(l + CLADE_FRONT_L_COUNT); is_linked[leaf] && i < LEAF; i++) {
            const uint block = word_of(l + CLADE_FRONT_L_BLOCK + i * CLADE_FRONT_BLOCKS / LEAF);
            expect(block == 0 || block == CLADE_FRONT_VOID ||
                       memcmp((char *)kept + keys_at + place_of(h, leaf, i) * sizeof(image),
                              h.keys + place_of(h, leaf, i), sizeof(image)) == 0,
                   "a slot that nobody has reserved", i, step_at);
        }
    }
}

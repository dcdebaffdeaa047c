/* SPDX-License-Identifier: Apache-2.0 */
/* A group in a slot waits for the front, or for an owner who joins it to a round. */
#pragma once

#include "heap/front/wait/later.h"

enum { BY_NONE, BY_FRONT, BY_ROUND, BY_OTHERS };

/* `by`: what the wait ends by. */
static void await(uint state, uint word, uint usual, uint by)
{
    const uint at = (state * 5 + usual) % SLOTS;
    const bool gone = by == BY_NONE || by == BY_OTHERS;
    set(CLADE_FRONT_W_WORD, word);
    set(CLADE_FRONT_W_USUAL, usual);
    set(CLADE_FRONT_W_OFFERED, offered);
    set(slot_at(at), state);
    s->slot = at + 1;
    note();
    const clade_front_wait wait = clade_heap_front_await_wi(h, s);
    expect(wait.status == (by == BY_ROUND   ? CLADE_FRONT_NOTHING
                           : by == BY_FRONT ? CLADE_OK
                                            : CLADE_E_BUSY),
           "the end of a wait", by);
    expect(wait.overtaken == (by == BY_OTHERS), "overtaken", state);
    expect(wait.word == (by == BY_FRONT ? FREE_WORD : 0), "the front's word", wait.word);
    expect(wait.claimed == (gone && state == CLADE_FRONT_SLOT_CLAIMED), "claimed", state);
    expect_who_came();
    if (by == BY_FRONT) {
        expected[CLADE_FRONT_W_WORD] = OWNED_WORD;
    } else if (gone && state == CLADE_FRONT_SLOT_READY) {
        expected[slot_at(at)] = CLADE_FRONT_SLOT_TAKEN;
        expected[CLADE_FRONT_W_OFFERED] = offered - 1;
    } else if (gone) {
        expected[slot_at(at)] = CLADE_FRONT_SLOT_GONE;
    }
    expect_heap("words of who waits", by);
    set(slot_at(at), CLADE_FRONT_SLOT_FREE);
}

/* What comes after so many looks. */
static void await_later(uint state, uint looks)
{
    const uint at = slot_at(state * 5 % SLOTS);
    (void)place_bound(2, 0);
    later(at, looks, at, CLADE_FRONT_SLOT_JOINED);
    await(state, OWNED_WORD, 0, looks < LIMIT ? BY_ROUND : BY_NONE);
    later(CLADE_FRONT_W_BOUNDED, looks, at, CLADE_FRONT_SLOT_JOINED); /* after the slot's look */
    await(state, OWNED_WORD, 0, looks < LIMIT ? BY_ROUND : BY_NONE);
    later(CLADE_FRONT_W_WORD, looks, CLADE_FRONT_W_WORD, FREE_WORD);
    await(state, OWNED_WORD, 0, looks < LIMIT ? BY_FRONT : BY_NONE);
    later(CLADE_FRONT_W_BOUNDED, looks, CLADE_FRONT_W_BOUNDED, 0);
    await(state, OWNED_WORD, 0, looks < LIMIT ? BY_OTHERS : BY_NONE);
    (void)place_bound(0, 1);
    later(CLADE_FRONT_W_IS_AHEAD, looks, CLADE_FRONT_W_IS_AHEAD, 0);
    await(state, OWNED_WORD, 0, looks < LIMIT ? BY_OTHERS : BY_NONE);
}

/* How long it looks at a front that is free: until it takes that, somebody else may. */
static void lingers(void)
{
    (void)place_bound(2, 0);
    for (offered = 0; offered < 10; offered += 1 + offered / 2)
        for (uint usual = 0; usual < 7; usual++) {
            const bool waits = usual > CLADE_FRONT_FEW && usual > offered;
            const uint looks = waits ? usual * CLADE_FRONT_LINGER : 0;
            later(CLADE_FRONT_W_WORD, looks, CLADE_FRONT_W_WORD, OWNED_WORD);
            await(CLADE_FRONT_SLOT_READY, FREE_WORD, usual, BY_NONE);
            later(CLADE_FRONT_W_WORD, looks + 1, CLADE_FRONT_W_WORD, OWNED_WORD);
            await(CLADE_FRONT_SLOT_READY, FREE_WORD, usual, BY_FRONT);
        }
}

static void awaits(void)
{
    static const uint states[] = { CLADE_FRONT_SLOT_READY, CLADE_FRONT_SLOT_CLAIMED,
                                   CLADE_FRONT_SLOT_JOINED, CLADE_FRONT_SLOT_IN,
                                   CLADE_FRONT_SLOT_OUT };
    for (uint i = 0; i < 5 * 4 * 2 * 2; i++) {
        const uint state = states[i % 5], word = i / 40 ? FREE_WORD : OWNED_WORD;
        const bool overtaken = place_bound(i / 5 % 4, i / 20 % 2);
        const uint by = state >= CLADE_FRONT_SLOT_JOINED ? BY_ROUND
                        : overtaken                      ? BY_OTHERS
                        : word == FREE_WORD              ? BY_FRONT
                                                         : BY_NONE;
        /* Where more took part in the last round than wait now, it lingers. */
        for (uint usual = 0; usual < 3; usual++)
            await(state, word, usual ? offered - 1 + usual : 0, by);
    }
    for (uint i = 0; i < FEW; i++) {
        await_later(CLADE_FRONT_SLOT_READY, few_looks[i]);
        await_later(CLADE_FRONT_SLOT_CLAIMED, few_looks[i]);
    }
    lingers();
}

/* An insert whose slot an owner has claimed when its wait ends: the runs are the round's by then,
 * and no unit of them goes back. */
static void leave_claimed(bool dense)
{
    enum { BLOCKS = CLADE_FRONT_W_FREE, LEAVES = CLADE_FRONT_W_FREE + CLADE_FRONT_LINE };
    const clade_front_words slot = h.head + slot_at(0);
    (void)place_bound(2, 0);
    for (uint i = 0; i < KEYS; i++) {
        s->keys[i] = BOUND - KEYS + i;
        s->order[i] = (ushort)i;
    }
    set(CLADE_FRONT_W_WORD, OWNED_WORD);
    set(CLADE_FRONT_W_DENSE, dense);
    set(CLADE_FRONT_W_OFFERED, offered);
    note();
    later(slot_at(0), 3, slot_at(0), CLADE_FRONT_SLOT_CLAIMED);
    expect(clade_heap_front_front_insert_wg(h, s, KEYS) == CLADE_E_BUSY && s->taken == 0 &&
               s->slot == 0,
           "an insert that was claimed", dense);
    expect_who_came();
    expect(clade_load_relaxed(slot) == CLADE_FRONT_SLOT_GONE, "its slot", dense);
    expect(clade_load_relaxed(h.head + LEAVES) == expected[LEAVES] - 1 - dense &&
               clade_load_relaxed(h.head + BLOCKS) ==
                   expected[BLOCKS] - 1 - dense * CLADE_FRONT_BLOCKS,
           "units that are the round's", dense);
    clade_heap_front_unclaim_wi(h, 0, clade_load_relaxed(slot + CLADE_FRONT_SLOT_RUN),
                                clade_load_relaxed(slot + CLADE_FRONT_SLOT_SPARE));
    expect(clade_load_relaxed(slot) == CLADE_FRONT_SLOT_FREE, "a slot that nobody waits in", dense);
    expect(clade_load_relaxed(h.head + CLADE_FRONT_W_OFFERED) == offered, "who waits", dense);
    expect(clade_load_relaxed(h.head + LEAVES) == expected[LEAVES] &&
               clade_load_relaxed(h.head + BLOCKS) == expected[BLOCKS],
           "units of a round that came to nothing", dense);
    set(slot_at(0), CLADE_FRONT_SLOT_FREE);
    set(CLADE_FRONT_W_DENSE, 0);
    seen++;
}

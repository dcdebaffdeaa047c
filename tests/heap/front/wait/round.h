/* SPDX-License-Identifier: Apache-2.0 */
/* The end of a round: members wait for its outcome, and its owner for members. */
#pragma once

#include "heap/front/wait/later.h"

/* A member has done its part of round NUMBER, whose word is `phase`. After so many looks at its
 * slot that is `state`. Only while the round is whole it waits for twice as many. */
static void learn(uint state, uint looks, uint phase)
{
    const uint at = 6, broken = NUMBER << 2 | CLADE_FRONT_ROUND_BROKEN;
    const bool is_open = phase == (NUMBER << 2 | CLADE_FRONT_ROUND_OPEN);
    const bool breaks = looks >= LIMIT && (is_open || phase == broken);
    const bool gives_up = breaks || looks >= 2 * LIMIT;
    const bool in = gives_up ? !breaks : state == CLADE_FRONT_SLOT_IN;
    set(CLADE_FRONT_W_ROUND, phase);
    set(slot_at(at), CLADE_FRONT_SLOT_JOINED);
    later(slot_at(at), looks, slot_at(at), state);
    s->slot = at + 1;
    s->taken = 0;
    s->now.round.number = NUMBER;
    s->batch.left = 0;
    s->spare.run = 17;
    s->spare.blocks = CLADE_FRONT_BLOCKS;
    s->spare.used = 0;
    note();
    const clade_i32 status = clade_heap_front_outcome_wi(h, s, KEYS);
    expect(status == (gives_up ? CLADE_E_BUSY : CLADE_OK), "the outcome", phase);
    expect(s->taken == (in ? KEYS : 0), "keys that are in", phase);
    expect(s->slot == (gives_up ? 0 : at + 1), "whose slot it is", phase);
    expect(s->batch.left == !in && s->spare.run == (in ? 17 : 0) &&
               s->spare.used == (in ? 0 : CLADE_FRONT_BLOCKS),
           "whose runs they are", phase);
    expect_who_came();
    if (gives_up)
        expected[slot_at(at)] = CLADE_FRONT_SLOT_GONE;
    if (breaks)
        expected[CLADE_FRONT_W_ROUND] = broken;
    if (in)
        expected[CLADE_FRONT_S_JOINED]++;
    expect_heap("words of a member", phase);
    set(slot_at(at), CLADE_FRONT_SLOT_FREE);
}

/* The owner of round NUMBER, of which `left` parts are not done, and after so many looks only its
 * own. */
static void commit(uint left, uint looks, uint phase)
{
    const bool is_open = phase == (NUMBER << 2 | CLADE_FRONT_ROUND_OPEN);
    const bool whole = left == 2 || looks < LIMIT;
    set(CLADE_FRONT_W_ROUND, phase);
    set(CLADE_FRONT_W_ROUND_LEFT, left);
    later(CLADE_FRONT_W_ROUND_LEFT, looks, CLADE_FRONT_W_ROUND_LEFT, 2);
    s->now.round.number = NUMBER;
    note();
    expect(clade_heap_front_commit_round_wi(h, s) == (is_open && whole), "committed", left);
    expect_who_came();
    if (is_open)
        expected[CLADE_FRONT_W_ROUND] =
            NUMBER << 2 | (whole ? CLADE_FRONT_ROUND_COMMITTED : CLADE_FRONT_ROUND_BROKEN);
    if (is_open && whole)
        expected[CLADE_FRONT_W_ROUND_LEFT] = 0;
    expect_heap("words of a round's owner", left);
    set(CLADE_FRONT_W_ROUND_LEFT, 0);
}

static void rounds(void)
{
    for (uint phase = NUMBER << 2; phase < (NUMBER + 2) << 2; phase++)
        for (uint i = 0; i < FEW; i++) {
            for (uint left = 1; left < 5; left++)
                commit(left, few_looks[i], phase);
            if ((phase & 3u) == 0)
                continue;
            learn(CLADE_FRONT_SLOT_IN, few_looks[i], phase);
            learn(CLADE_FRONT_SLOT_OUT, few_looks[i], phase);
        }
}

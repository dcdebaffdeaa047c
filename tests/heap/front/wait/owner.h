/* SPDX-License-Identifier: Apache-2.0 */
/* A group owns the front: what it takes over from owners before, and waits for readers of the epoch
 * that is next. */
#pragma once

#include "heap/front/wait/later.h"

/* An owner finds `ahead` leaves frozen beyond the bound, of a key each, and its list has room for
 * `room` of them: it takes as many, in their order, and is not at work while others are left. */
static void catch_up(uint room, uint ahead)
{
    const clade_heap_front_heap kept = h;
    const uint taken = min(room, ahead), had = CLADE_FRONT_PIECES - room;
    h = clade_heap_front_open_wi(host_front_new(CAPACITY, 16, 256));
    for (uint i = 0; i < 16; i++)
        clade_heap_set_wi(s, i, i << 28 | i, i);
    expect(clade_heap_insert_wg((void *)h.head, s, 16) == CLADE_OK, "keys for leaves ahead", room);
    s->epoch = clade_front_enter_wi(h.head);
    if (ahead > 0)
        clade_heap_front_set_ahead_wi(h, (ahead << 28) - 1);
    s->front.ahead = ahead > 0;
    s->front.bounded = 0;
    s->list.pieces = s->list.total = had;
    for (uint p = 0; p < had; p++)
        s->list.end[p] = p + 1;
    expect(clade_heap_front_catch_up_wg(h, s) == (ahead > room ? CLADE_E_BUSY : CLADE_OK),
           "an owner that catches up", room);
    expect(s->list.pieces == had + taken && s->list.total == had + taken, "pieces taken over",
           room);
    for (uint i = 0; i < taken; i++)
        expect(s->list.end[had + i] == had + i + 1 &&
                   clade_heap_front_key_at(h, clade_heap_front_slot_at(h, s->list.run[had + i],
                                                                       s->list.start[had + i])) ==
                       (i << 28 | i),
               "a piece that was ahead", i);
    expect((clade_load_relaxed(h.head + CLADE_FRONT_W_IS_AHEAD) != 0) == (ahead > room),
           "leaves that are ahead still", room);
    expect(s->front.bounded == (taken > 0) && (taken == 0 || s->front.bound == (taken << 28) - 1),
           "the bound", room);
    free((void *)h.head);
    h = kept;
    seen++;
}

/* The group has the front. Of the next epoch's descriptor a reader is done after so many looks. */
static void own(uint state, uint looks, uint popped, uint busy)
{
    const uint at = 4, next = (uint)(h.epochs - h.head) + (TAG + 1) * CLADE_FRONT_E_WORDS;
    const uint epoch = (uint)(h.epochs - h.head) + TAG * CLADE_FRONT_E_WORDS, untouched = 7;
    const bool waits = looks >= LIMIT;
    (void)place_bound(2, busy);
    set(CLADE_FRONT_W_WORD, OWNED_WORD);
    set(CLADE_FRONT_W_OFFERED, offered);
    set(CLADE_FRONT_W_ROUND, NUMBER << 2 | CLADE_FRONT_ROUND_COMMITTED);
    set(CLADE_FRONT_W_ROUND_LEFT, busy);
    set(CLADE_FRONT_W_UNTOUCHED, untouched);
    set(epoch + CLADE_FRONT_E_COUNT, LEFT + popped);
    set(epoch + CLADE_FRONT_E_PIECES, 6);
    set(next + CLADE_FRONT_E_COUNT, 20);
    set(next + CLADE_FRONT_E_COPIED, 19);
    later(next + CLADE_FRONT_E_COPIED, looks, next + CLADE_FRONT_E_COPIED, 20);
    set(slot_at(at), state);
    s->slot = at + 1;
    note();
    const bool ready = state == CLADE_FRONT_SLOT_READY;
    const clade_i32 status = clade_heap_front_own_wi(h, s, FREE_WORD);
    expect(status == (!ready  ? CLADE_FRONT_NOTHING
                      : waits ? CLADE_E_BUSY
                              : CLADE_OK),
           "owning", state);
    expect_who_came();
    if (ready)
        expected[slot_at(at)] = CLADE_FRONT_SLOT_TAKEN;
    if (ready && waits)
        expected[CLADE_FRONT_W_OFFERED] = offered - 1;
    if (status != CLADE_OK)
        expected[CLADE_FRONT_W_WORD] = FREE_WORD;
    expected[CLADE_FRONT_W_UNTOUCHED] = popped ? 0 : untouched + 1;
    expect_heap("words of an owner", state);
    expect(s->front.keys == LEFT + popped && s->front.pieces == 6 && s->front.ahead == busy &&
               s->front.bound == BOUND && s->front.bounded == 1 && s->front.alone == (busy != 0) &&
               s->front.round == NUMBER,
           "what an owner knows", state);
    set(slot_at(at), CLADE_FRONT_SLOT_FREE);
    set(next + CLADE_FRONT_E_COPIED, 20);
    set(CLADE_FRONT_W_ROUND_LEFT, 0);
}

/* No pop has come for so many front inserts: when that is long, and that it stays within the word.
 */
static void grow(uint untouched)
{
    const uint epoch = (uint)(h.epochs - h.head) + TAG * CLADE_FRONT_E_WORDS;
    const uint now = untouched < 0xffff ? untouched + 1 : 0xffff;
    set(CLADE_FRONT_W_UNTOUCHED, untouched);
    set(epoch + CLADE_FRONT_E_COUNT, LEFT);
    set(slot_at(0), CLADE_FRONT_SLOT_READY);
    s->slot = 1;
    expect(clade_heap_front_own_wi(h, s, FREE_WORD) == CLADE_OK, "owning", untouched);
    expect(clade_load_relaxed(h.head + CLADE_FRONT_W_UNTOUCHED) == now, "untouched", untouched);
    expect(s->front.grows == (now >= CLADE_FRONT_GROWING), "grows", untouched);
    set(slot_at(0), CLADE_FRONT_SLOT_FREE);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Before a group waits for the front: runs for its batch, and one of the few slots, for which it
 * may have to wait. */
#pragma once

#include "heap/front/wait/later.h"

/* A run that nobody knows: of the words that its unit had before these are others. */
static void expect_run(uint run, uint blocks, const uint *list)
{
    clade_front_words l = clade_heap_front_leaf(h, run);
    uint *line = expected + (l - h.head);
    expect(run != 0, "a run", run);
    line[CLADE_FRONT_L_STAMP]++;
    line[CLADE_FRONT_L_COUNT] = CLADE_FRONT_FROZEN;
    line[CLADE_FRONT_L_OWN] = 1;
    for (uint b = 0; b < CLADE_FRONT_BLOCKS; b++) {
        expect((list[b] != 0) == (b < blocks), "a block of a run", b);
        for (uint k = 0; k < b && list[b] != 0; k++)
            expect(list[k] != list[b], "a block twice", b);
        line[CLADE_FRONT_L_BLOCK + b] = list[b];
    }
    expect(memcmp(line, (void *)l, CLADE_FRONT_LINE * sizeof *line) == 0, "words of a run", run);
}

/* Runs are made, and given back: then no other word is another. */
static void make_runs(uint blocks, bool spare)
{
    uint list[CLADE_FRONT_BLOCKS];
    s->spare.run = 77;
    note();
    const uint run = clade_heap_front_make_run_wg(h, s, blocks, list, spare);
    expect_run(run, blocks, list);
    expect((s->spare.run != 0) == spare, "a spare run", s->spare.run);
    if (spare)
        expect_run(s->spare.run, CLADE_FRONT_BLOCKS, s->spare.block);
    clade_heap_front_free_run_wi(h, run);
    if (spare)
        clade_heap_front_free_run_wi(h, s->spare.run);
    memcpy(expected + CLADE_FRONT_W_HINT, (void *)(h.head + CLADE_FRONT_W_HINT),
           3 * sizeof *expected); /* where units came back last */
    expect_heap("words of runs", blocks);
}

/* The slots in the mask `free` are free. After `looks` at `at` another one is, or the batch is
 * overtaken. `first`: the slot that it takes, NONE, or OVERTAKEN. */
enum { NONE = SLOTS, OVERTAKEN };

static void queue(uint group, uint free, uint first)
{
    for (uint at = 0; at < SLOTS; at++)
        set(slot_at(at), free >> at & 1u ? CLADE_FRONT_SLOT_FREE : 1 + at % 7u);
    s->slot = 99;
    shim_self.group_id = group;
    note();
    const clade_i32 status = clade_heap_front_queue_wi(h, s);
    shim_self.group_id = 0;
    expect(status == (first == OVERTAKEN ? CLADE_FRONT_NOTHING
                      : first == NONE    ? CLADE_E_BUSY
                                         : CLADE_OK),
           "queued", first);
    expect(s->slot == (first < SLOTS ? first + 1 : 99), "its slot", first);
    expect_who_came();
    if (first < SLOTS)
        expected[slot_at(first)] = CLADE_FRONT_SLOT_TAKEN;
    expect_heap("words of who queues", first);
}

static void queues(void)
{
    for (uint where = 0; where < 4; where++)
        for (uint ahead = 0; ahead < 2; ahead++) {
            const bool overtaken = place_bound(where, ahead);
            queue(0, 0, overtaken ? OVERTAKEN : NONE);
            for (uint at = 0; at < SLOTS; at++) { /* it begins at one of these or between them */
                const uint group = 7 * at + 3 * where, far = (group + at) % SLOTS;
                queue(group, 1u << far | 1u << (group + SLOTS - 1) % SLOTS,
                      overtaken ? OVERTAKEN : far);
            }
            queue(SLOTS + 5, 1u << 4, overtaken ? OVERTAKEN : 4);
        }
    (void)place_bound(2, 0);
    for (uint at = 0; at < SLOTS; at++) /* it is looked at once, or again */
        for (uint looks = 0; looks < 3; looks++) {
            later(slot_at(at), looks, slot_at(at), CLADE_FRONT_SLOT_FREE);
            queue(3 * SLOTS, 0, looks * SLOTS + at < LIMIT ? at : NONE);
        }
    for (uint i = 0; i < FEW; i++) {
        const uint looks = few_looks[i];
        (void)place_bound(2, 0);
        later(CLADE_FRONT_W_BOUNDED, looks, CLADE_FRONT_W_BOUNDED, 0);
        queue(0, 0, looks < LIMIT ? OVERTAKEN : NONE);
        (void)place_bound(2, 0); /* it has its slot by then, and waits no more */
        later(CLADE_FRONT_W_BOUNDED, looks + 1, CLADE_FRONT_W_BOUNDED, 0);
        queue(0, 1u, 0);
        (void)place_bound(0, 1);
        later(CLADE_FRONT_W_IS_AHEAD, looks, CLADE_FRONT_W_IS_AHEAD, 0);
        queue(0, 0, looks < LIMIT ? OVERTAKEN : NONE);
    }
}

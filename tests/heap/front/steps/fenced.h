/* SPDX-License-Identifier: Apache-2.0 */
/* Keys of a run are given up by a group of several items, all of which have fenced behind their
 * last read of it. Before one of the barriers the heap's last key may go. */
#pragma once

#include "heap/front/steps/shown.h"

#if !CLADE_GROUP_SCALAR
static struct {
    uint barriers, fenced; /* barriers so far; how many there were at its last fence */
    bool gave_up;          /* a run's last key: the fence that follows is about that */
} order_of[GROUP];
static uint given_up;
static uint empty_at; /* before its first item's so-manieth barrier the last key goes; 0: never */

LANES_UNSEEN static void pass_barrier(void)
{
    order_of[get_local_id(0)].barriers++;
    if (get_local_id(0) == 0 && empty_at > 0 && --empty_at == 0)
        clade_store_relaxed((clade_front_words)heap + CLADE_FRONT_W_SIZE, 0u);
    (clade_barrier)();
}

LANES_UNSEEN static void fence(void)
{
    if (!order_of[get_local_id(0)].gave_up)
        order_of[get_local_id(0)].fenced = order_of[get_local_id(0)].barriers;
    order_of[get_local_id(0)].gave_up = false;
    (clade_fence)();
}

LANES_UNSEEN static clade_u32 subtract(clade_global_word word, clade_u32 count)
{
    const clade_heap_front_heap h = clade_heap_front_open_wi(heap);
    const uint before = (clade_sub_relaxed)(word, count);
    if (leaf_of(h, word, CLADE_FRONT_L_LEFT) != 0) {
        expect(count > 0, "no keys are given up: their run may be free by now", (uint)before,
               step_at);
        for (uint i = 0; i < GROUP; i++)
            expect(order_of[i].fenced < order_of[get_local_id(0)].barriers,
                   "no barrier before a run's keys are given up", i, step_at);
        is_used_up[leaf_of(h, word, CLADE_FRONT_L_LEFT) % UNITS] |= before == count;
        order_of[get_local_id(0)].gave_up = before == count;
        given_up++;
    }
    return before;
}
#endif

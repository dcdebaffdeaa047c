/* SPDX-License-Identifier: Apache-2.0 */
/* One call on the heap, by one group, and what it answers. */
#pragma once

#include "heap/front/steps/model.h"

static struct call {
    enum what what;
    uint n, first_id;
    image keys[BATCH];
    clade_i32 status;
    uint taken, left, ids[BATCH]; /* what came out, or stayed out */
    image out[BATCH];
    ulong rank;
} call;

/* What a call answers. */
LANES_UNSEEN static void note(clade_i32 status, uint taken, uint left)
{
    call.status = status;
    call.taken = taken;
    call.left = left;
}

LANES_UNSEEN static void note_rank(ulong rank)
{
    call.rank = rank;
}

LANES_UNSEEN static void note_key(uint i, image key_, uint id)
{
    call.out[i] = key_;
    call.ids[i] = id;
}

/* As an owner of the front whose insert finds it too long; it keeps call.n keys. */
static void spill_as_owner(__local clade_heap_scratch *s)
{
    clade_heap_front_heap h = clade_heap_front_open_wi(heap);
    const bool first = get_local_id(0) == 0;
    const uint owned = clade_load_relaxed(h.head + CLADE_FRONT_W_WORD);
    const uint left = clade_heap_front_left_of(owned);
    uint epoch = 0;
    clade_fence_acquire();
    barrier(0);
    if (first) {
        epoch = clade_front_enter_wi(h.head);
        clade_store_relaxed(h.head + CLADE_FRONT_W_WORD, owned & ~CLADE_FRONT_GUARD_HIGH);
        clade_heap_front_load_bound_wi(h, s, owned);
        s->spare.run = 0;
    }
    for (uint p = (uint)get_local_id(0); p < CLADE_FRONT_PIECES; p += (uint)get_local_size(0))
        s->gone[p] = 0;
    barrier(0);
    clade_heap_front_load_pieces_wg(h, s, owned, s->front.pieces, s->front.keys - left, left);
    const clade_i32 status = clade_heap_front_spill_wg(h, s, call.n);
    if (first)
        note(status, s->list.total, 0);
    clade_heap_front_keep_wg(s);
    clade_heap_front_publish_wg(h, s, owned, left, 0, 0);
    barrier(0);
    clade_heap_front_give_up_gone_wg(h, s);
    if (first)
        clade_front_leave_wi(h.head, epoch);
}

/* Each item may read what a call has answered, and then begin the next one, which is refused. */
static struct {
    clade_i32 status;
    uint taken;
} each[GROUP];

LANES_UNSEEN static void note_each(clade_i32 status, uint taken)
{
    each[get_local_id(0)].status = status;
    each[get_local_id(0)].taken = taken;
}

LANES_UNSEEN static void expect_same(void)
{
    const uint me = get_local_id(0);
    expect(each[me].status == each[0].status && each[me].taken == each[0].taken,
           "items are told different things", me, step_at);
}

static void call_again(__local clade_heap_scratch *s, clade_i32 status, uint taken, bool is_pop)
{
    uint got;
    note_each(status, taken);
    if (is_pop)
        status = clade_heap_pop_wg(heap, s, BATCH + 1, &got);
    else
        status = clade_heap_insert_wg(heap, s, BATCH + 1);
    expect(status == CLADE_E_ARG, "a call of too many", (uint)-status, step_at);
    barrier(0);
    expect_same();
}

static void perform(void *argument, void *local)
{
    __local clade_heap_scratch *s = local;
    (void)argument;
    if (get_group_id(0) + 1 < get_num_groups(0))
        return; /* the last group alone does it, whichever number it has */
    const uint me = get_local_id(0);
    const uint there = call.n < BATCH ? call.n : BATCH; /* too many are refused */
    uint got = 99;
    if (call.what == INSERT) {
        for (uint i = me; i < there; i += get_local_size(0))
#if VALUE
            clade_heap_set_bits_wi(s, i, call.keys[i], call.first_id + i);
#else
            clade_heap_set_bits_wi(s, i, call.keys[i], 0u);
#endif
        const clade_i32 status = clade_heap_insert_wg(heap, s, call.n);
        const uint taken = clade_heap_taken_wi(s);
        call_again(s, status, taken, true);
        if (me == 0)
            note(status, taken, status == CLADE_OK || status == CLADE_E_ARG ? 0 : there - taken);
    } else if (call.what == POP) {
        const clade_i32 status = clade_heap_pop_wg(heap, s, call.n, &got);
        call_again(s, status, got, false);
        if (me == 0) {
            note(status, got, got);
            note_rank(clade_heap_rank_wi(s));
        }
    } else if (call.what == LOOK) {
        const bool found = clade_heap_first_wg(heap, s);
        if (me == 0)
            note(CLADE_OK, found, found);
    } else if (call.what == SPILL) {
        spill_as_owner(s);
    } else {
        clade_heap_front_heap h = clade_heap_front_open_wi(heap);
        const uint epoch = me == 0 ? clade_front_enter_wi(h.head) : 0;
        for (uint t = 0; t < call.n && clade_heap_front_help_wg(h, s, t); t++)
            continue;
        barrier(0);
        if (me == 0)
            clade_front_leave_wi(h.head, epoch);
    }
    barrier(0);
    for (uint i = 0; me == 0 && i < call.left && i < BATCH; i++)
        note_key(i, clade_heap_key_bits_wi(s, i),
                 HAS_VALUES ? (uint)clade_heap_value_bits_wi(s, i) : 0);
}

static void make(enum what what, uint n)
{
    call.what = what;
    call.n = n;
    call.status = 99;
    call.taken = call.left = 0;
    shim_launch(perform, NULL, 1 + world_at % 3u, GROUP, sizeof(clade_heap_scratch));
}

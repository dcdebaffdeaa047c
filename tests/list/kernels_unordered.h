/* SPDX-License-Identifier: Apache-2.0 */
/* Calls on an unordered list: at the front, after a node, and many at the front. */
#pragma once

#include "list/kernels_call.h"

/* Numbers that are inside, and such that are not; how many of each. */
static void split(uint *inside, uint *outside, uint *ins, uint *outs)
{
    uint numbers[RANGE];
    shuffle(numbers, RANGE);
    *ins = *outs = 0;
    for (uint i = 0; i < RANGE; i++)
        if (place_in_sequence(numbers[i]) < length)
            inside[(*ins)++] = numbers[i];
        else
            outside[(*outs)++] = numbers[i];
}

/* Items that go on at once come to the front in any order. */
static void follow_front(uint count)
{
    clade_ref nodes[CAPACITY];
    const uint n = live_nodes(nodes);
    for (uint i = 0; GROUP > 1 && i < count && i < n; i++) {
        uint at = i;
        while (at < count && key_of(sequence[at]) != key_in(nodes[i]))
            at++;
        expect(at < count, "a node at the front", i, count);
        if (at < count) {
            const uint kept = sequence[at];
            sequence[at] = sequence[i];
            sequence[i] = kept;
        }
    }
}

/* `op` 99: others by turns, of nodes that differ. Every fifth is about a node that is not there. */
static void call_unordered(uint op, uint given, uint count)
{
    static const uint mixed[] = { CLADE_LIST_ERASE, CLADE_LIST_CONTAINS, CLADE_LIST_INSERT_AFTER };
    uint inside[RANGE], outside[RANGE], ins, outs, bad = RANGE;
    int wanted[CAPACITY];
    reclaim();
    split(inside, outside, &ins, &outs);
    if (op != CLADE_LIST_INSERT && count > ins)
        count = ins;
    given |= op == 99u;
    open_call(given, count);
    job.op = op == 99u ? 3u : op;
    for (uint i = 0; i < count; i++) {
        const uint what = op == 99u ? mixed[i % 3u] : op;
        const bool absent = i % 5u == 4u,
                   inserts = what == CLADE_LIST_INSERT || what == CLADE_LIST_INSERT_AFTER;
        const uint own = absent ? outside[outs - 1u - i] : inside[i], fresh = outside[i];
        if (given & 1u)
            job.ops[FIRST + i] = what;
        if (given & 2u)
            job.targets[FIRST - 2 + i] = key_of(own);
        job.keys[FIRST - 1 + i] = key_of(inserts ? fresh : own);
        wanted[i] = what == CLADE_LIST_INSERT || !absent ? CLADE_OK : CLADE_E_NOT_FOUND;
        if (what == CLADE_LIST_PUT || what == CLADE_LIST_FIND ||
            (what == CLADE_LIST_INSERT_AFTER && !(given & 2u))) {
            wanted[i] = CLADE_E_ARG;
            bad = bad == RANGE ? i : bad;
        } else if (inserts && wanted[i] == CLADE_OK && length == CAPACITY) {
            wanted[i] = CLADE_E_FULL;
        } else if (what == CLADE_LIST_INSERT) {
            put_in(0, fresh);
        } else if (what == CLADE_LIST_INSERT_AFTER && !absent) {
            put_in(place_in_sequence(own) + 1u, fresh);
        } else if (what == CLADE_LIST_ERASE && !absent) {
            take_out(place_in_sequence(own));
        }
    }
    launch_rounds(1);
    for (uint i = 0; i < count; i++)
        expect_status(i, wanted[i]);
    if (GROUP == 1 || bad >= count)
        expect_note(bad, CLADE_E_ARG);
    if (op == CLADE_LIST_INSERT)
        follow_front(count);
    check_content("after a call");
    close_call();
}

enum { FRONT_LAUNCHES = 3 };

/* Many at the front, in their order. With fewer than all `launches` nothing is in. */
static void call_front(uint given, uint count, uint launches)
{
    const bool is_left = launches < FRONT_LAUNCHES;
    uint inside[RANGE], outside[RANGE], ins, outs, taken = 0;
    clade_ref nodes[CAPACITY];
    reclaim();
    split(inside, outside, &ins, &outs);
    const uint free_cells = list->free_count;
    uint fits = count < free_cells ? count : free_cells;
#if KMA_NODES
    refuse_every = given & 4u ? 3u : 0u; /* in between, and the first */
    asked = draw(3);
    fits -= refuse_every ? (asked + fits) / 3u : 0u;
#endif
    open_call(given, count);
    for (uint i = 0; i < count; i++)
        job.keys[FIRST - 1 + i] = key_of(outside[i]);
    launch(front_fill, count);
#if KMA_NODES
    refuse_every = 0;
#endif
    check_content("before the second launch");
    for (uint skips = draw(3); skips > 0; skips--)
        launch(front_skip, count);
    check_content("after jumps were made");
    if (launches > 1)
        launch(front_link, count);
    check_content("before the last launch");
    if (!is_left)
        launch(front_done, count);
    const uint n = live_nodes(nodes);
    expect(is_left || n == length + fits, "nodes at the front", n, length + fits);
    for (uint i = 0; i < count && !is_left; i++) {
        const bool is_in = taken < fits && taken < n && key_in(nodes[taken]) == key_of(outside[i]);
        if (given & 4u)
            expect_status(i, is_in ? CLADE_OK : CLADE_E_FULL);
        else if (list->object.first_error_item == i && fits < count)
            expect(!is_in, "who is said to be refused", i, count);
        if (is_in)
            put_in(taken++, outside[i]);
    }
    expect(is_left || taken == fits, "new nodes in their order", taken, fits);
    expect((int)list->object.first_error == (fits < count && !(given & 4u) ? CLADE_E_FULL : 0),
           "the first error", list->object.first_error, fits);
    check_content("many at the front");
    close_call();
    reclaim();
}

static void unordered(uint slots)
{
    static const uint counts[] = { 0, 1, GROUP - 1, GROUP, GROUP + 1, 20 };
    make(1, slots, CAPACITY, 0);
    for (uint round = 0; round < (KMA_NODES ? 2 : 3); round++) {
        for (uint i = 0; i < 6; i++) {
            const uint count = counts[i];
            call_unordered(CLADE_LIST_INSERT, i % 2 ? 12u : 4u, count);
            call_unordered(CLADE_LIST_INSERT_AFTER, 14u, count);
            call_unordered(99u, round % 2 ? 14u : 6u, length < 60 ? length : 60);
            call_unordered(CLADE_LIST_CONTAINS, 12u, count);
            call_unordered(CLADE_LIST_ERASE, 8u, count);
            call_unordered(CLADE_LIST_ERASE, 13u, length - length / 2u);
            call_front(i % 2 ? 4u : 0u, count, round == 1 ? 1u + i % 2u : FRONT_LAUNCHES);
        }
        call_unordered(CLADE_LIST_INSERT_AFTER, 4u, 3);
        call_unordered(99u, 4u, 6);
        call_unordered(CLADE_LIST_INSERT_AFTER, 0u, 1);
        call_unordered(CLADE_LIST_PUT, 2u, 1);
        call_unordered(CLADE_LIST_FIND, 6u, 4);
        call_front(4u, CAPACITY - length + round, FRONT_LAUNCHES);
        if (length == CAPACITY) {
            call_unordered(CLADE_LIST_INSERT_AFTER, 6u, 2);
            call_unordered(CLADE_LIST_CONTAINS, 4u, 6); /* one is looked for up to the end */
            call_front(0u, 3, FRONT_LAUNCHES);          /* all are refused */
        }
        call_unordered(CLADE_LIST_ERASE, 4u, length);
        call_front(0u, CAPACITY + 1 + round, round == 2 ? 2u : FRONT_LAUNCHES);
        call_unordered(CLADE_LIST_ERASE, 4u, length);
    }
    end();
}

/* SPDX-License-Identifier: Apache-2.0 */
/* queue.clh: a ring of two slots, positions near their end so that they wrap. What is appended is
 * the number of a payload, written plainly before and read plainly after.
 *
 * @world append_and_pop: an append and a pop each
 * @world appends_beside_pops: two appends beside two pops
 * @world two_append_one_pops THREADS=3: an append each beside a pop
 * @world one_appends_two_pop THREADS=3: one append beside a pop each
 * @needs clade_queue_append_wi cas_release append_and_pop
 * @needs clade_queue_append_wi cas_acq_rel append_and_pop
 * @needs clade_queue_append_wi fence_acquire append_and_pop
 * @needs clade_queue_pop_wi load_acquire append_and_pop
 * @needs clade_queue_pop_wi cas_acq_rel append_and_pop
 * @needs clade_queue_pop_wi store_release append_and_pop */
#include "genmc/device.h"

#include "clade/queue.clh"

#include <assert.h>

enum { SHIFT = 1, SLOTS = 1 << SHIFT, VALUES = 4 };

#define START (0u - 1u) /* the position that comes first: it is odd */

static struct {
    clade_queue_head head;
    uint slots[SLOTS];
} object = {
    .head = { .object = { .shape = CLADE_QUEUE_SHAPE },
              .shift = SHIFT,
              .head = START,
              .tail = START },
    .slots = { CLADE_QUEUE_EMPTY | 0u, CLADE_QUEUE_EMPTY | START >> SHIFT },
};

static uint payload[VALUES];
static uint appended[VALUES],
    popped[VALUES]; /* by value; the threads do not read it of each other */

static void begin(void)
{
}

static void append(uint value)
{
    payload[value] = value + 100u;
    const int status = clade_queue_append_wi(&object.head, value);
    assert(status == CLADE_OK || status == CLADE_E_FULL);
    appended[value] = status == CLADE_OK;
}

static uint pop(void)
{
    uint value;
    const int status = clade_queue_pop_wi(&object.head, &value);
    assert(status == CLADE_OK || status == CLADE_E_NOT_FOUND);
    if (status != CLADE_OK)
        return VALUES;
    assert(value < VALUES);
    assert(payload[value] == value + 100u);
    payload[value] = 0; /* who popped it has it alone */
    popped[value] = 1;
    return value;
}

/* What went in came out once, now or before. */
static void end(void)
{
    uint value;
    for (uint i = 0; i < VALUES && clade_queue_pop_wi(&object.head, &value) == CLADE_OK; i++) {
        assert(value < VALUES && !popped[value]);
        popped[value] = 1;
    }
    for (uint i = 0; i < VALUES; i++)
        assert(popped[i] == appended[i]);
}

/* Who takes another's value has seen its append end; so whoever put one in finds one. */
static inline void append_and_pop(uint me)
{
    append(me);
    assert(appended[me]); /* there is room for both */
    assert(pop() != VALUES);
}

static inline void appends_beside_pops(uint me)
{
    if (me == 0) {
        append(0);
        append(1);
    } else {
        const uint first = pop(), second = pop();
        assert(first == VALUES || first == 0);
        assert(first != 0 || second == VALUES || second == 1);
    }
}

static inline void two_append_one_pops(uint me)
{
    if (me < 2)
        append(me);
    else
        pop();
}

static inline void one_appends_two_pop(uint me)
{
    if (me == 0)
        append(0);
    else
        pop();
}

#include "genmc/world.h"

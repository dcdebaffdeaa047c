/* SPDX-License-Identifier: Apache-2.0 */
/* Order books replayed from a trace: the kernel behind `clade orders` (tools/orders_solve.c).
 *
 * All books lie in one tree: symbol, side, price (best first) and arrival are its key, order and size its
 * value. A second tree leads from an order to its key. A work-item replays the events of one symbol, in their
 * order; items of different symbols change the same two trees at once.
 *
 * An item is a state machine with one call of the tree a step. CLADE_E_BUSY leaves the state as it is, so the
 * step is tried again, in the next launch at the latest. */

#define CLADE_RBTREE            orders_map
#define CLADE_RBTREE_KEY_TYPE   CLADE_U64
#define CLADE_RBTREE_VALUE_TYPE CLADE_U64
#include "clade/rbtree.clh"

/* As in tools/orders.h. */
#define BUY    0u
#define CANCEL 2u
#define RESTS     0u
#define REJECTED  1u
#define CANCELLED 2u
#define MISSED    3u
#define PRICE_MAX 0x7fffffu

/* Phases: what the next step does. */
#define LOOK   0u /* is the order known? */
#define MATCH  1u /* the best order of the other side */
#define TAKE   2u /* out of the book with it */
#define FORGET 3u /* out of the index with it */
#define REDUCE 4u /* it stays, with what is left of it */
#define REST   5u /* what is left of the event's order goes into the book */
#define NOTE   6u /* and into the index */
#define BROKEN 7u /* a status that cannot be */

typedef struct state {
    ulong key, value;
    ulong cost;
    uint phase, at; /* at: the event */
    uint rest, filled;
    uint other; /* the order that leaves */
    uint pad;
} state;

/* counters[] */
#define UNFINISHED 0
#define STEPS      1
#define FULL       2
#define WRONG      3

static inline ulong side_of(uint symbol, uint side)
{
    return (ulong)symbol << 48 | (ulong)side << 47;
}

static inline uint ranked(uint side, uint price)
{
    return side == BUY ? PRICE_MAX - price : price;
}

/* Begin the next event. */
static inline void next(state *s, __global uint *outcomes, __global uint *filled, __global ulong *costs,
                        uint outcome)
{
    outcomes[s->at] = outcome;
    filled[s->at] = s->filled;
    costs[s->at] = s->cost;
    s->at++;
    s->phase = LOOK;
    s->filled = 0;
    s->cost = 0;
}

/* What the best order of the other side comes to. `e` is kind, order, price, size. */
static inline void match(state *s, uint4 e, uint symbol, clade_i32 status)
{
    const uint side = 1u - e.x, best = (uint)(s->key >> 24) & PRICE_MAX;
    const uint price = ranked(side, best), size = (uint)s->value;
    if (status != CLADE_OK || s->key >> 47 != side_of(symbol, side) >> 47 ||
        best > ranked(side, e.z)) {
        s->phase = REST;
        return;
    }
    const uint taken = min(s->rest, size);
    s->rest -= taken;
    s->filled += taken;
    s->cost += (ulong)taken * price;
    s->other = (uint)(s->value >> 32);
    s->value -= taken;
    s->phase = taken == size ? TAKE : REDUCE;
}

/* The status of a step that may not fail; true when it did not. */
static inline bool expect(state *s, clade_i32 status, clade_i32 wanted,
                          __global clade_atomic_u32 *counters)
{
    if (status == wanted)
        return true;
    if (status == CLADE_E_BUSY)
        return false;
    clade_add_relaxed(&counters[status == CLADE_E_FULL ? FULL : WRONG], 1u);
    s->phase = BROKEN;
    return false;
}

/* One item a symbol: events first[symbol] .. first[symbol + 1] - 1. At most `steps` steps. */
__kernel void clade_orders(__global clade_rbtree_head *book, __global clade_rbtree_head *index,
                           __global const uint4 *events, __global const uint *first,
                           __global const uint *symbols, __global state *states,
                           __global uint *outcomes, __global uint *filled, __global ulong *costs,
                           __global clade_atomic_u32 *counters, uint count, uint steps)
{
    const uint i = (uint)get_global_id(0);
    if (i >= count)
        return;
    const uint begin = first[i], end = first[i + 1u], symbol = symbols[i];
    state s = states[i];
    uint done = 0;
    for (uint step = 0; step < steps; step++) {
        if (s.at >= end || s.phase == BROKEN)
            break;
        const uint4 e = events[s.at];
        const ulong id = (ulong)symbol << 32 | e.y;
        const ulong own = side_of(symbol, e.x & 1u) | (ulong)ranked(e.x, e.z) << 24 | (s.at - begin);
        const uint phase = s.phase;
        clade_i32 status = CLADE_E_BUSY;
        if (phase == LOOK) {
            status = orders_map_find_wi(index, id, &s.value);
            s.rest = e.w;
            s.other = e.y;
            s.key = s.value;
            if (status == CLADE_OK && e.x == CANCEL)
                s.phase = TAKE;
            else if (status == CLADE_OK)
                next(&s, outcomes, filled, costs, REJECTED);
            else if (status == CLADE_E_NOT_FOUND && e.x == CANCEL)
                next(&s, outcomes, filled, costs, MISSED);
            else if (status == CLADE_E_NOT_FOUND)
                s.phase = MATCH;
        } else if (phase == MATCH) {
            s.key = side_of(symbol, 1u - e.x);
            status = orders_map_lower_bound_wi(book, &s.key, &s.value);
            if (status != CLADE_E_BUSY)
                match(&s, e, symbol, status);
        } else if (phase == TAKE || phase == FORGET) {
            ulong gone;
            status = orders_map_erase_wi(phase == TAKE ? book : index,
                                         phase == TAKE ? s.key : (ulong)symbol << 32 | s.other, &gone);
            if (expect(&s, status, CLADE_OK, counters)) {
                if (phase == TAKE)
                    s.phase = FORGET;
                else if (e.x == CANCEL)
                    next(&s, outcomes, filled, costs, CANCELLED);
                else if (s.rest > 0)
                    s.phase = MATCH;
                else
                    next(&s, outcomes, filled, costs, RESTS);
            }
        } else {
            const bool reduces = phase == REDUCE, notes = phase == NOTE;
            status = orders_map_put_wi(notes ? index : book, reduces ? s.key : notes ? id : own,
                                       reduces ? s.value : notes ? own : (ulong)e.y << 32 | s.rest,
                                       reduces ? CLADE_RBTREE_ASSIGN : CLADE_RBTREE_IF_ABSENT);
            if (expect(&s, status, reduces ? CLADE_RBTREE_PRESENT : CLADE_OK, counters)) {
                if (phase == REST)
                    s.phase = NOTE;
                else
                    next(&s, outcomes, filled, costs, RESTS);
            }
        }
        done += status != CLADE_E_BUSY;
    }
    states[i] = s;
    if (s.at < end && s.phase != BROKEN)
        clade_add_relaxed(&counters[UNFINISHED], 1u);
    clade_add_relaxed(&counters[STEPS], done);
}

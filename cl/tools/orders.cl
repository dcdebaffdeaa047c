/* SPDX-License-Identifier: Apache-2.0 */
/* Order books replayed from a trace: the kernel behind `clade orders` (tools/apps/orders_solve.c).
 *
 * All books lie in one tree: symbol, side, price (best first) and arrival are its key, order and
 * size its value. A second tree leads from an order to its key. A work-item replays the events of
 * one symbol, in their order; items of different symbols change the same two trees at once.
 *
 * An item is a state machine with one call of the tree a step. CLADE_E_BUSY leaves the state as it
 * is, so the step is tried again, in the next launch at the latest. */

#define CLADE_RBTREE            orders_map
#define CLADE_RBTREE_KEY_TYPE   CLADE_U64
#define CLADE_RBTREE_VALUE_TYPE CLADE_U64
#include "clade/rbtree.clh"

/* As in tools/apps/orders.h. */
#define BUY       0u
#define CANCEL    2u
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

/* Where it is told what events came to. */
typedef struct results {
    __global uint *outcomes;
    __global uint *filled;
    __global ulong *costs;
    __global clade_atomic_u32 *counters;
} results;

/* Begin the next event. */
static inline void next(state *s, results to, uint outcome)
{
    to.outcomes[s->at] = outcome;
    to.filled[s->at] = s->filled;
    to.costs[s->at] = s->cost;
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
static inline bool expect(state *s, results to, clade_i32 status, clade_i32 wanted)
{
    if (status == wanted)
        return true;
    if (status == CLADE_E_BUSY)
        return false;
    clade_add_relaxed(&to.counters[status == CLADE_E_FULL ? FULL : WRONG], 1u);
    s->phase = BROKEN;
    return false;
}

/* Whether the index knows the event's order. */
static inline void look(state *s, results to, uint4 e, clade_i32 status)
{
    const bool cancels = e.x == CANCEL;
    s->rest = e.w;
    s->other = e.y;
    s->key = s->value;
    if (status == CLADE_OK && cancels)
        s->phase = TAKE;
    else if (status == CLADE_OK)
        next(s, to, REJECTED);
    else if (cancels)
        next(s, to, MISSED);
    else
        s->phase = MATCH;
}

/* An order left the book, or the index. */
static inline void taken_out(state *s, results to, uint4 e)
{
    if (s->phase == TAKE)
        s->phase = FORGET;
    else if (e.x == CANCEL)
        next(s, to, CANCELLED);
    else if (s->rest > 0)
        s->phase = MATCH;
    else
        next(s, to, RESTS);
}

/* One step of event e; `arrival`: how many of the symbol came before. Gives the tree's status. */
static inline clade_i32 step_wi(__global clade_rbtree_head *book, __global clade_rbtree_head *index,
                                state *s, results to, uint4 e, uint symbol, uint arrival)
{
    const uint phase = s->phase;
    const ulong id = (ulong)symbol << 32 | e.y, other = (ulong)symbol << 32 | s->other;
    const ulong own = side_of(symbol, e.x & 1u) | (ulong)ranked(e.x, e.z) << 24 | arrival;
    clade_i32 status;
    ulong gone;
    if (phase == LOOK) {
        status = orders_map_find_wi(index, id, &s->value);
        if (status != CLADE_E_BUSY)
            look(s, to, e, status);
    } else if (phase == MATCH) {
        s->key = side_of(symbol, 1u - e.x);
        status = orders_map_lower_bound_wi(book, &s->key, &s->value);
        if (status != CLADE_E_BUSY)
            match(s, e, symbol, status);
    } else if (phase == TAKE || phase == FORGET) {
        status = orders_map_erase_wi(phase == TAKE ? book : index, phase == TAKE ? s->key : other,
                                     &gone);
        if (expect(s, to, status, CLADE_OK))
            taken_out(s, to, e);
    } else {
        const bool reduces = phase == REDUCE, notes = phase == NOTE;
        status = orders_map_insert_or_put_wi(notes ? index : book,
                                             reduces ? s->key
                                             : notes ? id
                                                     : own,
                                             reduces ? s->value
                                             : notes ? own
                                                     : (ulong)e.y << 32 | s->rest,
                                             reduces ? CLADE_RBTREE_PUT : CLADE_RBTREE_INSERT);
        if (expect(s, to, status, reduces ? CLADE_RBTREE_PRESENT : CLADE_OK)) {
            if (phase == REST)
                s->phase = NOTE;
            else
                next(s, to, RESTS);
        }
    }
    return status;
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
    const results to = { outcomes, filled, costs, counters };
    state s = states[i];
    uint done = 0;
    for (uint step = 0; step < steps && s.at < end && s.phase != BROKEN; step++)
        done += step_wi(book, index, &s, to, events[s.at], symbol, s.at - begin) != CLADE_E_BUSY;
    states[i] = s;
    if (s.at < end && s.phase != BROKEN)
        clade_add_relaxed(&counters[UNFINISHED], 1u);
    clade_add_relaxed(&counters[STEPS], done);
}

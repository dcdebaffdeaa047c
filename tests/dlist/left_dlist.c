/* SPDX-License-Identifier: Apache-2.0 */
/* The doubly linked list where a driver leaves loops (left/left.h): who is refused did nothing, and
 * got no node; whoever is not, has what the model says. Erased nodes may be linked still. */
#include "left/left.h"

#define main edge_main
#include "dlist/edge_dlist.c"
#undef main

enum { BEFORE, AFTER, ERASE, NEXT, PREV, KINDS };

struct call {
    uint kind;
    clade_ref target, node;
    ulong value;
    int status, wanted;
};

static uint refused;

/* The chain without its erased nodes is the model. */
static void expect_order(const struct call *call)
{
    uint at = 0, link = memory.head.first;
    for (uint hops = 0; link >> CLADE_DLIST_REF_SHIFT != CLADE_NIL && hops <= CAPACITY; hops++) {
        const clade_ref node = link >> CLADE_DLIST_REF_SHIFT;
        link = clade_dlist_next_link(&memory.head, node);
        if (link & CLADE_DLIST_ERASED)
            continue;
        expect(at < length && order[at] == node, "a node of the chain", call->kind, node);
        at++;
    }
    expect(at == length, "nodes in the chain", call->kind, at);
}

static int wanted_of(const struct call *call)
{
    if (call->target > CAPACITY || (call->target == CLADE_NIL && call->kind == ERASE))
        return CLADE_E_ARG;
    if (call->target != CLADE_NIL && state[call->target] != 1)
        return CLADE_E_NOT_FOUND;
    return call->kind <= AFTER && taken == CAPACITY ? CLADE_E_FULL : CLADE_OK;
}

static int run(struct call *call)
{
    clade_dlist_head *list = &memory.head;
    switch (call->kind) {
    case BEFORE:
        return clade_dlist_insert_before_wi(list, call->target, call->value, &call->node);
    case AFTER:
        return clade_dlist_insert_after_wi(list, call->target, call->value, &call->node);
    case ERASE:
        return clade_dlist_erase_wi(list, call->target, &call->value);
    case NEXT:
        return clade_dlist_next_wi(list, call->target, &call->node);
    default:
        return clade_dlist_prev_wi(list, call->target, &call->node);
    }
}

static void came(const struct call *call)
{
    const uint at = call->target == CLADE_NIL ? (call->kind == BEFORE ? length : 0)
                                              : place_of(call->target) + (call->kind == AFTER);
    expect(call->node >= 1 && call->node <= CAPACITY && state[call->node] != 1, "a new ref",
           call->kind, call->node);
    memmove(order + at + 1, order + at, (length - at) * sizeof *order);
    order[at] = call->node;
    length++;
    taken++;
    state[call->node] = 1;
    values[call->node] = call->value;
}

static void went(const struct call *call)
{
    const uint at = place_of(call->target);
    expect(call->value == values[call->target], "an erased value", call->target, at);
    length--;
    memmove(order + at, order + at + 1, (length - at) * sizeof *order);
    state[call->target] = 2;
}

static void is_neighbour(const struct call *call)
{
    const uint at = call->target == CLADE_NIL ? (call->kind == NEXT ? 0 : length)
                                              : place_of(call->target) + (call->kind == NEXT);
    const clade_ref wanted = call->kind == NEXT ? (at < length ? order[at] : CLADE_NIL)
                                                : (at > 0 ? order[at - 1] : CLADE_NIL);
    expect(call->node == wanted, "a neighbour", call->kind, call->node);
}

static void do_one(void)
{
    struct call call = { draw(KINDS), any_ref(), CLADE_NIL, (ulong)draw(1u << 30) << 33, 0, 0 };
    call.target = draw(4) && length ? order[draw(length)] : call.target;
    call.wanted = wanted_of(&call);
    leave_after(draw(3) ? draw(6) : draw(40));
    call.status = run(&call);
    const bool is_left = end_of_turns(), is_insert = call.kind <= AFTER;
    if (call.status != call.wanted) {
        refused++;
        expect(is_left && (call.status == CLADE_E_BUSY ||
                           (is_insert && call.status == CLADE_E_FULL)), /* no cell was found */
               "a status", call.kind << 16 | (uint)call.wanted, (uint)call.status);
        expect(call.node == CLADE_NIL, "a node of who is refused", call.kind, call.node);
    } else if (call.status == CLADE_OK && is_insert) {
        came(&call);
    } else if (call.status == CLADE_OK && call.kind == ERASE) {
        went(&call);
    } else if (call.status == CLADE_OK) {
        is_neighbour(&call);
    }
    expect_order(&call);
}

int main(void)
{
    random_state = shim_seed();
    for (uint round = 0; round < 4000; round++) {
        make_empty();
        for (uint i = 0; i < 80; i++)
            do_one();
    }
    expect(refused > 10000, "loops that were left", refused, 0);
    printf("doubly linked list, loops left: %u refused, %u wrong\n", refused, wrong);
    return wrong != 0;
}

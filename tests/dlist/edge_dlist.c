/* SPDX-License-Identifier: Apache-2.0 */
/* The doubly linked list by one item: every status and ref against a model, with refs of all kinds;
 * then every link: erased nodes are out of both chains, hints are exact, nobody collided, capacity
 * fits and no more. And links that run in circles, as a crash may leave them: every operation ends.
 */
#define CLADE_SPIN_LIMIT 300u
#include "host/device.h"

#include "edges/intrude.h"

#include "clade/dlist.clh"
#undef min
#undef max

#include "edges/edge.h"

enum { CAPACITY = 40, ALL = CAPACITY + 1 };

struct memory {
    clade_dlist_head head;
    uint cells[CAPACITY * CLADE_DLIST_CELL];
    uint free[CAPACITY];
};

static struct memory memory;
static clade_ref order[ALL]; /* the model: refs from the front on */
static uint length, taken;
static ulong values[ALL];
static uint state[ALL];       /* of a ref: 0 never used, 1 in the list, 2 erased */
static clade_ref behind[ALL]; /* an erased node: what stood behind it then */

static void make_empty(void)
{
    clade_dlist_head *head = &memory.head;
    memset(&memory, 0, sizeof memory);
    head->object.shape = CLADE_DLIST_SHAPE;
    head->capacity = CAPACITY;
    head->nodes_at = offsetof(struct memory, cells) / 4;
    head->free_at = offsetof(struct memory, free) / 4;
    head->free_count = CAPACITY;
    for (uint i = 0; i < CAPACITY; i++) {
        memory.cells[i * CLADE_DLIST_CELL] = CLADE_DLIST_CELL_FREE;
        memory.free[i] = CAPACITY - i;
    }
    memset(state, 0, sizeof state);
    length = taken = 0;
}

static uint place_of(clade_ref node)
{
    uint i = 0;
    while (i < length && order[i] != node)
        i++;
    return i;
}

/* What the links say, against the model. */
static void check_links(void)
{
    clade_dlist_head *list = &memory.head;
    clade_ref before = CLADE_NIL;
    for (uint i = 0; i <= length; i++) {
        const uint link = clade_dlist_next_link(list, before);
        const clade_ref node = i < length ? order[i] : CLADE_NIL;
        expect(link == node << CLADE_DLIST_REF_SHIFT, "next link", before, link);
        expect(clade_load_relaxed(clade_dlist_back(list, node)) == before, "hint", node, before);
        before = node;
    }
    for (uint i = 0; i < sizeof list->stripes / sizeof *list->stripes; i++)
        expect(list->stripes[i].insert_collisions == 0 && list->stripes[i].erase_collisions == 0,
               "collisions", i, 0);
}

/* Any ref: nil, one inside, one erased, one never used, none. */
static clade_ref any_ref(void)
{
    return draw(12) == 0 ? CAPACITY + 1 + draw(3) : draw(4) ? draw(taken + 1) : draw(CAPACITY + 1);
}

static clade_ref inside_or_nil(void)
{
    return draw(6) && length ? order[draw(length)] : CLADE_NIL;
}

static void do_insert(void)
{
    const clade_ref target = draw(3) ? inside_or_nil() : any_ref();
    const uint is_before = draw(2);
    const ulong value = (ulong)draw(1u << 30) << 33 | draw(1u << 30);
    clade_ref node = 12345;
    const int status = is_before ? clade_dlist_insert_before_wi(&memory.head, target, value, &node)
                                 : clade_dlist_insert_after_wi(&memory.head, target, value, &node);
    const int wanted = target > CAPACITY                           ? CLADE_E_ARG
                       : target != CLADE_NIL && state[target] != 1 ? CLADE_E_NOT_FOUND
                       : taken == CAPACITY                         ? CLADE_E_FULL
                                                                   : CLADE_OK;
    expect(status == wanted, is_before ? "insert before" : "insert after", target, (uint)status);
    if (status != CLADE_OK || wanted != CLADE_OK) {
        expect(wanted == CLADE_E_ARG || node == CLADE_NIL, "a ref of nothing", target, node);
        return;
    }
    expect(node >= 1 && node <= CAPACITY && state[node] == 0, "a new node's ref", node, 0);
    uint at = target == CLADE_NIL ? (is_before ? length : 0) : place_of(target) + !is_before;
    memmove(order + at + 1, order + at, (length - at) * sizeof *order);
    order[at] = node;
    length++;
    taken++;
    state[node] = 1;
    values[node] = value;
}

static void do_erase(void)
{
    const clade_ref node = draw(3) ? inside_or_nil() : any_ref();
    ulong value = 0;
    const int status = clade_dlist_erase_wi(&memory.head, node, &value);
    const int wanted = node == CLADE_NIL || node > CAPACITY ? CLADE_E_ARG
                       : state[node] != 1                   ? CLADE_E_NOT_FOUND
                                                            : CLADE_OK;
    expect(status == wanted, "erase", node, (uint)status);
    if (status != CLADE_OK || wanted != CLADE_OK)
        return;
    expect(value == values[node], "erased value", node, (uint)value);
    const uint at = place_of(node);
    length--;
    memmove(order + at, order + at + 1, (length - at) * sizeof *order);
    state[node] = 2;
    behind[node] = at < length ? order[at] : CLADE_NIL;
}

static void do_look(void)
{
    const clade_ref node = any_ref();
    const uint is_inside = node <= CAPACITY && (node == CLADE_NIL || state[node] == 1);
    const int wanted = node > CAPACITY ? CLADE_E_ARG : is_inside ? CLADE_OK : CLADE_E_NOT_FOUND;
    clade_ref next = 999, prev = 999;
    ulong value = 0;
    expect(clade_dlist_next_wi(&memory.head, node, &next) == wanted, "next", node, next);
    expect(clade_dlist_prev_wi(&memory.head, node, &prev) == wanted, "prev", node, prev);
    if (is_inside) {
        const uint at = place_of(node); /* nil: the end */
        expect(next == (node == CLADE_NIL ? (length ? order[0] : CLADE_NIL)
                        : at + 1 < length ? order[at + 1]
                                          : CLADE_NIL),
               "the next", node, next);
        expect(prev == (at > 0 ? order[at - 1] : CLADE_NIL), "the one before", node, prev);
    } else if (node <= CAPACITY && state[node] == 2) {
        expect(next == CLADE_NIL || state[next] == 1, "on from an erased node", node, next);
        if (behind[node] != CLADE_NIL && state[behind[node]] == 1)
            expect(next == behind[node], "what stood behind an erased node", node, next);
        const uint at = place_of(next); /* nil: the end */
        expect(prev == (at > 0 ? order[at - 1] : CLADE_NIL), "back from an erased node", node,
               prev);
    } else {
        expect(next == CLADE_NIL && prev == CLADE_NIL, "neighbours of nothing", node, next);
    }
    const int got = clade_dlist_get_wi(&memory.head, node, &value);
    expect(got == (node == CLADE_NIL ? CLADE_E_ARG : wanted), "get", node, (uint)got);
    expect(got != CLADE_OK || value == values[node], "the value", node, (uint)value);
}

/* Links as nothing alive leaves them: nodes 1 and 2 lead to each other, erased or not. */
static void make_circle(uint is_erased, uint in_front)
{
    clade_dlist_head *list = &memory.head;
    const uint mark = is_erased ? CLADE_DLIST_ERASED : 0;
    make_empty();
    for (uint i = 0; i < 4; i++) {
        clade_ref node;
        clade_dlist_insert_before_wi(list, CLADE_NIL, i, &node);
    }
    const clade_ref a = memory.free[0], b = memory.free[1];
    clade_store_relaxed(clade_dlist_link(list, a), b << CLADE_DLIST_REF_SHIFT | mark);
    clade_store_relaxed(clade_dlist_link(list, b), a << CLADE_DLIST_REF_SHIFT | mark);
    clade_store_relaxed(clade_dlist_back(list, a), b);
    clade_store_relaxed(clade_dlist_back(list, b), a);
    if (in_front)
        clade_store_relaxed(clade_dlist_back(list, CLADE_NIL), a);
}

static void check_circles(void)
{
    for (uint i = 0; i < 4; i++) {
        clade_ref node;
        ulong value;
        make_circle(i & 1u, i & 2u);
        clade_dlist_head *list = &memory.head;
        const clade_ref a = memory.free[0], c = memory.free[2];
        for (uint of = 0; of < 2; of++) {
            const int status = clade_dlist_next_wi(list, of == 0 ? CLADE_NIL : a, &node);
            expect(status != CLADE_E_BUSY || node == CLADE_NIL, "a ref without an end", i, node);
            if ((i & 1u) && of == 1)
                expect(status == CLADE_E_BUSY, "a way on without an end", i, (uint)status);
        }
        expect(clade_dlist_prev_wi(list, CLADE_NIL, &node) != CLADE_OK || !(i & 2u),
               "a circle has a last node", i, node);
        for (uint of = 0; of < 3; of++) {
            const int status = clade_dlist_prev_wi(list,
                                                   of == 0   ? a
                                                   : of == 1 ? c
                                                             : CLADE_NIL,
                                                   &node);
            expect(status != CLADE_E_BUSY || node == CLADE_NIL, "a ref without an answer", i, node);
            if ((i & 1u) && of == 0) /* hints from erased nodes to erased ones */
                expect(status == CLADE_E_BUSY, "a way back without an end", i, (uint)status);
        }
        clade_dlist_insert_before_wi(list, CLADE_NIL, 1, &node);
        clade_dlist_insert_before_wi(list, c, 1, &node);
        clade_dlist_erase_wi(list, c, &value);
        clade_dlist_erase_wi(list, a, &value);
    }
}

/* --- others in between
 * ----------------------------------------------------------------------------- */

static clade_ref three[3]; /* in a list of three */

static void make_three(void)
{
    make_empty();
    for (uint i = 0; i < 3; i++)
        clade_dlist_insert_before_wi(&memory.head, CLADE_NIL, i, &three[i]);
}

static void insert_behind_the_middle(void)
{
    clade_ref node;
    clade_dlist_insert_after_wi(&memory.head, three[1], 50, &node);
}

static void erase_the_middle(void)
{
    ulong value;
    clade_dlist_erase_wi(&memory.head, three[1], &value);
}

static void insert_before_the_middle(void)
{
    clade_ref node;
    clade_dlist_insert_before_wi(&memory.head, three[1], 50, &node);
}

static void expect_collisions(uint inserts, uint erasures, const char *what)
{
    uint found[2] = { 0 };
    for (uint i = 0; i < sizeof memory.head.stripes / sizeof *memory.head.stripes; i++) {
        found[0] += memory.head.stripes[i].insert_collisions;
        found[1] += memory.head.stripes[i].erase_collisions;
    }
    expect(found[0] == inserts && found[1] == erasures, what, found[0], found[1]);
}

/* A link changes before it is compared: the operation tries again, and counts it. */
static void check_others(void)
{
    clade_ref node;
    ulong value;
    make_three();
    intruder = insert_behind_the_middle;
    expect(clade_dlist_insert_after_wi(&memory.head, three[1], 9, &node) == CLADE_OK,
           "insert again", 0, 0);
    expect_collisions(1, 0, "collisions of an insert behind");
    make_three();
    intruder = insert_before_the_middle;
    expect(clade_dlist_insert_before_wi(&memory.head, three[1], 9, &node) == CLADE_OK,
           "insert again", 1, 0);
    expect_collisions(1, 0, "collisions of an insert before");
    make_three();
    intruder = insert_behind_the_middle;
    expect(clade_dlist_erase_wi(&memory.head, three[1], &value) == CLADE_OK, "erase again", 2, 0);
    expect_collisions(0, 1, "collisions of an erasure");
}

static clade_ref before_the_last;

static void insert_before_the_last(void)
{
    clade_dlist_insert_before_wi(&memory.head, three[2], 51, &before_the_last);
}

static void insert_before_the_last_soon(void)
{
    intruder = insert_before_the_last;
}

/* An insert is linked, stands still while another one comes behind it, and then leaves a hint from
 * before that. Who goes back from the node with the hint meets both, also when it is erased. */
static void check_late_hints(void)
{
    for (uint is_erased = 0; is_erased < 2; is_erased++) {
        clade_dlist_head *list = &memory.head;
        clade_ref node, prev = CLADE_NIL;
        ulong value;
        make_three();
        intruder = insert_before_the_last_soon;
        clade_dlist_insert_after_wi(list, three[1], 50, &node);
        expect(clade_load_relaxed(clade_dlist_back(list, three[2])) == node, "a late hint", node,
               0);
        if (is_erased)
            clade_dlist_erase_wi(list, three[2], &value);
        const int status = clade_dlist_prev_wi(list, three[2], &prev);
        expect(status == (is_erased ? CLADE_E_NOT_FOUND : CLADE_OK), "back", is_erased, 0);
        expect(prev == before_the_last, "who was there all the time", is_erased, prev);
        expect(clade_dlist_prev_wi(list, prev, &prev) == CLADE_OK && prev == node,
               "back from there", is_erased, prev);
    }
}

/* The target goes before the link is compared: the cell that was made is as one that is free. */
static void check_drops(void)
{
    for (uint is_before = 0; is_before < 2; is_before++) {
        clade_dlist_head *list = &memory.head;
        clade_ref node = 5;
        make_three();
        intruder = erase_the_middle;
        const int status = is_before ? clade_dlist_insert_before_wi(list, three[1], 9, &node)
                                     : clade_dlist_insert_after_wi(list, three[1], 9, &node);
        expect(status == CLADE_E_NOT_FOUND && node == CLADE_NIL, "beside nothing", is_before, node);
        expect(intruder == NULL, "the target went meanwhile", is_before, 0);
        for (clade_ref cell = 1; cell <= CAPACITY; cell++)
            expect(cell == three[0] || cell == three[1] || cell == three[2] ||
                       clade_load_relaxed(clade_dlist_link(list, cell)) == CLADE_DLIST_CELL_FREE,
                   "a cell that was made in vain", is_before, cell);
    }
}

/* Who erases stands still behind its first step: others take the node out of the chain. */
static void check_helping(void)
{
    for (uint way = 0; way < 4; way++) {
        clade_dlist_head *list = &memory.head;
        clade_ref node = CLADE_NIL;
        make_three();
        clade_store_relaxed(clade_dlist_link(list, three[1]),
                            three[2] << CLADE_DLIST_REF_SHIFT | CLADE_DLIST_ERASED);
        if (way == 0)
            expect(clade_dlist_prev_wi(list, three[2], &node) == CLADE_OK && node == three[0],
                   "past who is erased", way, node);
        else if (way == 1)
            expect(clade_dlist_next_wi(list, three[0], &node) == CLADE_OK && node == three[2],
                   "past who is erased", way, node);
        else if (way == 2)
            expect(clade_dlist_insert_before_wi(list, three[2], 7, &node) == CLADE_OK,
                   "past who is erased", way, node);
        else
            expect(clade_dlist_next_wi(list, three[1], &node) == CLADE_E_NOT_FOUND &&
                       node == three[2],
                   "on from it", way, node);
        const clade_ref second = way == 2 ? node : three[2];
        expect(way == 3 || clade_dlist_next_link(list, three[0]) == second << CLADE_DLIST_REF_SHIFT,
               "taken out", way, 0);
        expect(clade_dlist_get_wi(list, three[1], &(ulong) { 0 }) == CLADE_E_NOT_FOUND,
               "still erased", way, 0);
        expect_collisions(0, 0, "collisions of helping");
    }
}

int main(void)
{
    random_state = shim_seed();
    for (uint round = 0; round < 200; round++) {
        make_empty();
        for (uint op = 0; op < 120; op++) {
            const uint kind = draw(8);
            if (kind < 3 + round % 3)
                do_insert();
            else if (kind < 7)
                do_erase();
            do_look();
            check_links();
        }
    }
    check_others();
    check_late_hints();
    check_drops();
    check_helping();
    check_circles();
    printf("doubly linked list: %u wrong\n", wrong);
    return wrong != 0;
}

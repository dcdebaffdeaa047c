/* SPDX-License-Identifier: Apache-2.0 */
/* Lists by one item: ordered, with shortcuts to nodes that die, and unordered, with an index and
 * without. Every status and value against a model; then every link, shortcut and slot; capacity
 * fits and no more; nobody collides. And links in a circle: every operation ends. */
#define CLADE_SPIN_LIMIT 200u
#include "host/device.h"

#include "edges/intrude.h"

#define CLADE_LIST       edge
#define CLADE_LIST_VALUE 32
#include "clade/list.clh"
#undef min
#undef max

#include "edges/edge.h"

enum { CAPACITY = 40, KEYS = 30, HINTS = 16, SLOTS = 128, WORDS = 4 };

struct memory {
    clade_list_head head;
    uint cells[CAPACITY * WORDS];
    uint free[CAPACITY];
    uint index[SLOTS]; /* or shortcuts of two words */
};

static struct memory memory;
static uint there[KEYS], values[KEYS], taken; /* ordered */
#include "list/sequence.h"                    /* unordered, from the front on */

static void make_empty(uint is_unordered, uint slots)
{
    memset(&memory, 0, sizeof memory);
    memory.head.object.shape = CLADE_LIST_SHAPE(is_unordered, 1, 1, 0);
    memory.head.capacity = CAPACITY;
    memory.head.nodes_at = offsetof(struct memory, cells) / 4;
    memory.head.free_at = offsetof(struct memory, free) / 4;
    memory.head.index_at = memory.head.hints_at = offsetof(struct memory, index) / 4;
    memory.head.index_size = slots;
    memory.head.free_count = CAPACITY;
    for (uint i = 0; i < CAPACITY; i++) {
        memory.cells[i * WORDS] = CLADE_LIST_CELL_FREE;
        memory.free[i] = CAPACITY - i;
    }
    memset(there, 0, sizeof there);
    taken = length = 0;
}

static uint *cell(clade_ref node)
{
    return &memory.cells[(node - 1) * WORDS];
}

static uint key_of(uint i)
{
    return i < 4 ? i : i == KEYS - 1 ? 0xffffffffu : i * 1000u + i % 2;
}

static void check_collisions(void)
{
    for (uint i = 0; i < CLADE_CELLS_STRIPES; i++)
        expect(memory.head.stripes[i].insert_collisions == 0 &&
                   memory.head.stripes[i].erase_collisions == 0,
               "collisions of one item", i, 0);
}

/* --- ordered -------------------------------------------------------------------------------------
 */

/* As reclaiming does: a shortcut for some of the live nodes. */
static void make_hints(void)
{
    uint n = 0;
    for (clade_ref node = memory.head.first >> CLADE_LIST_REF_SHIFT; node != CLADE_NIL && n < HINTS;
         node = cell(node)[0] >> CLADE_LIST_REF_SHIFT)
        if (draw(2)) {
            memory.index[2 * n] = cell(node)[1];
            memory.index[2 * n++ + 1] = node;
        }
    memory.head.hint_count = n;
}

/* The chain is the model; a shortcut leads to no live node behind its key. */
static void check_ordered(void)
{
    uint i = 0, hops = 0;
    for (clade_ref node = memory.head.first >> CLADE_LIST_REF_SHIFT;
         node != CLADE_NIL && hops <= CAPACITY; hops++) {
        while (i < KEYS && !there[i])
            i++;
        expect(i < KEYS && cell(node)[1] == key_of(i) && cell(node)[2] == values[i],
               "a node of the chain", node, i);
        expect(!(cell(node)[0] & CLADE_LIST_MARKS), "an erased node in the chain", node, i++);
        node = cell(node)[0] >> CLADE_LIST_REF_SHIFT;
    }
    while (i < KEYS && !there[i])
        i++;
    expect(i == KEYS, "a key that is not in the chain", key_of(i % KEYS), i);
    for (uint hint = 0; hint < memory.head.hint_count; hint++) {
        const clade_ref node = memory.index[2 * hint + 1];
        expect(node == CLADE_NIL || cell(node)[1] <= memory.index[2 * hint],
               "a shortcut behind its key", hint, node);
    }
}

static void do_ordered(uint op)
{
    const uint i = draw(KEYS), key = key_of(i), new_value = draw(1u << 30);
    uint value = 0;
    if (op < 2) { /* insert, put */
        const int status = op ? edge_put_wi(&memory.head, key, new_value)
                              : edge_insert_wi(&memory.head, key, new_value);
        const uint takes = !there[i] || op == 1;
        const int wanted = !takes              ? CLADE_LIST_PRESENT
                           : taken == CAPACITY ? CLADE_E_FULL
                           : there[i]          ? CLADE_LIST_PRESENT
                                               : CLADE_OK;
        expect(status == wanted, op ? "put" : "insert", key, (uint)status);
        if (takes && taken < CAPACITY) {
            there[i] = 1;
            values[i] = new_value;
            taken++;
        }
    } else if (op == 2) {
        const int status = edge_erase_wi(&memory.head, key, &value);
        expect(status == (there[i] ? CLADE_OK : CLADE_E_NOT_FOUND), "erase", key, (uint)status);
        expect(!there[i] || value == values[i], "erased value", key, value);
        there[i] = 0;
    } else {
        const int status = edge_find_wi(&memory.head, key, &value);
        expect(status == (there[i] ? CLADE_OK : CLADE_E_NOT_FOUND), "find", key, (uint)status);
        expect(edge_contains_wi(&memory.head, key) == status, "contains", key, (uint)status);
        expect(!there[i] || value == values[i], "value", key, value);
    }
}

/* All that shortcuts lead to is erased: whoever passes repairs them, as far as it can tell. */
static void check_repair(void)
{
    uint value, dead = 0;
    make_empty(CLADE_LIST_ORDERED, HINTS);
    for (uint i = 0; i < KEYS; i++)
        edge_insert_wi(&memory.head, i * 10, i);
    make_hints();
    for (uint i = 0; i < KEYS; i++)
        if (i % 5)
            edge_erase_wi(&memory.head, i * 10, &value);
    for (uint by = 0; by < 2; by++)
        for (uint key = 0; key < KEYS * 10 + 5; key += 5)
            edge_contains_wi(&memory.head, key);
    for (uint hint = 0; hint < memory.head.hint_count; hint++) {
        const clade_ref node = memory.index[2 * hint + 1];
        dead += node != CLADE_NIL && (cell(node)[0] & CLADE_LIST_ERASED);
        expect(node == CLADE_NIL || cell(node)[1] <= memory.index[2 * hint], "a repaired shortcut",
               hint, node);
    }
    expect(dead <= memory.head.hint_count / 2, "shortcuts that are still dead", dead,
           memory.head.hint_count);
}

/* A walk may start beyond the shortcut that failed, at the end of an erased node's links: what it
 * meets there is no repair. */
static void check_beyond(void)
{
    uint value;
    make_empty(CLADE_LIST_ORDERED, HINTS);
    edge_insert_wi(&memory.head, 10, 1);
    edge_insert_wi(&memory.head, 20, 2);
    const clade_ref ten = memory.head.first >> CLADE_LIST_REF_SHIFT;
    const uint hints[] = { 10, ten, 20, cell(ten)[0] >> CLADE_LIST_REF_SHIFT };
    edge_erase_wi(&memory.head, 20, &value);
    edge_insert_wi(&memory.head, 30, 3);
    memcpy(memory.index, hints, sizeof hints);
    memory.head.hint_count = 2;
    edge_erase_wi(&memory.head, 10, &value);
    expect(edge_contains_wi(&memory.head, 40) == CLADE_E_NOT_FOUND, "a key behind all", 40, 0);
    expect(edge_contains_wi(&memory.head, 30) == CLADE_OK, "behind a dead shortcut", 30, 0);
}

/* --- unordered -----------------------------------------------------------------------------------
 */

static void check_unordered(void)
{
    uint at = 0, hops = 0;
    for (clade_ref node = memory.head.first >> CLADE_LIST_REF_SHIFT;
         node != CLADE_NIL && hops <= CAPACITY; hops++) {
        const uint link = cell(node)[0];
        expect(!(link & CLADE_LIST_PENDING), "a pending node", node, link);
        if (!(link & CLADE_LIST_ERASED)) {
            expect(at < length && cell(node)[1] == sequence[at], "the sequence", at, cell(node)[1]);
            at++;
        }
        node = link >> CLADE_LIST_REF_SHIFT;
    }
    expect(at == length, "nodes in the chain", at, length);
    uint entered = 0;
    for (uint i = 0; i < SLOTS; i++)
        entered += memory.index[i] != CLADE_NIL;
    expect(entered == (memory.head.index_size ? taken : 0), "slots", entered, taken);
}

/* Values repeat only where it does not matter which of them is meant. */
static void do_unordered(uint op, uint step)
{
    const uint fresh = 7 * step + 1,
               known = length && draw(4) ? sequence[draw(length)] : draw(2000);
    const uint at = place_in_sequence(known), is_there = at < length;
    if (op == 0) {
        const int status = edge_insert_front_wi(&memory.head, fresh);
        expect(status == (taken < CAPACITY ? CLADE_OK : CLADE_E_FULL), "insert_front", fresh,
               (uint)status);
        if (taken < CAPACITY) {
            put_in(0, fresh);
            taken++;
        }
    } else if (op == 1) {
        const int status = edge_insert_after_wi(&memory.head, known, fresh);
        const int wanted = !is_there          ? CLADE_E_NOT_FOUND
                           : taken < CAPACITY ? CLADE_OK
                                              : CLADE_E_FULL;
        expect(status == wanted, "insert after", known, (uint)status);
        if (wanted == CLADE_OK) {
            put_in(at + 1, fresh);
            taken++;
        }
    } else if (op == 2) {
        const int status = edge_erase_value_wi(&memory.head, known);
        expect(status == (is_there ? CLADE_OK : CLADE_E_NOT_FOUND), "erase", known, (uint)status);
        if (is_there)
            take_out(at);
    } else {
        const int status = edge_contains_value_wi(&memory.head, known);
        expect(status == (is_there ? CLADE_OK : CLADE_E_NOT_FOUND), "search", known, (uint)status);
    }
}

/* Another item's insert stands still behind its first step: whoever changes a link before it helps
 * it in; until then its value is not there. */
static void check_pending(uint slots)
{
    for (uint helper = 0; helper < 3; helper++) {
        make_empty(CLADE_LIST_UNORDERED, slots);
        edge_insert_front_wi(&memory.head, 5);
        const clade_ref five = memory.free[0];
        clade_ref pending;
        expect(edge_make_wi(&memory.head, 9, &pending) == CLADE_OK, "made", slots, helper);
        expect(edge_contains_value_wi(&memory.head, 9) == CLADE_E_NOT_FOUND,
               "a pending value is there", slots, helper);
        cell(pending)[0] = cell(five)[0] | CLADE_LIST_PENDING;
        cell(five)[0] = pending << CLADE_LIST_REF_SHIFT;
        expect(edge_contains_value_wi(&memory.head, 9) == CLADE_E_NOT_FOUND,
               "a linked pending value is there", slots, helper);
        if (helper == 0)
            edge_insert_after_wi(&memory.head, 5, 6);
        else if (helper == 1)
            edge_erase_value_wi(&memory.head, 5);
        else
            edge_insert_front_wi(&memory.head, 4); /* changes no link before it */
        expect(edge_contains_value_wi(&memory.head, 9) ==
                   (helper < 2 ? CLADE_OK : CLADE_E_NOT_FOUND),
               "helped in", slots, helper);
        expect(helper == 2 || cell(pending)[0] == 0, "the mark of who was helped", slots,
               cell(pending)[0]);
    }
    /* One that was erased before it was in the list stays out. */
    make_empty(CLADE_LIST_UNORDERED, slots);
    edge_insert_front_wi(&memory.head, 5);
    const clade_ref five = memory.free[0];
    clade_ref gone;
    expect(edge_make_wi(&memory.head, 9, &gone) == CLADE_OK, "made", slots, 0);
    cell(gone)[0] = cell(five)[0] | CLADE_LIST_PENDING | CLADE_LIST_ERASED;
    cell(five)[0] = gone << CLADE_LIST_REF_SHIFT;
    edge_insert_after_wi(&memory.head, 5, 6);
    expect(edge_contains_value_wi(&memory.head, 9) == CLADE_E_NOT_FOUND,
           "an erased node was helped in", slots, 0);
    expect(cell(gone)[0] & CLADE_LIST_PENDING, "an erased node's mark", slots, cell(gone)[0]);
}

/* An index that has no slot left, as one seems to have whose search a driver cut short: what it does
 * not lead to does not come into the list. */
static void check_no_slot(void)
{
    uint rest = CAPACITY - 1;
    make_empty(CLADE_LIST_UNORDERED, SLOTS);
    edge_insert_front_wi(&memory.head, 5);
    const clade_ref five = memory.head.first >> CLADE_LIST_REF_SHIFT;
    for (uint i = 0; i < SLOTS; i++)
        memory.index[i] = five;
    expect(edge_insert_front_wi(&memory.head, 9) == CLADE_E_BUSY, "no slot", 0, 0);
    expect(edge_insert_after_wi(&memory.head, 5, 9) == CLADE_E_BUSY, "no slot", 1, 0);
    expect(memory.head.first == five << CLADE_LIST_REF_SHIFT && cell(five)[0] == 0, "linked",
           memory.head.first, cell(five)[0]);
    for (clade_ref node = 1; node <= CAPACITY; node++)
        rest -= node != five && cell(node)[0] & CLADE_LIST_ERASED;
    expect(rest == 0, "a cell that a reclaim does not take back", rest, 0);
    check_collisions();
}

/* --- links in circles ----------------------------------------------------------------------------
 */

static void check_circles(void)
{
    uint value;
    for (uint mark = 0; mark < 2; mark++) {
        make_empty(CLADE_LIST_ORDERED, HINTS);
        edge_insert_wi(&memory.head, 10, 1);
        edge_insert_wi(&memory.head, 20, 1);
        const clade_ref a = memory.head.first >> CLADE_LIST_REF_SHIFT;
        const clade_ref second = cell(a)[0] >> CLADE_LIST_REF_SHIFT;
        cell(a)[0] = second << CLADE_LIST_REF_SHIFT | mark;
        cell(second)[0] = a << CLADE_LIST_REF_SHIFT | mark;
        expect(edge_contains_wi(&memory.head, 30) == CLADE_E_BUSY, "a circle ends", mark, 0);
        expect(edge_insert_wi(&memory.head, 30, 1) == CLADE_E_BUSY, "a circle ends", mark, 1);
        expect(edge_erase_wi(&memory.head, 30, &value) == CLADE_E_BUSY, "a circle ends", mark, 2);
        make_empty(CLADE_LIST_UNORDERED, 0);
        edge_insert_front_wi(&memory.head, 20);
        edge_insert_front_wi(&memory.head, 10);
        const clade_ref first = memory.head.first >> CLADE_LIST_REF_SHIFT;
        cell(cell(first)[0] >> CLADE_LIST_REF_SHIFT)[0] = first << CLADE_LIST_REF_SHIFT | mark;
        expect(edge_contains_value_wi(&memory.head, 30) == CLADE_E_BUSY, "a circle ends", mark, 3);
        expect(edge_erase_value_wi(&memory.head, 30) == CLADE_E_BUSY, "a circle ends", mark, 4);
        expect(edge_insert_after_wi(&memory.head, 30, 40) == CLADE_E_BUSY, "a circle ends", mark,
               5);
    }
}

/* --- others in between
 * ----------------------------------------------------------------------------- */

static void insert_15(void)
{
    edge_insert_wi(&memory.head, 15, 1);
}

static void insert_25(void)
{
    edge_insert_wi(&memory.head, 25, 1);
}

static void insert_front_7(void)
{
    edge_insert_front_wi(&memory.head, 7);
}

static void put_7_behind_5(void)
{
    edge_insert_after_wi(&memory.head, 5, 7);
}

static void expect_counted(uint inserts, uint erasures, uint way)
{
    uint found[2] = { 0 };
    for (uint i = 0; i < CLADE_CELLS_STRIPES; i++) {
        found[0] += memory.head.stripes[i].insert_collisions;
        found[1] += memory.head.stripes[i].erase_collisions;
    }
    expect(found[0] == inserts && found[1] == erasures, "collisions", way, found[0]);
}

/* A link changes before it is compared: the operation tries again, and counts it. */
static void check_others(void)
{
    uint value;
    for (uint way = 0; way < 3; way++) {
        make_empty(CLADE_LIST_ORDERED, HINTS);
        edge_insert_wi(&memory.head, 10, 1);
        edge_insert_wi(&memory.head, 20, 2);
        intruder = way == 0 ? insert_15 : insert_25;
        const int status = way == 0   ? edge_insert_wi(&memory.head, 17, 3)
                           : way == 1 ? edge_erase_wi(&memory.head, 20, &value)
                                      : edge_put_wi(&memory.head, 20, 3);
        expect(status == (way == 2 ? CLADE_LIST_PRESENT : CLADE_OK), "once more", way,
               (uint)status);
        expect_counted(way != 1, way == 1, way);
        make_empty(CLADE_LIST_UNORDERED, SLOTS);
        edge_insert_front_wi(&memory.head, 5);
        intruder = way == 0 ? insert_front_7 : put_7_behind_5;
        const int other = way == 0   ? edge_insert_front_wi(&memory.head, 9)
                          : way == 1 ? edge_erase_value_wi(&memory.head, 5)
                                     : edge_insert_after_wi(&memory.head, 5, 9);
        expect(other == CLADE_OK && edge_contains_value_wi(&memory.head, 7) == CLADE_OK,
               "once more", way, (uint)other);
        expect_counted(way != 1, way == 1, way + 10);
    }
}

/* A walk that ends behind the last node repairs the shortcut that failed it. */
static void check_repair_at_end(void)
{
    uint value;
    make_empty(CLADE_LIST_ORDERED, HINTS);
    for (uint key = 10; key <= 30; key += 10)
        edge_insert_wi(&memory.head, key, key);
    const clade_ref first = memory.head.first >> CLADE_LIST_REF_SHIFT,
                    second = cell(first)[0] >> CLADE_LIST_REF_SHIFT;
    memory.index[0] = 30;
    memory.index[1] = cell(second)[0] >> CLADE_LIST_REF_SHIFT;
    memory.head.hint_count = 1;
    edge_erase_wi(&memory.head, 30, &value);
    expect(edge_contains_wi(&memory.head, 40) == CLADE_E_NOT_FOUND, "behind the last", 40, 0);
    expect(memory.index[1] == second, "a shortcut that failed at the end", memory.index[1], second);
}

int main(void)
{
    random_state = shim_seed();
    for (uint round = 0; round < 120; round++) {
        make_empty(CLADE_LIST_ORDERED, HINTS);
        for (uint op = 0; op < 90; op++) {
            if (op % 20 == 19)
                make_hints();
            do_ordered(draw(5) % 4);
            check_ordered();
        }
        check_collisions();
        make_empty(CLADE_LIST_UNORDERED, round % 2 ? SLOTS : 0);
        for (uint op = 0; op < 70; op++) {
            do_unordered(draw(4), op);
            check_unordered();
        }
        check_collisions();
        check_repair();
        check_beyond();
    }
    check_pending(SLOTS);
    check_pending(0);
    check_no_slot();
    check_others();
    check_repair_at_end();
    check_circles();
    printf("lists: %u wrong\n", wrong);
    return wrong != 0;
}

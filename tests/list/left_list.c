/* SPDX-License-Identifier: Apache-2.0 */
/* Both lists where a driver leaves loops (left/left.h), with shortcuts and an index and without:
 * who is refused did nothing; whoever is not, has what the model says. Erased nodes may be linked
 * still. */
#include "left/left.h"

#define main edge_main
#include "list/edge_list.c"
#undef main

static uint refused;

static void some_turns(void)
{
    leave_after(draw(3) ? draw(8) : draw(120));
}

/* An operation may be refused where loops were left; an insert also when cells are used up. */
static bool is_refused(uint op, int status, int wanted, bool is_left)
{
    const bool is_insert = op < 2;
    if (status == wanted)
        return false;
    refused++;
    expect((is_left && status == CLADE_E_BUSY) || (is_insert && status == CLADE_E_FULL), "a status",
           op << 16 | (uint)wanted, (uint)status);
    return true;
}

/* The live nodes in their order. */
static uint live_nodes(clade_ref *nodes)
{
    uint n = 0, hops = 0;
    for (clade_ref node = memory.head.first >> CLADE_LIST_REF_SHIFT;
         node != CLADE_NIL && hops <= CAPACITY; hops++) {
        const uint link = cell(node)[0];
        expect(!(link & CLADE_LIST_PENDING) || link & CLADE_LIST_ERASED, "a pending node", node,
               link);
        if (!(link & CLADE_LIST_ERASED))
            nodes[n++] = node;
        node = link >> CLADE_LIST_REF_SHIFT;
    }
    return n;
}

static void do_ordered_left(void)
{
    const uint op = draw(5), i = draw(KEYS), key = key_of(i), new_value = draw(1u << 30);
    const int found = there[i] ? CLADE_OK : CLADE_E_NOT_FOUND;
    const int wanted = op >= 2 ? found : there[i] ? CLADE_LIST_PRESENT : CLADE_OK;
    uint value = 0, at = 0;
    some_turns();
    const int status = op == 0   ? edge_insert_wi(&memory.head, key, new_value)
                       : op == 1 ? edge_put_wi(&memory.head, key, new_value)
                       : op == 2 ? edge_erase_wi(&memory.head, key, &value)
                       : op == 3 ? edge_find_wi(&memory.head, key, &value)
                                 : edge_contains_wi(&memory.head, key);
    if (!is_refused(op, status, wanted, end_of_turns())) {
        if (op == 1 || (op == 0 && !there[i]))
            values[i] = new_value;
        expect((op != 2 && op != 3) || !there[i] || value == values[i], "a value", op, value);
        there[i] = op < 2 ? 1 : op == 2 ? 0 : there[i];
    }
    clade_ref nodes[CAPACITY + 1];
    const uint n = live_nodes(nodes);
    for (uint k = 0; k < KEYS; k++)
        if (there[k]) {
            expect(at < n && cell(nodes[at])[1] == key_of(k) && cell(nodes[at])[2] == values[k],
                   "a node of the chain", op, k);
            at++;
        }
    expect(at == n, "nodes in the chain", n, at);
}

static void do_unordered_left(uint step)
{
    const uint op = draw(5), fresh = 7 * step + 1,
               known = length && draw(4) ? sequence[draw(length)] : draw(2000);
    const uint at = place_in_sequence(known), is_there = at < length;
    const int wanted = is_there || op == 0 ? CLADE_OK : CLADE_E_NOT_FOUND;
    some_turns();
    const int status = op == 0   ? edge_insert_front_wi(&memory.head, fresh)
                       : op == 1 ? edge_insert_after_wi(&memory.head, known, fresh)
                       : op == 2 ? edge_erase_value_wi(&memory.head, known)
                                 : edge_contains_value_wi(&memory.head, known);
    if (!is_refused(op, status, wanted, end_of_turns()) && status == CLADE_OK) {
        if (op < 2)
            put_in(op == 0 ? 0 : at + 1, fresh);
        else if (op == 2)
            take_out(at);
    }
    clade_ref nodes[CAPACITY + 1];
    const uint n = live_nodes(nodes);
    for (uint i = 0; i < n && i < length; i++)
        expect(cell(nodes[i])[1] == sequence[i], "the sequence", op, i);
    expect(n == length, "nodes in the chain", op, n);
}

int main(void)
{
    random_state = shim_seed();
    for (uint round = 0; round < 4000; round++) {
        const uint has_more = round % 2;
        make_empty(CLADE_LIST_ORDERED, has_more ? HINTS : 0);
        for (uint i = 0; i < 60; i++) {
            do_ordered_left();
            if (has_more && i % 16 == 15)
                make_hints();
        }
        make_empty(CLADE_LIST_UNORDERED, has_more ? SLOTS : 0);
        for (uint i = 0; i < 60; i++)
            do_unordered_left(i);
    }
    expect(refused > 10000, "loops that were left", refused, 0);
    printf("lists, loops left: %u refused, %u wrong\n", refused, wrong);
    return wrong != 0;
}

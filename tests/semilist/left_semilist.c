/* SPDX-License-Identifier: Apache-2.0 */
/* The semi-linked list where a driver leaves loops (left/left.h): who is refused did nothing, and
 * got no node; whoever is not, has what the model says. A step may give nil too early (its page
 * says so). Erased nodes may be linked still. */
#include "left/left.h"

#define main edge_main
#include "semilist/edge_semilist.c"
#undef main

static uint refused;

static void some_turns(void)
{
    leave_after(draw(3) ? draw(8) : draw(120));
}

static bool is_refused(const char *what, int status, int wanted, int other)
{
    const bool is_left = end_of_turns();
    if (status == wanted)
        return false;
    refused++;
    expect(is_left && (status == CLADE_E_BUSY || status == other), what, (uint)wanted,
           (uint)status);
    return true;
}

/* The chain holds every live node, in order; each node has its place and its block. */
static void expect_order(void)
{
    uint at = 0, met = 0, hops = 0;
    for (clade_ref ref = memory.list.first >> CLADE_SEMILIST_REF_SHIFT;
         ref != CLADE_NIL && hops <= count; hops++) {
        while (at < count && refs[at] != ref)
            at++;
        expect(at < count, "a node that is none, or out of order", ref, hops);
        if (at == count)
            return;
        const uint link = cladei_semilist_node(&memory.kma.head, ref)->link;
        expect(is_live[at] == !(link & CLADE_SEMILIST_ERASED), "a mark", at, link);
        met += is_live[at];
        ref = link >> CLADE_SEMILIST_REF_SHIFT;
    }
    expect(met == live && held == count, "live nodes, and blocks", met, held);
    for (uint i = 0; i < count; i++)
        expect(memory.places[i] == refs[i], "the place's ref", i, memory.places[i]);
}

static void append_left(void)
{
    const uint key = draw(6), value = draw(1u << 30);
    const int wanted = count < CAPACITY && count < blocks ? CLADE_OK : CLADE_E_FULL;
    clade_ref node = 77;
    some_turns();
    const int status = clade_semilist_append_wi(&memory.list, &memory.kma.head, key, value, &node);
    const bool is_out = is_refused("append", status, wanted, CLADE_E_FULL);
    expect((status == CLADE_OK) == (node != CLADE_NIL), "a node", node, (uint)status);
    if (is_out || status != CLADE_OK)
        return;
    keys[count] = key;
    values[count] = value;
    is_live[count] = 1;
    refs[count++] = node;
    live++;
}

static void erase_left(void)
{
    const uint at = count ? draw(count) : 0;
    const clade_ref node = count && draw(8) ? refs[at] : CLADE_NIL;
    const bool is_there = node != CLADE_NIL && is_live[at];
    some_turns();
    const int status = clade_semilist_erase_at_wi(&memory.list, &memory.kma.head, node);
    if (!is_refused("erase at", status, is_there ? CLADE_OK : CLADE_E_NOT_FOUND, CLADE_E_BUSY) &&
        status == CLADE_OK)
        gone(at);
}

static void search_left(uint is_erasure)
{
    const uint key = draw(7), at = first_with(key);
    uint value = 0;
    clade_ref node = 77;
    some_turns();
    const int status =
        is_erasure ? clade_semilist_erase_wi(&memory.list, &memory.kma.head, key, &value, &node)
                   : clade_semilist_find_wi(&memory.list, &memory.kma.head, key, &value, &node);
    if (is_refused("search", status, at < count ? CLADE_OK : CLADE_E_NOT_FOUND, CLADE_E_BUSY) ||
        status != CLADE_OK)
        return;
    expect(node == refs[at] && value == values[at], "what was found", key, node);
    if (is_erasure)
        gone(at);
}

static void look_left(void)
{
    const uint at = draw(count + 1); /* count: from the start */
    uint n = 0, next = at == count ? 0 : at + 1;
    some_turns();
    const int status = clade_semilist_count_wi(&memory.list, &memory.kma.head, &n);
    expect(is_refused("count", status, CLADE_OK, CLADE_E_BUSY) || n == live, "live nodes", n, live);
    while (next < count && !is_live[next])
        next++;
    some_turns();
    const clade_ref got =
        clade_semilist_next_wi(&memory.list, &memory.kma.head, at == count ? CLADE_NIL : refs[at]);
    const bool is_left = end_of_turns();
    expect(got == (next < count ? refs[next] : CLADE_NIL) || (is_left && got == CLADE_NIL), "next",
           at, got);
}

int main(void)
{
    random_state = shim_seed();
    for (uint round = 0; round < 4000; round++) {
        make_empty();
        for (uint i = 0; i < 60; i++) {
            const uint kind = draw(9);
            if (kind < 4)
                append_left();
            else if (kind == 4)
                erase_left();
            else if (kind < 7)
                search_left(kind == 5);
            else
                look_left();
            expect_order();
        }
    }
    expect(refused > 10000, "loops that were left", refused, 0);
    printf("semi-linked list, loops left: %u refused, %u wrong\n", refused, wrong);
    return wrong != 0;
}

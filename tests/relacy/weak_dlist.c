/* SPDX-License-Identifier: Apache-2.0 */
/* dlist.clh: nodes are put in beside others that are erased, and followed both ways. A node's
 * value is the number of a payload, written plainly before the insert and read plainly by who
 * follows a link to it. Cells that are free hold garbage. */
#include "relacy/device.h"

#include "clade/dlist.clh"

#include <string.h>

enum { CAPACITY = 24, VALUES = 12, GARBAGE = 0x5a };

static struct {
    clade_dlist_head head;
    uint cells[CAPACITY * CLADE_DLIST_CELL];
    uint free[CAPACITY];
    uint payload[VALUES];
} m;

static clade_dlist_head *const list = &m.head;
static clade_ref first, second; /* there at the start, in this order */
static int in[4][VALUES], out[4][VALUES];

void weak_setup(void)
{
    memset(m.cells, GARBAGE, sizeof m.cells);
    m.head.object.shape = CLADE_DLIST_SHAPE;
    m.head.capacity = m.head.free_count = CAPACITY;
    m.head.nodes_at = (uint)((char *)m.cells - (char *)&m) / 4;
    m.head.free_at = (uint)((char *)m.free - (char *)&m) / 4;
    for (uint i = 0; i < CAPACITY; i++) {
        m.free[i] = i + 1;
        m.cells[i * CLADE_DLIST_CELL] = CLADE_DLIST_CELL_FREE;
    }
    weak_share(&m, sizeof m, "dlist");
}

static bool ended_well(int status)
{
    WEAK_CHECK(status == CLADE_OK || status == CLADE_E_NOT_FOUND);
    return status == CLADE_OK;
}

static clade_ref insert(uint me, uint is_after, clade_ref target, uint value)
{
    clade_ref node = CLADE_NIL;
    m.payload[value] = value + 1;
    in[me][value] += ended_well(is_after ? clade_dlist_insert_after_wi(list, target, value, &node)
                                         : clade_dlist_insert_before_wi(list, target, value, &node));
    return node;
}

static void look(clade_ref node)
{
    ulong value = 0;
    if (node == CLADE_NIL || !ended_well(clade_dlist_get_wi(list, node, &value)))
        return;
    WEAK_CHECK(value < VALUES);
    WEAK_CHECK(m.payload[value] == value + 1);
}

static void take_out(uint me, clade_ref node)
{
    ulong value = 0;
    if (node == CLADE_NIL || !ended_well(clade_dlist_erase_wi(list, node, &value)))
        return;
    WEAK_CHECK(value < VALUES);
    out[me][value]++;
}

static clade_ref next(clade_ref node)
{
    clade_ref there = CLADE_NIL;
    ended_well(clade_dlist_next_wi(list, node, &there));
    look(there);
    return there;
}

static clade_ref prev(clade_ref node)
{
    clade_ref there = CLADE_NIL;
    ended_well(clade_dlist_prev_wi(list, node, &there));
    look(there);
    return there;
}

static void begin(void)
{
    memset(in, 0, sizeof in);
    memset(out, 0, sizeof out);
    first = insert(3, 1, CLADE_NIL, 0);
    second = insert(3, 1, first, 1);
}

/* Forward and backward the same nodes; each value as often as it went in and did not come out. */
static const char *end(void)
{
    clade_ref there[CAPACITY + 1], node = CLADE_NIL;
    uint length = 0;
    int found[VALUES] = { 0 };
    while (length <= CAPACITY && clade_dlist_next_wi(list, node, &node) == CLADE_OK &&
           node != CLADE_NIL) {
        ulong value = 0;
        there[length++] = node;
        if (clade_dlist_get_wi(list, node, &value) != CLADE_OK || value >= VALUES)
            return "a node without a value";
        found[value]++;
    }
    if (length > CAPACITY)
        return "the links run in a circle";
    for (uint i = length; i-- > 0;)
        if (clade_dlist_prev_wi(list, node, &node) != CLADE_OK || node != there[i])
            return "forward and backward differ";
    for (uint v = 0; v < VALUES; v++) {
        int left = 0;
        for (uint t = 0; t < 4; t++)
            left += in[t][v] - out[t][v];
        if (found[v] != left)
            return found[v] < left ? "a value is lost" : "a value is there that was erased";
    }
    return NULL;
}

static void insert_and_follow(uint me)
{
    if (me == 0) {
        insert(me, 1, first, 2);
        insert(me, 0, CLADE_NIL, 3);
    } else {
        next(next(first));
        prev(prev(CLADE_NIL));
    }
}

static void behind_erased(uint me)
{
    if (me == 0) {
        insert(me, 1, first, 2);
        prev(second);
    } else {
        take_out(me, first);
        next(CLADE_NIL);
    }
}

static void before_erased(uint me)
{
    if (me == 0)
        insert(me, 0, second, 2);
    else if (me == 1)
        take_out(me, first);
    else {
        take_out(me, second);
        insert(me, 0, CLADE_NIL, 4);
    }
}

static void two_erase_one(uint me)
{
    take_out(me, second);
    take_out(me, next(CLADE_NIL));
    prev(CLADE_NIL);
}

static void ends(uint me)
{
    const clade_ref node = insert(me, me & 1u, CLADE_NIL, 2 + me);
    next(node);
    prev(node);
    take_out(me, node);
    insert(me, 0, CLADE_NIL, 5 + me);
}

const weak_world weak_worlds[] = {
    { "dlist: inserted, followed", 2, begin, insert_and_follow, end, 10000, 1 },
    { "dlist: behind one that is erased", 2, begin, behind_erased, end, 6000, 2 },
    { "dlist: before some that are erased", 3, begin, before_erased, end, 10000, 0 },
    { "dlist: erased twice", 3, begin, two_erase_one, end, 10000, 0 },
    { "dlist: both ends, three", 3, begin, ends, end, 10000, 0 },
    { 0 },
};

const weak_needed weak_needed_orders[] = {
    { "clade_dlist_next_link", "load_consume" },
    { "clade_dlist_find_left_wi", "load_consume" },
    { "clade_dlist_find_left_wi", "store_release" },
    { "clade_dlist_insert_after_wi", "cas_release" },
    { "clade_dlist_insert_after_wi", "store_release" },
    { "clade_dlist_insert_before_wi", "cas_release" },
    { "clade_dlist_insert_before_wi", "store_release" },
    { "clade_dlist_skip_wi", "cas_release" },
    { 0 },
};

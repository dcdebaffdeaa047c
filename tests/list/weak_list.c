/* SPDX-License-Identifier: Apache-2.0 */
/* list.clh, both halves: three values at most. Who inserts a value writes its payload plainly before;
 * who finds it reads the payload plainly. Cells that are free hold garbage. */
#include "relacy/device.h"

#define CLADE_LIST       list
#define CLADE_LIST_VALUE 32
#include "clade/list.clh"

#include <string.h>

enum { CAPACITY = 24, SLOTS = 32, VALUES = 8, GARBAGE = 0x5a };

typedef struct object {
    clade_list_head head;
    uint cells[CAPACITY * 4];
    uint free[CAPACITY];
    uint index[SLOTS * 2]; /* of the unordered list; shortcuts of the ordered one */
} object;

static struct memory {
    object bag, set, plain; /* unordered, ordered, unordered without an index */
    uint payload[VALUES];
} m;

/* By value: how often it went in, and out. One thread changes each number. */
static int in[4][VALUES], out[4][VALUES];

static void make(object *o, uint is_unordered, uint slots)
{
    memset(o->cells, GARBAGE, sizeof o->cells);
    o->head.object.shape = CLADE_LIST_SHAPE(is_unordered, 1, 1, 0);
    o->head.capacity = o->head.free_count = CAPACITY;
    o->head.nodes_at = offsetof(object, cells) / 4;
    o->head.free_at = offsetof(object, free) / 4;
    o->head.index_at = o->head.hints_at = offsetof(object, index) / 4;
    o->head.index_size = slots;
    for (uint i = 0; i < CAPACITY; i++)
        o->free[i] = i + 1;
}

void weak_setup(void)
{
    make(&m.bag, 1, SLOTS);
    make(&m.plain, 1, 0);
    make(&m.set, 0, CLADE_LIST_HINTS_MAX(CAPACITY));
    weak_share(&m, sizeof m, "list");
}

static object *subject; /* of this world */

static void begin_common(object *o)
{
    subject = o;
    memset(in, 0, sizeof in);
    memset(out, 0, sizeof out);
}

static bool check_status(int status, int other)
{
    WEAK_CHECK(status == CLADE_OK || status == other);
    return status == CLADE_OK;
}

/* How many live nodes hold the value; none when the links are wrong. */
static int count(uint value)
{
    int n = 0;
    uint hops = 0;
    for (uint node = subject->head.first >> CLADE_LIST_REF_SHIFT; node != CLADE_NIL; hops++) {
        const uint *cell = &subject->cells[(node - 1) * 4];
        if (hops > CAPACITY || (cell[0] & CLADE_LIST_MARKS) == CLADE_LIST_PENDING)
            return -1;
        n += !(cell[0] & CLADE_LIST_ERASED) && cell[1] == value;
        node = cell[0] >> CLADE_LIST_REF_SHIFT;
    }
    return n;
}

static const char *end(void)
{
    for (uint value = 0; value < VALUES; value++) {
        int left = 0;
        for (uint t = 0; t < 4; t++)
            left += in[t][value] - out[t][value];
        const int there = count(value);
        if (there < 0)
            return "the links run in a circle, or to a node that is pending";
        if (there != left)
            return there < left ? "a value is lost" : "a value is there that was erased";
    }
    return NULL;
}

/* --- unordered -------------------------------------------------------------------------------- */

static void insert_front(uint me, uint value)
{
    m.payload[value] = value + 1;
    in[me][value] += check_status(list_insert_front_wi(&subject->head, value), CLADE_OK);
}

static void insert_after(uint me, uint target, uint value)
{
    m.payload[value] = value + 1;
    in[me][value] += check_status(list_insert_after_wi(&subject->head, target, value),
                                  CLADE_E_NOT_FOUND);
}

static void erase(uint me, uint value)
{
    if (!check_status(list_erase_value_wi(&subject->head, value), CLADE_E_NOT_FOUND))
        return;
    WEAK_CHECK(m.payload[value] == value + 1);
    out[me][value]++;
}

static void search(uint value)
{
    if (check_status(list_contains_value_wi(&subject->head, value), CLADE_E_NOT_FOUND))
        WEAK_CHECK(m.payload[value] == value + 1);
}

static void begin_bag(void)
{
    begin_common(&m.bag);
}

static void begin_plain(void)
{
    begin_common(&m.plain);
}

static void begin_bag_of_one(void)
{
    begin_bag();
    insert_front(3, 1);
}

static void begin_plain_of_one(void)
{
    begin_plain();
    insert_front(3, 1);
}

static void insert_front_and_erase(uint me)
{
    insert_front(me, me);
    erase(me, 1 - me);
    search(1 - me);
}

static void insert_front_and_search(uint me)
{
    if (me == 0) {
        insert_front(me, 2);
        insert_front(me, 3);
    } else {
        search(3);
        search(2);
    }
}

static void behind_one(uint me) /* as others look for it and erase what it is put behind */
{
    if (me == 0)
        insert_after(me, 1, 2);
    else if (me == 1)
        erase(me, 1);
    else {
        search(2);
        erase(me, 2);
    }
}

static void two_behind_one(uint me)
{
    if (me < 2)
        insert_after(me, 1, 2 + me);
    else {
        erase(me, 1);
        erase(me, 3);
    }
}

/* A search that finds nothing although the node was there before and nobody erases it is wrong. */
static void own_inserts(uint me)
{
    insert_front(me, 4 + me);
    WEAK_CHECK(list_contains_value_wi(&subject->head, 4 + me) == CLADE_OK);
    WEAK_CHECK(list_erase_value_wi(&subject->head, 4 + me) == CLADE_OK);
    out[me][4 + me]++;
    WEAK_CHECK(list_contains_value_wi(&subject->head, 4 + me) == CLADE_E_NOT_FOUND);
}

/* --- ordered ---------------------------------------------------------------------------------- */

static void insert(uint me, uint value)
{
    m.payload[value] = value + 1;
    in[me][value] += check_status(list_insert_wi(&subject->head, value, value * 10), CLADE_LIST_PRESENT);
}

static void erase_(uint me, uint value)
{
    uint found = 0;
    if (!check_status(list_erase_wi(&subject->head, value, &found), CLADE_E_NOT_FOUND))
        return;
    WEAK_CHECK(found == value * 10);
    WEAK_CHECK(m.payload[value] == value + 1);
    out[me][value]++;
}

static void find(uint value)
{
    uint found = 0;
    if (!check_status(list_find_wi(&subject->head, value, &found), CLADE_E_NOT_FOUND))
        return;
    WEAK_CHECK(found == value * 10);
    WEAK_CHECK(m.payload[value] == value + 1);
}

static void begin_set(void)
{
    begin_common(&m.set);
}

/* 2 and 6, with a shortcut to 2. */
static void begin_set_of_two(void)
{
    begin_set();
    insert(3, 2);
    m.set.index[0] = 2;
    m.set.index[1] = m.set.head.first >> CLADE_LIST_REF_SHIFT;
    m.set.head.hint_count = 1;
    insert(3, 6);
}

static void insert_and_find(uint me)
{
    if (me == 0) {
        insert(me, 3);
        insert(me, 4);
    } else {
        find(4);
        find(3);
    }
}

static void insert_and_erase(uint me)
{
    insert(me, 3 + me);
    erase_(me, 4 - me);
}

static void neighbours(uint me) /* one node goes while others come behind it */
{
    if (me == 0)
        erase_(me, 2);
    else if (me == 1) {
        insert(me, 3);
        erase_(me, 6);
    } else {
        insert(me, 4);
        find(3);
    }
}

static void same_key(uint me)
{
    (void)me;
    in[me][5] += check_status(list_insert_wi(&subject->head, 5, 50), CLADE_LIST_PRESENT);
    uint found = 0;
    if (check_status(list_erase_wi(&subject->head, 5, &found), CLADE_E_NOT_FOUND)) {
        WEAK_CHECK(found == 50);
        out[me][5]++;
    }
}

static void own_keys(uint me)
{
    insert(me, 3 + me);
    find(3 + me);
    uint found;
    WEAK_CHECK(list_find_wi(&subject->head, 3 + me, &found) == CLADE_OK);
    WEAK_CHECK(list_erase_wi(&subject->head, 3 + me, &found) == CLADE_OK);
    out[me][3 + me]++;
    WEAK_CHECK(list_find_wi(&subject->head, 3 + me, &found) == CLADE_E_NOT_FOUND);
}

static const char *end_set(void)
{
    uint before = 0;
    for (uint node = subject->head.first >> CLADE_LIST_REF_SHIFT; node != CLADE_NIL;) {
        const uint *cell = &subject->cells[(node - 1) * 4];
        if (!(cell[0] & CLADE_LIST_ERASED) && cell[1] <= before)
            return "keys do not rise";
        if (!(cell[0] & CLADE_LIST_ERASED))
            before = cell[1];
        node = cell[0] >> CLADE_LIST_REF_SHIFT;
    }
    return end();
}

const weak_world weak_worlds[] = {
    { "unordered: insert_front, search", 2, begin_bag, insert_front_and_search, end, 4000, 2 },
    { "unordered: insert_front, erase, search, two", 2, begin_bag, insert_front_and_erase, end,
      6000, 1 },
    { "unordered: behind one that is erased", 3, begin_bag_of_one, behind_one, end, 10000, 0 },
    { "unordered: two behind one that is erased", 3, begin_bag_of_one, two_behind_one, end, 10000,
      0 },
    { "unordered: own values, three", 3, begin_bag, own_inserts, end, 6000, 0 },
    { "unordered, no index: insert_front, search", 2, begin_plain, insert_front_and_search, end,
      4000, 2 },
    { "unordered, no index: insert_front, erase, search, two", 2, begin_plain,
      insert_front_and_erase, end, 6000, 1 },
    { "unordered, no index: behind one that is erased", 3, begin_plain_of_one, behind_one, end,
      10000, 0 },
    { "unordered, no index: two behind one that is erased", 3, begin_plain_of_one, two_behind_one,
      end, 10000, 0 },
    { "ordered: insert, find", 2, begin_set, insert_and_find, end_set, 4000, 2 },
    { "ordered: insert and erase, two", 2, begin_set_of_two, insert_and_erase, end_set, 6000, 1 },
    { "ordered: neighbours come and go", 3, begin_set_of_two, neighbours, end_set, 10000, 0 },
    { "ordered: one key, three", 3, begin_set_of_two, same_key, end_set, 10000, 0 },
    { "ordered: own keys, three", 3, begin_set_of_two, own_keys, end_set, 6000, 0 },
    { 0 },
};

const weak_needed weak_needed_orders[] = {
    { "list_attach_wi", "cas_release" },
    { "list_look_wi", "load_consume" },
    { "list_start_wi", "load_consume" },
    { "list_place_wi", "cas_release" },
    { "list_walk_wi", "load_consume" },
    { "list_mark_wi", "cas_release" },
    { 0 },
};

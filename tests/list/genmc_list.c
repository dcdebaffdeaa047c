/* SPDX-License-Identifier: Apache-2.0 */
/* list.clh, both halves. Who inserts a value writes its payload plainly before; who finds or erases
 * it reads the payload plainly. Cells that are free hold garbage.
 *
 * @world insert_and_find IS_SET=1 BEGIN=begin: ordered, two inserts beside two finds
 * @world two_insert IS_SET=1 BEGIN=begin_one: ordered, an insert and a find each, behind a node
 * @world erase_beside_insert IS_SET=1 BEGIN=begin_one: ordered, a node goes while another comes
 *     behind it
 * @world both_erase IS_SET=1 BEGIN=begin_one: ordered, both erase one key
 * @world three_of_one_key IS_SET=1 BEGIN=begin_one THREADS=3: ordered, an insert beside two
 *     erasures
 * @world insert_front_and_search IS_INDEXED=1 BEGIN=begin: unordered, two inserts beside two
 *     searches
 * @world two_insert_front IS_INDEXED=1 BEGIN=begin: unordered, an insert and a search each
 * @world behind_one_that_goes IS_INDEXED=1 BEGIN=begin_one THREADS=3: unordered, an insert
 *     behind a node beside two erasures
 * @world insert_front_and_search@walk BEGIN=begin: unordered without an index, two inserts
 *     beside two searches
 * @world two_insert_front@walk BEGIN=begin: unordered without an index, an insert and a search each
 * @world behind_one_that_goes@walk BEGIN=begin_one THREADS=3: unordered without an index, an
 *     insert behind a node beside two erasures
 * @needs list_place_wi cas_release insert_and_find
 * @needs list_walk_wi load_consume insert_and_find
 * @needs list_start_wi load_consume insert_and_find
 * @needs list_mark_wi cas_release three_of_one_key
 * @needs list_attach_wi cas_release behind_one_that_goes
 * @needs list_enter_wi cas_release insert_front_and_search
 * @needs list_scan_wi load_consume insert_front_and_search
 * @needs list_look_wi load_consume insert_front_and_search@walk */
#include "genmc/device.h"

#define CLADE_LIST       list
#define CLADE_LIST_VALUE 32
#include "clade/list.clh"

#include <assert.h>

/* Each thread's stripe has two cells. */
enum { CAPACITY = 2 * CLADE_CELLS_STRIPES, SLOTS = 8, VALUES = 8, GARBAGE = 0x5a5a5a5a };

typedef struct object {
    clade_list_head head;
    uint cells[CAPACITY * 4];
    uint free[CAPACITY];
    uint index[SLOTS * 2]; /* slots of an unordered list, shortcuts of an ordered one */
} object;

#define LIST(is_unordered, slots)                                                            \
    {                                                                                        \
        .head = { .object = { .shape = CLADE_LIST_SHAPE((is_unordered), 1, 1, 0) },          \
                  .capacity = CAPACITY,                                                      \
                  .free_count = CAPACITY,                                                    \
                  .nodes_at = offsetof(object, cells) / 4,                                   \
                  .free_at = offsetof(object, free) / 4,                                     \
                  .index_at = offsetof(object, index) / 4,                                   \
                  .hints_at = offsetof(object, index) / 4,                                   \
                  .index_size = (slots) },                                                   \
        .cells = { GARBAGE, GARBAGE, GARBAGE, GARBAGE, GARBAGE, GARBAGE, GARBAGE, GARBAGE,   \
                   GARBAGE, GARBAGE, GARBAGE, GARBAGE, GARBAGE, GARBAGE, GARBAGE, GARBAGE }, \
        .free = { 1, 2, 3, 4, [CLADE_CELLS_STRIPES] = 5, 6, 7, 8 },                          \
    }

#ifndef IS_SET
#define IS_SET 0
#endif
static object set = LIST(0, SLOTS), bag = LIST(1, SLOTS), plain = LIST(1, 0);

#if IS_SET
#define subject set
#elif IS_INDEXED
#define subject bag
#else
#define subject plain
#endif

static uint payload[VALUES];
static int in[4][VALUES], out[4][VALUES]; /* by thread and value */

/* How many live nodes hold the value. */
static int count(uint value)
{
    int n = 0;
    uint node = subject.head.first >> CLADE_LIST_REF_SHIFT, hops = 0;
    for (; node != CLADE_NIL; hops++) {
        const uint *cell = &subject.cells[(node - 1) * 4];
        assert(hops < CAPACITY);
        assert((cell[0] & CLADE_LIST_MARKS) != CLADE_LIST_PENDING);
        n += !(cell[0] & CLADE_LIST_ERASED) && cell[1] == value;
        node = cell[0] >> CLADE_LIST_REF_SHIFT;
    }
    return n;
}

/* What went in and did not come out is there. */
static void end(void)
{
    for (uint value = 1; value < VALUES; value++) {
        int left = 0;
        for (uint t = 0; t < 4; t++)
            left += in[t][value] - out[t][value];
        assert(count(value) == left);
    }
}

static void took_out(uint me, uint value)
{
    assert(payload[value] == value + 1);
    out[me][value]++;
}

/* --- unordered -------------------------------------------------------------------------------- */

static inline void insert_front(uint me, uint value)
{
    payload[value] = value + 1;
    assert(list_insert_front_wi(&subject.head, value) == CLADE_OK);
    in[me][value]++;
}

static inline void insert_after(uint me, uint target, uint value)
{
    payload[value] = value + 1;
    const int status = list_insert_after_wi(&subject.head, target, value);
    assert(status == CLADE_OK || status == CLADE_E_NOT_FOUND);
    in[me][value] += status == CLADE_OK;
}

static inline void erase_value(uint me, uint value)
{
    const int status = list_erase_value_wi(&subject.head, value);
    assert(status == CLADE_OK || status == CLADE_E_NOT_FOUND);
    if (status == CLADE_OK)
        took_out(me, value);
}

static inline void search(uint value)
{
    const int status = list_contains_value_wi(&subject.head, value);
    assert(status == CLADE_OK || status == CLADE_E_NOT_FOUND);
    if (status == CLADE_OK)
        assert(payload[value] == value + 1);
}

/* --- ordered ---------------------------------------------------------------------------------- */

static inline void insert(uint me, uint key)
{
    payload[key] = key + 1;
    assert(list_insert_wi(&subject.head, key, key * 10) == CLADE_OK);
    in[me][key]++;
}

static inline void erase(uint me, uint key)
{
    uint value = 0;
    const int status = list_erase_wi(&subject.head, key, &value);
    assert(status == CLADE_OK || status == CLADE_E_NOT_FOUND);
    if (status != CLADE_OK)
        return;
    assert(value == key * 10);
    took_out(me, key);
}

static inline void find(uint key)
{
    uint value = 0;
    const int status = list_find_wi(&subject.head, key, &value);
    assert(status == CLADE_OK || status == CLADE_E_NOT_FOUND);
    if (status != CLADE_OK)
        return;
    assert(value == key * 10);
    assert(payload[key] == key + 1);
}

/* --- worlds ----------------------------------------------------------------------------------- */

static inline void begin(void)
{
}

static inline void begin_one(void)
{
    if (IS_SET)
        insert(3, 2);
    else
        insert_front(3, 2);
}

/* Nobody erases: a key that was put in is found by who put it in. */
static inline void insert_and_find(uint me)
{
    if (me == 0) {
        insert(me, 3);
        insert(me, 4);
    } else {
        find(4);
        find(3);
    }
}

static inline void two_insert(uint me)
{
    insert(me, 3 + me);
    find(4 - me);
}

/* A node goes while another comes behind it. */
static inline void erase_beside_insert(uint me)
{
    if (me == 0) {
        erase(me, 2);
        find(3);
    } else {
        insert(me, 3);
        find(2);
    }
}

static inline void three_of_one_key(uint me)
{
    if (me == 0)
        insert(me, 3);
    else
        erase(me, me == 1 ? 3 : 2);
}

static inline void both_erase(uint me)
{
    erase(me, 2);
    find(2);
}

static inline void insert_front_and_search(uint me)
{
    if (me == 0) {
        insert_front(me, 3);
        insert_front(me, 4);
    } else {
        search(4);
        search(3);
    }
}

static inline void two_insert_front(uint me)
{
    insert_front(me, 3 + me);
    search(4 - me);
}

static inline void behind_one_that_goes(uint me)
{
    if (me == 0)
        insert_after(me, 2, 3);
    else if (me == 1)
        erase_value(me, 2);
    else
        erase_value(me, 3);
}

#include "genmc/world.h"

/* SPDX-License-Identifier: Apache-2.0 */
/* rbtree.clh: leaves of two keys that split, fill, empty and go, beside readers who lock nothing. A
 * key's value tells the key; who puts a key in writes its payload plainly before, who finds it
 * reads the payload plainly. */
#define CLADE_RBTREE_TRIES 400u
#include "relacy/device.h"

#include "rbtree/words.h"

#define CLADE_RBTREE_LEAF_CAPACITY 2
#define CLADE_RBTREE_VALUE_TYPE    CLADE_U32
#include "clade/rbtree.clh"

#include "rbtree/rbtree_memory.h"

#include <stdlib.h>
#include <string.h>

enum { LEAVES = 24, LEAF = 2, KEYS = 64 };

static clade_rbtree_head *tree;
static uint payload[KEYS];
static int in[4][KEYS]; /* by key: insertions less removals */

void weak_setup(void)
{
    const size_t bytes = rbtree_memory_bytes(LEAVES, LEAF);
    tree = aligned_alloc(16, (bytes + 15) / 16 * 16);
    if (!tree)
        abort();
    memset(tree, 0, bytes);
    rbtree_memory_make(tree, LEAVES, LEAF);
    weak_share(tree, bytes, "tree");
    weak_share(payload, sizeof payload, "payload");
}

static uint value_of(uint key, uint n)
{
    return key * 100 + n;
}

static void insert(uint me, uint key)
{
    payload[key] = key + 1;
    const int status = clade_rbtree_insert_wi(tree, key, value_of(key, me));
    WEAK_CHECK(status == CLADE_OK);
    in[me][key]++;
}

static void erase(uint me, uint key)
{
    uint value = 0;
    const int status = clade_rbtree_erase_wi(tree, key, &value);
    WEAK_CHECK(status == CLADE_OK || status == CLADE_E_NOT_FOUND);
    if (status != CLADE_OK)
        return;
    WEAK_CHECK(value / 100 == key);
    WEAK_CHECK(payload[key] == key + 1);
    in[me][key]--;
}

static void seen(uint key, uint value)
{
    WEAK_CHECK(value / 100 == key);
    WEAK_CHECK(payload[key] == key + 1);
}

static void find(uint key)
{
    uint value = 0;
    const int status = clade_rbtree_find_wi(tree, key, &value);
    WEAK_CHECK(status == CLADE_OK || status == CLADE_E_NOT_FOUND);
    if (status == CLADE_OK)
        seen(key, value);
}

/* A key that is there before and after. */
static void find_for_sure(uint key)
{
    uint value = 0;
    const int status = clade_rbtree_find_wi(tree, key, &value);
    WEAK_CHECK(status == CLADE_OK || status == CLADE_E_BUSY); /* busy: it was kept waiting */
    if (status == CLADE_OK)
        seen(key, value);
}

static void fill(const uint *keys, uint count)
{
    memset(in, 0, sizeof in);
    for (uint i = 0; i < count; i++)
        insert(3, keys[i]);
}

static void begin_two(void)
{
    static const uint keys[] = { 10, 20 };
    fill(keys, 2);
}

static void begin_some(void)
{
    static const uint keys[] = { 10, 20, 30, 40, 50 };
    fill(keys, 5);
}

static const char *end(void)
{
    uint64_t size;
    uint live = 0;
    const char *const why = rbtree_memory_check(tree, LEAVES, LEAF, &size);
    if (why)
        return why;
    for (uint key = 0; key < KEYS; key++) {
        uint value;
        int left = 0;
        for (uint t = 0; t < 4; t++)
            left += in[t][key];
        if (clade_rbtree_find_wi(tree, key, &value) != (left ? CLADE_OK : CLADE_E_NOT_FOUND))
            return left ? "a key is lost" : "a key is there that was erased";
        if (left && value / 100 != key)
            return "a key has another one's value";
        live += (uint)left;
    }
    return live == size ? NULL : "the leaves hold more than can be found";
}

static void insert_and_find(uint me)
{
    if (me == 0) {
        insert(me, 12);
        insert(me, 14);
    } else {
        find(14);
        find(12);
        find_for_sure(20);
    }
}

/* What stays in a leaf moves in it. */
static void erase_and_find(uint me)
{
    if (me == 0) {
        erase(me, 10);
        insert(me, 15);
        erase(me, 15);
    } else {
        find_for_sure(20);
        find_for_sure(20);
    }
}

static void assign_and_find(uint me)
{
    if (me == 0) {
        WEAK_CHECK(clade_rbtree_put_wi(tree, 10, value_of(10, 5)) == CLADE_RBTREE_PRESENT);
        WEAK_CHECK(clade_rbtree_put_wi(tree, 20, value_of(20, 6)) == CLADE_RBTREE_PRESENT);
    } else {
        uint later = 0, earlier = 0;
        clade_rbtree_find_wi(tree, 20, &later);
        clade_rbtree_find_wi(tree, 10, &earlier);
        WEAK_CHECK(later != value_of(20, 6) || earlier == value_of(10, 5));
    }
}

static void leaf_goes(uint me)
{
    if (me == 0) {
        erase(me, 20);
        erase(me, 30);
        insert(me, 22);
    } else {
        find_for_sure(40);
        find(22);
        find_for_sure(10);
    }
}

static void two_split(uint me)
{
    insert(me, 21 + me);
    find_for_sure(20);
    insert(me, 41 + me);
}

static void erase_beside_insert(uint me)
{
    if (me == 0) {
        erase(me, 30);
        erase(me, 40);
    } else if (me == 1) {
        insert(me, 31);
        insert(me, 41);
    } else {
        find_for_sure(20);
        erase(me, 50);
    }
}

static void neighbours(uint me)
{
    if (me == 0) {
        erase(me, 20);
        insert(me, 25);
    } else {
        uint key = 10, value = 0;
        WEAK_CHECK(clade_rbtree_successor_wi(tree, &key, &value) == CLADE_OK);
        WEAK_CHECK(key == 20 || key == 25 || key == 30);
        seen(key, value);
        key = 40;
        WEAK_CHECK(clade_rbtree_predecessor_wi(tree, &key, &value) == CLADE_OK);
        WEAK_CHECK(key == 30);
        seen(key, value);
    }
}

/* Keys ascend, each with its payload; who is there before and after is told. BUSY: what is told is
 * right. */
static void told(int status, const uint *keys, const uint *values, uint count, bool downwards)
{
    uint sure = 0;
    WEAK_CHECK(status == CLADE_OK || status == CLADE_E_BUSY);
    for (uint i = 0; i < count; i++) {
        seen(keys[i], values[i]);
        WEAK_CHECK(i == 0 || (downwards ? keys[i] < keys[i - 1] : keys[i] > keys[i - 1]));
        sure += keys[i] == 10 || keys[i] == 30 || keys[i] == 50;
    }
    WEAK_CHECK(status != CLADE_OK || sure == 3);
}

static void range(bool downwards)
{
    uint keys[8], values[8], count = 0;
    const int status = downwards ? clade_rbtree_range_down_wi(tree, 10, 50, 8, keys, values, &count)
                                 : clade_rbtree_range_wi(tree, 10, 50, 8, keys, values, &count);
    told(status, keys, values, count, downwards);
}

/* A leaf splits, what stays in one moves, one goes. */
static void change_and_range(uint me)
{
    if (me == 0) {
        insert(me, 12);
        insert(me, 14);
        erase(me, 20);
        erase(me, 40);
    } else {
        range(me == 2);
    }
}

const weak_world weak_worlds[] = {
    { "rbtree: insert, find", 2, begin_two, insert_and_find, end, 12000, 0 },
    { "rbtree: erase, find what moves", 2, begin_two, erase_and_find, end, 12000, 0 },
    { "rbtree: assign, find", 2, begin_two, assign_and_find, end, 4000, 1 },
    { "rbtree: a leaf goes, find", 2, begin_some, leaf_goes, end, 12000, 0 },
    { "rbtree: two split", 2, begin_some, two_split, end, 12000, 0 },
    { "rbtree: three split", 3, begin_two, two_split, end, 12000, 0 },
    { "rbtree: erase beside insert", 3, begin_some, erase_beside_insert, end, 12000, 0 },
    { "rbtree: neighbours", 2, begin_some, neighbours, end, 12000, 0 },
    { "rbtree: ranges", 3, begin_some, change_and_range, end, 12000, 0 },
    { 0 },
};

const weak_needed weak_needed_orders[] = {
    { "clade_rbtree_look_at", "load_acquire" },
    { "cladei_rbtree_lock", "fence" },
    { "clade_rbtree_split_locked", "fence_release" },
    { "clade_rbtree_take_from", "store_release" },
    { "clade_rbtree_put_in", "store_release" },
    { "clade_rbtree_read_line", "load_acquire" },
    { 0 },
};

/* SPDX-License-Identifier: Apache-2.0 */
/* rbtree.clh, ranked: ranks beside leaves that split and go, whose counts move in the index. */
#define CLADE_RBTREE_TRIES 400u
#include "relacy/device.h"

#include "rbtree/words.h"

#define CLADE_RBTREE_LEAF_CAPACITY 2
#define CLADE_RBTREE_VALUE_TYPE    CLADE_U32
#define CLADE_RBTREE_RANKED        1
#include "clade/rbtree.clh"

#include "rbtree/rbtree_memory.h"

#include <stdlib.h>
#include <string.h>

enum { LEAVES = 24, LEAF = 2 };

static clade_rbtree_head *tree;

void weak_setup(void)
{
    rbtree_memory_ranked = 1;
    const size_t bytes = rbtree_memory_bytes(LEAVES, LEAF);
    tree = aligned_alloc(128, (bytes + 127) / 128 * 128);
    if (!tree)
        abort();
    memset(tree, 0, bytes);
    rbtree_memory_make(tree, LEAVES, LEAF);
    weak_share(tree, bytes, "tree");
}

static void insert(uint key)
{
    WEAK_CHECK(clade_rbtree_insert_wi(tree, key, key) == CLADE_OK);
}

static void erase(uint key)
{
    uint value = 0;
    WEAK_CHECK(clade_rbtree_erase_wi(tree, key, &value) == CLADE_OK && value == key);
}

/* So many keys below at least, and with those that come and go so many at most. */
static void rank(uint key, uint least, uint most)
{
    uint got = 0;
    const int status = clade_rbtree_rank_wi(tree, key, &got);
    WEAK_CHECK(status == CLADE_OK || status == CLADE_E_BUSY);
    WEAK_CHECK(status != CLADE_OK || (least <= got && got <= most));
}

/* The key of a rank lies so. */
static void choose(uint which, uint low, uint high)
{
    uint key = 0, value = 0;
    const int status = clade_rbtree_select_wi(tree, which, &key, &value);
    WEAK_CHECK(status == CLADE_OK || status == CLADE_E_BUSY);
    WEAK_CHECK(status != CLADE_OK || (low <= key && key <= high && value == key));
}

/* Leaves of 10, of 30 and 40, of 50 and 60, of 70 and 80. The first two have one router. */
static void begin(void)
{
    for (uint key = 10; key <= 80; key += 10)
        insert(key);
    erase(20);
}

static const char *end(void)
{
    uint64_t size;
    uint all = 0;
    const char *const why = rbtree_memory_check(tree, LEAVES, LEAF, &size);
    if (why)
        return why;
    if (clade_rbtree_rank_wi(tree, UINT32_MAX, &all) != CLADE_OK || all != size)
        return "at rest another number of keys";
    return NULL;
}

/* The counts of 30 and 40 move. */
static void leaf_goes_and_rank(uint me)
{
    if (me == 0)
        erase(10);
    else
        rank(65, 4, 5);
}

static void leaf_goes_and_choose(uint me)
{
    if (me == 0)
        erase(10);
    else
        choose(3, 50, 60);
}

/* The count of 40 moves, and goes back. */
static void split_and_rank(uint me)
{
    if (me == 0) {
        insert(35);
        erase(40);
    } else {
        rank(65, 4, 6);
        rank(38, 2, 3);
    }
}

static void split_and_choose(uint me)
{
    if (me == 0) {
        insert(35);
        insert(36);
    } else {
        choose(4, 40, 60);
        choose(1, 30, 30);
    }
}

static void all_at_once(uint me)
{
    if (me == 0) {
        erase(10);
    } else if (me == 1) {
        insert(51);
        insert(55);
    } else {
        rank(65, 4, 7);
        insert(32);
        rank(35, 2, 3);
    }
}

const weak_world weak_worlds[] = {
    { "rank: a leaf splits", 2, begin, split_and_rank, end, 12000, 0 },
    { "rank: a leaf goes", 2, begin, leaf_goes_and_rank, end, 12000, 0 },
    { "select: a leaf splits", 2, begin, split_and_choose, end, 12000, 0 },
    { "select: a leaf goes", 2, begin, leaf_goes_and_choose, end, 12000, 0 },
    { "rank: three at once", 3, begin, all_at_once, end, 12000, 0 },
    { 0 },
};

const weak_needed weak_needed_orders[] = {
    { "clade_rbtree_move_counts", "fence_release" },
    { 0 },
};

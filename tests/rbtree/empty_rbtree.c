/* SPDX-License-Identifier: Apache-2.0 */
/* Searches of the nearest key over many empty leaves in a row, as erases leave them that are too
 * busy: with nobody else there every search ends, with nothing tried twice, in either direction and
 * however many they are. Beside one who puts a key behind the search and takes the one ahead, at
 * every moment of it, no search gives a key that was never the nearest. */
#define CLADE_RBTREE_TRIES         40u
#define CLADE_RBTREE_BALANCE_TRIES 40u
#define CLADE_RBTREE_MERGE_TRIES   merge_tries
static const unsigned merge_tries = 0; /* no empty leaf goes */
static void come_between(void);
#define CLADE_SCHEDULE_HOOK(where, word, salt) come_between()
#include "host/device.h"

#include "rbtree/words.h"

#define LEAF_CAPACITY              3
#define CLADE_RBTREE_LEAF_CAPACITY LEAF_CAPACITY
#define CLADE_RBTREE_VALUE_TYPE    CLADE_U32
#include "clade/rbtree.clh"
#undef min
#undef max

#include "edges/edge.h"
#include "rbtree/rbtree_memory.h"

enum { KEYS = 120, STEP = 10, LAST = KEYS * STEP, LEAVES = 128 };

static clade_rbtree_head *tree;
static uint there[LAST + 1]; /* the model: a key's value is the key + 1 */
/* At the pause of this number, from 1 on, `behind` comes in and `ahead` goes. 0: never. */
static uint comes_at, behind, ahead;

static void insert(uint key)
{
    expect(clade_rbtree_insert_wi(tree, key, key + 1u) == CLADE_OK, "insert", key, 0);
    there[key] = 1;
}

static void erase(uint key)
{
    uint value = 0;
    expect(clade_rbtree_erase_wi(tree, key, &value) == CLADE_OK && value == key + 1u, "erase", key,
           value);
    there[key] = 0;
}

static void come_between(void)
{
    if (comes_at == 0 || --comes_at > 0)
        return;
    insert(behind);
    erase(ahead);
}

static uint counted(uint counter)
{
    uint sum = 0;
    for (uint shard = 0; shard < CLADE_RBTREE_COUNTER_SHARDS; shard++)
        sum += clade_load_relaxed(&tree->counters[shard * CLADE_RBTREE_COUNTERS + counter]);
    return sum;
}

static int seek(uint way, uint *key, uint *value)
{
    return way == 0   ? clade_rbtree_lower_bound_wi(tree, key, value)
           : way == 1 ? clade_rbtree_successor_wi(tree, key, value)
           : way == 2 ? clade_rbtree_min_wi(tree, key, value)
           : way == 3 ? clade_rbtree_floor_wi(tree, key, value)
           : way == 4 ? clade_rbtree_predecessor_wi(tree, key, value)
                      : clade_rbtree_max_wi(tree, key, value);
}

/* What it has to find, or LAST + 1. */
static uint nearest(uint way, uint from)
{
    const int step = way < 3 ? 1 : -1;
    int at = way == 2 ? 0 : way == 5 ? LAST : (int)from + (way % 3 == 1 ? step : 0);
    while (at >= 0 && at <= LAST && !there[at])
        at += step;
    return at < 0 ? LAST + 1 : (uint)at;
}

static void expect_all_found(const char *when)
{
    for (uint from = 0; from <= LAST; from += STEP / 2)
        for (uint way = 0; way < 6; way++) {
            uint key = from, value = 0;
            const uint right = nearest(way, from);
            const int status = seek(way, &key, &value);
            expect(status == (right > LAST ? CLADE_E_NOT_FOUND : CLADE_OK), when, from, way);
            expect(status != CLADE_OK || (key == right && value == right + 1u), when, from, way);
        }
    expect(counted(CLADE_RBTREE_BUSY) == 0 && counted(CLADE_RBTREE_RETRIES) == 0, when,
           counted(CLADE_RBTREE_BUSY), counted(CLADE_RBTREE_RETRIES));
}

/* While `ahead` goes and `behind` comes, one of them is there at every instant, so the nearest key
 * is never `beyond`. */
static void expect_never_beyond(uint way, uint from, uint comes, uint goes, uint beyond)
{
    uint moments = 0, done = 0;
    while (!done) {
        uint key = from, value = 0;
        insert(goes);
        insert(beyond);
        behind = comes;
        ahead = goes;
        comes_at = ++moments;
        const int status = seek(way, &key, &value);
        done = comes_at > 0; /* it ended before */
        comes_at = 0;
        expect(status == CLADE_OK && (key == comes || key == goes), "beside changes", moments, key);
        erase(there[comes] ? comes : goes);
        erase(beyond);
    }
    expect(moments > 40, "this test sees little", moments, way);
}

/* A search that passes as many leaves as the tree has room for, and is not at its end: the tree
 * changed beside it. It gives up like any other. */
static void expect_walks_end(void)
{
    const uint leaves = tree->leaf_total;
    tree->leaf_total = 20; /* there are more */
    for (uint way = 0; way < 6; way++) {
        const uint from = way < 3 ? 0 : LAST + 5u;
        const uint busy = counted(CLADE_RBTREE_BUSY);
        uint key = from, value = 0;
        expect(seek(way, &key, &value) == CLADE_E_BUSY, "a walk without an end", way, 0);
        expect(way % 3 == 2 || key == from, "a key that was not found", way, key);
        expect(counted(CLADE_RBTREE_BUSY) == busy + 1u, "that is counted", way, busy);
    }
    tree->leaf_total = leaves;
    for (uint shard = 0; shard < CLADE_RBTREE_COUNTER_SHARDS; shard++) {
        tree->counters[shard * CLADE_RBTREE_COUNTERS + CLADE_RBTREE_BUSY] = 0;
        tree->counters[shard * CLADE_RBTREE_COUNTERS + CLADE_RBTREE_RETRIES] = 0;
    }
}

int main(void)
{
    uint64_t keys = 0;
    tree = aligned_alloc(128, (rbtree_memory_bytes(LEAVES, LEAF_CAPACITY) + 127) / 128 * 128);
    if (!tree)
        return 1;
    memset(tree, 0, rbtree_memory_bytes(LEAVES, LEAF_CAPACITY));
    rbtree_memory_make(tree, LEAVES, LEAF_CAPACITY);
    shim_self = (struct shim_item) { .local_size = 1, .groups = 1 };
    for (uint i = 1; i <= KEYS; i++)
        insert(i * STEP);
    for (uint i = 1; i <= KEYS; i++)
        erase(i * STEP);
    const uint leaves = (uint)rbtree_memory_leaves(tree, LEAVES, LEAF_CAPACITY);
    expect(leaves > 32, "this test has few leaves", leaves, 0);
    expect_all_found("all are empty");
    expect_walks_end();
    expect_all_found("after walks that did not end");
    insert(LAST / 2);
    expect_all_found("one key between empty leaves");
    erase(LAST / 2);
    insert(STEP);
    insert(LAST);
    expect_all_found("the first and the last");
    erase(STEP);
    erase(LAST);
    expect_never_beyond(0, 0, 5, LAST / 2, LAST);
    expect_never_beyond(3, LAST, LAST - 5, LAST / 2, STEP);
    const char *said = rbtree_memory_check(tree, LEAVES, LEAF_CAPACITY, &keys);
    expect(!said && keys == 0, said ? said : "keys are left", (uint)keys, 0);
    printf("%u leaves, %u wrong\n", leaves, wrong);
    free(tree);
    return wrong != 0;
}

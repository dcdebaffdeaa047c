/* SPDX-License-Identifier: Apache-2.0 */
/* Items of a sub-group take keys from one leaf together. It is joined to its neighbour where that
 * made it empty, or sparse with room for its keys, and only there: for all numbers of keys in the
 * leaf before and after, and in its neighbour. Where not all were taken together nobody knows which
 * went first: then only the keys are looked at. */
#define CLADE_RBTREE_COMBINE 2
#include "host/device.h"

#include "rbtree/words.h"

#define LEAF_CAPACITY              9
#define CLADE_RBTREE_LEAF_CAPACITY LEAF_CAPACITY
#define CLADE_RBTREE_VALUE_TYPE    CLADE_U32
#include "clade/rbtree.clh"
#undef min
#undef max

#include "edges/edge.h"
#include "rbtree/rbtree_memory.h"

enum { LEAVES = 8, SPARSE = LEAF_CAPACITY / 4, JOINED = LEAF_CAPACITY - SPARSE };

static clade_rbtree_head *tree;
static uint together, in_turns;
static int statuses[LEAF_CAPACITY];

static uint leaf_of(uint key)
{
    uint parent, grand;
    return clade_rbtree_descend(clade_rbtree_open(tree), key, &parent, &grand);
}

static uint meta_of(uint leaf)
{
    return clade_load_relaxed(&clade_rbtree_leaf_at(clade_rbtree_open(tree), leaf)->meta);
}

static void erase_one(uint key)
{
    uint value = 0;
    expect(clade_rbtree_erase_wi(tree, key, &value) == CLADE_OK && value == key, "an erasure", key,
           value);
}

/* Keys 1 to `count` in a leaf, and a neighbour that is not sparse. It is full while the first leaf
 * shrinks, so that they are not joined before. */
static void make(uint count, uint neighbour)
{
    const size_t bytes = (rbtree_memory_bytes(LEAVES, LEAF_CAPACITY) + 15u) / 16u * 16u;
    tree = aligned_alloc(16, bytes);
    memset(tree, 0, bytes);
    rbtree_memory_make(tree, LEAVES, LEAF_CAPACITY);
    for (uint key = 1; key <= 2 * LEAF_CAPACITY; key++)
        (void)clade_rbtree_insert_wi(tree, key, key);
    for (uint key = LEAF_CAPACITY; key > count; key--)
        erase_one(key);
    for (uint key = 2 * LEAF_CAPACITY; key > LEAF_CAPACITY + neighbour; key--)
        erase_one(key);
    expect(leaf_of(1) != leaf_of(2 * LEAF_CAPACITY), "two leaves", count, leaf_of(1));
}

static void erase_item(void *argument, void *local)
{
    const uint item = (uint)get_local_id(0);
    uint value = 0;
    (void)argument;
    (void)local;
    statuses[item] = clade_rbtree_erase_wi(tree, item + 1u, &value);
    expect(value == item + 1u, "an erased value", item, value);
}

/* Of `count` keys `gone` are taken at once, beside a leaf of `neighbour` keys. */
static void take(uint count, uint gone, uint neighbour)
{
    make(count, neighbour);
    const uint leaf = leaf_of(1), left = count - gone;
    const uint before = meta_of(leaf);
    shim_launch(erase_item, NULL, 1, gone, 0);
    const uint after = meta_of(leaf), is_dead = (after & CLADE_RBTREE_DEAD) != 0;
    const uint changes = ((after & ~CLADE_RBTREE_DEAD) - before) / CLADE_RBTREE_LEAF_VERSION;
    uint64_t keys = 0;
    const char *why = rbtree_memory_check(tree, LEAVES, LEAF_CAPACITY, &keys);
    expect(!why && keys == left + neighbour, why ? why : "the number of keys", (uint)keys, left);
    for (uint i = 0; i < gone; i++)
        expect(statuses[i] == CLADE_OK, "a status", i, (uint)statuses[i]);
    if (changes == 1u + is_dead) { /* one take, and perhaps the leaf's end */
        const uint wanted =
            left == 0 || (count > SPARSE && left <= SPARSE && left + neighbour <= JOINED);
        expect(is_dead == wanted, "a leaf that is joined to its neighbour", count, left);
        together++;
    } else {
        in_turns++;
    }
    free(tree);
}

int main(void)
{
    for (uint neighbour = SPARSE + 1; neighbour <= LEAF_CAPACITY; neighbour++)
        for (uint count = 1; count <= LEAF_CAPACITY; count++)
            for (uint gone = 1; gone <= count; gone++)
                take(count, gone, neighbour);
    expect(together > in_turns, "too few takes were together", together, in_turns);
    printf("sparse leaves: %u takes together, %u in turns, %u wrong\n", together, in_turns, wrong);
    return wrong != 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* What the tree's words tell, by one item: each change of a node makes its version greater, also
 * that of a router whose parent turns red; ranks end below the sentinel's; what a clean-up had to
 * leave is counted; a leaf that got no router goes back. */
#define CLADE_RBTREE_TRIES         40u
#define CLADE_RBTREE_BALANCE_TRIES 40u
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

enum { LEAVES = 64 };

static clade_rbtree_head *tree, *before;
static size_t bytes;

static void make(void)
{
    memset(tree, 0, bytes);
    rbtree_memory_make(tree, LEAVES, LEAF_CAPACITY);
}

static clade_rbtree_router *router(clade_rbtree_head *one, uint i)
{
    return &clade_rbtree_open(one).routers[i];
}

static clade_rbtree_leaf *leaf(clade_rbtree_head *one, uint i)
{
    return clade_rbtree_leaf_at(clade_rbtree_open(one), i);
}

static bool is_alive(uint meta)
{
    return !(meta & CLADE_RBTREE_DEAD);
}

/* The router above one, or CLADE_RB_NONE. */
static uint parent_of(clade_rbtree_head *one, uint i)
{
    for (uint p = 0; p < one->routers_used; p++)
        if (is_alive(router(one, p)->meta) &&
            (router(one, p)->left == i << 1 || router(one, p)->right == i << 1))
            return p;
    return CLADE_RB_NONE;
}

static bool is_red(clade_rbtree_head *one, uint i)
{
    const uint p = parent_of(one, i);
    return p != CLADE_RB_NONE &&
           CLADE_RBTREE_RANK(router(one, p)->meta) == CLADE_RBTREE_RANK(router(one, i)->meta);
}

static void expect_version(uint was, uint is, uint step, bool changed, const char *what, uint i)
{
    const uint old = was / step, now = is / step;
    expect(now >= old && (!changed || now > old), what, i, now);
}

/* Each node that is in the tree, or was: with other words it has a greater version. */
static void check_versions(void)
{
    for (uint i = 0; i < tree->router_total; i++) {
        const clade_rbtree_router *was = router(before, i), *is = router(tree, i);
        const bool matters = is_alive(was->meta) || is_alive(is->meta);
        expect_version(was->meta, is->meta, CLADE_RBTREE_ROUTER_VERSION,
                       matters && memcmp(was, is, sizeof *is) != 0, "a router's version", i);
    }
    for (uint i = 0; i < tree->leaf_total; i++) {
        const clade_rbtree_leaf *was = leaf(before, i), *is = leaf(tree, i);
        const bool matters = is_alive(was->meta) || is_alive(is->meta);
        expect_version(was->meta, is->meta, CLADE_RBTREE_LEAF_VERSION,
                       matters && memcmp(was, is, sizeof *is) != 0, "a leaf's version", i);
    }
}

/* Of routers whose parent was replaced by another one, a black one by a red one: a promotion that
 * took the parent for black must fail. [B2] Nothing is removed meanwhile. */
static uint check_uncles(void)
{
    uint uncles = 0;
    for (uint i = 1; i < tree->routers_used; i++) {
        const uint was = router(before, i)->meta, is = router(tree, i)->meta;
        if (!is_alive(was) || !is_alive(is))
            continue;
        const uint old = parent_of(before, i), now = parent_of(tree, i);
        if (old == CLADE_RB_NONE || now == CLADE_RB_NONE || is_alive(router(tree, old)->meta) ||
            is_red(before, old) || !is_red(tree, now))
            continue;
        expect_version(was, is, CLADE_RBTREE_ROUTER_VERSION, true, "an uncle's version", i);
        uncles++;
    }
    return uncles;
}

static void versions_grow(uint seed)
{
    uint uncles = 0, value;
    random_state = seed;
    make();
    for (uint op = 0; op < 300; op++) {
        const bool only_inserts = op < 110;
        const uint key = draw(only_inserts ? 100000 : 400);
        memcpy(before, tree, bytes);
        if (only_inserts || draw(2))
            clade_rbtree_put_wi(tree, key, op);
        else
            clade_rbtree_erase_wi(tree, key, &value);
        check_versions();
        uncles += only_inserts ? check_uncles() : 0;
    }
    expect(uncles > 0, "no uncle: this test sees nothing", uncles, seed);
    expect(rbtree_memory_leaves(tree, LEAVES, LEAF_CAPACITY) > 0, "a sound tree", seed, 0);
}

static void fill(uint keys, uint step)
{
    make();
    for (uint i = 0; i < keys; i++)
        expect(clade_rbtree_insert_wi(tree, i * step, i) == CLADE_OK, "insert", i, step);
}

static void set_rank(uint i, uint rank)
{
    router(tree, i)->meta = (router(tree, i)->meta & ~(31u << 2)) | rank << 2;
}

/* A router below the root's child `c`, or CLADE_RB_NONE. */
static uint router_below(uint c)
{
    const uint left = router(tree, c)->left, right = router(tree, c)->right;
    return !(left & 1u) ? left >> 1 : !(right & 1u) ? right >> 1 : CLADE_RB_NONE;
}

/* The root with red children, one of which has a red child: it gets the next rank, up to the last
 * one that is less than the sentinel's. */
static void ranks_end(void)
{
    fill(60, 10);
    const uint root = router(tree, 0)->left >> 1, left = router(tree, root)->left;
    const uint right = router(tree, root)->right;
    expect(!((left | right) & 1u), "too few routers: this test sees nothing", left, right);
    const uint c = router_below(left >> 1) != CLADE_RB_NONE ? left >> 1 : right >> 1,
               x = router_below(c);
    expect(x != CLADE_RB_NONE, "too few routers: this test sees nothing", c, 0);
    memcpy(before, tree, bytes);
    for (uint rank = 27; rank < CLADE_RBTREE_RANK_TOP && wrong == 0; rank++) {
        memcpy(tree, before, bytes);
        set_rank(root, rank);
        set_rank(left >> 1, rank);
        set_rank(right >> 1, rank);
        set_rank(x, rank);
        const bool clean = clade_rbtree_mend_path(clade_rbtree_open(tree), router(tree, x)->key_);
        const uint is = CLADE_RBTREE_RANK(router(tree, root)->meta);
        expect(!clean && is == (rank + 1u < CLADE_RBTREE_RANK_TOP ? rank + 1u : rank), "a rank", is,
               rank);
    }
}

/* The root is held: clean-ups end, and each is counted once. */
static void what_is_left_is_counted(void)
{
    fill(60, 10);
    const uint root = router(tree, 0)->left >> 1;
    router(tree, root)->meta |= CLADE_RBTREE_LOCK;
    for (uint i = 60; i < 75; i++) {
        const uint left = tree->unbalanced;
        expect(clade_rbtree_insert_wi(tree, 10u * i, i) == CLADE_OK, "an insert", i, 0);
        expect(tree->unbalanced <= left + 1u, "counted twice", tree->unbalanced, left);
    }
    router(tree, root)->meta &= ~CLADE_RBTREE_LOCK;
    expect(tree->unbalanced > 0, "nothing was left: this test sees nothing", 0, 0);
    expect(rbtree_memory_leaves(tree, LEAVES, LEAF_CAPACITY) > 0, "more is left than was counted",
           tree->unbalanced, 0);
}

static uint stacks_with(const clade_atomic_u32 *stacks, uint top)
{
    uint n = 0;
    for (uint s = 0; s < CLADE_RBTREE_SHARDS; s++)
        n += clade_load_relaxed((clade_global_word)&stacks[s]) == top;
    return n;
}

/* One leaf is free and no router: the leaf stays free. Then there is no leaf either. */
static void pairs_are_whole(void)
{
    const uint node = 3, top = (node + 1u) << 1;
    uint one = CLADE_RB_NONE, other = CLADE_RB_NONE;
    make();
    const clade_rbtree_pools t = clade_rbtree_open(tree);
    tree->leaves_used = tree->leaf_total;
    tree->routers_used = tree->router_total;
    leaf(tree, node)->low = 0;
    clade_store_relaxed(&tree->free_leaves[7], top);
    expect(clade_rbtree_claim_pair(t, 7, 7, &one, &other) == CLADE_E_FULL, "a leaf alone", one,
           other);
    expect(stacks_with(tree->free_leaves, top) == 1 &&
               (leaf(tree, node)->meta & 3u) == CLADE_RBTREE_DEAD,
           "it is free as before", leaf(tree, node)->meta, top);
    memset((void *)tree->free_leaves, 0, sizeof tree->free_leaves);
    expect(clade_rbtree_claim_pair(t, 7, 7, &one, &other) == CLADE_E_FULL, "no leaf", one, other);
    expect(stacks_with(tree->free_leaves, 0) == CLADE_RBTREE_SHARDS &&
               stacks_with(tree->free_routers, 0) == CLADE_RBTREE_SHARDS && tree->leaked == 0,
           "something came from nowhere", tree->leaked, 0);
}

int main(void)
{
    bytes = (rbtree_memory_bytes(LEAVES, LEAF_CAPACITY) + 127) / 128 * 128;
    tree = aligned_alloc(128, bytes);
    before = aligned_alloc(128, bytes);
    if (!tree || !before)
        return 1;
    shim_self = (struct shim_item) { .local_size = 1, .groups = 1 };
    for (uint seed = 1; seed < 8; seed++)
        versions_grow(seed);
    ranks_end();
    what_is_left_is_counted();
    pairs_are_whole();
    free(tree);
    free(before);
    printf("the tree's words: %u wrong\n", wrong);
    return wrong != 0;
}

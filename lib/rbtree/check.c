/* SPDX-License-Identifier: Apache-2.0 */
/* The red-black tree's invariants, verified on a copy of the object, and its statistics. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "device/context.h"
#include "device/queue.h"
#include "object/object.h"
#include "rbtree/rbtree.h"

/* A copy of a tree and what a walk over it finds. */
struct walk {
    const clade_rbtree *tree;
    unsigned char *copy;
    const clade_rbtree_head *head;
    unsigned char *seen_routers; /* one byte a node: IN_TREE, ON_FREE_LIST, or 0 */
    unsigned char *seen_leaves;
    uint32_t *leaf_order; /* where the leaves' numbers go, the smallest keys first */
    clade_rbtree_stats stats;
};

enum { IN_TREE = 1, ON_FREE_LIST };

/* A subtree that is still to be visited. */
struct visit {
    uint32_t link;
    uint32_t parent_rank;
    bool parent_is_red;
    uint32_t depth;
    uint64_t low, high; /* its range, inclusive */
};

/* No path is longer in a tree that passes: two routers a rank and what is left unbalanced. */
enum { STACK_MAX = 4096 };

static uint64_t get_key(const struct walk *w, const unsigned char *at)
{
    uint64_t key = 0;
    memcpy(&key, at, w->tree->key_bytes);
    return key;
}

static uint32_t get_word(const unsigned char *at)
{
    uint32_t word;
    memcpy(&word, at, sizeof word);
    return word;
}

static const unsigned char *router_at(const struct walk *w, uint32_t index)
{
    return w->copy + w->tree->routers_at +
           (uint64_t)index * CLADE_RBTREE_ROUTER_BYTES(w->tree->key_bytes);
}

static const unsigned char *leaf_at(const struct walk *w, uint32_t index)
{
    return w->copy + w->tree->leaves_at +
           (uint64_t)index * CLADE_RBTREE_LEAF_BYTES(w->tree->key_bytes, w->tree->value_bytes,
                                                     w->tree->params.leaf_capacity);
}

static uint32_t router_meta(const struct walk *w, uint32_t index)
{
    return get_word(router_at(w, index) + w->tree->key_bytes + 8);
}

/* --- nodes ---------------------------------------------------------------------------------- */

/* I6, and that keys lie in their leaf's range. */
static clade_status check_keys(const struct walk *w, uint32_t index, uint32_t count, uint64_t low,
                               uint64_t high)
{
    clade_status status = CLADE_OK;
    const unsigned char *keys =
        leaf_at(w, index) + CLADE_RBTREE_LEAF_HEAD_BYTES(w->tree->key_bytes);
    for (uint32_t i = 0; i < count; i++) {
        uint64_t key = get_key(w, keys + (size_t)i * w->tree->key_bytes);
        CLADE_REQUIRE(low <= key && key <= high, CLADE_E_CORRUPT,
                      "I2: leaf %u has key image %" PRIx64 " outside its range %" PRIx64
                      " .. %" PRIx64,
                      index, key, low, high);
        for (uint32_t j = 0; j < i; j++)
            CLADE_REQUIRE(key != get_key(w, keys + (size_t)j * w->tree->key_bytes), CLADE_E_CORRUPT,
                          "I6: leaf %u has key image %" PRIx64 " twice", index, key);
    }
fail:
    return status;
}

static clade_status visit_leaf(struct walk *w, const struct visit *v)
{
    clade_status status = CLADE_OK;
    const uint32_t index = v->link >> 1, key_bytes = w->tree->key_bytes;
    CLADE_REQUIRE(index < w->head->leaves_used && index < w->head->leaf_total, CLADE_E_CORRUPT,
                  "a link leads to leaf %u, %u are in use", index, w->head->leaves_used);
    CLADE_REQUIRE(!w->seen_leaves[index], CLADE_E_CORRUPT, "two links lead to leaf %u", index);
    w->seen_leaves[index] = IN_TREE;
    const unsigned char *leaf = leaf_at(w, index);
    const uint32_t meta = get_word(leaf), count = CLADE_RBTREE_COUNT(get_word(leaf + 4));
    const uint64_t low = get_key(w, leaf + 8), high = get_key(w, leaf + 8 + key_bytes);
    CLADE_REQUIRE(!(meta & CLADE_RBTREE_LOCK), CLADE_E_CORRUPT, "I4: leaf %u is locked", index);
    CLADE_REQUIRE(!(meta & CLADE_RBTREE_DEAD), CLADE_E_CORRUPT, "leaf %u in the tree is dead",
                  index);
    CLADE_REQUIRE(low == v->low && high == v->high, CLADE_E_CORRUPT,
                  "I2: leaf %u covers %" PRIx64 " .. %" PRIx64 ", the routers lead %" PRIx64
                  " .. %" PRIx64 " to it",
                  index, low, high, v->low, v->high);
    CLADE_REQUIRE(count <= w->tree->params.leaf_capacity, CLADE_E_CORRUPT,
                  "leaf %u holds %u keys, more than %u", index, count,
                  w->tree->params.leaf_capacity);
    CLADE_TRY(check_keys(w, index, count, low, high));
    w->leaf_order[w->stats.leaves] = index;
    w->stats.leaves++;
    w->stats.size += count;
    w->stats.empty_leaves += count == 0;
    w->stats.overweight += v->depth > 0 && v->parent_rank >= 2;
    if (v->depth > w->stats.height)
        w->stats.height = v->depth;
fail:
    return status;
}

static clade_status visit_router(struct walk *w, const struct visit *v, struct visit *left,
                                 struct visit *right)
{
    clade_status status = CLADE_OK;
    const uint32_t index = v->link >> 1, key_bytes = w->tree->key_bytes;
    CLADE_REQUIRE(index > 0 && index < w->head->routers_used && index < w->head->router_total,
                  CLADE_E_CORRUPT, "a link leads to router %u, %u are in use", index,
                  w->head->routers_used);
    CLADE_REQUIRE(!w->seen_routers[index], CLADE_E_CORRUPT, "two links lead to router %u", index);
    w->seen_routers[index] = IN_TREE;
    const unsigned char *router = router_at(w, index);
    const uint64_t key = get_key(w, router);
    const uint32_t meta = router_meta(w, index), rank = CLADE_RBTREE_RANK(meta);
    const bool is_red = v->depth > 0 && rank == v->parent_rank;
    CLADE_REQUIRE(!(meta & CLADE_RBTREE_LOCK), CLADE_E_CORRUPT, "I4: router %u is locked", index);
    CLADE_REQUIRE(!(meta & CLADE_RBTREE_DEAD), CLADE_E_CORRUPT, "router %u in the tree is dead",
                  index);
    CLADE_REQUIRE(v->low < key && key <= v->high, CLADE_E_CORRUPT,
                  "I1: router %u has key image %" PRIx64 ", its range is %" PRIx64 " .. %" PRIx64,
                  index, key, v->low, v->high);
    CLADE_REQUIRE(rank >= 1 && (rank <= v->parent_rank && rank < CLADE_RBTREE_RANK_TOP),
                  CLADE_E_CORRUPT, "I3: router %u has rank %u, its parent %u", index, rank,
                  v->parent_rank);
    w->stats.routers++;
    w->stats.red += is_red;
    w->stats.red_red += is_red && v->parent_is_red;
    w->stats.overweight += v->depth > 0 && v->parent_rank - rank >= 2;
    if (v->depth == 0)
        w->stats.black_height = rank;
    *left = (struct visit) {
        get_word(router + key_bytes), rank, is_red, v->depth + 1, v->low, key - 1
    };
    *right = (struct visit) {
        get_word(router + key_bytes + 4), rank, is_red, v->depth + 1, key, v->high
    };
fail:
    return status;
}

static clade_status visit_all(struct walk *w)
{
    clade_status status = CLADE_OK;
    struct visit *stack = malloc(STACK_MAX * sizeof *stack);
    size_t depth = 0;
    CLADE_NO_MEMORY(stack);
    const unsigned char *sentinel = router_at(w, 0);
    const uint32_t meta = router_meta(w, 0);
    CLADE_REQUIRE(!(meta & (CLADE_RBTREE_LOCK | CLADE_RBTREE_DEAD)) &&
                      CLADE_RBTREE_RANK(meta) == CLADE_RBTREE_RANK_TOP &&
                      get_word(sentinel + w->tree->key_bytes + 4) == CLADE_RBTREE_NO_LINK,
                  CLADE_E_CORRUPT, "the sentinel is damaged or locked");
    stack[depth++] = (struct visit) { .link = get_word(sentinel + w->tree->key_bytes),
                                      .parent_rank = CLADE_RBTREE_RANK_TOP,
                                      .high = w->tree->key_bytes == 8 ? UINT64_MAX : UINT32_MAX };
    while (depth > 0) {
        struct visit v = stack[--depth], left, right;
        if (v.link & 1u) {
            CLADE_TRY(visit_leaf(w, &v));
            continue;
        }
        CLADE_TRY(visit_router(w, &v, &left, &right));
        CLADE_REQUIRE(depth + 2 <= STACK_MAX, CLADE_E_CORRUPT, "a path is longer than %d",
                      STACK_MAX);
        stack[depth++] = right;
        stack[depth++] = left;
    }
fail:
    free(stack);
    return status;
}

/* --- pools ---------------------------------------------------------------------------------- */

/* I7 for one pool: what is on its free lists, and that nothing is lost. */
static clade_status check_free(struct walk *w, bool leaves, uint64_t *free_count)
{
    clade_status status = CLADE_OK;
    const clade_atomic_u32 *stacks = leaves ? w->head->free_leaves : w->head->free_routers;
    unsigned char *seen = leaves ? w->seen_leaves : w->seen_routers;
    const char *what = leaves ? "leaf" : "router";
    const uint32_t used = leaves ? w->head->leaves_used : w->head->routers_used;
    *free_count = 0;
    for (uint32_t s = 0; s < CLADE_RBTREE_SHARDS; s++) {
        uint32_t top = stacks[s];
        while (top != 0) {
            CLADE_REQUIRE(!(top & 1u), CLADE_E_CORRUPT, "I4: free list %u is locked", s);
            const uint32_t index = (top >> 1) - 1;
            CLADE_REQUIRE(index < used, CLADE_E_CORRUPT, "free %s %u was never in use", what,
                          index);
            CLADE_REQUIRE(!seen[index], CLADE_E_CORRUPT,
                          "I7: %s %u is free and in the tree, or free twice", what, index);
            seen[index] = ON_FREE_LIST;
            const uint32_t meta = leaves ? get_word(leaf_at(w, index)) : router_meta(w, index);
            CLADE_REQUIRE((meta & 3u) == CLADE_RBTREE_DEAD, CLADE_E_CORRUPT,
                          "free %s %u is not dead", what, index);
            top = (uint32_t)get_key(w, leaves ? leaf_at(w, index) + 8 : router_at(w, index));
            ++*free_count;
        }
    }
fail:
    return status;
}

/* Nodes that are neither in the tree nor on a free list: those that were not used since the tree
 * was last made empty or built, and leaked ones. Bulk calls take every leaf that is not dead for
 * one of the tree. */
static clade_status check_others(const struct walk *w)
{
    clade_status status = CLADE_OK;
    for (uint32_t i = 0; i < w->head->leaf_total; i++)
        CLADE_REQUIRE(w->seen_leaves[i] || (get_word(leaf_at(w, i)) & 3u) == CLADE_RBTREE_DEAD,
                      CLADE_E_CORRUPT, "I8: leaf %u is not in the tree, and not dead", i);
    for (uint32_t i = 1; i < w->head->router_total; i++)
        CLADE_REQUIRE(w->seen_routers[i] || (router_meta(w, i) & 3u) == CLADE_RBTREE_DEAD,
                      CLADE_E_CORRUPT, "I8: router %u is not in the tree, and not dead", i);
fail:
    return status;
}

static clade_status check_pools(struct walk *w)
{
    clade_status status = CLADE_OK;
    uint64_t free_leaves, free_routers;
    CLADE_REQUIRE(w->head->leaves_used <= w->head->leaf_total &&
                      w->head->routers_used <= w->head->router_total,
                  CLADE_E_CORRUPT, "I7: more nodes are in use than there are");
    CLADE_TRY(check_free(w, true, &free_leaves));
    CLADE_TRY(check_free(w, false, &free_routers));
    CLADE_TRY(check_others(w));
    const uint64_t used = (uint64_t)w->head->leaves_used + w->head->routers_used;
    const uint64_t found =
        w->stats.leaves + free_leaves + 1 /* sentinel */ + w->stats.routers + free_routers;
    CLADE_REQUIRE(found + w->head->leaked == used, CLADE_E_CORRUPT,
                  "I7: %" PRIu64 " nodes are in use, %" PRIu64
                  " are in the tree or free, %u leaked",
                  used, found, w->head->leaked);
    CLADE_REQUIRE(w->stats.leaves == w->stats.routers + 1, CLADE_E_CORRUPT,
                  "%" PRIu64 " leaves do not fit %" PRIu64 " routers", w->stats.leaves,
                  w->stats.routers);
fail:
    return status;
}

/* --- the whole ------------------------------------------------------------------------------ */

static void add_counters(struct walk *w)
{
    uint64_t sums[CLADE_RBTREE_COUNTERS] = { 0 };
    for (uint32_t i = 0; i < CLADE_RBTREE_COUNTER_SHARDS * CLADE_RBTREE_COUNTERS; i++)
        sums[i % CLADE_RBTREE_COUNTERS] += w->head->counters[i];
    w->stats.splits = sums[CLADE_RBTREE_SPLITS];
    w->stats.promotions = sums[CLADE_RBTREE_PROMOTIONS];
    w->stats.rotations = sums[CLADE_RBTREE_ROTATIONS];
    w->stats.merges = sums[CLADE_RBTREE_MERGES];
    w->stats.retries = sums[CLADE_RBTREE_RETRIES];
    w->stats.busy = sums[CLADE_RBTREE_BUSY];
    w->stats.full = sums[CLADE_RBTREE_FULL];
    w->stats.unbalanced = w->head->unbalanced;
    w->stats.leaked = w->head->leaked;
    w->stats.leaves_total = w->tree->leaf_total;
    w->stats.capacity = w->tree->params.capacity;
    w->stats.bytes = w->tree->object.bytes;
    for (int i = 0; i < SCRATCH_COUNT; i++)
        w->stats.bytes += w->tree->scratch[i].bytes;
}

static clade_status check_shape(const struct walk *w)
{
    clade_status status = CLADE_OK;
    CLADE_REQUIRE(w->stats.red_red <= w->stats.unbalanced, CLADE_E_CORRUPT,
                  "I5: %" PRIu64 " red routers lie below red ones, %" PRIu64 " were given up",
                  w->stats.red_red, w->stats.unbalanced);
    /* At most one black and one red router a rank on each path. */
    CLADE_REQUIRE(w->stats.height <= 2u * w->stats.black_height + w->stats.red_red, CLADE_E_CORRUPT,
                  "a path has %u routers, the root's rank is %u", w->stats.height,
                  w->stats.black_height);
    CLADE_REQUIRE(w->stats.merges > 0 || w->stats.overweight == 0, CLADE_E_CORRUPT,
                  "%" PRIu64 " nodes are overweight though no leaf was ever removed",
                  w->stats.overweight);
fail:
    return status;
}

static clade_status check_walk(struct walk *w)
{
    clade_status status = CLADE_OK;
    const clade_rbtree *tree = w->tree;
    w->head = (const clade_rbtree_head *)w->copy;
    CLADE_REQUIRE(cladei_object_is_its_head(&tree->object, &w->head->object) &&
                      w->head->leaf_total == tree->leaf_total &&
                      w->head->router_total == tree->router_total &&
                      w->head->leaves_at == tree->leaves_at / 16u &&
                      w->head->routers_at == tree->routers_at / 16u &&
                      cladei_rbtree_index_is(&tree->index, w->head),
                  CLADE_E_CORRUPT, "the head is not that of this tree");
    add_counters(w);
    CLADE_TRY(visit_all(w));
    CLADE_TRY(check_pools(w));
    CLADE_TRY(check_shape(w));
fail:
    return status;
}

clade_status cladei_rbtree_check_copy(const clade_rbtree *tree, unsigned char *copy,
                                      clade_rbtree_stats *stats)
{
    clade_status status = CLADE_OK;
    struct walk w = { .tree = tree, .copy = copy };
    w.seen_routers = calloc(tree->router_total, 1);
    w.seen_leaves = calloc(tree->leaf_total, 1);
    w.leaf_order = calloc(tree->leaf_total, sizeof *w.leaf_order);
    CLADE_REQUIRE(w.seen_routers && w.seen_leaves && w.leaf_order, CLADE_E_NOMEM,
                  "host memory is out");
    CLADE_TRY(check_walk(&w));
    if (tree->index.slots > 0)
        CLADE_TRY(cladei_rbtree_index_check(tree, copy, w.leaf_order, &w.stats));
    *stats = w.stats;
fail:
    free(w.seen_routers);
    free(w.seen_leaves);
    free(w.leaf_order);
    return status;
}

static void put_word(unsigned char *at, uint32_t word)
{
    memcpy(at, &word, sizeof word);
}

/* What no invariant speaks of. Every leaf's link to the next is a hint: those of leaves in the tree
 * follow from their order, others have none. The links of routers that are not in the tree lead
 * nowhere: where memory is weak, a walk may see the link to a router that was linked just now, and
 * the words that it had before. */
static void rebuild_hints(const struct walk *w)
{
    for (uint32_t i = 0; i < w->tree->leaf_total; i++)
        if (!w->seen_leaves[i])
            put_word((unsigned char *)(uintptr_t)leaf_at(w, i) + 4, 0);
    for (uint64_t i = 0; i < w->stats.leaves; i++) {
        unsigned char *link = (unsigned char *)(uintptr_t)leaf_at(w, w->leaf_order[i]) + 4;
        const uint32_t next = i + 1 < w->stats.leaves ? w->leaf_order[i + 1] + 1 : 0;
        put_word(link, CLADE_RBTREE_PACK(next, CLADE_RBTREE_COUNT(get_word(link))));
    }
    for (uint32_t i = 1; i < w->tree->router_total; i++)
        if (w->seen_routers[i] != IN_TREE)
            memset((unsigned char *)(uintptr_t)router_at(w, i) + w->tree->key_bytes, 0, 8);
}

/* With routers that leaked, violations that were given up, or ranks beyond what made the leaves, no
 * split may ever be balanced, and paths grow until walks do not reach their ends. A file may say of
 * any number that it is so. */
static bool is_strained(const clade_rbtree_stats *stats)
{
    uint32_t rank = 1;
    while (stats->leaves >> rank > 0)
        rank++;
    return stats->leaked > 0 || stats->red_red > 0 || stats->black_height > rank;
}

clade_status cladei_rbtree_rebuild(const clade_rbtree *tree, unsigned char *copy, bool *strained)
{
    clade_status status = CLADE_OK;
    struct walk w = { .tree = tree, .copy = copy };
    w.seen_routers = calloc(tree->router_total, 1);
    w.seen_leaves = calloc(tree->leaf_total, 1);
    w.leaf_order = calloc(tree->leaf_total, sizeof *w.leaf_order);
    CLADE_REQUIRE(w.seen_routers && w.seen_leaves && w.leaf_order, CLADE_E_NOMEM,
                  "host memory is out");
    CLADE_TRY(check_walk(&w));
    /* With many that were given up a path may be any length; what walks do not reach is lost. */
    CLADE_REQUIRE(w.stats.height <= CLADE_RBTREE_STEPS, CLADE_E_CORRUPT,
                  "a path has %u routers; walks end after %u", w.stats.height, CLADE_RBTREE_STEPS);
    rebuild_hints(&w);
    *strained = is_strained(&w.stats);
    if (tree->index.slots > 0)
        CLADE_TRY(cladei_rbtree_index_rebuild(tree, copy, w.leaf_order, w.stats.leaves));
fail:
    free(w.seen_routers);
    free(w.seen_leaves);
    free(w.leaf_order);
    return status;
}

clade_status clade_rbtree_stats_read(clade_rbtree *tree, clade_rbtree_stats *stats)
{
    clade_status status = CLADE_OK;
    unsigned char *copy = NULL;
    CLADE_REQUIRE(tree && stats, CLADE_E_ARG, "the tree or the place for its counts is NULL");
    CLADE_TRY(cladei_rbtree_mend_now(tree));
    copy = malloc((size_t)tree->object.bytes);
    CLADE_REQUIRE(copy, CLADE_E_NOMEM, "host memory is out: a check needs %" PRIu64 " bytes",
                  tree->object.bytes);
    CLADE_TRY(cladei_queue_finish(tree->object.context, tree->object.context->queue));
    CLADE_TRY(cladei_object_read(&tree->object, 0, copy, (size_t)tree->object.bytes));
    CLADE_TRY(cladei_rbtree_check_copy(tree, copy, stats));
fail:
    free(copy);
    return status;
}

clade_status clade_rbtree_check(clade_rbtree *tree)
{
    clade_rbtree_stats stats;
    return clade_rbtree_stats_read(tree, &stats);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* The tree beside an item that holds a lock and does not come back: every operation on that leaf
 * ends after its tries, says so, changes nothing, and counts; elsewhere nothing is tried twice; and
 * when the lock is given back all goes on as if nothing had been. */
#define CLADE_RBTREE_TRIES         40u
#define CLADE_RBTREE_BALANCE_TRIES 40u
#define CLADE_RBTREE_CHAIN         4u
/* Between two steps of an operation another one comes in between. */
static void come_between(const char *where, const volatile void *word);
#define CLADE_SCHEDULE_HOOK(where, word, salt) come_between(where, word)
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

enum { KEYS = 40, LEAVES = 64, TRIES = CLADE_RBTREE_TRIES, CHAIN = 4, STEP = 10 };

static clade_rbtree_head *tree;
static uint busy, retries, size;
static uint comes; /* 1: a key more comes into the leaf, which splits */

static uint counted_in(clade_rbtree_head *one, uint counter)
{
    uint sum = 0;
    for (uint shard = 0; shard < CLADE_RBTREE_COUNTER_SHARDS; shard++)
        sum += clade_load_relaxed(&one->counters[shard * CLADE_RBTREE_COUNTERS + counter]);
    return sum;
}

static uint counted(uint counter)
{
    return counted_in(tree, counter);
}

/* One operation more was given up; of its tries all but the first are retries. */
static void expect_given_up(int status, const char *what)
{
    expect(status == CLADE_E_BUSY, what, (uint)status, (uint)CLADE_E_BUSY);
    busy++;
    retries += TRIES - 1u;
    expect(counted(CLADE_RBTREE_BUSY) == busy, what, counted(CLADE_RBTREE_BUSY), busy);
    expect(counted(CLADE_RBTREE_RETRIES) == retries, what, counted(CLADE_RBTREE_RETRIES), retries);
}

static void expect_sound(const char *when)
{
    uint64_t keys = 0;
    const char *said = rbtree_memory_check(tree, LEAVES, LEAF_CAPACITY, &keys);
    expect(!said && keys == size, when, (uint)keys, size);
    if (said)
        printf("  %s\n", said);
    expect(counted(CLADE_RBTREE_BUSY) == busy && counted(CLADE_RBTREE_RETRIES) == retries,
           "tried again alone", counted(CLADE_RBTREE_RETRIES), retries);
}

/* The leaf of a key, and the router above it. */
static clade_global_word meta_of(uint key, clade_global_word *parent)
{
    const clade_rbtree_pools t = clade_rbtree_open(tree);
    uint up, grand;
    const uint leaf = clade_rbtree_descend(t, key, &up, &grand);
    *parent = &t.routers[up].meta;
    return &clade_rbtree_leaf_at(t, leaf)->meta;
}

static uint keys_in_leaf(uint key)
{
    const clade_rbtree_pools t = clade_rbtree_open(tree);
    uint up, grand;
    return clade_rbtree_look_for(clade_rbtree_leaf_at(t, clade_rbtree_descend(t, key, &up, &grand)),
                                 key)
        .count;
}

/* A range that can have no entries is one at once, whatever leaf it would begin in. */
static void expect_empty_ranges(uint key)
{
    for (uint way = 0; way < 4; way++) {
        const uint low = way < 2 ? key : key + 1u, limit = way < 2 ? 0 : 2, high = key;
        uint count = 5, out[2];
        const int status =
            way % 2 ? clade_rbtree_range_wi(tree, low, high, limit, out, out, &count)
                    : clade_rbtree_range_down_wi(tree, low, high, limit, out, out, &count);
        expect(status == CLADE_OK && count == 0, "a range of nothing", way, (uint)status);
    }
}

/* The leaf of `key`, which is there, is held: nobody gets in. */
static void leaf_is_held(uint key)
{
    clade_global_word parent, meta = meta_of(key, &parent);
    uint value = 5, at = key;
    const uint before = clade_load_relaxed(meta);
    clade_store_relaxed(meta, before | CLADE_RBTREE_LOCK);
    expect_given_up(clade_rbtree_find_wi(tree, key, &value), "find");
    expect_given_up(clade_rbtree_insert_wi(tree, key + 1u, 1), "insert");
    expect_given_up(clade_rbtree_insert_wi(tree, key, 1), "insert what is there");
    expect_given_up(clade_rbtree_put_wi(tree, key, 1), "assign");
    expect_given_up(clade_rbtree_erase_wi(tree, key, &value), "erase");
    expect_given_up(clade_rbtree_lower_bound_wi(tree, &at, &value), "lower bound");
    expect_given_up(clade_rbtree_floor_wi(tree, &at, &value), "floor");
    expect(at == key && value == 5, "what was not found was written", at, key);
    expect_empty_ranges(key);
    clade_store_relaxed(meta, before);
    expect(clade_rbtree_find_wi(tree, key, &value) == CLADE_OK && value == key,
           "a key that was there", value, key);
    expect_sound("after a leaf was held");
}

/* The router above a full leaf is held: what would split it is given up, what is there is found and
 * replaced. */
static void router_is_held(uint key)
{
    clade_global_word parent, meta = meta_of(key, &parent);
    const uint before = clade_load_relaxed(parent), leaf = clade_load_relaxed(meta);
    uint value = 0;
    clade_store_relaxed(parent, before | CLADE_RBTREE_LOCK);
    expect_given_up(clade_rbtree_insert_wi(tree, key + 1u, 1), "an insert that splits");
    expect(clade_load_relaxed(meta) == leaf, "the leaf's lock was not given back",
           clade_load_relaxed(meta), leaf);
    expect(clade_rbtree_find_wi(tree, key, &value) == CLADE_OK && value == key, "a key below",
           value, key);
    expect(clade_rbtree_put_wi(tree, key, key) == CLADE_RBTREE_PRESENT, "assign below", key, 0);
    clade_store_relaxed(parent, before);
    expect(clade_rbtree_insert_wi(tree, key + 1u, key + 1u) == CLADE_OK, "the insert afterwards",
           key, 0);
    size++;
    expect_sound("after a router was held");
}

static uint steps, comes_at, comes_key; /* a key that comes at a step of a search */
static clade_rbtree_head *comes_to;

static uint locks; /* that were taken */

static void come_between(const char *where, const volatile void *word)
{
    const bool locked = !strcmp(where, "cladei_rbtree_lock");
    locks += locked;
    if (locked || !strcmp(where, "clade_rbtree_pop"))
        expect((*(const volatile uint *)word & 1u) != 0, "its lock is not set", locks, 0);
    if (comes_at > 0 && ++steps == comes_at) {
        comes_at = 0;
        expect(clade_rbtree_insert_wi(comes_to, comes_key, comes_key) == CLADE_OK, "comes", steps,
               comes_key);
        return;
    }
    if (comes == 0 || !strcmp(where, "clade_load_shared4")) /* on the way to the leaf */
        return;
    const uint key = comes;
    comes = 0;
    expect(clade_rbtree_insert_wi(tree, key, key) == CLADE_OK, "the insert that comes between", key,
           0);
    size++;
}

/* A full leaf is split while its last key is looked at, and does not cover that one any more: it is
 * looked for from the root again, and found. */
static void leaf_is_split(uint key)
{
    uint value = 0;
    comes = key - 1u;
    expect(clade_rbtree_insert_wi(tree, key, 1) == CLADE_RBTREE_PRESENT,
           "what is there, in a new leaf", key, 0);
    retries++; /* the leaf had changed; it was full, so it is looked for anew */
    expect(comes == 0, "nothing came between: this test sees nothing", comes, 0);
    expect(clade_rbtree_find_wi(tree, key, &value) == CLADE_OK && value == key, "its value", value,
           key);
    expect_sound("after a leaf was split");
}

/* Whether it is its leaf's last key. */
static int is_last(uint key)
{
    const clade_rbtree_pools t = clade_rbtree_open(tree);
    uint up, grand;
    const clade_rbtree_leaf *leaf =
        clade_rbtree_leaf_at(t, clade_rbtree_descend(t, key, &up, &grand));
    for (uint i = 0; i < CLADE_RBTREE_COUNT(leaf->link); i++)
        if (leaf->keys[i] > key)
            return 0;
    return 1;
}

static void as_item(uint item)
{
    shim_self = (struct shim_item) { .local_size = 1, .groups = 1, .global_id = item };
}

/* Nodes that one item gave back are found by all others, whatever stack they lie in: another one is
 * told that the tree is full when all leaves are in it, and not before. */
static void stacks_are_shared(void)
{
    enum { FEW = 8, ROUNDS = 70 };
    const size_t bytes = (rbtree_memory_bytes(FEW, LEAF_CAPACITY) + 127) / 128 * 128;
    clade_rbtree_head *one = aligned_alloc(128, bytes);
    uint first = 0, freed = 0, value;
    if (!one)
        exit(1);
    memset(one, 0, bytes);
    rbtree_memory_make(one, FEW, LEAF_CAPACITY);
    for (uint round = 0; round < ROUNDS; round++) {
        uint end = first;
        as_item(round * 5u);
        while (clade_rbtree_insert_wi(one, end, end) == CLADE_OK)
            end++;
        const uint leaves = (uint)rbtree_memory_leaves(one, FEW, LEAF_CAPACITY);
        expect(leaves == FEW, "full, with leaves that are free", leaves, round);
        expect(counted_in(one, CLADE_RBTREE_FULL) == round + 1u &&
                   counted_in(one, CLADE_RBTREE_BUSY) == 0,
               "refusals", counted_in(one, CLADE_RBTREE_FULL), round);
        as_item(round * 5u + 1u);
        for (; first < end; first++)
            expect(clade_rbtree_erase_wi(one, first, &value) == CLADE_OK, "erase", round, first);
        freed += leaves > (uint)rbtree_memory_leaves(one, FEW, LEAF_CAPACITY);
        first += 1000u;
    }
    expect(freed == ROUNDS, "no leaf was given back: this test sees nothing", freed, ROUNDS);
    free(one);
}

/* All of a pool's stacks say this, but one. */
static void set_stacks(clade_global_word stacks, uint one, uint its, uint others)
{
    for (uint s = 0; s < CLADE_RBTREE_SHARDS; s++)
        clade_store_relaxed(&stacks[s], s == one ? its : others);
}

/* The only free node lies in stack `at`: it is found, claimed and given back from wherever one
 * begins. A stack that is locked is passed over; where no other one has a node, that is told. */
static void node_in_a_stack(clade_rbtree_head *one, bool is_leaf, uint at, uint from)
{
    const clade_rbtree_pools t = clade_rbtree_open(one);
    const clade_global_word stacks = is_leaf ? one->free_leaves : one->free_routers;
    const uint node = 3, top = (node + 1u) << 1;
    const uint born = 128u + (is_leaf ? CLADE_RBTREE_LEAF_VERSION : CLADE_RBTREE_ROUTER_VERSION);
    clade_global_word meta = is_leaf ? &clade_rbtree_leaf_at(t, node)->meta : &t.routers[node].meta;
    clade_i32 status = CLADE_OK;
    clade_store_relaxed(meta, 128u | CLADE_RBTREE_DEAD);
    clade_rbtree_leaf_at(t, node)->low = 0;
    t.routers[node].key_ = 0;
    set_stacks(stacks, at, top, 0);
    expect(clade_rbtree_seek_free(t, is_leaf, from) == at, "where a node is", at, from);
    expect(clade_rbtree_claim(t, is_leaf, from, &status) == node && status == CLADE_OK, "claimed",
           at, from);
    expect(clade_load_relaxed(meta) == (born | CLADE_RBTREE_LOCK), "its word",
           clade_load_relaxed(meta), born);
    expect(clade_load_relaxed(&stacks[at]) == 0, "a stack that is empty", at,
           clade_load_relaxed(&stacks[at]));
    expect(clade_rbtree_claim(t, is_leaf, from, &status) == CLADE_RB_NONE &&
               status == CLADE_E_FULL && clade_rbtree_seek_free(t, is_leaf, from) == CLADE_RB_NONE,
           "claimed of none", at, from);
    set_stacks(stacks, at, top | 1u, 0);
    expect(clade_rbtree_claim(t, is_leaf, from, &status) == CLADE_RB_NONE && status == CLADE_E_BUSY,
           "claimed from a stack that is locked", at, from);
    set_stacks(stacks, at, 0, 1);
    clade_rbtree_unclaim(t, node, is_leaf);
    expect(clade_load_relaxed(&stacks[at]) == top && one->leaked == 0, "given back", at,
           one->leaked);
    expect(clade_load_relaxed(meta) == (born | CLADE_RBTREE_DEAD), "its word afterwards",
           clade_load_relaxed(meta), born);
    set_stacks(stacks, at, 1, 1);
    clade_rbtree_release(t, node, is_leaf);
    expect(one->leaked == 1 && clade_load_relaxed(&stacks[at]) == 1, "lost", at, one->leaked);
    one->leaked = 0;
}

static void nodes_in_each_stack(void)
{
    enum { SOME = 8, LAST = CLADE_RBTREE_SHARDS - 1 };
    const size_t bytes = (rbtree_memory_bytes(SOME, LEAF_CAPACITY) + 127) / 128 * 128;
    clade_rbtree_head *one = aligned_alloc(128, bytes);
    if (!one)
        exit(1);
    memset(one, 0, bytes);
    rbtree_memory_make(one, SOME, LEAF_CAPACITY);
    one->leaves_used = one->leaf_total;
    one->routers_used = one->router_total;
    for (uint at = 0; at <= LAST; at += at < 4 || at > LAST - 4 ? 1 : 63)
        for (uint from = 0; from <= LAST; from += from < 2 || from > LAST - 2 ? 1 : 127)
            for (uint is_leaf = 0; is_leaf < 2; is_leaf++) {
                as_item(at * 3u + from);
                node_in_a_stack(one, is_leaf, at, from);
            }
    as_item(0);
    free(one);
}

/* Where leaves are left and no routers, or routers and no leaves, an insert that has to split is
 * refused, and takes no lock and no node: each word stays, but that it is counted. */
static void refused_without_a_lock(bool no_routers)
{
    enum { SOME = 8 };
    const size_t bytes = (rbtree_memory_bytes(SOME, LEAF_CAPACITY) + 127) / 128 * 128;
    clade_rbtree_head *one = aligned_alloc(128, bytes), *before = aligned_alloc(128, bytes);
    if (!one || !before)
        exit(1);
    memset(one, 0, bytes);
    rbtree_memory_make(one, SOME, LEAF_CAPACITY);
    for (uint key = 0; key < 2u * LEAF_CAPACITY; key++)
        expect(clade_rbtree_insert_wi(one, key, key) == CLADE_OK, "insert", key, no_routers);
    expect(one->leaves_used == 2, "leaves that are full", one->leaves_used, no_routers);
    if (no_routers)
        one->router_total = one->routers_used;
    else
        one->leaf_total = one->leaves_used;
    memcpy(before, one, bytes);
    expect(locks > 0, "no lock was seen: this test sees nothing", locks, no_routers);
    locks = 0;
    expect(clade_rbtree_insert_wi(one, 2u * LEAF_CAPACITY, 1) == CLADE_E_FULL, "an insert", 0,
           no_routers);
    expect(counted_in(one, CLADE_RBTREE_FULL) == 1, "refusals", counted_in(one, CLADE_RBTREE_FULL),
           no_routers);
    expect(locks == 0, "locks of a refused insert", locks, no_routers);
    for (uint i = 0; i < CLADE_RBTREE_COUNTER_SHARDS; i++)
        before->counters[i * CLADE_RBTREE_COUNTERS + CLADE_RBTREE_FULL] =
            one->counters[i * CLADE_RBTREE_COUNTERS + CLADE_RBTREE_FULL];
    expect(!memcmp(before, one, bytes), "what a refused insert changed", 0, no_routers);
    free(before);
    free(one);
}

/* Routers that lead back to themselves: every walk ends. */
static void links_in_a_circle(void)
{
    const clade_rbtree_pools t = clade_rbtree_open(tree);
    clade_rbtree_router *root = &t.routers[t.routers[0].left >> 1];
    const uint left = root->left, right = root->right;
    root->left = root->right = (uint)(root - t.routers) << 1;
    for (uint key = 1; key < KEYS * STEP; key += 97u) {
        uint value = 5, at = key, count = 5, out[2] = { 5, 5 };
        expect_given_up(clade_rbtree_find_wi(tree, key, &value), "find");
        expect(clade_rbtree_find_still_wi(tree, key, &value) == CLADE_E_BUSY, "find still", key, 0);
        expect_given_up(clade_rbtree_insert_wi(tree, key, 1), "insert");
        expect_given_up(clade_rbtree_erase_wi(tree, key, &value), "erase");
        expect_given_up(clade_rbtree_lower_bound_wi(tree, &at, &value), "lower bound");
        expect_given_up(clade_rbtree_floor_wi(tree, &at, &value), "floor");
        expect(clade_rbtree_range_still_wi(tree, key, key + 9u, 2, out, out, &count) ==
                       CLADE_E_BUSY &&
                   out[0] == 5,
               "range still", key, count);
        expect(at == key && value == 5, "what was not found was written", at, key);
    }
    root->left = left;
    root->right = right;
    expect_sound("after links in a circle");
}

/* What is known of a router below another one, by all that it may be wrong in. */
static void routers_that_are_black(void)
{
    const clade_rbtree_pools t = clade_rbtree_open(tree);
    uint seen = 0;
    for (uint g = 0; g <= tree->routers_used; g++)
        for (uint way = 0; way < 2; way++) {
            const uint link = way ? t.routers[g].right : t.routers[g].left, p = link >> 1;
            const uint meta = clade_load_relaxed(&t.routers[g].meta);
            if ((meta & CLADE_RBTREE_DEAD) || (link & 1u) || p == 0 || p > tree->routers_used)
                continue;
            const uint meta_p = clade_load_relaxed(&t.routers[p].meta);
            const bool is_lower = CLADE_RBTREE_RANK(meta_p) < CLADE_RBTREE_RANK(meta);
            const uint as_g = (meta_p & ~(31u << 2)) | CLADE_RBTREE_RANK(meta) << 2;
            expect(clade_rbtree_is_black(t, p, meta_p, g) == is_lower, "its rank", g, p);
            expect(!clade_rbtree_is_black(t, p, as_g, g), "of the same rank", g, p);
            expect(!clade_rbtree_is_black(t, g, 0, p), "above it", g, p);
            clade_store_relaxed(&t.routers[g].meta, meta | CLADE_RBTREE_LOCK);
            expect(!clade_rbtree_is_black(t, p, meta_p, g), "that is locked", g, p);
            clade_store_relaxed(&t.routers[g].meta, meta | CLADE_RBTREE_DEAD);
            expect(!clade_rbtree_is_black(t, p, meta_p, g), "that has gone", g, p);
            clade_store_relaxed(&t.routers[g].meta, meta);
            seen += is_lower;
        }
    expect(seen > 3, "this test sees nothing", seen, tree->routers_used);
}

/* Leaves that have changed many times, more of them than a walk has tries: it goes from each to the
 * next one, and tries nothing twice. */
static void walk_changed_leaves(void)
{
    enum { CHANGES = 16, MOST = LEAVES * LEAF_CAPACITY };
    const size_t bytes = (rbtree_memory_bytes(LEAVES, LEAF_CAPACITY) + 127) / 128 * 128;
    clade_rbtree_head *one = aligned_alloc(128, bytes);
    uint end = 0, keys[MOST], values[MOST];
    if (!one)
        exit(1);
    memset(one, 0, bytes);
    rbtree_memory_make(one, LEAVES, LEAF_CAPACITY);
    while (end < MOST && clade_rbtree_insert_wi(one, end, 0) == CLADE_OK)
        end++;
    const uint leaves = (uint)rbtree_memory_leaves(one, LEAVES, LEAF_CAPACITY);
    expect(leaves > TRIES, "too few leaves: this test sees nothing", leaves, TRIES);
    for (uint i = 0; i < CHANGES * end; i++)
        expect(clade_rbtree_put_wi(one, i % end, i) == CLADE_RBTREE_PRESENT, "assign", i, end);
    for (uint still = 0; still < 3; still++) {
        static clade_rbtree_range_scratch scratch; /* of a group of one */
        uint count = 0;
        memset(keys, 0xff, sizeof keys);
        memset(&scratch, 0x5a, sizeof scratch);
        const clade_i32 status =
            still == 2 ? clade_rbtree_range_still_wg(one, 0, ~0u, MOST, keys, values, &count, true,
                                                     &scratch)
            : still    ? clade_rbtree_range_still_wi(one, 0, ~0u, MOST, keys, values, &count)
                       : clade_rbtree_range_wi(one, 0, ~0u, MOST, keys, values, &count);
        expect(status == CLADE_OK, "a walk alone", (uint)status, still);
        expect(count == end, "entries of a walk", count, end);
        for (uint i = 0; i < end; i++)
            expect(keys[i] == i && values[i] == (CHANGES - 1u) * end + i, "an entry", i, keys[i]);
    }
    free(one);
}

/* A tree of leaves of one key that was there: of the keys 0, 10, 20 ... only those on both sides of
 * `many` empty leaves are left. Routers that are held keep the empty leaves from being joined. */
static clade_rbtree_head *make_gap(uint many, uint *low, uint *high)
{
    const size_t bytes = (rbtree_memory_bytes(LEAVES, LEAF_CAPACITY) + 127) / 128 * 128;
    clade_rbtree_head *one = aligned_alloc(128, bytes), *kept = tree;
    uint value;
    if (!one)
        exit(1);
    memset(one, 0, bytes);
    rbtree_memory_make(one, LEAVES, LEAF_CAPACITY);
    for (uint key = 0; key < 12u * LEAF_CAPACITY; key++)
        expect(clade_rbtree_insert_wi(one, 10u * key, key) == CLADE_OK, "insert", key, many);
    *low = 10u * (3u * LEAF_CAPACITY - 1u);
    *high = *low + 10u + 10u * many * LEAF_CAPACITY;
    tree = one;
    for (uint key = *low + 10u; key < *high; key += 10u) {
        clade_global_word parent;
        (void)meta_of(key, &parent);
        const uint before = clade_load_relaxed(parent);
        clade_store_relaxed(parent, before | CLADE_RBTREE_LOCK);
        expect(clade_rbtree_erase_wi(one, key, &value) == CLADE_OK, "erase", key, many);
        clade_store_relaxed(parent, before);
    }
    tree = kept;
    return one;
}

/* More leaves to pass than the pool has, which can only be where others change the tree: a search
 * gives up. Each of its tries counts for as many as the leaves that it passed. */
static void pass_more_leaves_than_there_are(bool up)
{
    uint low, high, value = 5;
    clade_rbtree_head *one = make_gap(6, &low, &high);
    const uint total = one->leaf_total, from = up ? low + 1u : high - 1u;
    for (uint leaves = CHAIN; leaves <= total; leaves += total - CHAIN) {
        const bool has_all = leaves == total;
        const uint before = counted_in(one, CLADE_RBTREE_RETRIES);
        uint key = from;
        one->leaf_total = leaves;
        const int status = up ? clade_rbtree_lower_bound_wi(one, &key, &value)
                              : clade_rbtree_floor_wi(one, &key, &value);
        const uint more = counted_in(one, CLADE_RBTREE_RETRIES) - before;
        expect(status == (has_all ? CLADE_OK : CLADE_E_BUSY), "a search over too many leaves", up,
               (uint)status);
        expect(key == (has_all ? up ? high : low : from) && more == (has_all ? 0u : TRIES - 1u),
               "its tries", key, more);
    }
    free(one);
}

/* A search passes empty leaves, and a key comes into one of them before the leaf with the answer is
 * read: it is tried again, and finds that key. Three leaves are gone over twice, and what comes in
 * the second walk may be found or not: the leaves were as they were read when it began. */
static void keys_come_into_leaves_that_were_passed(bool up)
{
    for (uint many = 1; many <= 3; many++)
        for (uint nth = 0; nth < many; nth++)
            for (uint at = 1, last = ~0u; at < last; at++) {
                uint low, high, value = 0;
                comes_to = make_gap(many, &low, &high);
                comes_key = low + 15u + 10u * nth * LEAF_CAPACITY;
                uint key = up ? low + 1u : high - 1u;
                steps = 0;
                comes_at = last == ~0u ? ~0u : at;
                const int status = up ? clade_rbtree_lower_bound_wi(comes_to, &key, &value)
                                      : clade_rbtree_floor_wi(comes_to, &key, &value);
                if (last == ~0u) { /* undisturbed: its steps, of which the last read the answer */
                    expect(status == CLADE_OK && key == (up ? high : low), "a search", key, many);
                    last = steps;
                    at = 0;
                    comes_at = 0;
                } else {
                    expect(comes_at == 0, "nothing came between", at, many);
                    const bool may_be_late = many == 3 && at > last / 2;
                    expect(status == CLADE_OK &&
                               (key == comes_key || (may_be_late && key == (up ? high : low))),
                           "what came is found", key, comes_key);
                }
                free(comes_to);
            }
}

/* What the routers tell: ranks rise by promotions alone, each from 1 on, and a router dies in a
 * rotation alone, where nothing is erased. */
static void expect_mends(uint routers, const uint *was_alive, uint *rotated, uint after)
{
    const clade_rbtree_pools t = clade_rbtree_open(tree);
    uint risen = 0;
    for (uint i = 1; i < routers; i++) {
        const uint meta = clade_load_relaxed(&t.routers[i].meta);
        const bool is_alive = !(meta & CLADE_RBTREE_DEAD);
        risen += is_alive ? CLADE_RBTREE_RANK(meta) - 1u : 0u;
        *rotated += was_alive[i] && !is_alive;
    }
    expect(counted(CLADE_RBTREE_PROMOTIONS) == risen, "promotions", risen, after);
    expect(counted(CLADE_RBTREE_ROTATIONS) == *rotated, "rotations", *rotated, after);
}

/* Each promotion and rotation is counted, whatever order keys come in; alone nothing is tried
 * twice, and no path stays unbalanced. */
static void mends_are_counted(uint stride)
{
    enum { FEW = 101, ROUTERS = LEAVES + 64 };
    uint was_alive[ROUTERS], rotated = 0;
    memset(tree, 0, rbtree_memory_bytes(LEAVES, LEAF_CAPACITY));
    rbtree_memory_make(tree, LEAVES, LEAF_CAPACITY);
    expect(tree->router_total == ROUTERS, "routers", tree->router_total, ROUTERS);
    for (uint i = 0; i < FEW; i++) {
        const clade_rbtree_pools t = clade_rbtree_open(tree);
        for (uint n = 1; n < ROUTERS; n++)
            was_alive[n] = !(clade_load_relaxed(&t.routers[n].meta) & CLADE_RBTREE_DEAD);
        expect(clade_rbtree_insert_wi(tree, i * stride % FEW, 0) == CLADE_OK, "insert", i, stride);
        expect_mends(ROUTERS, was_alive, &rotated, i);
    }
    uint64_t keys = 0;
    expect(!rbtree_memory_check(tree, LEAVES, LEAF_CAPACITY, &keys) && keys == FEW, "sound",
           (uint)keys, stride);
    expect(rotated > 2 && counted(CLADE_RBTREE_PROMOTIONS) > 2, "this test sees nothing", rotated,
           stride);
    expect(counted(CLADE_RBTREE_RETRIES) + counted(CLADE_RBTREE_BUSY) + tree->unbalanced == 0,
           "tried twice alone", stride, 0);
}

int main(void)
{
    as_item(0);
    walk_changed_leaves();
    stacks_are_shared();
    nodes_in_each_stack();
    refused_without_a_lock(true);
    refused_without_a_lock(false);
    tree = aligned_alloc(128, (rbtree_memory_bytes(LEAVES, LEAF_CAPACITY) + 127) / 128 * 128);
    if (!tree)
        return 1;
    pass_more_leaves_than_there_are(true);
    pass_more_leaves_than_there_are(false);
    keys_come_into_leaves_that_were_passed(true);
    keys_come_into_leaves_that_were_passed(false);
    for (uint stride = 1; stride < 101; stride += stride % 3u * 9u + 10u)
        mends_are_counted(stride);
    memset(tree, 0, rbtree_memory_bytes(LEAVES, LEAF_CAPACITY));
    rbtree_memory_make(tree, LEAVES, LEAF_CAPACITY);
    shim_self = (struct shim_item) { .local_size = 1, .groups = 1 };
    for (uint i = 0; i < KEYS; i++, size++)
        expect(clade_rbtree_insert_wi(tree, (i * 7u % KEYS) * STEP, (i * 7u % KEYS) * STEP) ==
                   CLADE_OK,
               "insert", i, 0);
    expect_sound("filled");
    links_in_a_circle();
    routers_that_are_black();
    uint splits = 0, looked = 0;
    for (uint i = 1; i + 1 < KEYS; i++)
        if (looked < 2 && keys_in_leaf(i * STEP) == LEAF_CAPACITY && is_last(i * STEP)) {
            leaf_is_split(i * STEP);
            looked++;
        }
    for (uint i = 0; i < KEYS; i++) {
        if (keys_in_leaf(i * STEP) < LEAF_CAPACITY)
            leaf_is_held(i * STEP);
        else if (splits++ < 4)
            router_is_held(i * STEP);
    }
    expect(looked > 0 && splits > 0 && busy > 7, "this test sees nothing", splits, busy);
    printf("tree: %u given up, %u wrong\n", busy, wrong);
    free(tree);
    return wrong != 0;
}

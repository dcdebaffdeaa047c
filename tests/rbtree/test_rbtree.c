/* SPDX-License-Identifier: Apache-2.0 */
/* clade_rbtree: every call gives what a sequential map gives, for all types (rbtree_types.c),
 * orders and paths. */
#include <unistd.h>

#include "harness/scratch.h"
#include "rbtree/test_rbtree.h"

clade_rbtree *open_tree(struct fixture *f, clade_rbtree_params params)
{
    clade_rbtree *tree = NULL;
    assert_ok(clade_rbtree_create(&tree, f->context, &params));
    return tree;
}

static uint64_t size_of(clade_rbtree *tree)
{
    uint64_t size = 0;
    assert_ok(clade_rbtree_size(tree, &size));
    return size;
}

clade_rbtree_stats stats_of(clade_rbtree *tree)
{
    clade_rbtree_stats stats;
    assert_ok(clade_rbtree_stats_read(tree, &stats));
    return stats;
}

/* --- small trees, full ones, and the rest ----------------------------------------------------- */

static void trees_of_few_keys(void **state)
{
    struct fixture *f = *state;
    clade_rbtree *tree = open_tree(f, (clade_rbtree_params) { .capacity = 8,
                                                              .value = CLADE_U32,
                                                              .leaf_capacity = 1,
                                                              .path = CLADE_RBTREE_CONCURRENT });
    uint32_t keys[4] = { 7, 0, 0xffffffffu, 9 }, found[1], values[4];
    int32_t status = 1;
    for (uint32_t n = 0; n <= 4; n++) {
        const uint32_t query = 0;
        assert_ok(clade_rbtree_insert(tree, clade_host(keys), clade_host(keys), n, clade_no_array(),
                                      NULL));
        assert_int_equal(stats_of(tree).size, n);
        assert_ok(clade_rbtree_seek(tree, clade_host(&query), CLADE_RBTREE_LOWER, clade_host(found),
                                    clade_no_array(), 1, clade_host(&status), NULL));
        assert_int_equal(status, n == 0 ? CLADE_E_NOT_FOUND : CLADE_OK);
        if (n > 0)
            assert_int_equal(found[0], n == 1 ? 7 : 0);
        assert_ok(clade_rbtree_reclaim(tree, NULL));
        assert_int_equal(stats_of(tree).size, n);
        assert_ok(clade_rbtree_erase(tree, clade_host(keys), clade_host(values), n,
                                     clade_no_array(), NULL));
        for (uint32_t i = 0; i < n; i++)
            assert_int_equal(values[i], keys[i]);
        assert_int_equal(stats_of(tree).size, 0);
    }
    clade_rbtree_destroy(&tree);
}

/* Where the routers begin follows from the number of leaves; the driver wants them at a multiple
 * of their size. */
static void routers_begin_where_they_can_be_filled(void **state)
{
    struct fixture *f = *state;
    for (uint32_t leaf_capacity = 1; leaf_capacity <= (fixture_is_small() ? 1 : 4); leaf_capacity++)
        for (uint64_t capacity = 1; capacity <= 12; capacity++) {
            clade_rbtree *tree = open_tree(f, (clade_rbtree_params) {
                                                  .capacity = capacity,
                                                  .key = CLADE_U64,
                                                  .leaf_capacity = leaf_capacity,
                                              });
            const uint64_t key = capacity;
            assert_ok(clade_rbtree_insert(tree, clade_host(&key), clade_no_array(), 1,
                                          clade_no_array(), NULL));
            assert_ok(clade_rbtree_clear(tree, NULL));
            assert_int_equal(stats_of(tree).size, 0);
            clade_rbtree_destroy(&tree);
        }
}

static void full_is_a_status_of_the_items_that_did_not_fit(void **state)
{
    struct fixture *f = *state;
    enum { N = 400 };
    const uint32_t paths[] = { CLADE_RBTREE_CONCURRENT, CLADE_RBTREE_GROUPS, CLADE_RBTREE_BULK };
    for (size_t p = 0; p < 3; p++) {
        clade_rbtree *tree = open_tree(
            f, (clade_rbtree_params) {
                   .capacity = 100, .value = CLADE_U32, .leaf_capacity = 6, .path = paths[p] });
        uint32_t keys[N], back[N];
        int32_t statuses[N], found[N];
        for (uint32_t i = 0; i < N; i++)
            keys[i] = i * 2654435761u;
        assert_ok(clade_rbtree_insert(tree, clade_host(keys), clade_host(keys), N,
                                      clade_host(statuses), NULL));
        assert_ok(clade_rbtree_find(tree, clade_host(keys), clade_host(back), N, clade_host(found),
                                    NULL));
        uint64_t in = 0;
        for (uint32_t i = 0; i < N; i++) {
            assert_true(statuses[i] == CLADE_OK || statuses[i] == CLADE_E_FULL);
            assert_int_equal(found[i], statuses[i] == CLADE_OK ? CLADE_OK : CLADE_E_NOT_FOUND);
            in += statuses[i] == CLADE_OK;
        }
        assert_int_equal(stats_of(tree).size, in);
        assert_in_range(in, 100, N - 1);
        /* Without statuses the call itself says so. */
        assert_fails(clade_rbtree_insert(tree, clade_host(keys), clade_no_array(), N,
                                         clade_no_array(), NULL),
                     CLADE_E_FULL);
        assert_message("no room");
        /* What is erased makes room again. */
        assert_ok(clade_rbtree_erase(tree, clade_host(keys), clade_no_array(), N, clade_no_array(),
                                     NULL));
        assert_ok(clade_rbtree_insert(tree, clade_host(keys), clade_host(keys), 50,
                                      clade_no_array(), NULL));
        assert_int_equal(stats_of(tree).size, 50);
        clade_rbtree_destroy(&tree);
    }
}

/* Through the bulk path, half of the keys there already and each key twice: the last one's value
 * stays, and 0 where no values are given. */
static void bulk_put_replaces_values(void **state)
{
    struct fixture *f = *state;
    enum { N = 300, HALF = N / 2 };
    uint32_t keys[2 * N], values[2 * N], back[N + HALF];
    int32_t found[N + HALF];
    clade_rbtree *tree = open_tree(f, (clade_rbtree_params) { .capacity = 2 * N,
                                                              .value = CLADE_U32,
                                                              .leaf_capacity = 6,
                                                              .path = CLADE_RBTREE_BULK });
    for (uint32_t i = 0; i < N; i++)
        keys[i] = values[i] = i;
    assert_ok(
        clade_rbtree_insert(tree, clade_host(keys), clade_host(values), N, clade_no_array(), NULL));
    for (uint32_t i = 0; i < 2 * N; i++) {
        keys[i] = HALF + (i % N * 7u) % N; /* 7 and 300 share no divisor: each key of N once */
        values[i] = i < N ? 7u : 1000u + keys[i];
    }
    for (int with_values = 1; with_values >= 0; with_values--) {
        assert_ok(clade_rbtree_put(tree, clade_host(keys),
                                   with_values ? clade_host(values) : clade_no_array(), 2 * N,
                                   clade_no_array(), NULL));
        uint32_t asked[N + HALF];
        for (uint32_t i = 0; i < N + HALF; i++)
            asked[i] = i;
        assert_ok(clade_rbtree_find(tree, clade_host(asked), clade_host(back), N + HALF,
                                    clade_host(found), NULL));
        for (uint32_t i = 0; i < N + HALF; i++) {
            assert_int_equal(found[i], CLADE_OK);
            assert_int_equal(back[i], i < HALF ? i : with_values ? 1000u + i : 0u);
        }
        assert_ok(clade_rbtree_check(tree));
    }
    clade_rbtree_destroy(&tree);
}

static void build_replaces_the_content(void **state)
{
    struct fixture *f = *state;
    enum { N = 300 };
    uint32_t keys[N], values[N], back[N];
    uint64_t got;
    clade_rbtree *tree =
        open_tree(f, (clade_rbtree_params) { .capacity = 250, .value = CLADE_U32 });
    for (uint32_t i = 0; i < N; i++) {
        keys[i] = (i * 7919u) % 200 * 10; /* each of 200 keys once or twice */
        values[i] = i;
    }
    assert_ok(clade_rbtree_build(tree, clade_host(keys), clade_host(values), 0, N, NULL));
    assert_int_equal(stats_of(tree).size, 200);
    assert_ok(clade_rbtree_read(tree, clade_no_array(), clade_host(back), 200, &got, NULL));
    for (uint32_t i = 0; i < 200; i++)
        assert_int_equal(keys[back[i]], i * 10);
    for (uint32_t i = 0; i < 200; i++)
        assert_in_range(back[i], 0, 199); /* the first of two equal ones */
    assert_fails(clade_rbtree_build(tree, clade_host(keys), clade_host(values), 1, N, NULL),
                 CLADE_E_ARG);
    assert_message("ascend");
    assert_int_equal(stats_of(tree).size, 200);
    for (uint32_t i = 0; i < N; i++)
        keys[i] = i / 2;
    assert_ok(clade_rbtree_build(tree, clade_host(keys), clade_host(values), 1, N, NULL));
    assert_int_equal(stats_of(tree).size, N / 2);
    assert_fails(clade_rbtree_read(tree, clade_host(back), clade_no_array(), 10, &got, NULL),
                 CLADE_E_ARG);
    assert_int_equal(got, N / 2);
    assert_ok(clade_rbtree_build(tree, clade_host(keys), clade_host(values), 0, 0, NULL));
    assert_int_equal(stats_of(tree).size, 0);
    clade_rbtree_destroy(&tree);
    tree = open_tree(f, (clade_rbtree_params) { .capacity = 1, .leaf_capacity = 1 });
    for (uint32_t i = 0; i < N; i++)
        keys[i] = i;
    assert_fails(clade_rbtree_build(tree, clade_host(keys), clade_no_array(), 0, N, NULL),
                 CLADE_E_FULL);
    assert_int_equal(stats_of(tree).size, 0);
    clade_rbtree_destroy(&tree);
}

static void reclaim_shrinks_a_sparse_tree(void **state)
{
    struct fixture *f = *state;
    const uint32_t n = (uint32_t)fixture_scaled(150, 5000, 100000);
    uint32_t *keys = test_calloc(n, 4);
    clade_rbtree *tree =
        open_tree(f, (clade_rbtree_params) { .capacity = n, .path = CLADE_RBTREE_CONCURRENT });
    for (uint32_t i = 0; i < n; i++)
        keys[i] = i * 2654435761u;
    assert_ok(
        clade_rbtree_insert(tree, clade_host(keys), clade_no_array(), n, clade_no_array(), NULL));
    const uint64_t full = stats_of(tree).leaves;
    assert_ok(clade_rbtree_erase(tree, clade_host(keys), clade_no_array(), n / 5 * 4,
                                 clade_no_array(), NULL));
    assert_ok(clade_rbtree_reclaim(tree, NULL));
    clade_rbtree_stats stats = stats_of(tree);
    assert_int_equal(stats.size, n - n / 5 * 4);
    assert_in_range(stats.leaves, 1, full / 3);
    assert_int_equal(stats.red_red + stats.overweight + stats.empty_leaves, 0);
    clade_rbtree_destroy(&tree);
    test_free(keys);
}

/* Takes all keys but `kept` out of a tree of 64-bit keys and values in leaves of one key, and
 * leaves the leaves, as erases do that are too busy. */
static void empty_leaves(struct fixture *f, clade_rbtree *tree, uint64_t kept)
{
    enum { LEAF = CLADE_RBTREE_LEAF_BYTES(8u, 8u, 1u), LINK = 4, KEY = 32 };
    clade_rbtree_head head;
    fixture_read(f, clade_rbtree_mem(tree), 0, &head, sizeof head);
    const size_t bytes = (size_t)head.leaves_used * LEAF;
    char *leaves = test_malloc(bytes);
    fixture_read(f, clade_rbtree_mem(tree), (size_t)head.leaves_at * 16, leaves, bytes);
    for (size_t at = 0; at < bytes; at += LEAF) {
        uint32_t link;
        uint64_t key;
        memcpy(&link, leaves + at + LINK, sizeof link);
        memcpy(&key, leaves + at + KEY, sizeof key);
        link -= key != kept ? CLADE_RBTREE_COUNT(link) : 0;
        memcpy(leaves + at + LINK, &link, sizeof link);
    }
    fixture_write(f, clade_rbtree_mem(tree), (size_t)head.leaves_at * 16, leaves, bytes);
    test_free(leaves);
}

/* However many empty leaves there are in a row, nobody else is there: a search ends. */
static void searches_pass_empty_leaves(void **state)
{
    struct fixture *f = *state;
    enum { N = 100, KEPT = 61 };
    uint64_t keys[N];
    clade_rbtree *tree =
        open_tree(f, (clade_rbtree_params) {
                         .capacity = N, .key = CLADE_U64, .value = CLADE_U64, .leaf_capacity = 1 });
    for (uint32_t i = 0; i < N; i++)
        keys[i] = i;
    assert_ok(clade_rbtree_build(tree, clade_host(keys), clade_host(keys), 1, N, NULL));
    empty_leaves(f, tree, KEPT);
    assert_int_equal(stats_of(tree).empty_leaves, N - 1);
    for (uint32_t what = 0; what < 4; what++) {
        const bool up = what == CLADE_RBTREE_LOWER || what == CLADE_RBTREE_NEXT;
        uint64_t found[N], values[N];
        int32_t statuses[N];
        assert_ok(clade_rbtree_seek(tree, clade_host(keys), what, clade_host(found),
                                    clade_host(values), N, clade_host(statuses), NULL));
        for (uint32_t i = 0; i < N; i++) {
            const bool at = what == CLADE_RBTREE_LOWER || what == CLADE_RBTREE_FLOOR;
            const bool fits = (i == KEPT && at) || (up ? i < KEPT : i > KEPT);
            assert_int_equal(statuses[i], fits ? CLADE_OK : CLADE_E_NOT_FOUND);
            assert_true(!fits || (found[i] == KEPT && values[i] == KEPT));
        }
    }
    assert_int_equal(stats_of(tree).busy + stats_of(tree).retries, 0);
    clade_rbtree_destroy(&tree);
}

/* What operations met is counted until the tree is cleared, whoever builds it anew meanwhile: the
 * host of its first keys, or the kernels of a reclaim. */
static void builds_forget_no_counts(void **state)
{
    struct fixture *f = *state;
    enum { N = 40 };
    uint32_t keys[N], counts[CLADE_RBTREE_COUNTERS] = { 0 };
    clade_rbtree *tree = open_tree(f, (clade_rbtree_params) { .capacity = N, .leaf_capacity = 3 });
    counts[CLADE_RBTREE_RETRIES] = 5;
    counts[CLADE_RBTREE_BUSY] = 3;
    counts[CLADE_RBTREE_FULL] = 2;
    fixture_write(f, clade_rbtree_mem(tree), offsetof(clade_rbtree_head, counters), counts,
                  sizeof counts);
    for (uint32_t i = 0; i < N; i++)
        keys[i] = i;
    for (uint32_t call = 0; call < 3; call++) {
        assert_ok(call == 0 ? clade_rbtree_insert(tree, clade_host(keys), clade_no_array(), N,
                                                  clade_no_array(), NULL)
                            : (call == 1 ? clade_rbtree_reclaim : clade_rbtree_clear)(tree, NULL));
        const clade_rbtree_stats stats = stats_of(tree);
        assert_int_equal(stats.size, call < 2 ? N : 0);
        assert_int_equal(stats.retries, call < 2 ? 5 : 0);
        assert_int_equal(stats.busy, call < 2 ? 3 : 0);
        assert_int_equal(stats.full, call < 2 ? 2 : 0);
    }
    clade_rbtree_destroy(&tree);
}

/* A build of no keys is a build as others are: of what earlier calls have to tell it forgets
 * nothing either. */
static void builds_of_no_keys_forget_nothing(void **state)
{
    struct fixture *f = *state;
    enum { N = 64 };
    uint32_t keys[N];
    clade_rbtree_stats stats;
    for (uint32_t i = 0; i < N; i++)
        keys[i] = i;
    cl_mem mem = fixture_buffer(f, sizeof keys, keys);
    clade_rbtree *tree =
        open_tree(f, (clade_rbtree_params) {
                         .capacity = 1, .leaf_capacity = 1, .path = CLADE_RBTREE_CONCURRENT });
    assert_ok(clade_rbtree_insert(tree, clade_device(mem, 0), clade_no_array(), N, clade_no_array(),
                                  NULL));
    assert_ok(clade_rbtree_build(tree, clade_no_array(), clade_no_array(), 0, 0, NULL));
    stats = stats_of(tree);
    assert_int_equal(stats.size, 0);
    assert_true(stats.full > 0);
    uint64_t size;
    assert_fails(clade_rbtree_size(tree, &size), CLADE_E_FULL);
    assert_int_equal(size_of(tree), 0);
    clReleaseMemObject(mem);
    clade_rbtree_destroy(&tree);
}

static void saved_trees_come_back(void **state)
{
    struct fixture *f = *state;
    enum { N = 300 };
    uint64_t keys[N], back[N], got;
    char *folder = scratch_make(), *path = scratch_path(folder, "rbtree");
    clade_rbtree *tree = open_tree(f, (clade_rbtree_params) { .capacity = N, .key = CLADE_U64 });
    for (uint32_t i = 0; i < N; i++)
        keys[i] = i * 0x9e3779b97f4a7c15u;
    assert_ok(
        clade_rbtree_insert(tree, clade_host(keys), clade_no_array(), N, clade_no_array(), NULL));
    assert_ok(clade_rbtree_save(tree, path));
    clade_rbtree_destroy(&tree);
    assert_ok(clade_rbtree_load(&tree, f->context, path));
    assert_ok(clade_rbtree_read(tree, clade_host(back), clade_no_array(), N, &got, NULL));
    assert_int_equal(got, N);
    for (uint32_t i = 1; i < N; i++)
        assert_true(back[i - 1] < back[i]);
    assert_ok(clade_rbtree_clear(tree, NULL));
    assert_int_equal(stats_of(tree).size, 0);
    clade_rbtree_destroy(&tree);
    assert_int_equal(truncate(path, 100), 0);
    assert_fails(clade_rbtree_load(&tree, f->context, path), CLADE_E_CORRUPT);
    assert_null(tree);
    free(path);
    scratch_remove(folder);
}

/* A tree as a file may have it: routers 1 .. leaves - 1 in a row, each red below the one before. */
static void make_a_chain(struct fixture *f, clade_rbtree *tree, uint32_t leaves, uint32_t rank,
                         bool leaks)
{
    enum { MOST = 256, ROUTER = 4, LEAF = CLADE_RBTREE_LEAF_BYTES(4, 0, 1) / 4 };
    uint32_t routers[MOST][ROUTER] = { 0 }, nodes[MOST][LEAF] = { 0 };
    clade_rbtree_head head;
    fixture_read(f, clade_rbtree_mem(tree), 0, &head, sizeof head);
    head.leaves_used = head.unbalanced = leaves;
    head.counters[CLADE_RBTREE_MERGES] = 1;
    head.routers_used = leaks ? head.router_total - 1 : leaves;
    head.leaked = head.routers_used - leaves;
    for (uint32_t i = 0; i < leaves; i++) {
        const bool is_last = i + 1 == leaves;
        const uint32_t leaf[] = { 0, CLADE_RBTREE_PACK(0, 1), i, is_last ? UINT32_MAX : i, i };
        const uint32_t router[] = { i + 1, CLADE_RBTREE_LEAF_LINK(i),
                                    i + 2 < leaves ? (i + 2) << 1 : CLADE_RBTREE_LEAF_LINK(i + 1),
                                    rank * CLADE_RBTREE_RANK_ONE };
        memcpy(nodes[i], leaf, sizeof leaf);
        if (!is_last)
            memcpy(routers[i + 1], router, sizeof router);
    }
    const uint32_t sentinel[] = { 0, 1 << 1, CLADE_RBTREE_NO_LINK,
                                  CLADE_RBTREE_RANK_TOP * CLADE_RBTREE_RANK_ONE };
    memcpy(routers[0], sentinel, sizeof sentinel);
    fixture_write(f, clade_rbtree_mem(tree), 0, &head, sizeof head);
    fixture_write(f, clade_rbtree_mem(tree), head.routers_at * 16ull, routers,
                  leaves * sizeof routers[0]);
    fixture_write(f, clade_rbtree_mem(tree), head.leaves_at * 16ull, nodes,
                  leaves * sizeof nodes[0]);
}

/* Walks in kernels end after 200 routers: what is deeper would never be found. */
static void files_of_trees_that_are_too_deep(void **state)
{
    struct fixture *f = *state;
    char *folder = scratch_make(), *path = scratch_path(folder, "deep");
    for (uint32_t leaves = 201; leaves <= 202; leaves++) {
        const uint32_t last = leaves - 1;
        int32_t status = 1;
        clade_rbtree *loaded = NULL,
                     *tree = open_tree(
                         f, (clade_rbtree_params) { .capacity = 202, .leaf_capacity = 1 });
        make_a_chain(f, tree, leaves, 1, false);
        assert_int_equal(stats_of(tree).height, last);
        assert_ok(clade_rbtree_save(tree, path));
        if (leaves == 202) {
            assert_fails(clade_rbtree_load(&loaded, f->context, path), CLADE_E_CORRUPT);
            assert_message("201 routers");
        } else {
            assert_ok(clade_rbtree_load(&loaded, f->context, path));
            assert_ok(clade_rbtree_find(loaded, clade_host(&last), clade_no_array(), 1,
                                        clade_host(&status), NULL));
            assert_int_equal(status, CLADE_OK);
        }
        clade_rbtree_destroy(&loaded);
        clade_rbtree_destroy(&tree);
    }
    free(path);
    scratch_remove(folder);
}

/* Where all routers leaked but one, where violations were given up, where ranks are used up: paths
 * would only grow, and an insert's key would then be beyond what walks reach. */
static void files_of_trees_that_cannot_be_balanced(void **state)
{
    struct fixture *f = *state;
    static const struct {
        uint32_t leaves, rank;
        bool leaks;
    } cases[] = { { 2, 1, true }, { 201, 1, false }, { 2, 30, false }, { 201, 30, true } };
    char *folder = scratch_make(), *path = scratch_path(folder, "strained");
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const uint32_t keys[] = { cases[i].leaves - 1, 1000 }, more = 1000;
        int32_t statuses[2] = { 1, 1 };
        clade_rbtree *loaded = NULL,
                     *tree = open_tree(
                         f, (clade_rbtree_params) { .capacity = 202, .leaf_capacity = 1 });
        make_a_chain(f, tree, cases[i].leaves, cases[i].rank, cases[i].leaks);
        assert_ok(clade_rbtree_save(tree, path));
        assert_ok(clade_rbtree_load(&loaded, f->context, path));
        const clade_rbtree_stats stats = stats_of(loaded);
        assert_true(stats.leaked == 0 && stats.red_red == 0 && stats.black_height <= 8);
        assert_int_equal(stats.size, cases[i].leaves);
        assert_ok(clade_rbtree_insert(loaded, clade_host(&more), clade_no_array(), 1,
                                      clade_no_array(), NULL));
        assert_ok(clade_rbtree_find(loaded, clade_host(keys), clade_no_array(), 2,
                                    clade_host(statuses), NULL));
        assert_true(statuses[0] == CLADE_OK && statuses[1] == CLADE_OK);
        clade_rbtree_destroy(&loaded);
        clade_rbtree_destroy(&tree);
    }
    free(path);
    scratch_remove(folder);
}

static void device_arrays_from_an_offset(void **state)
{
    struct fixture *f = *state;
    enum { N = 64 };
    uint32_t keys[2 * N], values[N] = { 0 };
    for (uint32_t i = 0; i < 2 * N; i++)
        keys[i] = i;
    clade_rbtree *tree =
        open_tree(f, (clade_rbtree_params) { .capacity = 2 * N, .value = CLADE_U32 });
    cl_mem mem = fixture_buffer(f, sizeof keys, keys),
           out = fixture_buffer(f, sizeof values, values);
    cl_event event = NULL;
    const clade_launch launch = { .event = &event };
    assert_ok(clade_rbtree_insert(tree, clade_device(mem, 4 * N), clade_device(mem, 0), N,
                                  clade_no_array(), &launch));
    assert_non_null(event);
    assert_int_equal(clWaitForEvents(1, &event), CL_SUCCESS);
    clReleaseEvent(event);
    assert_ok(clade_rbtree_find(tree, clade_device(mem, 4 * N), clade_device(out, 0), N,
                                clade_no_array(), NULL));
    fixture_read(f, out, 0, values, sizeof values);
    for (uint32_t i = 0; i < N; i++)
        assert_int_equal(values[i], i);
    assert_fails(clade_rbtree_find(tree, clade_device(mem, 4 * N + 4), clade_no_array(), N,
                                   clade_no_array(), NULL),
                 CLADE_E_ARG);
    assert_int_equal(size_of(tree), N);
    clade_rbtree_destroy(&tree);
    clReleaseMemObject(mem);
    clReleaseMemObject(out);
}

/* On a device with buffers of any size: places within a tree are 32 bits, of 16 bytes each. One
 * that is larger would have its routers elsewhere. */
static void trees_beyond_64_gib_are_refused(void **state)
{
    struct fixture *f = *state;
    clade_caps *caps = (clade_caps *)(uintptr_t)f->caps;
    const uint64_t was = caps->alloc_bytes_max;
    clade_rbtree *tree = NULL;
    const clade_rbtree_params params = {
        .capacity = 2500000000u, .key = CLADE_U64, .value = CLADE_U64, .leaf_capacity = 30
    };
    caps->alloc_bytes_max = (uint64_t)1 << 40;
    const clade_status status = clade_rbtree_create(&tree, f->context, &params);
    caps->alloc_bytes_max = was;
    clade_rbtree_destroy(&tree);
    assert_int_equal(status, CLADE_E_ARG);
    assert_message("64 GiB");
}

static void wrong_arguments_are_refused(void **state)
{
    struct fixture *f = *state;
    clade_rbtree *tree = NULL;
    uint32_t one = 1;
    const clade_rbtree_params wrong[] = {
        { .capacity = 0 },
        { .capacity = 10, .key = CLADE_F32 },
        { .capacity = 10, .value = 7 },
        { .capacity = 10, .leaf_capacity = 31 },
        { .capacity = 10, .path = 4 },
        { .capacity = 10, .ranked = 2 },
        { .capacity = 10, .group_size = 100000 },
        { .capacity = 1ull << 40 },
    };
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        assert_fails(clade_rbtree_create(&tree, f->context, &wrong[i]), CLADE_E_ARG);
        assert_null(tree);
    }
    assert_fails(clade_rbtree_create(NULL, f->context, &wrong[0]), CLADE_E_ARG);
    assert_fails(
        clade_rbtree_insert(NULL, clade_host(&one), clade_no_array(), 1, clade_no_array(), NULL),
        CLADE_E_ARG);
    tree = open_tree(f, (clade_rbtree_params) { .capacity = 10 });
    assert_fails(
        clade_rbtree_insert(tree, clade_host(&one), clade_host(&one), 1, clade_no_array(), NULL),
        CLADE_E_ARG);
    assert_message("no values");
    assert_fails(
        clade_rbtree_insert(tree, clade_no_array(), clade_no_array(), 1, clade_no_array(), NULL),
        CLADE_E_ARG);
    assert_fails(clade_rbtree_range(tree, clade_host(&one), clade_host(&one), UINT32_MAX,
                                    clade_host(&one), clade_no_array(), clade_host(&one), 1u << 30,
                                    NULL),
                 CLADE_E_ARG); /* 2^62 places */
    assert_fails(clade_rbtree_rank(NULL, clade_host(&one), clade_host(&one), 1, NULL), CLADE_E_ARG);
    assert_fails(clade_rbtree_rank(tree, clade_host(&one), clade_no_array(), 1, NULL), CLADE_E_ARG);
    assert_message("ranks");
    assert_fails(clade_rbtree_select(tree, clade_host(&one), clade_no_array(), clade_no_array(), 1,
                                     clade_no_array(), NULL),
                 CLADE_E_ARG);
    assert_fails(clade_rbtree_select(tree, clade_host(&one), clade_host(&one), clade_host(&one), 1,
                                     clade_no_array(), NULL),
                 CLADE_E_ARG);
    assert_message("no values");
    /* An empty tree: nothing is less, and there is no first. */
    uint32_t rank = 7, key = 7;
    int32_t status = 0;
    assert_ok(clade_rbtree_rank(tree, clade_host(&one), clade_host(&rank), 1, NULL));
    assert_int_equal(rank, 0);
    assert_ok(clade_rbtree_select(tree, clade_host(&rank), clade_host(&key), clade_no_array(), 1,
                                  clade_host(&status), NULL));
    assert_int_equal(status, CLADE_E_NOT_FOUND);
    clade_rbtree_destroy(&tree);
    clade_rbtree_destroy(&tree);
    clade_rbtree_destroy(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wrong_arguments_are_refused),
        cmocka_unit_test(trees_beyond_64_gib_are_refused),
        cmocka_unit_test(trees_of_few_keys),
        cmocka_unit_test(first_keys_of_all_types),
        cmocka_unit_test(first_keys_and_further_ones),
        cmocka_unit_test(ranked_trees_begin_with_kernels),
        cmocka_unit_test(a_key_takes_at_most_16_bytes),
        cmocka_unit_test(a_bad_order_fits_as_well),
        cmocka_unit_test(routers_begin_where_they_can_be_filled),
        cmocka_unit_test(orders_one_by_one),
        cmocka_unit_test(orders_by_groups),
        cmocka_unit_test(orders_in_bulk),
        cmocka_unit_test(few_keys_in_large_batches),
        cmocka_unit_test(few_keys_beyond_the_room),
        cmocka_unit_test(all_types_as_the_model),
        cmocka_unit_test(full_is_a_status_of_the_items_that_did_not_fit),
        cmocka_unit_test(bulk_put_replaces_values),
        cmocka_unit_test(build_replaces_the_content),
        cmocka_unit_test(reclaim_shrinks_a_sparse_tree),
        cmocka_unit_test(searches_pass_empty_leaves),
        cmocka_unit_test(builds_forget_no_counts),
        cmocka_unit_test(builds_of_no_keys_forget_nothing),
        cmocka_unit_test(saved_trees_come_back),
        cmocka_unit_test(files_of_trees_that_are_too_deep),
        cmocka_unit_test(files_of_trees_that_cannot_be_balanced),
        cmocka_unit_test(device_arrays_from_an_offset),
    };
    return fixture_run("rbtree", tests);
}

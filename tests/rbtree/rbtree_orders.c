/* SPDX-License-Identifier: Apache-2.0 */
/* clade_rbtree: 32-bit keys in adversarial orders, by each path, and how much room they take. */
#include "rbtree/test_rbtree.h"

enum order { ASCENDING, DESCENDING, ZIGZAG, BIT_REVERSED, ALL_EQUAL, RANDOM, ORDERS };

static uint32_t key_in(enum order order, uint32_t i, uint32_t n)
{
    uint32_t reversed = 0;
    switch (order) {
    case ASCENDING:
        return i;
    case DESCENDING:
        return 0xffffffffu - i;
    case ZIGZAG:
        return i & 1u ? 0x80000000u + i : 0x80000000u - i;
    case BIT_REVERSED:
        for (uint32_t bit = 0; bit < 32; bit++)
            reversed |= (i >> bit & 1u) << (31 - bit);
        return reversed;
    case ALL_EQUAL:
        return n;
    default: /* a bijection that looks random */
        i = (i ^ i >> 16) * 0x7feb352du;
        i = (i ^ i >> 15) * 0x846ca68bu;
        return i ^ i >> 16;
    }
}

static void fill_then_empty(clade_rbtree *tree, enum order order, uint32_t n)
{
    uint32_t *keys = test_calloc(n, 4), *values = test_calloc(n, 4), *back = test_calloc(n, 4);
    int32_t *statuses = test_calloc(n, 4);
    const uint32_t unique = order == ALL_EQUAL ? 1 : n;
    for (uint32_t i = 0; i < n; i++) {
        keys[i] = key_in(order, i, n);
        values[i] = keys[i] ^ 0x5a5a5a5au;
    }
    assert_ok(clade_rbtree_insert(tree, clade_host(keys), clade_host(values), n,
                                  clade_host(statuses), NULL));
    uint32_t new_ones = 0;
    for (uint32_t i = 0; i < n; i++) {
        assert_true(statuses[i] == CLADE_OK || statuses[i] == CLADE_RBTREE_PRESENT);
        new_ones += statuses[i] == CLADE_OK;
    }
    assert_int_equal(new_ones, unique);
    assert_int_equal(stats_of(tree).size, unique);
    assert_ok(
        clade_rbtree_find(tree, clade_host(keys), clade_host(back), n, clade_host(statuses), NULL));
    for (uint32_t i = 0; i < n; i++) {
        assert_int_equal(statuses[i], CLADE_OK);
        assert_int_equal(back[i], values[i]);
    }
    /* Every second key, then the others: the odd places of the array. */
    for (uint32_t odd = 0; odd < 2 && order != ALL_EQUAL; odd++) {
        uint32_t m = 0;
        for (uint32_t i = odd; i < n; i += 2)
            back[m++] = keys[i];
        assert_ok(clade_rbtree_erase(tree, clade_host(back), clade_no_array(), m,
                                     clade_host(statuses), NULL));
        for (uint32_t i = 0; i < m; i++)
            assert_int_equal(statuses[i], CLADE_OK);
        assert_int_equal(stats_of(tree).size, odd ? 0 : n - m);
    }
    if (order == ALL_EQUAL)
        assert_ok(clade_rbtree_erase(tree, clade_host(keys), clade_no_array(), n, clade_no_array(),
                                     NULL));
    clade_rbtree_stats stats = stats_of(tree);
    assert_int_equal(stats.size, 0);
    assert_in_range(stats.leaves, 1, 1 + n / 50); /* empty leaves go, but for a few under strife */
    test_free(keys);
    test_free(values);
    test_free(back);
    test_free(statuses);
}

/* A simulator, or a driver that ends loops. */
static bool is_slow(const struct fixture *f)
{
    return f->caps->loop_limit || fixture_is_interpreted(f);
}

static void orders_through_a_path(struct fixture *f, uint32_t path)
{
    const uint32_t capacities[] = { 1, 6, 14 };
    const uint32_t n = (uint32_t)fixture_scaled(40, 3000, 200000);
    /* A bulk call is two dozen launches. */
    const bool is_long = path == CLADE_RBTREE_BULK && fixture_is_small() && is_slow(f);
    for (size_t c = is_long ? 2 : 0; c < 3; c++) {
        clade_rbtree *tree = open_tree(f, (clade_rbtree_params) { .capacity = 2 * n,
                                                                  .value = CLADE_U32,
                                                                  .leaf_capacity = capacities[c],
                                                                  .path = path });
        for (int order = 0; order < ORDERS; order++) /* and so refilled after it was empty */
            fill_then_empty(tree, (enum order)order, n);
        clade_rbtree_destroy(&tree);
    }
}

void orders_one_by_one(void **state)
{
    orders_through_a_path(*state, CLADE_RBTREE_CONCURRENT);
}

void orders_by_groups(void **state)
{
    orders_through_a_path(*state, CLADE_RBTREE_GROUPS);
}

void orders_in_bulk(void **state)
{
    orders_through_a_path(*state, CLADE_RBTREE_BULK);
}

/* As many keys as the tree was made for go in, in any order, and its buffer has 16 bytes for each.
 */
void a_key_takes_at_most_16_bytes(void **state)
{
    struct fixture *f = *state;
    /* Head and spare nodes are a few KiB: more than the rest saves when keys are few. */
    const uint32_t n =
        (uint32_t)fixture_scaled(is_slow(f) ? fixture_fewer(f, 2000) : 100000, 100000, 4000000);
    const uint32_t paths[] = { CLADE_RBTREE_CONCURRENT, CLADE_RBTREE_GROUPS, CLADE_RBTREE_BULK };
    uint32_t *keys = test_calloc(n, 4);
    for (size_t p = 0; p < (fixture_is_small() ? 1 : 3); p++)
        for (int order = ASCENDING; order < ORDERS; order++) {
            size_t bytes;
            if (order == ALL_EQUAL || (fixture_is_small() && order != ASCENDING && order != RANDOM))
                continue;
            clade_rbtree *tree = open_tree(
                f, (clade_rbtree_params) { .capacity = n, .value = CLADE_U32, .path = paths[p] });
            for (uint32_t i = 0; i < n; i++)
                keys[i] = key_in((enum order)order, i, n);
            assert_int_equal(
                clGetMemObjectInfo(clade_rbtree_mem(tree), CL_MEM_SIZE, sizeof bytes, &bytes, NULL),
                CL_SUCCESS);
            assert_true(n < 100000 || bytes <= 16ull * n);
            assert_ok(clade_rbtree_insert(tree, clade_host(keys), clade_host(keys), n,
                                          clade_no_array(), NULL));
            const clade_rbtree_stats stats = stats_of(tree);
            assert_int_equal(stats.size, n);
            if (order == RANDOM && bytes <= 16ull * n)
                print_message("%.2f bytes a key, %.2f of them in use\n", (double)bytes / n,
                              144. * (double)stats.leaves / n);
            clade_rbtree_destroy(&tree);
        }
    test_free(keys);
}

/* Below one great key ascending ones leave every leaf half full, and the pool is made for fuller
 * ones: the calls pack them. Twice as many are too many, even so. */
void a_bad_order_fits_as_well(void **state)
{
    struct fixture *f = *state;
    enum { N = 800 };
    const uint32_t n = fixture_is_interpreted(f) ? 240 : N, more = n;
    const uint32_t step = fixture_is_small() ? 80 : 8;
    static const uint32_t paths[] = { CLADE_RBTREE_CONCURRENT, CLADE_RBTREE_GROUPS };
    uint32_t keys[2 * N], values[2 * N];
    int32_t statuses[2 * N];
    for (uint32_t i = 0; i < n + more; i++)
        keys[i] = i == 0 ? 0xffffffffu : i + 7;
    for (uint32_t p = 0; p < 4; p += !fixture_is_small() ? 1 : is_slow(f) ? 4 : 3) {
        const bool tells = p >= 2;
        clade_rbtree *tree = open_tree(
            f, (clade_rbtree_params) { .capacity = n, .value = CLADE_U32, .path = paths[p % 2] });
        for (uint32_t i = 0; i < n; i += step) { /* few at a time: in this order on all devices */
            assert_ok(clade_rbtree_insert(tree, clade_host(keys + i), clade_host(keys + i), step,
                                          tells ? clade_host(statuses + i) : clade_no_array(),
                                          NULL));
            for (uint32_t j = i; tells && j < i + step; j++)
                assert_int_equal(statuses[j], CLADE_OK);
        }
        assert_int_equal(stats_of(tree).size, n);
        assert_ok(clade_rbtree_insert(tree, clade_host(keys), clade_host(keys), n + more,
                                      clade_host(statuses), NULL));
        uint32_t fitted = 0;
        for (uint32_t i = 0; i < n + more; i++) {
            assert_true(i < n ? statuses[i] == CLADE_RBTREE_PRESENT
                              : statuses[i] == CLADE_OK || statuses[i] == CLADE_E_FULL);
            fitted += statuses[i] == CLADE_OK;
        }
        assert_in_range(fitted, 0, more - 1);
        assert_int_equal(stats_of(tree).size, n + fitted);
        assert_ok(clade_rbtree_find(tree, clade_host(keys), clade_host(values), n, clade_no_array(),
                                    NULL));
        assert_memory_equal(values, keys, n * sizeof *keys);
        assert_ok(clade_rbtree_check(tree));
        clade_rbtree_destroy(&tree);
    }
}

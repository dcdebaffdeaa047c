/* SPDX-License-Identifier: Apache-2.0 */
/* The tree: what fits, and no more (tests/refusals/refusals.h). */
#include "refusals/refusals.h"

#include <clade/rbtree.h>

/* Keys that are all different, in an order of their own: `salt` is odd. */
static void make_keys(uint32_t *keys, uint32_t count, uint32_t salt, bool ascend)
{
    for (uint32_t i = 0; i < count; i++)
        keys[i] = ascend ? salt + i : (i + salt) * 2654435761u;
}

/* Calls that wait take `capacity` keys in any order, after anything. What more they take they have,
 * and what they refuse they have not. */
static void fill_tree(clade_rbtree *tree, uint32_t capacity, uint32_t salt, bool ascend)
{
    const uint32_t most = 4 * capacity + 600;
    uint32_t *keys = test_calloc(most, 4), taken = 0;
    int32_t *statuses = test_calloc(most, 4), *found = test_calloc(most, 4);
    uint64_t size;
    assert_ok(clade_rbtree_clear(tree, NULL));
    make_keys(keys, most, salt, ascend);
    const uint32_t parts[] = { capacity / 2, capacity - capacity / 2 };
    for (uint32_t part = 0, at = 0; part < 2; at += parts[part++])
        assert_ok(clade_rbtree_insert(tree, clade_host(keys + at), NONE, parts[part], NONE, NULL));
    assert_ok(clade_rbtree_insert(tree, clade_host(keys + capacity), NONE, most - capacity,
                                  clade_host(statuses + capacity), NULL));
    assert_ok(clade_rbtree_check(tree));
    assert_ok(clade_rbtree_find(tree, clade_host(keys), NONE, most, clade_host(found), NULL));
    for (uint32_t i = 0; i < most; i++) {
        if (i >= capacity)
            assert_true(statuses[i] == CLADE_OK || statuses[i] == CLADE_E_FULL);
        const bool is_in = i < capacity || statuses[i] == CLADE_OK;
        assert_int_equal(found[i], is_in ? CLADE_OK : CLADE_E_NOT_FOUND);
        taken += is_in;
    }
    assert_true(taken < most);
    assert_ok(clade_rbtree_size(tree, &size));
    assert_int_equal(size, taken);
    /* Erase every other one, fill up again: what fitted fits. */
    for (uint32_t i = 0; i < capacity / 2; i++)
        keys[i] = keys[2 * i];
    assert_ok(clade_rbtree_erase(tree, clade_host(keys), NONE, capacity / 2, NONE, NULL));
    assert_ok(clade_rbtree_insert(tree, clade_host(keys), NONE, capacity / 2, NONE, NULL));
    assert_ok(clade_rbtree_size(tree, &size));
    assert_int_equal(size, taken);
    assert_ok(clade_rbtree_check(tree));
    test_free(keys), test_free(statuses), test_free(found);
}

static void trees_take_what_fits(void **state)
{
    struct fixture *f = *state;
    fixture_compiles_long(f);
    static const uint32_t capacities[] = { 1, 2, 33, 257, 3000 };
    static const uint32_t paths[] = { CLADE_RBTREE_CONCURRENT, CLADE_RBTREE_GROUPS,
                                      CLADE_RBTREE_BULK, CLADE_RBTREE_AUTO };
    for (size_t i = 0; i < 5; i++)
        for (size_t p = 0; p < 4; p++) {
            clade_rbtree *tree;
            assert_ok(clade_rbtree_create(
                &tree, f->context,
                &(clade_rbtree_params) { .capacity = capacities[i], .path = paths[p] }));
            for (uint32_t turn = 0; turn < 3; turn++)
                fill_tree(tree, capacities[i], 1 + 2 * turn, turn == 1);
            clade_rbtree_destroy(&tree);
        }
}

const struct CMUnitTest rbtree_full[] = {
    cmocka_unit_test(trees_take_what_fits),
    { 0 },
};

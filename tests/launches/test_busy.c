/* SPDX-License-Identifier: Apache-2.0 */
/* Calls whose items are in each other's way at their only try: the items that gave up run again, by
 * one item, in nobody's way. On a device that runs the items of a group in lock-step (llvmpipe) a
 * group of them would meet the same locks again. */
#include <clade/hashmap.h>
#include <clade/rbtree.h>

#include "harness/fixture.h"

enum { KEYS = 64 };

static clade_context *open_context(const char *options)
{
    clade_context *context;
    const clade_context_params params = { .device = fixture_device(), .build_options = options };
    assert_ok(clade_context_create(&context, &params));
    return context;
}

static void trees_take_all_keys(void **state)
{
    uint32_t keys[KEYS];
    clade_rbtree *tree;
    clade_rbtree_stats stats;
    const clade_rbtree_params params = { .capacity = 4 * KEYS,
                                         .key = CLADE_U32,
                                         .leaf_capacity = 1,
                                         .path = CLADE_RBTREE_CONCURRENT,
                                         .group_size = KEYS };
    clade_context *context = open_context("-DCLADE_RBTREE_TRIES=1u");
    (void)state;
    for (uint32_t i = 0; i < KEYS; i++)
        keys[i] = i;
    assert_ok(clade_rbtree_create(&tree, context, &params));
    assert_ok(clade_rbtree_insert(tree, clade_host(keys), clade_no_array(), KEYS, clade_no_array(),
                                  NULL));
    assert_ok(clade_rbtree_stats_read(tree, &stats));
    assert_int_equal(stats.size, KEYS);
    assert_ok(
        clade_rbtree_erase(tree, clade_host(keys), clade_no_array(), KEYS, clade_no_array(), NULL));
    assert_ok(clade_rbtree_stats_read(tree, &stats));
    assert_int_equal(stats.size, 0);
    assert_ok(clade_rbtree_check(tree));
    clade_rbtree_destroy(&tree);
    clade_context_destroy(&context);
}

/* So many items give up that a driver that ends loops leaves the one that runs them again: 4 tries
 * do it on llvmpipe. Each key is in if its status says so; without statuses the call tells. */
static void what_is_left_is_told(void **state)
{
    enum { MANY = 20000 };
    uint32_t *keys = malloc(MANY * sizeof *keys);
    int32_t *statuses = malloc(MANY * sizeof *statuses), *there = malloc(MANY * sizeof *there);
    clade_rbtree *tree;
    uint32_t in = 0;
    uint64_t size;
    const clade_rbtree_params params = {
        .capacity = 4 * MANY, .key = CLADE_U32, .leaf_capacity = 1, .path = CLADE_RBTREE_CONCURRENT
    };
    clade_context *context = open_context("-DCLADE_RBTREE_TRIES=4u");
    (void)state;
    for (uint32_t i = 0; i < MANY; i++)
        keys[i] = i;
    assert_ok(clade_rbtree_create(&tree, context, &params));
    assert_ok(clade_rbtree_insert(tree, clade_host(keys), clade_no_array(), MANY,
                                  clade_host(statuses), NULL));
    assert_ok(
        clade_rbtree_find(tree, clade_host(keys), clade_no_array(), MANY, clade_host(there), NULL));
    for (uint32_t i = 0; i < MANY; i++) {
        assert_true(statuses[i] == CLADE_OK || statuses[i] == CLADE_E_BUSY);
        if (there[i] != CLADE_E_BUSY) /* finds have 4 tries, too */
            assert_int_equal(statuses[i] == CLADE_OK, there[i] == CLADE_OK);
        in += statuses[i] == CLADE_OK;
    }
    assert_ok(clade_rbtree_size(tree, &size));
    assert_int_equal(size, in);
    print_message("%u keys are in, %u are busy\n", in, MANY - in);
    const clade_status status =
        clade_rbtree_erase(tree, clade_host(keys), clade_no_array(), MANY, clade_no_array(), NULL);
    assert_ok(clade_rbtree_size(tree, &size));
    assert_int_equal(status, size > 0 ? CLADE_E_BUSY : CLADE_OK);
    clade_rbtree_destroy(&tree);
    clade_context_destroy(&context);
    free(keys);
    free(statuses);
    free(there);
}

/* All keys want places beside one another. */
static void maps_take_all_keys(void **state)
{
    uint32_t keys[KEYS];
    clade_hashmap *map;
    const clade_hashmap_params params = {
        .capacity = KEYS, .key = CLADE_U32, .value = CLADE_U32, .group_size = KEYS
    };
    clade_context *context = open_context("-DCLADE_HASHMAP_TRIES=1u");
    (void)state;
    for (uint32_t i = 0; i < KEYS; i++)
        keys[i] = i;
    assert_ok(clade_hashmap_create(&map, context, &params));
    assert_ok(clade_hashmap_insert(map, clade_host(keys), clade_host(keys), KEYS, clade_no_array(),
                                   NULL));
    assert_ok(
        clade_hashmap_erase(map, clade_host(keys), clade_no_array(), KEYS, clade_no_array(), NULL));
    assert_ok(clade_hashmap_check(map));
    clade_hashmap_destroy(&map);
    clade_context_destroy(&context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(trees_take_all_keys),
        cmocka_unit_test(what_is_left_is_told),
        cmocka_unit_test(maps_take_all_keys),
    };
    return fixture_run("busy", tests);
}

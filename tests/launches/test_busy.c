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
        cmocka_unit_test(maps_take_all_keys),
    };
    return fixture_run("busy", tests);
}

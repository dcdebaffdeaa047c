/* SPDX-License-Identifier: Apache-2.0 */
/* What lasts between releases: the tree (tests/abi/abi.h). */
#include "abi/abi.h"

#include <clade/rbtree.h>

SIZE(clade_rbtree_params, 96);
AT(clade_rbtree_params, capacity, 0);
AT(clade_rbtree_params, key, 8);
AT(clade_rbtree_params, value, 12);
AT(clade_rbtree_params, leaf_capacity, 16);
AT(clade_rbtree_params, path, 20);
AT(clade_rbtree_params, group_size, 24);
AT(clade_rbtree_params, ranked, 28);

SIZE(clade_rbtree_stats, 224);
AT(clade_rbtree_stats, size, 0);
AT(clade_rbtree_stats, capacity, 8);
AT(clade_rbtree_stats, leaves, 16);
AT(clade_rbtree_stats, leaves_total, 24);
AT(clade_rbtree_stats, routers, 32);
AT(clade_rbtree_stats, empty_leaves, 40);
AT(clade_rbtree_stats, height, 48);
AT(clade_rbtree_stats, black_height, 52);
AT(clade_rbtree_stats, red, 56);
AT(clade_rbtree_stats, red_red, 64);
AT(clade_rbtree_stats, overweight, 72);
AT(clade_rbtree_stats, unbalanced, 80);
AT(clade_rbtree_stats, leaked, 88);
AT(clade_rbtree_stats, splits, 96);
AT(clade_rbtree_stats, promotions, 104);
AT(clade_rbtree_stats, rotations, 112);
AT(clade_rbtree_stats, merges, 120);
AT(clade_rbtree_stats, retries, 128);
AT(clade_rbtree_stats, busy, 136);
AT(clade_rbtree_stats, full, 144);
AT(clade_rbtree_stats, bytes, 152);
AT(clade_rbtree_stats, shared, 160);

static void structs(struct fixture *f)
{
    assert_null(clade_rbtree_mem(NULL));
    assert_fails(clade_rbtree_check(NULL), CLADE_E_ARG);
    assert_null(clade_rbtree_options(NULL));
    CREATE_REFUSES(rbtree, .capacity = 10);
    CREATED_STATS_ARE_ZEROED(rbtree, .capacity = 10);
}

static void shapes(meet_shape *meet)
{
    static const uint32_t keys[] = { CLADE_I32, CLADE_U32, CLADE_I64, CLADE_U64 };
    for (int k = 0; k < 4; k++)
        for (uint32_t value = 0; value <= 8; value += 4)
            for (uint32_t leaf = 1; leaf <= CLADE_RBTREE_LEAF_CAPACITY_MAX; leaf++) {
                meet(CLADE_RBTREE_SHAPE(keys[k], value, leaf));
                meet(CLADE_RBTREE_SHAPE(keys[k], value, leaf) | CLADE_RBTREE_SHAPE_RANKED);
            }
}

static const uint32_t places[] = { CLADE_RBTREE_LAYOUT(PLACE) };
const struct abi rbtree_abi = { "rbtree", structs, shapes, LAYOUT(RBTREE) };

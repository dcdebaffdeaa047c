/* SPDX-License-Identifier: Apache-2.0 */
/* The tree, as kernels use it (tests/fuzz/use.h). */
#define CLADE_RBTREE_TRIES 200u
#include "host/device.h"

#include "rbtree/words.h"

#define CLADE_RBTREE_LEAF_CAPACITY 3
#include "clade/rbtree.clh"

#define CLADE_RBTREE               ranked
#define CLADE_RBTREE_LEAF_CAPACITY 3
#define CLADE_RBTREE_RANKED        1
#include "clade/rbtree.clh"
#undef min
#undef max

#include "fuzz/use.h"
#include "rbtree/fuzz.h"

enum { KEYS = 60 };

void use_rbtree(void *tree, uint32_t state, uint32_t steps)
{
    uint keys[8], values[8], count;
    while (steps-- > 0) {
        const uint what = use_begin(&state) % 10u;
        uint key = use_draw(&state) % KEYS, value = state;
        if (what < 3u)
            clade_rbtree_insert_wi(tree, key, value);
        else if (what == 3u)
            clade_rbtree_put_wi(tree, key, value);
        else if (what < 6u)
            clade_rbtree_erase_wi(tree, key, &value);
        else if (what == 6u)
            clade_rbtree_find_wi(tree, key, &value);
        else if (what == 7u)
            clade_rbtree_successor_wi(tree, &key, &value);
        else if (what == 8u)
            clade_rbtree_predecessor_wi(tree, &key, &value);
        else
            clade_rbtree_range_wi(tree, key, key + 9u, 8u, keys, values, &count);
    }
}

void use_ranked(void *tree, uint32_t state, uint32_t steps)
{
    while (steps-- > 0) {
        const uint what = use_begin(&state) % 8u;
        uint key = use_draw(&state) % KEYS, value = state, rank = state % 40u;
        if (what < 3u)
            ranked_insert_wi(tree, key, value);
        else if (what < 6u)
            ranked_erase_wi(tree, key, &value);
        else if (what == 6u)
            ranked_rank_wi(tree, key, &rank);
        else
            ranked_select_wi(tree, rank, &key, &value);
    }
}

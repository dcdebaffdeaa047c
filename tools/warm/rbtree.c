/* SPDX-License-Identifier: Apache-2.0 */
/* `clade warm`: the tree. */
#include "warm/warm.h"

/* The host puts the first keys in by itself (lib/rbtree/first.c): so there are more. */
clade_status warm_rbtree(clade_context *context)
{
    const int keys[WARM_KEYS] = { 3, 1, 2 }, lows[1] = { 1 }, highs[1] = { 3 };
    int found[WARM_KEYS];
    uint32_t counts[1];
    clade_rbtree *tree = NULL;
    clade_status status =
        clade_rbtree_create(&tree, context, &(clade_rbtree_params) { .capacity = 1000 });
    if (status == CLADE_OK)
        status = clade_rbtree_insert(tree, clade_host(keys), clade_no_array(), WARM_KEYS,
                                     clade_no_array(), NULL);
    if (status == CLADE_OK)
        status = clade_rbtree_insert(tree, clade_host(keys), clade_no_array(), WARM_KEYS,
                                     clade_no_array(), NULL);
    if (status == CLADE_OK)
        status = clade_rbtree_find(tree, clade_host(keys), clade_no_array(), WARM_KEYS,
                                   clade_no_array(), NULL);
    if (status == CLADE_OK)
        status =
            clade_rbtree_range(tree, clade_host(lows), clade_host(highs), WARM_KEYS,
                               clade_host(found), clade_no_array(), clade_host(counts), 1, NULL);
    if (status == CLADE_OK)
        status = clade_rbtree_erase(tree, clade_host(keys), clade_no_array(), WARM_KEYS,
                                    clade_no_array(), NULL);
    clade_rbtree_destroy(&tree);
    return status;
}

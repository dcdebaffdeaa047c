/* SPDX-License-Identifier: Apache-2.0 */
/* `clade warm`: the tree. */
#include "warm/warm.h"

clade_status warm_rbtree(clade_context *context)
{
    const int keys[WARM_KEYS] = { 3, 1, 2 };
    clade_rbtree *tree = NULL;
    clade_status status =
        clade_rbtree_create(&tree, context, &(clade_rbtree_params) { .capacity = 1000 });
    if (status == CLADE_OK)
        status = clade_rbtree_insert(tree, clade_host(keys), clade_no_array(), WARM_KEYS,
                                     clade_no_array(), NULL);
    clade_rbtree_destroy(&tree);
    return status;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* The red-black tree's part of `clade selftest`. */
#include "selftest/selftest.h"

enum { KEYS = 4096 };

/* All in by the concurrent way, every third out, and every key asked for. */
bool selftest_rbtree(clade_context *context)
{
    static uint32_t keys[KEYS], values[KEYS], gone[KEYS];
    static int32_t statuses[KEYS];
    /* Room for leaves that many items split at once: of a small pool that may be all. */
    const clade_rbtree_params params = { .capacity = 2 * KEYS,
                                         .value = CLADE_U32,
                                         .path = CLADE_RBTREE_CONCURRENT };
    clade_rbtree *tree = NULL;
    uint32_t erased = 0;
    selftest_shuffle(keys, KEYS);
    for (uint32_t i = 0; i < KEYS; i++) {
        values[i] = ~keys[i];
        if (keys[i] % 3 == 0)
            gone[erased++] = keys[i];
    }
    bool right =
        selftest_fine("rbtree", clade_rbtree_create(&tree, context, &params)) &&
        selftest_fine("rbtree", clade_rbtree_insert(tree, clade_host(keys), clade_host(values),
                                                    KEYS, clade_no_array(), NULL)) &&
        selftest_fine("rbtree", clade_rbtree_erase(tree, clade_host(gone), clade_no_array(), erased,
                                                   clade_no_array(), NULL)) &&
        selftest_fine("rbtree", clade_rbtree_find(tree, clade_host(keys), clade_host(values), KEYS,
                                                  clade_host(statuses), NULL)) &&
        selftest_fine("rbtree", clade_rbtree_check(tree));
    for (uint32_t i = 0; right && i < KEYS; i++)
        right = keys[i] % 3 == 0 ? statuses[i] == CLADE_E_NOT_FOUND
                                 : statuses[i] == CLADE_OK && values[i] == ~keys[i];
    clade_rbtree_destroy(&tree);
    return right;
}

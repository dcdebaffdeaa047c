/* SPDX-License-Identifier: Apache-2.0 */
/* The semi-linked list's part of `clade selftest`. */
#include <stdlib.h>

#include "selftest/selftest.h"

enum { NODES = 4096 };

/* Every second node is erased while each item's key is appended behind: the kept ones stand in
 * their order before the new ones, and the memory of the others is had again. */
static bool run_semilist(clade_semilist *list, uint32_t *keys, uint32_t *nodes, uint32_t *ops)
{
    uint64_t count = 0;
    clade_semilist_stats stats;
    for (uint32_t i = 0; i < NODES; i++) {
        keys[i] = i;
        ops[i] = i % 2 ? CLADE_SEMILIST_ERASE_AT : CLADE_SEMILIST_APPEND;
    }
    if (!selftest_fine("semilist", clade_semilist_append(list, clade_host(keys), clade_no_array(),
                                                         clade_host(nodes), NODES, NULL)) ||
        !selftest_fine("semilist", clade_semilist_apply(list, clade_host(ops), clade_host(keys),
                                                        clade_no_array(), clade_host(nodes), NODES,
                                                        clade_no_array(), NULL)) ||
        !selftest_fine("semilist", clade_semilist_reclaim(list, NULL)) ||
        !selftest_fine("semilist", clade_semilist_check(list)) ||
        !selftest_fine("semilist", clade_semilist_stats_read(list, &stats)) ||
        !selftest_fine("semilist", clade_semilist_read(list, keys, NULL, NULL, NODES, &count)))
        return false;
    uint64_t sum = 0; /* of the new ones, in any order: 0, 2, 4, ... */
    for (uint32_t i = NODES / 2; i < NODES; i++)
        sum += keys[i];
    return count == NODES && stats.erased == 0 && selftest_counts_up(keys, NODES / 2, 0, 2) &&
           sum == (uint64_t)(NODES / 2) * (NODES / 2 - 1);
}

bool selftest_semilist(clade_context *context)
{
    uint32_t *keys = calloc(NODES, 4), *nodes = calloc(NODES, 4), *ops = calloc(NODES, 4);
    clade_semilist *list = NULL;
    bool right =
        keys && nodes && ops &&
        selftest_fine("semilist",
                      clade_semilist_create(&list, context,
                                            &(clade_semilist_params) { .capacity = 2 * NODES })) &&
        run_semilist(list, keys, nodes, ops);
    clade_semilist_destroy(&list);
    free(keys);
    free(nodes);
    free(ops);
    return right;
}

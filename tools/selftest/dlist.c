/* SPDX-License-Identifier: Apache-2.0 */
/* The doubly linked list's part of `clade selftest`. */
#include <stdlib.h>

#include "selftest/selftest.h"

enum { NODES = 4096 };

/* Every second node is erased while others go in in front of the nodes that stay. */
bool selftest_dlist(clade_context *context)
{
    uint32_t *values = calloc(NODES, 4), *nodes = calloc(NODES, 4), *ops = calloc(NODES, 4);
    uint32_t *got = calloc(NODES, 4);
    int32_t *statuses = calloc(NODES, 4);
    clade_dlist *list = NULL;
    uint64_t count = 0;
    bool right = values && nodes && ops && got && statuses;
    for (uint32_t i = 0; right && i < NODES; i++) {
        values[i] = i;
        ops[i] = i % 2 ? CLADE_DLIST_ERASE : CLADE_DLIST_INSERT_BEFORE;
    }
    right = right &&
            selftest_fine("dlist",
                          clade_dlist_create(&list, context,
                                             &(clade_dlist_params) { .capacity = 2 * NODES })) &&
            selftest_fine("dlist", clade_dlist_append(list, clade_host(values), clade_host(nodes),
                                                      NODES, clade_no_array(), NULL)) &&
            selftest_fine("dlist", clade_dlist_apply(list, clade_host(ops), clade_host(nodes),
                                                     clade_host(values), clade_no_array(), NODES,
                                                     clade_host(statuses), NULL)) &&
            selftest_fine("dlist", clade_dlist_check(list));
    for (int backward = 0; right && backward < 2; backward++) {
        right =
            selftest_fine("dlist", clade_dlist_read(list, backward, got, NULL, NODES, &count)) &&
            count == NODES;
        for (uint32_t i = 0; right && i < NODES; i++) /* 0 0 2 2 4 4 ... */
            right = got[backward ? NODES - 1 - i : i] == i / 2 * 2;
    }
    for (uint32_t i = 0; right && i < NODES; i++)
        right = statuses[i] == CLADE_OK;
    clade_dlist_destroy(&list);
    free(values);
    free(nodes);
    free(ops);
    free(got);
    free(statuses);
    return right;
}

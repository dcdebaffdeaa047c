/* SPDX-License-Identifier: Apache-2.0 */
/* The array list's part of `clade selftest`. */
#include <stdlib.h>

#include "selftest/selftest.h"

enum { NODES = 4096 };

/* Pieces of all lengths, over many segments. */
static bool run_arraylist(clade_arraylist *list, uint32_t *values)
{
    uint32_t there = 0;
    for (uint32_t piece = 1; there < NODES; piece++) {
        const uint32_t count = piece < NODES - there ? piece : NODES - there;
        for (uint32_t i = 0; i < count; i++)
            values[i] = there + i;
        if (!selftest_fine("arraylist",
                           clade_arraylist_append(list, clade_host(values), count, NULL)))
            return false;
        there += count;
    }
    return clade_arraylist_append(list, clade_host(values), 1, NULL) == CLADE_E_FULL &&
           selftest_fine("arraylist", clade_arraylist_check(list)) &&
           selftest_fine("arraylist",
                         clade_arraylist_read(list, 1, clade_host(values), NODES - 1, NULL)) &&
           selftest_counts_up(values, NODES - 1, 1, 1);
}

bool selftest_arraylist(clade_context *context)
{
    uint32_t *values = calloc(NODES, 4);
    clade_arraylist *list = NULL;
    bool right =
        values &&
        selftest_fine("arraylist", clade_arraylist_create(
                                       &list, context,
                                       &(clade_arraylist_params) {
                                           .capacity = NODES, .element_bytes = 4, .first = 16 })) &&
        run_arraylist(list, values);
    clade_arraylist_destroy(&list);
    free(values);
    return right;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* The lists' part of `clade selftest`: all at once in and out, and what is left is what must be. */
#include <stdio.h>
#include <stdlib.h>

#include "selftest/selftest.h"

enum { NODES = 4096 };

/* Keys in any order; every third is erased while every key is asked for. */
static bool run_ordered(clade_list *list, uint32_t *keys, uint32_t *ops, int32_t *statuses)
{
    uint64_t count;
    for (uint32_t i = 0; i < NODES; i++)
        keys[i] = i * 2654435761u % NODES; /* odd, and NODES is a power of two: each once */
    if (!selftest_fine("list", clade_list_insert(list, clade_host(keys), clade_no_array(), NODES,
                                                 clade_no_array(), NULL)))
        return false;
    for (uint32_t i = 0; i < NODES; i++)
        ops[i] = keys[i] % 3 == 0 ? CLADE_LIST_ERASE : CLADE_LIST_CONTAINS;
    if (!selftest_fine("list",
                       clade_list_apply(list, clade_host(ops), clade_host(keys), clade_no_array(),
                                        NODES, clade_host(statuses), NULL)) ||
        !selftest_fine("list", clade_list_check(list)) ||
        !selftest_fine("list", clade_list_read(list, keys, NULL, NULL, NODES, &count)))
        return false;
    bool right = count == NODES - (NODES + 2) / 3;
    for (uint32_t i = 0; i < NODES; i++)
        right &= statuses[i] == CLADE_OK;
    for (uint32_t i = 0; right && i < count; i++)
        right = keys[i] == 3 * (i / 2) + i % 2 + 1;
    return right;
}

/* Behind each value another is inserted while every second one is erased: each insert was done
 * before its target went, or did not find it. */
static bool run_unordered(clade_list *list, uint32_t *keys, uint32_t *ops, int32_t *statuses)
{
    uint32_t *values = calloc(2 * NODES, 4), *targets = calloc(2 * NODES, 4);
    uint64_t count, wanted = NODES;
    bool right = values && targets;
    for (uint32_t i = 0; right && i < NODES; i++)
        keys[i] = i + 1;
    for (uint32_t i = 0; right && i < 2 * NODES; i++) {
        ops[i] = i % 2 ? CLADE_LIST_ERASE : CLADE_LIST_INSERT_AFTER;
        targets[i] = i / 2 + 1;
        values[i] = i % 2 ? i / 2 + 1 : NODES + i;
        if (i % 4 == 3)
            ops[i] = CLADE_LIST_CONTAINS;
    }
    right = right &&
            selftest_fine("list", clade_list_insert_front(list, clade_host(keys), NODES,
                                                          clade_no_array(), NULL)) &&
            selftest_fine("list", clade_list_apply(list, clade_host(ops), clade_host(values),
                                                   clade_host(targets), 2 * NODES,
                                                   clade_host(statuses), NULL)) &&
            selftest_fine("list", clade_list_check(list)) &&
            selftest_fine("list", clade_list_size(list, &count));
    for (uint32_t i = 0; right && i < 2 * NODES; i++) {
        const bool done = statuses[i] == CLADE_OK;
        right = done || (i % 4 == 0 && statuses[i] == CLADE_E_NOT_FOUND);
        wanted += done && ops[i] == CLADE_LIST_INSERT_AFTER;
        wanted -= done && ops[i] == CLADE_LIST_ERASE;
    }
    free(values);
    free(targets);
    return right && count == wanted;
}

bool selftest_list(clade_context *context)
{
    uint32_t *keys = calloc(2 * NODES, 4), *ops = calloc(2 * NODES, 4);
    int32_t *statuses = calloc(2 * NODES, 4);
    bool right = keys && ops && statuses;
    for (uint32_t mode = CLADE_LIST_ORDERED; right && mode <= CLADE_LIST_UNORDERED; mode++) {
        clade_list *list = NULL;
        right =
            selftest_fine("list", clade_list_create(&list, context,
                                                    &(clade_list_params) { .capacity = 2 * NODES,
                                                                           .mode = mode })) &&
            (mode == CLADE_LIST_ORDERED ? run_ordered : run_unordered)(list, keys, ops, statuses);
        clade_list_destroy(&list);
    }
    free(keys);
    free(ops);
    free(statuses);
    return right;
}

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

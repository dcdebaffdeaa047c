/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of `clade selftest` for what grows at its end: semi-linked list, queue, array list. */
#include <stdio.h>
#include <stdlib.h>

#include "selftest/selftest.h"

enum { NODES = 4096 };

/* What comes to be `from`, `from` + 1, ... in steps of `step`. */
static bool counts_up(const uint32_t *got, uint64_t count, uint32_t from, uint32_t step)
{
    for (uint64_t i = 0; i < count; i++)
        if (got[i] != from + i * step)
            return false;
    return true;
}

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
    return count == NODES && stats.erased == 0 && counts_up(keys, NODES / 2, 0, 2) &&
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

/* Three times through a ring that is a little larger, so that it is gone round; too many at last.
 */
static bool run_queue(clade_queue *queue, uint32_t *values)
{
    uint32_t in = 0, out = 0;
    uint64_t got = 0;
    for (uint32_t turn = 0; turn < 3; turn++) {
        for (uint32_t i = 0; i < NODES / 2; i++)
            values[i] = in++;
        if (!selftest_fine("queue", clade_queue_append(queue, clade_host(values), NODES / 2,
                                                       clade_no_array(), NULL)) ||
            !selftest_fine("queue", clade_queue_check(queue)) ||
            !selftest_fine("queue", clade_queue_pop(queue, clade_host(values), NODES / 2 - 100,
                                                    clade_host(&got), NULL)) ||
            got != NODES / 2 - 100 || !counts_up(values, got, out, 1))
            return false;
        out += (uint32_t)got;
    }
    for (uint32_t i = 0; i < NODES; i++)
        values[i] = in + i;
    return clade_queue_append(queue, clade_host(values), NODES, clade_no_array(), NULL) ==
               CLADE_E_FULL &&
           selftest_fine("queue", clade_queue_check(queue)) &&
           selftest_fine("queue", clade_queue_pop(queue, clade_host(values), NODES,
                                                  clade_host(&got), NULL)) &&
           got == NODES && counts_up(values, got, out, 1);
}

bool selftest_queue(clade_context *context)
{
    uint32_t *values = calloc(NODES, 4);
    clade_queue *queue = NULL;
    bool right =
        values &&
        selftest_fine("queue", clade_queue_create(&queue, context,
                                                  &(clade_queue_params) { .capacity = NODES })) &&
        run_queue(queue, values);
    clade_queue_destroy(&queue);
    free(values);
    return right;
}

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
           counts_up(values, NODES - 1, 1, 1);
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

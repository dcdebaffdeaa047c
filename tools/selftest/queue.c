/* SPDX-License-Identifier: Apache-2.0 */
/* The queue's part of `clade selftest`. */
#include <stdlib.h>

#include "selftest/selftest.h"

enum { NODES = 4096 };

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
            got != NODES / 2 - 100 || !selftest_counts_up(values, got, out, 1))
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
           got == NODES && selftest_counts_up(values, got, out, 1);
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

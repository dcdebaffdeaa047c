/* SPDX-License-Identifier: Apache-2.0 */
/* `clade warm`: the queue. */
#include "warm/warm.h"

clade_status warm_queue(clade_context *context)
{
    uint32_t values[WARM_KEYS] = { 3, 1, 2 };
    uint64_t got;
    clade_queue *queue = NULL;
    clade_status status =
        clade_queue_create(&queue, context, &(clade_queue_params) { .capacity = 1000 });
    if (status == CLADE_OK)
        status = clade_queue_append(queue, clade_host(values), WARM_KEYS, clade_no_array(), NULL);
    if (status == CLADE_OK)
        status = clade_queue_pop(queue, clade_host(values), WARM_KEYS, clade_host(&got), NULL);
    clade_queue_destroy(&queue);
    return status;
}

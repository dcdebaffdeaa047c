/* SPDX-License-Identifier: Apache-2.0 */
/* The queue: how each public device function is called alone (tests/alone/alone.h). */
#include "alone/alone.h"

static const struct call queue_calls[] = {
    { "clade_queue_append_wi", "said = (uint)clade_queue_append_wi(O, item);", BY_STATUS },
    { "clade_queue_pop_wi", "said = (uint)clade_queue_pop_wi(O, &got);", BY_STATUS },
    { "clade_queue_size_wi", "said = clade_queue_size_wi(O);", BY_ZERO },
};

static clade_status open_queue(struct world *w, const struct kind *k)
{
    static clade_queue *queue; /* the process ends with it */
    (void)k;
    TRY(clade_queue_create(&queue, w->context, &(clade_queue_params) { .capacity = CAPACITY }));
    TRY(clade_queue_append(queue, alone_numbers(CLADE_U32), FILLED, clade_no_array(), NULL));
    w->object = clade_queue_mem(queue);
    w->shape = CLADE_QUEUE_SHAPE;
    return CLADE_OK;
}

const struct kind queue_alone[] = {
    KIND("queue", PLAIN("queue"), queue, open_queue, 0, 0, 0),
    { 0 },
};

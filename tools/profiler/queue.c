/* SPDX-License-Identifier: Apache-2.0 */
/* `clade profile`: the queue. */
#include "profiler/profile.h"

static clade_status queue_make(struct profile_data *d)
{
    const clade_queue_params params = { .capacity = d->n > 1 ? d->n : 2 };
    clade_queue *made = NULL;
    const clade_status status = clade_queue_create(&made, d->context, &params);
    d->object = made;
    return status;
}

static void queue_destroy(struct profile_data *d)
{
    clade_queue *made = d->object;
    clade_queue_destroy(&made);
}

static clade_status queue_check(struct profile_data *d)
{
    return clade_queue_check(d->object);
}

static clade_status queue_append(struct profile_data *d)
{
    return clade_queue_append(d->object, profile_array(d->keys), d->n, profile_array(d->statuses),
                              NULL);
}

static clade_status queue_pop(struct profile_data *d)
{
    return clade_queue_pop(d->object, profile_array(d->out), d->n, profile_array(d->nodes), NULL);
}

const struct profile_load queue_loads[] = {
    { "queue",
      queue_make,
      queue_destroy,
      queue_check,
      NULL,
      NULL,
      { NULL },
      { { "append", queue_append, 1 }, { "pop", queue_pop, 1 } } },
    { 0 },
};

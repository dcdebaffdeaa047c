/* SPDX-License-Identifier: Apache-2.0 */
/* The queue with calls that fail (tests/fault/fault_grown.h). */
#include "fault/fault_grown.h"

#include <clade/queue.h>

static clade_status queue_make(struct grown *g, void **object)
{
    clade_queue *queue = NULL;
    clade_status status =
        clade_queue_create(&queue, g->f->context, &(clade_queue_params) { .capacity = 2 * COUNT });
    *object = queue;
    return status;
}

GROWN_USUAL(queue)
GROWN_FILES(queue)

static void queue_refill(struct grown *g)
{
    assert_ok(clade_queue_clear(g->object, NULL));
    assert_ok(clade_queue_append(g->object, KEYS(g), STARTED, NONE, NULL));
}

/* All are taken and put back. */
static void queue_content(struct grown *g)
{
    assert_ok(clade_queue_check(g->object));
    assert_ok(
        clade_queue_pop(g->object, clade_host(g->now.keys), ROOM, clade_host(&g->now.count), NULL));
    assert_ok(clade_queue_append(g->object, clade_host(g->now.keys), g->now.count, NONE, NULL));
    assert_ok(clade_queue_check(g->object));
}

GROWN_CALL(queue_append,
           clade_queue_append(g->object, KEYS(g), COUNT, clade_host(g->statuses), NULL))
GROWN_CALL(queue_append_device, clade_queue_append(g->object, DEVICE(g), COUNT, NONE, NULL))

static clade_status queue_pop(struct grown *g)
{
    uint64_t got = 0;
    return clade_queue_pop(g->object, OUT(g), STARTED / 2, clade_host(&got), NULL);
}

const struct grown_kind queue_grown = {
    "queue",
    queue_make,
    queue_destroy,
    queue_load,
    queue_refill,
    queue_content,
    { { "append", queue_append },
      { "append (device)", queue_append_device },
      { "pop", queue_pop },
      { "clear", queue_clear },
      { "size", queue_size },
      { "check", queue_check },
      { "save", queue_save } },
};

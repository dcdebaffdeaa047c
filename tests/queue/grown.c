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

static void queue_destroy(struct grown *g, void **object)
{
    (void)g;
    clade_queue *queue = *object;
    clade_queue_destroy(&queue);
    *object = NULL;
}

static clade_status queue_load(struct grown *g, void **object)
{
    clade_queue *queue = NULL;
    clade_status status = clade_queue_load(&queue, g->f->context, g->path);
    *object = queue;
    return status;
}

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

static clade_status queue_append(struct grown *g)
{
    return clade_queue_append(g->object, KEYS(g), COUNT, clade_host(g->statuses), NULL);
}

static clade_status queue_append_device(struct grown *g)
{
    return clade_queue_append(g->object, DEVICE(g), COUNT, NONE, NULL);
}

static clade_status queue_pop(struct grown *g)
{
    uint64_t got = 0;
    return clade_queue_pop(g->object, OUT(g), STARTED / 2, clade_host(&got), NULL);
}

static clade_status queue_clear(struct grown *g)
{
    return clade_queue_clear(g->object, NULL);
}

static clade_status queue_size(struct grown *g)
{
    uint64_t size;
    return clade_queue_size(g->object, &size);
}

static clade_status queue_check(struct grown *g)
{
    return clade_queue_check(g->object);
}

static clade_status queue_save(struct grown *g)
{
    return clade_queue_save(g->object, g->path);
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

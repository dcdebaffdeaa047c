/* SPDX-License-Identifier: Apache-2.0 */
/* Semi-linked list, queue and array list as test_fault_grown works on them. */
#include "fault/fault_grown.h"

#include <clade/arraylist.h>
#include <clade/queue.h>
#include <clade/semilist.h>

#define KEYS(g)   clade_host((g)->keys)
#define VALUES(g) clade_host((g)->values)
#define OUT(g)    clade_host((g)->out)
#define NODES(g)  clade_host((g)->nodes)
#define DEVICE(g) clade_device((g)->device, 0)
#define NONE      clade_no_array()

/* --- the semi-linked list --------------------------------------------------------------------- */

static clade_status semilist_make(struct grown *g, void **object)
{
    clade_semilist *list = NULL;
    clade_status status = clade_semilist_create(&list, g->f->context,
                                                &(clade_semilist_params) { .capacity = 2 * COUNT });
    *object = list;
    return status;
}

static void semilist_destroy(struct grown *g, void **object)
{
    (void)g;
    clade_semilist *list = *object;
    clade_semilist_destroy(&list);
    *object = NULL;
}

static clade_status semilist_load(struct grown *g, void **object)
{
    clade_semilist *list = NULL;
    clade_status status = clade_semilist_load(&list, g->f->context, g->path);
    *object = list;
    return status;
}

/* Every third node is erased and not reclaimed. */
static void semilist_refill(struct grown *g)
{
    uint32_t gone[STARTED / 3];
    assert_ok(clade_semilist_clear(g->object, NULL));
    assert_ok(clade_semilist_append(g->object, KEYS(g), VALUES(g), NODES(g), STARTED, NULL));
    for (uint32_t i = 0; i < STARTED / 3; i++)
        gone[i] = g->nodes[3 * i];
    assert_ok(clade_semilist_erase_at(g->object, clade_host(gone), STARTED / 3, NONE, NULL));
}

/* The check compares the allocator's blocks with the nodes. */
static void semilist_content(struct grown *g)
{
    assert_ok(clade_semilist_check(g->object));
    assert_ok(
        clade_semilist_read(g->object, g->now.keys, g->now.values, NULL, ROOM, &g->now.count));
}

static clade_status semilist_append(struct grown *g)
{
    return clade_semilist_append(g->object, KEYS(g), NONE, NODES(g), COUNT, NULL);
}

static clade_status semilist_append_device(struct grown *g)
{
    return clade_semilist_append(g->object, DEVICE(g), DEVICE(g), NONE, COUNT, NULL);
}

/* 150 more do not fit beside the erased ones: a reclaim comes first. */
static clade_status semilist_append_reclaims(struct grown *g)
{
    uint32_t many[150] = { 7 };
    return clade_semilist_append(g->object, clade_host(many), NONE, NONE, 150, NULL);
}

static clade_status semilist_erase(struct grown *g)
{
    return clade_semilist_erase(g->object, KEYS(g), OUT(g), NONE, COUNT, clade_host(g->statuses),
                                NULL);
}

static clade_status semilist_find(struct grown *g)
{
    return clade_semilist_find(g->object, KEYS(g), OUT(g), NONE, COUNT, clade_host(g->statuses),
                               NULL);
}

static clade_status semilist_reclaim(struct grown *g)
{
    return clade_semilist_reclaim(g->object, NULL);
}

static clade_status semilist_clear(struct grown *g)
{
    return clade_semilist_clear(g->object, NULL);
}

static clade_status semilist_size(struct grown *g)
{
    uint64_t size;
    return clade_semilist_size(g->object, &size);
}

static clade_status semilist_read(struct grown *g)
{
    uint64_t count;
    return clade_semilist_read(g->object, g->out, NULL, NULL, ROOM, &count);
}

static clade_status semilist_check(struct grown *g)
{
    return clade_semilist_check(g->object);
}

static clade_status semilist_save(struct grown *g)
{
    return clade_semilist_save(g->object, g->path);
}

const struct grown_kind grown_semilist = {
    "semilist",
    semilist_make,
    semilist_destroy,
    semilist_load,
    semilist_refill,
    semilist_content,
    { { "add", semilist_append },
      { "add (device)", semilist_append_device },
      { "append, reclaiming first", semilist_append_reclaims },
      { "erase", semilist_erase },
      { "get", semilist_find },
      { "reclaim", semilist_reclaim },
      { "clear", semilist_clear },
      { "size", semilist_size },
      { "read", semilist_read },
      { "check", semilist_check },
      { "save", semilist_save } },
};

/* --- the queue -------------------------------------------------------------------------------- */

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

const struct grown_kind grown_queue = {
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

/* --- the array list --------------------------------------------------------------------------- */

/* Its blocks are the fixture's allocator's, and all of them must be back at the end. */
static clade_status arraylist_make(struct grown *g, void **object)
{
    clade_arraylist *list = NULL;
    clade_status status = clade_arraylist_create(
        &list, g->f->context,
        &(clade_arraylist_params) {
            .capacity = ROOM, .element_bytes = 4, .first = 32, .kma = g->kma });
    *object = list;
    return status;
}

static void arraylist_destroy(struct grown *g, void **object)
{
    (void)g;
    clade_arraylist *list = *object;
    clade_arraylist_destroy(&list);
    *object = NULL;
}

/* What is above the size is none of what the operations append. */
static void arraylist_refill(struct grown *g)
{
    memset(g->out, 0xee, sizeof g->out);
    assert_ok(clade_arraylist_clear(g->object, NULL));
    assert_ok(clade_arraylist_append(g->object, OUT(g), ROOM, NULL));
    assert_ok(clade_arraylist_clear(g->object, NULL));
    assert_ok(clade_arraylist_append(g->object, KEYS(g), STARTED, NULL));
}

static void arraylist_content(struct grown *g)
{
    assert_ok(clade_arraylist_check(g->object));
    assert_ok(clade_arraylist_size(g->object, &g->now.count));
    assert_in_range(g->now.count, 0, ROOM);
    assert_ok(clade_arraylist_read(g->object, 0, clade_host(g->now.keys), g->now.count, NULL));
}

static clade_status arraylist_append(struct grown *g)
{
    return clade_arraylist_append(g->object, VALUES(g), COUNT, NULL);
}

static clade_status arraylist_append_device(struct grown *g)
{
    return clade_arraylist_append(g->object, DEVICE(g), COUNT, NULL);
}

static clade_status arraylist_read(struct grown *g)
{
    return clade_arraylist_read(g->object, 5, OUT(g), STARTED - 5, NULL);
}

static clade_status arraylist_clear(struct grown *g)
{
    return clade_arraylist_clear(g->object, NULL);
}

static clade_status arraylist_size(struct grown *g)
{
    uint64_t size;
    return clade_arraylist_size(g->object, &size);
}

static clade_status arraylist_check(struct grown *g)
{
    return clade_arraylist_check(g->object);
}

const struct grown_kind grown_arraylist = {
    "arraylist",
    arraylist_make,
    arraylist_destroy,
    NULL,
    arraylist_refill,
    arraylist_content,
    { { "append", arraylist_append },
      { "append (device)", arraylist_append_device },
      { "read", arraylist_read },
      { "clear", arraylist_clear },
      { "size", arraylist_size },
      { "check", arraylist_check } },
};

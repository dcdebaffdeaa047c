/* SPDX-License-Identifier: Apache-2.0 */
/* The semi-linked list with calls that fail (tests/fault/fault_grown.h). */
#include "fault/fault_grown.h"

#include <clade/semilist.h>

static clade_status semilist_make(struct grown *g, void **object)
{
    clade_semilist *list = NULL;
    clade_status status = clade_semilist_create(&list, g->f->context,
                                                &(clade_semilist_params) { .capacity = 2 * COUNT });
    *object = list;
    return status;
}

GROWN_USUAL(semilist)
GROWN_FILES(semilist)

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

GROWN_CALL(semilist_append, clade_semilist_append(g->object, KEYS(g), NONE, NODES(g), COUNT, NULL))
GROWN_CALL(semilist_append_device,
           clade_semilist_append(g->object, DEVICE(g), DEVICE(g), NONE, COUNT, NULL))

/* 150 more do not fit beside the erased ones: a reclaim comes first. */
static clade_status semilist_append_reclaims(struct grown *g)
{
    uint32_t many[150] = { 7 };
    return clade_semilist_append(g->object, clade_host(many), NONE, NONE, 150, NULL);
}

GROWN_CALL(semilist_erase, clade_semilist_erase(g->object, KEYS(g), OUT(g), NONE, COUNT,
                                                clade_host(g->statuses), NULL))
GROWN_CALL(semilist_find, clade_semilist_find(g->object, KEYS(g), OUT(g), NONE, COUNT,
                                              clade_host(g->statuses), NULL))
GROWN_CALL(semilist_reclaim, clade_semilist_reclaim(g->object, NULL))
GROWN_CALL(semilist_read,
           clade_semilist_read(g->object, g->out, NULL, NULL, ROOM, &(uint64_t) { 0 }))

const struct grown_kind semilist_grown = {
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

/* SPDX-License-Identifier: Apache-2.0 */
/* The array list with calls that fail (tests/fault/fault_grown.h). */
#include "fault/fault_grown.h"

#include <clade/arraylist.h>

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

GROWN_USUAL(arraylist)

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

GROWN_CALL(arraylist_append, clade_arraylist_append(g->object, VALUES(g), COUNT, NULL))
GROWN_CALL(arraylist_append_device, clade_arraylist_append(g->object, DEVICE(g), COUNT, NULL))
GROWN_CALL(arraylist_read, clade_arraylist_read(g->object, 5, OUT(g), STARTED - 5, NULL))

const struct grown_kind arraylist_grown = {
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

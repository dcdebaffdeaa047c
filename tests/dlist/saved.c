/* SPDX-License-Identifier: Apache-2.0 */
/* Files: the doubly linked list (tests/saved/saved.h). */
#include "saved/saved.h"

#include <clade/dlist.h>

static void save(clade_context *context, const char *path)
{
    clade_dlist *list = NULL;
    MARKED(clade_dlist_params, params);
    params.capacity = 4000;
    params.value = params.group_size = 0;
    assert_ok(clade_dlist_create(&list, context, &params));
    assert_ok(clade_dlist_save(list, path));
    clade_dlist_destroy(&list);
}
LOADS(dlist)

static const struct saved_word impossible[] = {
    { "capacity", 0, 0 },
    { "capacity", 1, 1 },
    { "value", 2, 77 },
    { 0 },
};
const struct saved dlist_saved[] = {
    { "dlist", 16, CLADE_DLIST_SHAPE, save, load, impossible, { " bytes", 0, 1u << 24 } },
    { 0 },
};

/* SPDX-License-Identifier: Apache-2.0 */
/* The doubly linked list: how each public device function is called alone (tests/alone/alone.h). */
#include "alone/alone.h"

#define REF  "(uint)room[item]"
#define LONG "ulong value = 0; "
static const struct call dlist_calls[] = {
    { "clade_dlist_insert_after_wi", "said = (uint)clade_dlist_insert_after_wi(O, 0u, 7ul, &got);",
      BY_STATUS },
    { "clade_dlist_insert_before_wi",
      "said = (uint)clade_dlist_insert_before_wi(O, 0u, 7ul, &got);", BY_STATUS },
    { "clade_dlist_next_wi", "said = (uint)clade_dlist_next_wi(O, " REF ", &got);", BY_STATUS },
    { "clade_dlist_prev_wi", "said = (uint)clade_dlist_prev_wi(O, " REF ", &got);", BY_STATUS },
    { "clade_dlist_get_wi", LONG "said = (uint)clade_dlist_get_wi(O, " REF ", &value);",
      BY_STATUS },
    { "clade_dlist_erase_wi", LONG "said = (uint)clade_dlist_erase_wi(O, " REF ", &value);",
      BY_STATUS },
};

static clade_status open_dlist(struct world *w, const struct kind *k)
{
    static clade_dlist *dlist; /* the process ends with it */
    uint32_t refs[FILLED];
    (void)k;
    TRY(clade_dlist_create(&dlist, w->context, &(clade_dlist_params) { .capacity = CAPACITY }));
    TRY(clade_dlist_append(dlist, alone_numbers(CLADE_U32), clade_host(refs), FILLED,
                           clade_no_array(), NULL));
    alone_refs(w, refs);
    w->object = clade_dlist_mem(dlist);
    w->shape = CLADE_DLIST_SHAPE;
    return CLADE_OK;
}

const struct kind dlist_alone[] = {
    KIND("dlist", PLAIN("dlist"), dlist, open_dlist, 0, 0, 0),
    { 0 },
};

/* SPDX-License-Identifier: Apache-2.0 */
/* The array list: how each public device function is called alone (tests/alone/alone.h). */
#include "alone/alone.h"

static const struct call arraylist_calls[] = {
    { "clade_arraylist_append_wi", "said = (uint)clade_arraylist_append_wi(O, kma, &got);",
      BY_STATUS },
    { "clade_arraylist_append_wg",
      "__local uint s[130]; said = (uint)clade_arraylist_append_wg(O, kma, 2u, &got, s);",
      BY_STATUS },
    { "clade_arraylist_append_wg", /* nothing */
      "__local uint s[130]; said = (uint)clade_arraylist_append_wg(O, kma, 0u, &got, s);",
      BY_STATUS },
    { "clade_arraylist_size_wi", "said = clade_arraylist_size_wi(O);", BY_ZERO },
    { "clade_arraylist_at_wi", "said = *(__global uint *)clade_arraylist_at_wi(O, kma, item);",
      NEVER },
};

static clade_status open_arraylist(struct world *w, const struct kind *k)
{
    static clade_arraylist *arraylist; /* the process ends with it */
    (void)k;
    TRY(alone_make_kma(w, 0));
    TRY(clade_arraylist_create(
        &arraylist, w->context,
        &(clade_arraylist_params) {
            .capacity = CAPACITY, .element_bytes = 4, .first = 64, .kma = w->own_kma }));
    TRY(clade_arraylist_append(arraylist, alone_numbers(CLADE_U32), FILLED, NULL));
    w->object = clade_arraylist_mem(arraylist);
    alone_options(w, clade_arraylist_options(arraylist));
    w->shape = CLADE_ARRAYLIST_SHAPE;
    return CLADE_OK;
}

const struct kind arraylist_alone[] = {
    KIND("arraylist", "#define KMA clade_kma_head\n" PLAIN("arraylist"), arraylist, open_arraylist,
         0, 0, 0),
    { 0 },
};

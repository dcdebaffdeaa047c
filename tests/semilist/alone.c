/* SPDX-License-Identifier: Apache-2.0 */
/* The semi-linked list: how each public device function is called alone (tests/alone/alone.h). */
#include "alone/alone.h"

#define REF       "(uint)room[item]"
#define VALUE_GOT "uint value = 0; "
static const struct call semilist_calls[] = {
    { "clade_semilist_append_wi", "said = (uint)clade_semilist_append_wi(O, kma, item, 7u, &got);",
      BY_STATUS },
    { "clade_semilist_append_wg",
      "__local uint s[CLADE_SEMILIST_SCRATCH(64u)]; "
      "said = (uint)clade_semilist_append_wg(O, kma, 1u, item, 7u, &got, s);",
      BY_STATUS },
    { "clade_semilist_find_wi",
      VALUE_GOT "said = (uint)clade_semilist_find_wi(O, kma, item, &value, &got);", BY_STATUS },
    { "clade_semilist_next_wi", "said = clade_semilist_next_wi(O, kma, 0u);", BY_ZERO },
    { "clade_semilist_has_wi", "said = clade_semilist_has_wi(O, kma, " REF ");", BY_ZERO },
    { "clade_semilist_key_wi", "said = clade_semilist_key_wi(kma, " REF ");", NEVER },
    { "clade_semilist_value_wi", "said = clade_semilist_value_wi(kma, " REF ");", NEVER },
    { "clade_semilist_count_wi", "said = (uint)clade_semilist_count_wi(O, kma, &got);", BY_STATUS },
    { "clade_semilist_erase_at_wi", "said = (uint)clade_semilist_erase_at_wi(O, kma, " REF ");",
      BY_STATUS },
    { "clade_semilist_erase_wi",
      VALUE_GOT "said = (uint)clade_semilist_erase_wi(O, kma, item, &value, &got);", BY_STATUS },
};

static clade_status open_semilist(struct world *w, const struct kind *k)
{
    static clade_semilist *semilist; /* the process ends with it */
    uint32_t refs[FILLED];
    (void)k;
    TRY(alone_make_kma(w, 0));
    TRY(clade_semilist_create(
        &semilist, w->context,
        &(clade_semilist_params) { .capacity = CAPACITY, .kma = w->own_kma }));
    TRY(clade_semilist_append(semilist, alone_numbers(CLADE_U32), alone_numbers(CLADE_U32),
                              clade_host(refs), FILLED, NULL));
    alone_refs(w, refs);
    w->object = clade_semilist_mem(semilist);
    alone_options(w, clade_semilist_options(semilist));
    w->shape = CLADE_SEMILIST_SHAPE;
    return CLADE_OK;
}

const struct kind semilist_alone[] = {
    KIND("semilist",
         "#define KMA clade_kma_head\n" PLAIN(
             "semilist") "#include \"clade/semilist/work_group.clh\"\n",
         semilist, open_semilist, 0, 0, 0),
    { 0 },
};

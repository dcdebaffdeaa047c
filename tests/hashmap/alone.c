/* SPDX-License-Identifier: Apache-2.0 */
/* The hash map: how each public device function is called alone (tests/alone/alone.h). */
#include "alone/alone.h"

#include <string.h>

#define KEY "(cladei_hashmap_key)(item + 1u)"
#define VAL "(cladei_hashmap_value)item"
static const struct call hashmap_calls[] = {
    { "CLADE_HM(insert_wi)", "said = (uint)clade_hashmap_insert_wi(O, " KEY ", " VAL ");",
      BY_STATUS },
    { "CLADE_HM(put_wi)", "said = (uint)clade_hashmap_put_wi(O, " KEY ", " VAL ");", BY_STATUS },
    { "CLADE_HM(update_wi)",
      "cladei_hashmap_value v = 0; said = (uint)clade_hashmap_update_wi(O, " KEY ", " VAL
      ", CLADE_HASHMAP_MAX, &v);",
      BY_STATUS },
    { "CLADE_HM(cas_wi)",
      "cladei_hashmap_value v = 0; said = (uint)clade_hashmap_cas_wi(O, " KEY ", " VAL ", " VAL
      ", &v);",
      BY_STATUS },
    { "CLADE_HM(erase_wi)",
      "cladei_hashmap_value v = 0; said = (uint)clade_hashmap_erase_wi(O, " KEY ", &v);",
      BY_STATUS },
    { "CLADE_HM(find_wi)",
      "cladei_hashmap_value v = 0; said = (uint)clade_hashmap_find_wi(O, " KEY ", &v);",
      BY_STATUS },
    { "CLADE_HM(contains_wi)", "said = (uint)clade_hashmap_contains_wi(O, " KEY ");", BY_STATUS },
    { "CLADE_HM(prefetch_wi)", "clade_hashmap_prefetch_wi(O, " KEY "); said = 0u;", BY_ZERO },
    { "CLADE_HM(entry_wi)",
      "cladei_hashmap_key k = 0; cladei_hashmap_value v = 0; said = "
      "(uint)clade_hashmap_entry_wi(O, "
      "item, &k, &v);",
      BY_STATUS },
    { "CLADE_HM(places_wi)", "said = clade_hashmap_places_wi(O);", BY_ZERO },
};

static clade_status open_hashmap(struct world *w, const struct kind *k)
{
    static clade_hashmap *map; /* the process ends with it */
    const clade_hashmap_params params = { .capacity = CAPACITY, .key = k->key, .value = k->value };
    const uint32_t value = CLADE_TYPE_BYTES(k->value);
    TRY(clade_hashmap_create(&map, w->context, &params));
    TRY(clade_hashmap_put(map, alone_numbers(k->key), alone_numbers(k->value), FILLED,
                          clade_no_array(), NULL));
    w->object = clade_hashmap_mem(map);
    alone_options(w, clade_hashmap_options(map));
    const uint32_t form =
        strstr(clade_hashmap_options(map), "FORM=1") ? CLADE_HASHMAP_PACKED : CLADE_HASHMAP_TAGGED;
    const uint32_t copies =
        form == CLADE_HASHMAP_TAGGED && value == 8 && !clade_context_caps(w->context)->int64_atomics
            ? 2
            : 1;
    w->shape = CLADE_HASHMAP_SHAPE(k->key, value, form, copies);
    for (uint32_t type = CLADE_I32; type <= CLADE_U64; type++)
        if (type != CLADE_F32)
            alone_wrong(w, CLADE_HASHMAP_SHAPE(type, value, form, copies));
    for (uint32_t bytes = 0; bytes <= 8; bytes += 4)
        alone_wrong(w, CLADE_HASHMAP_SHAPE(k->key, bytes, form, copies));
    alone_wrong(w, CLADE_HASHMAP_SHAPE(k->key, value, 3 - form, copies));
    alone_wrong(w, CLADE_HASHMAP_SHAPE(k->key, value, form, 3 - copies));
    return CLADE_OK;
}

#define MAP                                                                     \
    "#define OBJECT clade_hashmap_head\n#include \"clade/hashmap/types.clh\"\n" \
    "#include \"clade/hashmap.clh\"\n"

const struct kind hashmap_alone[] = {
    KIND("hashmap-32", MAP, hashmap, open_hashmap, CLADE_U32, CLADE_NONE, 0),
    KIND("hashmap-32-32", MAP, hashmap, open_hashmap, CLADE_I32, CLADE_U32, 0),
    KIND("hashmap-64", MAP, hashmap, open_hashmap, CLADE_U64, CLADE_NONE, 0),
    KIND("hashmap-64-64", MAP, hashmap, open_hashmap, CLADE_I64, CLADE_U64, 0),
    { 0 },
};

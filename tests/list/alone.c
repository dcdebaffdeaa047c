/* SPDX-License-Identifier: Apache-2.0 */
/* The lists: how each public device function is called alone (tests/alone/alone.h). SELF:
 * the list, and its allocator behind it. */
#include "alone/alone.h"

#define TWO(name) "said = (uint)alone_" name "(SELF, item + 1u, item);"
#define ONE(name) "said = (uint)alone_" name "(SELF, item + 1u);"
static const struct call ordered_calls[] = {
    { "CLADE_LIST_FN(_insert_wi)", TWO("insert_wi"), BY_STATUS },
    { "CLADE_LIST_FN(_insert_counted_wi)",
      "said = (uint)alone_insert_counted_wi(SELF, item + 1u, item, &got);", BY_STATUS },
    { "CLADE_LIST_FN(_put_wi)", TWO("put_wi"), BY_STATUS },
    { "CLADE_LIST_FN(_put_counted_wi)",
      "said = (uint)alone_put_counted_wi(SELF, item + 1u, item, &got);", BY_STATUS },
    { "CLADE_LIST_FN(_contains_wi)", ONE("contains_wi"), BY_STATUS },
    { "CLADE_LIST_FN(_find_wi)", "said = (uint)alone_find_wi(SELF, item + 1u, &got);", BY_STATUS },
    { "CLADE_LIST_FN(_erase_wi)", "said = (uint)alone_erase_wi(SELF, item + 1u, &got);",
      BY_STATUS },
    { "CLADE_LIST_FN(_erase_counted_wi)",
      "uint met; said = (uint)alone_erase_counted_wi(SELF, item + 1u, &got, &met);", BY_STATUS },
};
static const struct call unordered_calls[] = {
    { "CLADE_LIST_FN(_insert_front_wi)", ONE("insert_front_wi"), BY_STATUS },
    { "CLADE_LIST_FN(_insert_front_counted_wi)",
      "said = (uint)alone_insert_front_counted_wi(SELF, item + 1u, &got);", BY_STATUS },
    { "CLADE_LIST_FN(_insert_after_wi)", TWO("insert_after_wi"), BY_STATUS },
    { "CLADE_LIST_FN(_insert_after_counted_wi)",
      "said = (uint)alone_insert_after_counted_wi(SELF, item + 1u, item, &got);", BY_STATUS },
    { "CLADE_LIST_FN(_contains_value_wi)", ONE("contains_value_wi"), BY_STATUS },
    { "CLADE_LIST_FN(_erase_value_wi)", ONE("erase_value_wi"), BY_STATUS },
    { "CLADE_LIST_FN(_erase_value_counted_wi)",
      "said = (uint)alone_erase_value_counted_wi(SELF, item + 1u, &got);", BY_STATUS },
};

/* other: bit 0 unordered, bit 1 in an allocator. */
static clade_status open_list(struct world *w, const struct kind *k)
{
    static clade_list *list; /* the process ends with it */
    const uint32_t mode = k->other & 1, in_kma = k->other >> 1;
    const uint32_t key = CLADE_TYPE_BYTES(k->key) / 4, value = CLADE_TYPE_BYTES(k->value) / 4;
    clade_list_params params = {
        .capacity = CAPACITY, .mode = mode, .key = k->key, .value = k->value
    };
    if (in_kma) {
        TRY(alone_make_kma(w, 0));
        params.kma = w->own_kma;
    }
    TRY(clade_list_create(&list, w->context, &params));
    if (mode == CLADE_LIST_UNORDERED)
        TRY(clade_list_insert_front(list, alone_numbers(k->key), FILLED, clade_no_array(), NULL));
    else
        TRY(clade_list_insert(list, alone_numbers(k->key), alone_numbers(k->value), FILLED,
                              clade_no_array(), NULL));
    w->object = clade_list_mem(list);
    alone_options(w, clade_list_options(list));
    w->shape = CLADE_LIST_SHAPE(mode, key, value, in_kma);
    alone_wrong(w, CLADE_LIST_SHAPE(mode ^ 1, key, value, in_kma));
    alone_wrong(w, CLADE_LIST_SHAPE(mode, 3 - key, value, in_kma));
    alone_wrong(w, CLADE_LIST_SHAPE(mode, key, value ^ 1, in_kma));
    alone_wrong(w, CLADE_LIST_SHAPE(mode, key, value, in_kma ^ 1));
    return CLADE_OK;
}

#define LIST_OF(key, value)                                                      \
    "#define OBJECT clade_list_head\n#define SELF O\n#define CLADE_LIST alone\n" \
    "#define CLADE_LIST_KEY " #key "\n#define CLADE_LIST_VALUE " #value          \
    "\n#include \"clade/list.clh\"\n"
#define LIST_IN_KMA(key, value)                                                               \
    "#include \"clade/kma.clh\"\n#define KMA clade_kma_head\n"                                \
    "#define OBJECT clade_list_head\n#define SELF O, kma\n#define CLADE_LIST alone\n#define " \
    "CLADE_LIST_KMA 1\n"                                                                      \
    "#define CLADE_LIST_KEY " #key "\n#define CLADE_LIST_VALUE " #value                       \
    "\n#include \"clade/list.clh\"\n"

const struct kind list_alone[] = {
    KIND("ordered-32", LIST_OF(32, 0), ordered, open_list, CLADE_U32, CLADE_NONE, 0),
    KIND("ordered-32-32", LIST_OF(32, 32), ordered, open_list, CLADE_U32, CLADE_U32, 0),
    KIND("ordered-64-32", LIST_OF(64, 32), ordered, open_list, CLADE_U64, CLADE_U32, 0),
    KIND("ordered-kma-32", LIST_IN_KMA(32, 0), ordered, open_list, CLADE_U32, CLADE_NONE, 2),
    KIND("ordered-kma-64-32", LIST_IN_KMA(64, 32), ordered, open_list, CLADE_U64, CLADE_U32, 2),
    KIND("unordered-32", LIST_OF(32, 0), unordered, open_list, CLADE_U32, CLADE_NONE, 1),
    KIND("unordered-64", LIST_OF(64, 0), unordered, open_list, CLADE_U64, CLADE_NONE, 1),
    KIND("unordered-kma-32", LIST_IN_KMA(32, 0), unordered, open_list, CLADE_U32, CLADE_NONE, 3),
    KIND("unordered-kma-64", LIST_IN_KMA(64, 0), unordered, open_list, CLADE_U64, CLADE_NONE, 3),
    { 0 },
};

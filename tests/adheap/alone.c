/* SPDX-License-Identifier: Apache-2.0 */
/* The ad-heap: how each public device function is called alone (tests/alone/alone.h). None of its
 * functions is without the one that opens a heap. */
#include <stdio.h>

#include "alone/alone.h"

#define OPEN(heap)                                 \
    "__local uint path[CLADE_ADHEAP_PATH_WORDS]; " \
    "const clade_adheap_one h = clade_adheap_open_wi(O, " heap ", path); "
#define SG OPEN("clade_sg_index()") "clade_adheap_word word = 0; "
#define WG OPEN("0u")
static const struct call adheap_calls[] = {
    { "clade_adheap_open_wi", SG "said = h.capacity;", BY_ZERO },
    { "clade_adheap_insert_sg", SG "said = (uint)clade_adheap_insert_sg(&h, word, 7u);",
      BY_STATUS },
    { "clade_adheap_peek_sg", SG "said = (uint)clade_adheap_peek_sg(&h, &word, &got);", BY_STATUS },
    { "clade_adheap_update_sg", SG "said = (uint)clade_adheap_update_sg(&h, 0u, word, 7u);",
      BY_STATUS },
    { "clade_adheap_pop_sg", SG "said = (uint)clade_adheap_pop_sg(&h, &word, &got);", BY_STATUS },
    { "clade_adheap_size_wi", SG "said = clade_adheap_size_wi(&h);", BY_ZERO },
    { "clade_adheap_candidates_sg",
      SG "said = clade_adheap_candidates_sg(&h, (__global clade_adheap_word *)(room + 1024u), 8u, "
         "4u);",
      BY_ZERO },
    { "clade_adheap_feed_sg",
      SG "said = (uint)clade_adheap_feed_sg(&h, (__global clade_adheap_word *)(room + 1024u), 8u,"
         " (__global uint *)room, 0u, 0, 0);",
      BY_STATUS },
    { "clade_adheap_replace_sg",
      SG "said = clade_adheap_replace_sg(&h, (__global clade_adheap_word *)(room + 1024u), 0u, 8u,"
         " (__global uint *)room, 0u, 0, 0);",
      BY_ZERO },
    { "clade_adheap_merge_wg",
      WG "said = clade_adheap_merge_wg(&h, (__global clade_adheap_word *)(room + 1024u),"
         " (__global uint *)room, 4u);",
      BY_ZERO },
    { "clade_adheap_heapify_wg", WG "clade_adheap_heapify_wg(&h, 4u);", BY_ZERO },
    { "clade_adheap_repair_wg", WG "clade_adheap_repair_wg(&h, 2u, 4u);", BY_ZERO },
};

/* A group of one item on CPUs, of one sub-group elsewhere: what the calls of _sg and _wg share. */
static clade_status open_adheap(struct world *w, const struct kind *k)
{
    static clade_adheap *adheap; /* the process ends with it */
    const uint32_t arity = w->caps->is_cpu ? 8 : 32, values = k->value != CLADE_NONE;
    const clade_adheap_params params = {
        .heaps = 1, .capacity = CAPACITY, .arity = arity, .key = k->key, .values = values
    };
    TRY(clade_adheap_create(&adheap, w->context, &params));
    TRY(clade_adheap_insert(adheap, alone_numbers(k->key), alone_numbers(k->value), 8,
                            clade_no_array(), NULL));
    w->object = clade_adheap_mem(adheap);
    w->items = w->caps->is_cpu || w->caps->subgroup_size <= 1 ? 1 : w->caps->subgroup_size;
    snprintf(w->options, sizeof w->options, "-DCLADE_ADHEAP_KEY=%u%s", k->key,
             values ? " -DCLADE_ADHEAP_VALUES=1" : "");
    w->shape = CLADE_ADHEAP_SHAPE(arity, k->key, CLADE_MIN, 0, values, 0);
    for (uint32_t a = 8; a <= 64; a *= 2)
        alone_wrong(w, CLADE_ADHEAP_SHAPE(a, k->key, CLADE_MIN, 0, values, 0));
    alone_wrong(w, CLADE_ADHEAP_SHAPE(arity, k->key == CLADE_U32 ? CLADE_I32 : CLADE_U32, CLADE_MIN,
                                      0, values, 0));
    alone_wrong(w, CLADE_ADHEAP_SHAPE(arity, k->key, CLADE_MAX, 0, values, 0));
    alone_wrong(w, CLADE_ADHEAP_SHAPE(arity, k->key, CLADE_MIN, 1, values, 0));
    alone_wrong(w, CLADE_ADHEAP_SHAPE(arity, k->key, CLADE_MIN, 0, values ^ 1, 0));
    alone_wrong(w, CLADE_ADHEAP_SHAPE(arity, k->key, CLADE_MIN, 0, values, 1));
    return CLADE_OK;
}

#define ADHEAP                                                                   \
    "#define OBJECT clade_adheap_head\n#include \"clade/adheap.clh\"\n#include " \
    "\"clade/adheap/work_group.clh\"\n"

const struct kind adheap_alone[] = {
    KIND("adheap-32", ADHEAP, adheap, open_adheap, CLADE_U32, CLADE_NONE, 0),
    KIND("adheap-32-32", ADHEAP, adheap, open_adheap, CLADE_I32, CLADE_U32, 0),
    KIND("adheap-64-32", ADHEAP, adheap, open_adheap, CLADE_U64, CLADE_U32, 0),
    { 0 },
};

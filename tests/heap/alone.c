/* SPDX-License-Identifier: Apache-2.0 */
/* The heap: how each public device function is called alone (tests/alone/alone.h); V: ", value"
 * where there are values. */
#include <stdlib.h>
#include <string.h>

#include "alone/alone.h"

#define SCRATCH "__local clade_heap_scratch s; "
#define HEAP_CALLS                                                                                 \
    { "CLADE_H(_insert_wg)", SCRATCH "said = (uint)clade_heap_insert_wg(O, &s, 4u);", BY_STATUS }, \
        { "CLADE_H(_pop_wg)", SCRATCH "said = (uint)clade_heap_pop_wg(O, &s, 4u, &got);",          \
          BY_STATUS },                                                                             \
        { "CLADE_H(_taken_wi)", SCRATCH "said = clade_heap_taken_wi(&s);", NEVER },                \
        { "CLADE_H(_rank_wi)", SCRATCH "said = (uint)clade_heap_rank_wi(&s);", NEVER },            \
        { "CLADE_H(_set_wi)", SCRATCH "clade_heap_set_wi(&s, item % 4u, 5 V);", NEVER },           \
        { "CLADE_H(_key_wi)", SCRATCH "said = (uint)clade_heap_key_wi(&s, 0u);", NEVER },          \
        { "CLADE_H(_value_wi)", SCRATCH "said = VALUE(clade_heap_value_wi(&s, 0u));", NEVER },     \
        { "CLADE_H(_set_bits_wi)", SCRATCH "clade_heap_set_bits_wi(&s, item % 4u, 5u, 6u);",       \
          NEVER },                                                                                 \
        { "CLADE_H(_key_bits_wi)", SCRATCH "said = (uint)clade_heap_key_bits_wi(&s, 0u);",         \
          NEVER },                                                                                 \
        { "CLADE_H(_value_bits_wi)", SCRATCH "said = VALUE(clade_heap_value_bits_wi(&s, 0u));",    \
          NEVER },                                                                                 \
        { "CLADE_H(_size_hint_wi)", "said = (uint)clade_heap_size_hint_wi(O);", BY_ZERO },         \
        { "CLADE_H(_popped_wi)", "said = (uint)clade_heap_popped_wi(O);", BY_ZERO },               \
    {                                                                                              \
        "CLADE_H(_at_wi)", "said = clade_heap_at_wi(O, 1u) == (__global void *)O ? 0u : 1u;",      \
            BY_ZERO                                                                                \
    }

static const struct call heap_calls[] = { HEAP_CALLS };
static const struct call front_calls[] = {
    HEAP_CALLS,
    { "CLADE_H(_first_wg)", SCRATCH "said = clade_heap_first_wg(O, &s) ? 1u : 0u;", BY_ZERO },
};

static clade_status open_heap(struct world *w, const struct kind *k)
{
    static clade_heap *heap; /* the process ends with it */
    const clade_heap_params params = { .capacity = CAPACITY,
                                       .key = k->key,
                                       .value = k->value,
                                       .engine = k->other,
                                       .batch = 64,
                                       .heaps = k->other == CLADE_HEAP_FRONT ? 1 : 2 };
    TRY(clade_heap_create(&heap, w->context, &params));
    const clade_heap_params *p = clade_heap_params_of(heap);
    w->object = clade_heap_mem(heap);
    const uint32_t most = k->other == CLADE_HEAP_FRONT ? 4 * ITEMS_MOST : ITEMS_MOST;
    w->items = p->group_size < most ? p->group_size : most;
    alone_options(w, clade_heap_options(heap));
    const char *at = strstr(w->options, "CLADE_HEAP_LEAF=");
    const uint32_t leaf = at ? (uint32_t)strtoul(at + strlen("CLADE_HEAP_LEAF="), NULL, 10) : 0;
    const uint32_t wide = k->key == CLADE_U64 ? CLADE_U32 : CLADE_U64;
    w->shape = CLADE_HEAP_SHAPE(k->key, k->value, CLADE_MIN, p->engine, p->batch, leaf);
    alone_wrong(w, CLADE_HEAP_SHAPE(wide, k->value, CLADE_MIN, p->engine, p->batch, leaf));
    alone_wrong(w, CLADE_HEAP_SHAPE(CLADE_F32, k->value, CLADE_MIN, p->engine, p->batch, leaf));
    for (uint32_t v = CLADE_NONE; v <= CLADE_U64; v += 1 + (v == CLADE_NONE) + 2 * (v == CLADE_U32))
        alone_wrong(w, CLADE_HEAP_SHAPE(k->key, v, CLADE_MIN, p->engine, p->batch, leaf));
    alone_wrong(w, CLADE_HEAP_SHAPE(k->key, k->value, CLADE_MAX, p->engine, p->batch, leaf));
    alone_wrong(w, CLADE_HEAP_SHAPE(k->key, k->value, CLADE_MIN, p->engine, p->batch / 2, leaf));
    for (uint32_t e = CLADE_HEAP_TOP_DOWN; e <= CLADE_HEAP_FRONT; e++)
        alone_wrong(w, CLADE_HEAP_SHAPE(k->key, k->value, CLADE_MIN, e, p->batch, leaf));
    if (leaf)
        alone_wrong(w, CLADE_HEAP_SHAPE(k->key, k->value, CLADE_MIN, p->engine, p->batch,
                                        leaf == 256 ? 512 : leaf / 2));
    return CLADE_OK;
}

#define HEAP_BARE \
    "#define OBJECT void\n#define V\n#define VALUE(x) 0u\n#include \"clade/heap.clh\"\n"
#define HEAP_VALUED                                                      \
    "#define OBJECT void\n#define V , 6\n#define VALUE(x) ((uint)(x))\n" \
    "#include \"clade/heap.clh\"\n"
#define HEAPS(engine, calls, number)                                                            \
    KIND("heap-" engine "-32", HEAP_BARE, calls, open_heap, CLADE_U32, CLADE_NONE, number),     \
        KIND("heap-" engine "-32-32", HEAP_VALUED, calls, open_heap, CLADE_U32, CLADE_U32,      \
             number),                                                                           \
        KIND("heap-" engine "-64", HEAP_BARE, calls, open_heap, CLADE_U64, CLADE_NONE, number), \
        KIND("heap-" engine "-64-64", HEAP_VALUED, calls, open_heap, CLADE_U64, CLADE_U64, number)

const struct kind heap_alone[] = {
    HEAPS("td", heap, CLADE_HEAP_TOP_DOWN),
    HEAPS("bu", heap, CLADE_HEAP_BOTTOM_UP),
    HEAPS("front", front, CLADE_HEAP_FRONT),
    { 0 },
};

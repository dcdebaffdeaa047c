/* SPDX-License-Identifier: Apache-2.0 */
/* The structures with their types: how an object of each is made and filled, and what other shapes
 * there are. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "alone/alone.h"

#define TRY(call)                         \
    do {                                  \
        clade_status try_status = (call); \
        if (try_status != CLADE_OK)       \
            return try_status;            \
    } while (0)

enum { FILLED = 64, CAPACITY = 1000 };

/* Numbers from 1 on, of 32 bits or of 64: keys, values. */
static const uint32_t *numbers32(void)
{
    static uint32_t n[FILLED];
    for (uint32_t i = 0; i < FILLED; i++)
        n[i] = i + 1;
    return n;
}

static const uint64_t *numbers64(void)
{
    static uint64_t n[FILLED];
    for (uint32_t i = 0; i < FILLED; i++)
        n[i] = i + 1;
    return n;
}

static clade_array numbers(uint32_t type)
{
    if (type == CLADE_NONE)
        return clade_no_array();
    return clade_host(type >= CLADE_I64 ? (void *)numbers64() : (void *)numbers32());
}

static void add_wrong(struct world *w, uint32_t shape)
{
    for (size_t i = 0; i < WRONG_MOST && shape != w->shape; i++)
        if (w->wrong[i] == 0) {
            w->wrong[i] = shape;
            return;
        }
}

/* Options, and the sizes that every kernel has room for. */
static void set_options(struct world *w, const char *options)
{
    w->options[0] = 0;
    if (options)
        strncat(w->options, options, sizeof w->options - 1);
}

static clade_status open_heap(struct world *w, const struct kind *k)
{
    const clade_heap_params params = { .capacity = CAPACITY,
                                       .key = k->key,
                                       .value = k->value,
                                       .engine = k->other,
                                       .batch = 64,
                                       .heaps = k->other == CLADE_HEAP_FRONT ? 1 : 2 };
    TRY(clade_heap_create(&w->heap, w->context, &params));
    const clade_heap_params *p = clade_heap_params_of(w->heap);
    w->object = clade_heap_mem(w->heap);
    const uint32_t most = k->other == CLADE_HEAP_FRONT ? 4 * ITEMS_MOST : ITEMS_MOST;
    w->items = p->group_size < most ? p->group_size : most;
    set_options(w, clade_heap_options(w->heap));
    const char *at = strstr(w->options, "CLADE_HEAP_LEAF=");
    const uint32_t leaf = at ? (uint32_t)strtoul(at + strlen("CLADE_HEAP_LEAF="), NULL, 10) : 0;
    const uint32_t wide = k->key == CLADE_U64 ? CLADE_U32 : CLADE_U64;
    w->shape = CLADE_HEAP_SHAPE(k->key, k->value, CLADE_MIN, p->engine, p->batch, leaf);
    add_wrong(w, CLADE_HEAP_SHAPE(wide, k->value, CLADE_MIN, p->engine, p->batch, leaf));
    add_wrong(w, CLADE_HEAP_SHAPE(CLADE_F32, k->value, CLADE_MIN, p->engine, p->batch, leaf));
    for (uint32_t v = CLADE_NONE; v <= CLADE_U64; v += 1 + (v == CLADE_NONE) + 2 * (v == CLADE_U32))
        add_wrong(w, CLADE_HEAP_SHAPE(k->key, v, CLADE_MIN, p->engine, p->batch, leaf));
    add_wrong(w, CLADE_HEAP_SHAPE(k->key, k->value, CLADE_MAX, p->engine, p->batch, leaf));
    add_wrong(w, CLADE_HEAP_SHAPE(k->key, k->value, CLADE_MIN, p->engine, p->batch / 2, leaf));
    for (uint32_t e = CLADE_HEAP_TOP_DOWN; e <= CLADE_HEAP_FRONT; e++)
        add_wrong(w, CLADE_HEAP_SHAPE(k->key, k->value, CLADE_MIN, e, p->batch, leaf));
    if (leaf)
        add_wrong(w, CLADE_HEAP_SHAPE(k->key, k->value, CLADE_MIN, p->engine, p->batch,
                                      leaf == 256 ? 512 : leaf / 2));
    return CLADE_OK;
}

static clade_status open_rbtree(struct world *w, const struct kind *k)
{
    const clade_rbtree_params params = { .capacity = CAPACITY, .key = k->key, .value = k->value };
    const uint32_t key = CLADE_TYPE_BYTES(k->key), value = CLADE_TYPE_BYTES(k->value);
    const uint32_t leaf = CLADE_RBTREE_LEAF_CAPACITY_DEFAULT(key, value);
    TRY(clade_rbtree_create(&w->tree, w->context, &params));
    TRY(clade_rbtree_put(w->tree, numbers(k->key), numbers(k->value), FILLED, clade_no_array(),
                         NULL));
    w->object = clade_rbtree_mem(w->tree);
    set_options(w, clade_rbtree_options(w->tree));
    w->shape = CLADE_RBTREE_SHAPE(k->key, value, leaf);
    for (uint32_t type = CLADE_I32; type <= CLADE_U64; type++)
        if (type != CLADE_F32)
            add_wrong(w, CLADE_RBTREE_SHAPE(type, value, leaf));
    for (uint32_t bytes = 0; bytes <= 8; bytes += 4)
        add_wrong(w, CLADE_RBTREE_SHAPE(k->key, bytes, leaf));
    add_wrong(w, CLADE_RBTREE_SHAPE(k->key, value, leaf - 1));
    add_wrong(w, CLADE_RBTREE_SHAPE(k->key, value, 4));
    return CLADE_OK;
}

static clade_status make_kma(struct world *w, int debug)
{
    TRY(clade_kma_create(&w->own_kma, w->context,
                         &(clade_kma_params) { .bytes = 4 << 20, .debug = debug }));
    w->kma = clade_kma_mem(w->own_kma);
    return CLADE_OK;
}

/* other: bit 0 unordered, bit 1 in an allocator. */
static clade_status open_list(struct world *w, const struct kind *k)
{
    const uint32_t mode = k->other & 1, in_kma = k->other >> 1;
    const uint32_t key = CLADE_TYPE_BYTES(k->key) / 4, value = CLADE_TYPE_BYTES(k->value) / 4;
    clade_list_params params = {
        .capacity = CAPACITY, .mode = mode, .key = k->key, .value = k->value
    };
    if (in_kma) {
        TRY(make_kma(w, 0));
        params.kma = w->own_kma;
    }
    TRY(clade_list_create(&w->list, w->context, &params));
    if (mode == CLADE_LIST_UNORDERED)
        TRY(clade_list_insert_front(w->list, numbers(k->key), FILLED, clade_no_array(), NULL));
    else
        TRY(clade_list_insert(w->list, numbers(k->key), numbers(k->value), FILLED, clade_no_array(),
                              NULL));
    w->object = clade_list_mem(w->list);
    set_options(w, clade_list_options(w->list));
    w->shape = CLADE_LIST_SHAPE(mode, key, value, in_kma);
    add_wrong(w, CLADE_LIST_SHAPE(mode ^ 1, key, value, in_kma));
    add_wrong(w, CLADE_LIST_SHAPE(mode, 3 - key, value, in_kma));
    add_wrong(w, CLADE_LIST_SHAPE(mode, key, value ^ 1, in_kma));
    add_wrong(w, CLADE_LIST_SHAPE(mode, key, value, in_kma ^ 1));
    return CLADE_OK;
}

static clade_status open_kma(struct world *w, const struct kind *k)
{
    uint32_t refs[5 * FILLED];
    TRY(make_kma(w, (int)k->other));
    TRY(clade_kma_malloc(w->own_kma, clade_no_array(), 100, clade_host(refs), 5 * FILLED, NULL));
    for (int i = 0; i < 5 * FILLED; i++)
        w->room[i] = refs[i];
    w->object = w->kma;
    w->kma = NULL;
    set_options(w, clade_kma_options(w->own_kma));
    w->shape = CLADE_KMA_OBJECT_SHAPE(k->other);
    add_wrong(w, CLADE_KMA_OBJECT_SHAPE(k->other ^ 1));
    return CLADE_OK;
}

static clade_status open_queue(struct world *w, const struct kind *k)
{
    (void)k;
    TRY(clade_queue_create(&w->queue, w->context, &(clade_queue_params) { .capacity = CAPACITY }));
    TRY(clade_queue_append(w->queue, numbers(CLADE_U32), FILLED, clade_no_array(), NULL));
    w->object = clade_queue_mem(w->queue);
    w->shape = CLADE_QUEUE_SHAPE;
    return CLADE_OK;
}

static void take_refs(struct world *w, const uint32_t *refs)
{
    for (int i = 0; i < FILLED; i++)
        w->room[i] = refs[i];
}

static clade_status open_dlist(struct world *w, const struct kind *k)
{
    uint32_t refs[FILLED];
    (void)k;
    TRY(clade_dlist_create(&w->dlist, w->context, &(clade_dlist_params) { .capacity = CAPACITY }));
    TRY(clade_dlist_append(w->dlist, numbers(CLADE_U32), clade_host(refs), FILLED, clade_no_array(),
                           NULL));
    take_refs(w, refs);
    w->object = clade_dlist_mem(w->dlist);
    w->shape = CLADE_DLIST_SHAPE;
    return CLADE_OK;
}

static clade_status open_semilist(struct world *w, const struct kind *k)
{
    uint32_t refs[FILLED];
    (void)k;
    TRY(make_kma(w, 0));
    TRY(clade_semilist_create(
        &w->semilist, w->context,
        &(clade_semilist_params) { .capacity = CAPACITY, .kma = w->own_kma }));
    TRY(clade_semilist_append(w->semilist, numbers(CLADE_U32), numbers(CLADE_U32), clade_host(refs),
                              FILLED, NULL));
    take_refs(w, refs);
    w->object = clade_semilist_mem(w->semilist);
    set_options(w, clade_semilist_options(w->semilist));
    w->shape = CLADE_SEMILIST_SHAPE;
    return CLADE_OK;
}

static clade_status open_arraylist(struct world *w, const struct kind *k)
{
    (void)k;
    TRY(make_kma(w, 0));
    TRY(clade_arraylist_create(
        &w->arraylist, w->context,
        &(clade_arraylist_params) {
            .capacity = CAPACITY, .element_bytes = 4, .first = 64, .kma = w->own_kma }));
    TRY(clade_arraylist_append(w->arraylist, numbers(CLADE_U32), FILLED, NULL));
    w->object = clade_arraylist_mem(w->arraylist);
    set_options(w, clade_arraylist_options(w->arraylist));
    w->shape = CLADE_ARRAYLIST_SHAPE;
    return CLADE_OK;
}

static clade_status open_kselect(struct world *w, const struct kind *k)
{
    w->items = w->caps->is_cpu ? 1 : 32;
    snprintf(w->options, sizeof w->options,
             "-DCLADE_KSELECT_GROUP=%u -DCLADE_KSELECT_KEY=%u -DCLADE_KSELECT_INDICES=%u",
             (unsigned)w->items, k->key, k->value != CLADE_NONE);
    return CLADE_OK;
}

/* A group of one item on CPUs, of one sub-group elsewhere: what the calls of _sg and _wg share. */
static clade_status open_adheap(struct world *w, const struct kind *k)
{
    const uint32_t arity = w->caps->is_cpu ? 8 : 32, values = k->value != CLADE_NONE;
    const clade_adheap_params params = {
        .heaps = 1, .capacity = CAPACITY, .arity = arity, .key = k->key, .values = values
    };
    TRY(clade_adheap_create(&w->adheap, w->context, &params));
    TRY(clade_adheap_insert(w->adheap, numbers(k->key), numbers(k->value), 8, clade_no_array(),
                            NULL));
    w->object = clade_adheap_mem(w->adheap);
    w->items = w->caps->is_cpu || w->caps->subgroup_size <= 1 ? 1 : w->caps->subgroup_size;
    snprintf(w->options, sizeof w->options, "-DCLADE_ADHEAP_KEY=%u%s", k->key,
             values ? " -DCLADE_ADHEAP_VALUES=1" : "");
    w->shape = CLADE_ADHEAP_SHAPE(arity, k->key, CLADE_MIN, 0, values, 0);
    for (uint32_t a = 8; a <= 64; a *= 2)
        add_wrong(w, CLADE_ADHEAP_SHAPE(a, k->key, CLADE_MIN, 0, values, 0));
    add_wrong(w, CLADE_ADHEAP_SHAPE(arity, k->key == CLADE_U32 ? CLADE_I32 : CLADE_U32, CLADE_MIN,
                                    0, values, 0));
    add_wrong(w, CLADE_ADHEAP_SHAPE(arity, k->key, CLADE_MAX, 0, values, 0));
    add_wrong(w, CLADE_ADHEAP_SHAPE(arity, k->key, CLADE_MIN, 1, values, 0));
    add_wrong(w, CLADE_ADHEAP_SHAPE(arity, k->key, CLADE_MIN, 0, values ^ 1, 0));
    add_wrong(w, CLADE_ADHEAP_SHAPE(arity, k->key, CLADE_MIN, 0, values, 1));
    return CLADE_OK;
}

#define HEAP_BARE \
    "#define OBJECT void\n#define V\n#define VALUE(x) 0u\n#include \"clade/heap.clh\"\n"
#define HEAP_VALUED                                                      \
    "#define OBJECT void\n#define V , 6\n#define VALUE(x) ((uint)(x))\n" \
    "#include \"clade/heap.clh\"\n"
/* Typed values are none where there are none: that function is then no call at all. */
#define TREE                                                                  \
    "#define OBJECT clade_rbtree_head\n#include \"clade/rbtree/types.clh\"\n" \
    "#include \"clade/rbtree.clh\"\n"
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
#define ALLOCATOR "#define OBJECT clade_kma_head\n#include \"clade/kma.clh\"\n"
#define ADHEAP                                                                   \
    "#define OBJECT clade_adheap_head\n#include \"clade/adheap.clh\"\n#include " \
    "\"clade/adheap/work_group.clh\"\n"
#define PLAIN(name) "#define OBJECT clade_" name "_head\n#include \"clade/" name ".clh\"\n"

#define KIND(name, head, calls, open, key, value, other)                                    \
    {                                                                                       \
        (name), (head), calls##_calls, &calls##_call_count, (open), (key), (value), (other) \
    }
const struct kind kinds[] = {
#define HEAPS(engine, calls, number)                                                            \
    KIND("heap-" engine "-32", HEAP_BARE, calls, open_heap, CLADE_U32, CLADE_NONE, number),     \
        KIND("heap-" engine "-32-32", HEAP_VALUED, calls, open_heap, CLADE_U32, CLADE_U32,      \
             number),                                                                           \
        KIND("heap-" engine "-64", HEAP_BARE, calls, open_heap, CLADE_U64, CLADE_NONE, number), \
        KIND("heap-" engine "-64-64", HEAP_VALUED, calls, open_heap, CLADE_U64, CLADE_U64, number)
    HEAPS("td", heap, CLADE_HEAP_TOP_DOWN),
    HEAPS("bu", heap, CLADE_HEAP_BOTTOM_UP),
    HEAPS("front", front, CLADE_HEAP_FRONT),
    KIND("rbtree-32", TREE, rbtree, open_rbtree, CLADE_U32, CLADE_NONE, 0),
    KIND("rbtree-32-32", TREE, rbtree, open_rbtree, CLADE_I32, CLADE_U32, 0),
    KIND("rbtree-64", TREE, rbtree, open_rbtree, CLADE_U64, CLADE_NONE, 0),
    KIND("rbtree-64-64", TREE, rbtree, open_rbtree, CLADE_I64, CLADE_U64, 0),
    KIND("ordered-32", LIST_OF(32, 0), ordered, open_list, CLADE_U32, CLADE_NONE, 0),
    KIND("ordered-32-32", LIST_OF(32, 32), ordered, open_list, CLADE_U32, CLADE_U32, 0),
    KIND("ordered-64-32", LIST_OF(64, 32), ordered, open_list, CLADE_U64, CLADE_U32, 0),
    KIND("ordered-kma-32", LIST_IN_KMA(32, 0), ordered, open_list, CLADE_U32, CLADE_NONE, 2),
    KIND("ordered-kma-64-32", LIST_IN_KMA(64, 32), ordered, open_list, CLADE_U64, CLADE_U32, 2),
    KIND("unordered-32", LIST_OF(32, 0), unordered, open_list, CLADE_U32, CLADE_NONE, 1),
    KIND("unordered-64", LIST_OF(64, 0), unordered, open_list, CLADE_U64, CLADE_NONE, 1),
    KIND("unordered-kma-32", LIST_IN_KMA(32, 0), unordered, open_list, CLADE_U32, CLADE_NONE, 3),
    KIND("unordered-kma-64", LIST_IN_KMA(64, 0), unordered, open_list, CLADE_U64, CLADE_NONE, 3),
    KIND("kma", ALLOCATOR, kma, open_kma, 0, 0, 0),
    KIND("kma-debug", ALLOCATOR, kma, open_kma, 0, 0, 1),
    KIND("queue", PLAIN("queue"), queue, open_queue, 0, 0, 0),
    KIND("dlist", PLAIN("dlist"), dlist, open_dlist, 0, 0, 0),
    KIND("semilist",
         "#define KMA clade_kma_head\n" PLAIN("semilist") "#include \"clade/semilist/work_group.clh\"\n",
         semilist, open_semilist, 0, 0, 0),
    KIND("arraylist", "#define KMA clade_kma_head\n" PLAIN("arraylist"), arraylist, open_arraylist,
         0, 0, 0),
    KIND("adheap-32", ADHEAP, adheap, open_adheap, CLADE_U32, CLADE_NONE, 0),
    KIND("adheap-32-32", ADHEAP, adheap, open_adheap, CLADE_I32, CLADE_U32, 0),
    KIND("adheap-64-32", ADHEAP, adheap, open_adheap, CLADE_U64, CLADE_U32, 0),
    KIND("kselect-32", "#define OBJECT void\n#include \"clade/kselect.clh\"\n", kselect,
         open_kselect, CLADE_U32, CLADE_NONE, 0),
    KIND("kselect-32-32", "#define OBJECT void\n#include \"clade/kselect.clh\"\n", kselect,
         open_kselect, CLADE_F32, CLADE_U32, 0),
};
const size_t kind_count = sizeof kinds / sizeof kinds[0];

/* SPDX-License-Identifier: Apache-2.0 */
/* The table of calls, and the objects that they are made on. A public function that takes a launch
 * and has no row here fails the test. */
#include "launches/launches.h"

#include <clade/clade.h>

#define O    w->object
#define NONE clade_no_array()
/* An array of the world, in host or in device memory. */
static clade_array at(struct world *w, int slot)
{
    return w->on_host && !(w->apart >> slot & 1) ? clade_host(w->host[slot])
                                                 : clade_device(w->mem[slot], w->begin[slot]);
}

/* What fill() puts in: keys 3, 6, 9 ... */
static void keys_inside(uint32_t *keys)
{
    for (uint32_t i = 0; i < FILLED; i++)
        keys[i] = 3 * (i + 1);
}

#define KIND_DESTROY(kind, type)                \
    static void kind##_destroy(struct world *w) \
    {                                           \
        type *it = w->object;                   \
        type##_destroy(&it);                    \
    }
#define KIND_CLEAR(kind, call)                \
    static void kind##_clear(struct world *w) \
    {                                         \
        assert_ok(call);                      \
    }
#define KIND_MEM(kind, type)                              \
    static void kind##_mems(struct world *w, cl_mem *out) \
    {                                                     \
        out[0] = type##_mem(w->object);                   \
    }
/* `made` is of the type. */
#define KIND_CREATE(kind, type, ...)                                               \
    static clade_status kind##_create(struct world *w)                             \
    {                                                                              \
        type *made = NULL;                                                         \
        clade_status status =                                                      \
            type##_create(&made, w->f->context, &(type##_params) { __VA_ARGS__ }); \
        w->object = made;                                                          \
        return status;                                                             \
    }
#define KIND(which)                                                                           \
    static const struct kind which##_kind = { #which,        which##_create, which##_destroy, \
                                              which##_clear, which##_fill,   which##_mems,    \
                                              which##_drain }

/* --- heap ------------------------------------------------------------------------------------- */

KIND_CREATE(heap, clade_heap, .capacity = 1000, .key = CLADE_U32, .value = CLADE_U32, .batch = 4,
            .engine = CLADE_HEAP_TOP_DOWN)
KIND_DESTROY(heap, clade_heap)
KIND_CLEAR(heap, clade_heap_clear(O, NULL))
KIND_MEM(heap, clade_heap)

static void heap_fill(struct world *w)
{
    uint32_t keys[FILLED];
    keys_inside(keys);
    assert_ok(clade_heap_insert(O, clade_host(keys), clade_host(keys), FILLED, NULL));
}

static void heap_drain(struct world *w)
{
    uint32_t keys[SLOT_WORDS], values[SLOT_WORDS];
    uint64_t got = 0;
    assert_ok(clade_heap_check(O));
    assert_ok(clade_heap_pop(O, clade_host(keys), clade_host(values), SLOT_WORDS, clade_host(&got),
                             NULL));
    world_mix(w, keys, got);
    world_mix(w, values, got);
}
KIND(heap);

/* --- allocator -------------------------------------------------------------------------------- */

KIND_CREATE(kma, clade_kma, .bytes = 1 << 20)
KIND_DESTROY(kma, clade_kma)
KIND_CLEAR(kma, clade_kma_clear(O, NULL))
KIND_MEM(kma, clade_kma)

static void kma_fill(struct world *w)
{
    assert_ok(clade_kma_malloc(O, NONE, 100, clade_host(w->host[NODES]), COUNT, NULL));
}

static void kma_drain(struct world *w)
{
    clade_kma_stats stats;
    assert_ok(clade_kma_check(O, NULL, 0));
    assert_ok(clade_kma_stats_read(O, &stats));
    const uint64_t counts[] = { stats.live_blocks, stats.live_bytes, stats.refused,
                                stats.bad_frees };
    world_mix(w, counts, sizeof counts / 4);
}
KIND(kma);

/* --- lists ------------------------------------------------------------------------------------ */

KIND_CREATE(list, clade_list, .capacity = 300, .value = CLADE_U32)
KIND_DESTROY(list, clade_list)
KIND_CLEAR(list, clade_list_clear(O, NULL))
KIND_MEM(list, clade_list)

static void list_fill(struct world *w)
{
    uint32_t keys[FILLED];
    keys_inside(keys);
    for (uint32_t i = 0; i < COUNT; i++)
        w->host[OPS][i] = CLADE_LIST_FIND;
    assert_ok(clade_list_insert(O, clade_host(keys), clade_host(keys), FILLED, NONE, NULL));
}

static void list_drain(struct world *w)
{
    uint32_t keys[SLOT_WORDS], values[SLOT_WORDS];
    uint64_t n = 0;
    assert_ok(clade_list_check(O));
    assert_ok(clade_list_read(O, keys, values, NULL, SLOT_WORDS, &n));
    world_mix(w, keys, n);
    world_mix(w, values, n);
}
KIND(list);

KIND_CREATE(sequence, clade_list, .capacity = 300, .mode = CLADE_LIST_UNORDERED)
#define sequence_destroy list_destroy
#define sequence_clear   list_clear
#define sequence_mems    list_mems

static void sequence_fill(struct world *w)
{
    uint32_t keys[FILLED];
    keys_inside(keys);
    assert_ok(clade_list_insert_front(O, clade_host(keys), FILLED, NONE, NULL));
}

static void sequence_drain(struct world *w)
{
    uint32_t values[SLOT_WORDS];
    uint64_t n = 0;
    assert_ok(clade_list_check(O));
    assert_ok(clade_list_read(O, values, NULL, NULL, SLOT_WORDS, &n));
    world_mix(w, values, n);
}
KIND(sequence);

KIND_CREATE(dlist, clade_dlist, .capacity = 1000)
KIND_DESTROY(dlist, clade_dlist)
KIND_CLEAR(dlist, clade_dlist_clear(O, NULL))
KIND_MEM(dlist, clade_dlist)

static void dlist_fill(struct world *w)
{
    uint32_t keys[FILLED], nodes[FILLED];
    keys_inside(keys);
    assert_ok(clade_dlist_append(O, clade_host(keys), clade_host(nodes), FILLED, NONE, NULL));
    for (uint32_t i = 0; i < COUNT; i++) {
        w->host[OPS][i] = CLADE_DLIST_GET;
        w->host[NODES][i] = nodes[2 * i];
    }
}

static void dlist_drain(struct world *w)
{
    uint32_t values[SLOT_WORDS];
    uint64_t n = 0;
    assert_ok(clade_dlist_check(O));
    assert_ok(clade_dlist_read(O, 0, values, NULL, SLOT_WORDS, &n));
    world_mix(w, values, n);
}
KIND(dlist);

KIND_CREATE(semilist, clade_semilist, .capacity = 1000)
KIND_DESTROY(semilist, clade_semilist)
KIND_CLEAR(semilist, clade_semilist_clear(O, NULL))

static void semilist_mems(struct world *w, cl_mem *out)
{
    out[0] = clade_semilist_mem(O);
    out[1] = clade_kma_mem(clade_semilist_kma(O));
}

static void semilist_fill(struct world *w)
{
    uint32_t keys[FILLED], nodes[FILLED];
    keys_inside(keys);
    assert_ok(clade_semilist_append(O, clade_host(keys), clade_host(keys), clade_host(nodes),
                                    FILLED, NULL));
    for (uint32_t i = 0; i < COUNT; i++) {
        w->host[OPS][i] = CLADE_SEMILIST_FIND;
        w->host[NODES][i] = nodes[2 * i];
    }
}

static void semilist_drain(struct world *w)
{
    uint32_t keys[SLOT_WORDS], values[SLOT_WORDS];
    uint64_t n = 0;
    assert_ok(clade_semilist_check(O));
    assert_ok(clade_semilist_read(O, keys, values, NULL, SLOT_WORDS, &n));
    world_mix(w, keys, n);
    world_mix(w, values, n);
}
KIND(semilist);

/* --- queue and array list --------------------------------------------------------------------- */

KIND_CREATE(queue, clade_queue, .capacity = 256)
KIND_DESTROY(queue, clade_queue)
KIND_CLEAR(queue, clade_queue_clear(O, NULL))
KIND_MEM(queue, clade_queue)

static void queue_fill(struct world *w)
{
    uint32_t keys[FILLED];
    keys_inside(keys);
    assert_ok(clade_queue_append(O, clade_host(keys), FILLED, NONE, NULL));
}

static void queue_drain(struct world *w)
{
    uint32_t values[SLOT_WORDS];
    uint64_t got = 0;
    assert_ok(clade_queue_check(O));
    assert_ok(clade_queue_pop(O, clade_host(values), SLOT_WORDS, clade_host(&got), NULL));
    world_mix(w, values, got);
}
KIND(queue);

KIND_CREATE(arraylist, clade_arraylist, .capacity = 1000, .element_bytes = 4, .first = 16)
KIND_DESTROY(arraylist, clade_arraylist)
KIND_CLEAR(arraylist, clade_arraylist_clear(O, NULL))

static void arraylist_mems(struct world *w, cl_mem *out)
{
    out[0] = clade_arraylist_mem(O);
    out[1] = clade_kma_mem(clade_arraylist_kma(O));
}

static void arraylist_fill(struct world *w)
{
    uint32_t keys[FILLED];
    keys_inside(keys);
    assert_ok(clade_arraylist_append(O, clade_host(keys), FILLED, NULL));
}

static void arraylist_drain(struct world *w)
{
    uint32_t elements[SLOT_WORDS];
    uint64_t size = 0;
    assert_ok(clade_arraylist_check(O));
    assert_ok(clade_arraylist_size(O, &size));
    assert_in_range(size, 0, SLOT_WORDS);
    assert_ok(clade_arraylist_read(O, 0, clade_host(elements), size, NULL));
    world_mix(w, elements, size);
}
KIND(arraylist);

/* --- tree ------------------------------------------------------------------------------------- */

KIND_CREATE(rbtree, clade_rbtree, .capacity = 300, .value = CLADE_U32, .leaf_capacity = 4,
            .path = CLADE_RBTREE_CONCURRENT)
KIND_CREATE(rbtree_bulk, clade_rbtree, .capacity = 300, .value = CLADE_U32, .leaf_capacity = 4,
            .path = CLADE_RBTREE_BULK)
KIND_DESTROY(rbtree, clade_rbtree)
KIND_CLEAR(rbtree, clade_rbtree_clear(O, NULL))
KIND_MEM(rbtree, clade_rbtree)

static void rbtree_fill(struct world *w)
{
    uint32_t keys[FILLED];
    keys_inside(keys);
    assert_ok(clade_rbtree_insert(O, clade_host(keys), clade_host(keys), FILLED, NONE, NULL));
}

static void rbtree_drain(struct world *w)
{
    uint32_t keys[SLOT_WORDS], values[SLOT_WORDS];
    uint64_t got = 0;
    assert_ok(clade_rbtree_check(O));
    assert_ok(clade_rbtree_read(O, clade_host(keys), clade_host(values), SLOT_WORDS, &got, NULL));
    world_mix(w, keys, got);
    world_mix(w, values, got);
}
#define rbtree_bulk_destroy rbtree_destroy
#define rbtree_bulk_clear   rbtree_clear
#define rbtree_bulk_mems    rbtree_mems
#define rbtree_bulk_fill    rbtree_fill
#define rbtree_bulk_drain   rbtree_drain
KIND(rbtree);
KIND(rbtree_bulk);

/* --- ad-heap and k-selection ------------------------------------------------------------------ */

enum { HEAPS = 4, EACH = COUNT / HEAPS };

KIND_CREATE(adheap, clade_adheap, .heaps = HEAPS, .capacity = 4 * EACH, .arity = 8,
            .key = CLADE_U32, .values = 1)
/* The host writes back, and has words of its own in the object. */
KIND_CREATE(bridged, clade_adheap, .heaps = HEAPS, .capacity = 4 * EACH, .arity = 8,
            .key = CLADE_U32, .values = 1, .bridge = CLADE_ADHEAP_BRIDGE_HOST)
KIND_DESTROY(adheap, clade_adheap)
KIND_CLEAR(adheap, clade_adheap_clear(O, NULL))
KIND_MEM(adheap, clade_adheap)

static void adheap_fill(struct world *w)
{
    uint32_t keys[FILLED];
    keys_inside(keys);
    assert_ok(
        clade_adheap_insert(O, clade_host(keys), clade_host(keys), FILLED / HEAPS, NONE, NULL));
}

static void adheap_drain(struct world *w)
{
    uint32_t sizes[HEAPS] = { 0 }, keys[HEAPS * 4 * EACH], values[HEAPS * 4 * EACH];
    assert_ok(clade_adheap_check(O));
    assert_ok(clade_adheap_sizes(O, clade_host(sizes), NULL));
    world_mix(w, sizes, HEAPS);
    assert_ok(clade_adheap_pop(O, clade_host(keys), clade_host(values), 4 * EACH, NONE, NULL));
    for (size_t i = 0; i < HEAPS; i++) {
        world_mix(w, keys + i * 4 * EACH, sizes[i]);
        world_mix(w, values + i * 4 * EACH, sizes[i]);
    }
}
#define bridged_destroy adheap_destroy
#define bridged_clear   adheap_clear
#define bridged_mems    adheap_mems
#define bridged_fill    adheap_fill
#define bridged_drain   adheap_drain
KIND(adheap);
KIND(bridged);

KIND_CREATE(kselect, clade_kselect, .length = EACH, .k = 3, .key = CLADE_U32,
            .output = CLADE_KSELECT_SORTED, .indices = 1)
KIND_DESTROY(kselect, clade_kselect)

static void nothing(struct world *w)
{
    (void)w;
}

static void no_mems(struct world *w, cl_mem *out)
{
    (void)w;
    (void)out;
}
#define kselect_clear nothing
#define kselect_fill  nothing
#define kselect_mems  no_mems
#define kselect_drain nothing
KIND(kselect);

/* --- the table -------------------------------------------------------------------------------- */

#define A(slot)   at(w, slot)
#define BIT(slot) (1u << (slot))
#define N         w->count
#define N_EACH    (w->count / HEAPS)
#define N_ROWS    (w->count / EACH)
/* ROW(kind, name, function, blocks, loose, the call). `name` says a function's row from another. */
#define ROWS(ROW)                                                                                  \
    ROW(heap, insert, clade_heap_insert, HOST_ARRAYS, 0, (O, A(NEW), A(VALUES), N, launch))        \
    ROW(heap, pop, clade_heap_pop, HOST_ARRAYS, 0, (O, A(OUT), A(ALSO), N, A(GOT), launch))        \
    ROW(heap, clear, clade_heap_clear, NEVER, 0, (O, launch))                                      \
    ROW(kma, clear, clade_kma_clear, NEVER, 0, (O, launch))                                        \
    ROW(kma, malloc, clade_kma_malloc, HOST_ARRAYS, BIT(OUT), (O, NONE, 100, A(OUT), N, launch))   \
    ROW(kma, free, clade_kma_free, HOST_ARRAYS, 0, (O, A(NODES), N, launch))                       \
    ROW(list, insert, clade_list_insert, HOST_ARRAYS, 0,                                           \
        (O, A(NEW), A(VALUES), N, A(STATUSES), launch))                                            \
    ROW(list, insert_told, clade_list_insert, HOST_ARRAYS, 0,                                      \
        (O, A(NEW), A(VALUES), N, NONE, launch))                                                   \
    ROW(list, put, clade_list_put, HOST_ARRAYS, 0,                                                 \
        (O, A(INSIDE), A(VALUES), N, A(STATUSES), launch))                                         \
    ROW(list, erase, clade_list_erase, HOST_ARRAYS, 0, (O, A(INSIDE), N, A(STATUSES), launch))     \
    ROW(list, contains, clade_list_contains, HOST_ARRAYS, 0,                                       \
        (O, A(INSIDE), N, A(STATUSES), launch))                                                    \
    ROW(list, find, clade_list_find, HOST_ARRAYS, 0,                                               \
        (O, A(INSIDE), A(OUT), N, A(STATUSES), launch))                                            \
    ROW(list, apply, clade_list_apply, HOST_ARRAYS, 0,                                             \
        (O, A(OPS), A(INSIDE), A(OUT), N, A(STATUSES), launch))                                    \
    ROW(list, apply_counted, clade_list_apply_counted, HOST_ARRAYS, 0,                             \
        (O, A(OPS), A(INSIDE), A(OUT), A(ALSO), N, A(STATUSES), launch))                           \
    ROW(list, reclaim, clade_list_reclaim, NEVER, 0, (O, launch))                                  \
    ROW(list, clear, clade_list_clear, NEVER, 0, (O, launch))                                      \
    ROW(sequence, insert_front, clade_list_insert_front, HOST_ARRAYS, 0,                           \
        (O, A(NEW), N, A(STATUSES), launch))                                                       \
    ROW(sequence, insert_after, clade_list_insert_after, HOST_ARRAYS, 0,                           \
        (O, A(INSIDE), A(NEW), N, A(STATUSES), launch))                                            \
    ROW(dlist, apply, clade_dlist_apply, HOST_ARRAYS, 0,                                           \
        (O, A(OPS), A(NODES), A(OUT), A(ALSO), N, A(STATUSES), launch))                            \
    ROW(dlist, insert_after, clade_dlist_insert_after, HOST_ARRAYS, BIT(ALSO),                     \
        (O, A(NODES), A(VALUES), A(ALSO), N, A(STATUSES), launch))                                 \
    ROW(dlist, insert_before, clade_dlist_insert_before, HOST_ARRAYS, BIT(ALSO),                   \
        (O, A(NODES), A(VALUES), A(ALSO), N, NONE, launch))                                        \
    ROW(dlist, erase, clade_dlist_erase, HOST_ARRAYS, 0,                                           \
        (O, A(NODES), A(OUT), N, A(STATUSES), launch))                                             \
    ROW(dlist, append, clade_dlist_append, HOST_ARRAYS, BIT(ALSO),                                 \
        (O, A(VALUES), A(ALSO), N, A(STATUSES), launch))                                           \
    ROW(dlist, reclaim, clade_dlist_reclaim, NEVER, 0, (O, launch))                                \
    ROW(dlist, clear, clade_dlist_clear, NEVER, 0, (O, launch))                                    \
    ROW(semilist, append, clade_semilist_append, SOMETIMES, BIT(ALSO),                             \
        (O, A(NEW), A(VALUES), A(ALSO), N, launch))                                                \
    ROW(semilist, apply, clade_semilist_apply, SOMETIMES, BIT(ALSO),                               \
        (O, A(OPS), A(INSIDE), A(OUT), A(ALSO), N, A(STATUSES), launch))                           \
    ROW(semilist, find, clade_semilist_find, HOST_ARRAYS, BIT(ALSO),                               \
        (O, A(INSIDE), A(OUT), A(ALSO), N, A(STATUSES), launch))                                   \
    ROW(semilist, erase, clade_semilist_erase, SOMETIMES, BIT(ALSO),                               \
        (O, A(INSIDE), A(OUT), A(ALSO), N, A(STATUSES), launch))                                   \
    ROW(semilist, erase_at, clade_semilist_erase_at, SOMETIMES, 0,                                 \
        (O, A(NODES), N, A(STATUSES), launch))                                                     \
    ROW(semilist, reclaim, clade_semilist_reclaim, NEVER, 0, (O, launch))                          \
    ROW(semilist, clear, clade_semilist_clear, NEVER, 0, (O, launch))                              \
    ROW(queue, append, clade_queue_append, HOST_ARRAYS, 0, (O, A(VALUES), N, A(STATUSES), launch)) \
    ROW(queue, pop, clade_queue_pop, HOST_ARRAYS, 0, (O, A(OUT), N, A(GOT), launch))               \
    ROW(queue, clear, clade_queue_clear, NEVER, 0, (O, launch))                                    \
    ROW(arraylist, append, clade_arraylist_append, HOST_ARRAYS, 0, (O, A(NEW), N, launch))         \
    ROW(arraylist, read, clade_arraylist_read, ALWAYS, 0, (O, 16, A(OUT), N, launch))              \
    ROW(arraylist, clear, clade_arraylist_clear, NEVER, 0, (O, launch))                            \
    ROW(rbtree, insert, clade_rbtree_insert, HOST_ARRAYS, 0,                                       \
        (O, A(NEW), A(VALUES), N, A(STATUSES), launch))                                            \
    ROW(rbtree, put, clade_rbtree_put, HOST_ARRAYS, 0,                                             \
        (O, A(NEW), A(VALUES), N, A(STATUSES), launch))                                            \
    ROW(rbtree, erase, clade_rbtree_erase, HOST_ARRAYS, 0,                                         \
        (O, A(INSIDE), A(OUT), N, A(STATUSES), launch))                                            \
    ROW(rbtree, find, clade_rbtree_find, HOST_ARRAYS, 0,                                           \
        (O, A(INSIDE), A(OUT), N, A(STATUSES), launch))                                            \
    ROW(rbtree, seek, clade_rbtree_seek, HOST_ARRAYS, 0,                                           \
        (O, A(NEW), CLADE_RBTREE_FLOOR, A(OUT), A(ALSO), N, A(STATUSES), launch))                  \
    ROW(rbtree, range, clade_rbtree_range, HOST_ARRAYS, 0,                                         \
        (O, A(INSIDE), A(NEW), 4, A(OUT), A(ALSO), A(STATUSES), N, launch))                        \
    ROW(rbtree, rank, clade_rbtree_rank, ALWAYS, 0, (O, A(NEW), A(OUT), N, launch))                \
    ROW(rbtree, select, clade_rbtree_select, ALWAYS, 0,                                            \
        (O, A(INDEX), A(OUT), A(ALSO), N, A(STATUSES), launch))                                    \
    ROW(rbtree, build, clade_rbtree_build, ALWAYS, 0, (O, A(NEW), A(VALUES), 0, N, launch))        \
    ROW(rbtree, read, clade_rbtree_read, ALWAYS, 0,                                                \
        (O, A(OUT), A(ALSO), SLOT_WORDS, &w->got, launch))                                         \
    ROW(rbtree, clear, clade_rbtree_clear, ALWAYS, 0, (O, launch))                                 \
    ROW(rbtree, reclaim, clade_rbtree_reclaim, ALWAYS, 0, (O, launch))                             \
    ROW(rbtree_bulk, insert, clade_rbtree_insert, ALWAYS, 0,                                       \
        (O, A(NEW), A(VALUES), N, A(STATUSES), launch))                                            \
    ROW(rbtree_bulk, erase, clade_rbtree_erase, ALWAYS, 0,                                         \
        (O, A(INSIDE), A(OUT), N, A(STATUSES), launch))                                            \
    ROW(adheap, insert, clade_adheap_insert, HOST_ARRAYS, 0,                                       \
        (O, A(NEW), A(VALUES), N_EACH, A(STATUSES), launch))                                       \
    ROW(adheap, pop, clade_adheap_pop, HOST_ARRAYS, 0,                                             \
        (O, A(OUT), A(ALSO), N_EACH, A(STATUSES), launch))                                         \
    ROW(adheap, peek, clade_adheap_peek, HOST_ARRAYS, 0,                                           \
        (O, A(OUT), A(ALSO), A(STATUSES), launch))                                                 \
    ROW(adheap, update, clade_adheap_update, HOST_ARRAYS, 0,                                       \
        (O, A(INDEX), A(NEW), A(VALUES), N_EACH, A(STATUSES), launch))                             \
    ROW(adheap, build, clade_adheap_build, HOST_ARRAYS, 0, (O, A(NEW), A(VALUES), N_EACH, launch)) \
    ROW(adheap, feed, clade_adheap_feed, HOST_ARRAYS, 0,                                           \
        (O, A(NEW), A(VALUES), 0, N_EACH, launch))                                                 \
    ROW(adheap, merge, clade_adheap_merge, HOST_ARRAYS, 0,                                         \
        (O, A(NEW), A(VALUES), N_EACH, A(STATUSES), launch))                                       \
    ROW(adheap, sizes, clade_adheap_sizes, HOST_ARRAYS, 0, (O, A(OUT), launch))                    \
    ROW(adheap, clear, clade_adheap_clear, NEVER, 0, (O, launch))                                  \
    ROW(bridged, insert, clade_adheap_insert, ALWAYS, 0,                                           \
        (O, A(NEW), A(VALUES), N_EACH, A(STATUSES), launch))                                       \
    ROW(bridged, pop, clade_adheap_pop, ALWAYS, 0,                                                 \
        (O, A(OUT), A(ALSO), N_EACH, A(STATUSES), launch))                                         \
    ROW(bridged, build, clade_adheap_build, ALWAYS, 0, (O, A(NEW), A(VALUES), N_EACH, launch))     \
    ROW(bridged, sizes, clade_adheap_sizes, ALWAYS, 0, (O, A(OUT), launch))                        \
    ROW(bridged, clear, clade_adheap_clear, ALWAYS, 0, (O, launch))                                \
    ROW(kselect, run, clade_kselect_run, HOST_ARRAYS, 0,                                           \
        (O, A(NEW), A(OUT), A(ALSO), N_ROWS, launch))

#define AS_FUNCTION(kind, name, function, blocks, loose, arguments)                       \
    static clade_status call_##kind##_##name(struct world *w, const clade_launch *launch) \
    {                                                                                     \
        return function arguments;                                                        \
    }
ROWS(AS_FUNCTION)
#define AS_ROW(kind, name, function, blocks, loose, arguments) \
    { #function, &kind##_kind, call_##kind##_##name, blocks, loose, #arguments },
const struct row rows[] = { ROWS(AS_ROW) };
const size_t row_count = sizeof rows / sizeof rows[0];

bool row_takes(const struct row *row, int slot)
{
    static const char *const names[SLOTS] = {
        [NEW] = "A(NEW)", [INSIDE] = "A(INSIDE)", [VALUES] = "A(VALUES)",
        [OUT] = "A(OUT)", [ALSO] = "A(ALSO)",     [STATUSES] = "A(STATUSES)",
        [OPS] = "A(OPS)", [NODES] = "A(NODES)",   [INDEX] = "A(INDEX)",
        [GOT] = "A(GOT)",
    };
    return strstr(row->arguments, names[slot]) != NULL;
}

/* --- worlds ----------------------------------------------------------------------------------- */

void world_mix(struct world *w, const void *words, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        uint32_t word; /* whatever the type of `words` */
        memcpy(&word, (const char *)words + 4 * i, sizeof word);
        w->digest = (w->digest ^ word) * 0x9e3779b97f4a7c15u;
        w->digest ^= w->digest >> 29;
    }
}

void world_open(struct world *w, const struct kind *kind, struct fixture *f)
{
    *w = (struct world) { .kind = kind, .f = f, .count = COUNT };
    for (size_t i = 0; i < SLOTS; i++)
        w->mem[i] = fixture_buffer(f, sizeof w->host[i], w->host[i]);
    assert_ok(kind->create(w));
}

void world_close(struct world *w)
{
    w->kind->destroy(w);
    for (size_t i = 0; i < SLOTS; i++)
        clReleaseMemObject(w->mem[i]);
}

void world_reset(struct world *w)
{
    memset(w->host, 0, sizeof w->host);
    w->got = w->digest = 0;
    for (uint32_t i = 0; i < COUNT; i++) {
        w->host[NEW][i] = 3 * (i + 1) + 1;
        w->host[INSIDE][i] = 3 * (i + 1);
        w->host[VALUES][i] = (i + 1) * 0x9e3779b9u >> 2;
        w->host[INDEX][i] = i % EACH;
    }
    w->kind->clear(w);
    w->kind->fill(w);
    assert_ok(clade_finish(w->f->context));
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Calls with a launch: the heap (tests/launches/rows.h). */
#include "launches/rows.h"

#include <clade/heap.h>

KIND_CREATE(heap, clade_heap, .capacity = 1000, .key = CLADE_U32, .value = CLADE_U32, .batch = 4,
            .engine = CLADE_HEAP_TOP_DOWN)
KIND_DESTROY(heap, clade_heap)
KIND_CLEAR(heap, clade_heap_clear(O, NULL))
KIND_MEM(heap, clade_heap)

static void heap_fill(struct world *w)
{
    uint32_t keys[FILLED];
    world_keys(keys);
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

/* So few keys that the host pops and inserts them itself, while no kernel is compiled for it. */
KIND_CREATE(heap_few, clade_heap, .capacity = 1000, .key = CLADE_U32, .value = CLADE_U32,
            .batch = 256, .engine = CLADE_HEAP_TOP_DOWN)
KIND_DESTROY(heap_few, clade_heap)
KIND_CLEAR(heap_few, clade_heap_clear(O, NULL))
KIND_MEM(heap_few, clade_heap)

static void heap_few_fill(struct world *w)
{
    heap_fill(w);
}

static void heap_few_drain(struct world *w)
{
    heap_drain(w);
}
KIND(heap_few);

#define ROWS(ROW)                                                                           \
    ROW(heap, insert, clade_heap_insert, HOST_ARRAYS, 0, (O, A(NEW), A(VALUES), N, launch)) \
    ROW(heap, pop, clade_heap_pop, HOST_ARRAYS, 0, (O, A(OUT), A(ALSO), N, A(GOT), launch)) \
    ROW(heap, clear, clade_heap_clear, NEVER, 0, (O, launch))                               \
    ROW(heap_few, pop, clade_heap_pop, HOST_ARRAYS, 0, (O, A(OUT), A(ALSO), N, A(GOT), launch))
LAUNCH_ROWS(heap, ROWS)

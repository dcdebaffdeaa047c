/* SPDX-License-Identifier: Apache-2.0 */
/* Calls with a launch: the hash map (tests/launches/rows.h). */
#include "launches/rows.h"

#include <clade/hashmap.h>

KIND_CREATE(hashmap, clade_hashmap, .capacity = 300, .value = CLADE_U32)
KIND_DESTROY(hashmap, clade_hashmap)
KIND_CLEAR(hashmap, clade_hashmap_clear(O, NULL))
KIND_MEM(hashmap, clade_hashmap)

static void hashmap_fill(struct world *w)
{
    uint32_t keys[FILLED];
    world_keys(keys);
    assert_ok(clade_hashmap_insert(O, clade_host(keys), clade_host(keys), FILLED, NONE, NULL));
}

static int by_key(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

/* A map gives its entries in no order. */
static void hashmap_drain(struct world *w)
{
    uint32_t keys[SLOT_WORDS], values[SLOT_WORDS];
    uint64_t got = 0, entries[SLOT_WORDS];
    assert_ok(clade_hashmap_check(O));
    assert_ok(clade_hashmap_read(O, clade_host(keys), clade_host(values), SLOT_WORDS, &got, NULL));
    for (uint64_t i = 0; i < got; i++)
        entries[i] = (uint64_t)keys[i] << 32 | values[i];
    qsort(entries, (size_t)got, sizeof *entries, by_key);
    world_mix(w, entries, 2 * got);
}
KIND(hashmap);

#define ROWS(ROW)                                                              \
    ROW(hashmap, insert, clade_hashmap_insert, HOST_ARRAYS, 0,                 \
        (O, A(NEW), A(VALUES), N, A(STATUSES), launch))                        \
    ROW(hashmap, put, clade_hashmap_put, HOST_ARRAYS, 0,                       \
        (O, A(INSIDE), A(VALUES), N, A(STATUSES), launch))                     \
    ROW(hashmap, update, clade_hashmap_update, HOST_ARRAYS, 0,                 \
        (O, A(INSIDE), A(VALUES), CLADE_HASHMAP_PLUS, N, A(STATUSES), launch)) \
    ROW(hashmap, erase, clade_hashmap_erase, HOST_ARRAYS, 0,                   \
        (O, A(INSIDE), A(OUT), N, A(STATUSES), launch))                        \
    ROW(hashmap, find, clade_hashmap_find, HOST_ARRAYS, 0,                     \
        (O, A(INSIDE), A(OUT), N, A(STATUSES), launch))                        \
    ROW(hashmap, read, clade_hashmap_read, ALWAYS, BIT(OUT) | BIT(ALSO),       \
        (O, A(OUT), A(ALSO), SLOT_WORDS, &w->got, launch))                     \
    ROW(hashmap, grow, clade_hashmap_grow, ALWAYS, 0, (O, 400, launch))        \
    ROW(hashmap, clear, clade_hashmap_clear, NEVER, 0, (O, launch))
LAUNCH_ROWS(hashmap, ROWS)

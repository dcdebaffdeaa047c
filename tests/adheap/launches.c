/* SPDX-License-Identifier: Apache-2.0 */
/* Calls with a launch: the ad-heap (tests/launches/rows.h). */
#include "launches/rows.h"

#include <clade/adheap.h>

enum { EACH = PART, HEAPS = COUNT / EACH };

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
    world_keys(keys);
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
KIND_OF(bridged, true);

#define ROWS(ROW)                                                               \
    ROW(adheap, insert, clade_adheap_insert, HOST_ARRAYS, 0,                    \
        (O, A(NEW), A(VALUES), N_EACH(HEAPS), A(STATUSES), launch))             \
    ROW(adheap, pop, clade_adheap_pop, HOST_ARRAYS, 0,                          \
        (O, A(OUT), A(ALSO), N_EACH(HEAPS), A(STATUSES), launch))               \
    ROW(adheap, peek, clade_adheap_peek, HOST_ARRAYS, 0,                        \
        (O, A(OUT), A(ALSO), A(STATUSES), launch))                              \
    ROW(adheap, update, clade_adheap_update, HOST_ARRAYS, 0,                    \
        (O, A(INDEX), A(NEW), A(VALUES), N_EACH(HEAPS), A(STATUSES), launch))   \
    ROW(adheap, build, clade_adheap_build, HOST_ARRAYS, 0,                      \
        (O, A(NEW), A(VALUES), N_EACH(HEAPS), launch))                          \
    ROW(adheap, feed, clade_adheap_feed, HOST_ARRAYS, 0,                        \
        (O, A(NEW), A(VALUES), 0, N_EACH(HEAPS), launch))                       \
    ROW(adheap, merge, clade_adheap_merge, HOST_ARRAYS, 0,                      \
        (O, A(NEW), A(VALUES), N_EACH(HEAPS), A(STATUSES), launch))             \
    ROW(adheap, sizes, clade_adheap_sizes, HOST_ARRAYS, 0, (O, A(OUT), launch)) \
    ROW(adheap, clear, clade_adheap_clear, NEVER, 0, (O, launch))               \
    ROW(bridged, insert, clade_adheap_insert, ALWAYS, 0,                        \
        (O, A(NEW), A(VALUES), N_EACH(HEAPS), A(STATUSES), launch))             \
    ROW(bridged, pop, clade_adheap_pop, ALWAYS, 0,                              \
        (O, A(OUT), A(ALSO), N_EACH(HEAPS), A(STATUSES), launch))               \
    ROW(bridged, build, clade_adheap_build, ALWAYS, 0,                          \
        (O, A(NEW), A(VALUES), N_EACH(HEAPS), launch))                          \
    ROW(bridged, sizes, clade_adheap_sizes, ALWAYS, 0, (O, A(OUT), launch))     \
    ROW(bridged, clear, clade_adheap_clear, ALWAYS, 0, (O, launch))
LAUNCH_ROWS(adheap, ROWS)

/* SPDX-License-Identifier: Apache-2.0 */
/* Calls with a launch: the doubly linked list (tests/launches/rows.h). */
#include "launches/rows.h"

#include <clade/dlist.h>

KIND_CREATE(dlist, clade_dlist, .capacity = 1000)
KIND_DESTROY(dlist, clade_dlist)
KIND_CLEAR(dlist, clade_dlist_clear(O, NULL))
KIND_MEM(dlist, clade_dlist)

static void dlist_fill(struct world *w)
{
    uint32_t keys[FILLED], nodes[FILLED];
    world_keys(keys);
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

#define ROWS(ROW)                                                                \
    ROW(dlist, apply, clade_dlist_apply, HOST_ARRAYS, 0,                         \
        (O, A(OPS), A(NODES), A(OUT), A(ALSO), N, A(STATUSES), launch))          \
    ROW(dlist, insert_after, clade_dlist_insert_after, HOST_ARRAYS, BIT(ALSO),   \
        (O, A(NODES), A(VALUES), A(ALSO), N, A(STATUSES), launch))               \
    ROW(dlist, insert_before, clade_dlist_insert_before, HOST_ARRAYS, BIT(ALSO), \
        (O, A(NODES), A(VALUES), A(ALSO), N, NONE, launch))                      \
    ROW(dlist, erase, clade_dlist_erase, HOST_ARRAYS, 0,                         \
        (O, A(NODES), A(OUT), N, A(STATUSES), launch))                           \
    ROW(dlist, append, clade_dlist_append, HOST_ARRAYS, BIT(ALSO),               \
        (O, A(VALUES), A(ALSO), N, A(STATUSES), launch))                         \
    ROW(dlist, reclaim, clade_dlist_reclaim, NEVER, 0, (O, launch))              \
    ROW(dlist, clear, clade_dlist_clear, NEVER, 0, (O, launch))
LAUNCH_ROWS(dlist, ROWS)

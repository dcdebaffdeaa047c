/* SPDX-License-Identifier: Apache-2.0 */
/* Calls with a launch: the semi-linked list (tests/launches/rows.h). */
#include "launches/rows.h"

#include <clade/semilist.h>

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
    world_keys(keys);
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

#define ROWS(ROW)                                                         \
    ROW(semilist, append, clade_semilist_append, SOMETIMES, BIT(ALSO),    \
        (O, A(NEW), A(VALUES), A(ALSO), N, launch))                       \
    ROW(semilist, apply, clade_semilist_apply, SOMETIMES, BIT(ALSO),      \
        (O, A(OPS), A(INSIDE), A(OUT), A(ALSO), N, A(STATUSES), launch))  \
    ROW(semilist, find, clade_semilist_find, HOST_ARRAYS, BIT(ALSO),      \
        (O, A(INSIDE), A(OUT), A(ALSO), N, A(STATUSES), launch))          \
    ROW(semilist, erase, clade_semilist_erase, SOMETIMES, BIT(ALSO),      \
        (O, A(INSIDE), A(OUT), A(ALSO), N, A(STATUSES), launch))          \
    ROW(semilist, erase_at, clade_semilist_erase_at, SOMETIMES, 0,        \
        (O, A(NODES), N, A(STATUSES), launch))                            \
    ROW(semilist, reclaim, clade_semilist_reclaim, NEVER, 0, (O, launch)) \
    ROW(semilist, clear, clade_semilist_clear, NEVER, 0, (O, launch))
LAUNCH_ROWS(semilist, ROWS)

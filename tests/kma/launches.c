/* SPDX-License-Identifier: Apache-2.0 */
/* Calls with a launch: the allocator (tests/launches/rows.h). */
#include "launches/rows.h"

#include <clade/kma.h>

KIND_CREATE(kma, clade_kma, .bytes = 1 << 20, .most = 2 << 20)
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

#define ROWS(ROW)                                                                                \
    ROW(kma, clear, clade_kma_clear, NEVER, 0, (O, launch))                                      \
    ROW(kma, grow, clade_kma_grow, ALWAYS, 0, (O, 3 << 19, launch))                              \
    ROW(kma, malloc, clade_kma_malloc, HOST_ARRAYS, BIT(OUT), (O, NONE, 100, A(OUT), N, launch)) \
    ROW(kma, free, clade_kma_free, HOST_ARRAYS, 0, (O, A(NODES), N, launch))
LAUNCH_ROWS(kma, ROWS)

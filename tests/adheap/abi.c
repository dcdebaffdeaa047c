/* SPDX-License-Identifier: Apache-2.0 */
/* What lasts between releases: the ad-heap (tests/abi/abi.h). */
#include "abi/abi.h"

#include <clade/adheap.h>

SIZE(clade_adheap_params, 112);
AT(clade_adheap_params, heaps, 0);
AT(clade_adheap_params, capacity, 4);
AT(clade_adheap_params, arity, 8);
AT(clade_adheap_params, key, 12);
AT(clade_adheap_params, order, 16);
AT(clade_adheap_params, keep, 20);
AT(clade_adheap_params, values, 24);
AT(clade_adheap_params, bridge, 28);
AT(clade_adheap_params, count, 32);
AT(clade_adheap_params, feed, 36);
AT(clade_adheap_params, patience, 40);

SIZE(clade_adheap_stats, 144);
AT(clade_adheap_stats, heaps, 0);
AT(clade_adheap_stats, capacity, 8);
AT(clade_adheap_stats, size, 16);
AT(clade_adheap_stats, bytes, 24);
AT(clade_adheap_stats, walks, 32);
AT(clade_adheap_stats, loads, 40);
AT(clade_adheap_stats, moves, 48);
AT(clade_adheap_stats, plain, 56);
AT(clade_adheap_stats, bridged, 64);
AT(clade_adheap_stats, scattered, 72);

SIZE(clade_adheap_call, 64);
AT(clade_adheap_call, what, 0);
AT(clade_adheap_call, heap, 4);
AT(clade_adheap_call, node, 8);
AT(clade_adheap_call, value, 12);
AT(clade_adheap_call, key, 16);

static void structs(struct fixture *f)
{
    assert_null(clade_adheap_mem(NULL));
    assert_fails(clade_adheap_check(NULL), CLADE_E_ARG);
    assert_null(clade_adheap_options(NULL));
    CREATE_REFUSES(adheap, .heaps = 1, .capacity = 10);
    CREATED_STATS_ARE_ZEROED(adheap, .heaps = 1, .capacity = 10);
}

static void shapes(meet_shape *meet)
{
    for (uint32_t arity = 8; arity <= 64; arity *= 2)
        for (uint32_t key = CLADE_I32; key <= CLADE_F64; key++)
            for (uint32_t bits = 0; bits < 16; bits++)
                meet(CLADE_ADHEAP_SHAPE(arity, key, bits & 1, bits >> 1 & 1, bits >> 2 & 1,
                                        bits >> 3));
}

static const uint32_t places[] = { CLADE_ADHEAP_LAYOUT(PLACE) };
const struct abi adheap_abi = { "adheap", structs, shapes, LAYOUT(ADHEAP) };

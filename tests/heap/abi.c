/* SPDX-License-Identifier: Apache-2.0 */
/* What lasts between releases: the heap (tests/abi/abi.h). */
#include "abi/abi.h"

#include <clade/heap.h>
#include <clade/shared/heap_front.h>

SIZE(clade_heap_params, 112);
AT(clade_heap_params, capacity, 0);
AT(clade_heap_params, key, 8);
AT(clade_heap_params, value, 12);
AT(clade_heap_params, order, 16);
AT(clade_heap_params, batch, 20);
AT(clade_heap_params, engine, 24);
AT(clade_heap_params, atomic_inserts, 28);
AT(clade_heap_params, group_size, 32);
AT(clade_heap_params, groups, 36);
AT(clade_heap_params, heaps, 40);

SIZE(clade_heap_stats, 128);
AT(clade_heap_stats, size, 0);
AT(clade_heap_stats, capacity, 8);
AT(clade_heap_stats, inserts, 16);
AT(clade_heap_stats, pops, 24);
AT(clade_heap_stats, refused, 32);
AT(clade_heap_stats, lock_retries, 40);
AT(clade_heap_stats, cooperations, 48);
AT(clade_heap_stats, bytes, 56);

static void structs(struct fixture *f)
{
    assert_null(clade_heap_mem(NULL));
    assert_fails(clade_heap_check(NULL), CLADE_E_ARG);
    assert_null(clade_heap_options(NULL));
    CREATE_REFUSES(heap, .capacity = 10);
    CREATED_STATS_ARE_ZEROED(heap, .capacity = 10);
    CREATED_STATS_ARE_ZEROED(heap, .capacity = 10, .heaps = 2);
}

static void shapes(meet_shape *meet)
{
    for (uint32_t types = 0; types < 6 * 7 * 2; types++) {
        const uint32_t key = CLADE_I32 + types % 6, value = types / 6 % 7, order = types / 42;
        for (uint32_t batch = CLADE_HEAP_BATCH_MIN; batch <= CLADE_HEAP_BATCH_MAX; batch++) {
            meet(CLADE_HEAP_SHAPE(key, value, order, CLADE_HEAP_TOP_DOWN, batch, 0));
            meet(CLADE_HEAP_SHAPE(key, value, order, CLADE_HEAP_BOTTOM_UP, batch, 0));
        }
        for (uint32_t leaf = CLADE_FRONT_LEAF_MIN; leaf <= CLADE_FRONT_LEAF_MAX; leaf *= 2)
            for (uint32_t batch = CLADE_HEAP_BATCH_MIN; batch <= leaf / 2; batch++)
                meet(CLADE_HEAP_SHAPE(key, value, order, CLADE_HEAP_FRONT, batch, leaf));
    }
}

static const uint32_t places[] = { CLADE_HEAP_LAYOUT(PLACE) };
const struct abi heap_abi = { "heap", structs, shapes, LAYOUT(HEAP) };

/* SPDX-License-Identifier: Apache-2.0 */
/* What lasts between releases: the hash map (tests/abi/abi.h). */
#include "abi/abi.h"

#include <clade/hashmap.h>

SIZE(clade_hashmap_params, 96);
AT(clade_hashmap_params, capacity, 0);
AT(clade_hashmap_params, key, 8);
AT(clade_hashmap_params, value, 12);
AT(clade_hashmap_params, form, 16);
AT(clade_hashmap_params, seed, 20);
AT(clade_hashmap_params, group_size, 24);

SIZE(clade_hashmap_stats, 144);
AT(clade_hashmap_stats, size, 0);
AT(clade_hashmap_stats, capacity, 8);
AT(clade_hashmap_stats, places, 16);
AT(clade_hashmap_stats, erased, 24);
AT(clade_hashmap_stats, away, 32);
AT(clade_hashmap_stats, farthest, 40);
AT(clade_hashmap_stats, reach, 48);
AT(clade_hashmap_stats, busy, 56);
AT(clade_hashmap_stats, full, 64);
AT(clade_hashmap_stats, bytes, 72);

static void structs(struct fixture *f)
{
    assert_null(clade_hashmap_mem(NULL));
    assert_fails(clade_hashmap_check(NULL), CLADE_E_ARG);
    assert_null(clade_hashmap_options(NULL));
    CREATE_REFUSES(hashmap, .capacity = 10);
    CREATED_STATS_ARE_ZEROED(hashmap, .capacity = 10);
}

static void shapes(meet_shape *meet)
{
    static const uint32_t keys[] = { CLADE_I32, CLADE_U32, CLADE_I64, CLADE_U64 };
    for (int k = 0; k < 4; k++)
        for (uint32_t value = 0; value <= 8; value += 4)
            for (uint32_t form = CLADE_HASHMAP_PACKED; form <= CLADE_HASHMAP_TAGGED; form++)
                for (uint32_t copies = 1; copies <= 2; copies++)
                    meet(CLADE_HASHMAP_SHAPE(keys[k], value, form, copies));
}

static const uint32_t places[] = { CLADE_HASHMAP_LAYOUT(PLACE) };
const struct abi hashmap_abi = { "hashmap", structs, shapes, LAYOUT(HASHMAP) };

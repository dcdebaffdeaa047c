/* SPDX-License-Identifier: Apache-2.0 */
/* What lasts between releases: the list (tests/abi/abi.h). */
#include "abi/abi.h"

#include <clade/list.h>

SIZE(clade_list_params, 72);
AT(clade_list_params, capacity, 0);
AT(clade_list_params, mode, 8);
AT(clade_list_params, key, 12);
AT(clade_list_params, value, 16);
AT(clade_list_params, find, 20);
AT(clade_list_params, group_size, 24);
AT(clade_list_params, kma, 32);

SIZE(clade_list_stats, 88);
AT(clade_list_stats, live, 0);
AT(clade_list_stats, capacity, 8);
AT(clade_list_stats, free, 16);
AT(clade_list_stats, hints, 24);
AT(clade_list_stats, insert_collisions, 32);
AT(clade_list_stats, erase_collisions, 40);
AT(clade_list_stats, bytes, 48);

static void structs(struct fixture *f)
{
    assert_null(clade_list_mem(NULL));
    assert_fails(clade_list_check(NULL), CLADE_E_ARG);
    assert_null(clade_list_options(NULL));
    CREATE_REFUSES(list, .capacity = 10);
    CREATED_STATS_ARE_ZEROED(list, .capacity = 10);
}

static void shapes(meet_shape *meet)
{
    for (uint32_t bits = 0; bits < 16; bits++)
        meet(CLADE_LIST_SHAPE(bits & 1, 1 + (bits >> 1 & 1), bits >> 2 & 1, bits >> 3));
}

static const uint32_t places[] = { CLADE_LIST_LAYOUT(PLACE) };
const struct abi list_abi = { "list", structs, shapes, LAYOUT(LIST) };

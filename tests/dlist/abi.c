/* SPDX-License-Identifier: Apache-2.0 */
/* What lasts between releases: the doubly linked list (tests/abi/abi.h). */
#include "abi/abi.h"

#include <clade/dlist.h>

SIZE(clade_dlist_params, 48);
AT(clade_dlist_params, capacity, 0);
AT(clade_dlist_params, value, 8);
AT(clade_dlist_params, group_size, 12);

SIZE(clade_dlist_stats, 80);
AT(clade_dlist_stats, live, 0);
AT(clade_dlist_stats, capacity, 8);
AT(clade_dlist_stats, free, 16);
AT(clade_dlist_stats, insert_collisions, 24);
AT(clade_dlist_stats, erase_collisions, 32);
AT(clade_dlist_stats, bytes, 40);

static void structs(struct fixture *f)
{
    assert_null(clade_dlist_mem(NULL));
    assert_null(clade_dlist_params_of(NULL));
    assert_fails(clade_dlist_check(NULL), CLADE_E_ARG);
    CREATE_REFUSES(dlist, .capacity = 10);
    CREATED_STATS_ARE_ZEROED(dlist, .capacity = 10);
}

static void shapes(meet_shape *meet)
{
    meet(CLADE_DLIST_SHAPE);
}

static const uint32_t places[] = { CLADE_DLIST_LAYOUT(PLACE) };
const struct abi dlist_abi = { "dlist", structs, shapes, LAYOUT(DLIST) };

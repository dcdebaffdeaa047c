/* SPDX-License-Identifier: Apache-2.0 */
/* What lasts between releases: the semi-linked list (tests/abi/abi.h). */
#include "abi/abi.h"

#include <clade/semilist.h>

SIZE(clade_semilist_params, 56);
AT(clade_semilist_params, capacity, 0);
AT(clade_semilist_params, kma, 8);
AT(clade_semilist_params, group_size, 16);

SIZE(clade_semilist_stats, 64);
AT(clade_semilist_stats, live, 0);
AT(clade_semilist_stats, erased, 8);
AT(clade_semilist_stats, capacity, 16);
AT(clade_semilist_stats, bytes, 24);

static void structs(struct fixture *f)
{
    assert_null(clade_semilist_mem(NULL));
    assert_fails(clade_semilist_check(NULL), CLADE_E_ARG);
    assert_null(clade_semilist_options(NULL));
    CREATE_REFUSES(semilist, .capacity = 10);
    CREATED_STATS_ARE_ZEROED(semilist, .capacity = 10);
}

static void shapes(meet_shape *meet)
{
    meet(CLADE_SEMILIST_SHAPE);
}

static const uint32_t places[] = { CLADE_SEMILIST_LAYOUT(PLACE) };
const struct abi semilist_abi = { "semilist", structs, shapes, LAYOUT(SEMILIST) };

/* SPDX-License-Identifier: Apache-2.0 */
/* What lasts between releases: the array list (tests/abi/abi.h). */
#include "abi/abi.h"

#include <clade/arraylist.h>
#include <clade/shared/arraylist.h>

SIZE(clade_arraylist_params, 56);
AT(clade_arraylist_params, capacity, 0);
AT(clade_arraylist_params, element_bytes, 8);
AT(clade_arraylist_params, first, 12);
AT(clade_arraylist_params, kma, 16);

static void structs(struct fixture *f)
{
    assert_null(clade_arraylist_mem(NULL));
    assert_null(clade_arraylist_options(NULL));
    CREATE_REFUSES(arraylist, .capacity = 10, .element_bytes = 4);
}

static void shapes(meet_shape *meet)
{
    meet(CLADE_ARRAYLIST_SHAPE);
}

static const uint32_t places[] = { CLADE_ARRAYLIST_LAYOUT(PLACE) };
const struct abi arraylist_abi = { "arraylist", structs, shapes, LAYOUT(ARRAYLIST) };

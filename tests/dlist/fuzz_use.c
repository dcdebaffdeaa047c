/* SPDX-License-Identifier: Apache-2.0 */
/* The doubly linked list, as kernels use it (tests/fuzz/use.h). */
#define CLADE_SPIN_LIMIT 5000u
#include "host/device.h"

#include "clade/atomic.clh"

#include "clade/dlist.clh"
#undef min
#undef max

#include "dlist/fuzz.h"
#include "fuzz/use.h"

/* Refs that a user may have: of nodes, erased or not, of free cells, of none. */
void use_dlist(void *list, uint32_t state, uint32_t steps)
{
    const clade_dlist_head *head = list;
    while (steps-- > 0) {
        const uint what = use_begin(&state) % 7u;
        clade_ref target = use_draw(&state) % (head->capacity + 2u), node = CLADE_NIL;
        ulong value = state;
        if (use_draw(&state) % 2u)
            clade_dlist_next_wi(list, CLADE_NIL, &target);
        if (what == 0u)
            clade_dlist_insert_after_wi(list, target, value, &node);
        else if (what <= 2u)
            clade_dlist_insert_before_wi(list, target, value, &node);
        else if (what == 3u && target != CLADE_NIL)
            clade_dlist_erase_wi(list, target, &value);
        else if (what == 4u)
            clade_dlist_next_wi(list, target, &node);
        else if (what == 5u)
            clade_dlist_prev_wi(list, target, &node);
        else
            clade_dlist_get_wi(list, target, &value);
    }
}

/* SPDX-License-Identifier: Apache-2.0 */
#define CLADE_RBTREE            seats /* a prefix: a kernel may use several trees */
#define CLADE_RBTREE_KEY_TYPE   CLADE_U32
#define CLADE_RBTREE_VALUE_TYPE CLADE_U32
#include "clade/rbtree.clh"

/* The tree holds the free seats, each with its price. A work-item books the first one from its wish
 * on; when another item was faster it looks again. */
__kernel void book(__global clade_rbtree_head *tree, __global const uint *wishes,
                   __global uint *paid)
{
    uint item = (uint)get_global_id(0), seat = wishes[item], price = 0;
    int status = CLADE_E_NOT_FOUND;
    for (uint tries = 0; tries < 1000 && status == CLADE_E_NOT_FOUND; tries++) {
        if (seats_lower_bound_wi(tree, &seat, &price) != CLADE_OK)
            break; /* none is free from there on */
        status = seats_erase_wi(tree, seat, &price);
    }
    paid[item] = status == CLADE_OK ? price : 0;
}

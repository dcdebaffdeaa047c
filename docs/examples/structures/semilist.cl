/* SPDX-License-Identifier: Apache-2.0 */
#include "clade/semilist.clh"

/* Append a node for each key; then erase the first node with key 42, if there is one. */
__kernel void note(__global clade_semilist_head *list, __global clade_kma_head *kma,
                   __global const uint *keys)
{
    clade_ref node, found;
    uint value;
    if (clade_semilist_append_wi(list, kma, keys[get_global_id(0)], 7, &node) != CLADE_OK)
        return; /* CLADE_E_FULL: no block, or no place until the next reclaim */
    if (clade_semilist_find_wi(list, kma, 42, &value, &found) == CLADE_OK)
        clade_semilist_erase_at_wi(list, kma, found);
}

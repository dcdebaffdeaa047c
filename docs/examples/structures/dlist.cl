/* SPDX-License-Identifier: Apache-2.0 */
#include "clade/dlist.clh"

/* Behind the node that each work-item was given it puts one with twice the value. */
__kernel void double_all(__global clade_dlist_head *list, __global const uint *targets,
                         __global uint *nodes)
{
    uint item = (uint)get_global_id(0);
    ulong value;
    clade_ref node = CLADE_NIL;
    if (clade_dlist_get_wi(list, targets[item], &value) == CLADE_OK)
        clade_dlist_insert_after_wi(list, targets[item], 2 * value, &node);
    nodes[item] = node; /* nil: the target was erased, or there was no free cell */
}

/* SPDX-License-Identifier: Apache-2.0 */
/* `clade bench semilist`: nodes appended inside kernels. */

#include "clade/semilist/work_group.clh"

/* One node an item, each by itself. */
__kernel void clade_bench_semilist_items(__global clade_semilist_head *list,
                                         __global clade_kma_head *kma, __global uint *nodes,
                                         uint count)
{
    uint i = (uint)get_global_id(0);
    clade_ref node = CLADE_NIL;
    if (i < count)
        clade_semilist_append_wi(list, kma, i, i, &node);
    if (i < count)
        nodes[i] = node;
}

/* One node an item, a group's in one splice. */
__kernel void clade_bench_semilist_groups(__global clade_semilist_head *list,
                                          __global clade_kma_head *kma, __global uint *nodes,
                                          uint count, __local uint *scratch)
{
    uint i = (uint)get_global_id(0);
    clade_ref node;
    clade_semilist_append_wg(list, kma, i < count ? 1u : 0u, i, i, &node, scratch);
    if (i < count)
        nodes[i] = node;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Semi-linked lists are filled: by items, and by groups. */
#include "clade/semilist/work_group.clh"
#include "refusals/refusals.clh"

__kernel void refusals_add_wi(__global clade_semilist_head *list, __global clade_kma_head *kma,
                              __global clade_atomic_u32 *tally, uint each)
{
    for (uint i = 0; i < each; i++) {
        clade_ref node;
        uint key = (uint)get_global_id(0) * each + i;
        tally_wi(tally, clade_semilist_append_wi(list, kma, key, key, &node), 1u);
    }
}

__kernel void refusals_add_wg(__global clade_semilist_head *list, __global clade_kma_head *kma,
                              __global clade_atomic_u32 *tally, uint each, __local uint *scratch)
{
    for (uint i = 0; i < each; i++) {
        clade_ref node;
        uint key = (uint)get_global_id(0) * each + i, wants = (i + key) % 4u != 0u ? 1u : 0u;
        clade_i32 status = clade_semilist_append_wg(list, kma, wants, key, key, &node, scratch);
        tally_wi(tally, status, wants);
    }
}

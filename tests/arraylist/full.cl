/* SPDX-License-Identifier: Apache-2.0 */
/* Array lists are filled: by items, and by groups. */
#include "clade/arraylist.clh"
#include "refusals/refusals.clh"

__kernel void refusals_append_wi(__global clade_arraylist_head *list, __global clade_kma_head *kma,
                                 __global clade_atomic_u32 *tally, uint each)
{
    for (uint i = 0; i < each; i++) {
        uint index;
        clade_i32 status = clade_arraylist_append_wi(list, kma, &index);
        if (status == CLADE_OK)
            *(__global uint *)clade_arraylist_at_wi(list, kma, index) = 1u + index;
        tally_wi(tally, status, 1u);
    }
}

/* Item l of a group wants l mod 3 elements each time. */
__kernel void refusals_append_wg(__global clade_arraylist_head *list, __global clade_kma_head *kma,
                                 __global clade_atomic_u32 *tally, uint each,
                                 __local uint *scratch)
{
    uint wants = (uint)get_local_id(0) % 3u;
    for (uint i = 0; i < each; i++) {
        uint index;
        clade_i32 status = clade_arraylist_append_wg(list, kma, wants, &index, scratch);
        for (uint k = 0; k < wants && status == CLADE_OK; k++)
            *(__global uint *)clade_arraylist_at_wi(list, kma, index + k) = 1u + index + k;
        tally_wi(tally, status, wants);
    }
}

/* SPDX-License-Identifier: Apache-2.0 */
/* The recorder of tests/dlist/dlist_history.clh as kernels. */
#include "clade/dlist.clh"

#include "dlist/dlist_history.clh"

__kernel void dlist_history(__global clade_dlist_head *list, __global clade_atomic_u32 *clock,
                            __global clade_atomic_u32 *slots, uint slot_count,
                            __global dlist_record *records, uint ops, uint seed)
{
    dlist_history_item(list, clock, slots, slot_count, records, ops, seed);
}

__kernel void dlist_stretches(__global clade_dlist_head *list, __global uint *refs,
                              __global dlist_record *records, uint ops, uint seed)
{
    dlist_stretch_item(list, refs, records, ops, seed);
}

/* Each item inserts a node and erases it again, over and over: the even ones at the front, the odd
 * ones at the back. wrong[item]: how many outcomes were not as they must be. */
__kernel void dlist_rounds(__global clade_dlist_head *list, __global uint *wrong, uint turns)
{
    uint item = (uint)get_global_id(0), bad = 0;
    for (uint turn = 0; turn < turns; turn++) {
        dlist_record r = { .target = CLADE_NIL, .value = (ulong)item << 32 | turn };
        r.op = item % 2u == 0u ? CLADE_DLIST_INSERT_AFTER : CLADE_DLIST_INSERT_BEFORE;
        dlist_do(list, &r);
        bad += r.status != CLADE_OK ? 1u : 0u;
        r.op = CLADE_DLIST_ERASE;
        r.target = r.node;
        r.value = 0;
        dlist_do(list, &r);
        bad += r.status != CLADE_OK || r.value != ((ulong)item << 32 | turn) ? 1u : 0u;
    }
    wrong[item] = bad;
}

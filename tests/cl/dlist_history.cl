/* SPDX-License-Identifier: Apache-2.0 */
/* The recorder of tests/cl/dlist_history.clh as kernels. */
#include "clade/dlist.clh"

#include "dlist_history.clh"

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

/* SPDX-License-Identifier: Apache-2.0 */
/* The recorder of tests/cl/list_history.clh as a kernel. */
#define CLADE_LIST       history_list
#define CLADE_LIST_VALUE CLADE_LIST_VALUE_BITS
#include "clade/list.clh"

#include "list_history.clh"

__kernel void history(__global clade_list_head *list, __global clade_atomic_u32 *clock,
                      __global history_record *records, uint kind, uint keys, uint ops, uint seed)
{
    history_item(list, clock, records, kind, keys, ops, seed);
}

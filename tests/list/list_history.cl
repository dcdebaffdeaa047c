/* SPDX-License-Identifier: Apache-2.0 */
/* The recorder of tests/list/list_history.clh as a kernel. */
#define CLADE_LIST       history_list
#define CLADE_LIST_VALUE CLADE_LIST_VALUE_BITS
#ifdef HISTORY_KMA /* list_history_kma.cl */
#define CLADE_LIST_KMA 1
#define KERNEL_SELF    __global clade_list_head *list, __global clade_kma_head *kma
#else
#define KERNEL_SELF __global clade_list_head *list, __global uint *kma __attribute__((unused))
#endif
#include "clade/list.clh"

#include "list/list_history.clh"

__kernel void history(KERNEL_SELF, __global clade_atomic_u32 *clock,
                      __global history_record *records, uint kind, uint keys, uint ops, uint seed)
{
    history_item(HISTORY_IT, clock, records, kind, keys, ops, seed);
}

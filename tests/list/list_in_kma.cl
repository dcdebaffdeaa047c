/* SPDX-License-Identifier: Apache-2.0 */
/* Kernel of tests/list/list_in_kma.c. */
#include "clade/kma.clh"

#define CLADE_LIST     set
#define CLADE_LIST_KMA 1
#include "clade/list.clh"

/* Each item inserts its key, keeps a block, and erases the key again unless it is a multiple of 4.
 * refs[i]: the block; 0 when something was not as it must be. */
__kernel void insert_and_keep(__global clade_list_head *list, __global clade_kma_head *kma,
                              __global uint *refs, uint most)
{
    uint i = (uint)get_global_id(0), value;
    if (i >= most)
        return;
    uint fine = set_fits(list);
    fine &= set_insert_wi(list, kma, i, 0u) == CLADE_OK ? 1u : 0u;
    clade_ref block = clade_kma_malloc_wi(kma, 100);
    fine &= set_contains_wi(list, kma, i) == CLADE_OK ? 1u : 0u;
    if (i % 4u != 0u)
        fine &= set_erase_wi(list, kma, i, &value) == CLADE_OK ? 1u : 0u;
    refs[i] = fine != 0u ? block : CLADE_NIL;
}

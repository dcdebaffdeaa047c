/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels of tests/arraylist/test_arraylist.c. Elements are three words: item, round and their sum. */
#include "clade/arraylist.clh"

static inline void fill(__global clade_arraylist_head *list, __global clade_kma_head *kma,
                        uint index, uint item, uint number)
{
    __global uint *at = (__global uint *)clade_arraylist_at_wi(list, kma, index);
    at[0] = item;
    at[1] = number;
    at[2] = item + number;
}

/* Item i appends i mod 4 elements a round, the group's in a row. */
__kernel void arraylist_groups(__global clade_arraylist_head *list, __global clade_kma_head *kma,
                               __global int *statuses, uint rounds, __local uint *scratch)
{
    uint item = (uint)get_global_id(0), refused = 0;
    for (uint i = 0; i < rounds; i++) {
        uint index;
        clade_i32 status = clade_arraylist_append_wg(list, kma, item % 4u, &index, scratch);
        for (uint j = 0; j < item % 4u && status == CLADE_OK; j++)
            fill(list, kma, index + j, item, i * 4u + j);
        refused += status == CLADE_OK ? 0u : item % 4u;
    }
    statuses[item] = (int)refused;
}

/* Every item appends one element a round. */
__kernel void arraylist_items(__global clade_arraylist_head *list, __global clade_kma_head *kma,
                              __global int *statuses, uint rounds)
{
    uint item = (uint)get_global_id(0), refused = 0;
    for (uint i = 0; i < rounds; i++) {
        uint index;
        if (clade_arraylist_append_wi(list, kma, &index) == CLADE_OK)
            fill(list, kma, index, item, i);
        else
            refused++;
    }
    statuses[item] = (int)refused;
}

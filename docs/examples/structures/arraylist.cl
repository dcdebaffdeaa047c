/* SPDX-License-Identifier: Apache-2.0 */
#include "clade/arraylist.clh"

/* Keep the positive numbers. `scratch`: CLADE_ARRAYLIST_SCRATCH(items) words. */
__kernel void keep(__global clade_arraylist_head *list, __global clade_kma_head *kma,
                   __global const float *numbers, __local uint *scratch)
{
    float number = numbers[get_global_id(0)];
    uint index, wants = number > 0 ? 1 : 0;
    if (clade_arraylist_append_wg(list, kma, wants, &index, scratch) == CLADE_OK && wants)
        *(__global float *)clade_arraylist_at_wi(list, kma, index) = number;
}

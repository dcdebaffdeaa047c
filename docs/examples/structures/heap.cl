/* SPDX-License-Identifier: Apache-2.0 */
#include "clade/heap.clh"

/* Take the 64 smallest keys, and put them back halved. */
__kernel void halve(__global void *heap, __global int *out)
{
    __local clade_heap_scratch scratch;
    uint got = 0;
    clade_heap_pop_wg(heap, &scratch, 64, &got);
    for (uint i = (uint)get_local_id(0); i < got; i += (uint)get_local_size(0))
        clade_heap_set_wi(&scratch, i, clade_heap_key_wi(&scratch, i) / 2);
    /* An operation begins with a barrier. What an insert refuses is at the scratch's start. */
    if (got > 0 && clade_heap_insert_wg(heap, &scratch, got) != CLADE_OK && get_local_id(0) == 0)
        out[get_group_id(0)] = (int)(got - clade_heap_taken_wi(&scratch)); /* so many are lost */
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "clade/heap.clh"

__constant uint factor[3] = { 2, 3, 5 };

/* Take the smallest numbers, note them, and put in what they lead to. */
__kernel void expand(__global void *heap, __global uint *found, uint limit)
{
    __local clade_heap_scratch scratch;
    __local uint words[2 * GROUP];
    uint lid = (uint)get_local_id(0);

    for (uint round = 0; round < 32; round++) {
        uint number = 0, first = 0, more = 0, got, count;
        clade_heap_pop_wg(heap, &scratch, GROUP, &got);
        if (lid < got) {
            number = clade_heap_key_wi(&scratch, lid);
            found[clade_heap_rank_wi(&scratch) + lid] = number;
            first = number % 5 == 0 ? 2 : number % 3 == 0 ? 1 : 0;
            for (uint f = first; f < 3; f++)
                more += number * factor[f] <= limit;
        }
        uint place = clade_scan_wg(more, words, &count);
        for (uint f = first; f < first + more; f++)
            clade_heap_set_wi(&scratch, place++, number * factor[f]);
        if (count > 0)
            clade_heap_insert_wg(heap, &scratch, count);
    }
}

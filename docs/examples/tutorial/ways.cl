/* SPDX-License-Identifier: Apache-2.0 */
#include "clade/kma.clh"
#include "clade/heap.clh"

__constant uint factor[3] = { 2, 3, 5 };

typedef struct record {
    uint number;
    uint from; /* the ref of the record of the number before; 0: there is none */
} record;

static __global record *record_at(__global clade_kma_head *kma, uint ref)
{
    return (__global record *)clade_kma_ptr(kma, ref);
}

__kernel void expand(__global void *heap, __global clade_kma_head *kma, __global uint *found,
                     __global uint *failed, uint limit)
{
    __local clade_heap_scratch scratch;
    __local uint words[2 * GROUP];
    uint lid = (uint)get_local_id(0);

    for (uint round = 0; round < 32; round++) {
        uint number = 0, ref = 0, first = 0, more = 0, got, count;
        clade_heap_pop_wg(heap, &scratch, GROUP, &got);
        if (lid < got) {
            uint place = clade_heap_rank_wi(&scratch) + lid;
            number = clade_heap_key_wi(&scratch, lid);
            ref = clade_kma_malloc_wi(kma, sizeof(record));
            if (ref == 0) {
                failed[0] = 1;
            } else {
                record_at(kma, ref)->number = number;
                record_at(kma, ref)->from = clade_heap_value_wi(&scratch, lid);
            }
            found[place] = ref;
            first = number % 5 == 0 ? 2 : number % 3 == 0 ? 1 : 0;
            for (uint f = first; f < 3; f++)
                more += number * factor[f] <= limit;
        }
        uint place = clade_scan_wg(more, words, &count);
        for (uint f = first; f < first + more; f++)
            clade_heap_set_wi(&scratch, place++, number * factor[f], ref);
        if (count > 0 && clade_heap_insert_wg(heap, &scratch, count) != CLADE_OK)
            failed[0] = 1;
    }
}

/* Write down the largest number, and the way back from it to 1. */
__kernel void way(__global clade_kma_head *kma, __global uint *found, uint count,
                  __global uint *steps)
{
    uint ref = 0, largest = 0;
    for (uint i = 0; i < count; i++) {
        uint number = record_at(kma, found[i])->number;
        if (number > largest) {
            largest = number;
            ref = found[i];
        }
    }
    for (uint i = 0; i < 32 && ref != 0; i++) {
        steps[i] = record_at(kma, ref)->number;
        ref = record_at(kma, ref)->from;
    }
}

/* One work-item for each block. */
__kernel void forget(__global clade_kma_head *kma, __global uint *found)
{
    clade_kma_free_wi(kma, found[get_global_id(0)]);
}

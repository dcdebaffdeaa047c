/* SPDX-License-Identifier: Apache-2.0 */
/* Many groups insert into and pop from one heap at once; everything they did is written down.
 * Group g's operation i is number g * rounds + i. Its keys are at that number times the batch. */

#include "clade/heap.clh"

static uint stress_hash(uint x)
{
    x = (x ^ x >> 16) * 0x7feb352du;
    x = (x ^ x >> 15) * 0x846ca68bu;
    return x ^ x >> 16;
}

/* log[4 * number]: 1 insert or 2 pop, status, keys (asked, or got), low half of the rank.
 * `mix`: of 256 operations so many are inserts; `full`: of 256 so many are of a whole batch. */
__kernel void heap_stress(__global void *heap, __global const clade_heap_image *in_keys,
                          __global const clade_heap_stored *in_values,
                          __global clade_heap_image *out_keys,
                          __global clade_heap_stored *out_values, __global uint *log, uint seed,
                          uint rounds, uint mix, uint full)
{
    __local clade_heap_scratch scratch;
    uint group = (uint)get_group_id(0), lid = (uint)get_local_id(0);
    for (uint i = 0; i < rounds; i++) {
        uint number = group * rounds + i, random = stress_hash(seed + number), got = 0;
        size_t at = (size_t)number * clade_heap_batch;
        uint n = (random >> 8 & 255u) < full ? clade_heap_batch
                                             : 1u + (random >> 16) % clade_heap_batch;
        uint insert = (random & 255u) < mix;
        clade_i32 status;
        if (insert) {
            for (uint j = lid; j < n; j += (uint)get_local_size(0))
                clade_heap_set_bits_wi(&scratch, j, in_keys[at + j],
                                       clade_heap_values ? in_values[at + j] : 0);
            status = clade_heap_insert_wg(heap, &scratch, n);
            got = n;
        } else {
            status = clade_heap_pop_wg(heap, &scratch, n, &got);
            for (uint j = lid; j < got; j += (uint)get_local_size(0)) {
                out_keys[at + j] = clade_heap_key_bits_wi(&scratch, j);
                if (clade_heap_values)
                    out_values[at + j] = clade_heap_value_bits_wi(&scratch, j);
            }
        }
        if (lid == 0) {
            log[4 * number] = insert ? 1u : 2u;
            log[4 * number + 1] = (uint)status;
            log[4 * number + 2] = got;
            log[4 * number + 3] = insert ? 0u : (uint)clade_heap_rank_wi(&scratch);
        }
        clade_barrier();
    }
}

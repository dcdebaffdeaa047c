/* SPDX-License-Identifier: Apache-2.0 */
/* Many heaps in one object, one for each group. Built with the options of the heap. */

#include "clade/heap.clh"

/* Group g's keys are in[g * count ..]. All go into heap g by batches of `step`; then
 * `taken` come out again, to out[g * count ..]. failures: statuses and short pops. */
__kernel void heap_many(__global void *object, __global const int *in, __global int *out, uint count,
                        uint step, uint taken, clade_global_word failures)
{
    __local clade_heap_scratch scratch;
    const uint g = (uint)get_group_id(0), lid = (uint)get_local_id(0), size = (uint)get_local_size(0);
    __global void *heap = clade_heap_at_wi(object, g);
    for (uint at = 0; at < count; at += step) {
        uint n = min(step, count - at);
        clade_barrier();
        for (uint i = lid; i < n; i += size)
            clade_heap_set_wi(&scratch, i, in[g * count + at + i]);
        if (clade_heap_insert_wg(heap, &scratch, n) != CLADE_OK && lid == 0)
            clade_add_relaxed(failures, 1u);
    }
    for (uint at = 0; at < taken; at += step) {
        uint n = min(step, taken - at), got;
        if ((clade_heap_pop_wg(heap, &scratch, n, &got) != CLADE_OK || got != n) && lid == 0)
            clade_add_relaxed(failures, 1u);
        for (uint i = lid; i < got; i += size)
            out[g * count + at + i] = clade_heap_key_wi(&scratch, i);
    }
}

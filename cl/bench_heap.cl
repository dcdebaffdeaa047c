/* SPDX-License-Identifier: Apache-2.0 */
/* `clade bench heap`: groups insert and delete at once, in one kernel. Built with the options of
 * clade_heap_options() and BENCH_GROUP_SIZE.
 * Check: BENCH_GROUP_SIZE=1,256 CLADE_HEAP_ENGINE=0,1 */

#include "clade/heap.clh"
#include "clade/bench_heap.clh"

/* See bench_heap_wg(). */
__attribute__((reqd_work_group_size(BENCH_GROUP_SIZE, 1, 1)))
__kernel void clade_bench_heap(__global void *heap, __global const int *in, __global int *out,
                               __global uint *got, uint count, uint batch, uint pairs,
                               __global clade_atomic_u32 *failures)
{
    __local clade_heap_scratch scratch;
    bench_heap_wg(heap, &scratch, in, out, got, count, batch, pairs, failures);
}

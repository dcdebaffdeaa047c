/* SPDX-License-Identifier: Apache-2.0 */
/* `clade bench heap`, the front engine. Built with the options of clade_heap_options() and
 * BENCH_GROUP_SIZE. */

#include "clade/heap_front.clh"

#define BENCH_TAKEN(scratch, left, status) clade_heap_taken_wi(scratch)
#define BENCH_TRIES                        64
#include "clade/bench_heap.clh"

/* See bench_heap_wg(). */
#ifdef BENCH_GROUP_SIZE
__attribute__((reqd_work_group_size(BENCH_GROUP_SIZE, 1, 1)))
#endif
__kernel void clade_bench_heap(__global void *heap, __global const int *in, __global int *out,
                               __global uint *got, uint count, uint batch, uint mode,
                               uint varies, uint rounds, clade_global_word failures)
{
    __local clade_heap_scratch scratch;
    bench_heap_wg(heap, &scratch, in, out, got, count, batch, mode, varies, rounds, failures);
}

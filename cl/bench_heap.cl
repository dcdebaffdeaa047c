/* SPDX-License-Identifier: Apache-2.0 */
/* `clade bench heap`: groups insert and delete at once, in one kernel. Built with the options of
 * clade_heap_options() and BENCH_GROUP_SIZE.
 * Check: BENCH_GROUP_SIZE=1,256 CLADE_HEAP_ENGINE=0,1 */

#ifndef BENCH_GROUP_SIZE
#define BENCH_GROUP_SIZE 64 /* for compiling without the tool */
#endif

#include "clade/heap.clh"

static inline void bench_put(__local clade_heap_scratch *scratch, __global const int *keys, uint n)
{
    for (uint i = (uint)get_local_id(0); i < n; i += (uint)get_local_size(0))
        clade_heap_set_wi(scratch, i, keys[i]);
}

static inline void bench_take(__local clade_heap_scratch *scratch, __global int *keys, uint n)
{
    for (uint i = (uint)get_local_id(0); i < n; i += (uint)get_local_size(0))
        keys[i] = clade_heap_key_wi(scratch, i);
}

/* `count` batches of `batch` keys go in from `in`, and as many deletes fill their places in `out`;
 * got[b]: how many delete b gave. pairs = 1: every group does both by turns; 0: even groups insert,
 * odd ones delete. failures: operations with another status than CLADE_OK. */
__attribute__((reqd_work_group_size(BENCH_GROUP_SIZE, 1, 1)))
__kernel void clade_bench_heap(__global void *heap, __global const int *in, __global int *out,
                               __global uint *got, uint count, uint batch, uint pairs,
                               __global volatile uint *failures)
{
    __local clade_heap_scratch scratch;
    uint group = (uint)get_group_id(0), groups = (uint)get_num_groups(0);
    uint first = pairs ? group : group / 2;
    uint stride = pairs ? groups : (groups + 1 - (group & 1u)) / 2;
    for (uint b = first; b < count; b += stride) {
        size_t at = (size_t)b * batch;
        int status = CLADE_OK;
        if (pairs || (group & 1u) == 0) {
            clade_barrier();
            bench_put(&scratch, in + at, batch);
            status = clade_heap_insert_wg(heap, &scratch, batch);
        }
        if (get_local_id(0) == 0 && status != CLADE_OK)
            clade_add_relaxed(failures, 1u);
        if (pairs || (group & 1u) == 1) {
            uint taken;
            status = clade_heap_delete_wg(heap, &scratch, batch, &taken);
            bench_take(&scratch, out + at, taken);
            if (get_local_id(0) == 0)
                got[b] = taken;
            if (get_local_id(0) == 0 && status != CLADE_OK)
                clade_add_relaxed(failures, 1u);
        }
    }
}

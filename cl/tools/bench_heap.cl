/* SPDX-License-Identifier: Apache-2.0 */
/* `clade bench heap`: groups insert and pop at once, in one kernel. Built with the options of
 * clade_heap_options() and BENCH_GROUP_SIZE.
 * Check: BENCH_GROUP_SIZE=1,256 CLADE_HEAP_ENGINE=1,2,3 */

#include "clade/heap.clh"

#ifndef BENCH_GROUP_SIZE
#define BENCH_GROUP_SIZE 64 /* for compiling without the tool */
#endif

#define BENCH_TRIES 64

/* What the groups do: tools/bench/heap.h. */
#define BENCH_HALVES 0u /* even groups insert, odd ones pop */
#define BENCH_PAIRS  1u /* every group does both by turns */
#define BENCH_FILLS  2u /* each has a heap of its own: fills it, empties it */

CLADE_TEAM_FUNCTION void bench_put(__local clade_heap_scratch *scratch, __global const int *keys,
                                   uint n)
{
    for (uint i = (uint)get_local_id(0); i < n; i += (uint)get_local_size(0))
        clade_heap_set_wi(scratch, i, keys[i]);
}

CLADE_TEAM_FUNCTION void bench_take(__local clade_heap_scratch *scratch, __global int *keys, uint n)
{
    for (uint i = (uint)get_local_id(0); i < n; i += (uint)get_local_size(0))
        keys[i] = clade_heap_key_wi(scratch, i);
}

/* Keys of operation b: `batch`, or any number up to it. */
CLADE_TEAM_FUNCTION uint bench_size(uint b, uint batch, uint varies)
{
    return varies ? 1u + ((b * 0x9e3779b1u) >> 8) % batch : batch;
}

CLADE_TEAM_FUNCTION void bench_count(clade_global_word failures, int status)
{
    if (get_local_id(0) == 0 && status != CLADE_OK) {
        clade_add_relaxed(failures, 1u);
        clade_store_relaxed(failures + 1, (uint)status);
    }
}

/* `count` batches go in from `in`, each from its own `batch` places on, and as many pops fill the
 * same places of `out`; got[b]: how many pop b gave. Of BENCH_FILLS each group has `count` of its
 * own, and goes over them `rounds` times. failures: operations with another status than CLADE_OK,
 * and the last such. */
__attribute__((reqd_work_group_size(BENCH_GROUP_SIZE, 1, 1))) __kernel void
clade_bench_heap(__global void *object, __global const int *in, __global int *out,
                 __global uint *got, uint count, uint batch, uint mode, uint varies, uint rounds,
                 clade_global_word failures)
{
    __local clade_heap_scratch scratch;
    const uint group = (uint)get_group_id(0), groups = (uint)get_num_groups(0);
    const uint first = mode == BENCH_FILLS ? 0 : mode == BENCH_PAIRS ? group : group / 2;
    const uint stride = mode == BENCH_FILLS   ? 1
                        : mode == BENCH_PAIRS ? groups
                                              : (groups + 1 - (group & 1u)) / 2;
    const uint steps = mode == BENCH_FILLS ? 2u * count * rounds : count;
    const uint own = mode == BENCH_FILLS ? group * count : 0;
    __global void *heap = clade_heap_at_wi(object, mode == BENCH_FILLS ? group : 0);
    for (uint step = first; step < steps; step += stride) {
        const uint b = mode == BENCH_FILLS ? own + step % count : step;
        const uint fills = mode == BENCH_FILLS ? (step / count) % 2u == 0 : (group & 1u) == 0;
        const uint n = bench_size(b, batch, varies);
        const size_t at = (size_t)b * batch;
        int status = CLADE_OK;
        if (mode == BENCH_PAIRS || fills) {
            clade_barrier();
            bench_put(&scratch, in + at, n);
            uint left = n;
            status = CLADE_E_BUSY;
            for (uint tries = 0; tries < BENCH_TRIES && status == CLADE_E_BUSY; tries++) {
                status = clade_heap_insert_wg(heap, &scratch, left);
                left -= clade_heap_taken_wi(&scratch);
            }
        }
        bench_count(failures, status);
        if (mode == BENCH_PAIRS || !fills) {
            uint taken;
            status = clade_heap_pop_wg(heap, &scratch, n, &taken);
            bench_take(&scratch, out + at, taken);
            if (get_local_id(0) == 0)
                got[b] = taken;
            bench_count(failures, status);
        }
    }
}

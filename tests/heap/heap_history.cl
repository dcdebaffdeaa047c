/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels of test_heap_history. */
#include "heap/heap_history.clh"

/* The group's size is promised, or PoCL compiles the kernel a second time when it is launched. */
__attribute__((reqd_work_group_size(HISTORY_GROUP, 1, 1)))
__kernel void heap_history(__global void *heap, __global clade_atomic_u32 *clock, uint timed,
                           __global history_op *ops, __global uint *keys, __global uint *ids,
                           uint room, uint first, uint each)
{
    __local clade_heap_scratch scratch;
    heap_history_run_wg(heap, &scratch, timed ? clock : 0, ops, keys, ids, room, first, each);
}

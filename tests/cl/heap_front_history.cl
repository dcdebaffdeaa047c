/* SPDX-License-Identifier: Apache-2.0 */
/* As heap_history.cl, for the front engine. */
#include "clade/heap_front.clh"
#define HISTORY_TAKEN(s, left, status) clade_heap_taken_wi(s)
#define HISTORY_TRIES                  64
#include "heap_history_ops.clh"

__kernel void heap_history(__global void *heap, __global clade_atomic_u32 *clock, uint timed,
                           __global history_op *ops, __global uint *keys, __global uint *ids,
                           uint room, uint first, uint each)
{
    __local clade_heap_scratch scratch;
    heap_history_run_wg(heap, &scratch, timed ? clock : 0, ops, keys, ids, room, first, each);
}

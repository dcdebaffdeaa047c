/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels of tests/queue/test_queue.c. */
#include "clade/queue.clh"

#include "queue/queue_history.clh"

__kernel void queue_history(__global clade_queue_head *queue, __global clade_atomic_u32 *clock,
                            uint has_clock, __global history_op *records, __global uint *values,
                            __global uint *payload, uint ops, uint appends, uint seed, uint items,
                            __global int *wrong)
{
    if (get_global_id(0) < items)
        queue_item(queue, has_clock != 0u ? clock : 0, records, values, payload, ops, appends, seed,
                   wrong);
}

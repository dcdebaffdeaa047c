/* SPDX-License-Identifier: Apache-2.0 */
#include "clade/queue.clh"
#include "refusals/refusals.clh"

/* Each item puts `each` values of its own, whatever becomes of them. */
__kernel void refusals_append(__global clade_queue_head *queue, __global clade_atomic_u32 *tally,
                            uint first, uint each)
{
    for (uint i = 0; i < each; i++)
        tally_wi(tally, clade_queue_append_wi(queue, first + (uint)get_global_id(0) * each + i), 1u);
}

/* Each item puts and takes, round and round. A value that it cannot put is nobody's. */
__kernel void refusals_churn(__global clade_queue_head *queue, __global clade_atomic_u32 *tally,
                             uint each)
{
    uint value;
    for (uint i = 0; i < each; i++) {
        clade_queue_append_wi(queue, 1u + i);
        if (i % 3u != 0u)
            clade_queue_pop_wi(queue, &value);
    }
    (void)tally;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* `clade malloc-trace`: every work-item replays the same malloc and free calls of a real program.
 * Every block holds its owner's pattern from malloc to free. */

#include "clade/kma.clh"

/* An operation: the size of the next block, or TRACE_FREE and the number of the block to free. */
#define TRACE_FREE 0x80000000u

static inline uint pattern(uint copy, uint block, uint word)
{
    return (copy * 0x9e3779b1u ^ block * 0x85ebca6bu) + word;
}

/* Operations [from, to), of which the first malloc makes block `next`. Copy c's block b is
 * refs[b * copies + c]; counts: 0 blocks whose content was not what their owner wrote, 1 refused, 2
 * and 3 the least and greatest size refused. */
__kernel void clade_malloc_trace(__global clade_kma_head *kma, __global const uint *operations,
                                 uint from, uint to, uint next, __global const uint *sizes,
                                 __global uint *refs, uint copies,
                                 __global clade_atomic_u32 *counts)
{
    uint copy = (uint)get_global_id(0);
    if (copy >= copies)
        return;
    for (uint i = from; i < to; i++) {
        bool frees = (operations[i] & TRACE_FREE) != 0;
        uint block = frees ? operations[i] & ~TRACE_FREE : next++;
        uint words = sizes[block] / 4, wrong = 0, ref;
        if (frees)
            ref = refs[(ulong)block * copies + copy];
        else
            ref = clade_kma_malloc_wi(kma, sizes[block]);
        if (ref != 0) {
            __global uint *content = (__global uint *)clade_kma_ptr(kma, ref);
            for (uint w = 0; w < words; w++) {
                if (frees)
                    wrong |= content[w] != pattern(copy, block, w);
                else
                    content[w] = pattern(copy, block, w);
            }
        }
        if (wrong != 0)
            clade_add_relaxed(&counts[0], 1);
        if (frees) {
            clade_kma_free_wi(kma, ref);
        } else {
            refs[(ulong)block * copies + copy] = ref;
            if (ref == 0 && sizes[block] != 0) {
                clade_add_relaxed(&counts[1], 1);
                clade_min_relaxed(&counts[2], sizes[block]);
                clade_max_relaxed(&counts[3], sizes[block]);
            }
        }
    }
}

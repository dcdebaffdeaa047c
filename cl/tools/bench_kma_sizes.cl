/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels of the table `sizes` of `clade bench kma` (tools/bench/kma_sizes.c). held[i] has the
 * bytes of item i's block, 0: none. counters: 0 blocks that somebody else wrote to, 1 blocks that
 * were not had. */
#include "clade/kma.clh"

#define FREES 0xffffffffu
/* All kernels have the same, so that the host sets them alike. */
#define UNUSED __attribute__((unused))
#define ARGS                                                                                      \
    __global clade_kma_head *kma, __global uint *refs, __global uint *held,                       \
        __global const uint *turn UNUSED, __global clade_atomic_u32 *counters UNUSED, uint items, \
        uint round UNUSED

/* turn[i]: 0 nothing, FREES, or the bytes of a block to take. */
__kernel void clade_bench_kma_turn(ARGS)
{
    const uint i = (uint)get_global_id(0), what = i < items ? turn[i] : 0;
    if (what == FREES)
        clade_kma_free_wi(kma, refs[i]);
    if (what != 0) {
        refs[i] = what == FREES ? 0 : clade_kma_malloc_wi(kma, what);
        held[i] = what == FREES ? 0 : what;
    }
}

static inline uint pattern(uint item, uint word, uint round)
{
    return (item + word) * 0x9e3779b1u + round;
}

/* The owner's pattern in every word of its block, and whether it is still there. */
__kernel void clade_bench_kma_stamp(ARGS)
{
    const uint i = (uint)get_global_id(0);
    if (i >= items || refs[i] == 0)
        return;
    __global uint *block = (__global uint *)clade_kma_ptr(kma, refs[i]);
    for (uint w = 0; w < held[i] / 4; w++)
        block[w] = pattern(i, w, round);
}

__kernel void clade_bench_kma_check(ARGS)
{
    const uint i = (uint)get_global_id(0);
    uint wrong = 0;
    if (i >= items)
        return;
    if (refs[i] == 0) {
        if (held[i] != 0)
            clade_add_relaxed(&counters[1], 1);
        return;
    }
    __global uint *block = (__global uint *)clade_kma_ptr(kma, refs[i]);
    for (uint w = 0; w < held[i] / 4; w++)
        wrong |= block[w] != pattern(i, w, round);
    if (wrong)
        clade_add_relaxed(&counters[0], 1);
}

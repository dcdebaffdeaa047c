/* SPDX-License-Identifier: Apache-2.0 */
/* What bench_kma.c times. counters: 0 overlaps; 4 bytes asked for and got, 6 refused. */
#include "clade/kma.clh"

static inline uint size_of(uint item, uint bytes)
{
    return bytes != 0 ? bytes : 4 + cladei_kma_mix(item) % 1021;
}

__kernel void bench_alloc(__global clade_kma_head *kma, __global uint *refs,
                          __global clade_atomic_u32 *counters, uint items, uint bytes, uint round)
{
    uint i = (uint)get_global_id(0);
    if (i < items)
        refs[i] = clade_kma_malloc_wi(kma, size_of(i, bytes));
}

__kernel void bench_free(__global clade_kma_head *kma, __global uint *refs,
                         __global clade_atomic_u32 *counters, uint items, uint bytes, uint round)
{
    uint i = (uint)get_global_id(0);
    if (i < items)
        clade_kma_free_wi(kma, refs[i]);
}

/* The last group's items beyond the end take part, and give back at once. */
__kernel void bench_alloc_wg(__global clade_kma_head *kma, __global uint *refs,
                             __global clade_atomic_u32 *counters, uint items, uint bytes,
                             uint round, __local uint *scratch)
{
    uint i = (uint)get_global_id(0), ref = clade_kma_malloc_wg(kma, bytes, scratch);
    if (i < items)
        refs[i] = ref;
    clade_kma_free_wg(kma, i < items ? 0u : ref, scratch);
}

__kernel void bench_free_wg(__global clade_kma_head *kma, __global uint *refs,
                            __global clade_atomic_u32 *counters, uint items, uint bytes, uint round,
                            __local uint *scratch)
{
    uint i = (uint)get_global_id(0);
    clade_kma_free_wg(kma, i < items ? refs[i] : 0u, scratch);
}

/* The owner's pattern in every word of its block, and whether it is still there. */
__kernel void bench_write(__global clade_kma_head *kma, __global uint *refs,
                          __global clade_atomic_u32 *counters, uint items, uint bytes, uint round)
{
    uint i = (uint)get_global_id(0);
    if (i >= items || refs[i] == 0)
        return;
    __global uint *block = (__global uint *)clade_kma_ptr(kma, refs[i]);
    for (uint w = 0; w < size_of(i, bytes) / 4; w++)
        block[w] = (i + w) * 0x9e3779b1u + round;
}

__kernel void bench_look(__global clade_kma_head *kma, __global uint *refs,
                         __global clade_atomic_u32 *counters, uint items, uint bytes, uint round)
{
    uint i = (uint)get_global_id(0), wrong = 0;
    if (i >= items || refs[i] == 0)
        return;
    __global uint *block = (__global uint *)clade_kma_ptr(kma, refs[i]);
    for (uint w = 0; w < size_of(i, bytes) / 4; w++)
        wrong |= block[w] != (i + w) * 0x9e3779b1u + round;
    if (wrong)
        clade_add_relaxed(&counters[0], 1);
}

__kernel void bench_pairs(__global clade_kma_head *kma, __global uint *refs,
                          __global clade_atomic_u32 *counters, uint items, uint bytes, uint rounds)
{
    uint i = (uint)get_global_id(0);
    if (i >= items)
        return;
    for (uint round = 0; round < rounds; round++) {
        uint ref = clade_kma_malloc_wi(kma, size_of(i * rounds + round, bytes));
        if (ref == 0)
            continue;
        volatile __global uint *block = (volatile __global uint *)clade_kma_ptr(kma, ref);
        *block = i;
        if (*block != i)
            clade_add_relaxed(&counters[0], 1);
        clade_kma_free_wi(kma, ref);
    }
}

__kernel void bench_fill(__global clade_kma_head *kma, __global uint *refs,
                         __global clade_atomic_u32 *counters, uint items, uint bytes, uint round)
{
    uint i = (uint)get_global_id(0);
    if (i >= items)
        return;
    uint size = size_of(i + round * items, bytes);
    if (clade_kma_malloc_wi(kma, size) == 0)
        clade_add_relaxed(&counters[6], 1);
    else
        clade_add_relaxed(&counters[4], size);
}

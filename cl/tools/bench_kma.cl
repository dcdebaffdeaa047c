/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels of `clade bench kma` (tools/bench/kma.c) and of tests/bench/bench_kma.c. counters: 0
 * blocks that somebody else wrote to; 1 blocks that were not had; 4 bytes asked for and got, 6
 * refused. */
#include "clade/kma.clh"

/* All kernels have the same, so that the host sets them alike. `last`: which round, or how many. */
#define UNUSED __attribute__((unused))
#define ARGS                                                                              \
    __global clade_kma_head *kma, __global uint *refs UNUSED,                             \
        __global clade_atomic_u32 *counters UNUSED, uint items UNUSED, uint bytes UNUSED, \
        uint last UNUSED

static inline uint size_of(uint item, uint bytes)
{
    return bytes != 0 ? bytes : 4 + cladei_kma_mix(item) % 1021;
}

__kernel void clade_bench_kma_alloc(ARGS)
{
    uint i = (uint)get_global_id(0);
    if (i < items)
        refs[i] = clade_kma_malloc_wi(kma, size_of(i, bytes));
}

__kernel void clade_bench_kma_free(ARGS)
{
    uint i = (uint)get_global_id(0);
    if (i < items)
        clade_kma_free_wi(kma, refs[i]);
}

/* The last group's items beyond the end take part, and give back at once. */
__kernel void clade_bench_kma_alloc_wg(ARGS, __local uint *scratch)
{
    uint i = (uint)get_global_id(0), ref = clade_kma_malloc_wg(kma, bytes, scratch);
    if (i < items)
        refs[i] = ref;
    clade_kma_free_wg(kma, i < items ? 0u : ref, scratch);
}

__kernel void clade_bench_kma_free_wg(ARGS, __local uint *scratch)
{
    uint i = (uint)get_global_id(0);
    clade_kma_free_wg(kma, i < items ? refs[i] : 0u, scratch);
}

/* The owner's pattern in every word of its block, and whether it is still there. */
__kernel void clade_bench_kma_write(ARGS)
{
    uint i = (uint)get_global_id(0);
    if (i >= items || refs[i] == 0)
        return;
    __global uint *block = (__global uint *)clade_kma_ptr(kma, refs[i]);
    for (uint w = 0; w < size_of(i, bytes) / 4; w++)
        block[w] = (i + w) * 0x9e3779b1u + last;
}

__kernel void clade_bench_kma_look(ARGS)
{
    uint i = (uint)get_global_id(0), wrong = 0;
    if (i < items && refs[i] == 0)
        clade_add_relaxed(&counters[1], 1);
    if (i >= items || refs[i] == 0)
        return;
    __global uint *block = (__global uint *)clade_kma_ptr(kma, refs[i]);
    for (uint w = 0; w < size_of(i, bytes) / 4; w++)
        wrong |= block[w] != (i + w) * 0x9e3779b1u + last;
    if (wrong)
        clade_add_relaxed(&counters[0], 1);
}

__kernel void clade_bench_kma_pairs(ARGS)
{
    uint i = (uint)get_global_id(0);
    if (i >= items)
        return;
    for (uint round = 0; round < last; round++) {
        uint ref = clade_kma_malloc_wi(kma, size_of(i * last + round, bytes));
        if (ref == 0) {
            clade_add_relaxed(&counters[1], 1);
            continue;
        }
        volatile __global uint *block = (volatile __global uint *)clade_kma_ptr(kma, ref);
        *block = i;
        if (*block != i)
            clade_add_relaxed(&counters[0], 1);
        clade_kma_free_wi(kma, ref);
    }
}

__kernel void clade_bench_kma_fill(ARGS)
{
    uint i = (uint)get_global_id(0);
    if (i >= items)
        return;
    uint size = size_of(i + last * items, bytes);
    if (clade_kma_malloc_wi(kma, size) == 0)
        clade_add_relaxed(&counters[6], 1);
    else
        clade_add_relaxed(&counters[4], size);
}

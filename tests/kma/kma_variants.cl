/* SPDX-License-Identifier: Apache-2.0 */
/* What test_kma.c runs besides kma_test.cl: calloc, realloc, alignment, groups. Each kernel calls
 * each function in one place: CPU compilers inline every call, and take seconds for each. */
#include "clade/kma.clh"

/* Blocks of `times` times 3 and 5 bytes must be 0 and long enough; then spoiled, so that their
 * memory is not 0 by itself. `wrong` counts what is not as promised, in all kernels here. */
__kernel void kma_calloc(__global clade_kma_head *kma, uint count, uint times,
                         __global clade_atomic_u32 *wrong)
{
    uint item = (uint)get_global_id(0), bad = 0;
    if (item >= count)
        return;
    for (uint i = 0; i < times; i++) {
        uint number = 1 + (item * 31 + i) % 500, size = i % 2 == 0 ? 3 : 5;
        uint ref = clade_kma_calloc_wi(kma, number, size);
        if (ref == 0) {
            bad++;
        } else {
            __global uchar *p = (__global uchar *)clade_kma_ptr(kma, ref);
            bad += clade_kma_size_wi(kma, ref) < number * size;
            for (uint b = 0; b < number * size; b++) {
                bad += p[b] != 0;
                p[b] = (uchar)(b + 1);
            }
        }
        clade_kma_free_wi(kma, ref);
    }
    if (bad != 0)
        clade_add_relaxed(wrong, bad);
}

/* A product that does not fit 64 bits. */
__kernel void kma_calloc_huge(__global clade_kma_head *kma, ulong number, ulong size,
                              __global clade_atomic_u32 *wrong)
{
    if (clade_kma_calloc_wi(kma, number, size) != 0)
        clade_add_relaxed(wrong, 1);
}

/* From nil to a block, up and down `times` times, and to nothing; what both sizes hold stays. */
__kernel void kma_realloc(__global clade_kma_head *kma, uint count, uint times,
                          __global clade_atomic_u32 *wrong)
{
    uint item = (uint)get_global_id(0), bad = 0, ref = 0, had = 0;
    if (item >= count)
        return;
    for (uint i = 0; i <= times; i++) {
        uint bytes = i == times ? 0 : 1 + (item * 7919u + i * 104729u) % (i % 3 == 1 ? 4000u : 300u);
        ref = clade_kma_realloc_wi(kma, ref, bytes);
        bad += (ref == 0) != (bytes == 0);
        if (ref == 0)
            continue;
        __global uchar *p = (__global uchar *)clade_kma_ptr(kma, ref);
        for (uint b = 0; b < min(had, bytes); b++)
            bad += p[b] != (uchar)(item + b);
        for (uint b = 0; b < bytes; b++)
            p[b] = (uchar)(item + b);
        had = bytes;
    }
    if (bad != 0)
        clade_add_relaxed(wrong, bad);
}

/* Blocks of `bytes` at multiples of `align`, or of 16 << (item % 11) when it is 0; `wrong` counts
 * those that lie elsewhere. */
__kernel void kma_aligned(__global clade_kma_head *kma, uint count, uint bytes, uint align,
                          __global uint *refs, __global clade_atomic_u32 *wrong)
{
    uint item = (uint)get_global_id(0), to = align != 0 ? align : 16u << item % 11;
    if (item >= count)
        return;
    refs[item] = clade_kma_malloc_aligned_wi(kma, bytes, to);
    if (refs[item] != 0 && (ulong)(refs[item] - 1) * 16 % to != 0)
        clade_add_relaxed(wrong, 1);
}

/* Two blocks an item, both kept and marked; `wrong` counts those that another wrote to. With 0 bytes
 * neighbours want 16, 32 ... 128; with 1, items take 16 and 100 in an order of their own. */
__kernel void kma_twice(__global clade_kma_head *kma, uint count, uint bytes, __global uint *refs,
                        __global clade_atomic_u32 *wrong)
{
    uint item = (uint)get_global_id(0);
    if (item >= count)
        return;
    const uint other = bytes == 1 ? 100 - item % 2 * 84 : 0;
    bytes = other != 0 ? 116 - other : bytes != 0 ? bytes : 16 * (1 + item % 8);
    for (uint i = 0; i < 2; i++) {
        uint ref = clade_kma_malloc_wi(kma, i == 0 || other == 0 ? bytes : other);
        refs[2 * item + i] = ref;
        for (uint w = 0; ref != 0 && w < (other != 0 ? 16 : bytes) / 4; w++)
            ((__global uint *)clade_kma_ptr(kma, ref))[w] = (2 * item + i) * 64 + w;
    }
    for (uint i = 0; i < 2; i++) {
        uint ref = refs[2 * item + i], bad = 0;
        for (uint w = 0; ref != 0 && w < (other != 0 ? 16 : bytes) / 4; w++)
            bad += ((__global uint *)clade_kma_ptr(kma, ref))[w] != (2 * item + i) * 64 + w;
        if (bad != 0)
            clade_add_relaxed(wrong, 1);
    }
}

/* Blocks for whole groups: three times a block for each item, whose content must stay while others
 * do the same; the last round's blocks stay in refs[]. Group g wants `bytes` * (1 + g % 4), or 0 bytes
 * when it is 0. `nils` counts those who got none. */
__kernel void kma_group(__global clade_kma_head *kma, uint bytes, __global uint *refs,
                        __global clade_atomic_u32 *wrong, __global clade_atomic_u32 *nils,
                        __local uint *scratch)
{
    const uint item = (uint)get_global_id(0), mine = bytes * (1 + (uint)get_group_id(0) % 4);
    uint ref = 0, bad = 0, none = 0;
    for (uint round = 0; round < 3; round++) {
        if (round != 0)
            clade_kma_free_wg(kma, ref, scratch);
        ref = clade_kma_malloc_wg(kma, mine, scratch);
        none += ref == 0;
        if (ref != 0) {
            __global uint *block = (__global uint *)clade_kma_ptr(kma, ref);
            for (uint w = 0; w < mine / 4; w++)
                block[w] = item * 3 + round + w;
        }
        clade_barrier();
        if (ref != 0) {
            __global uint *block = (__global uint *)clade_kma_ptr(kma, ref);
            for (uint w = 0; w < mine / 4; w++)
                bad += block[w] != item * 3 + round + w;
        }
    }
    refs[item] = ref;
    if (bad != 0)
        clade_add_relaxed(wrong, bad);
    if (none != 0)
        clade_add_relaxed(nils, none);
}

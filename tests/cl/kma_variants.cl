/* SPDX-License-Identifier: Apache-2.0 */
/* What test_kma.c runs besides kma_test.cl: calloc, realloc, alignment, misuse. Each kernel calls
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

/* One item misuses a block in way `how`; debug mode must tell. */
__kernel void kma_misuse(__global clade_kma_head *kma, uint how, __global uint *refs)
{
    uint frees = how == 1 ? 2 : how == 5 || how == 9 ? 0 : 1, mallocs = how == 4 ? 2049 : 1;
    for (uint i = 0; i < mallocs; i++) {
        uint ref = clade_kma_malloc_wi(kma, 40);
        if (i != 0)
            continue;
        __global uchar *block = (__global uchar *)clade_kma_ptr(kma, ref);
        refs[0] = ref;
        if (how == 0) /* nothing wrong */
            block[39] = 7;
        if (how == 3) /* one byte past the end */
            block[40] = 7;
        if (how == 5) /* left so: the check finds it */
            block[41] = 7;
        for (uint f = 0; f < frees; f++) /* 1: twice; 2: no block's ref */
            clade_kma_free_wi(kma, how == 2 ? ref + 1 : ref);
        if (how == 4) /* written after it was freed, then given out again */
            block[3] = 7;
    }
}

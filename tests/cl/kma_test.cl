/* SPDX-License-Identifier: Apache-2.0 */
/* What test_kma.c runs. Blocks carry their owner's pattern in every word; `wrong` counts words that
 * another changed. */
#include "clade/kma.clh"

static inline uint pattern(uint owner, uint word)
{
    return owner * 0x9e3779b1u ^ word * 0x85ebca6bu;
}

static inline void mark(__global clade_kma_head *kma, uint ref, uint owner, uint bytes)
{
    __global uint *block = (__global uint *)clade_kma_ptr(kma, ref);
    for (uint w = 0; w < bytes / 4; w++)
        block[w] = pattern(owner, w);
}

static inline uint marked(__global clade_kma_head *kma, uint ref, uint owner, uint bytes)
{
    __global const uint *block = (__global const uint *)clade_kma_ptr(kma, ref);
    uint wrong = 0;
    for (uint w = 0; w < bytes / 4; w++)
        wrong += block[w] != pattern(owner, w);
    return wrong;
}

__kernel void kma_mark(__global clade_kma_head *kma, __global const uint *refs,
                       __global const ulong *sizes, uint count)
{
    uint i = (uint)get_global_id(0);
    if (i < count && refs[i] != 0)
        mark(kma, refs[i], i, (uint)sizes[i]);
}

__kernel void kma_marked(__global clade_kma_head *kma, __global const uint *refs,
                         __global const ulong *sizes, uint count,
                         __global clade_atomic_u32 *wrong)
{
    uint i = (uint)get_global_id(0);
    if (i < count && refs[i] != 0 && marked(kma, refs[i], i, (uint)sizes[i]) != 0)
        clade_add_relaxed(wrong, 1);
}

/* Each item keeps up to four blocks and does `rounds` random steps on them: malloc into an empty
 * place, look and free at a full one. refs[4 * item + place] is what it has at the end. */
__kernel void kma_churn(__global clade_kma_head *kma, __global uint *refs, uint count, uint rounds,
                        uint seed, uint most, __global clade_atomic_u32 *wrong)
{
    uint item = (uint)get_global_id(0), held[4], size[4];
    if (item >= count)
        return;
    for (uint p = 0; p < 4; p++)
        held[p] = size[p] = 0;
    for (uint round = 0; round < rounds; round++) {
        uint r = cladei_kma_mix(seed + item * 977u + round * 131071u), p = r & 3;
        if (held[p] != 0) {
            if (marked(kma, held[p], item * 4 + p, size[p]) != 0)
                clade_add_relaxed(wrong, 1);
            clade_kma_free_wi(kma, held[p]);
            held[p] = 0;
        } else {
            size[p] = 1 + (r >> 4) % ((r >> 2 & 7) == 0 ? most : min(most, 256u));
            held[p] = clade_kma_malloc_wi(kma, size[p]);
            if (held[p] != 0)
                mark(kma, held[p], item * 4 + p, size[p]);
        }
    }
    for (uint p = 0; p < 4; p++) {
        if (held[p] != 0 && marked(kma, held[p], item * 4 + p, size[p]) != 0)
            clade_add_relaxed(wrong, 1);
        refs[item * 4 + p] = held[p];
    }
}

/* calloc, realloc up and down, size, alignment: `wrong` counts what is not as promised. */
__kernel void kma_variants(__global clade_kma_head *kma, uint count,
                           __global clade_atomic_u32 *wrong)
{
    uint item = (uint)get_global_id(0);
    if (item >= count)
        return;
    uint bytes = 4 + item % 500, bad = 0;
    uint zeroed = clade_kma_calloc_wi(kma, bytes, 3);
    if (zeroed == 0) {
        bad++;
    } else {
        __global const uchar *p = (__global const uchar *)clade_kma_ptr(kma, zeroed);
        for (uint i = 0; i < bytes * 3; i++)
            bad += p[i] != 0;
        bad += clade_kma_size_wi(kma, zeroed) < bytes * 3;
    }
    bad += clade_kma_calloc_wi(kma, 1ul << 40, 1ul << 40) != 0;
    uint ref = clade_kma_malloc_wi(kma, bytes);
    if (ref == 0) {
        bad++;
    } else {
        mark(kma, ref, item, bytes);
        uint grown = clade_kma_realloc_wi(kma, ref, bytes * 7);
        bad += grown == 0 || marked(kma, grown, item, bytes) != 0;
        uint shrunk = clade_kma_realloc_wi(kma, grown, bytes / 2 + 1);
        bad += shrunk == 0 || marked(kma, shrunk, item, bytes / 2 + 1) != 0;
        bad += clade_kma_realloc_wi(kma, shrunk, 0) != 0;
    }
    uint align = 16u << item % 11, aligned = clade_kma_malloc_aligned_wi(kma, bytes, align);
    bad += aligned == 0 || (ulong)(aligned - 1) * 16 % align != 0;
    bad += clade_kma_malloc_aligned_wi(kma, bytes, 48) != 0;
    bad += clade_kma_malloc_wi(kma, 0) != 0;
    clade_kma_free_wi(kma, 0);
    clade_kma_free_wi(kma, zeroed);
    clade_kma_free_wi(kma, aligned);
    if (bad != 0)
        clade_add_relaxed(wrong, bad);
}

/* One item misuses a block in way `how`; debug mode must tell. */
__kernel void kma_misuse(__global clade_kma_head *kma, uint how, __global uint *refs)
{
    uint ref = clade_kma_malloc_wi(kma, 40);
    __global uchar *block = (__global uchar *)clade_kma_ptr(kma, ref);
    refs[0] = ref;
    if (how == 1) { /* freed twice */
        clade_kma_free_wi(kma, ref);
        clade_kma_free_wi(kma, ref);
    } else if (how == 2) { /* no block's ref */
        clade_kma_free_wi(kma, ref + 1);
    } else if (how == 3) { /* one byte past the end */
        block[40] = 7;
        clade_kma_free_wi(kma, ref);
    } else if (how == 4) { /* written after it was freed, then given out again */
        clade_kma_free_wi(kma, ref);
        block[3] = 7;
        for (uint i = 0; i < 2048; i++)
            clade_kma_malloc_wi(kma, 40);
    } else if (how == 5) { /* left with bytes past the end written: the check finds it */
        block[41] = 7;
    } else if (how == 0) {
        block[39] = 7;
        clade_kma_free_wi(kma, ref);
    }
}

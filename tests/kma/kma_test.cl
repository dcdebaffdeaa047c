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

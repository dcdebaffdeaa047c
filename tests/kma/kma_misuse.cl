/* SPDX-License-Identifier: Apache-2.0 */
/* What test_kma_use.c runs in debug mode. */
#include "clade/kma.clh"

/* One item misuses a block in way `how`; debug mode must tell. */
__kernel void kma_misuse(__global clade_kma_head *kma, uint how, __global uint *refs)
{
    uint frees = how == 1 ? 2 : how == 5 || how == 6 || how == 9 ? 0 : 1, mallocs = how == 4 ? 2049 : 1;
    for (uint i = 0; i < mallocs; i++) {
        uint ref = clade_kma_malloc_wi(kma, how == 6 ? 40000 : 40); /* 6: a block of pages */
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

/* SPDX-License-Identifier: Apache-2.0 */
#include "clade/kma.clh"

/* A block for each work-item, with its number in it. */
__kernel void fill(__global clade_kma_head *kma, __global uint *refs)
{
    uint item = (uint)get_global_id(0), ref = clade_kma_malloc_wi(kma, 100);
    refs[item] = ref;
    if (ref == 0)
        return; /* full: counted, and the object's first error is CLADE_E_FULL */
    __global uint *block = clade_kma_ptr(kma, ref);
    block[0] = item; /* clade_kma_free_wi(kma, ref) gives it back, in this kernel or a later one */
}

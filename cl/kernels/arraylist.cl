/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels behind clade_arraylist_*; launched by lib/arraylist/arraylist.c. */

#include "clade/arraylist.clh"

/* Which kernels: 1 the one that asks the allocator, 2 the others; 0 all. */
#ifndef CLADE_PART
#define CLADE_PART 0
#endif

#if CLADE_PART != 2

/* One work-item: segments for `count` more elements, or the object's error. The size is moved by
 * the launch that writes them: when there is none nothing was appended. */
__kernel void clade_arraylist_reserve(__global clade_arraylist_head *list,
                                      __global clade_kma_head *kma, uint count)
{
    uint size = clade_load_relaxed(&list->size), met = 0u;
    const bool fits =
        count <= list->capacity - size &&
        cladei_arraylist_grow_wi(list, kma, size, size + count, &met) == CLADEI_ARRAYLIST_THERE;
    clade_store_relaxed(&list->base, fits ? size : CLADE_ARRAYLIST_REFUSED);
    if (!fits)
        clade_cas_relaxed(&list->object.first_error, 0u, (uint)CLADE_E_FULL);
}

#endif
#if CLADE_PART != 1

/* One word an item, from the array to what was reserved. */
__kernel void clade_arraylist_write(__global clade_arraylist_head *list,
                                    __global clade_kma_head *kma, __global const uint *elements,
                                    ulong first, ulong words)
{
    ulong i = get_global_id(0);
    uint base = clade_load_relaxed(&list->base), index = (uint)(i / list->words);
    if (i >= words || base == CLADE_ARRAYLIST_REFUSED)
        return;
    __global uint *to = (__global uint *)clade_arraylist_at_wi(list, kma, base + index);
    to[i % list->words] = elements[first + i];
    if (i == 0u)
        clade_store_relaxed(&list->size, base + (uint)(words / list->words));
}

/* And back, from element `from` on. */
__kernel void clade_arraylist_read(__global clade_arraylist_head *list,
                                   __global clade_kma_head *kma, uint from, __global uint *elements,
                                   ulong first, ulong words)
{
    ulong i = get_global_id(0);
    uint index = (uint)(i / list->words);
    if (i >= words)
        return;
    __global const uint *at = (__global const uint *)clade_arraylist_at_wi(list, kma, from + index);
    elements[first + i] = at[i % list->words];
}

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels behind clade_kma_*; launched by lib/kma/kma.c.
 *
 * What the library can ask for (`cladec --check`).
 * Check: CLADE_KMA_DEBUG=0,1
 * Check sm_90: CLADE_KMA_DEBUG=0,1 CLADE_SG_REDUX=1
 */

#include "clade/kma.clh"

/* Which kernels: 1 those that allocate, 2 the one that frees; 0 all. */
#ifndef CLADE_PART
#define CLADE_PART 0
#endif

#if CLADE_PART != 2

/* After clearing: the superblocks that lie ready, one item for each part hint of their classes. */
__kernel void clade_kma_make_ready(__global clade_kma_head *kma)
{
    const uint i = (uint)get_global_id(0), class_ = i >> kma->part_bits;
    const uint place = i & ((1u << kma->part_bits) - 1),
               shape = kma->shape[class_ % CLADE_KMA_CLASSES];
    uint word = kma->ready_word;
    if (class_ >= kma->ready_classes || place >= CLADE_KMA_SHAPE_PARTS(shape))
        return;
    for (uint c = 0; c < class_; c++)
        word += clade_kma_ready_of(c, kma->shape[c]).words;
    const clade_kma_ready of = clade_kma_ready_of(class_, shape);
    const uint nth = place / of.groups, group = place % of.groups;
    const uint cells = clade_kma_ready_cells(of, shape, nth);
    const uint first = nth % of.each * of.pages;
    word += nth / of.each;
    const uint sb = word * 32 + first;
    clade_store_relaxed(cladei_kma_part(kma, class_, shape, place), sb * 32 + group + 1);
    clade_store_relaxed(cladei_kma_word(kma, kma->cells_at + sb * 32 + group),
                        ~clade_kma_group_cells(cells, group));
    if (group != 0)
        return;
    for (uint page = 0; page < of.pages; page++)
        clade_store_relaxed(cladei_kma_word(kma, kma->info_at + sb + page),
                            CLADE_KMA_INFO(class_, cells, of.pages) | page << 6);
    clade_store_relaxed(cladei_kma_word(kma, kma->hinted_at + sb), clade_kma_all_groups(cells));
    const uint run = cladei_kma_run_mask(of.pages) << first;
    if ((clade_and_relaxed(cladei_kma_node(kma, CLADEI_KMA_PAGE_TREE, 0, word), ~run) & ~run) == 0)
        cladei_kma_lower(kma, CLADEI_KMA_PAGE_TREE, 1, word);
}

/* One block an item; sizes[] of 64 bits, or `bytes` for all when `fixed` is not 0. */
__kernel void clade_kma_malloc(__global clade_kma_head *kma, __global const ulong *sizes,
                               ulong first, ulong bytes, uint fixed, __global uint *refs,
                               ulong refs_first, ulong count)
{
    ulong i = get_global_id(0);
    if (i < count)
        refs[refs_first + i] = clade_kma_malloc_wi(kma, fixed != 0 ? bytes : sizes[first + i]);
}

#endif
#if CLADE_PART != 1

__kernel void clade_kma_free(__global clade_kma_head *kma, __global const uint *refs, ulong first,
                             ulong count)
{
    ulong i = get_global_id(0);
    if (i < count)
        clade_kma_free_wi(kma, refs[first + i]);
}

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels behind clade_kma_*; launched by lib/kma/kma.c.
 *
 * What the library can ask for (`cladec --check`).
 * Check: CLADE_KMA_DEBUG=0,1
 * Check sm_90: CLADE_KMA_DEBUG=0,1 CLADE_SG_REDUX=1
 */

#include "clade/kma.clh"

/* Bit i of a level of the tree of pages covers pages [i * span, (i + 1) * span): is one of them
 * free at the start? */
static inline uint initial_bits(__global const clade_kma_head *kma, uint level, uint word)
{
    ulong span = 1ul << (5 * level);
    uint bits = 0;
    for (uint i = 0; i < 32; i++) {
        ulong from = ((ulong)word * 32 + i) * span;
        if (from < kma->pages && from + span > kma->first_page)
            bits |= 1u << i;
    }
    return bits;
}

/* Every word of the bookkeeping after the head, one item each. */
__kernel void clade_kma_init(__global clade_kma_head *kma)
{
    uint i = (uint)get_global_id(0) + (uint)(sizeof(clade_kma_head) / 4), value = 0;
    uint page_tree = kma->tree_at + CLADEI_KMA_PAGE_TREE * kma->tree_words;
    if (i >= kma->first_page * (CLADE_KMA_PAGE_BYTES / 4))
        return;
    if (i >= kma->cells_at && i - kma->cells_at < kma->pages * 32u)
        value = 0xffffffffu;
    else if (i >= page_tree && i - page_tree < kma->tree_words) {
        uint level = 0;
        while (level + 1 < kma->levels && i - page_tree >= kma->level_at[level + 1])
            level++;
        value = initial_bits(kma, level, i - page_tree - kma->level_at[level]);
    }
    clade_store_relaxed(cladei_kma_word(kma, i), value);
}

/* After that: the superblocks that lie ready, one item for each part hint of their classes. */
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

__kernel void clade_kma_free(__global clade_kma_head *kma, __global const uint *refs, ulong first,
                             ulong count)
{
    ulong i = get_global_id(0);
    if (i < count)
        clade_kma_free_wi(kma, refs[first + i]);
}

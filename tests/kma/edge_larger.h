/* SPDX-License-Identifier: Apache-2.0 */
/* Cells of one class alone are free: the largest one, the one above what is wanted, or any other.
 */
#pragma once

/* A claim of class `wanted`, of this class alone or of larger ones too, where all that is free is
 * in a superblock of class `free_`, which no slot or hint shows. */
static void claim_of(uint wanted, uint free_, bool exact)
{
    const cladei_kma_won none = { 0, 0 };
    clade_kma_head *kma = make(350, 2);
    uint *const words = (uint *)(void *)kma;
    const uint sb = unshown_superblock(kma, free_), class_ = exact ? wanted : free_;
    memset(words + kma->tree_at + CLADE_KMA_PAGE_TREE(0) * kma->tree_words, 0,
           4ul * kma->tree_words); /* somebody has all pages */
    const cladei_kma_won won = cladei_kma_claim(kma, wanted, exact ? 1u | CLADEI_KMA_EXACT : 1u, 0u,
                                                none, cladei_kma_me());
    const bool gets = free_ >= wanted && free_ <= class_;
    const uint group = won.group & ~CLADE_KMA_BUSY;
    expect(popcount(won.mask) == gets, "cells where one class has some", wanted, free_);
    expect(!gets || (group / 32u == sb && (won.mask & words[kma->cells_at + group]) == won.mask),
           "which cells", won.mask, group);
    expect(!gets || ((won.group & CLADE_KMA_BUSY) != 0) == (free_ != wanted), "of another class",
           wanted, free_);
    free((void *)kma);
}

/* Two larger classes have cells. Of the first one others are always faster: it is of the second. */
static void claim_beyond(uint wanted, uint first, uint second)
{
    const cladei_kma_won none = { 0, 0 };
    clade_kma_head *kma = make(350, 2);
    uint *const words = (uint *)(void *)kma;
    const uint busy = unshown_superblock(kma, first), sb = unshown_superblock(kma, second);
    memset(words + kma->tree_at + CLADE_KMA_PAGE_TREE(0) * kma->tree_words, 0,
           4ul * kma->tree_words);
    words[kma->whole_at + busy] = 0;
    lost.from = cladei_kma_word(kma, kma->cells_at + busy * 32u);
    lost.end = lost.from + 32;
    lost.times = 0;
    lost.most = ~0u;
    const cladei_kma_won won = cladei_kma_claim(kma, wanted, 1u, 0u, none, cladei_kma_me());
    expect(lost.times > 0, "nobody came: this test sees nothing", first, second);
    lost.from = lost.end = NULL;
    expect(won.mask != 0 && (won.group & ~CLADE_KMA_BUSY) / 32u == sb, "cells of the next class",
           won.mask, won.group);
    free((void *)kma);
}

/* A hint of another place shows cells of this class, and superblocks of another one have some, too:
 * who wants this class alone has the hints swept until it turns up. */
static void sweep_for_one_class(uint wanted, uint other)
{
    const cladei_kma_won none = { 0, 0 };
    clade_kma_head *kma = make(3000, 16);
    uint *const words = (uint *)(void *)kma;
    unshown_superblock(kma, other);
    kma->low_pages = 0;
    const uint ref = clade_kma_malloc_wi(kma, 16ul * clade_kma_class_units(wanted));
    expect(ref != CLADE_NIL, "a block", wanted, 0);
    memset(words + kma->tree_at + CLADE_KMA_PAGE_TREE(0) * kma->tree_words, 0,
           4ul * kma->tree_words);
    const cladei_kma_won won =
        cladei_kma_claim(kma, wanted, 1u | CLADEI_KMA_EXACT, 64u * 3u + 5u, none, cladei_kma_me());
    expect(popcount(won.mask) == 1, "what a hint of another place shows", won.mask, wanted);
    free((void *)kma);
}

static void one_class_has_cells(void)
{
    static const uint pairs[][2] = { { 0, 35 }, { 0, 1 },   { 3, 35 },  { 34, 35 }, { 35, 35 },
                                     { 0, 0 },  { 31, 32 }, { 30, 31 }, { 5, 4 },   { 35, 34 } };
    for (uint i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
        claim_of(pairs[i][0], pairs[i][1], false);
        claim_of(pairs[i][0], pairs[i][1], true);
    }
    claim_beyond(3, 5, 9);
    claim_beyond(0, 1, 35);
    claim_beyond(31, 32, 33);
    sweep_for_one_class(3, 5);
    sweep_for_one_class(20, 31);
}

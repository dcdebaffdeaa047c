/* SPDX-License-Identifier: Apache-2.0 */
/* What is left when a claim or a sweep has met others all the way. */
#pragma once

/* Superblocks of all classes have free cells, and no hint or slot shows them. */
static uint scatter(clade_kma_head *kma, uint *live)
{
    uint n = 0;
    kma->low_pages = kma->pages; /* so nothing is shown */
    for (uint class_ = 0; class_ < CLADE_KMA_CLASSES; class_++)
        live[n++] = clade_kma_malloc_wi(kma, 16ul * clade_kma_class_units(class_));
    kma->low_pages = 0;
    for (uint class_ = 0; class_ < CLADE_KMA_CLASSES; class_++)
        expect(kma->any[class_ / 32u] >> class_ % 32u & 1u, "a class with free cells", class_, 0);
    return n;
}

/* Others are faster at each step of a claim, and give back what they took. It ends, and leaves all
 * as it was; what it held to show something there is free. */
static void claim_in_vain(uint class_, uint n)
{
    const cladei_kma_won none = { 0, 0 };
    uint live[CLADE_KMA_CLASSES];
    clade_kma_head *kma = make(700, 2);
    const uint count = scatter(kma, live);
    const size_t bytes = 4ul * (host_kma_bookkeeping_words(kma) - kma->info_at);
    const uint *const now = (const uint *)(void *)kma + kma->info_at;
    uint *before = malloc(bytes);
    if (!before)
        exit(1);
    memcpy(before, now, bytes);
    lost.from = cladei_kma_word(kma, kma->whole_at);
    lost.end = cladei_kma_word(kma, kma->slot_at);
    lost.times = 0;
    lost.most = ~0u;
    const cladei_kma_won won = cladei_kma_claim(kma, class_, n, 0u, none, cladei_kma_me());
    lost.from = lost.end = NULL;
    expect(won.mask == 0, "a claim in vain", won.mask, class_);
    expect(lost.times > 250, "how long it tried", lost.times, class_);
    expect(memcmp(before, now, bytes) == 0, "something has changed, after a claim in vain", class_,
           n);
    expect_sound(kma, live, count, "after a claim in vain");
    free(before);
    free((void *)kma);
}

/* Others take all of a superblock's groups before the first try of a claim there, or the second:
 * there is no other try. */
static void claim_what_is_taken(clade_kma_head *kma, uint class_, const uint *word)
{
    const uint before = *word;
    for (lost.whole = 1; lost.whole < 3; lost.whole++) {
        lost.times = 0;
        lost.most = 3;
        const cladei_kma_won won = cladei_kma_claim_fast(kma, class_, 32u, 0u);
        expect(won.mask == 0 && lost.times == lost.whole && *word == before, "a claim of nothing",
               lost.times, lost.whole);
    }
    lost.whole = 0;
}

/* A claim at a hint or a slot: of its three tries the first ones are in vain. It gets cells of the
 * group that the hint shows, or a group of the slot's superblock, and else no word changes. */
static void claim_at_last(clade_kma_head *kma, uint class_, uint n)
{
    const cladei_kma_won none = { 0, 0 };
    uint *const words = (uint *)(void *)kma;
    const cladei_kma_won first = cladei_kma_claim(kma, class_, n, 0u, none, cladei_kma_me());
    uint *const word =
        words + (n == 32u ? kma->whole_at + first.group / 32u : kma->cells_at + first.group);
    expect(first.mask != 0, "a first claim", class_, n);
    lost.from = cladei_kma_word(kma, 0u);
    lost.end = cladei_kma_word(kma, kma->slot_at);
    for (uint in_vain = 0; in_vain < 8; in_vain++) {
        const uint before = *word;
        lost.times = 0;
        lost.most = in_vain % 4u;
        const cladei_kma_won won = cladei_kma_claim_fast(kma, class_, n, 0u);
        const uint bit = 1u << won.group % 32u;
        expect(lost.times == in_vain % 4u, "how often it tries", lost.times, in_vain);
        if (in_vain % 4u == 3u)
            expect(won.mask == 0 && *word == before, "three tries in vain", won.mask, *word);
        else if (n == 32u)
            expect(won.mask == ~0u && won.group / 32u == first.group / 32u && (before & bit) != 0 &&
                       *word == (before & ~bit),
                   "a group, at last", won.group, in_vain);
        else
            expect(won.group == first.group && (uint)popcount(won.mask) == n &&
                       (won.mask & before) == 0 && *word == (before | won.mask),
                   "cells, at last", won.mask, before);
    }
    if (n == 32u)
        claim_what_is_taken(kma, class_, word);
    lost.from = lost.end = NULL;
    free((void *)kma);
}

/* While what lies ready is being given up, another one finds a group of it full and has its hint
 * show another. Some cell is in use, so it stays: the group is looked after all the same. */
static void give_up_in_vain(clade_kma_head *kma)
{
    uint live[16], *const words = (uint *)(void *)kma;
    const uint count = kma->ready < 16u ? kma->ready : 16u;
    for (uint nth = 0; nth < count; nth++) {
        const cladei_kma_ready ready = cladei_kma_ready_nth(kma, nth);
        const uint class_ = CLADE_KMA_INFO_KIND(ready.info) - 1u, sb = ready.sb;
        const uint cells = CLADE_KMA_INFO_CELLS(ready.info), groups = (cells + 31u) / 32u;
        const uint used = groups - 1u, other = nth % groups;
        expect(groups > 1, "groups", nth, groups);
        words[kma->cells_at + sb * 32u + used] |= 1u;
        live[nth] = cladei_kma_cell_ref(sb * 32u + used, 0u, class_);
        if (nth % 4u != 0) { /* some of them, the last one too */
            words[kma->part_at + ready.part + other] = 0;
            words[kma->hinted_at + sb] &= ~(1u << other);
        }
        cladei_kma_sweep(kma, class_ | CLADEI_KMA_EXACT, cladei_kma_me());
        expect(kma->given_up == nth + 1u, "given up", kma->given_up, nth);
        expect(words[kma->hinted_at + sb] == 0, "marks of hints", nth, words[kma->hinted_at + sb]);
        for (uint g = 0; g < groups; g++)
            expect(words[kma->part_at + ready.part + g] == 0, "a hint that was swept", nth, g);
        expect(words[kma->partial_at + sb] == 1u << used, "a group in use", nth,
               words[kma->partial_at + sb]);
        expect(words[kma->whole_at + sb] == (clade_kma_all_groups(cells) & ~(1u << used)),
               "free groups", nth, words[kma->whole_at + sb]);
        expect_sound(kma, live, nth + 1u, "what lay ready was not given up");
    }
    free((void *)kma);
}

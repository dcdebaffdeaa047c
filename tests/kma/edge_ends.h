/* SPDX-License-Identifier: Apache-2.0 */
/* A superblock ends between an item's looks at what it is, and another one begins in its pages. */
#pragma once

/* The superblock's info, and what it is when another one has begun. */
static struct {
    clade_global_word info;
    uint before, after;
} ends;

static void another_begins(void)
{
    clade_store_relaxed(ends.info, ends.after);
}

/* A superblock of one cell in use, which no slot or hint shows. Its last group has fewer cells than
 * the others. */
static uint unshown_superblock(clade_kma_head *kma, uint class_)
{
    uint *const words = (uint *)(void *)kma;
    kma->low_pages = kma->pages; /* so nothing is shown */
    const uint ref = clade_kma_malloc_wi(kma, 16ul * clade_kma_class_units(class_));
    uint sb = kma->first_page;
    while (CLADE_KMA_INFO_KIND(words[kma->info_at + sb]) != class_ + 1u)
        sb++;
    expect(ref != CLADE_NIL && !cladei_kma_is_shown(kma, sb), "a superblock", class_, sb);
    ends.info = cladei_kma_word(kma, kma->info_at + sb);
    ends.before = words[kma->info_at + sb];
    return sb;
}

static uint *in_tree_of(clade_kma_head *kma, uint class_, uint sb)
{
    return (uint *)(uintptr_t)cladei_kma_node(kma, class_, 0u, sb / 32u);
}

/* All groups of what an item wants to end are free, and then they are free groups of another
 * superblock, which has one more. `partial`, `listed`: it has such a group, its tree shows it. */
static void end_another(uint class_, uint partial, bool listed)
{
    clade_kma_head *kma = make(350, 2);
    uint *const words = (uint *)(void *)kma;
    const uint sb = unshown_superblock(kma, class_), next = class_ + 1u;
    const uint cells = CLADE_KMA_INFO_CELLS(ends.before), all = clade_kma_all_groups(cells);
    const uint pages = CLADE_KMA_INFO_PAGES(ends.before);
    ends.after = CLADE_KMA_INFO(next, (cells + 31u) / 32u * 32u + 32u, pages);
    words[kma->whole_at + sb] = all;
    words[kma->partial_at + sb] = partial;
    *in_tree_of(kma, class_, sb) &= ~(1u << sb % 32u);
    if (listed)
        *in_tree_of(kma, next, sb) |= 1u << sb % 32u;
    acts.at = cladei_kma_word(kma, kma->whole_at + sb);
    acts.acts = another_begins;
    acts.after = false;
    cladei_kma_settle(kma, sb, cladei_kma_me());
    expect(!acts.at, "nobody came: this test sees nothing", class_, 0);
    expect(words[kma->info_at + sb] == ends.after, "a superblock that another one has begun",
           words[kma->info_at + sb], ends.after);
    expect(words[kma->whole_at + sb] == all, "its free groups", words[kma->whole_at + sb], all);
    expect(words[kma->partial_at + sb] == partial, "its partly used groups", class_, partial);
    expect((*in_tree_of(kma, next, sb) >> sb % 32u & 1u) == 1u, "its place in its tree", next, sb);
    expect((*in_tree_of(kma, class_, sb) >> sb % 32u & 1u) == 0u, "another class's tree", class_,
           sb);
    acts.at = NULL;
    free((void *)kma);
}

/* A group's cells are all free, and then they are free cells of another superblock's group, which
 * has others, too. `before`: groups that were partly used by then. Gives the superblock if this is
 * the first one. */
static void settle_anothers(uint class_, uint before)
{
    clade_kma_head *kma = make(350, 2);
    uint *const words = (uint *)(void *)kma;
    const uint sb = unshown_superblock(kma, class_);
    const uint cells = CLADE_KMA_INFO_CELLS(ends.before), last = (cells - 1u) / 32u;
    const uint mask = clade_kma_group_cells(cells, last), whole = words[kma->whole_at + sb];
    const uint at = kma->cells_at + sb * 32u + last;
    ends.after = CLADE_KMA_INFO(class_ + 1u, (last + 1u) * 32u, CLADE_KMA_INFO_PAGES(ends.before));
    expect(mask != ~0u && last > 0, "a last group of fewer cells", class_, cells);
    words[at] = ~mask;
    words[kma->partial_at + sb] = before;
    acts.at = cladei_kma_word(kma, at);
    acts.acts = another_begins;
    acts.after = false;
    const uint got = cladei_kma_settle_group(kma, sb * 32u + last);
    expect(!acts.at, "nobody came: this test sees nothing", class_, 0);
    expect(got == (before == 0 ? sb : CLADEI_KMA_NONE), "whether it is to be settled", got, before);
    expect(words[at] == ~mask, "cells that are free again", words[at], ~mask);
    expect(words[kma->partial_at + sb] == (before | 1u << last), "a partly used group",
           words[kma->partial_at + sb], before);
    expect(words[kma->whole_at + sb] == whole, "free groups", words[kma->whole_at + sb], whole);
    acts.at = NULL;
    free((void *)kma);
}

/* What lay ready has ended, and a superblock of another class is there by now, which is free: it
 * stays. */
static void give_up_anothers(clade_kma_head *kma)
{
    uint *const words = (uint *)(void *)kma;
    for (uint nth = 0; nth < kma->ready; nth += 1u + kma->ready / 7u) {
        const cladei_kma_ready ready = cladei_kma_ready_nth(kma, nth);
        uint cells[32];
        words[kma->info_at + ready.sb]++;
        memcpy(cells, words + kma->cells_at + ready.sb * 32u, sizeof cells);
        expect(!cladei_kma_give_up(kma, ready, cladei_kma_me()), "another superblock", nth, 0);
        expect(memcmp(cells, words + kma->cells_at + ready.sb * 32u, sizeof cells) == 0,
               "cells of another superblock", nth, ready.sb);
        words[kma->info_at + ready.sb]--;
    }
    expect_sound(kma, NULL, 0, "others had begun where something lay ready");
    free((void *)kma);
}

/* A word of which another one gives bits back. */
static struct {
    clade_global_word at;
    uint clear, set;
} given;

static void another_gives_back(void)
{
    clade_and_relaxed(given.at, ~given.clear);
    clade_or_relaxed(given.at, given.set);
}

/* Nothing is left of what a slot or hint shows, and a claim replaces it. Just before, somebody
 * gives something back, and leaves the rest to whoever replaces it. So that can be found
 * afterwards. */
static void replace_beside(uint class_, uint n)
{
    const cladei_kma_won none = { 0, 0 };
    clade_kma_head *kma = make(350, 2);
    uint *const words = (uint *)(void *)kma;
    const cladei_kma_won first = cladei_kma_claim(kma, class_, n, 0u, none, cladei_kma_me());
    const uint sb = first.group / 32u, shape = kma->shape[class_];
    const bool is_slot = n == 32u;
    expect(first.mask != 0, "a first claim", class_, n);
    words[kma->whole_at + sb] = words[kma->partial_at + sb] = 0;
    words[kma->cells_at + first.group] = ~0u;
    given.at = cladei_kma_word(kma, is_slot ? kma->whole_at + sb : kma->cells_at + first.group);
    given.clear = is_slot ? 0u : 4u;
    given.set = is_slot ? 2u : 0u;
    acts.at = is_slot ? cladei_kma_slot(kma, class_, shape, cladei_kma_slot_place(0))
                      : cladei_kma_part(kma, class_, shape, cladei_kma_part_place(0));
    expect(clade_load_relaxed(acts.at) == (is_slot ? sb : first.group) + 1u, "what is shown",
           clade_load_relaxed(acts.at), first.group);
    acts.acts = another_gives_back;
    acts.after = false;
    const cladei_kma_won won = cladei_kma_claim(kma, class_, n, 0u, none, cladei_kma_me());
    expect(!acts.at, "nobody came: this test sees nothing", class_, n);
    expect(won.mask != 0 && won.group / 32u != sb, "another superblock", won.group, sb);
    expect((*in_tree_of(kma, class_, sb) >> sb % 32u & 1u) == 1u, "what was given back", class_, n);
    expect(is_slot || words[kma->partial_at + sb] == 1u << first.group % 32u, "its group", class_,
           words[kma->partial_at + sb]);
    acts.at = NULL;
    free((void *)kma);
}

/* What a hint shows is of another class by now: of its group the first cell alone is free. It stays
 * so, both by the fast way and the long one, and the block comes from elsewhere. */
static void hint_of_another(uint class_, uint other)
{
    clade_kma_head *kma = make(350, 2);
    uint *const words = (uint *)(void *)kma;
    const clade_ref block = clade_kma_malloc_wi(kma, 16ul * clade_kma_class_units(other));
    const uint group = cladei_kma_locate(kma, block - 1u).group, at = kma->cells_at + group;
    const uint before = words[at];
    clade_store_relaxed(cladei_kma_part(kma, class_, kma->shape[class_], cladei_kma_part_place(0)),
                        group + 1u);
    words[at] = ~1u;
    const clade_ref got = clade_kma_malloc_wi(kma, 16ul * clade_kma_class_units(class_));
    const cladei_kma_place place = cladei_kma_locate(kma, got - 1u);
    expect(got != CLADE_NIL && CLADE_KMA_INFO_KIND(place.info) == class_ + 1u, "a block's class",
           class_, place.info);
    expect(words[at] == ~1u, "a cell of another class", other, words[at]);
    words[at] = before;
    clade_kma_free_wi(kma, got);
    expect_sound(kma, &block, 1, "a hint that showed another class");
    free((void *)kma);
}

/* Items that share a claim give a whole group back, of which `freed` cells were free before: that
 * many are counted, and the group is free as a whole. */
static void give_a_group_back(uint class_, uint freed)
{
    const cladei_kma_won none = { 0, 0 };
    clade_kma_head *kma = make(350, 2);
    uint *const words = (uint *)(void *)kma;
    const cladei_kma_who me = cladei_kma_me();
    const cladei_kma_won first = cladei_kma_claim(kma, class_, 1u, 0u, none, me); /* stays */
    const cladei_kma_won won = cladei_kma_claim(kma, class_, 32u, 0u, none, me);
    const uint sb = won.group / 32u, bit = 1u << won.group % 32u;
    expect(first.mask != 0 && won.mask == ~0u && first.group != won.group, "a whole group", class_,
           won.mask);
    /* Nothing else of the superblock is free, and no slot shows it: its tree has to, afterwards. */
    words[kma->whole_at + sb] = words[kma->home_at + sb] = 0;
    *in_tree_of(kma, class_, sb) &= ~(1u << sb % 32u);
    words[kma->cells_at + won.group] = ~freed;
    cladei_kma_free_cells(kma, won.group, ~0u, words[kma->info_at + sb], 32u, me);
    expect((*in_tree_of(kma, class_, sb) >> sb % 32u & 1u) == 1u, "its place in its tree", class_,
           sb);
    expect(kma->bad_frees == popcount(freed), "cells that were free", kma->bad_frees, freed);
    expect(words[kma->cells_at + won.group] == ~0u && (words[kma->whole_at + sb] & bit) != 0 &&
               (words[kma->partial_at + sb] & bit) == 0,
           "a group that is free", words[kma->cells_at + won.group], words[kma->whole_at + sb]);
    cladei_kma_free_cells(kma, won.group, ~0u, words[kma->info_at + sb], 32u, me);
    expect(kma->bad_frees == popcount(freed) + 32u, "a group that was free", kma->bad_frees, 32u);
    free((void *)kma);
}

static void superblocks_end(clade_kma_head *ready)
{
    static const uint classes[] = { 9, 11, 20, 31 };
    for (uint i = 0; i < 4; i++) {
        end_another(classes[i], 0u, false);
        end_another(classes[i], 1u, true);
    }
    static const uint uneven[] = { 8, 10, 16, 21 };
    for (uint i = 0; i < 4; i++) {
        settle_anothers(uneven[i], 0u);
        settle_anothers(uneven[i], 1u);
    }
    replace_beside(0, 32);
    replace_beside(7, 32);
    replace_beside(0, 1);
    replace_beside(20, 1);
    hint_of_another(9, 12);
    hint_of_another(12, 9);
    hint_of_another(0, 20);
    static const uint freed[] = { 0, 1, 0x80000000u, 0x10010u, 0xfffffffeu, ~0u };
    for (uint i = 0; i < sizeof freed / sizeof freed[0]; i++)
        give_a_group_back(i % 2u * 7u, freed[i]);
    give_up_anothers(ready);
}

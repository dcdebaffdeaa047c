/* SPDX-License-Identifier: Apache-2.0 */
/* What a group, or a sub-group, is given from slots: the model follows each word. */
#pragma once

#include "kma/groups_model.h"

/* Groups from superblocks of one slot, from the first one on; some of them are given back at once.
 */
static void take_from_slot(uint class_, uint rounds)
{
    uint shown = 0, stayed = 0;
    for (uint round = 0; round < rounds || ((shown < 2 || stayed == 0) && round < 99); round++) {
        const uint many = 1u + draw(GROUPS);
        bool stays = true;
        shown += serve(class_, many, 0);
        expect_words("a claim for a group");
        expect_sound("after a claim for a group");
        if (draw(3) != 0)
            continue;
        note();
        for (uint k = 0; k < many; k++) {
            const uint group = whole_group(class_, k);
            stays &= group / 32u + 1u == word_of(slot_of(class_));
            expected[kma->whole_at + group / 32u] |= 1u << group % 32u;
        }
        free_by_groups(1, 32u * many);
        lives -= 32u * many;
        if (stays) /* else a superblock may end, or be found in the tree */
            expect_words("groups were given back");
        stayed += stays;
        expect_sound("groups were given back");
    }
    expect(shown > 1 && stayed > 0, "this test sees nothing", shown, stayed);
}

/* Whole groups by the long way, from a place whose slot is not the first: that slot's superblock
 * comes first, then a new one, which that slot shows. The first slot has groups left all the time,
 * and stays as it is. */
static void claim_at_slot(uint class_, uint place)
{
    const cladei_kma_won none = { 0, 0 };
    uint shown = 0;
    open_heap(LARGE);
    const uint at = cladei_kma_slot_place(place), slot = slot_of(class_) + at;
    expect(at > 0 && at < CLADE_KMA_SHAPE_SLOTS(kma->shape[class_]), "a slot", class_, at);
    (void)serve(class_, 1, 0);
    for (uint round = 0; shown < 3 && round < 99; round++) {
        note();
        const cladei_kma_won won = cladei_kma_claim(kma, class_, 32, place, none, cladei_kma_me());
        const uint sb = won.group / 32u, bit = 1u << won.group % 32u, before = expected[slot];
        expect(won.mask == ~0u, "a whole group", class_, won.mask);
        if (before != sb + 1u) {
            expect(before == 0 || expected[kma->whole_at + before - 1u] == 0,
                   "what the slot had is left", before, sb);
            model_shown_at(class_, slot, sb);
            shown++;
        }
        expect((expected[kma->whole_at + sb] & bit) != 0, "a free group", sb, bit);
        expected[kma->whole_at + sb] &= ~bit;
        expect_words("a claim from a slot that is not the first");
        for (uint i = 0; i < 32u; i++)
            live[lives++] = cladei_kma_cell_ref(won.group, i, class_);
    }
    expect(word_of(kma->whole_at + word_of(slot_of(class_)) - 1u) != 0 && shown == 3,
           "this test sees nothing", class_, shown);
    expect_sound("claims from a slot that is not the first");
    close_heap();
}

#if CLADE_SUBGROUP_SIZE == 32
/* While a heap is new, the pages of a class's slots lie side by side, one slot's behind another's;
 * and those of two classes apart. */
static void first_superblocks(uint class_)
{
    const uint pages = CLADE_KMA_SHAPE_PAGES(kma->shape[class_]), each = 32u / pages;
    const uint slots = CLADE_KMA_SHAPE_SLOTS(kma->shape[class_]);
    uint first = 0;
    for (uint slot = 0; slot < slots; slot++) {
        const uint place = slot / 8u << 6 | slot % 8u;
        const cladei_kma_won won = cladei_kma_claim_first(kma, class_, place, cladei_kma_me());
        const uint sb = won.group / 32u, at = sb / 32u * each + sb % 32u / pages;
        first = slot ? first : at;
        expect(won.mask == ~0u && won.group % 32u == 0, "a first group", class_, slot);
        expect(at - first == slot && sb % 32u % pages == 0, "side by side", at - first, slot);
        expect(sb % 32u + pages <= 32u, "in one word", sb, pages);
        for (uint i = 0; i < 32u; i++)
            live[lives++] = sb * CLADE_KMA_PAGE_UNITS + i * clade_kma_class_units(class_) + 1u;
        expect(word_of(slot_of(class_) + slot) == sb + 1u, "the slot", class_, slot);
        expect(word_of(kma->home_at + sb) == slot_of(class_) - kma->slot_at + slot + 1u, "home",
               class_, slot);
    }
    expect_sound("first superblocks");
}

/* More superblocks than a word has pages, or room for. */
static void first_superblocks_of_many(void)
{
    static const uint classes[] = { 0, 2, 11 };
    open_heap_for(LARGE, 8);
    expect(CLADE_KMA_SHAPE_SLOTS(kma->shape[0]) > 32u, "this test sees nothing", kma->shape[0], 0);
    for (uint i = 0; i < sizeof classes / sizeof classes[0]; i++)
        first_superblocks(classes[i]);
    close_heap();
}
#endif

/* What a slot shows has become a superblock of another class since: what was taken of it goes back,
 * and it is looked after. `how` 0: its own slot shows it; 1: none does, and some of it is used; 2:
 * none does, and nothing of it is used. */
static void stale_slot(uint class_, uint other, uint how)
{
    open_heap(SMALL);
    (void)serve(other, 2, 0);
    const uint sb = word_of(slot_of(other)) - 1u;
    if (how == 2) {
        free_by_groups(1, 64);
        lives = 0;
    }
    if (how > 0)
        ((uint *)kma)[slot_of(other)] = 0;
    ((uint *)kma)[slot_of(class_)] = sb + 1u;
    (void)serve(class_, GROUPS, how == 2 ? sb : 0);
    if (how == 1)
        model_tree(other, sb / 32u, 1u << sb % 32u, true);
    expect_words("a slot that shows another class");
    expect_sound("a slot that showed another class");
    close_heap();
}

#if CLADE_SUBGROUP_SIZE == 32
/* Blocks of one sub-group, which the last calls were given. */
enum { HELD = 12 };
static uint held[HELD][32];

static void give_one_back(uint which)
{
    memcpy(call.refs, held[which], sizeof held[which]);
    memset(held[which], 0, sizeof held[which]);
    for (uint i = 0; i < 32; i++)
        for (uint k = 0; k < lives && call.refs[i]; k++)
            if (live[k] == call.refs[i])
                live[k] = live[--lives];
    free_by_groups(1, 32);
}

/* Calls by one sub-group, whose items mostly come together: then they claim as a group does, and no
 * group's word of cells changes, nor any hint, and the blocks are in their order. Some are given
 * back between them, so that of the groups of a slot's superblock any are free. */
static void serve_sub_groups(uint class_, uint rounds)
{
    uint together = 0, units = clade_kma_class_units(class_);
    memset(held, 0, sizeof held);
    for (uint round = 0; round < rounds; round++) {
        const uint cells = kma->cells_at, hints = kma->part_at, whole = kma->whole_at;
        const uint at = draw(HELD);
        give_one_back(at);
        note();
        call.bytes = 16u * units;
        shim_launch(malloc_by_items, NULL, 1, 32, 0);
        memcpy(held[at], call.refs, sizeof held[at]);
        uint in_order = 0;
        for (uint i = 0; i < 32; i++)
            in_order += call.refs[i] == call.refs[0] + i * units;
        if (in_order == 32 &&
            memcmp(expected + whole, (uint *)kma + whole, 4ul * kma->pages) != 0 &&
            memcmp(expected + cells, (uint *)kma + cells, 128ul * kma->pages) == 0 &&
            memcmp(expected + hints, (uint *)kma + hints, 4ul * (words - hints)) == 0) {
            (void)model_claims(class_, 1, 0);
            expect_words("a claim by a sub-group");
            together++;
        } else {
            now_live(call.refs, 32);
        }
        if (round % 4u == 0)
            expect_sound("after a claim by a sub-group");
    }
    expect(together > rounds / 3u, "this test sees nothing", together, rounds);
    expect_sound("after claims by a sub-group");
}

/* Nothing is claimed first, and all is as it was. */
static void expect_no_first(uint class_, const char *what)
{
    note();
    const cladei_kma_won won = cladei_kma_claim_first(kma, class_, 0, cladei_kma_me());
    expect(won.mask == 0, what, class_, won.mask);
    expect_words(what);
}

/* The first claim of a slot: not where it shows something already; not where a page at its place is
 * taken, and then all is as it was; and where it takes a word's last pages, the tree says so. */
static void refuse_first(uint class_)
{
    const uint me = 0; /* the first place */
    open_heap(LARGE);
    const uint pages = CLADE_KMA_SHAPE_PAGES(kma->shape[class_]), run = (1u << pages) - 1u;
    cladei_kma_won won = cladei_kma_claim_first(kma, class_, me, cladei_kma_me());
    const uint sb = won.group / 32u;
    expect_no_first(class_, "a slot that shows something");
    close_heap();
    open_heap(LARGE);
    uint *tree = (uint *)kma + kma->tree_at + CLADE_KMA_PAGE_TREE(0) * kma->tree_words + sb / 32u;
    /* Of the run a page is taken; all of it; all but its first page; all beside it. */
    const uint mine = run << sb % 32u, lowest = 1u << sb % 32u;
    const uint words_of_pages[] = { ~lowest, ~mine, lowest, mine };
    for (uint how = 0; how < 4; how++) {
        *tree = words_of_pages[how];
        note();
        won = cladei_kma_claim_first(kma, class_, me, cladei_kma_me());
        expect(won.mask == (how == 3 ? ~0u : 0u), "taken pages", how, won.mask);
        if (how == 3) {
            model_shown(class_, sb);
            expected[kma->whole_at + sb] &= ~1u;
        }
        expect_words("a first claim where pages are taken");
        const uint used = kma->pages_used;
        kma->pages_used = kma->pages - kma->low_pages + 1u;
        if (how == 1)
            expect_no_first(class_, "taken pages, and few are free");
        kma->pages_used = used;
    }
    close_heap();
}

/* Nor where few pages are free, in a small heap, or for a class that has no slots. */
static void refuse_first_where_pages_are_few(void)
{
    enum { LONG = 15, SLOTLESS = 24 };
    open_heap(SMALL);
    expect_no_first(1, "a small heap");
    close_heap();
    open_heap(LARGE);
    expect(CLADE_KMA_SHAPE_PAGES(kma->shape[SLOTLESS]) == 0, "a class without slots", 0, 0);
    expect_no_first(SLOTLESS, "a class without slots");
    kma->pages_used = kma->pages - kma->low_pages + 1u;
    expect_no_first(1, "few free pages");
    const uint pages = CLADE_KMA_SHAPE_PAGES(kma->shape[LONG]);
    expect(kma->low_pages < (pages << kma->run_shift) - 1u, "a long superblock", pages, 0);
    kma->pages_used = kma->pages - (pages << kma->run_shift) + 1u;
    expect_no_first(LONG, "few free pages for a long superblock");
    expect(cladei_kma_claim_first(kma, 1, 0, cladei_kma_me()).mask == ~0u, "a short one", 1, 0);
    close_heap();
}
#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* What an item is given of groups that others have used in part, with a hint and where others hold
 * all: the model follows each word. */
#pragma once

#include "kma/groups_model.h"

/* Give back the cells of the group in which live[at] is, those whose bits are in `cells`. */
static void free_some(uint at, uint cells, uint class_)
{
    const uint units = clade_kma_class_units(class_), unit = live[at] - 1u;
    const uint sb = superblock_of(unit / CLADE_KMA_PAGE_UNITS) * CLADE_KMA_PAGE_UNITS;
    const uint first = sb + (unit - sb) / (32u * units) * 32u * units + 1u;
    memset(call.refs, 0, sizeof call.refs);
    for (uint i = 0; i < 32u; i++)
        if (cells >> i & 1u)
            call.refs[i] = first + i * units;
    free_by_groups(1, 64);
    for (uint i = 0; i < lives;)
        if (live[i] >= first && live[i] < first + 32u * units &&
            cells >> (live[i] - first) / units & 1u)
            live[i] = live[--lives];
        else
            i++;
}

/* Up to n cells by the long way, from what a hint or the slot's superblock has left. `taken`:
 * others hold all hints of the class. A group that no hint shows is for all who look for cells: its
 * bit in `partial` stays until it is full. A hint's group is not. */
static void claim_cells(uint class_, uint n, bool taken)
{
    const cladei_kma_won none = { 0, 0 };
    const uint place = cladei_kma_place_of(cladei_kma_me());
    const clade_global_word at =
        cladei_kma_part(kma, class_, kma->shape[class_], cladei_kma_part_place(place));
    uint *hint = expected + (at - (clade_global_word)kma);
    note();
    const cladei_kma_won won = cladei_kma_claim(kma, class_, n, place, none, cladei_kma_me());
    const uint group = won.group, sb = group / 32u, bit = 1u << group % 32u, shown = *hint;
    uint *cells = expected + kma->cells_at + group, *partial = expected + kma->partial_at + sb;
    uint *whole = expected + kma->whole_at + sb, *hinted = expected + kma->hinted_at + sb;
    if (taken || shown != group + 1u) {
        expect(taken || shown == 0 || expected[kma->cells_at + shown - 1u] == ~0u,
               "what a hint shows is left", shown, group);
        expect(sb + 1u == expected[slot_of(class_)], "the slot's superblock", sb, group);
        if (*partial != 0) {
            expect((*partial & bit) != 0, "parts of groups come first", *partial, bit);
        } else {
            expect((*whole & bit) != 0, "a free group", *whole, bit);
            *whole &= ~bit;
            *cells = ~clade_kma_group_cells(CLADE_KMA_INFO_CELLS(expected[kma->info_at + sb]),
                                            group % 32u);
        }
    }
    const uint free = (uint)popcount(~*cells);
    expect(won.mask != 0 && (won.mask & *cells) == 0 &&
               (uint)popcount(won.mask) == (n < free ? n : free),
           "cells that were free", won.mask, *cells);
    *cells |= won.mask;
    if (taken) {
        *partial = *cells == ~0u ? *partial & ~bit : *partial | bit;
    } else if (shown != group + 1u) {
        *partial &= ~bit;
        if (shown != 0)
            expected[kma->hinted_at + (shown - 1u) / 32u] &= ~(1u << (shown - 1u) % 32u);
        *hinted |= bit;
        *hint = group + 1u;
    }
    expect_words(taken ? "cells, beside taken hints" : "cells of a hint's group");
    for (uint i = 0; i < 32u; i++)
        if (won.mask >> i & 1u)
            live[lives++] = cladei_kma_cell_ref(group, i, class_);
}

/* Until nothing of the slot's superblock is left; meanwhile parts of groups come back. */
static void claim_parts(uint class_, bool taken)
{
    open_heap(SMALL);
    const uint parts = CLADE_KMA_SHAPE_PARTS(kma->shape[class_]);
    expect((kma->shape[class_] & CLADE_KMA_SHAPE_HAS_OWN) == 0, "own hints", class_, 0);
    (void)serve(class_, 3, 0);
    const uint sb = word_of(slot_of(class_)) - 1u;
    for (uint i = 0; i < parts && taken; i++)
        ((uint *)kma)[kma->part_at + (class_ << kma->part_bits) + i] = CLADE_KMA_BUSY;
    for (uint k = 0; k < 3; k++)
        free_some(draw(lives), 0x10ff0a05u << k, class_);
    for (uint round = 0;
         round < 500 && (word_of(kma->whole_at + sb) != 0 || word_of(kma->partial_at + sb) != 0);
         round++) {
        claim_cells(class_, 1u + draw(round % 3u ? 4u : 31u), taken);
        if (round % 8u == 3u && round < 60)
            free_some(draw(lives), 0xa0a0c003u >> round / 8u, class_);
    }
    for (uint i = 0; i < parts && taken; i++)
        ((uint *)kma)[kma->part_at + (class_ << kma->part_bits) + i] = 0;
    expect(word_of(kma->whole_at + sb) == 0, "this test sees nothing", sb, 0);
    expect_sound("all parts were claimed");
    close_heap();
}

/* The long way from a place with a hint of its own. While that shows nothing, cells of the group
 * that the part hint shows are taken, and no hint changes; when these are used up, the own hint
 * shows a group, the one that cells come from then. */
static void claim_own_hints(uint class_)
{
    const cladei_kma_won none = { 0, 0 };
    uint shared_ones = 0, own_ones = 0;
    open_heap_for(LARGE, 16);
    shim_self.group_id = 1; /* where own hints are not part hints, too */
    const uint shape = kma->shape[class_], place = cladei_kma_place_of(cladei_kma_me());
    uint *const now = (uint *)kma;
    const uint shared_ = (uint)(cladei_kma_part(kma, class_, shape, cladei_kma_part_place(place)) -
                                (clade_global_word)kma);
    const uint own = (uint)(cladei_kma_own(kma, class_, shape, place) - (clade_global_word)kma);
    expect((shape & CLADE_KMA_SHAPE_HAS_OWN) != 0 && own != shared_, "own hints", class_, own);
    live[lives++] = clade_kma_malloc_wi(kma, 16ul * clade_kma_class_units(class_));
    expect(now[shared_] != 0 && now[own] == 0, "a part hint that shows a group", class_, now[own]);
    for (uint round = 0; own_ones < 8 && round < 64; round++) {
        note();
        const uint n = 1u + draw(4), hint = now[own] ? own : shared_, shown = now[hint];
        const uint free = (uint)popcount(~now[kma->cells_at + shown - 1u]);
        const cladei_kma_won won = cladei_kma_claim(kma, class_, n, place, none, cladei_kma_me());
        for (uint i = 0; i < 32u; i++)
            if (won.mask >> i & 1u)
                live[lives++] = cladei_kma_cell_ref(won.group, i, class_);
        if (free > 0) {
            expect(won.group + 1u == shown, "the group that a hint shows", won.group, shown);
            expect((uint)popcount(won.mask) == (n < free ? n : free), "cells", won.mask, free);
            expected[kma->cells_at + won.group] |= won.mask;
            expect_words("cells of a group that a hint shows");
        } else {
            expect((uint)popcount(won.mask) == n, "cells of another group", won.mask, n);
            expect(now[own] == won.group + 1u && now[shared_] == expected[shared_],
                   "who shows another group", now[own], won.group);
            expect(now[kma->hinted_at + won.group / 32u] >> won.group % 32u & 1u, "its mark",
                   class_, won.group);
        }
        shared_ones += free > 0 && hint == shared_;
        own_ones += free > 0 && hint == own;
        expect_sound("cells of own hints' groups");
    }
    expect(shared_ones > 0 && own_ones > 0, "this test sees nothing", shared_ones, own_ones);
    close_heap();
}

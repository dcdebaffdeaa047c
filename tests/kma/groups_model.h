/* SPDX-License-Identifier: Apache-2.0 */
/* Calls of the allocator by whole groups of items, and a model of what they leave: it knows each
 * word of the bookkeeping after a claim. */
#pragma once

#include "kma/edge_kma.h"

enum { ITEMS = 256, SMALL = 700, LARGE = 33000, GROUPS = ITEMS / 32, LIVE = 16384 };

static clade_kma_head *kma;
static uint *expected, words; /* the bookkeeping as it should be */
static uint live[LIVE], lives;
static struct {
    clade_u64 bytes;
    uint refs[ITEMS];
} call;

/* A group's local memory holds anything before a call, and is free for anything after it. */
static void spoil(uint *local, uint salt)
{
    const uint items = (uint)get_local_size(0);
    for (uint i = (uint)get_local_id(0); i < CLADE_KMA_WG_WORDS(items); i += items)
        local[i] = ~0u - salt * i;
}

static void malloc_by_group(void *argument, void *local)
{
    (void)argument;
    spoil(local, 0);
    call.refs[get_global_id(0)] = clade_kma_malloc_wg(kma, call.bytes, local);
    spoil(local, 1);
}

static void free_by_group(void *argument, void *local)
{
    (void)argument;
    spoil(local, 2);
    clade_kma_free_wg(kma, call.refs[get_global_id(0)], local);
    spoil(local, 3);
}

static void malloc_by_items(void *argument, void *local)
{
    (void)argument, (void)local;
    call.refs[get_global_id(0)] = clade_kma_malloc_wi(kma, call.bytes);
}

static void malloc_by_groups(uint groups, uint items, clade_u64 bytes)
{
    call.bytes = bytes;
    shim_launch(malloc_by_group, NULL, groups, items, 4u * CLADE_KMA_WG_WORDS(items));
}

static void free_by_groups(uint groups, uint items)
{
    shim_launch(free_by_group, NULL, groups, items, 4u * CLADE_KMA_WG_WORDS(items));
}

/* --- the model ------------------------------------------------------------------------------- */

static uint word_of(uint at)
{
    return ((const uint *)kma)[at];
}

static void note(void)
{
    memcpy(expected, kma, 4ul * words);
}

/* Each word, from the head's counts on, is as expected. */
static void expect_words(const char *what)
{
    const struct {
        const char *name;
        uint at;
    } arrays[] = { { "head", 0 },
                   { "info", kma->info_at },
                   { "W", kma->whole_at },
                   { "partial", kma->partial_at },
                   { "home", kma->home_at },
                   { "hinted", kma->hinted_at },
                   { "cells", kma->cells_at },
                   { "trees", kma->tree_at },
                   { "slots", kma->slot_at },
                   { "part hints", kma->part_at } };
    if (memcmp(kma, expected, 4ul * words) == 0)
        return;
    for (uint i = 0; i < words; i++) {
        uint in = 9;
        if (word_of(i) == expected[i])
            continue;
        while (i < arrays[in].at)
            in--;
        expect(0, what, word_of(i), expected[i]);
        printf("  that is the word and what it should be: %s, %u\n", arrays[in].name,
               i - arrays[in].at);
        return;
    }
}

static void expect_sound(const char *when)
{
    const char *why = host_kma_verify((void *)kma, live, lives);
    expect(!why, why ? why : "", lives, 0);
    if (why)
        printf("  %s\n", when);
}

/* `units`: of the GPU that it is for; with more there are more slots and hints. */
static void open_heap_for(uint pages, uint units)
{
    kma = host_kma_new_as_on_gpus(pages, units);
    if (!kma)
        exit(1);
    host_kma_start(kma);
    words = host_kma_bookkeeping_words((void *)kma);
    expected = realloc(expected, 4ul * words);
    if (!expected)
        exit(1);
    lives = 0;
    shim_self = (struct shim_item) { .local_size = 1, .groups = 1 };
}

static void open_heap(uint pages)
{
    open_heap_for(pages, 2);
}

static void close_heap(void)
{
    free((void *)kma);
}

static void now_live(const uint *refs, uint count)
{
    for (uint i = 0; i < count; i++)
        if (refs[i] != CLADE_NIL)
            live[lives++] = refs[i];
}

/* The slot of a class from which a launch's first group takes; a word of the buffer. */
static uint slot_of(uint class_)
{
    return kma->slot_at + (class_ << kma->slot_bits);
}

/* The superblock of a page that one has. */
static uint superblock_of(uint page)
{
    return page - CLADE_KMA_INFO_INDEX(word_of(kma->info_at + page));
}

/* Items 32 k .. 32 k + 31 have the whole of one group of cells of the class, in their order. Gives
 * the group. */
static uint whole_group(uint class_, uint k)
{
    const uint *refs = call.refs + 32ul * k, units = clade_kma_class_units(class_);
    const uint sb = superblock_of((refs[0] - 1u) / CLADE_KMA_PAGE_UNITS);
    const uint first = refs[0] - 1u - sb * CLADE_KMA_PAGE_UNITS;
    expect(CLADE_KMA_INFO_KIND(word_of(kma->info_at + sb)) == class_ + 1u, "the class", class_, k);
    expect(first % (32u * units) == 0, "a group's begin", class_, first);
    for (uint i = 0; i < 32u; i++)
        expect(refs[i] == refs[0] + i * units, "a group of cells for 32 items", k, i);
    return sb * 32u + first / (32u * units);
}

/* Pages come into use, or are free again (less than 0), by the place of the first group. */
static void model_pages(int pages)
{
    clade_kma_head *head = (clade_kma_head *)expected;
    const uint step = head->count_bits, old = head->counters[0].pages, new = old + (uint)pages;
    head->counters[0].pages = new;
    head->pages_used += ((new >> step) - (old >> step)) << step;
    if (pages > 0 && head->pages_used > head->pages_peak)
        head->pages_peak = head->pages_used;
}

/* Bits of a tree's lowest level, which has none of them, or all. */
static void model_tree(uint tree, uint word, uint bits, bool are_set)
{
    const uint base = kma->tree_at + tree * kma->tree_words;
    clade_kma_head *head = (clade_kma_head *)expected;
    expect((expected[base + word] & bits) == (are_set ? 0 : bits), "bits of a tree", tree, bits);
    expected[base + word] ^= bits;
    for (uint level = 1; level < kma->levels; level++, word /= 32u) {
        uint *above = &expected[base + kma->level_at[level] + word / 32u];
        *above &= ~(1u << word % 32u);
        if (expected[base + kma->level_at[level - 1u] + word])
            *above |= 1u << word % 32u;
    }
    head->any[tree / 32u] &= ~(1u << tree % 32u);
    if (expected[base + kma->level_at[kma->levels - 1u]])
        head->any[tree / 32u] |= 1u << tree % 32u;
}

/* A superblock's pages are nobody's again. */
static void model_gone(uint sb)
{
    const uint pages = CLADE_KMA_INFO_PAGES(expected[kma->info_at + sb]);
    for (uint i = 0; i < pages; i++)
        expected[kma->info_at + sb + i] = 0;
    expected[kma->whole_at + sb] = 0;
    model_tree(CLADE_KMA_PAGE_TREE(0), sb / 32u, ((1u << pages) - 1u) << sb % 32u, true);
    model_pages(-(int)pages);
    ((clade_kma_head *)expected)->counters[0].retired++;
}

static void model_new(uint class_, uint sb)
{
    const uint pages = CLADE_KMA_SHAPE_PAGES(kma->shape[class_]);
    const uint cells = pages * CLADE_KMA_PAGE_UNITS / clade_kma_class_units(class_);
    clade_kma_head *head = (clade_kma_head *)expected;
    for (uint i = 0; i < pages; i++)
        expected[kma->info_at + sb + i] = CLADE_KMA_INFO(class_, cells, pages) | i << 6;
    expected[kma->whole_at + sb] = clade_kma_all_groups(cells);
    expected[kma->partial_at + sb] = expected[kma->hinted_at + sb] = 0;
    model_tree(CLADE_KMA_PAGE_TREE(0), sb / 32u, ((1u << pages) - 1u) << sb % 32u, false);
    model_pages((int)pages);
    head->counters[0].created++;
    head->counters[0].word = kma->counters[0].word; /* any that it came from */
}

/* A slot shows another superblock: one that was in the class's tree, or a new one. */
static void model_shown_at(uint class_, uint slot, uint sb)
{
    if (expected[kma->info_at + sb] != 0)
        model_tree(class_, sb / 32u, 1u << sb % 32u, false);
    else
        model_new(class_, sb);
    expected[kma->home_at + sb] = slot - kma->slot_at + 1u;
    expected[slot] = sb + 1u;
}

static void model_shown(uint class_, uint sb)
{
    model_shown_at(class_, slot_of(class_), sb);
}

/* The launch before gave 32 `many` items groups of cells, of a class whose superblocks have no
 * short group. What the slot's superblock had left came first, if it is of the class; then the slot
 * shows another one, and so on. `gone`: a superblock that ends before another one is made, or 0.
 * Gives how many superblocks the slot came to show. */
static uint model_claims(uint class_, uint many, uint gone)
{
    uint sb = expected[slot_of(class_)] - 1u, shown = 0;
    if (sb == ~0u || CLADE_KMA_INFO_KIND(expected[kma->info_at + sb]) != class_ + 1u)
        sb = ~0u;
    for (uint k = 0; k < many; k++) {
        const uint group = whole_group(class_, k), bit = 1u << group % 32u;
        if (group / 32u != sb) {
            expect(sb == ~0u || expected[kma->whole_at + sb] == 0, "what the slot had is left", k,
                   sb);
            if (gone)
                model_gone(gone);
            gone = 0;
            sb = group / 32u;
            model_shown(class_, sb);
            shown++;
        }
        expect((expected[kma->whole_at + sb] & bit) != 0, "a free group", k, bit);
        expected[kma->whole_at + sb] &= ~bit;
    }
    now_live(call.refs, 32u * many);
    return shown;
}

/* A call by one group of 32 `many` items. */
static uint serve(uint class_, uint many, uint gone)
{
    note();
    malloc_by_groups(1, 32u * many, 16ul * clade_kma_class_units(class_));
    return model_claims(class_, many, gone);
}

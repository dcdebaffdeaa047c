/* SPDX-License-Identifier: Apache-2.0 */
/* How many pages a new superblock takes, with more and fewer pages free; and each word of it, when
 * it is made and when it ends. */
#pragma once

static void pages_are_free(clade_kma_head *kma, uint pages)
{
    kma->pages_used = kma->pages - pages;
    kma->counters[0].pages = CLADE_KMA_COUNT_MIDDLE;
}

/* The pages for n cells at once, where so many are free. */
static uint pages_wanted(const clade_kma_head *kma, uint class_, uint n, uint free_pages,
                         bool is_for_slot)
{
    const uint units = clade_kma_class_units(class_), cells = n % CLADEI_KMA_HINTED;
    const uint needed = cells * units / 1024u + (cells * units % 1024u != 0);
    uint usual = CLADE_KMA_SHAPE_PAGES(kma->shape[class_]), most = needed;
    for (uint pages = 1; pages <= free_pages >> kma->run_shift; pages *= 2)
        most = pages > most ? pages : most;
    if (usual == 0 || (!is_for_slot && free_pages < kma->pages / 4u * 3u)) {
        const uint together = n & CLADEI_KMA_HINTED ? 32 : units > 128 ? 8 : 0;
        usual = (together * units + 1023u) / 1024u;
    }
    usual = usual > needed ? usual : needed;
    return usual < most ? usual : most;
}

static const uint cells_at_once[] = { 1, 2, 31, 32, 1 | CLADEI_KMA_HINTED, 31 | CLADEI_KMA_HINTED };
enum { CELLS_AT_ONCE = sizeof cells_at_once / sizeof cells_at_once[0] };

static void choose_sizes(clade_kma_head *kma)
{
    const uint parts[] = { kma->pages,
                           kma->pages / 4u * 3u,
                           kma->pages / 4u * 3u - 1u,
                           32u << kma->run_shift,
                           (16u << kma->run_shift) - 1u,
                           1u << kma->run_shift,
                           (1u << kma->run_shift) - 1u,
                           0 };
    for (uint p = 0; p < sizeof parts / sizeof parts[0]; p++)
        for (uint class_ = 0; class_ < CLADE_KMA_CLASSES; class_++)
            for (uint i = 0; i < 2 * CELLS_AT_ONCE; i++) {
                const uint n = cells_at_once[i / 2];
                const uint free_pages = parts[p] < kma->pages ? parts[p] : kma->pages;
                pages_are_free(kma, free_pages);
                const uint is = cladei_kma_run_wanted(kma, class_, n, i % 2);
                const uint right = pages_wanted(kma, class_, n, free_pages, i % 2);
                expect(is == right, "pages of a new superblock", is, right);
            }
    free((void *)kma);
}

/* Makes a superblock among what other words held before, and ends it. `listed`: its class's tree
 * shows it by then. */
static void make_and_end(clade_kma_head *kma, uint class_, uint n, uint home, bool listed)
{
    uint *const words = (uint *)(void *)kma, created = kma->counters[0].created;
    const uint free_pages = cladei_kma_free_pages_about(kma), trees = kma->tree_words;
    const uint pages = pages_wanted(kma, class_, n, free_pages, home != 0);
    const size_t bytes = 4ul * CLADE_KMA_TREES * trees;
    uint *before = malloc(bytes);
    if (!before)
        exit(1);
    memcpy(before, words + kma->tree_at, bytes);
    const cladei_kma_won won =
        cladei_kma_create(kma, class_, n, class_ * 7u + n, home, cladei_kma_me());
    const uint sb = won.group / 32u, units = clade_kma_class_units(class_);
    const uint cells =
        pages * CLADE_KMA_PAGE_UNITS / units < 1024u ? pages * CLADE_KMA_PAGE_UNITS / units : 1024u;
    uint *page_tree = before + CLADE_KMA_PAGE_TREE(0) * trees, run = cladei_kma_run_mask(pages);
    expect(won.group % 32u == 0 && won.mask == clade_kma_group_cells(cells, 0), "its first group",
           won.mask, cells);
    for (uint i = 0; i < pages; i++)
        expect(words[kma->info_at + sb + i] == (CLADE_KMA_INFO(class_, cells, pages) | i << 6),
               "a page of a new superblock", class_, i);
    expect(words[kma->whole_at + sb] == (clade_kma_all_groups(cells) & ~1u), "its groups", class_,
           cells);
    expect(words[kma->partial_at + sb] == 0 && words[kma->hinted_at + sb] == 0, "its marks", class_,
           sb);
    expect(words[kma->home_at + sb] == home, "its home", class_, home);
    expect(kma->counters[0].created == created + 1u, "superblocks made", class_, created);
    expect((page_tree[sb / 32u] >> sb % 32u & run) == run, "pages that were free", class_, sb);
    page_tree[sb / 32u] &= ~(run << sb % 32u);
    const uint *now = words + kma->tree_at + CLADE_KMA_PAGE_TREE(0) * trees;
    expect(memcmp(now, page_tree, 4ul * kma->page_words) == 0, "its pages", class_, pages);
    page_tree[sb / 32u] |= run << sb % 32u;
    if (listed)
        cladei_kma_raise(kma, class_, 0u, sb);
    cladei_kma_retire(kma, sb, CLADE_KMA_INFO(class_, cells, pages), cladei_kma_me());
    for (uint i = 0; i < pages; i++)
        expect(words[kma->info_at + sb + i] == 0, "a page of what has ended", class_, i);
    expect(memcmp(before, words + kma->tree_at, bytes) == 0, "trees, when it has ended", class_,
           pages);
    const uint step = 1u << kma->count_bits, handed_on = (pages + step - 1u) / step * step;
    expect(kma->counters[0].pages == CLADE_KMA_COUNT_MIDDLE - pages, "pages counted",
           kma->counters[0].pages, pages);
    expect(kma->pages_used == kma->pages - free_pages - handed_on, "pages in use", kma->pages_used,
           pages);
    free(before);
}

/* Superblocks of all classes, each with the pages that are wanted. */
static void make_superblocks(clade_kma_head *kma)
{
    const uint parts[] = { 30000, 20000, 3000 };
    uint *const words = (uint *)(void *)kma;
    for (uint page = kma->first_page; page < kma->pages; page++)
        if (words[kma->info_at + page] == 0)
            words[kma->partial_at + page] = words[kma->hinted_at + page] = ~page;
    for (uint p = 0; p < 3; p++)
        for (uint class_ = p; class_ < CLADE_KMA_CLASSES; class_ += 2)
            for (uint i = 0; i < CELLS_AT_ONCE; i++) {
                pages_are_free(kma, parts[p]);
                make_and_end(kma, class_, cells_at_once[i], (class_ + i) % 2 ? 0 : class_ + 1u,
                             i % 3 == 0);
            }
    free((void *)kma);
}

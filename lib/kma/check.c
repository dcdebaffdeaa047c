/* SPDX-License-Identifier: Apache-2.0 */
/* What an allocator holds, and whether its invariants do: read from a copy of its bookkeeping. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "kma/kma.h"

#define CORRUPT(condition, ...) CLADE_REQUIRE((condition), CLADE_E_CORRUPT, __VA_ARGS__)

static uint32_t word_at(const struct cladei_kma_image *image, uint32_t at, uint32_t index)
{
    return image->words[at + index];
}

static uint32_t node(const struct cladei_kma_image *image, uint32_t tree, uint32_t level,
                     uint32_t index)
{
    const clade_kma_head *head = &image->head;
    return image->words[head->tree_at + tree * head->tree_words + head->level_at[level] + index];
}

/* The pages that the buffer has. */
static uint32_t there(const struct cladei_kma_image *image)
{
    return image->head.pages - image->missing;
}

static bool page_is_free(const struct cladei_kma_image *image, uint32_t page)
{
    return node(image, CLADE_KMA_PAGE_TREE(image->head.debug), 0, page / 32) >> page % 32 & 1;
}

static uint32_t bits(uint32_t mask)
{
    return (uint32_t)__builtin_popcount(mask);
}

/* The taken cells of a group; its info says how many cells the superblock has. */
static uint32_t taken(const struct cladei_kma_image *image, uint32_t sb, uint32_t group,
                      uint32_t info)
{
    if (word_at(image, image->head.whole_at, sb) >> group & 1)
        return 0;
    return word_at(image, image->head.cells_at, sb * 32 + group) &
           clade_kma_group_cells(CLADE_KMA_INFO_CELLS(info), group);
}

/* Kind, place, pages and cells of the superblock that begins at `page` are possible; or the pages
 * of a block of pages. A superblock lies in one word of the tree of pages. */
bool cladei_kma_info_is_sound(const struct cladei_kma_image *image, uint32_t page)
{
    const uint32_t info = word_at(image, image->head.info_at, page),
                   kind = CLADE_KMA_INFO_KIND(info);
    const uint32_t pages = CLADE_KMA_INFO_PAGES(info), cells = CLADE_KMA_INFO_CELLS(info);
    if (info == CLADE_KMA_BIG) {
        const uint32_t big = word_at(image, image->head.home_at, page);
        return big >= 1 && big <= there(image) - page;
    }
    return kind >= 1 && kind <= CLADE_KMA_CLASSES && cells >= 1 && cells <= 1024 &&
           info == CLADE_KMA_INFO(kind - 1, cells, pages) && page % 32 + pages <= 32 &&
           pages <= there(image) - page &&
           cells * clade_kma_class_units(kind - 1) <= pages * CLADE_KMA_PAGE_UNITS;
}

/* Pages of what begins at `page`: a superblock, a block of pages, or one free page. 0: nothing
 * may begin so. */
static uint32_t extent(const struct cladei_kma_image *image, uint32_t page)
{
    uint32_t info = word_at(image, image->head.info_at, page);
    if (info == 0)
        return page_is_free(image, page) ? 1 : 0;
    if (!cladei_kma_info_is_sound(image, page))
        return 0;
    return info == CLADE_KMA_BIG ? word_at(image, image->head.home_at, page)
                                 : CLADE_KMA_INFO_PAGES(info);
}

/* All pages in use: what was handed on, and what each place still has. */
static uint32_t pages_used(const clade_kma_head *head)
{
    uint32_t used = head->pages_used;
    for (uint32_t i = 0; i < CLADE_KMA_COUNTERS; i++)
        used += head->counters[i].pages & ((1u << head->count_bits) - 1);
    return used;
}

/* --- statistics ------------------------------------------------------------------------------ */

/* Returns how many of its cells are live. */
static uint32_t count_superblock(const struct cladei_kma_image *image, uint32_t page, uint32_t info,
                                 clade_kma_stats *out)
{
    clade_kma_class_stats *of = &out->classes[CLADE_KMA_INFO_KIND(info) - 1];
    uint32_t live = 0;
    for (uint32_t g = 0; g * 32 < CLADE_KMA_INFO_CELLS(info); g++)
        live += bits(taken(image, page, g, info));
    of->superblocks++;
    of->cells += CLADE_KMA_INFO_CELLS(info);
    of->live += live;
    out->superblocks++;
    out->live_blocks += live;
    out->live_bytes += live * of->cell_bytes;
    return live;
}

static clade_status count_pages(const struct cladei_kma_image *image, clade_kma_stats *out)
{
    clade_status status = CLADE_OK;
    const clade_kma_head *head = &image->head;
    uint64_t free_pages = 0, longest = 0;
    for (uint32_t page = head->first_page; page < there(image);) {
        uint32_t info = word_at(image, head->info_at, page), pages = extent(image, page);
        bool can_be_had = info == 0;
        CORRUPT(pages > 0, "page %" PRIu32 " is neither free nor used: info %08" PRIx32, page,
                info);
        if (info == CLADE_KMA_BIG) {
            out->page_blocks++;
            out->live_blocks++;
            out->live_bytes += (uint64_t)pages * CLADE_KMA_PAGE_BYTES;
        } else if (info != 0 && count_superblock(image, page, info, out) == 0) {
            can_be_had = true; /* it is given up before anything is refused */
            out->kept_bytes += (uint64_t)pages * CLADE_KMA_PAGE_BYTES;
        }
        free_pages = can_be_had ? free_pages + pages : 0;
        longest = free_pages > longest ? free_pages : longest;
        page += pages;
    }
    out->longest_free_bytes = longest * CLADE_KMA_PAGE_BYTES;
fail:
    return status;
}

clade_status clade_kma_stats_read(clade_kma *kma, clade_kma_stats *out)
{
    clade_status status = CLADE_OK;
    struct cladei_kma_image image = { 0 };
    CLADE_REQUIRE(kma && out, CLADE_E_ARG, "an argument is NULL");
    CLADE_TRY(cladei_kma_image_open(&image, kma));
    const clade_kma_head *head = &image.head;
    const uint32_t not_held = head->first_page + image.missing;
    clade_kma_stats s = {
        .bytes = kma->object.bytes,
        .heap_bytes = (uint64_t)(there(&image) - head->first_page) * CLADE_KMA_PAGE_BYTES,
        .peak_bytes = (uint64_t)(head->pages_peak - not_held) * CLADE_KMA_PAGE_BYTES,
        .bad_frees = head->bad_frees,
    };
    for (uint32_t i = 0; i < CLADE_KMA_COUNTERS; i++) {
        s.refused += head->counters[i].refused;
        s.superblocks_created += head->counters[i].created;
        s.superblocks_returned += head->counters[i].retired;
    }
    for (uint32_t c = 0; c < CLADE_KMA_CLASSES; c++)
        s.classes[c].cell_bytes = (uint64_t)clade_kma_class_units(c) * CLADE_KMA_UNIT_BYTES;
    CLADE_TRY(count_pages(&image, &s));
    const uint64_t held = (uint64_t)(pages_used(head) - not_held) * CLADE_KMA_PAGE_BYTES;
    s.used_bytes = held - s.kept_bytes;
    if (s.peak_bytes < held) /* the peak is kept in steps */
        s.peak_bytes = held;
    if (head->debug)
        s.requested_bytes = cladei_kma_requested(kma, &image);
    *out = s;
fail:
    cladei_kma_image_close(&image);
    return status;
}

/* What hints of its class show of a superblock. */
struct shown {
    uint32_t groups; /* mask: by part hints */
    uint32_t slots;  /* number of slots */
};

/* --- invariants ------------------------------------------------------------------------------ */

/* Every tree: a word that is not 0 has its bit set above, no bit stands for what does not exist,
 * and of the two trees of pages the other one is empty. */
static clade_status check_trees(const struct cladei_kma_image *image)
{
    clade_status status = CLADE_OK;
    const clade_kma_head *head = &image->head;
    for (uint32_t tree = 0; tree < CLADE_KMA_TREES; tree++) {
        uint32_t words = head->page_words, count = head->pages;
        for (uint32_t level = 0; level < head->levels; level++) {
            for (uint32_t i = 0; i < words; i++) {
                uint32_t above = level + 1 < head->levels
                                     ? node(image, tree, level + 1, i / 32) >> i % 32
                                     : head->any[tree / 32] >> tree % 32;
                uint32_t word = node(image, tree, level, i);
                CORRUPT(word == 0 || (above & 1),
                        "tree %" PRIu32 ": word %" PRIu32 " of level %" PRIu32
                        " is not 0, but nothing above says so",
                        tree, i, level);
                CORRUPT(count - i * 32 >= 32 || word >> (count - i * 32) == 0,
                        "tree %" PRIu32 ": word %" PRIu32 " of level %" PRIu32
                        " has a bit for what is not there",
                        tree, i, level);
                CORRUPT(word == 0 || tree != CLADE_KMA_PAGE_TREE(1 - head->debug),
                        "pages are free in the tree of the other mode");
            }
            count = words;
            words = (words + 31) / 32;
        }
    }
fail:
    return status;
}

/* I2, I3 and the words of cells that do not exist. */
static clade_status check_words(const struct cladei_kma_image *image, uint32_t sb, uint32_t info)
{
    clade_status status = CLADE_OK;
    const clade_kma_head *head = &image->head;
    uint32_t whole = word_at(image, head->whole_at, sb), cells = CLADE_KMA_INFO_CELLS(info);
    bool is_sb = CLADE_KMA_INFO_KIND(info) != 0 && CLADE_KMA_INFO_KIND(info) != CLADE_KMA_BIG &&
                 CLADE_KMA_INFO_INDEX(info) == 0;
    uint32_t all = is_sb ? clade_kma_all_groups(cells) : 0;
    CORRUPT((whole & ~all) == 0, "page %" PRIu32 ": groups are free that do not exist", sb);
    for (uint32_t g = 0; g < 32; g++) {
        uint32_t word = word_at(image, head->cells_at, sb * 32 + g);
        uint32_t exist = all >> g & 1 && !(whole >> g & 1) ? clade_kma_group_cells(cells, g) : 0;
        CORRUPT((~word & ~exist) == 0,
                "page %" PRIu32 ", group %" PRIu32 ": its word is %08" PRIx32
                " where only %08" PRIx32 " may be free",
                sb, g, word, exist);
    }
fail:
    return status;
}

/* I4. */
static clade_status check_reach(const struct cladei_kma_image *image, const struct shown *shown,
                                uint32_t sb, uint32_t info)
{
    clade_status status = CLADE_OK;
    const clade_kma_head *head = &image->head;
    uint32_t class_ = CLADE_KMA_INFO_KIND(info) - 1;
    uint32_t whole = word_at(image, head->whole_at, sb);
    uint32_t partial = word_at(image, head->partial_at, sb);
    for (uint32_t g = 0; g * 32 < CLADE_KMA_INFO_CELLS(info); g++) {
        uint32_t word = word_at(image, head->cells_at, sb * 32 + g);
        CORRUPT(word == 0xffffffffu || partial >> g & 1 || shown[sb].groups >> g & 1,
                "page %" PRIu32 ", group %" PRIu32 ": free cells, and nothing shows them", sb, g);
    }
    CORRUPT((word_at(image, head->hinted_at, sb) & ~shown[sb].groups) == 0,
            "page %" PRIu32 ": a group waits for a part hint that does not show it", sb);
    CORRUPT(word_at(image, head->home_at, sb) <= CLADE_KMA_CLASSES << head->slot_bits,
            "page %" PRIu32 ": its superblock is at home in no slot", sb);
    CORRUPT((whole | partial) == 0 || shown[sb].slots > 0 ||
                node(image, class_, 0, sb / 32) >> sb % 32 & 1,
            "page %" PRIu32 ": a superblock with free groups that nothing shows", sb);
fail:
    return status;
}

static clade_status check_pages(const struct cladei_kma_image *image, const struct shown *shown)
{
    clade_status status = CLADE_OK;
    const clade_kma_head *head = &image->head;
    uint32_t used = head->first_page + image->missing;
    for (uint32_t page = there(image); page < head->pages; page++) {
        CORRUPT(!page_is_free(image, page) && word_at(image, head->info_at, page) == 0,
                "page %" PRIu32 " is free or used, but the buffer ends before it", page);
        CLADE_TRY(check_words(image, page, 0));
    }
    for (uint32_t page = 0; page < head->first_page; page++) {
        CORRUPT(!page_is_free(image, page) && word_at(image, head->info_at, page) == 0,
                "page %" PRIu32 " of the bookkeeping is free, or something is said to be in it",
                page);
        CLADE_TRY(check_words(image, page, 0));
    }
    for (uint32_t page = head->first_page; page < there(image);) {
        uint32_t info = word_at(image, head->info_at, page), pages = extent(image, page);
        CORRUPT(pages >= 1, "page %" PRIu32 " is neither free nor used: info %08" PRIx32, page,
                info);
        for (uint32_t i = 0; i < pages; i++) {
            uint32_t inside = word_at(image, head->info_at, page + i);
            CORRUPT(info == 0 || !page_is_free(image, page + i),
                    "page %" PRIu32 " is used and free at once", page + i);
            CORRUPT(i == 0 || inside == (info == CLADE_KMA_BIG ? 0 : (info | i << 6)),
                    "page %" PRIu32 " has not the info of its superblock", page + i);
            CLADE_TRY(check_words(image, page + i, inside));
        }
        if (info != 0 && info != CLADE_KMA_BIG)
            CLADE_TRY(check_reach(image, shown, page, info));
        used += info != 0 ? pages : 0;
        page += pages;
    }
    CORRUPT(used == pages_used(head), "%" PRIu32 " pages are in use, %" PRIu32 " are counted", used,
            pages_used(head));
fail:
    return status;
}

/* Which groups part hints show, one word a superblock; hints of slots and parts must not be held.
 */
static clade_status collect_hints(const struct cladei_kma_image *image, struct shown *shown)
{
    clade_status status = CLADE_OK;
    const clade_kma_head *head = &image->head;
    uint32_t slots = CLADE_KMA_CLASSES << head->slot_bits;
    uint32_t parts = CLADE_KMA_CLASSES << head->part_bits;
    const uint32_t own = head->own_at != 0 ? CLADE_KMA_OWN_SMALL << head->own_bits : 0;
    const bool swept = (head->swept & CLADE_KMA_SWEPT) != 0;
    for (uint32_t i = 0; i < slots + parts + own; i++) {
        uint32_t hint = word_at(image, head->slot_at, i);
        CORRUPT((hint & CLADE_KMA_BUSY) == 0, "hint %" PRIu32 " is held by nobody", i);
        CORRUPT(hint <= (i < slots ? head->pages : head->pages * 32u),
                "hint %" PRIu32 " is %08" PRIx32, i, hint);
        if (hint == 0)
            continue;
        CORRUPT(!swept, "hint %" PRIu32 " shows something, and all are said to be swept", i);
        uint32_t class_ = i < slots           ? i >> head->slot_bits
                          : i < slots + parts ? (i - slots) >> head->part_bits
                                              : (i - slots - parts) >> head->own_bits;
        uint32_t sb = i < slots ? hint - 1 : (hint - 1) / 32;
        if (CLADE_KMA_INFO_KIND(word_at(image, head->info_at, sb)) != class_ + 1)
            continue;
        if (i < slots)
            shown[sb].slots++;
        else
            shown[sb].groups |= 1u << (hint - 1) % 32;
    }
fail:
    return status;
}

/* --- the live set ---------------------------------------------------------------------------- */

static int compare_refs(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

/* All live refs in order; `room` of them. */
static uint64_t list_live(const struct cladei_kma_image *image, uint32_t *refs, uint64_t room)
{
    const clade_kma_head *head = &image->head;
    uint64_t count = 0;
    for (uint32_t page = head->first_page; page < there(image); page++) {
        uint32_t info = word_at(image, head->info_at, page);
        if (info == CLADE_KMA_BIG && count++ < room)
            refs[count - 1] = page * CLADE_KMA_PAGE_UNITS + 1;
        if (info == 0 || info == CLADE_KMA_BIG || CLADE_KMA_INFO_INDEX(info) != 0)
            continue;
        uint32_t units = clade_kma_class_units(CLADE_KMA_INFO_KIND(info) - 1);
        for (uint32_t cell = 0; cell < CLADE_KMA_INFO_CELLS(info); cell++)
            if (taken(image, page, cell / 32, info) >> cell % 32 & 1 && count++ < room)
                refs[count - 1] = page * CLADE_KMA_PAGE_UNITS + cell * units + 1;
    }
    return count;
}

clade_status cladei_kma_compare_live(const uint32_t *found, uint64_t there, const uint32_t *live,
                                     uint64_t count)
{
    clade_status status = CLADE_OK;
    uint32_t *wanted = calloc(count ? (size_t)count : 1, sizeof *wanted);
    CLADE_NO_MEMORY(wanted);
    CORRUPT(there == count, "%" PRIu64 " blocks are live, not %" PRIu64, there, count);
    if (count > 0)
        memcpy(wanted, live, (size_t)count * sizeof *wanted);
    qsort(wanted, (size_t)count, sizeof *wanted, compare_refs);
    for (uint64_t i = 0; i < count; i++) {
        CORRUPT(i == 0 || wanted[i] != wanted[i - 1], "ref %" PRIu32 " was given to two",
                wanted[i]);
        CORRUPT(wanted[i] == found[i] || wanted[i] > found[i], "ref %" PRIu32 " is not live",
                wanted[i]);
        CORRUPT(wanted[i] == found[i], "ref %" PRIu32 " is live and should not be", found[i]);
    }
fail:
    free(wanted);
    return status;
}

static clade_status check_live(const struct cladei_kma_image *image, const uint32_t *live,
                               uint64_t count)
{
    clade_status status = CLADE_OK;
    uint32_t *found = calloc(count ? (size_t)count : 1, sizeof *found);
    CLADE_NO_MEMORY(found);
    CLADE_TRY(cladei_kma_compare_live(found, list_live(image, found, count), live, count));
fail:
    free(found);
    return status;
}

clade_status cladei_kma_verify(const struct cladei_kma_image *image, const uint32_t *live,
                               uint64_t count)
{
    clade_status status = CLADE_OK;
    struct shown *shown = calloc(image->head.pages, sizeof *shown);
    CLADE_NO_MEMORY(shown);
    CLADE_TRY(collect_hints(image, shown));
    CLADE_TRY(check_trees(image));
    CLADE_TRY(check_pages(image, shown));
    if (live)
        CLADE_TRY(check_live(image, live, count));
fail:
    free(shown);
    return status;
}

/* Homes of pages where nothing begins. Where memory is weak, an item may see that a superblock is
 * there before it sees its home. */
static void forget_homes(struct cladei_kma_image *image)
{
    const clade_kma_head *head = &image->head;
    for (uint32_t page = 0; page < head->pages; page++) {
        const uint32_t info = word_at(image, head->info_at, page);
        if (info == 0 || (info != CLADE_KMA_BIG && CLADE_KMA_INFO_INDEX(info) != 0))
            image->words[head->home_at + page] = 0;
    }
}

clade_status cladei_kma_adopt(struct cladei_kma_image *image, uint64_t bytes, bool debug)
{
    clade_status status = CLADE_OK;
    clade_kma_head *head = &image->head;
    CORRUPT(cladei_kma_head_is_sound(head, bytes, debug), "the allocator's head is wrong");
    CORRUPT(head->object.kind == CLADE_KMA_KIND &&
                head->object.layout_version == CLADE_OBJECT_LAYOUT_VERSION &&
                head->object.bytes_low == (uint32_t)bytes &&
                head->object.bytes_high == (uint32_t)(bytes >> 32),
            "the head is of another object");
    CORRUPT(head->fault <= CLADE_KMA_FAULT_USE_FREED, "there is no fault %" PRIu32,
            (uint32_t)head->fault);
    CLADE_TRY(cladei_kma_verify(image, NULL, 0));
    head->pages_used = pages_used(head);
    for (uint32_t i = 0; i < CLADE_KMA_COUNTERS; i++)
        head->counters[i].pages = CLADE_KMA_COUNT_MIDDLE;
    if (head->pages_peak < head->pages_used || head->pages_peak > head->pages)
        head->pages_peak = head->pages_used;
    head->any[0] = head->any[1] = 0;
    for (uint32_t tree = 0; tree < CLADE_KMA_TREES; tree++)
        head->any[tree / 32] |= (node(image, tree, head->levels - 1, 0) != 0 ? 1u : 0u)
                                << tree % 32;
    head->swept = head->sweep = 0;
    forget_homes(image);
    memcpy(image->words, head, sizeof *head);
fail:
    return status;
}

clade_status clade_kma_check(clade_kma *kma, const uint32_t *live, uint64_t count)
{
    clade_status status = CLADE_OK;
    struct cladei_kma_image image = { 0 };
    CLADE_REQUIRE(kma, CLADE_E_ARG, "the allocator is NULL");
    CLADE_TRY(cladei_kma_image_open(&image, kma));
    CLADE_TRY(cladei_kma_verify(&image, image.head.debug ? NULL : live, count));
    if (image.head.debug)
        CLADE_TRY(cladei_kma_check_guards(kma, &image, live, count));
fail:
    cladei_kma_image_close(&image);
    return status;
}

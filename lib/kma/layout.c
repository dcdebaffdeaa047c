/* SPDX-License-Identifier: Apache-2.0 */
/* Where everything lies in an allocator's buffer. Knows nothing of OpenCL. */
#include <string.h>

#include "kma/kma.h"

#define PAGE_WORDS     (CLADE_KMA_PAGE_BYTES / 4u)
#define SLOT_BITS_MOST 12u
#define PART_BITS_MOST 14u
#define OWN_BITS       2u   /* a place's own hints beside part hints at most: 64 for 16 */
#define OWN_LARGE      12u  /* the first class of cells of 320 bytes and more, and */
#define OWN_PARTS_MOST 8u   /* with how many part hints (log 2) such a class has own ones, too; */
#define OWN_MOST       7u   /* so many (log 2) beside each of them, */
#define OWN_MOST_SMALL 2u   /* or in a small heap so many, */
#define OWN_WORDS      256u /* if it has so many words of pages */
#define FEED_BITS_MOST 10u
#define PAGES_MOST     ((1u << 22) - 1u)

static uint32_t log2_floor(uint64_t x)
{
    uint32_t bits = 0;
    while (x >>= 1)
        bits++;
    return bits;
}

static uint32_t least(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

/* Levels of a tree over `pages` bits; the words of each. */
static void lay_out_tree(clade_kma_head *head)
{
    uint32_t words = (head->pages + 31u) / 32u;
    head->page_words = words;
    for (;;) {
        head->level_at[head->levels++] = head->tree_words;
        head->tree_words += words;
        if (words == 1)
            break;
        words = (words + 31u) / 32u;
    }
}

/* The mark of a class of which places have hints of their own, and how many: those of large cells
 * are words that part hints of other classes need, and this one's do not. */
static uint32_t shape_own(const clade_kma_head *head, uint32_t class_)
{
    const uint32_t part = head->shape[class_] >> 8 & 31u;
    const uint32_t beside = least(head->part_bits - part, head->own_most);
    if (class_ < CLADE_KMA_OWN_SMALL)
        return head->own_bits > 0 ? CLADE_KMA_SHAPE_HAS_OWN : 0;
    return class_ >= OWN_LARGE && part <= OWN_PARTS_MOST && beside > 0
               ? CLADE_KMA_SHAPE_HAS_OWN | beside << 13
               : 0;
}

/* Slots and part hints: enough that the items which run at once seldom meet, but what they keep
 * from others is bounded. Slots for whole groups show at most 1/16 of the heap for a class, those
 * that part hints are filled from 1/256, and the part hints themselves 1/96. */
static void shape_classes(clade_kma_head *head, const struct cladei_kma_most *most)
{
    uint32_t slots = 0;
    for (uint32_t class_ = 0; class_ < CLADE_KMA_CLASSES; class_++) {
        uint32_t units = clade_kma_class_units(class_), heap_units = head->pages / 96 * 1024;
        /* 32 groups fit `units` pages; above 512 B the word of pages is the limit; cells above
         * 2 KiB have no slots: their superblocks are what one claim needs. */
        uint32_t pages = units <= 32 ? units : units <= 128 ? 32 : 0, each = pages ? pages : 32;
        uint32_t slot = least(most->slots, log2_floor(head->pages / 16 / each | 1));
        uint32_t feed = least(least(most->feeds, slot), log2_floor(head->pages / 256 / each | 1));
        uint32_t part = least(most->parts, log2_floor(heap_units / (units * 32) | 1));
        head->shape[class_] =
            CLADE_KMA_SHAPE(slot, part, pages, feed, log2_floor(least(32, each * 32 / units) | 1));
        if (pages > 0 && units <= 64)
            slots += 1u << slot;
        head->slot_bits = slot > head->slot_bits ? slot : head->slot_bits;
        head->part_bits = part > head->part_bits ? part : head->part_bits;
    }
    head->own_bits = most->own;
    head->own_most = most->own_large;
    for (uint32_t class_ = 0; class_ < CLADE_KMA_CLASSES; class_++)
        head->shape[class_] |= shape_own(head, class_);
    head->run_shift = log2_floor(slots);
    head->low_pages = head->pages / 5;
    head->count_bits = least(log2_floor(head->pages / 4096 | 1), 6);
}

/* One array behind the other; part hints follow the slots, and own hints follow them, since
 * sweeping walks all. */
static void place_arrays(clade_kma_head *head)
{
    const uint32_t pages = head->pages;
    uint64_t at = sizeof(clade_kma_head) / 4;
    head->info_at = (clade_u32)at;
    head->whole_at = head->info_at + pages;
    head->partial_at = head->whole_at + pages;
    head->home_at = head->partial_at + pages;
    head->hinted_at = head->home_at + pages;
    head->cells_at = head->hinted_at + pages;
    at += (uint64_t)pages * 37;
    head->tree_at = (clade_u32)at;
    at += (uint64_t)CLADE_KMA_TREES * head->tree_words;
    head->slot_at = (clade_u32)at;
    at += CLADE_KMA_CLASSES << head->slot_bits;
    head->part_at = (clade_u32)at;
    at += CLADE_KMA_CLASSES << head->part_bits;
    if (head->own_bits > 0) {
        head->own_at = (clade_u32)at;
        at += CLADE_KMA_OWN_SMALL << head->own_bits;
    }
    head->first_page = (clade_u32)((at + PAGE_WORDS - 1) / PAGE_WORDS);
}

/* What is to lie ready after clearing: a group for each part hint of the sizes up to 1 KiB, so that
 * the first launch of many sizes finds what later ones do; at most 1/24 of the heap, at its end,
 * and nothing in a small heap, or in debug mode, which would have to write into every cell. */
static void choose_ready(clade_kma_head *head, int bare)
{
    const uint32_t room = head->pages / 24 / 32;
    uint32_t words = 0;
    head->ready_word = head->page_words;
    if (bare || head->debug || head->page_words < CLADE_KMA_SMALL_WORDS)
        return;
    for (uint32_t c = 0; c < CLADE_KMA_READY_MOST; c++) {
        const uint32_t pages = CLADE_KMA_SHAPE_PAGES(head->shape[c]);
        if (pages == 0 || pages > 32 ||
            pages * CLADE_KMA_PAGE_UNITS < 32u * clade_kma_class_units(c)) /* not one whole group */
            break;                                                         /* a file may say so */
        const uint32_t more = clade_kma_ready_of(c, head->shape[c]).words;
        if (more > room - words)
            break;
        head->ready_classes = c + 1;
        head->ready += clade_kma_ready_of(c, head->shape[c]).superblocks;
        words += more;
    }
    if (words > 0)
        head->ready_word = head->pages / 32 - words;
}

static uint32_t ready_pages(const clade_kma_head *head)
{
    uint32_t pages = 0;
    for (uint32_t c = 0; c < head->ready_classes; c++) {
        const clade_kma_ready ready = clade_kma_ready_of(c, head->shape[c]);
        pages += ready.superblocks * ready.pages;
    }
    return pages;
}

void cladei_kma_lay_out_for(clade_kma_head *head, struct cladei_kma_most most, int bare)
{
    *head = (clade_kma_head) { .object = head->object, .pages = head->pages, .debug = head->debug };
    lay_out_tree(head);
    shape_classes(head, &most);
    place_arrays(head);
    choose_ready(head, bare);
}

/* Everything constant in the head. `pages` is the whole buffer's. */
void cladei_kma_lay_out(clade_kma_head *head, uint32_t pages, const clade_caps *caps, int debug,
                        int bare)
{
    /* A CPU runs one group a core; a GPU's multiprocessor holds at most 64 sub-groups. */
    const uint32_t units = caps->compute_units ? caps->compute_units : 1, words = (pages + 31) / 32;
    struct cladei_kma_most most = {
        .slots = least(log2_floor(units * (caps->is_cpu ? 2 : 8)), SLOT_BITS_MOST),
        .parts = least(log2_floor((uint64_t)units * 16), PART_BITS_MOST),
        .feeds = least(log2_floor(units), FEED_BITS_MOST),
    };
    if (!caps->is_cpu && words >= CLADE_KMA_SMALL_WORDS) {
        most.own = most.parts + OWN_BITS;
        most.own_large = OWN_MOST;
    } else if (!caps->is_cpu && words >= OWN_WORDS) {
        most.own_large = OWN_MOST_SMALL;
    }
    *head = (clade_kma_head) { .pages = pages, .debug = debug != 0 };
    head->object.shape = CLADE_KMA_OBJECT_SHAPE(head->debug);
    cladei_kma_lay_out_for(head, most, bare);
}

/* How much of a buffer is used: whole pages, and of 64 GiB not the last one: the ref of its last
 * unit would be 2^32, which is nil. */
uint64_t cladei_kma_usable_bytes(uint64_t bytes)
{
    const uint64_t pages = bytes / CLADE_KMA_PAGE_BYTES;
    return (pages < PAGES_MOST ? pages : PAGES_MOST) * CLADE_KMA_PAGE_BYTES;
}

/* The head as the device starts with it: all pages that blocks may use are free, in the tree of the
 * object's mode, or lie ready. Of what changes nothing that a head brings along is believed. */
clade_kma_head cladei_kma_first_head(const clade_kma_head *constants)
{
    clade_kma_head head = *constants;
    const size_t first = offsetof(clade_kma_head, any); /* one from a file has them as of then */
    memset((char *)&head + first, 0, sizeof head - first);
    head.pages_used = head.pages_peak = head.first_page + ready_pages(&head);
    head.counters[0].created = head.ready;
    for (uint32_t i = 0; i < CLADE_KMA_COUNTERS; i++) {
        head.counters[i].pages = CLADE_KMA_COUNT_MIDDLE;
        if (head.page_words < CLADE_KMA_SMALL_WORDS) /* long runs stay at the start */
            head.counters[i].word = head.page_words - 1;
    }
    head.any[CLADE_KMA_PAGE_TREE(head.debug) / 32] = 1u << CLADE_KMA_PAGE_TREE(head.debug) % 32;
    return head;
}

/* Which pages are free at the start: all that blocks may use, and do not lie ready yet. */
void cladei_kma_first_tree(const clade_kma_head *head, uint32_t *tree)
{
    memset(tree, 0, (size_t)head->tree_words * 4);
    for (uint32_t page = head->first_page; page < head->pages;)
        if (page % 32 == 0 && head->pages - page >= 32) { /* clearing a large heap is mostly this */
            tree[page / 32] = 0xffffffffu;
            page += 32;
        } else {
            tree[page / 32] |= 1u << page % 32;
            page++;
        }
    for (uint32_t level = 1; level < head->levels; level++) {
        const uint32_t *below = tree + head->level_at[level - 1];
        for (uint32_t i = 0; i < head->level_at[level] - head->level_at[level - 1]; i++)
            if (below[i] != 0)
                tree[head->level_at[level] + i / 32] |= 1u << i % 32;
    }
}

static uint32_t log2_feeds(const clade_kma_head *head)
{
    uint32_t most = 0;
    for (uint32_t c = 0; c < CLADE_KMA_CLASSES; c++) {
        const uint32_t bits = head->shape[c] >> 24 & 15u;
        most = bits > most ? bits : most;
    }
    return most;
}

bool cladei_kma_heads_agree(const clade_kma_head *a, const clade_kma_head *b)
{
    const size_t from = offsetof(clade_kma_head, pages), to = offsetof(clade_kma_head, any);
    return memcmp((const char *)a + from, (const char *)b + from, to - from) == 0;
}

/* How many slots, part hints and feeding slots a class may have depends on the device that a saved
 * allocator was made on, and is the most that any class has; so does who has own hints; all else
 * follows from that, from its size, and from whether anything lies ready. */
bool cladei_kma_head_is_sound(const clade_kma_head *head, uint64_t bytes, bool debug)
{
    clade_kma_head wanted = { .pages = (clade_u32)(bytes / CLADE_KMA_PAGE_BYTES), .debug = debug };
    const struct cladei_kma_most most = { head->slot_bits, head->part_bits, log2_feeds(head),
                                          head->own_bits, head->own_most };
    if (most.slots > SLOT_BITS_MOST || most.parts > PART_BITS_MOST || most.feeds > FEED_BITS_MOST ||
        most.own > PART_BITS_MOST + OWN_BITS || most.own_large > OWN_MOST ||
        wanted.pages > PAGES_MOST)
        return false;
    cladei_kma_lay_out_for(&wanted, most, head->ready_classes == 0);
    return wanted.first_page < wanted.pages && cladei_kma_heads_agree(head, &wanted);
}

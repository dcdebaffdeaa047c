/* SPDX-License-Identifier: Apache-2.0 */
/* The layout of an allocator: one buffer with the bookkeeping first, and then the pages that blocks
 * are cut from. docs/inside/kma.md has the invariants. */
#pragma once

#include "clade/shared/object.h"

#define CLADE_KMA_KIND CLADE_KIND('K', 'M', 'A', ' ')
/* The object's shape. (CLADE_KMA_SHAPE() is that of a class, which is one size of cell.) */
#define CLADE_KMA_OBJECT_SHAPE(debug) CLADE_SHAPE(CLADE_SHAPE_OF_KMA, debug)

#define CLADE_KMA_UNIT_BYTES       16u    /* refs count units; every block starts at one */
#define CLADE_KMA_PAGE_BYTES       16384u /* pages are cut at multiples of this in the buffer */
#define CLADE_KMA_PAGE_UNITS       1024u
#define CLADE_KMA_CELL_BYTES       16384u          /* above this a block is a run of pages */
#define CLADE_KMA_CLASSES          36u             /* cell sizes; four steps to each power of two */
#define CLADE_KMA_TREES            38u             /* of the classes, then of pages: */
#define CLADE_KMA_PAGE_TREE(debug) (36u + (debug)) /* the other one is empty */
#define CLADE_KMA_LEVELS           5u              /* 32^5 pages are more than 2^32 refs reach */
#define CLADE_KMA_COUNTERS         128u
#define CLADE_KMA_ALIGN_MAX        16384u
#define CLADE_KMA_COUNT_MIDDLE     0x80000000u /* where counters.pages start: both ways are open */
#define CLADE_KMA_READY_MOST       20u         /* classes, to cells of 1 KiB */
#define CLADE_KMA_OWN_SMALL        4u /* classes whose own hints have an array, to cells of 64 bytes */
#define CLADE_KMA_SMALL_WORDS      1024u /* fewer words of pages: small things go to the heap's end */

/* info[page] says what a page is used for; 0 is nothing. It has these fields for a page of a
 * superblock. */
#define CLADE_KMA_INFO_KIND(info)            ((info)&63u)        /* class + 1, or _BIG */
#define CLADE_KMA_INFO_INDEX(info)           ((info) >> 6 & 31u) /* of the page in its superblock */
#define CLADE_KMA_INFO_CELLS(info)           ((info) >> 11 & 2047u) /* cells of the superblock, 1 .. 1024 */
#define CLADE_KMA_INFO_PAGES(info)           (((info) >> 22 & 31u) + 1u)
#define CLADE_KMA_INFO(class_, cells, pages) (((class_) + 1u) | (cells) << 11 | ((pages)-1u) << 22)
#define CLADE_KMA_BIG                        63u /* first page of a block of pages; home[] has their number */

/* shape[class] has four numbers, each as its log 2, and one as it is: the slots that whole groups
 * come from, the part hints, the slots that part hints are filled from, the groups of a full
 * superblock, and its pages. */
#define CLADE_KMA_SHAPE(slots, parts, pages, feeds, groups) \
    ((slots) | (parts) << 8 | (pages) << 16 | (feeds) << 24 | (groups) << 28)
#define CLADE_KMA_SHAPE_HAS_OWN       32u /* of this class places have hints of their own, too */
#define CLADE_KMA_SHAPE_OWN(shape)    ((shape) >> 13 & 7u) /* log 2 of those beside a part hint */
#define CLADE_KMA_SHAPE_SLOTS(shape)  (1u << ((shape)&31u))
#define CLADE_KMA_SHAPE_PARTS(shape)  (1u << ((shape) >> 8 & 31u))
#define CLADE_KMA_SHAPE_PAGES(shape)  ((shape) >> 16 & 63u)
#define CLADE_KMA_SHAPE_FEEDS(shape)  (1u << ((shape) >> 24 & 15u))
#define CLADE_KMA_SHAPE_GROUPS(shape) (1u << ((shape) >> 28))

/* Marks in slots and part hints, and in what a claim returns. */
#define CLADE_KMA_BUSY 0x80000000u

/* In `swept`: a sweep is under way; or it is done, and no slot or part hint has shown anything
 * since. */
#define CLADE_KMA_SWEEPING 1u
#define CLADE_KMA_SWEPT    2u

/* Debug mode: the marks in the 16 bytes before each block, and the bytes that guard it. */
#define CLADE_KMA_DEBUG_LIVE   0x4c495645u /* exclusive-or the ref: a live block */
#define CLADE_KMA_DEBUG_FREED  0x46524545u
#define CLADE_KMA_DEBUG_CANARY 0xfdu
#define CLADE_KMA_DEBUG_POISON 0xddu

/* The first misuse that debug mode found: clade_kma_fault.kind. */
#define CLADE_KMA_FAULT_NONE        0u
#define CLADE_KMA_FAULT_DOUBLE_FREE 1u
#define CLADE_KMA_FAULT_FOREIGN     2u /* something was freed that is no block's ref */
#define CLADE_KMA_FAULT_OVERRUN     3u /* bytes after a block's end were written */
#define CLADE_KMA_FAULT_USE_FREED   4u /* bytes of a freed block were written */

/* Counts that many items change. They are spread over several places, so that the items do not
 * meet. `pages` is handed on to pages_used in steps. */
typedef struct clade_kma_counters {
    clade_atomic_u32 pages;
    clade_atomic_u32 created;
    clade_atomic_u32 retired;
    clade_atomic_u32 refused;
    clade_atomic_u32 word; /* hint: the word of pages that small superblocks came from last */
    clade_u32 reserved[3];
} clade_kma_counters;

/* The object's head. All up to `shape` is constant after creation. What ends in _at is an offset in
 * words. */
typedef struct clade_kma_head {
    clade_object_head object;
    clade_u32 pages;      /* of the whole buffer; the first ones hold the bookkeeping */
    clade_u32 first_page; /* that blocks may use */
    clade_u32 page_words; /* words of a tree's lowest level */
    clade_u32 levels;     /* of every tree; the top one is one word */
    clade_u32 level_at[CLADE_KMA_LEVELS];
    clade_u32 tree_words;
    clade_u32 info_at;
    clade_u32 whole_at;
    clade_u32 partial_at;
    clade_u32 home_at;
    clade_u32 hinted_at;
    clade_u32 cells_at;
    clade_u32 tree_at;
    clade_u32 slot_at;
    clade_u32 part_at;
    clade_u32 slot_bits; /* log 2 of the slots kept for a class, used or not */
    clade_u32 part_bits;
    clade_u32 low_pages; /* with fewer free pages nothing new is put into hints */
    clade_u32 run_shift; /* a superblock takes at most (free pages >> run_shift) */
    clade_u32 debug;
    clade_u32 count_bits; /* counters.pages hands on 1 << count_bits */
    clade_u32 shape[CLADE_KMA_CLASSES];
    /* Of so many classes, from the smallest, superblocks lie ready after clearing. */
    clade_u32 ready_classes;
    clade_u32 ready_word; /* from this word of pages on; none: page_words */
    clade_u32 ready;      /* how many */
    /* Own hints of the first _OWN_SMALL classes; 0: these have none. Those of larger cells are
     * words of their class behind its part hints. */
    clade_u32 own_at;
    clade_u32 own_bits; /* log 2 of those of a class */
    clade_u32 own_most; /* log 2 of those of larger cells beside a part hint, at most; 0: none */
    clade_u32 pad[21];  /* so that the words below share no cache line with those above */

    clade_atomic_u32 any[2];     /* hint, 1 bit a tree: its top word is not 0 */
    clade_atomic_u32 pages_used; /* by bookkeeping, superblocks, blocks of pages; see counters */
    clade_atomic_u32 pages_peak;
    /* The number of a sweep of all hints, above CLADE_KMA_SWEEPING and _SWEPT. */
    clade_atomic_u32 swept;
    clade_atomic_u32 sweep; /* the next piece of hints to sweep */
    clade_atomic_u32 bad_frees;
    clade_atomic_u32 fault; /* debug mode: CLADE_KMA_FAULT_, set once */
    clade_atomic_u32 fault_ref;
    clade_atomic_u32 fault_item;
    clade_atomic_u32 given_up; /* so many of those that lay ready were swept, or are being swept */
    clade_u32 reserved[21];
    clade_kma_counters counters[CLADE_KMA_COUNTERS];
} clade_kma_head;

CLADE_STATIC_ASSERT(kma_head_size, sizeof(clade_kma_head) == 512 + 32 * CLADE_KMA_COUNTERS);

#define CLADE_KMA_LAYOUT(X)       \
    X(clade_kma_head, pages)      \
    X(clade_kma_head, level_at)   \
    X(clade_kma_head, info_at)    \
    X(clade_kma_head, part_at)    \
    X(clade_kma_head, debug)      \
    X(clade_kma_head, shape)      \
    X(clade_kma_head, ready_word) \
    X(clade_kma_head, any)        \
    X(clade_kma_head, pages_used) \
    X(clade_kma_head, fault)      \
    X(clade_kma_head, counters)

/* Units of a cell: 1, 2, 3, 4, then four steps to each power of two: 5, 6, 7, 8, 10, ... 1024. */
static inline clade_u32 clade_kma_class_units(clade_u32 class_)
{
    return class_ < 4u ? class_ + 1u : ((class_ & 3u) + 5u) << ((class_ >> 2) - 1u);
}

/* The mask of cells of group `group` in a superblock of `cells` cells. The last group may have
 * fewer than 32. */
static inline clade_u32 clade_kma_group_cells(clade_u32 cells, clade_u32 group)
{
    clade_u32 left = cells - group * 32u;
    return left >= 32u ? 0xffffffffu : (1u << left) - 1u;
}

/* The mask of the groups of a superblock. */
static inline clade_u32 clade_kma_all_groups(clade_u32 cells)
{
    clade_u32 groups = (cells + 31u) / 32u;
    return groups >= 32u ? 0xffffffffu : (1u << groups) - 1u;
}

/* The superblocks of a class that lie ready after clearing. They have one free group for each part
 * hint, and no other group. They lie side by side in words of pages that have no other superblocks.
 * All groups have 32 cells. An item that finds the group of its hint full takes the long way. */
typedef struct clade_kma_ready {
    clade_u32 pages;       /* of each */
    clade_u32 each;        /* in a word of pages */
    clade_u32 groups;      /* of each but the last superblock, which may have fewer */
    clade_u32 superblocks; /* in all */
    clade_u32 words;       /* of pages that they take */
} clade_kma_ready;

static inline clade_kma_ready clade_kma_ready_of(clade_u32 class_, clade_u32 shape)
{
    clade_u32 pages = CLADE_KMA_SHAPE_PAGES(shape), parts = CLADE_KMA_SHAPE_PARTS(shape);
    clade_u32 cells = pages * CLADE_KMA_PAGE_UNITS / clade_kma_class_units(class_);
    clade_kma_ready ready = { pages, 32u / pages, 32u, 0u, 0u };
    if (cells < 1024u)
        ready.groups = cells / 32u;
    ready.superblocks = (parts + ready.groups - 1u) / ready.groups;
    ready.words = (ready.superblocks + ready.each - 1u) / ready.each;
    return ready;
}

/* The cells of the superblock number `nth` of these. */
static inline clade_u32 clade_kma_ready_cells(clade_kma_ready ready, clade_u32 shape, clade_u32 nth)
{
    clade_u32 left = CLADE_KMA_SHAPE_PARTS(shape) - nth * ready.groups;
    return (left < ready.groups ? left : ready.groups) * 32u;
}

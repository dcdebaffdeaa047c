/* SPDX-License-Identifier: Apache-2.0 */
/* The allocator by one item, in heaps of many pages, as they are after clearing: what lies ready is
 * given up to the last page for blocks of pages; a free run behind thousands of pages that are
 * taken is found; superblocks that are given back leave nothing in their class's trees. */
#include "kma/edge_meets.h"

#include "kma/edge_beside.h"

#include "kma/edge_kma.h"

#include "kma/edge_sizes.h"
#include "kma/edge_trees.h"

enum { SMALL = 700, LARGE = 33000, FEW = 3000 };

static uint refs[LARGE];

static void expect_sound(clade_kma_head *kma, const uint *live, uint count, const char *when)
{
    const char *why = host_kma_verify((void *)kma, live, count);
    expect(!why, why ? why : "", count, 0);
    if (why)
        printf("  %s\n", when);
}

static clade_kma_head *make(uint pages, uint units)
{
    clade_kma_head *kma = host_kma_new_as_on_gpus(pages, units);
    if (!kma)
        exit(1);
    host_kma_start(kma);
    shim_self = (struct shim_item) { .local_size = 1, .groups = 1 };
    return kma;
}

#include "kma/edge_vain.h"

#include "kma/edge_ends.h"
#include "kma/edge_larger.h"

static uint fill(clade_kma_head *kma, clade_u64 bytes, uint most)
{
    uint n = 0;
    while (n < most && (refs[n] = clade_kma_malloc_wi(kma, bytes)) != CLADE_NIL)
        n++;
    return n;
}

/* Pages that superblocks hold. */
static uint superblock_pages(clade_kma_head *kma)
{
    uint pages = 0;
    for (uint page = kma->first_page; page < kma->pages; page++) {
        const uint kind =
            CLADE_KMA_INFO_KIND(clade_load_relaxed(cladei_kma_word(kma, kma->info_at + page)));
        pages += kind >= 1u && kind <= CLADE_KMA_CLASSES;
    }
    return pages;
}

static uint words_in_trees(clade_kma_head *kma)
{
    uint set = 0;
    for (uint class_ = 0; class_ < CLADE_KMA_CLASSES; class_++)
        for (uint word = 0; word < kma->tree_words; word++)
            set += clade_load_relaxed(cladei_kma_node(kma, class_, 0u, word)) != 0u;
    return set;
}

/* Blocks of pages take all that lies ready, and then every page of the heap; but what holds a block
 * of 16 bytes, where there is one. */
static void take_all_pages(uint pages, uint units, uint small)
{
    clade_kma_head *kma = make(pages, units);
    expect(pages < LARGE || kma->ready > 0, "something lies ready", pages, kma->ready);
    expect_sound(kma, NULL, 0, "after clearing");
    const uint held = small ? clade_kma_malloc_wi(kma, 16) : CLADE_NIL;
    uint n = fill(kma, 2u * CLADE_KMA_PAGE_BYTES, LARGE);
    expect(superblock_pages(kma) == small, "pages that lie ready, and memory was refused", pages,
           superblock_pages(kma));
    expect(host_kma_room_of_pages(kma, 2) == 0, "room that was refused", n, 0);
    if (small)
        refs[n++] = held;
    expect_sound(kma, refs, n, "full of pages");
    for (uint i = 0; i < n; i++)
        clade_kma_free_wi(kma, refs[i]);
    expect_sound(kma, NULL, 0, "all given back");
    free(kma);
}

/* A place's own hint shows nothing while the part hint has free cells, and a group once that is
 * used up. What it shows is found when memory runs out. */
static void sweep_own_hints(void)
{
    const uint classes[] = { 0, 3, 31 };
    clade_kma_head *kma = make(LARGE, 16);
    uint n = 0;
    shim_self.group_id = 1; /* where own hints are not part hints, too */
    for (uint i = 0; i < sizeof classes / sizeof classes[0]; i++) {
        const uint class_ = classes[i];
        const clade_u64 bytes = (clade_u64)clade_kma_class_units(class_) * 16u;
        clade_global_word own =
            cladei_kma_own(kma, class_, kma->shape[class_], cladei_kma_place_of(cladei_kma_me()));
        expect((kma->shape[class_] & CLADE_KMA_SHAPE_HAS_OWN) != 0, "own hints", class_, 0);
        for (uint k = 0; k < 8; k++)
            refs[n++] = clade_kma_malloc_wi(kma, bytes);
        expect(clade_load_relaxed(own) == 0, "an own hint shows what nobody needs", class_, 0);
        for (uint k = 0; k < 64; k++)
            refs[n++] = clade_kma_malloc_wi(kma, bytes);
        expect(clade_load_relaxed(own) != 0, "a full part hint, and no own one", class_, 0);
    }
    expect_sound(kma, refs, n, "with own hints");
    for (uint i = 0; i < n; i++)
        clade_kma_free_wi(kma, refs[i]);
    expect_sound(kma, NULL, 0, "what own hints show was given back");
    n = fill(kma, 2u * CLADE_KMA_PAGE_BYTES, LARGE);
    expect(superblock_pages(kma) == 0, "pages that own hints show, and memory was refused",
           superblock_pages(kma), n);
    expect(host_kma_room_of_pages(kma, 2) == 0, "room that was refused", n, 0);
    expect_sound(kma, refs, n, "full of pages");
    shim_self.group_id = 0;
    free((void *)kma);
}

/* Pages are few, and a hint of another place shows the cells of 16 bytes that there are: hints are
 * swept before pages are taken. */
static void sweep_before_pages(void)
{
    clade_kma_head *kma = make(FEW, 16);
    kma->low_pages = 0;
    refs[0] = clade_kma_malloc_wi(kma, 16);
    const uint pages = superblock_pages(kma);
    kma->low_pages = ~0u;
    shim_self.group_id = 1;
    refs[1] = clade_kma_malloc_wi(kma, 16);
    expect(superblock_pages(kma) == pages, "pages were taken, and a hint shows cells", pages,
           superblock_pages(kma));
    expect_sound(kma, refs, 2, "pages are few");
    shim_self.group_id = 0;
    free((void *)kma);
}

/* Only the last pages are free, in a row that is looked for from the heap's begin. */
static void find_the_last_pages(void)
{
    clade_kma_head *kma = make(LARGE, 2);
    const uint pages = LARGE / 64u + 1u, n = fill(kma, 2u * CLADE_KMA_PAGE_BYTES, LARGE);
    const uint from = (LARGE - pages - 1u) * CLADE_KMA_PAGE_UNITS;
    uint freed = 0;
    for (uint i = 0; i < n; i++)
        if (refs[i] > from) {
            clade_kma_free_wi(kma, refs[i]);
            freed += 2;
        }
    const uint last = freed >= pages
                          ? clade_kma_malloc_wi(kma, (clade_u64)pages * CLADE_KMA_PAGE_BYTES)
                          : CLADE_NIL;
    expect(freed >= pages, "free pages at the end", freed, pages);
    expect(last > from, "a run at the heap's end", last, from);
    free(kma);
}

/* All classes' superblocks come and go; others are in between. */
static void give_superblocks_back(uint units)
{
    clade_kma_head *kma = make(SMALL, units);
    for (uint round = 0; round < 3; round++) {
        for (uint class_ = 0; class_ < CLADE_KMA_CLASSES; class_++) {
            const clade_u64 bytes = (clade_u64)clade_kma_class_units(class_) * 16u;
            const uint n = fill(kma, bytes, FEW);
            expect_sound(kma, refs, n, "with one class");
            for (uint i = 0; i < n; i++) /* in another order */
                clade_kma_free_wi(kma, refs[round % 2u == 0u ? i : n - 1u - i]);
        }
        const uint n = fill(kma, 2u * CLADE_KMA_PAGE_BYTES, LARGE);
        expect(superblock_pages(kma) == 0, "empty superblocks, and memory was refused", round,
               superblock_pages(kma));
        expect(words_in_trees(kma) == 0, "trees show what has gone", round, words_in_trees(kma));
        expect_sound(kma, refs, n, "full of pages");
        for (uint i = 0; i < n; i++)
            clade_kma_free_wi(kma, refs[i]);
    }
    free(kma);
}

/* Refs that are no block's: they have no bytes, and nothing is read where they lead to. */
static void measure_no_blocks(void)
{
    clade_kma_head *kma = make(SMALL, 2);
    const clade_ref big = clade_kma_malloc_wi(kma, 3u * CLADE_KMA_PAGE_BYTES);
    const clade_ref none[] = { 1u,
                               big + CLADE_KMA_PAGE_UNITS,
                               (kma->pages - 1u) * CLADE_KMA_PAGE_UNITS + 1u,
                               kma->pages * CLADE_KMA_PAGE_UNITS + 1u,
                               0x7fffffffu,
                               0xffffffffu };
    for (uint i = 0; i < sizeof none / sizeof none[0]; i++) {
        const clade_ref got = clade_kma_realloc_wi(kma, none[i], 100u);
        expect(clade_kma_size_wi(kma, none[i]) == 0, "the bytes of no block", i, none[i]);
        expect(got != CLADE_NIL, "a block in place of none", i, 0);
        expect(kma->bad_frees == i + 1u, "bad frees", i, kma->bad_frees);
        clade_kma_free_wi(kma, got);
    }
    expect_sound(kma, &big, 1, "after reallocs of what is no block");
    free(kma);
}

static uchar byte_of(uint i)
{
    return (uchar)(i * 7u + 1u);
}

/* Blocks that grow and shrink keep what both reach, to the byte; what fits well stays where it is,
 * and what cannot be had leaves the block as it was. Cleared blocks are 0, and no more is. */
static void change_sizes(void)
{
    static const uint sizes[] = { 1, 15, 16, 17, 63, 100, 255, 1000, 2049, 5003, 16384, 40001 };
    enum { MANY = sizeof sizes / sizeof sizes[0] };
    clade_kma_head *kma = make(SMALL, 2);
    for (uint i = 0; i < MANY * MANY; i++) {
        const uint bytes = sizes[i % MANY];
        const clade_ref old = clade_kma_malloc_wi(kma, sizes[i / MANY]);
        const uint room = (uint)clade_kma_size_wi(kma, old);
        uchar *block = clade_kma_ptr(kma, old);
        for (uint k = 0; k < room; k++)
            block[k] = byte_of(k);
        expect(clade_kma_realloc_wi(kma, old, 1ul << 40) == CLADE_NIL, "no room", i, room);
        const clade_ref new = clade_kma_realloc_wi(kma, old, bytes);
        const bool stays = bytes <= room && bytes > room / 2u;
        expect(new != CLADE_NIL && (new == old) == stays, "where it lies", room, bytes);
        uchar *const is = clade_kma_ptr(kma, new);
        for (uint k = 0; k < room && k < bytes; k++)
            if (is[k] != byte_of(k)) {
                expect(0, "what a block kept", room, bytes);
                break;
            }
        expect_sound(kma, &new, 1, "a block of another size");
        expect(clade_kma_realloc_wi(kma, new, 0) == CLADE_NIL, "of no bytes", room, bytes);
        const clade_ref cleared = clade_kma_calloc_wi(kma, bytes, 1);
        uchar *const at = clade_kma_ptr(kma, cleared);
        for (uint k = 0; k < bytes; k++)
            if (at[k] != 0) {
                expect(0, "a cleared byte", bytes, k);
                break;
            }
        memset(at, 0xcc, clade_kma_size_wi(kma, cleared));
        clade_kma_free_wi(kma, cleared);
        expect_sound(kma, NULL, 0, "given back");
    }
    for (uint i = 0; i < 40; i++) /* nothing behind the bytes is written */
        for (uint way = 0; way < 2; way++) {
            const clade_ref ref = clade_kma_malloc_wi(kma, 81 + i);
            const uint room = (uint)clade_kma_size_wi(kma, ref), bytes = 81 + i;
            memset(clade_kma_ptr(kma, ref), 0xcc, room);
            clade_kma_free_wi(kma, ref);
            const clade_ref again = clade_kma_calloc_wi(kma, way ? 1 : bytes, way ? bytes : 1);
            const uchar *at = clade_kma_ptr(kma, again);
            expect(again == ref && (bytes == room || at[bytes] == 0xcc) && at[bytes - 1u] == 0,
                   "the end of what is cleared", bytes, room);
            clade_kma_free_wi(kma, again);
        }
    expect(clade_kma_calloc_wi(kma, 1ul << 33, 1ul << 33) == CLADE_NIL, "bytes that wrap", 0, 0);
    expect(clade_kma_calloc_wi(kma, (1ul << 63) + 8u, 2) == CLADE_NIL, "bytes that wrap", 0, 1);
    expect(clade_kma_calloc_wi(kma, 5, 0) == CLADE_NIL, "no bytes", 0, 2);
    free((void *)kma);
}

/* Which refs lead into buffers of all sizes, the largest one among them; nil leads nowhere. */
static void reach_the_end(void)
{
    const ulong sizes[] = { 1ul << 17, 1ul << 32, (1ul << 36) - 65536ul, 1ul << 36 };
    for (uint i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        clade_kma_head head = { 0 };
        head.object.bytes_low = (uint)sizes[i];
        head.object.bytes_high = (uint)(sizes[i] >> 32);
        const ulong places = sizes[i] / 16u;
        expect(!cladei_kma_reaches(&head, CLADE_NIL), "nil", i, 0);
        expect(cladei_kma_reaches(&head, 1u), "the first place", i, 1);
        expect(cladei_kma_reaches(&head, (uint)(places - 1u)), "the last place but one", i, 0);
        if (places <= 0xffffffffu)
            expect(cladei_kma_reaches(&head, (uint)places), "the last place", i, (uint)places);
        if (places < 0xffffffffu)
            expect(!cladei_kma_reaches(&head, (uint)places + 1u), "beyond", i, (uint)places);
    }
}

/* Nil has no bytes. An alignment that there is none of is refused: by a count in the allocator, and
 * of an object of another shape nothing is changed but the first error. */
static void refuse(void)
{
    clade_kma_head *kma = make(SMALL, 2);
    const uint bytes = kma->pages * CLADE_KMA_PAGE_BYTES;
    expect(clade_kma_size_wi(kma, CLADE_NIL) == 0, "the bytes of nil", 0, 0);
    for (uint align = 0; align < 49u; align += 24u)
        expect(clade_kma_malloc_aligned_wi(kma, 100, align) == CLADE_NIL, "an odd alignment", align,
               0);
    expect(clade_load_relaxed(
               (clade_global_word)&cladei_kma_counters(kma, cladei_kma_me())->refused) == 3u,
           "refused", 3, 0);
    /* The first refusal since the host looked is noted, with its item. */
    for (uint round = 0; round < 2; round++) {
        kma->object.first_error = 0;
        kma->object.first_error_item = 77;
        shim_self.global_id = 5 + round;
        for (uint i = 0; i < 3; i++, shim_self.global_id++)
            expect(clade_kma_malloc_wi(kma, 1u << 30) == CLADE_NIL, "too large", round, i);
        expect(kma->object.first_error == (uint)CLADE_E_FULL, "the first refusal",
               kma->object.first_error, round);
        expect(kma->object.first_error_item == 5u + round, "its item", kma->object.first_error_item,
               round);
    }
    shim_self.global_id = 0;
    kma->object.shape = CLADE_KMA_OBJECT_SHAPE(1);
    kma->object.first_error = 0;
    char *before = malloc(bytes);
    memcpy(before, kma, bytes);
    expect(clade_kma_malloc_aligned_wi(kma, 100, 24u) == CLADE_NIL, "another shape", 0, 0);
    expect(kma->object.first_error == (uint)CLADE_E_ARG, "its error", kma->object.first_error, 0);
    memcpy((char *)kma + offsetof(clade_object_head, first_error),
           before + offsetof(clade_object_head, first_error), 8);
    expect(memcmp(before, kma, bytes) == 0, "an object of another shape was written", 0, 0);
    free(before);
    free(kma);
}

enum { ITEMS = 144, WIDE = 1024 + 40, WG_BYTES = 80 };

struct group_call {
    clade_kma_head *kma;
    uint refs[WIDE];
};

static void malloc_by_group(void *argument, void *local)
{
    struct group_call *call = argument;
    call->refs[get_local_id(0)] = clade_kma_malloc_wg(call->kma, WG_BYTES, local);
}

static void free_by_group(void *argument, void *local)
{
    struct group_call *call = argument;
    clade_kma_free_wg(call->kma, call->refs[get_local_id(0)], local);
}

/* A group of items: each 32 of them have a whole group of cells, in their order, from one
 * superblock, whether the slot has shown one before or not; the others ask for themselves. */
static void serve_groups(void)
{
    struct group_call call = { .kma = make(LARGE, 16) };
    const size_t bytes = 4u * CLADE_KMA_WG_WORDS(ITEMS);
    uint all[3 * ITEMS], n = 0;
    for (uint round = 0; round < 3; round++) {
        shim_launch(malloc_by_group, &call, 1, ITEMS, bytes);
        for (uint i = 0; i < ITEMS; i++) {
            all[n++] = call.refs[i];
            expect(call.refs[i] != CLADE_NIL, "a block for each item", round, i);
            expect(i >= ITEMS / 32u * 32u ||
                       call.refs[i] == call.refs[i & ~31u] + (i & 31u) * (WG_BYTES / 16u),
                   "a group of cells for 32 items", round, i);
        }
        expect_sound(call.kma, all, n, "blocks of groups");
    }
    for (uint round = 0; round < 3; round++) {
        memcpy(call.refs, all + round * ITEMS, ITEMS * sizeof *all);
        shim_launch(free_by_group, &call, 1, ITEMS, bytes);
    }
    expect_sound(call.kma, NULL, 0, "all given back by groups");
    free(call.kma);
}

/* Groups of items give back blocks of several superblocks, each group of cells in two parts: who
 * gives the last part back sees that the group is whole, and the last group's superblock goes. */
static void free_by_parts(void)
{
    struct group_call call = { .kma = make(SMALL, 2) };
    clade_kma_head *kma = call.kma;
    const uint n = fill(kma, WG_BYTES, FEW), before = superblock_pages(kma);
    uint freed = 0;
    for (uint part = 0; part < 2; part++)
        for (uint from = 0; from < n; from += ITEMS) {
            for (uint i = 0; i < ITEMS; i++) {
                const bool now = from + i < n && (from + i) % 2u == part;
                call.refs[i] = now ? refs[from + i] : CLADE_NIL;
                freed += now;
            }
            shim_launch(free_by_group, &call, 1, ITEMS, 4u * CLADE_KMA_WG_WORDS(ITEMS));
        }
    const uint after = superblock_pages(kma);
    expect(freed == n, "all are given back", freed, n);
    expect(after < before / 2u, "superblocks that nobody needs", after, before);
    expect_sound(kma, NULL, 0, "all given back in parts");
    free((void *)kma);
}

/* The same with groups of cells that were claimed as a whole, and are given back as a whole. What
 * slots and hints show stays. */
static void free_wholes(void)
{
    struct group_call call = { .kma = make(SMALL, 2) };
    clade_kma_head *kma = call.kma;
    const uint whole = ITEMS / 32u * 32u;
    uint n = 0, freed = 0;
    for (bool is_served = true; is_served && n + ITEMS <= FEW; n += is_served ? whole : 0u) {
        shim_launch(malloc_by_group, &call, 1, ITEMS, 4u * CLADE_KMA_WG_WORDS(ITEMS));
        for (uint i = whole; i < ITEMS; i++) /* those have no group of their own */
            if (call.refs[i] != CLADE_NIL)
                clade_kma_free_wi(kma, call.refs[i]);
        for (uint i = 0; i < whole; i++)
            is_served &= call.refs[i] != CLADE_NIL;
        memcpy(refs + n, call.refs, whole * sizeof *refs);
    }
    const uint before = superblock_pages(kma);
    for (; freed < n; freed += whole) {
        for (uint i = 0; i < ITEMS; i++)
            call.refs[i] = i < whole ? refs[freed + i] : CLADE_NIL;
        shim_launch(free_by_group, &call, 1, ITEMS, 4u * CLADE_KMA_WG_WORDS(ITEMS));
    }
    const uint after = superblock_pages(kma);
    expect(n > 0 && after < before, "superblocks that nobody needs, of wholes", after, before);
    free((void *)kma);
}

#if CLADE_CPU
/* More items than one claim serves: those behind the first 1024 ask for themselves. */
static void serve_a_wide_group(void)
{
    static struct group_call call;
    static uint all[WIDE];
    clade_kma_head *kma = call.kma = make(SMALL, 2);
    shim_launch(malloc_by_group, &call, 1, WIDE, 4u * CLADE_KMA_WG_WORDS(WIDE));
    memcpy(all, call.refs, sizeof all);
    for (uint i = 0; i < WIDE; i++)
        expect(all[i] != CLADE_NIL, "a block for each item", WIDE, i);
    expect_sound(kma, all, WIDE, "blocks of a wide group");
    shim_launch(free_by_group, &call, 1, WIDE, 4u * CLADE_KMA_WG_WORDS(WIDE));
    expect_sound(kma, NULL, 0, "a wide group gave back");
    free((void *)kma);
}
#endif

/* Blocks of pages, cells, nil and what is no block, given back by one group. */
static void free_all_kinds(void)
{
    struct group_call call = { .kma = make(SMALL, 2) };
    clade_kma_head *kma = call.kma;
    for (uint i = 0; i < ITEMS; i++)
        call.refs[i] = i % 4u == 0   ? clade_kma_malloc_wi(kma, 2u * CLADE_KMA_PAGE_BYTES)
                       : i % 4u == 1 ? CLADE_NIL
                       : i % 4u == 2 ? clade_kma_malloc_wi(kma, 48)
                                     : 1u + i % 3u; /* the head is nobody's */
    shim_launch(free_by_group, &call, 1, ITEMS, 4u * CLADE_KMA_WG_WORDS(ITEMS));
    expect(kma->bad_frees == ITEMS / 4u, "refs of no blocks", kma->bad_frees, ITEMS / 4u);
    expect_sound(kma, NULL, 0, "all kinds given back by a group");
    free(kma);
}

/* A sweep that sees the count of pieces wrap may have missed some: it must not say that it has seen
 * all. One that begins anew has. */
static void sweep_over_the_end(void)
{
    clade_kma_head *kma = make(SMALL, 2);
    const uint n = fill(kma, CLADE_KMA_PAGE_BYTES, SMALL);
    clade_store_relaxed((clade_global_word)&kma->swept, 0u);
    clade_store_relaxed((clade_global_word)&kma->sweep, 0xfffffffeu);
    cladei_kma_sweep(kma, 3u, cladei_kma_me());
    expect(!cladei_kma_is_swept(kma), "all seen, past 2^32", kma->sweep, 0);
    cladei_kma_sweep(kma, 3u, cladei_kma_me());
    expect(cladei_kma_is_swept(kma), "all seen", kma->sweep, n);
    expect_sound(kma, refs, n, "swept");
    free(kma);
}

/* Where nearly every page is free, those who look by other seeds hardly meet: each level of the
 * tree is chosen by itself. */
static void find_far_apart(void)
{
    enum { LOOKS = 4096 };
    clade_kma_head *kma = make(LARGE, 16);
    bool *found = calloc(LARGE, sizeof *found);
    uint places = 0;
    for (uint i = 0; i < LOOKS && found; i++) {
        const uint page = cladei_kma_find(kma, CLADEI_KMA_PAGE_TREE, 0u, cladei_kma_mix(i));
        expect(page < LARGE, "a free page is found", page, i);
        if (page >= LARGE)
            break;
        places += !found[page];
        found[page] = true;
    }
    expect(places > LOOKS / 4, "those who look meet at few pages", places, LOOKS);
    free(found);
    free((void *)kma);
}

/* Each superblock that lies ready is given up by itself: all of its words, and no other. Where a
 * cell of it is in use, nothing changes. */
static void give_up_one_by_one(void)
{
    clade_kma_head *kma = make(LARGE, 4);
    const size_t bytes = 4ul * host_kma_bookkeeping_words(kma);
    uint *const now = (uint *)(void *)kma, *expected = malloc(bytes);
    const uint tree = kma->tree_at + CLADE_KMA_PAGE_TREE(0) * kma->tree_words;
    for (uint nth = 0; nth < kma->ready && expected; nth += 1u + nth / 4u) {
        const cladei_kma_ready ready = cladei_kma_ready_nth(kma, nth);
        const uint pages = CLADE_KMA_INFO_PAGES(ready.info), sb = ready.sb;
        const uint groups = (CLADE_KMA_INFO_CELLS(ready.info) + 31u) / 32u;
        memcpy(expected, now, bytes);
        for (uint g = 0; g < groups; g += 1u + groups / 3u) {
            now[kma->cells_at + sb * 32u + g] |= 1u << g;
            expect(!cladei_kma_give_up(kma, ready, cladei_kma_me()), "a cell in use", nth, g);
            now[kma->cells_at + sb * 32u + g] &= ~(1u << g);
            expect(memcmp(expected, now, bytes) == 0, "what is kept has changed", nth, g);
        }
        expect(cladei_kma_give_up(kma, ready, cladei_kma_me()), "what lies ready", nth, sb);
        for (uint g = 0; g < groups; g++) {
            expected[kma->cells_at + sb * 32u + g] = ~0u;
            expected[kma->part_at + ready.part + g] = 0;
        }
        memset(expected + kma->info_at + sb, 0, 4ul * pages);
        expected[tree + sb / 32u] |= cladei_kma_run_mask(pages) << sb % 32u;
        for (uint level = 1, at = sb / 32u; level < kma->levels; level++, at /= 32u)
            expected[tree + kma->level_at[level] + at / 32u] |= 1u << at % 32u;
        memcpy(expected, now, sizeof *kma); /* its counts; a look at all of it follows */
        expect(memcmp(expected, now, bytes) == 0, "what was given up", nth, sb);
    }
    expect_sound(kma, NULL, 0, "some was given up");
    free(expected);
    free((void *)kma);
}

/* Who claims for a set meets it afterwards: once where a hint shows what is free, and once more
 * where it is claimed the long way, after the first meeting. Who frees for a set meets it before
 * and afterwards: a leader that went on alone would claim its next block alone. */
static void meet_after_claims(void)
{
    static const uint classes[] = { 0, 5, 17, 35 };
    clade_kma_head *kma = make(SMALL, 2);
    uint once = 0, again = 0;
    for (uint i = 0; i < 2 * sizeof classes / sizeof classes[0]; i++) {
        const clade_u64 bytes = (clade_u64)clade_kma_class_units(classes[i / 2]) * 16u;
        uint n = 0, before = meets;
        while (n < FEW && (refs[n] = clade_kma_malloc_wi(kma, bytes)) != CLADE_NIL) {
            const uint now = meets;
            expect(meets_owed == 0, "claimed behind the last meeting", classes[i / 2], n);
            once += now - before == 1u;
            again += now - before == 2u;
            before = now;
            n++;
        }
        for (uint k = 0; k < n; k++) /* every third block stays for the next round */
            if (i % 2 != 0 || k % 3u != 0) {
                const uint now = meets;
                clade_kma_free_wi(kma, refs[k]);
                expect(meets - now == 2u, "a free's set met before the leader's part and behind",
                       classes[i / 2], meets - now);
            }
    }
    expect(once > again && again > 0, "each way was gone", once, again);
    free((void *)kma);
}

/* Another one takes a page of the word that a run is claimed from, between the look at it and the
 * claim: the run is the first one that is left, and no page of it is the other's. */
static void claim_beside_another(void)
{
    enum { PAGES = 4 };
    clade_kma_head *kma = make(LARGE, 16);
    uint index = 0;
    while (index < LARGE / 32u &&
           clade_load_relaxed(cladei_kma_node(kma, CLADEI_KMA_PAGE_TREE, 0u, index)) != ~0u)
        index++;
    expect(index < LARGE / 32u, "no word has all its pages: this test sees nothing", index, 0);
    for (uint other = 0; other < 32 && index < LARGE / 32u; other++) {
        const uint first = other < PAGES ? other + 1u : 0u;
        comes.at = cladei_kma_node(kma, CLADEI_KMA_PAGE_TREE, 0u, index);
        comes.pages = 1u << other;
        const uint got = cladei_kma_claim_run(kma, index, PAGES, PAGES);
        expect(!comes.at, "nobody came: this test sees nothing", other, 0);
        expect(got == ((index * 32u + first) | (PAGES - 1u) << 22), "a run beside another's page",
               other, got);
        if (got != CLADEI_KMA_NONE)
            cladei_kma_return_run(kma, index, cladei_kma_run_mask(PAGES) << first);
        cladei_kma_return_run(kma, index, 1u << other);
        expect_sound(kma, NULL, 0, "runs given back");
    }
    comes.at = NULL;
    free((void *)kma);
}

int main(void)
{
    claim_beside_another();
    meet_after_claims();
#ifndef __SANITIZE_THREAD__ /* one item's: there is no race to be seen */
    give_up_one_by_one();
    change_sizes();
    trees_of_bits(make(LARGE, 16));
    choose_sizes(make(LARGE, 16));
    choose_sizes(make(SMALL, 2));
    make_superblocks(make(LARGE, 16));
    claim_in_vain(0, 1);
    claim_in_vain(2, 32);
    claim_at_last(make(SMALL, 2), 0, 1);
    claim_at_last(make(SMALL, 2), 3, 3);
    claim_at_last(make(SMALL, 2), 0, 32);
    give_up_in_vain(make(LARGE, 4));
    superblocks_end(make(LARGE, 4));
    one_class_has_cells();
#endif
    find_far_apart();
    sweep_over_the_end();
    serve_groups();
    free_by_parts();
    free_wholes();
#if CLADE_CPU
    serve_a_wide_group();
#endif
    free_all_kinds();
    measure_no_blocks();
    reach_the_end();
    refuse();
    take_all_pages(LARGE, 16, 0);
    take_all_pages(LARGE, 16, 1);
    take_all_pages(SMALL, 2, 0);
    sweep_own_hints();
    sweep_before_pages();
    find_the_last_pages();
    give_superblocks_back(2);
    give_superblocks_back(16);
    printf("allocator: %u wrong\n", wrong);
    return wrong != 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* The allocator asked by a whole group of items, on lanes. A group claims for all of its items, so
 * a model knows each word of the bookkeeping afterwards: groups of cells that a slot's superblock
 * has left, and a new superblock behind them; a slot that shows another class; nothing left, but
 * cells of larger classes, or parts of groups. What a group gives back leaves each word as it was
 * before. */
#include "host/device.h"

#include "kma/host_kma.h"

#undef __kernel
#define __kernel static
/* The kernels are named as the host's functions, which are linked too. */
#define clade_kma_malloc kernel_malloc
#define clade_kma_free   kernel_free
#include "kernels/kma.cl"

#include "kma/host_kma_start.h"
#undef min
#undef max

#include "edges/edge.h"

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

static void open_heap(uint pages)
{
    kma = host_kma_new_as_on_gpus(pages, 2);
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

/* The slot shows another superblock: one that was in the class's tree, or a new one. */
static void model_shown(uint class_, uint sb)
{
    const uint slot = slot_of(class_);
    if (expected[kma->info_at + sb] != 0)
        model_tree(class_, sb / 32u, 1u << sb % 32u, false);
    else
        model_new(class_, sb);
    expected[kma->home_at + sb] = slot - kma->slot_at + 1u;
    expected[slot] = sb + 1u;
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

/* --- what a group is given ------------------------------------------------------------------- */

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

#if CLADE_SUBGROUP_SIZE == 32
/* While a heap is new, the pages of a class's slots lie side by side, one slot's behind another's;
 * and those of two classes apart. */
static void first_superblocks(uint class_)
{
    const uint pages = CLADE_KMA_SHAPE_PAGES(kma->shape[class_]), each = 32u / pages;
    const uint slots = CLADE_KMA_SHAPE_SLOTS(kma->shape[class_]);
    uint first = 0;
    for (uint place = 0; place < slots; place += 8) {
        note();
        shim_self.group_id = place / 8u;
        const cladei_kma_won won = cladei_kma_claim_first(
            kma, class_, cladei_kma_place_of(cladei_kma_me()), cladei_kma_me());
        shim_self.group_id = 0;
        const uint sb = won.group / 32u, at = sb / 32u * each + sb % 32u / pages;
        first = place ? first : at;
        expect(won.mask == ~0u && won.group % 32u == 0, "a first group", class_, place);
        expect(at - first == place && sb % 32u % pages == 0, "side by side", at - first, place);
        for (uint i = 0; i < 32u; i++)
            live[lives++] = sb * CLADE_KMA_PAGE_UNITS + i * clade_kma_class_units(class_) + 1u;
        expect(word_of(slot_of(class_) + place) == sb + 1u, "the slot", class_, place);
        expect(word_of(kma->home_at + sb) == slot_of(class_) - kma->slot_at + place + 1u, "home",
               class_, place);
    }
    expect_sound("first superblocks");
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

/* A block of pages takes most of the heap, and groups of the class the rest. */
static void fill(uint class_)
{
    live[lives++] =
        clade_kma_malloc_wi(kma, (SMALL - kma->first_page - 8ul) * CLADE_KMA_PAGE_BYTES);
    for (bool is_left = true; is_left;) {
        malloc_by_groups(1, ITEMS, 16ul * clade_kma_class_units(class_));
        now_live(call.refs, ITEMS);
        is_left = call.refs[0] != CLADE_NIL;
    }
    expect(host_kma_room((void *)kma, 0) == 0, "room in a full heap", class_, lives);
    expect_sound("a full heap");
}

static uint refused(void)
{
    uint sum = 0;
    for (uint i = 0; i < CLADE_KMA_COUNTERS; i++)
        sum += clade_load_relaxed((clade_global_word)&kma->counters[i].refused);
    return sum;
}

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

/* In a full heap `many` groups of a class are free, or parts of them; a group of all items asks for
 * blocks of a class that is not larger. All that is free is given, and the others are refused. */
static void serve_the_last(uint class_, uint asked, uint many, uint cells)
{
    const uint bytes = 16u * clade_kma_class_units(asked);
    uint given = 0;
    open_heap(SMALL);
    fill(class_);
    for (uint i = 0; i < many; i++)
        free_some(1u + draw(lives - 1u), cells, class_);
    const uint room = (uint)host_kma_room((void *)kma, 0), before = refused();
    expect(room > 0 && room < ITEMS, "what is free", many, room);
    kma->object.first_error = 0;
    malloc_by_groups(1, ITEMS, bytes);
    for (uint i = 0; i < ITEMS; i++) {
        given += call.refs[i] != CLADE_NIL;
        if (call.refs[i] != CLADE_NIL)
            expect(clade_kma_size_wi(kma, call.refs[i]) == 16u * clade_kma_class_units(class_),
                   "the bytes of a block", i, bytes);
    }
    now_live(call.refs, ITEMS);
    for (uint k = 0; k < many && cells == ~0u && room == 32u * many; k++)
        (void)whole_group(class_, k);
    expect(given == room, "what was free is given", given, room);
    expect(refused() - before == ITEMS - given, "who is refused", refused() - before,
           ITEMS - given);
    expect(kma->object.first_error == (uint)CLADE_E_FULL, "that is told", kma->object.first_error,
           0);
    expect(host_kma_room((void *)kma, 0) == 0, "room", many, given);
    expect_sound("the last groups");
    close_heap();
}

/* No bytes, blocks of pages, and an object of another shape: no group of cells is claimed. */
static void claim_nothing(void)
{
    open_heap(SMALL);
    note();
    malloc_by_groups(1, 96, 0);
    for (uint i = 0; i < 96; i++)
        expect(call.refs[i] == CLADE_NIL, "a block of no bytes", i, call.refs[i]);
    expect_words("no bytes");
    malloc_by_groups(1, 96, CLADE_KMA_CELL_BYTES + 1ul);
    now_live(call.refs, 96);
    for (uint i = 0; i < 96; i++)
        expect(clade_kma_size_wi(kma, call.refs[i]) == 2u * CLADE_KMA_PAGE_BYTES, "pages", i, 0);
    expect_sound("blocks of pages");
    free_by_groups(1, 96);
    lives = 0;
    expect_sound("blocks of pages were given back");
    kma->object.shape = CLADE_KMA_OBJECT_SHAPE(1);
    kma->object.first_error = 0;
    note();
    ((clade_kma_head *)expected)->object.first_error = (uint)CLADE_E_ARG;
    malloc_by_groups(1, 96, 16);
    for (uint i = 0; i < 96; i++)
        expect(call.refs[i] == CLADE_NIL, "a block of another shape", i, call.refs[i]);
    ((clade_kma_head *)expected)->object.first_error_item = kma->object.first_error_item;
    expect_words("another shape");
    call.refs[5] = 123456;
    free_by_groups(1, 96);
    expect_words("a free of another shape");
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

/* The first claim of a slot: not where it shows something already; not where a page at its place is
 * taken, and then all is as it was; and where it takes a word's last pages, the tree says so. */
static void refuse_first(uint class_)
{
    const uint me = 0; /* the first place */
    open_heap(LARGE);
    const uint pages = CLADE_KMA_SHAPE_PAGES(kma->shape[class_]), run = (1u << pages) - 1u;
    cladei_kma_won won = cladei_kma_claim_first(kma, class_, me, cladei_kma_me());
    const uint sb = won.group / 32u;
    note();
    won = cladei_kma_claim_first(kma, class_, me, cladei_kma_me());
    expect(won.mask == 0, "a slot that shows something", class_, won.mask);
    expect_words("a slot that shows something");
    close_heap();
    open_heap(LARGE);
    uint *tree = (uint *)kma + kma->tree_at + CLADE_KMA_PAGE_TREE(0) * kma->tree_words + sb / 32u;
    for (uint how = 0; how < 3; how++) { /* of the run a page is taken; all of it; all beside it */
        *tree = ~(how == 0 ? 1u << sb % 32u : how == 1 ? run << sb % 32u : ~(run << sb % 32u));
        note();
        won = cladei_kma_claim_first(kma, class_, me, cladei_kma_me());
        expect(won.mask == (how == 2 ? ~0u : 0u), "taken pages", how, won.mask);
        if (how == 2) {
            model_shown(class_, sb);
            expected[kma->whole_at + sb] &= ~1u;
        }
        expect_words("a first claim where pages are taken");
    }
    close_heap();
}
#endif

/* --- what an item is given, where no hint shows it ----------------------------------------------
 */

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

/* Blocks of all kinds that are given back twice: each of them is counted, and nothing changes. */
static void give_back_twice(void)
{
    uint refs[64];
    open_heap(SMALL);
    (void)serve(3, 2, 0);
    memcpy(refs, call.refs, sizeof refs);
    free_by_groups(1, 64);
    lives = 0;
    note();
    memcpy(call.refs, refs, sizeof refs);
    free_by_groups(1, 64); /* whole groups that are nobody's */
    ((clade_kma_head *)expected)->bad_frees += 64;
    expect_words("groups that were given back twice");
    memset(call.refs, 0, sizeof refs);
    call.refs[3] = refs[7], call.refs[40] = refs[8], call.refs[41] = refs[50];
    free_by_groups(1, 64); /* some of them */
    ((clade_kma_head *)expected)->bad_frees += 3;
    expect_words("cells of groups that are nobody's");
    const uint block = clade_kma_malloc_wi(kma, 3ul * CLADE_KMA_PAGE_BYTES);
    clade_kma_free_wi(kma, block);
    note();
    clade_kma_free_wi(kma, block);
    ((clade_kma_head *)expected)->bad_frees++;
    expect_words("a block of pages that was given back twice");
    expect_sound("after blocks were given back twice");
    close_heap();
}

static struct {
    ulong *sizes;
    uint *refs, fixed, count;
} host_call;

static void kernel_of_mallocs(void *argument, void *local)
{
    (void)argument, (void)local;
    kernel_malloc(kma, host_call.sizes, 2, 100, host_call.fixed, host_call.refs, 3,
                  host_call.count);
}

static void kernel_of_frees(void *argument, void *local)
{
    (void)argument, (void)local;
    kernel_free(kma, host_call.refs, 3, host_call.count);
}

/* What the host's calls launch: more items than blocks, and arrays of just the size that is used.
 */
static void calls_of_hosts(void)
{
    enum { COUNT = 53 };
    open_heap(SMALL);
    for (host_call.fixed = 0; host_call.fixed < 2; host_call.fixed++) {
        host_call.count = COUNT;
        host_call.sizes = malloc(8ul * (COUNT + 2));
        host_call.refs = malloc(4ul * (COUNT + 3));
        for (uint i = 0; i < COUNT + 2; i++)
            host_call.sizes[i] = i * i * 20u;
        shim_launch(kernel_of_mallocs, NULL, 2, 32, 0);
        now_live(host_call.refs + 3, COUNT);
        for (uint i = 0; i < COUNT; i++) {
            const ulong bytes = host_call.fixed ? 100 : host_call.sizes[i + 2];
            const ulong got = clade_kma_size_wi(kma, host_call.refs[i + 3]);
            expect(got >= bytes &&
                       (got <= bytes + bytes / 3u + 16u || got <= bytes + CLADE_KMA_PAGE_BYTES),
                   "the bytes of a block", (uint)bytes, (uint)got);
        }
        expect_sound("blocks for a host");
        shim_launch(kernel_of_frees, NULL, 2, 32, 0);
        lives = 0;
        expect_sound("a host's blocks were given back");
        expect(kma->bad_frees == 0, "bad frees", kma->bad_frees, 0);
        free(host_call.sizes);
        free(host_call.refs);
    }
    close_heap();
}

/* Cells above 2 KiB, of which no slot shows anything, so that each 32 items take what one run of
 * pages has room for; and the items behind the last 32 ask for themselves. */
static void cells_without_slots(void)
{
    const uint sizes[] = { 2048u + 512u, 4096u, 80u };
    open_heap(SMALL);
    malloc_by_groups(1, 32, 4096);
    now_live(call.refs, 32);
    const uint made = whole_group(27, 0) / 32u;
    expect(CLADE_KMA_INFO_PAGES(word_of(kma->info_at + made)) == 8, "pages for 32 cells", made, 8);
    for (uint i = 0; i < 3; i++) {
        malloc_by_groups(1, 96 + 7, sizes[i]);
        now_live(call.refs, 96 + 7);
        for (uint k = 0; k < 96 + 7; k++)
            expect(clade_kma_size_wi(kma, call.refs[k]) == sizes[i], "bytes", k, sizes[i]);
        expect_sound("large cells");
        free_by_groups(1, 96 + 7);
        lives -= 96 + 7;
        expect_sound("large cells were given back");
    }
    close_heap();
}

/* Blocks of one group's items, given back in another order, some of them twice, and not all at
 * once: each cell's bit, and how many were no blocks. */
static void give_back_in_parts(void)
{
    const uint units = 4, class_ = 3;
    open_heap(SMALL);
    for (uint round = 0; round < 12; round++) {
        uint order[ITEMS], refs[ITEMS], twice = 0;
        const uint bad = kma->bad_frees;
        malloc_by_groups(1, ITEMS, 16ul * units);
        memcpy(refs, call.refs, sizeof refs);
        uint groups[GROUPS];
        for (uint k = 0; k < GROUPS; k++)
            groups[k] = whole_group(class_, k);
        shuffle(order, ITEMS);
        for (uint part = 0; part < 2; part++) {
            memset(call.refs, 0, sizeof call.refs);
            for (uint i = 0; i < ITEMS; i++)
                if ((i % 3u == 0) == part)
                    call.refs[round % 2u ? i : ITEMS - 1u - i] = refs[round % 4u ? order[i] : i];
            for (uint i = 1; i < ITEMS && part == 0; i += 29u) /* in the place of none */
                if (call.refs[i] == CLADE_NIL && call.refs[i - 1u] != CLADE_NIL && i % 32u) {
                    call.refs[i] = call.refs[i - 1u];
                    twice++;
                }
            free_by_groups(1, ITEMS);
            expect(kma->bad_frees == bad + twice, "blocks that were freed twice", kma->bad_frees,
                   bad + twice);
            lives = 0;
            for (uint i = 0; i < ITEMS && part == 0; i++)
                if (i % 3u == 0)
                    live[lives++] = refs[round % 4u ? order[i] : i];
            for (uint k = 0; k < GROUPS && part == 0; k++) {
                uint taken = 0;
                for (uint i = 0; i < lives; i++)
                    for (uint c = 0; c < 32u; c++)
                        if (refs[32u * k + c] == live[i])
                            taken |= 1u << c;
                const bool is_whole =
                    word_of(kma->whole_at + groups[k] / 32u) >> groups[k] % 32u & 1u;
                expect(taken == 0 ? is_whole
                                  : !is_whole && word_of(kma->cells_at + groups[k]) == taken,
                       "a group's cells", k, taken);
            }
            expect_sound("given back in parts");
        }
    }
    close_heap();
}

/* Groups of less than 32 items, and of some more than 32s: who is in no full 32 asks for itself. */
static void small_groups(void)
{
    static const uint sizes[] = { 1, 2, 31, 33, 63, 65, 127 };
    open_heap(SMALL);
    for (uint i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        const uint items = sizes[i];
        malloc_by_groups(1, items, 64);
        now_live(call.refs, items);
        for (uint k = 0; k < items; k++)
            expect(clade_kma_size_wi(kma, call.refs[k]) == 64, "a block", items, k);
        for (uint k = 0; k < items / 32u; k++)
            (void)whole_group(3, k);
        expect_sound("a small group's blocks");
        if (i % 2u == 0) {
            free_by_groups(1, items);
            lives -= items;
            expect_sound("a small group gave back");
        }
    }
    close_heap();
}

/* Two groups at once. */
static void two_groups(void)
{
    open_heap(SMALL);
    for (uint round = 0; round < 8; round++) {
        const uint items = 96 + draw(ITEMS / 2 - 95), bytes = 1u + draw(700);
        malloc_by_groups(2, items, bytes);
        now_live(call.refs, 2 * items);
        for (uint i = 0; i < 2 * items; i++)
            expect(call.refs[i] != CLADE_NIL, "a block for each item", round, i);
        expect_sound("blocks of two groups");
        if (draw(2)) {
            free_by_groups(2, items);
            lives -= 2 * items;
            expect_sound("two groups gave back");
        }
    }
    close_heap();
}

int main(void)
{
    random_state = shim_seed();
    open_heap(SMALL);
    take_from_slot(0, 20);
    take_from_slot(3, 16);
#if CLADE_SUBGROUP_SIZE == 32
    serve_sub_groups(0, 30);
    serve_sub_groups(3, 40);
#endif
    close_heap();
    open_heap(LARGE);
#if CLADE_SUBGROUP_SIZE == 32
    first_superblocks(0); /* while the heap is new */
    first_superblocks(6);
    first_superblocks(12);
    serve_sub_groups(11, 12);
#endif
    take_from_slot(7, 6);
    close_heap();
#if CLADE_SUBGROUP_SIZE == 32 && !defined(__SANITIZE_THREAD__) /* one item's */
    refuse_first(1);
#endif
    give_back_twice();
    calls_of_hosts();
    for (uint how = 0; how < 3; how++) {
        stale_slot(0, 3, how);
        stale_slot(5, 1, how);
    }
    serve_the_last(0, 0, 2, ~0u);
    serve_the_last(3, 3, 5, ~0u);
    serve_the_last(3, 0, 3, ~0u);
    serve_the_last(3, 3, 4, 0x0ff05aa5u);
    for (uint taken = 0; taken < 2; taken++) {
        claim_parts(0, taken);
        claim_parts(3, taken);
        claim_parts(7, taken);
    }
    claim_nothing();
    cells_without_slots();
    give_back_in_parts();
    small_groups();
    two_groups();
    free(expected);
    printf("the allocator by groups: %u wrong\n", wrong);
    return wrong != 0;
}

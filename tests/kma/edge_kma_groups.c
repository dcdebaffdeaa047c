/* SPDX-License-Identifier: Apache-2.0 */
/* The allocator asked by a whole group of items, on lanes. A group claims for all of its items, so
 * a model knows each word of the bookkeeping afterwards: groups of cells that a slot's superblock
 * has left, and a new superblock behind them; a slot that shows another class; nothing left, but
 * cells of larger classes, or parts of groups. What a group gives back leaves each word as it was
 * before. */
#include "kma/groups_claims.h"
#include "kma/groups_parts.h"
#include "kma/groups_returns.h"

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
    first_superblocks(23);
    serve_sub_groups(11, 12);
#endif
    take_from_slot(7, 6);
    close_heap();
#if CLADE_SUBGROUP_SIZE == 32 && !defined(__SANITIZE_THREAD__) /* one item's */
    first_superblocks_of_many();
    refuse_first(1);
    refuse_first(2);
    refuse_first_where_pages_are_few();
#endif
    claim_at_slot(0, 1);
    claim_at_slot(3, 6);
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
    claim_own_hints(0);
    claim_own_hints(31);
    claim_nothing();
    cells_without_slots();
    give_back_in_parts();
    small_groups();
    two_groups();
    free(expected);
    printf("the allocator by groups: %u wrong\n", wrong);
    return wrong != 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* kma.clh: small allocators, from empty to nearly full. A block is written plainly by who has it, so
 * that two owners at once, or one after the other without order, are a race. After each execution
 * the library's check goes over the bookkeeping, and what is free can be had. */
#include "relacy/device.h"

#include "kma/host_kma.h"

#undef __kernel
#define __kernel static
#define clade_kma_malloc kernel_malloc
#define clade_kma_free   kernel_free
#include "kernels/kma.cl"

enum { PAGES = 8, THREADS = 3, HELD = 2, MOST = 64, BLOCK = 512 };

static __global clade_kma_head *kma;
static uint held[THREADS][HELD], live[THREADS * HELD + MOST];
static uint before[MOST], before_count; /* blocks that others have */

static void init(void)
{
    kma = host_kma_new(PAGES, 2, 0);
    host_kma_clear((void *)kma);
}

void weak_setup(void)
{
    init();
    weak_share((void *)kma, PAGES * CLADE_KMA_PAGE_BYTES, "kma");
}

static void begin(void)
{
    before_count = 0;
    for (uint i = 0; i < THREADS * HELD; i++)
        held[i / HELD][i % HELD] = CLADE_NIL;
}

static uint take(uint bytes)
{
    const uint ref = clade_kma_malloc_wi(kma, bytes);
    if (ref != CLADE_NIL)
        *(uint *)clade_kma_ptr(kma, ref) = weak_thread();
    return ref;
}

static void give(uint ref)
{
    if (ref == CLADE_NIL)
        return;
    uint *word = clade_kma_ptr(kma, ref);
    WEAK_CHECK(*word == weak_thread());
    *word = 99;
    clade_kma_free_wi(kma, ref);
}

/* All but one cell of the only superblock of blocks' size are taken; all pages, too. */
static void begin_tight(void)
{
    begin();
    for (uint bytes = PAGES * CLADE_KMA_PAGE_BYTES; bytes >= BLOCK; bytes /= 2)
        for (uint ref; before_count < MOST && (ref = clade_kma_malloc_wi(kma, bytes)) != CLADE_NIL;)
            before[before_count++] = ref;
    clade_kma_free_wi(kma, before[--before_count]);
}

static const char *end(void)
{
    uint n = 0;
    for (uint i = 0; i < THREADS * HELD; i++)
        if (held[i / HELD][i % HELD] != CLADE_NIL)
            live[n++] = held[i / HELD][i % HELD];
    for (uint i = 0; i < before_count; i++)
        live[n++] = before[i];
    if (host_kma_bad_frees((void *)kma) != 0)
        return "a free of a live block was refused";
    return host_kma_verify((void *)kma, live, n);
}

/* Besides, one block more can be had, wherever it is asked from. */
static const char *end_with_room(void)
{
    const char *why = end();
    for (weak_pose = 0; weak_pose < 4 && !why; weak_pose++) {
        const uint ref = clade_kma_malloc_wi(kma, BLOCK);
        if (ref == CLADE_NIL)
            why = "refused at rest, although there is room";
        clade_kma_free_wi(kma, ref);
    }
    weak_pose = 0;
    return why;
}

/* The same, if the cell was had: then its superblock has more of them. */
static const char *end_beside_pages(void)
{
    return held[0][0] != CLADE_NIL ? end_with_room() : end();
}

static void take_two(uint me)
{
    held[me][0] = take(BLOCK);
    held[me][1] = take(BLOCK);
    WEAK_CHECK(held[me][0] != CLADE_NIL && held[me][1] != CLADE_NIL);
}

static void take_and_give(uint me)
{
    give(take(BLOCK));
    give(take(BLOCK));
    (void)me;
}

static void take_and_keep(uint me)
{
    give(take(BLOCK));
    held[me][0] = take(BLOCK);
}

/* One wants a cell, one all pages, until it is refused. */
static void cell_and_pages(uint me)
{
    if (me == 0) {
        held[0][0] = take(BLOCK);
    } else {
        for (uint bytes = PAGES * CLADE_KMA_PAGE_BYTES; bytes >= CLADE_KMA_PAGE_BYTES; bytes /= 2)
            for (uint ref; before_count < MOST && (ref = take(bytes)) != CLADE_NIL;)
                before[before_count++] = ref;
    }
}

/* Two sizes change the use of the same pages. */
static void two_sizes(uint me)
{
    give(take(me ? BLOCK : CLADE_KMA_PAGE_BYTES * 4));
    give(take(me ? CLADE_KMA_PAGE_BYTES * 4 : BLOCK));
}

static const char *end_all_free(void)
{
    const char *why = end_with_room();
    if (!why && clade_kma_malloc_wi(kma, CLADE_KMA_PAGE_BYTES * 2) == CLADE_NIL)
        why = "pages are refused at rest, although all are free";
    return why;
}

const weak_world weak_worlds[] = {
    { "kma: two take two blocks each", 2, begin, take_two, end_with_room, 2000, 1 },
    { "kma: two take and give, twice", 2, begin, take_and_give, end_all_free, 2000, 1 },
    { "kma: three take and give, twice", 3, begin, take_and_give, end_all_free, 2000, 0 },
    { "kma: one cell is left, two take it and give it", 2, begin_tight, take_and_give, end_with_room,
      12000, 0 },
    { "kma: one cell is left, two take it and keep it", 2, begin_tight, take_and_keep, end, 4000, 0 },
    { "kma: two sizes of the same pages", 2, begin, two_sizes, end_all_free, 2000, 0 },
    { "kma: a cell beside all pages", 2, begin, cell_and_pages, end_beside_pages, 6000, 0 },
    { 0 },
};

const weak_needed weak_needed_orders[] = {
    { "cladei_kma_claim_fast", "or_acquire" },
    { "cladei_kma_move_pages", "and_acquire" },
    { "cladei_kma_free_cells", "and_release" },
    { "cladei_kma_return_run", "or_release" },
    { "cladei_kma_raise", "or_release" },
    { "cladei_kma_settle", "fence_seq_cst" },
    { "cladei_kma_show", "exchange_release" },
    { 0 },
};

/* SPDX-License-Identifier: Apache-2.0 */
/* kma.clh on host threads, in a heap as a GPU has it: so large that places have hints of their own
 * beside those that they share. Several threads are at one place, and places that share a part hint
 * have own hints that differ, so threads fill own hints and claim from them at once. They hold so
 * many blocks of few sizes that the group of the shared hint has no free cell. In some turns
 * another thread takes all pages and gives them back, again and again. Then hints are swept while
 * the others fill them.
 *
 * Each block is written and read by plain accesses: two owners without an order between them are a
 * race that ThreadSanitizer reports. After each turn the library's own check goes over the
 * bookkeeping, and own hints must be in use. At the end all is given back, and every page must be
 * had again.
 *
 *   host_kma_own [WORLDS]      CLADE_TEST_SEED as in the other tests */
#include "host/device.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kma/host_kma.h"

#undef __kernel
#define __kernel static
#include "kma/kma_test.cl"
/* The kernels are named as the host's functions, which are linked too. */
#define clade_kma_malloc kernel_malloc
#define clade_kma_free   kernel_free
#include "kernels/kma.cl"

#include "kma/host_kma_start.h"

enum {
    UNITS = 128, /* more part hints than a class of large cells shows: the rest are own hints */
    PAGES = CLADE_KMA_SMALL_WORDS * 32,
    PLACES = 3,
    CHURNERS = 9,
    HELD = 64,
    SIZES = 3,
    TURNS = 3,
    STEPS = 2000,
    RUN = 256, /* pages of a block that the taker of pages asks for */
    RUNS = PAGES / RUN,
    MARKED = 32 /* bytes of a block that are written */
};

/* Three threads each are at one place. The first two places share the part hints of all sizes, and
 * have own hints of small cells that differ; the third shares the part hints of large cells, and
 * has own hints of large cells that differ. */
static const struct {
    uint unit, warp;
} places[PLACES] = { { 17, 0 }, { 17, 16 }, { 33, 0 } };

struct world {
    __global clade_kma_head *kma;
    uint refs[CHURNERS][HELD], bytes[CHURNERS][HELD];
    uint sizes[SIZES], seed, taken;
    bool take; /* pages, meanwhile */
    clade_atomic_u32 wrong, refused;
};

/* --- what threads do -------------------------------------------------------------------------- */

static void stand_at_place(uint item)
{
    const uint at = item / (CHURNERS / PLACES) % PLACES;
    shim_self.group_id = places[at].unit;
    shim_self.local_id = places[at].warp * 8;
}

static void take_block(struct world *world, uint item, uint at, uint bytes)
{
    const uint ref = clade_kma_malloc_wi(world->kma, bytes);
    world->refs[item][at] = ref;
    world->bytes[item][at] = min(bytes, (uint)MARKED);
    if (ref != CLADE_NIL)
        mark(world->kma, ref, item * HELD + at, world->bytes[item][at]);
    else
        clade_add_relaxed(&world->refused, 1u);
}

static void give_block(struct world *world, uint item, uint at)
{
    const uint ref = world->refs[item][at];
    if (ref == CLADE_NIL)
        return;
    if (marked(world->kma, ref, item * HELD + at, world->bytes[item][at]) != 0)
        clade_add_relaxed(&world->wrong, 1u);
    clade_kma_free_wi(world->kma, ref);
    world->refs[item][at] = CLADE_NIL;
}

/* More is taken than given back: three in four of those that an item may hold are live. */
static void churn(struct world *world, uint item)
{
    for (uint step = 0; step < STEPS; step++) {
        const uint random = cladei_kma_mix(world->seed + item * 977u + step * 131071u);
        const uint at = (random >> 8) % HELD;
        if (world->refs[item][at] == CLADE_NIL)
            take_block(world, item, at, world->sizes[(random >> 4) % SIZES]);
        else if (random % 3 == 0)
            give_block(world, item, at);
    }
}

static void take_pages(struct world *world)
{
    static uint runs[RUNS];
    uint count = 0;
    while (count < RUNS &&
           (runs[count] = clade_kma_malloc_wi(world->kma, (clade_u64)RUN * CLADE_KMA_PAGE_BYTES)))
        count++;
    world->taken += count;
    while (count > 0)
        clade_kma_free_wi(world->kma, runs[--count]);
}

static void run_turn(void *argument, void *local)
{
    struct world *world = argument;
    const uint item = (uint)get_global_id(0);
    const struct shim_item self = shim_self;
    (void)local;
    stand_at_place(item);
    if (item < CHURNERS)
        churn(world, item);
    else if (world->take)
        for (uint i = 0; i < 2; i++)
            take_pages(world);
    shim_self = self;
}

static void run_give_all(void *argument, void *local)
{
    struct world *world = argument;
    const struct shim_item self = shim_self;
    (void)local;
    const uint item = (uint)get_global_id(0);
    stand_at_place(item + 1); /* some elsewhere */
    for (uint i = 0; i < HELD; i++)
        give_block(world, item, i);
    shim_self = self;
}

/* --- what is looked at, at rest --------------------------------------------------------------- */

static uint shown(clade_kma_head *kma, uint from, uint to)
{
    uint count = 0;
    for (uint i = from; i < to; i++)
        count += clade_load_relaxed(cladei_kma_word(kma, i)) != 0u;
    return count;
}

/* How many own hints of this size show a group. Those of large cells are behind the shared ones. */
static uint own_hints_shown(clade_kma_head *kma, uint bytes)
{
    const uint class_ = cladei_kma_class((bytes + 15u) / 16u), shape = kma->shape[class_];
    if ((shape & CLADE_KMA_SHAPE_HAS_OWN) == 0u)
        return 0;
    if (class_ < CLADE_KMA_OWN_SMALL)
        return shown(kma, kma->own_at + (class_ << kma->own_bits),
                     kma->own_at + ((class_ + 1u) << kma->own_bits));
    return shown(kma, kma->part_at + (class_ << kma->part_bits) + CLADE_KMA_SHAPE_PARTS(shape),
                 kma->part_at + ((class_ + 1u) << kma->part_bits));
}

static const char *verify(struct world *world)
{
    static uint live[CHURNERS * HELD];
    uint there = 0;
    for (uint i = 0; i < CHURNERS * HELD; i++)
        if (world->refs[i / HELD][i % HELD] != CLADE_NIL)
            live[there++] = world->refs[i / HELD][i % HELD];
    return host_kma_verify((void *)world->kma, live, there);
}

static const char *judge_turn(struct world *world)
{
    static char why[100];
    for (uint i = 0; i < SIZES && !world->take; i++)
        if (own_hints_shown(world->kma, world->sizes[i]) == 0) {
            snprintf(why, sizeof why, "no own hint of %u bytes is in use", world->sizes[i]);
            return why;
        }
    if (world->wrong)
        return "a block was written by another";
    if (world->refused && !world->take)
        return "there is room for all, and memory was refused";
    if (host_kma_bad_frees((void *)world->kma) != 0)
        return "a free of a live block was refused";
    return verify(world);
}

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

/* Nothing is live: runs of pages can be had until there are none, and by then no hint keeps a
 * superblock. */
static const char *judge_end(struct world *world)
{
    const char *why = verify(world);
    if (why)
        return why;
    while (clade_kma_malloc_wi(world->kma, (clade_u64)RUN * CLADE_KMA_PAGE_BYTES) != CLADE_NIL)
        ;
    if (host_kma_room_of_pages((void *)world->kma, RUN) != 0)
        return "pages that are free were refused";
    return superblock_pages(world->kma) != 0
               ? "memory was refused, and hints keep empty superblocks"
               : NULL;
}

/* --- worlds ----------------------------------------------------------------------------------- */

static int run_world(uint seed)
{
    static const uint sizes[TURNS][SIZES] = { { 16, 64, 640 },
                                              { 48, 1024, 2560 },
                                              { 32, 640, 8192 } };
    static struct world world;
    const char *why = NULL;
    world = (struct world) { .kma = host_kma_new_as_on_gpus(PAGES, UNITS) };
    if (!world.kma)
        return 1;
    shim_launch(run_start, world.kma, 1, 1, 0);
    why = verify(&world);
    for (uint turn = 0; turn < TURNS && !why; turn++) {
        world.seed = seed + turn * 101u;
        world.take = turn == TURNS - 1;
        for (uint i = 0; i < SIZES; i++)
            world.sizes[i] = sizes[turn][i];
        shim_launch(run_turn, &world, CHURNERS + 1, 1, 0);
        why = judge_turn(&world);
        shim_launch(run_give_all, &world, CHURNERS, 1, 0);
        if (!why)
            why = world.wrong ? "a block was written by another at last" : verify(&world);
    }
    if (!why && world.taken == 0)
        why = "no pages were taken";
    if (!why)
        why = judge_end(&world);
    if (why)
        printf("own hints, seed %u: %s\n", seed, why);
    free((void *)world.kma);
    return why != NULL;
}

int main(int argc, char **argv)
{
    const uint base = shim_seed();
    const char *size = getenv("CLADE_TEST_SIZE");
    const uint worlds = shim_rounds(argc, argv, size && strcmp(size, "small") == 0 ? 2 : 6);
    int failed = 0;
    for (uint i = 0; i < worlds && failed < 3; i++)
        failed += run_world(base + i * 7919u);
    printf("kma, own hints: %u worlds from seed %u, %d failed\n", worlds, base, failed);
    return failed != 0;
}

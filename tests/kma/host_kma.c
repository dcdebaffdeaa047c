/* SPDX-License-Identifier: Apache-2.0 */
/* kma.clh on host threads: threads that malloc and free at once in heaps so small that they are
 * full most of the time and every page changes its use over and over. Each block is written and
 * read by plain accesses, so two owners without an order between them are a race that
 * ThreadSanitizer reports, and AddressSanitizer sees every access outside the buffer. After each
 * world the library's own check goes over the bookkeeping, with the set of live blocks.
 *
 *   host_kma [WORLDS]      CLADE_TEST_SEED as in the other tests; CLADE_TEST_SIZE=small: half the
 * worlds
 *
 * Each bug planted by -DCLADE_PLANT_NAME must make it fail (tests/meson.build has the names). */
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

enum { THREADS = 5, HELD = 4, UNITS = 2 };

struct world {
    __global clade_kma_head *kma;
    uint refs[THREADS * HELD];
    uint held; /* a block besides, or 0 */
    uint steps, seed, most;
    clade_atomic_u32 wrong;
};

/* One block of all pages but those that superblocks lie ready in: so that these have to be given
 * up. */
static void run_hold(void *argument, void *local)
{
    struct world *world = argument;
    const uint pages = world->kma->ready_word * 32 - world->kma->first_page;
    (void)local;
    world->held = clade_kma_malloc_wi(world->kma, (clade_u64)pages * CLADE_KMA_PAGE_BYTES);
}

static void run_churn(void *argument, void *local)
{
    struct world *world = argument;
    (void)local;
    kma_churn(world->kma, world->refs, THREADS, world->steps, world->seed, world->most,
              &world->wrong);
}

static void free_all(void *argument, void *local)
{
    struct world *world = argument;
    (void)local;
    for (uint i = 0; i < HELD; i++)
        clade_kma_free_wi(world->kma, world->refs[get_global_id(0) * HELD + i]);
}

/* Bookkeeping and live set; in debug mode refs are not the cells' starts. */
static const char *verify(const struct world *world, uint count)
{
    uint live[THREADS * HELD + 1], there = 0;
    if (world->held != 0)
        live[there++] = world->held;
    for (uint i = 0; i < count; i++)
        if (world->refs[i] != 0)
            live[there++] = world->refs[i];
    return host_kma_verify((void *)world->kma, CLADE_KMA_DEBUG && there ? NULL : live, there);
}

#ifndef STEPS
#define STEPS 400 /* of an item in a turn */
#endif

static int run_world(uint pages, uint steps, uint most, uint seed, bool hold)
{
    struct world world = { .steps = steps, .seed = seed, .most = most };
    const char *why;
    world.kma = host_kma_new(pages, UNITS, CLADE_KMA_DEBUG);
    if (!world.kma)
        return 1;
    shim_launch(run_clear, world.kma, 1, 1, 0);
    shim_launch(run_make_ready, world.kma, THREADS, 1, 0);
    why = verify(&world, 0);
    if (!why && host_kma_has_short_group((void *)world.kma))
        why = "a part hint of a new heap shows less than 32 cells";
    for (uint turn = 0; turn < 3 && !why; turn++) {
        if (hold && turn == 1)
            shim_launch(run_hold, &world, 1, 1, 0);
        world.seed = seed + turn;
        shim_launch(run_churn, &world, THREADS, 1, 0);
        why = world.wrong ? "a block was written by another" : verify(&world, THREADS * HELD);
        shim_launch(free_all, &world, THREADS, 1, 0);
        if (!why)
            why = verify(&world, 0);
    }
    if (!why && hold && (world.held == 0 || world.kma->given_up == 0))
        why = "nothing lay ready, or the pages beside it could not be had";
    if (!why && host_kma_bad_frees(world.kma) != 0)
        why = "a free of a live block was refused";
    if (!why && host_kma_fault(world.kma) != 0)
        why = "debug mode saw a fault";
    if (why)
        printf("%u pages, blocks to %u bytes, seed %u: %s\n", pages, most, seed, why);
    free((void *)world.kma);
    return why != NULL;
}

int main(int argc, char **argv)
{
    const uint base = shim_seed();
    const char *size = getenv("CLADE_TEST_SIZE");
    /* Six are every shape once. */
    const uint worlds = shim_rounds(argc, argv, size && strcmp(size, "small") == 0 ? 6 : 12);
    /* Pages beside the bookkeeping: from hardly any to more than are ever needed. */
    static const uint pages[] = { 8, 9, 10, 12, 16, 40 };
    int failed = 0;
    for (uint i = 0; i < worlds && failed < 3; i++)
        failed += run_world(pages[i % 6], STEPS,
                            i % 3 == 0   ? 60000
                            : i % 3 == 1 ? 9000
                                         : 600,
                            base + i * 7919u, false);
    /* And one so large that superblocks lie ready; those of a size are few, so that threads meet.
     */
    if (failed == 0 && !CLADE_KMA_DEBUG)
        failed += run_world(CLADE_KMA_SMALL_WORDS * 32u, STEPS, 3000, base, true);
    printf("kma: %u worlds from seed %u, %d failed\n", worlds, base, failed);
    return failed != 0;
}

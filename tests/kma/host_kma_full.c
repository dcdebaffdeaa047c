/* SPDX-License-Identifier: Apache-2.0 */
/* kma.clh on host threads, nearly exhausted. Threads take and give back blocks in heaps of a few
 * pages and lose much time between any two steps of the protocol: whole requests of others fit in.
 * Then, at rest, every size is asked for from every place until it is refused, and nothing may be
 * free that would have served it: what is free is counted by the words that are the truth, without
 * the hints by which a request finds it.
 *
 *   host_kma_full [WORLDS]      CLADE_TEST_SEED as in the other tests; CLADE_TEST_SIZE=small: half
 * the worlds
 *
 * Words that count on and on begin a few steps before they wrap. */
#include "host/device.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "kma/host_kma.h"

static void lose_time(const char *where, volatile void *word, uint salt);
#define CLADE_SCHEDULE_HOOK(where, word, salt) lose_time((where), (word), (salt))

#undef __kernel
#define __kernel static
/* The kernels are named as the host's functions, which are linked too. */
#define clade_kma_malloc kernel_malloc
#define clade_kma_free   kernel_free
#include "kernels/kma.cl"

#include "kma/host_kma_start.h"

enum { THREADS = 4, HELD = 96, PLACES = 4, UNITS = 2 };

struct world {
    __global clade_kma_head *kma;
    uint held[THREADS][HELD];
    uint steps, seed, shape;
    uint share; /* so many threads are at one place */
};

/* --- time that is lost ------------------------------------------------------------------------ */

static _Thread_local uint lost_seed, lost_script;
static _Atomic uint lost_points, lost_step, lost_meetings;

/* What one thread waits for in a scripted run: that others came so far. */
static void wait_for_step(uint step)
{
    const time_t begin = time(NULL);
    while (SHIM_LOAD(&lost_step, memory_order_seq_cst) < step && time(NULL) - begin < 60)
        sched_yield();
}

static void set_step(uint step)
{
    SHIM_STORE(&lost_step, step, memory_order_seq_cst);
}

/* Scripts 1 and 2: item 1 is about to show a superblock when item 2 has swept all hints; it is
 * shown before item 2 says that they are swept. Scripts 4 and 5: the first of two sweeps is in its
 * first piece until the second is in its own. */
static void follow_script(const char *where)
{
    const uint step = __atomic_load_n(&lost_step, __ATOMIC_SEQ_CST);
    if (lost_script == 1 && step == 0 && strcmp(where, "cladei_kma_show") == 0) {
        set_step(1);
        wait_for_step(2);
        lost_meetings++;
    } else if (lost_script == 2 && step == 1 && strcmp(where, "cladei_kma_sweep") == 0) {
        set_step(2);
        wait_for_step(3);
        lost_meetings++;
    } else if (lost_script == 4 && step == 0 && strcmp(where, "cladei_kma_sweep") == 0) {
        set_step(1);
        wait_for_step(2);
        lost_meetings++;
    } else if (lost_script == 5 && step == 1 && strcmp(where, "cladei_kma_sweep") == 0) {
        set_step(2);
        wait_for_step(3);
        lost_meetings++;
    }
}

/* One item alone: when it has taken the last cell of a group that the tree shows, and before it
 * says so, a block of that group is given back. */
static clade_kma_head *lost_kma;
static const volatile void *lost_word;
static uint *lost_block;

static void give_back_there(const volatile void *word)
{
    if (word != lost_word || *lost_block == 0)
        return;
    const uint block = *lost_block;
    *lost_block = 0;
    lost_meetings++;
    clade_kma_free_wi(lost_kma, block);
}

/* Seldom for as long as others need for a few requests. */
static void lose_time(const char *where, volatile void *word, uint salt)
{
    (void)salt;
    if (lost_script == 3)
        give_back_there(word);
    else if (lost_script != 0)
        follow_script(where);
    if (lost_seed == 0)
        return;
    const uint now = __atomic_add_fetch(&lost_points, 1, __ATOMIC_RELAXED);
    lost_seed = lost_seed * 1664525u + 1013904223u;
    const uint chance = lost_seed >> 26, points = 20u << (lost_seed >> 20 & 7u);
    for (uint i = 0;
         chance < 2 && i < 100 && __atomic_load_n(&lost_points, __ATOMIC_RELAXED) - now < points;
         i++)
        sched_yield();
}

/* --- worlds ----------------------------------------------------------------------------------- */

/* Counters that never end begin where they do. */
static void start_near_the_end(__global clade_kma_head *kma, uint seed)
{
    kma->sweep = 0u - seed % 7u;
    kma->swept = 0u - 4u * (seed % 5u);
    for (uint i = 0; i < CLADE_KMA_COUNTERS; i++) /* what is handed on in steps stays as it is */
        kma->counters[i].pages = (0u - seed % 3u) << kma->count_bits;
    for (uint i = 0; i < CLADE_KMA_COUNTERS; i++)
        kma->counters[i].created = kma->counters[i].refused = 0xffffffffu;
}

static clade_u64 some_size(uint random, uint shape)
{
    static const uint most[] = { 64, 600, 9000, 60000 };
    return 1 + (random >> 4) % ((random & 7) == 0 ? 40000 : most[shape % 4]);
}

static void run_work(void *argument, void *local)
{
    struct world *world = argument;
    const uint item = (uint)get_global_id(0);
    uint *held = world->held[item];
    (void)local;
    shim_self.group_id = item / world->share;
    lost_seed = world->seed * 2654435761u + item * 40503u + 1u;
    for (uint step = 0; step < world->steps; step++) {
        const uint random = cladei_kma_mix(world->seed + item * 977u + step * 131071u);
        const uint at = (random >> 8) % HELD;
        if (held[at] == 0) {
            held[at] = clade_kma_malloc_wi(world->kma, some_size(random, world->shape));
            if (held[at] != 0)
                continue;
            for (uint i = 0; i < HELD; i++) /* full: half of what is held goes back */
                if ((cladei_kma_mix(random + i) & 1) != 0) {
                    clade_kma_free_wi(world->kma, held[i]);
                    held[i] = 0;
                }
        } else {
            clade_kma_free_wi(world->kma, held[at]);
            held[at] = 0;
        }
    }
    lost_seed = 0;
    shim_self.group_id = item;
}

static const char *verify(struct world *world)
{
    static uint live[THREADS * HELD];
    uint there = 0;
    for (uint i = 0; i < THREADS * HELD; i++)
        if (world->held[i / HELD][i % HELD] != 0)
            live[there++] = world->held[i / HELD][i % HELD];
    return host_kma_verify((void *)world->kma, live, there);
}

/* --- the oracle ------------------------------------------------------------------------------- */

/* Ask from one place, or from all in turn, until a request is refused. */
static uint fill(__global clade_kma_head *kma, clade_u64 bytes, uint place)
{
    uint served = 0;
    for (;;) {
        shim_self.group_id = place < PLACES ? place : served % PLACES;
        if (clade_kma_malloc_wi(kma, bytes) == 0)
            break;
        served++;
    }
    shim_self.group_id = 0;
    return served;
}

/* Nothing is refused that would fit; the heap is what it was afterwards. */
static const char *judge_refusals(__global clade_kma_head *kma, uint seed)
{
    static char why[200];
    const size_t bytes = host_kma_bookkeeping_words((void *)kma) * 4u;
    char *kept = malloc(bytes);
    why[0] = '\0';
    memcpy(kept, (void *)kma, bytes);
    for (uint i = 0; i < CLADE_KMA_CLASSES + 4 && why[0] == '\0'; i++) {
        const uint class_ = i < CLADE_KMA_CLASSES ? i : CLADE_KMA_CLASSES;
        const uint pages = i < CLADE_KMA_CLASSES ? 0 : 2 + (seed + i) % 7;
        const uint place = (seed + i) % (PLACES + 1);
        const clade_u64 size = pages ? (clade_u64)pages * CLADE_KMA_PAGE_BYTES
                                     : (clade_u64)clade_kma_class_units(class_) * 16u;
        const uint served = fill(kma, size, place);
        const uint64_t left =
            pages ? host_kma_room_of_pages((void *)kma, pages) : host_kma_room((void *)kma, class_);
        const char *wrong = host_kma_verify((void *)kma, NULL, 0);
        if (left != 0 || wrong)
            snprintf(why, sizeof why, "%u of %lu bytes served from place %u, room for %lu left%s%s",
                     served, (unsigned long)size, place, (unsigned long)left, wrong ? "; " : "",
                     wrong ? wrong : "");
        memcpy((void *)kma, kept, bytes);
    }
    free(kept);
    return why[0] ? why : NULL;
}

static uint own_hints_shown(const clade_kma_head *kma)
{
    const uint *words = (const uint *)kma;
    uint count = 0;
    for (uint i = 0; i < CLADE_KMA_OWN_SMALL << kma->own_bits; i++)
        count += words[kma->own_at + i] != 0;
    for (uint c = CLADE_KMA_OWN_SMALL; c < CLADE_KMA_CLASSES; c++)
        for (uint i = CLADE_KMA_SHAPE_PARTS(kma->shape[c]);
             (kma->shape[c] & CLADE_KMA_SHAPE_HAS_OWN) != 0 && i < 1u << kma->part_bits; i++)
            count += words[kma->part_at + (c << kma->part_bits) + i] != 0;
    return count;
}

/* How many own hints showed something when all was at rest, of all worlds that have such. */
static uint own_hints_met;

static int run_world(uint pages, uint seed, bool has_own)
{
    struct world world = { .steps = 150, .shape = seed % 5, .seed = seed };
    const char *why = NULL;
    world.kma = has_own ? host_kma_new_with_own_hints(pages) : host_kma_new(pages, UNITS, 0);
    world.share = has_own ? 1 + seed % 2 : 1;
    if (!world.kma)
        return 1;
    if (seed % 2 != 0)
        start_near_the_end(world.kma, seed);
    shim_launch(run_start, world.kma, 1, 1, 0);
    for (uint turn = 0; turn < 3 && !why; turn++) {
        world.seed = seed + turn * 101;
        shim_launch(run_work, &world, THREADS, 1, 0);
        why = verify(&world);
        own_hints_met += has_own ? own_hints_shown(world.kma) : 0;
        if (!why)
            why = judge_refusals(world.kma, seed + turn);
    }
    if (why)
        printf("%u pages%s, seed %u: %s\n", pages, has_own ? ", own hints" : "", seed, why);
    free((void *)world.kma);
    return why != NULL;
}

/* Heaps in which places have hints of their own, of all sizes and nearly exhausted all the same. */
static int run_own_worlds(uint worlds, uint base)
{
    static const uint pages[] = { 12, 16, 40, 128, 256 };
    int failed = 0;
    for (uint i = 0; i < worlds && failed < 3; i++)
        failed += run_world(pages[i % 5], base + i * 7919u, true);
    if (worlds >= 5 && own_hints_met == 0) {
        printf("no own hint was in use\n");
        failed++;
    }
    return failed;
}

/* The same in a heap so large that each place counts its pages for itself, a step at a time, and
 * those counts wrap. */
static int run_counts(uint seed)
{
    struct world world = { .steps = 150, .shape = 3, .seed = seed, .share = 1 };
    const char *why;
    uint wrapped = 0;
    world.kma = host_kma_new(16384, UNITS, 0);
    if (!world.kma)
        return 1;
    start_near_the_end(world.kma, 2);
    shim_launch(run_start, world.kma, 1, 1, 0);
    why = world.kma->count_bits == 0 ? "no place counts for itself" : verify(&world);
    for (uint turn = 0; turn < 3 && !why; turn++) {
        world.seed = seed + turn * 101;
        shim_launch(run_work, &world, THREADS, 1, 0);
        why = verify(&world);
    }
    for (uint i = 0; i < THREADS; i++)
        wrapped += world.kma->counters[i].pages < CLADE_KMA_COUNT_MIDDLE;
    if (!why && wrapped == 0)
        why = "no count wrapped";
    for (uint i = 0; i < THREADS * HELD; i++) {
        clade_kma_free_wi(world.kma, world.held[i / HELD][i % HELD]);
        world.held[i / HELD][i % HELD] = 0;
    }
    if (!why)
        why = verify(&world);
    if (why)
        printf("counts of pages, seed %u: %s\n", seed, why);
    free((void *)world.kma);
    return why != NULL;
}

/* --- a superblock that is shown while others sweep ----------------------------------------------
 */

static void run_script(void *argument, void *local)
{
    struct world *world = argument;
    (void)local;
    lost_script = 1 + (uint)get_global_id(0);
    if (lost_script == 1) { /* one small block */
        world->held[0][0] = clade_kma_malloc_wi(world->kma, 64);
        set_step(3);
    } else { /* all other pages, until it is refused */
        uint count = 0;
        wait_for_step(1);
        for (clade_u64 bytes = 8u << 20; bytes >= CLADE_KMA_PAGE_BYTES; bytes /= 2)
            while ((world->held[1][count] = clade_kma_malloc_wi(world->kma, bytes)) != 0)
                count++;
    }
    lost_script = 0;
}

static int run_shown_while_swept(uint swept)
{
    struct world world = { 0 };
    const char *why;
    bool met;
    world.kma = host_kma_new(1024, UNITS, 0);
    if (!world.kma)
        return 1;
    world.kma->swept = swept;
    set_step(0);
    lost_meetings = 0;
    shim_launch(run_start, world.kma, 1, 1, 0);
    shim_launch(run_script, &world, 2, 1, 0);
    met = lost_step == 3 && lost_meetings == 2;
    why = met ? verify(&world) : "the two did not meet as they should";
    if (!why)
        why = judge_refusals(world.kma, 0);
    if (why)
        printf("shown while swept: %s\n", why);
    free((void *)world.kma);
    return why != NULL;
}

/* --- sweeps beside each other -------------------------------------------------------------------
 */

/* A block of each size that has slots: slots and part hints show what else there is. */
static void take_each_size(struct world *world, uint item)
{
    for (uint c = 0; c < CLADE_KMA_CLASSES && CLADE_KMA_SHAPE_PAGES(world->kma->shape[c]) != 0; c++)
        world->held[item][c] = clade_kma_malloc_wi(world->kma, clade_kma_class_units(c) * 16u);
}

static void sweep_all(struct world *world)
{
    cladei_kma_sweep(world->kma, 63u, cladei_kma_me()); /* nothing that turns up ends it */
}

/* Item 1 is in its first piece while item 2 sweeps all, takes blocks and begins another sweep. The
 * next piece that item 1 takes is its last. Item 2 counts on that being swept, too. */
static void run_sweeps(void *argument, void *local)
{
    struct world *world = argument;
    (void)local;
    if (get_global_id(0) == 0) {
        lost_script = 4;
        sweep_all(world);
        set_step(3);
    } else {
        wait_for_step(1);
        sweep_all(world);
        take_each_size(world, 1);
        lost_script = 5;
        sweep_all(world);
    }
    lost_script = 0;
}

static int run_sweeps_beside_each_other(void)
{
    struct world world = { 0 };
    const char *why;
    world.kma = host_kma_new(2048, UNITS, 0);
    if (!world.kma)
        return 1;
    set_step(0);
    lost_meetings = 0;
    shim_launch(run_start, world.kma, 1, 1, 0);
    take_each_size(&world, 0);
    shim_launch(run_sweeps, &world, 2, 1, 0);
    why = lost_meetings != 2                          ? "the two did not meet as they should"
          : (world.kma->swept & CLADE_KMA_SWEPT) == 0 ? "all was swept, and nobody says so"
                                                      : verify(&world);
    if (why)
        printf("sweeps beside each other: %s\n", why);
    free((void *)world.kma);
    return why != NULL;
}

/* --- a bit above a word of pages that is 0 -------------------------------------------------------
 */

/* Blocks of pages, the longest first, as long as they fit: no request is refused, so nothing is
 * swept. Of single pages blocks are made by hand. */
static void take_all_pages(__global clade_kma_head *kma)
{
    for (uint n = kma->pages; n > 1; n--)
        while (host_kma_room_of_pages((void *)kma, n) > 0)
            clade_kma_malloc_wi(kma, (clade_u64)n * CLADE_KMA_PAGE_BYTES);
    for (uint page = 0; page < kma->pages; page++) {
        clade_global_word word = cladei_kma_node(kma, CLADEI_KMA_PAGE_TREE, 0u, page >> 5);
        if ((clade_load_relaxed(word) >> (page & 31u) & 1u) == 0u)
            continue;
        if (clade_and_relaxed(word, ~(1u << (page & 31u))) == 1u << (page & 31u))
            cladei_kma_lower(kma, CLADEI_KMA_PAGE_TREE, 1u, page >> 5);
        cladei_kma_count_pages(kma, 1u, cladei_kma_me());
        clade_store_relaxed(cladei_kma_word(kma, kma->home_at + page), 1u);
        clade_store_relaxed(cladei_kma_word(kma, kma->info_at + page), CLADE_KMA_BIG);
    }
}

/* Who gave pages back may set the bit when others have taken them again. Then pages seem to be
 * free. What hints show has to be found all the same. */
static int run_bit_for_nothing(void)
{
    struct world world = { 0 };
    const char *why;
    world.kma = host_kma_new(2048, UNITS, 0);
    if (!world.kma)
        return 1;
    shim_launch(run_start, world.kma, 1, 1, 0);
    clade_kma_malloc_wi(world.kma, 7168); /* a part hint shows 31 more, and it is swept late */
    take_all_pages(world.kma);
    cladei_kma_raise(world.kma, CLADEI_KMA_PAGE_TREE, 1u, 3u);
    why = world.kma->swept & CLADE_KMA_SWEPT ? "hints were swept" : judge_refusals(world.kma, 0);
    if (why)
        printf("a bit for nothing: %s\n", why);
    free((void *)world.kma);
    return why != NULL;
}

/* --- cells of one size alone --------------------------------------------------------------------
 */

/* Aligned blocks do not come from larger cells. That such are free must not hide what a hint shows.
 */
static int run_aligned(void)
{
    struct world world = { 0 };
    uint served = 0;
    world.kma = host_kma_new(2048, UNITS, 0);
    if (!world.kma)
        return 1;
    shim_launch(run_start, world.kma, 1, 1, 0);
    clade_kma_malloc_wi(world.kma, 4096); /* a part hint shows 31 more, and it is swept late; */
    clade_global_word hint = cladei_kma_part(world.kma, 27u, world.kma->shape[27], 0u);
    clade_store_relaxed(hint + 1, clade_exchange_release(hint, 0u)); /* it is of another place */
    while (!cladei_kma_is_low(world.kma))
        clade_kma_malloc_wi(world.kma, (clade_u64)64 * CLADE_KMA_PAGE_BYTES);
    clade_kma_malloc_wi(world.kma, 8192); /* the tree shows more, since pages are few */
    take_all_pages(world.kma);
    while (clade_kma_malloc_aligned_wi(world.kma, 4096, 4096) != CLADE_NIL)
        served++;
    if (served != 31)
        printf("aligned blocks: %u of 31 cells were found\n", served);
    free((void *)world.kma);
    return served != 31;
}

/* --- a cell that comes back while its group is filled -------------------------------------------
 */

static uint group_of(clade_kma_head *kma, uint block)
{
    return block ? cladei_kma_locate(kma, block - 1u).group : CLADEI_KMA_NONE;
}

/* In a full heap no part hint is held, so a claim takes cells of what the tree shows. */
static int run_freed_while_filled(void)
{
    enum { BYTES = 1024, MOST = THREADS * HELD };
    struct world world = { 0 };
    uint *held = world.held[0], count = 0;
    const char *why = "a group was not filled as it should be";
    lost_kma = world.kma = host_kma_new(12, UNITS, 0);
    if (!world.kma)
        return 1;
    shim_launch(run_start, world.kma, 1, 1, 0);
    while (count < MOST && (held[count] = clade_kma_malloc_wi(world.kma, BYTES)) != 0)
        count++;
    lost_meetings = 0;
    for (uint i = 0; i + 1 < count && lost_meetings == 0; i++) {
        const uint group = group_of(world.kma, held[i]);
        if (group_of(world.kma, held[i + 1]) != group)
            continue;
        lost_word = cladei_kma_word(world.kma, world.kma->partial_at + (group >> 5));
        lost_block = &held[i + 1];
        clade_kma_free_wi(world.kma, held[i]);
        lost_script = 3;
        held[i] = clade_kma_malloc_wi(world.kma, BYTES);
        lost_script = 0;
    }
    if (lost_meetings == 1)
        why = verify(&world);
    if (why)
        printf("freed while filled: %s\n", why);
    free((void *)world.kma);
    return why != NULL;
}

/* --- the largest heap ---------------------------------------------------------------------------
 */

/* No ref of 64 GiB is nil: of the last cell of the smallest size, and of the last page. */
static int refs_end_before_nil(void)
{
    const uint pages = host_kma_usable_pages((uint64_t)64 << 30), last = pages - 1;
    const bool nil = cladei_kma_cell_ref(last * 32u + 31u, 31u, 0u) == CLADE_NIL ||
                     last * CLADE_KMA_PAGE_UNITS + 1u == CLADE_NIL;
    if (nil || host_kma_usable_pages((uint64_t)1 << 30) != 65536u)
        printf("64 GiB: the last ref is nil\n");
    return nil;
}

int main(int argc, char **argv)
{
    static const uint pages[] = { 8, 9, 10, 12, 16, 40, 128 };
    const char *size = getenv("CLADE_TEST_SIZE");
    const uint base = shim_seed();
    const uint worlds = shim_rounds(argc, argv, size && strcmp(size, "small") == 0 ? 14 : 28);
    int failed = run_shown_while_swept(0) + run_shown_while_swept(0xfffffffcu) + run_counts(base) +
                 run_freed_while_filled() + run_sweeps_beside_each_other() + run_bit_for_nothing() +
                 run_aligned() + refs_end_before_nil();
    for (uint i = 0; i < worlds && failed < 3; i++)
        failed += run_world(pages[i % 7], base + i * 7919u, false);
    if (failed == 0)
        failed += run_own_worlds(worlds / 2, base);
    printf("kma, full: %u worlds from seed %u, %d failed\n", worlds, base, failed);
    return failed != 0;
}

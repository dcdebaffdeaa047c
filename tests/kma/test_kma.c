/* SPDX-License-Identifier: Apache-2.0 */
/* clade_kma: every block is its owner's alone, nothing is lost, full is told. */
#include <inttypes.h>

#include <clade/arraylist.h>
#include <clade/kma.h>
#include <clade/semilist.h>
#include <clade/shared/kma.h>

#include "harness/scratch.h"
#include "kma/kma_load.h"
#include "kma/kma_ready.h"

static uint64_t random_size(struct random *random)
{
    uint64_t kind = random_below(random, 100);
    return kind < 2 ? 1 + random_below(random, 60000)
                    : 1 + random_below(random, kind < 20 ? 2048 : 200);
}

/* --- arguments ------------------------------------------------------------------------------ */

static void sizes_that_cannot_be_are_refused_with_the_limit(void **state)
{
    struct fixture *f = *state;
    clade_kma *kma = (clade_kma *)1;
    assert_fails(clade_kma_create(&kma, f->context, &(clade_kma_params) { 0 }), CLADE_E_ARG);
    assert_null(kma);
    assert_fails(clade_kma_create(&kma, f->context, &(clade_kma_params) { .bytes = 1000 }),
                 CLADE_E_ARG);
    assert_message("1000");
    const uint64_t huge = f->caps->alloc_bytes_max + (1 << 20);
    assert_fails(clade_kma_create(&kma, f->context, &(clade_kma_params) { .bytes = huge }),
                 CLADE_E_ARG);
    assert_fails(clade_kma_create(&kma, NULL, &(clade_kma_params) { .bytes = 1 << 20 }),
                 CLADE_E_ARG);
    assert_fails(clade_kma_create(&kma, f->context, NULL), CLADE_E_ARG);
    assert_fails(clade_kma_check(NULL, NULL, 0), CLADE_E_ARG);
    assert_fails(clade_kma_malloc(NULL, clade_no_array(), 4, clade_no_array(), 1, NULL),
                 CLADE_E_ARG);
    clade_kma_destroy(&kma);
    clade_kma_destroy(NULL);
}

/* --- against the model: the set of live refs ------------------------------------------------- */

static void blocks_are_their_owners_alone(void **state)
{
    struct fixture *f = *state;
    const uint32_t count = fixture_fewer(f, (uint32_t)fixture_scaled(300, 20000, 200000)), zero = 0;
    clade_kma *kma = open_kma(f, fixture_scaled(2, 64, 640) << 20, 0);
    struct random random = random_from(f->seed);
    uint64_t *sizes = test_calloc(count, sizeof *sizes);
    uint32_t *refs = test_calloc(count, sizeof *refs), wrong = 1;
    for (uint32_t i = 0; i < count; i++)
        sizes[i] = random_size(&random);
    cl_mem sizes_mem = fixture_buffer(f, count * 8, sizes);
    cl_mem refs_mem = fixture_buffer(f, count * 4, refs), wrong_mem = fixture_buffer(f, 4, &zero);
    cl_mem mem = clade_kma_mem(kma);
    cl_kernel mark = open_kernel(f, clade_kma_options(kma), "kma_mark");
    cl_kernel marked = open_kernel(f, clade_kma_options(kma), "kma_marked");

    assert_ok(clade_kma_malloc(kma, clade_device(sizes_mem, 0), 0, clade_device(refs_mem, 0), count,
                               NULL));
    SET(mark, 0, mem), SET(mark, 1, refs_mem), SET(mark, 2, sizes_mem), SET(mark, 3, count);
    SET(marked, 0, mem), SET(marked, 1, refs_mem), SET(marked, 2, sizes_mem);
    SET(marked, 3, count), SET(marked, 4, wrong_mem);
    run_kernel(f, mark, count, 64);
    run_kernel(f, marked, count, 64);
    fixture_read(f, wrong_mem, 0, &wrong, 4);
    fixture_read(f, refs_mem, 0, refs, count * 4);

    assert_int_equal(wrong, 0);
    for (uint32_t i = 0; i < count; i++)
        assert_int_not_equal(refs[i], 0);
    assert_ok(clade_kma_check(kma, refs, count));
    clade_kma_stats stats = stats_of(kma);
    assert_int_equal(stats.live_blocks, count);
    assert_int_equal(stats.refused, 0);
    assert_true(stats.live_bytes <= stats.used_bytes && stats.used_bytes <= stats.peak_bytes);
    assert_ok(clade_kma_free(kma, clade_device(refs_mem, 0), count, NULL));
    assert_ok(clade_kma_check(kma, refs, 0));
    assert_int_equal(stats_of(kma).bad_frees, 0);

    clReleaseKernel(mark);
    clReleaseKernel(marked);
    clReleaseMemObject(sizes_mem);
    clReleaseMemObject(refs_mem);
    clReleaseMemObject(wrong_mem);
    close_kma(f, &kma);
    test_free(sizes);
    test_free(refs);
}

/* Rounds of "free some at random, get some more", in heaps with room and without: the allocator's
 * live set is always the model's. */
static void rounds(struct fixture *f, uint64_t bytes, uint32_t count, int turns)
{
    clade_kma *kma = open_kma(f, bytes, 0);
    struct random random = random_from(f->seed ^ bytes);
    uint64_t *sizes = test_calloc(count, sizeof *sizes);
    uint32_t *live = test_calloc(2 * count, sizeof *live), *gone = test_calloc(2 * count, 4);
    size_t live_count = 0;
    for (int turn = 0; turn < turns; turn++) {
        size_t freed = 0, kept = 0;
        for (size_t i = 0; i < live_count; i++) {
            if (random_below(&random, 4) != 0 || live_count > count)
                gone[freed++] = live[i];
            else
                live[kept++] = live[i];
        }
        assert_ok(clade_kma_free(kma, clade_host(gone), freed, NULL));
        /* one kind of size after the other: superblocks must change their class */
        for (uint32_t i = 0; i < count; i++)
            sizes[i] = turn % 3 == 2 ? random_size(&random) : 16u << (turn + i % 3) % 9;
        assert_ok(
            clade_kma_malloc(kma, clade_host(sizes), 0, clade_host(live + kept), count, NULL));
        live_count = kept + compact(live + kept, count);
        assert_ok(clade_kma_check(kma, live, live_count));
    }
    assert_int_equal(stats_of(kma).bad_frees, 0);
    assert_int_equal(stats_of(kma).live_blocks, live_count);
    close_kma(f, &kma);
    test_free(sizes);
    test_free(live);
    test_free(gone);
}

/* A short run, where a launch or what it does is slow. */
static bool is_slow(const struct fixture *f)
{
    return fixture_is_interpreted(f) || fixture_launches_slowly(f);
}

/* Three has each kind of size once. */
static int turns_of(const struct fixture *f)
{
    return (int)fixture_scaled(is_slow(f) ? 3 : 6, 40, 200);
}

static void rounds_with_room(void **state)
{
    const uint32_t few = fixture_is_interpreted(*state) ? 20 : 200;
    const uint32_t count = (uint32_t)fixture_scaled(few, 5000, 50000);
    rounds(*state, (uint64_t)count * 2400 + (1 << 20), count, turns_of(*state));
}

static void rounds_that_run_out_in_the_middle(void **state)
{
    const uint32_t count = (uint32_t)fixture_scaled(300, 5000, 50000);
    rounds(*state, (uint64_t)count * 300 + (1 << 17), count, turns_of(*state));
}

/* --- malloc and free at once ------------------------------------------------------------------ */

static void churn(struct fixture *f, uint64_t bytes, uint32_t items, uint32_t turns, uint32_t most,
                  int debug)
{
    const uint32_t zero = 0, few = fixture_is_interpreted(f) ? 3 : 12;
    const uint32_t steps = (uint32_t)fixture_scaled(few, 60, 200);
    clade_kma *kma = open_kma(f, bytes, debug);
    uint32_t *refs = test_calloc(4 * items, sizeof *refs), wrong = 1;
    cl_mem refs_mem = fixture_buffer(f, items * 16, refs), wrong_mem = fixture_buffer(f, 4, &zero);
    cl_mem mem = clade_kma_mem(kma);
    cl_kernel kernel = open_kernel(f, clade_kma_options(kma), "kma_churn");
    for (uint32_t turn = 0; turn < turns; turn++) {
        const uint32_t seed = (uint32_t)f->seed + turn;
        SET(kernel, 0, mem), SET(kernel, 1, refs_mem), SET(kernel, 2, items);
        SET(kernel, 3, steps), SET(kernel, 4, seed), SET(kernel, 5, most);
        SET(kernel, 6, wrong_mem);
        run_kernel(f, kernel, items, 32);
        fixture_read(f, wrong_mem, 0, &wrong, 4);
        assert_int_equal(wrong, 0);
        fixture_read(f, refs_mem, 0, refs, items * 16);
        size_t count = compact(refs, 4 * items);
        assert_ok(clade_kma_check(kma, refs, count));
        assert_int_equal(stats_of(kma).live_blocks, count);
        assert_ok(clade_kma_free(kma, clade_host(refs), count, NULL));
        assert_ok(clade_kma_check(kma, refs, 0));
    }
    assert_int_equal(stats_of(kma).bad_frees, 0);
    clReleaseKernel(kernel);
    clReleaseMemObject(refs_mem);
    clReleaseMemObject(wrong_mem);
    close_kma(f, &kma);
    test_free(refs);
}

static void malloc_and_free_run_together(void **state)
{
    const uint32_t items = (uint32_t)fixture_scaled(64, 4096, 65536);
    churn(*state, (uint64_t)items * 3000 + (1 << 20), items, (uint32_t)fixture_scaled(2, 6, 40),
          2000, 0);
}

static void malloc_and_free_run_together_while_memory_is_out(void **state)
{
    const uint32_t items = (uint32_t)fixture_scaled(256, 4096, 65536);
    churn(*state, (uint64_t)items * 200 + (1 << 17), items, (uint32_t)fixture_scaled(2, 6, 40),
          20000, 0);
}

static void guarded_blocks_run_together(void **state)
{
    const uint32_t items = (uint32_t)fixture_scaled(32, 1024, 16384);
    fixture_compiles_long(*state); /* all kernels once more */
    churn(*state, (uint64_t)items * 4000 + (1 << 20), items, (uint32_t)fixture_scaled(1, 4, 20),
          2000, 1);
}

/* --- full ------------------------------------------------------------------------------------- */

/* Fill with blocks of `bytes` (0: 4 to 1024, mixed), a few at a time, until one is refused. Returns
 * the share of the buffer that was asked for by then. */
static double fill(struct fixture *f, clade_kma *kma, uint64_t bytes, uint32_t **refs, size_t *got)
{
    enum { STEPS = 256 };
    const uint32_t step = bytes >= 4096 ? 16 : STEPS;
    const clade_kma_stats before = stats_of(kma);
    const uint64_t most = before.bytes / (bytes ? bytes : 16) + step;
    struct random random = random_from(f->seed + bytes);
    uint64_t asked = 0, sizes[STEPS];
    *refs = test_calloc((size_t)most + step, sizeof **refs);
    *got = 0;
    for (bool full = false; !full;) {
        uint32_t *next = *refs + *got;
        for (uint32_t i = 0; i < step; i++)
            sizes[i] = bytes ? bytes : 4 + random_below(&random, 1021);
        assert_ok(clade_kma_malloc(kma, clade_host(sizes), 0, clade_host(next), step, NULL));
        for (uint32_t i = 0; i < step; i++) {
            full = full || next[i] == 0; /* by any of them: they run in any order */
            asked += next[i] == 0 ? 0 : sizes[i];
        }
        *got += compact(next, step);
        assert_true(*got <= most);
    }
    assert_ok(clade_kma_check(kma, *refs, *got));
    assert_true(stats_of(kma).refused > before.refused);
    return (double)asked / (double)before.bytes;
}

static void a_heap_fills_before_it_refuses_and_empties_again(void **state)
{
    struct fixture *f = *state;
    static const uint64_t sizes[] = { 16, 80, 256, 1000, 5000, 16384, 40000, 0 };
    const uint64_t bytes =
        fixture_scaled(fixture_is_interpreted(f) ? 1 << 17 : 1 << 18, 12 << 20, 128 << 20);
    /* Where it is slow: 256 and 16384, with 5000 and 80 as the others. */
    const size_t first = is_slow(f) ? 2 : 0, step = is_slow(f) ? 4 : 1;
    for (size_t s = first; s < sizeof sizes / sizeof *sizes; s += step) {
        clade_kma *kma = open_kma(f, bytes, 0);
        uint32_t *refs;
        size_t got, again;
        double share = fill(f, kma, sizes[s], &refs, &got);
        printf("  %" PRIu64 " bytes: %.1f %%\n", sizes[s], share * 100);
        if (!fixture_is_small()) /* small heaps: pages are a coarse measure */
            assert_true(share >= (sizes[s] == 0         ? 0.85
                                  : sizes[s] == 40000   ? 0.75
                                  : sizes[s] % 256 == 0 ? 0.95
                                                        : 0.90));
        assert_ok(clade_kma_free(kma, clade_host(refs), got, NULL));
        assert_ok(clade_kma_check(kma, refs, 0));
        test_free(refs);
        /* All of it is there again, for another size too. */
        double other = fill(f, kma, sizes[(s + 3) % 8], &refs, &again);
        if (!fixture_is_small())
            assert_true(other >= 0.75);
        test_free(refs);
        close_kma(f, &kma);
    }
}

/* All classes to 1 KiB in turn, over and over: the high-water mark of the first half of the times
 * around stays. (That of two times was within a sixteenth in most runs on a large GPU, not in all.)
 */
static void cycling_through_sizes_does_not_fragment_away(void **state)
{
    struct fixture *f = *state;
    enum { CLASSES = 24 };
    const uint64_t bytes = fixture_scaled(1, 8, 64) << 20;
    const uint32_t count = (uint32_t)(bytes / (fixture_is_interpreted(f) ? 65536 : 4096));
    clade_kma *kma = open_kma(f, bytes, 0);
    uint32_t *refs = test_calloc(count, sizeof *refs);
    const uint64_t turns =
        fixture_scaled((is_slow(f) ? 2 : 4) * CLASSES, 20 * CLASSES, 100 * CLASSES);
    uint64_t peak = 0;
    for (uint64_t turn = 0; turn < turns; turn++) {
        assert_ok(clade_kma_malloc(kma, clade_no_array(),
                                   clade_kma_class_units((uint32_t)turn % CLASSES) * 16u,
                                   clade_host(refs), count, NULL));
        assert_ok(clade_kma_free(kma, clade_host(refs), count, NULL));
        if (turn == turns / 2)
            peak = stats_of(kma).peak_bytes;
    }
    clade_kma_stats stats = stats_of(kma);
    assert_int_equal(stats.refused, 0);
    printf("  pages at most %" PRIu64 " KiB after half of the times around, %" PRIu64
           " KiB after %" PRIu64 "\n",
           peak >> 10, stats.peak_bytes >> 10, turns / CLASSES);
    assert_true(stats.peak_bytes <= peak + bytes / 16);
    assert_ok(clade_kma_check(kma, refs, 0));
    close_kma(f, &kma);
    test_free(refs);
}

static void blocks_of_pages_reach_the_whole_heap(void **state)
{
    struct fixture *f = *state;
    clade_kma *kma = open_kma(f, 8 << 20, 0);
    uint64_t sizes[3] = { 3000000, 100000, 20000 };
    uint32_t refs[3], all = 0, more = 1;
    assert_ok(clade_kma_malloc(kma, clade_host(sizes), 0, clade_host(refs), 3, NULL));
    assert_ok(clade_kma_check(kma, refs, 3));
    assert_int_equal(stats_of(kma).page_blocks, 3);
    assert_ok(clade_kma_free(kma, clade_host(refs), 3, NULL));
    const uint64_t whole = stats_of(kma).heap_bytes;
    assert_int_equal(stats_of(kma).longest_free_bytes, whole);
    assert_ok(clade_kma_malloc(kma, clade_no_array(), whole + 1, clade_host(&more), 1, NULL));
    assert_int_equal(more, 0);
    assert_ok(clade_kma_malloc(kma, clade_no_array(), whole, clade_host(&all), 1, NULL));
    assert_int_not_equal(all, 0);
    assert_ok(clade_kma_malloc(kma, clade_no_array(), 1, clade_host(&more), 1, NULL));
    assert_int_equal(more, 0);
    assert_ok(clade_kma_check(kma, &all, 1));
    assert_ok(clade_kma_free(kma, clade_host(&all), 1, NULL));
    assert_ok(clade_kma_malloc(kma, clade_no_array(), ~(uint64_t)0, clade_host(&more), 1, NULL));
    assert_int_equal(more, 0);
    assert_ok(clade_kma_check(kma, refs, 0));
    close_kma(f, &kma);
}

/* --- files ------------------------------------------------------------------------------------ */

static void a_saved_allocator_comes_back_with_its_blocks(void **state)
{
    struct fixture *f = *state;
    enum { COUNT = 500 };
    const uint32_t count = fixture_fewer(f, COUNT);
    char *folder = scratch_make(), *path = scratch_path(folder, "heap");
    clade_kma *kma = open_kma(f, 2 << 20, 0), *loaded = NULL;
    uint32_t refs[COUNT], more[COUNT], wrong = 1;
    assert_ok(clade_kma_malloc(kma, clade_no_array(), 100, clade_host(refs), count, NULL));
    assert_ok(clade_kma_free(kma, clade_host(&wrong), 1, NULL));
    assert_ok(clade_kma_malloc(kma, clade_no_array(), 1 << 30, clade_host(&wrong), 1, NULL));
    assert_ok(clade_kma_save(kma, path));
    close_kma(f, &kma);
    assert_ok(clade_kma_load(&loaded, f->context, path));
    assert_ok(clade_kma_check(loaded, refs, count));
    assert_ok(clade_kma_malloc(loaded, clade_no_array(), 100, clade_host(more), count, NULL));
    assert_ok(clade_kma_free(loaded, clade_host(refs), count, NULL));
    assert_ok(clade_kma_check(loaded, more, count));
    assert_true(stats_of(loaded).refused == 1 && stats_of(loaded).bad_frees == 1);
    assert_ok(clade_kma_clear(loaded, NULL)); /* forgets what the file had counted, too */
    const clade_kma_stats stats = stats_of(loaded);
    assert_true(stats.refused == 0 && stats.bad_frees == 0);
    assert_true(stats.superblocks_created == 0 && stats.superblocks_returned == 0);
    assert_ok(clade_kma_check(loaded, more, 0));
    close_kma(f, &loaded);

    size_t size;
    char *bytes = scratch_read(path, &size);
    bytes[size / 2] ^= 1;
    char *damaged = scratch_file(folder, "damaged", bytes, size);
    assert_fails(clade_kma_load(&loaded, f->context, damaged), CLADE_E_CORRUPT);
    assert_null(loaded);
    free(bytes);
    free(damaged);
    free(path);
    scratch_remove(folder);
}

/* Blocks, what is in them and what is counted stay; the new pages are there to be had. */
static void grow_and_look(struct fixture *f, int debug)
{
    enum { SIZE = 1000, MOST = 4096, SOME = 100 };
    const uint64_t less = fixture_is_interpreted(f) ? 1 << 18 : 1 << 20, more = 3 * less,
                   most = 8 << 20;
    const uint32_t count = fixture_fewer(f, MOST);
    uint32_t refs[2][MOST], pattern[SOME];
    char *folder = scratch_make(), *path = scratch_path(folder, "grown");
    clade_kma *kma = NULL, *loaded = NULL;
    clade_kma_stats before, after;
    uint64_t live = 0;
    assert_ok(clade_kma_create(
        &kma, f->context, &(clade_kma_params) { .bytes = less, .most = most, .debug = debug }));
    assert_ok(clade_kma_malloc(kma, clade_no_array(), SIZE, clade_host(refs[0]), count, NULL));
    assert_ok(clade_kma_stats_read(kma, &before));
    assert_true(before.refused > 0 && before.bytes == less && before.used_bytes < less);
    for (size_t i = 0; i < count; i++) /* those that were given out, to the front */
        if (refs[0][i] != CLADE_NIL)
            refs[0][live++] = refs[0][i];
    assert_int_equal(live, before.live_blocks);
    for (uint32_t i = 0; i < SOME; i++) {
        pattern[i] = 0xabc00000u + i;
        fixture_write(f, clade_kma_mem(kma), (refs[0][i] - 1) * 16ull, &pattern[i], 4);
    }
    assert_fails(clade_kma_save(kma, path), CLADE_E_UNSUPPORTED);
    assert_fails(clade_kma_grow(kma, less - (16 << 10), NULL), CLADE_E_ARG);
    assert_fails(clade_kma_grow(kma, most + (16 << 10), NULL), CLADE_E_ARG);
    assert_message("8388608 at most");
    assert_ok(clade_kma_grow(kma, more + 5, NULL));
    assert_ok(clade_kma_check(kma, refs[0], live));
    assert_ok(clade_kma_stats_read(kma, &after));
    assert_int_equal(after.bytes, more);
    assert_int_equal(after.used_bytes, before.used_bytes);
    assert_int_equal(after.live_blocks, before.live_blocks);
    assert_int_equal(after.heap_bytes - before.heap_bytes, more - less);
    for (uint32_t i = 0; i < SOME; i++) {
        uint32_t word;
        fixture_read(f, clade_kma_mem(kma), (refs[0][i] - 1) * 16ull, &word, 4);
        assert_int_equal(word, pattern[i]);
    }
    assert_ok(clade_kma_malloc(kma, clade_no_array(), SIZE, clade_host(refs[1]), SOME, NULL));
    uint32_t beyond = 0;
    for (uint32_t i = 0; i < SOME; i++) {
        assert_int_not_equal(refs[1][i], CLADE_NIL);
        beyond += (refs[1][i] - 1) * 16ull >= less;
    }
    assert_true(beyond > 0);
    assert_ok(clade_kma_free(kma, clade_host(refs[0]), live, NULL));
    assert_ok(clade_kma_check(kma, refs[1], SOME));
    assert_ok(clade_kma_clear(kma, NULL)); /* with what it has now */
    assert_ok(clade_kma_check(kma, refs[1], 0));
    assert_ok(clade_kma_malloc(kma, clade_no_array(), more / 3 * 2, clade_host(refs[1]), 1, NULL));
    assert_true(refs[1][0] != CLADE_NIL);
    assert_ok(clade_kma_grow(kma, most, NULL));
    assert_ok(clade_kma_grow(kma, most, NULL)); /* nothing to do */
    assert_ok(clade_kma_check(kma, refs[1], 1));
    assert_ok(clade_kma_save(kma, path));
    assert_ok(clade_kma_load(&loaded, f->context, path));
    assert_ok(clade_kma_check(loaded, refs[1], 1));
    free(path);
    scratch_remove(folder);
    clade_kma_destroy(&loaded);
    clade_kma_destroy(&kma);
}

static void a_grown_heap_keeps_its_blocks(void **state)
{
    struct fixture *f = *state;
    clade_kma *kma = NULL;
    grow_and_look(f, 0);
    if (!fixture_launches_slowly(f))
        grow_and_look(f, 1);
    assert_fails(clade_kma_create(&kma, f->context,
                                  &(clade_kma_params) { .bytes = 1 << 20, .most = 1 << 19 }),
                 CLADE_E_ARG);
    assert_message("cannot grow");
}

/* Lists would be led by what others write into their nodes, and free blocks of others. */
static void clear_is_refused_while_lists_have_blocks(void **state)
{
    struct fixture *f = *state;
    const uint32_t key = 7;
    clade_kma *kma = open_kma(f, 1 << 20, 0);
    for (int own = 0; own < 2; own++) {
        const clade_semilist_params semi = { .capacity = 8, .kma = own ? NULL : kma };
        const clade_arraylist_params array = { .capacity = 8,
                                               .element_bytes = 4,
                                               .kma = own ? NULL : kma };
        clade_semilist *semilist;
        clade_arraylist *arraylist;
        uint64_t size;
        assert_ok(clade_semilist_create(&semilist, f->context, &semi));
        assert_ok(clade_arraylist_create(&arraylist, f->context, &array));
        assert_ok(clade_semilist_append(semilist, clade_host(&key), clade_no_array(),
                                        clade_no_array(), 1, NULL));
        assert_fails(clade_kma_clear(clade_semilist_kma(semilist), NULL), CLADE_E_ARG);
        assert_message(own ? "(1)" : "(2)");
        assert_fails(clade_kma_clear(clade_arraylist_kma(arraylist), NULL), CLADE_E_ARG);
        assert_ok(clade_semilist_check(semilist));
        assert_ok(clade_semilist_size(semilist, &size));
        assert_int_equal(size, 1);
        clade_semilist_destroy(&semilist);
        clade_arraylist_destroy(&arraylist);
    }
    assert_ok(clade_kma_clear(kma, NULL));
    assert_int_equal(stats_of(kma).live_blocks, 0);
    close_kma(f, &kma);
}

static void clear_frees_everything(void **state)
{
    struct fixture *f = *state;
    enum { COUNT = 1000 };
    clade_kma *kma = open_kma(f, 4 << 20, 0);
    uint32_t refs[COUNT];
    assert_ok(clade_kma_malloc(kma, clade_no_array(), 700, clade_host(refs),
                               fixture_fewer(f, COUNT), NULL));
    assert_ok(clade_kma_clear(kma, NULL));
    assert_ok(clade_kma_check(kma, refs, 0));
    assert_int_equal(stats_of(kma).live_blocks, 0);
    assert_int_equal(stats_of(kma).peak_bytes, 0);
    close_kma(f, &kma);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sizes_that_cannot_be_are_refused_with_the_limit),
        cmocka_unit_test(blocks_are_their_owners_alone),
        cmocka_unit_test(rounds_with_room),
        cmocka_unit_test(rounds_that_run_out_in_the_middle),
        cmocka_unit_test(malloc_and_free_run_together),
        cmocka_unit_test(malloc_and_free_run_together_while_memory_is_out),
        cmocka_unit_test(guarded_blocks_run_together),
        cmocka_unit_test(a_heap_fills_before_it_refuses_and_empties_again),
        cmocka_unit_test(cycling_through_sizes_does_not_fragment_away),
        cmocka_unit_test(blocks_of_pages_reach_the_whole_heap),
        cmocka_unit_test(a_saved_allocator_comes_back_with_its_blocks),
        cmocka_unit_test(a_grown_heap_keeps_its_blocks),
        cmocka_unit_test(clear_frees_everything),
        cmocka_unit_test(clear_is_refused_while_lists_have_blocks),
        cmocka_unit_test(a_new_heap_lies_ready_and_is_empty),
        cmocka_unit_test(a_bare_heap_has_nothing_ready),
        cmocka_unit_test(a_file_keeps_whether_a_heap_lies_ready),
    };
    return fixture_run("kma", tests);
}

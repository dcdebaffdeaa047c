/* SPDX-License-Identifier: Apache-2.0 */
/* Large heaps of clade_kma, in which superblocks lie ready or do not. */
#include "kma/kma_ready.h"

#include <inttypes.h>

#include "kma/kma_load.h"
#include "harness/scratch.h"

#define LARGE ((uint64_t)560 << 20)

static clade_kma *open_large(struct fixture *f, int bare)
{
    clade_kma *kma = NULL;
    if (f->caps->alloc_bytes_max < LARGE) {
        printf("skipped: a buffer of this device holds %" PRIu64 " bytes\n",
               f->caps->alloc_bytes_max);
        skip();
    }
    assert_ok(
        clade_kma_create(&kma, f->context, &(clade_kma_params) { .bytes = LARGE, .bare = bare }));
    return kma;
}

/* How many superblocks a new heap with nothing ready makes for these blocks. */
static uint64_t superblocks_for(struct fixture *f, const uint64_t *sizes, uint32_t count)
{
    clade_kma *kma = open_large(f, 1);
    uint32_t *refs = test_calloc(count, sizeof *refs);
    assert_ok(clade_kma_malloc(kma, clade_host(sizes), 0, clade_host(refs), count, NULL));
    const uint64_t created = stats_of(kma).superblocks_created;
    test_free(refs);
    clade_kma_destroy(&kma);
    return created;
}

static void assert_one_block_has_all(struct fixture *f, clade_kma *kma)
{
    uint32_t all = 0;
    if (f->caps->loop_limit) {
        print_message("skipped: one block of all: this driver ends the loops that sweep\n");
        return;
    }
    assert_ok(clade_kma_malloc(kma, clade_no_array(), stats_of(kma).heap_bytes, clade_host(&all), 1,
                               NULL));
    assert_int_not_equal(all, 0);
    assert_ok(clade_kma_check(kma, &all, 1));
    assert_int_equal(stats_of(kma).kept_bytes, 0);
    assert_int_equal(stats_of(kma).bad_frees, 0);
}

/* A heap of 512 MiB and more has superblocks ready when it is new: they serve most first requests,
 * nobody is refused anything for them, and an empty heap is told to be empty. */
void a_new_heap_lies_ready_and_is_empty(void **state)
{
    struct fixture *f = *state;
    const uint32_t count = (uint32_t)fixture_scaled(2000, 20000, 200000);
    clade_kma *kma = open_large(f, 0);
    struct random random = random_from(f->seed);
    uint64_t *sizes = test_calloc(count, sizeof *sizes);
    uint32_t *refs = test_calloc(count, sizeof *refs);
    for (int turn = 0; turn < 2; turn++) {
        const clade_kma_stats fresh = stats_of(kma);
        assert_ok(clade_kma_check(kma, refs, 0));
        assert_int_equal(fresh.used_bytes, 0);
        assert_int_equal(fresh.longest_free_bytes, fresh.heap_bytes);
        assert_int_equal(fresh.kept_bytes, fresh.peak_bytes);
        assert_true(fresh.superblocks > 0 && fresh.kept_bytes <= fresh.bytes / 24);

        for (uint32_t i = 0; i < count; i++)
            sizes[i] = 1 + random_below(&random, i < 200 ? 512 : 3000);
        assert_ok(clade_kma_malloc(kma, clade_host(sizes), 0, clade_host(refs), 200, NULL));
        assert_ok(clade_kma_check(kma, refs, 200));
        assert_true(stats_of(kma).superblocks_created - fresh.superblocks <
                    superblocks_for(f, sizes, 200));
        assert_true(stats_of(kma).used_bytes > 0);
        assert_ok(clade_kma_free(kma, clade_host(refs), 200, NULL));
        assert_int_equal(stats_of(kma).used_bytes, 0);
        assert_ok(clade_kma_malloc(kma, clade_host(sizes), 0, clade_host(refs), count, NULL));
        assert_ok(clade_kma_check(kma, refs, count));
        assert_ok(clade_kma_free(kma, clade_host(refs), count, NULL));
        if (turn == 0) /* and one block may have it all, ready or not */
            assert_ok(clade_kma_clear(kma, NULL));
        assert_one_block_has_all(f, kma);
        assert_ok(clade_kma_clear(kma, NULL));
    }
    close_kma(f, &kma);
    test_free(sizes);
    test_free(refs);
}

static void assert_nothing_lies_ready(clade_kma *kma)
{
    const clade_kma_stats stats = stats_of(kma);
    assert_int_equal(stats.superblocks, 0);
    assert_int_equal(stats.superblocks_created, 0);
    assert_int_equal(stats.kept_bytes, 0);
    assert_int_equal(stats.peak_bytes, 0);
    assert_int_equal(stats.longest_free_bytes, stats.heap_bytes);
}

/* Nor does it in a small heap, or under guard. */
void a_bare_heap_has_nothing_ready(void **state)
{
    struct fixture *f = *state;
    uint32_t refs[200];
    clade_kma *kma = open_kma(f, 8 << 20, 0);
    assert_nothing_lies_ready(kma);
    close_kma(f, &kma);
    if (f->caps->alloc_bytes_max >= LARGE) {
        kma = open_kma(f, LARGE, 1);
        assert_nothing_lies_ready(kma);
        close_kma(f, &kma);
    }
    kma = open_large(f, 1);
    for (int turn = 0; turn < 2; turn++) {
        assert_nothing_lies_ready(kma);
        assert_ok(clade_kma_malloc(kma, clade_no_array(), 100, clade_host(refs), 200, NULL));
        assert_ok(clade_kma_check(kma, refs, 200));
        assert_true(stats_of(kma).superblocks_created > 0 && stats_of(kma).peak_bytes > 0);
        assert_ok(clade_kma_free(kma, clade_host(refs), 200, NULL));
        assert_one_block_has_all(f, kma);
        assert_ok(clade_kma_clear(kma, NULL));
    }
    close_kma(f, &kma);
}

/* A file has one kind of heap or the other, and clearing what was loaded makes it that again. */
void a_file_keeps_whether_a_heap_lies_ready(void **state)
{
    struct fixture *f = *state;
    enum { COUNT = 200 };
    if (fixture_is_small()) {
        print_message("skipped: files of 560 MiB; CLADE_TEST_SIZE=normal writes them\n");
        skip();
    }
    for (int bare = 0; bare < 2; bare++) {
        clade_kma *kma = open_large(f, bare), *loaded = NULL;
        char *folder = scratch_make(), *path = scratch_path(folder, "heap");
        uint32_t refs[COUNT];
        const clade_kma_stats fresh = stats_of(kma);
        assert_true(bare ? fresh.kept_bytes == 0 : fresh.kept_bytes > 0);
        assert_ok(clade_kma_malloc(kma, clade_no_array(), 100, clade_host(refs), COUNT, NULL));
        const clade_kma_stats saved = stats_of(kma);
        assert_ok(clade_kma_save(kma, path));
        close_kma(f, &kma);
        assert_ok(clade_kma_load(&loaded, f->context, path));
        scratch_remove(folder);
        free(path);
        assert_ok(clade_kma_check(loaded, refs, COUNT));
        assert_int_equal(stats_of(loaded).superblocks, saved.superblocks);
        assert_int_equal(stats_of(loaded).kept_bytes, saved.kept_bytes);
        assert_ok(clade_kma_free(loaded, clade_host(refs), COUNT, NULL));
        assert_one_block_has_all(f, loaded);
        assert_ok(clade_kma_clear(loaded, NULL));
        assert_int_equal(stats_of(loaded).kept_bytes, fresh.kept_bytes);
        assert_int_equal(stats_of(loaded).superblocks_created, fresh.superblocks_created);
        assert_ok(clade_kma_check(loaded, refs, 0));
        close_kma(f, &loaded);
    }
}

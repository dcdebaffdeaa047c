/* SPDX-License-Identifier: Apache-2.0 */
/* clade_kma: misuse is told, the forms of malloc keep their promises, KMA's limits are gone. */
#include <inttypes.h>

#include "harness/late.h"
#include "kma/kma_load.h"

/* --- misuse ----------------------------------------------------------------------------------- */

static void bad_frees_are_counted_and_change_nothing(void **state)
{
    struct fixture *f = *state;
    enum { COUNT = 100 };
    clade_kma *kma = open_kma(f, 4 << 20, 0);
    uint32_t refs[COUNT], big = 0;
    assert_ok(clade_kma_malloc(kma, clade_no_array(), 48, clade_host(refs), COUNT, NULL));
    assert_ok(clade_kma_malloc(kma, clade_no_array(), 50000, clade_host(&big), 1, NULL));
    uint32_t bad[] = { refs[5] + 1, refs[5] + 2, 1, 0xffffffffu, big + 1, big + 1024, 0 };
    assert_ok(clade_kma_free(kma, clade_host(bad), 7, NULL));
    assert_int_equal(stats_of(kma).bad_frees, 6);
    assert_ok(clade_kma_free(kma, clade_host(&big), 1, NULL));
    assert_ok(clade_kma_free(kma, clade_host(&big), 1, NULL));
    assert_int_equal(stats_of(kma).bad_frees, 7);
    assert_ok(clade_kma_check(kma, refs, COUNT));
    assert_ok(clade_kma_free(kma, clade_host(refs), COUNT / 2, NULL));
    assert_ok(clade_kma_free(kma, clade_host(refs), COUNT / 2, NULL));
    assert_int_equal(stats_of(kma).bad_frees, 7 + COUNT / 2);
    assert_ok(clade_kma_check(kma, refs + COUNT / 2, COUNT / 2));
    close_kma(f, &kma);
}

static void debug_mode_names_the_fault_the_ref_and_the_item(void **state)
{
    struct fixture *f = *state;
    clade_kma *kma = open_kma(f, 1 << 20, 1);
    cl_mem mem = clade_kma_mem(kma), refs_mem = fixture_buffer(f, 4, NULL);
    cl_kernel kernel = open_misuse(f, clade_kma_options(kma));
    for (uint32_t how = 0; how <= 4; how++) {
        clade_kma_fault fault;
        uint32_t ref;
        assert_ok(clade_kma_clear(kma, NULL));
        SET(kernel, 0, mem), SET(kernel, 1, how), SET(kernel, 2, refs_mem);
        run_kernel(f, kernel, 1, 1);
        fixture_read(f, refs_mem, 0, &ref, 4);
        assert_ok(clade_kma_fault_read(kma, &fault));
        assert_int_equal(fault.kind, how);
        if (how != 0)
            assert_int_equal(fault.ref, how == 2 ? ref + 1 : ref);
        assert_int_equal(fault.item, 0);
        assert_ok(clade_kma_fault_read(kma, &fault));
        assert_int_equal(fault.kind, 0);
    }
    const uint32_t left = 5;
    assert_ok(clade_kma_clear(kma, NULL));
    SET(kernel, 1, left);
    run_kernel(f, kernel, 1, 1);
    assert_fails(clade_kma_check(kma, NULL, 0), CLADE_E_CORRUPT);
    assert_message("past its end");
    assert_int_equal(stats_of(kma).requested_bytes, 40);
    /* A block of pages: sound, then with its guard spoiled, which lies before it. */
    const uint32_t pages = 6, nothing = 0;
    uint32_t ref;
    assert_ok(clade_kma_clear(kma, NULL));
    SET(kernel, 1, pages);
    run_kernel(f, kernel, 1, 1);
    fixture_read(f, refs_mem, 0, &ref, 4);
    assert_ok(clade_kma_check(kma, NULL, 0));
    assert_int_equal(stats_of(kma).requested_bytes, 40000);
    fixture_write(f, mem, (uint64_t)(ref - 2) * 16, &nothing, 4);
    assert_fails(clade_kma_check(kma, NULL, 0), CLADE_E_CORRUPT);
    assert_message("lost its guard");
    /* With its guard this would be 16 bytes more than a number of 64 bits holds. */
    assert_ok(clade_kma_clear(kma, NULL));
    assert_ok(clade_kma_malloc(kma, clade_no_array(), ~(uint64_t)0, clade_host(&ref), 1, NULL));
    assert_int_equal(ref, 0);
    assert_int_equal(stats_of(kma).refused, 1);
    clReleaseKernel(kernel);
    clReleaseMemObject(refs_mem);
    close_kma(f, &kma);
}

/* A kernel built without debug mode is refused by an allocator in debug mode, and the host is told.
 */
static void kernels_without_guards_get_nothing(void **state)
{
    struct fixture *f = *state;
    clade_kma_fault fault;
    clade_kma *kma = open_kma(f, 1 << 20, 1);
    cl_mem mem = clade_kma_mem(kma), refs_mem = fixture_buffer(f, 4, NULL);
    cl_kernel kernel = open_misuse(f, NULL);
    const uint32_t how = 9;
    uint32_t ref = 1;
    SET(kernel, 0, mem), SET(kernel, 1, how), SET(kernel, 2, refs_mem);
    run_kernel(f, kernel, 1, 1);
    fixture_read(f, refs_mem, 0, &ref, 4);
    assert_int_equal(ref, 0);
    assert_ok(clade_kma_check(kma, NULL, 0));
    assert_fails(clade_kma_fault_read(kma, &fault), CLADE_E_ARG);
    assert_message("without debug mode");
    assert_int_equal(fault.kind, CLADE_KMA_FAULT_NONE);
    assert_ok(clade_kma_fault_read(kma, &fault));
    /* A fault that was met before does not hide it. */
    cl_kernel guarded = open_misuse(f, clade_kma_options(kma));
    const uint32_t twice = CLADE_KMA_FAULT_DOUBLE_FREE;
    SET(guarded, 0, mem), SET(guarded, 1, twice), SET(guarded, 2, refs_mem);
    run_kernel(f, guarded, 1, 1);
    run_kernel(f, kernel, 1, 1);
    assert_fails(clade_kma_fault_read(kma, &fault), CLADE_E_ARG);
    assert_message("without debug mode");
    assert_int_equal(fault.kind, CLADE_KMA_FAULT_DOUBLE_FREE);
    /* One that was cleared has nothing to tell, nor was it ever full. */
    run_kernel(f, kernel, 1, 1);
    assert_ok(clade_kma_clear(kma, NULL));
    assert_ok(clade_kma_fault_read(kma, &fault));
    assert_ok(clade_kma_malloc(kma, clade_no_array(), 2 << 20, clade_host(&ref), 1, NULL));
    assert_int_equal(ref, 0);
    assert_ok(clade_kma_clear(kma, NULL));
    run_kernel(f, kernel, 1, 1);
    assert_fails(clade_kma_fault_read(kma, &fault), CLADE_E_ARG);
    assert_message("without debug mode");
    clReleaseKernel(guarded);
    clReleaseKernel(kernel);
    clReleaseMemObject(refs_mem);
    close_kma(f, &kma);
}

/* Runs one kernel of kma_variants.cl on all of `count` items, and returns what it counted. */
static uint32_t run_variant(struct fixture *f, clade_kma *kma, const char *name, uint32_t count,
                            uint32_t times)
{
    const uint32_t zero = 0;
    cl_mem mem = clade_kma_mem(kma), wrong_mem = fixture_buffer(f, 4, &zero);
    cl_kernel kernel = open_variant(f, clade_kma_options(kma), name);
    uint32_t wrong = 1;
    SET(kernel, 0, mem), SET(kernel, 1, count), SET(kernel, 2, times), SET(kernel, 3, wrong_mem);
    run_kernel(f, kernel, count, 32);
    fixture_read(f, wrong_mem, 0, &wrong, 4);
    clReleaseKernel(kernel);
    clReleaseMemObject(wrong_mem);
    return wrong;
}

static void calloc_clears_and_realloc_keeps(void **state)
{
    fixture_compiles_long(*state);
    struct fixture *f = *state;
    const uint32_t count = (uint32_t)fixture_scaled(64, 2000, 20000), none = 0;
    for (int debug = 0; debug <= !fixture_is_small(); debug++) { /* they compile for long */
        clade_kma *kma = open_kma(f, (uint64_t)count * 16000 + (1 << 20), debug);
        clade_kma_fault fault;
        assert_int_equal(run_variant(f, kma, "kma_calloc", count, 4), 0);
        assert_int_equal(run_variant(f, kma, "kma_realloc", count, 8), 0);
        assert_int_equal(stats_of(kma).refused, 0);
        assert_int_equal(stats_of(kma).bad_frees, 0);
        assert_ok(clade_kma_check(kma, &none, 0));
        assert_ok(clade_kma_fault_read(kma, &fault));
        assert_int_equal(fault.kind, 0);
        close_kma(f, &kma);
    }
}

static void calloc_refuses_a_product_beyond_64_bits(void **state)
{
    fixture_compiles_long(*state);
    struct fixture *f = *state;
    clade_kma *kma = open_kma(f, 1 << 20, 0);
    const uint64_t number = (uint64_t)1 << 40, size = ((uint64_t)1 << 24) + 1;
    const uint32_t zero = 0;
    uint32_t wrong = 1;
    cl_mem mem = clade_kma_mem(kma), wrong_mem = fixture_buffer(f, 4, &zero);
    cl_kernel kernel = open_variant(f, clade_kma_options(kma), "kma_calloc_huge");
    SET(kernel, 0, mem), SET(kernel, 1, number), SET(kernel, 2, size), SET(kernel, 3, wrong_mem);
    run_kernel(f, kernel, 1, 1);
    fixture_read(f, wrong_mem, 0, &wrong, 4);
    assert_int_equal(wrong, 0);
    assert_int_equal(stats_of(kma).refused, 1);
    clReleaseKernel(kernel);
    clReleaseMemObject(wrong_mem);
    close_kma(f, &kma);
}

/* refs[0 .. count) from kma_aligned; returns how many are not nil. */
static uint32_t ask_aligned(struct fixture *f, clade_kma *kma, uint32_t bytes, uint32_t align,
                            uint32_t *refs, uint32_t count)
{
    const uint32_t zero = 0;
    uint32_t wrong = 1, got = 0;
    cl_mem mem = clade_kma_mem(kma), wrong_mem = fixture_buffer(f, 4, &zero);
    cl_mem refs_mem = fixture_buffer(f, count * 4ul, refs);
    cl_kernel kernel = open_variant(f, clade_kma_options(kma), "kma_aligned");
    SET(kernel, 0, mem), SET(kernel, 1, count), SET(kernel, 2, bytes), SET(kernel, 3, align);
    SET(kernel, 4, refs_mem), SET(kernel, 5, wrong_mem);
    run_kernel(f, kernel, count, 32);
    fixture_read(f, wrong_mem, 0, &wrong, 4);
    fixture_read(f, refs_mem, 0, refs, count * 4ul);
    assert_int_equal(wrong, 0);
    for (uint32_t i = 0; i < count; i++)
        got += refs[i] != 0;
    clReleaseKernel(kernel);
    clReleaseMemObject(wrong_mem);
    clReleaseMemObject(refs_mem);
    return got;
}

static void blocks_are_aligned_on_request(void **state)
{
    fixture_compiles_long(*state);
    struct fixture *f = *state;
    enum { COUNT = 121 };
    for (int debug = 0; debug <= !fixture_is_small(); debug++) { /* they compile for long */
        clade_kma *kma = open_kma(f, 8 << 20, debug);
        uint32_t refs[COUNT];
        assert_int_equal(ask_aligned(f, kma, 100, 0, refs, COUNT), COUNT);
        assert_ok(clade_kma_check(kma, refs, COUNT));
        assert_ok(clade_kma_free(kma, clade_host(refs), COUNT, NULL));
        assert_int_equal(ask_aligned(f, kma, 100, 48, refs, COUNT), 0);
        assert_int_equal(ask_aligned(f, kma, 100, 32768, refs, COUNT), 0);
        assert_int_equal(stats_of(kma).refused, 2 * COUNT);
        assert_ok(clade_kma_check(kma, refs, 0));
        close_kma(f, &kma);
    }
}

/* When pages are out, requests are served from cells of larger sizes: not those for which such
 * a cell would lie wrong. */
static void blocks_are_aligned_while_memory_is_out(void **state)
{
    fixture_compiles_long(*state);
    struct fixture *f = *state;
    clade_kma *kma = open_kma(f, 1 << 19, 0);
    uint32_t *refs = test_calloc(1 << 15, sizeof *refs), *more = test_calloc(512, sizeof *more);
    assert_ok(clade_kma_malloc(kma, clade_no_array(), 80, clade_host(refs), 1 << 15, NULL));
    size_t live = compact(refs, 1 << 15);
    assert_in_range(live, 1000, (1 << 15) - 1);
    uint32_t *gone = test_calloc(live, sizeof *gone);
    size_t freed = 0, kept = 0;
    for (size_t i = 0; i < live; i++) { /* every other one: no page becomes free */
        if (i % 2 == 0)
            gone[freed++] = refs[i];
        else
            refs[kept++] = refs[i];
    }
    assert_ok(clade_kma_free(kma, clade_host(gone), freed, NULL));
    ask_aligned(f, kma, 64, 64, more, 512);
    kept += compact(more, 512);
    assert_int_equal(stats_of(kma).live_blocks, kept);
    assert_ok(clade_kma_malloc(kma, clade_no_array(), 64, clade_host(more), 512, NULL));
    assert_true(compact(more, 512) > 0);
    close_kma(f, &kma);
    test_free(gone);
    test_free(refs);
    test_free(more);
}

/* --- many items, little memory ---------------------------------------------------------------- */

/* All items at once take two blocks each from 2 MiB, a quarter of it or so altogether. While many
 * have a superblock in their hands there may be no free page: whoever comes late finds what they
 * give back. */
static void a_small_heap_serves_many_items(void **state)
{
    fixture_compiles_long(*state);
    struct fixture *f = *state;
    const uint32_t count = (uint32_t)fixture_scaled(1024, 4096, 4096), zero = 0;
    const uint32_t groups[] = { 8, 64 };
    uint32_t *refs = test_calloc(2ul * count, sizeof *refs);
    clade_kma *kma = open_kma(f, 2 << 20, 0);
    cl_kernel kernel = open_variant(f, clade_kma_options(kma), "kma_twice");
    cl_mem mem = clade_kma_mem(kma), wrong_mem = fixture_buffer(f, 4, &zero);
    cl_mem refs_mem = fixture_buffer(f, count * 8ul, refs);
    for (uint32_t turn = 0; turn < 20; turn++) {
        const uint32_t sizes[] = { 64, 0, 16, 100, 1 }, bytes = sizes[turn % 10 / 2];
        uint32_t wrong = 1, nils = 0;
        assert_ok(clade_kma_clear(kma, NULL));
        SET(kernel, 0, mem), SET(kernel, 1, count), SET(kernel, 2, bytes);
        SET(kernel, 3, refs_mem), SET(kernel, 4, wrong_mem);
        run_kernel(f, kernel, count, groups[turn % 2]);
        fixture_read(f, wrong_mem, 0, &wrong, 4);
        fixture_read(f, refs_mem, 0, refs, count * 8ul);
        for (uint32_t i = 0; i < 2 * count; i++)
            nils += refs[i] == 0;
        if (nils != 0)
            printf("  turn %" PRIu32 ", %" PRIu32 " bytes: %" PRIu32 " of %" PRIu32 " refused\n",
                   turn, bytes, nils, 2 * count);
        assert_int_equal(wrong, 0);
        assert_int_equal(stats_of(kma).refused, nils);
        assert_ok(clade_kma_check(kma, refs, compact(refs, 2ul * count)));
        if (f->caps->is_cpu || bytes > 1) /* on a GPU many sizes may be in each other's way */
            assert_int_equal(nils, 0);
    }
    clReleaseKernel(kernel);
    clReleaseMemObject(wrong_mem);
    clReleaseMemObject(refs_mem);
    close_kma(f, &kma);
    test_free(refs);
}

/* --- a block for each item of a group --------------------------------------------------------- */

/* Runs kma_group on `groups` groups; returns how many times an item got nothing. */
static uint32_t ask_for_groups(struct fixture *f, clade_kma *kma, uint32_t bytes, uint32_t groups,
                               uint32_t size, uint32_t *refs)
{
    uint32_t counts[2] = { 0, 0 };
    cl_mem mem = clade_kma_mem(kma), refs_mem = fixture_buffer(f, groups * size * 4ul, refs);
    cl_mem wrong_mem = fixture_buffer(f, 4, &counts[0]),
           nils_mem = fixture_buffer(f, 4, &counts[1]);
    cl_kernel kernel = open_variant(f, clade_kma_options(kma), "kma_group");
    SET(kernel, 0, mem), SET(kernel, 1, bytes), SET(kernel, 2, refs_mem);
    SET(kernel, 3, wrong_mem), SET(kernel, 4, nils_mem);
    set_arg(kernel, 5, 4ul * (size < 64 ? 64 : size), NULL);
    run_kernel(f, kernel, (size_t)groups * size, size);
    fixture_read(f, wrong_mem, 0, &counts[0], 4);
    fixture_read(f, nils_mem, 0, &counts[1], 4);
    fixture_read(f, refs_mem, 0, refs, groups * size * 4ul);
    assert_int_equal(counts[0], 0);
    clReleaseKernel(kernel);
    clReleaseMemObject(refs_mem);
    clReleaseMemObject(wrong_mem);
    clReleaseMemObject(nils_mem);
    return counts[1];
}

/* Full sub-groups, a rest of one, less than one; with room, and with too little. */
static void groups_get_a_block_for_each_item(void **state)
{
    struct fixture *f = *state;
    static const uint32_t sizes[] = { 128, 72, 20 };
    const uint32_t groups = (uint32_t)fixture_scaled(6, 100, 1000);
    uint32_t *refs = test_calloc(groups * 128ul, sizeof *refs);
    for (size_t s = 0; s < 3; s += fixture_scaled(2, 1, 1)) { /* each is a program */
        const uint32_t count = groups * sizes[s];
        clade_kma *kma = open_kma(f, (uint64_t)count * 4000 + (2 << 20), 0);
        assert_int_equal(ask_for_groups(f, kma, 100, groups, sizes[s], refs), 0);
        assert_ok(clade_kma_check(kma, refs, count));
        assert_ok(clade_kma_free(kma, clade_host(refs), count, NULL));
        assert_int_equal(ask_for_groups(f, kma, 0, groups, sizes[s], refs), 3 * count);
        assert_int_equal(stats_of(kma).bad_frees, 0);
        assert_ok(clade_kma_check(kma, refs, 0));
        close_kma(f, &kma);
    }
    clade_kma *kma = open_kma(f, groups * 128ul * 200 + (1 << 18), 0);
    const uint32_t nils = ask_for_groups(f, kma, 400, groups, 128, refs);
    assert_in_range(nils, 1, 3 * groups * 128);
    assert_int_equal(stats_of(kma).refused, nils);
    assert_ok(clade_kma_check(kma, refs, compact(refs, groups * 128ul)));
    close_kma(f, &kma);
    test_free(refs);
}

/* --- KMA's limits, which this allocator must not have ------------------------------------------
 */

/* KMA: blocks of at most 4,080 bytes. Here they may be large, and wherever the smaller ones were
 * put (that is by chance), half of the heap lies in one piece for the largest. */
static void a_block_may_be_larger_than_a_superblock(void **state)
{
    struct fixture *f = *state;
    clade_kma *kma = open_kma(f, 8 << 20, 0);
    enum { ROUNDS = 50 };
    const uint64_t sizes[] = { 4080, 4081, 16384, 16385, 524288, 524289, 3 << 20 };
    for (int round = 0; round < ROUNDS; round++) {
        uint32_t refs[ROUNDS + 7];
        for (int i = 0; i < 7; i++) { /* one by one, by other work-items in each round */
            uint64_t wanted[ROUNDS + 7] = { 0 };
            uint32_t got[ROUNDS + 7];
            wanted[round + i] = sizes[i];
            assert_ok(
                clade_kma_malloc(kma, clade_host(wanted), 0, clade_host(got), round + i + 1, NULL));
            assert_int_not_equal(got[round + i], 0);
            refs[round + i] = got[round + i];
        }
        assert_ok(clade_kma_check(kma, refs + round, 7));
        assert_ok(clade_kma_free(kma, clade_host(refs + round), 7, NULL));
    }
    for (int round = 0; round < ROUNDS; round++) { /* all at once: who is refused is counted */
        uint64_t refused = stats_of(kma).refused, none = 0;
        uint32_t refs[7], live = 0;
        assert_ok(clade_kma_malloc(kma, clade_host(sizes), 0, clade_host(refs), 7, NULL));
        for (int i = 0; i < 7; i++) {
            none += refs[i] == 0;
            refs[live] = refs[i];
            live += refs[i] != 0;
        }
        assert_int_equal(stats_of(kma).refused - refused, none);
        if (f->caps->is_cpu) /* on a GPU they may be in each other's way: docs/structures/kma.md */
            assert_int_equal(none, 0);
        assert_ok(clade_kma_check(kma, refs, live));
        assert_ok(clade_kma_free(kma, clade_host(refs), live, NULL));
    }
    close_kma(f, &kma);
}

/* KMA: an item that is refused spins without bound. Here a full heap refuses all, and ends. */
static void a_full_heap_refuses_everybody_and_ends(void **state)
{
    struct fixture *f = *state;
    const uint32_t count = (uint32_t)fixture_scaled(2000, 20000, 1000000);
    clade_kma *kma = open_kma(f, 1 << 18, 0);
    uint32_t *refs = test_calloc(count, sizeof *refs);
    for (int turn = 0; turn < 3; turn++)
        assert_ok(clade_kma_malloc(kma, clade_no_array(), 1000, clade_host(refs), count, NULL));
    for (uint32_t i = 0; i < count; i++)
        assert_int_equal(refs[i], 0);
    assert_true(stats_of(kma).refused >= 2ul * count);
    close_kma(f, &kma);
    test_free(refs);
}

/* KMA: free writes a link into the block, behind the back of whoever still reads it. */
static void a_freed_block_is_not_written_to(void **state)
{
    struct fixture *f = *state;
    enum { COUNT = 300, WORDS = 25 };
    clade_kma *kma = open_kma(f, 1 << 20, 0);
    uint32_t refs[COUNT], other[COUNT], block[WORDS], pattern[WORDS];
    for (uint32_t w = 0; w < WORDS; w++)
        pattern[w] = 0xabcd0000u + w;
    assert_ok(clade_kma_malloc(kma, clade_no_array(), 100, clade_host(refs), COUNT, NULL));
    for (int i = 0; i < COUNT; i++)
        assert_int_equal(clEnqueueWriteBuffer(clade_context_cl_queue(f->context),
                                              clade_kma_mem(kma), CL_TRUE, (refs[i] - 1) * 16ul,
                                              100, pattern, 0, NULL, NULL),
                         CL_SUCCESS);
    assert_ok(clade_kma_free(kma, clade_host(refs), COUNT, NULL));
    assert_ok(clade_kma_malloc(kma, clade_no_array(), 5000, clade_host(other), 20, NULL));
    assert_ok(clade_kma_free(kma, clade_host(other), 20, NULL));
    assert_ok(clade_kma_malloc(kma, clade_no_array(), 100, clade_host(other), COUNT, NULL));
    for (int i = 0; i < COUNT; i++) {
        fixture_read(f, clade_kma_mem(kma), (refs[i] - 1) * 16ul, block, 100);
        assert_memory_equal(block, pattern, 100);
    }
    close_kma(f, &kma);
}

/* KMA: a superblock is of use to others only when all of it is free. Here each of its cells is. */
static void cells_are_used_again_before_their_superblock_is_free(void **state)
{
    clade_kma *kma = open_kma(*state, 1 << 18, 0);
    enum { MOST = 4000 };
    uint32_t *refs = test_calloc(MOST, sizeof *refs), *gone = test_calloc(MOST, sizeof *gone);
    assert_ok(clade_kma_malloc(kma, clade_no_array(), 100, clade_host(refs), MOST, NULL));
    const size_t live = compact(refs, MOST);
    size_t freed = 0;
    assert_in_range(live, 500, MOST - 1); /* full: no page is left */
    for (size_t i = 0; i < live; i += 3)  /* a third of each superblock */
        gone[freed++] = refs[i];
    assert_ok(clade_kma_free(kma, clade_host(gone), freed, NULL));
    assert_ok(clade_kma_malloc(kma, clade_no_array(), 100, clade_host(refs), MOST, NULL));
    assert_int_equal(compact(refs, MOST), freed);
    close_kma(*state, &kma);
    test_free(refs);
    test_free(gone);
}

/* KMA: freeing twice corrupts its lists: bad_frees_are_counted_and_change_nothing. Freed twice at
 * the same time: one of them counts. */
static void two_items_may_free_one_block(void **state)
{
    clade_kma *kma = open_kma(*state, 1 << 20, 0);
    enum { COUNT = 64 };
    uint32_t refs[COUNT], twice[2 * COUNT];
    assert_ok(clade_kma_malloc(kma, clade_no_array(), 32, clade_host(refs), COUNT, NULL));
    for (int i = 0; i < COUNT; i++)
        twice[2 * i] = twice[2 * i + 1] = refs[i];
    assert_ok(clade_kma_free(kma, clade_host(twice), 2 * COUNT, NULL));
    assert_int_equal(stats_of(kma).bad_frees, COUNT);
    assert_ok(clade_kma_check(kma, refs, 0));
    close_kma(*state, &kma);
}

static uint32_t max_ref(const uint32_t *refs, size_t count)
{
    uint32_t most = 0;
    for (size_t i = 0; i < count; i++)
        most = refs[i] > most ? refs[i] : most;
    return most;
}

/* KMA: heaps of at most 256 MiB. */
static void a_heap_may_be_larger_than_256_mib(void **state)
{
    struct fixture *f = *state;
    const uint64_t bytes = (uint64_t)320 << 20;
    if (f->caps->alloc_bytes_max < bytes) {
        printf("skipped: a buffer of this device holds %" PRIu64 " bytes\n",
               f->caps->alloc_bytes_max);
        skip();
    }
    clade_kma *kma = open_kma(f, bytes, 0);
    uint32_t refs[3];
    for (int i = 0; i < 3; i++) {
        assert_ok(
            clade_kma_malloc(kma, clade_no_array(), 100 << 20, clade_host(refs + i), 1, NULL));
        assert_int_not_equal(refs[i], 0);
    }
    assert_true((uint64_t)max_ref(refs, 3) * 16 > (uint64_t)200 << 20);
    assert_ok(clade_kma_check(kma, refs, 3));
    close_kma(f, &kma);
}

/* Who asks for one cell above 2 KiB makes a group of 32 where others find theirs; and no group is
 * shorter because fewer pages were left beside the one before. */
static void large_cells_come_in_full_groups(void **state)
{
    struct fixture *f = *state;
    const uint32_t sizes[] = { 8000, 12000 };
    enum { BLOCKS = 320 };
    uint32_t refs[BLOCKS];
    for (size_t s = 0; s < 2; s++) {
        clade_kma *kma = open_kma(f, 256 << 20, 0);
        const uint64_t before = stats_of(kma).superblocks;
        for (int i = 0; i < BLOCKS; i++)
            assert_ok(
                clade_kma_malloc(kma, clade_no_array(), sizes[s], clade_host(refs + i), 1, NULL));
        const uint64_t made = stats_of(kma).superblocks - before;
        /* Devices that run many items get groups of fewer pages in so small a heap, and items of
         * other multiprocessors look at other hints: an H200 made more than 40. */
        if (f->caps->is_cpu && f->caps->compute_units <= 16)
            assert_true(made <= BLOCKS / 20);
        else
            print_message("[   SKIP ] %" PRIu64
                          " superblocks for %d blocks of %u bytes: how many is "
                          "judged where 16 items at most run at a time\n",
                          made, BLOCKS, sizes[s]);
        assert_ok(clade_kma_check(kma, refs, BLOCKS));
        close_kma(f, &kma);
    }
}

/* A driver may leave loops after so many turns in a launch, whoever took them: then a request is
 * refused, or its block is nobody else's; and the allocator is sound. */
static void blocks_behind_long_loops_are_ones_own(void **state)
{
    struct fixture *f = *state;
    static const char source[] =
        "#include \"clade/kma.clh\"\n"
        "__kernel void late(__global uint *out, uint turns, __global clade_kma_head *kma)\n"
        "{\n"
        "    uint i = (uint)get_global_id(0);\n" LATE_TURNS
        "    out[i] = clade_kma_malloc_wi(kma, (i & 1u) != 0u ? 17000u + 2000u * i : 90u * i);\n"
        "}\n";
    enum { ITEMS = 16, LAUNCHES = 3 };
    uint32_t refs[ITEMS], live[ITEMS * LAUNCHES];
    clade_kma *kma = open_kma(f, 8 << 20, 0);
    cl_mem mem = clade_kma_mem(kma);
    struct late late = late_open(f, source, clade_kma_options(kma), sizeof refs);
    SET(late.kernel, 2, mem);
    for (uint32_t turns = late_turns(&late, 40); turns <= late.limit; turns += 4) {
        uint32_t count = 0;
        assert_ok(clade_kma_clear(kma, NULL));
        for (uint32_t launch = 0; launch < LAUNCHES; launch++) {
            late_run(&late, launch == 1 ? turns : 0, ITEMS, ITEMS / 4, refs);
            for (uint32_t i = 0; i < ITEMS; i++)
                if (refs[i] != 0)
                    live[count++] = refs[i];
        }
        assert_ok(clade_kma_check(kma, live, count));
        assert_in_range(count, (LAUNCHES - 1) * (ITEMS - 1), LAUNCHES * (ITEMS - 1));
    }
    late_close(&late);
    close_kma(f, &kma);
}

/* The same of a group's blocks, whatever was in its local memory before. */
static void groups_behind_long_loops_share_no_block(void **state)
{
    struct fixture *f = *state;
    static const char source[] =
        "#include \"clade/kma.clh\"\n"
        "__kernel void late(__global uint *out, uint turns, __global clade_kma_head *kma,\n"
        "                   __local uint *scratch, uint before)\n"
        "{\n"
        "    uint i = (uint)get_global_id(0);\n"
        "    scratch[i] = i / 32u == 0u ? before / 1024u * 32u : 0xffffffffu;\n" LATE_TURNS
        "    out[i] = clade_kma_malloc_wg(kma, 48u, scratch);\n"
        "}\n";
    enum { ITEMS = 128 };
    uint32_t refs[2 * ITEMS] = { 0 };
    clade_kma *kma = open_kma(f, 8 << 20, 0);
    cl_mem mem = clade_kma_mem(kma);
    struct late late = late_open(f, source, clade_kma_options(kma), sizeof *refs * ITEMS);
    SET(late.kernel, 2, mem);
    assert_int_equal(clSetKernelArg(late.kernel, 3, sizeof(cl_uint) * ITEMS, NULL), CL_SUCCESS);
    for (uint32_t turns = late_turns(&late, 40); turns <= late.limit; turns += 8) {
        uint32_t count = 0;
        assert_ok(clade_kma_clear(kma, NULL));
        for (uint32_t launch = 0; launch < 2; launch++) {
            SET(late.kernel, 4, refs[0]);
            late_run(&late, launch == 1 ? turns : 0, ITEMS, ITEMS, refs + count);
            for (uint32_t i = count, end = count + ITEMS; i < end; i++)
                if (refs[i] != 0)
                    refs[count++] = refs[i];
        }
        assert_ok(clade_kma_check(kma, refs, count));
        assert_in_range(count, ITEMS, 2 * ITEMS);
    }
    late_close(&late);
    close_kma(f, &kma);
}

/* A driver may leave loops after so many turns in a launch, whoever took them: then a sweep does
 * not say that it is done, and the next request finds what there is. */
static void sweeps_behind_long_loops_hide_nothing(void **state)
{
    struct fixture *f = *state;
    static const char source[] =
        "#include \"clade/kma.clh\"\n"
        "__kernel void late(__global uint *out, uint turns, __global clade_kma_head *kma,\n"
        "                   uint bytes)\n"
        "{\n" LATE_TURNS "    out[0] = clade_kma_malloc_wi(kma, bytes);\n"
        "}\n";
    enum { CELL, PAGES, LATE, OTHER, REQUESTS };
    /* The sweep is in its last piece after 250 to 265 turns. */
    uint32_t refs[REQUESTS];
    clade_kma *kma = open_kma(f, 256 << 10, 0);
    cl_mem mem = clade_kma_mem(kma);
    struct late late = late_open(f, source, clade_kma_options(kma), sizeof *refs);
    SET(late.kernel, 2, mem);
    for (uint32_t turns = late_turns(&late, 300); turns <= late_turns(&late, 210); turns += 6) {
        assert_ok(clade_kma_clear(kma, NULL));
        /* A part hint shows what its cell has left; no page is free. */
        for (uint32_t i = 0; i < REQUESTS; i++) {
            const uint32_t bytes = i == CELL    ? 8000
                                   : i == PAGES ? (uint32_t)stats_of(kma).longest_free_bytes
                                   : i == LATE  ? 17000
                                                : 7000;
            SET(late.kernel, 3, bytes);
            late_run(&late, i == LATE ? turns : 0, 1, 1, refs + i);
            assert_int_equal(refs[i] == 0, i == LATE);
            if (i == LATE)
                assert_ok(clade_kma_check(kma, refs, LATE));
        }
    }
    late_close(&late);
    close_kma(f, &kma);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bad_frees_are_counted_and_change_nothing),
        cmocka_unit_test(debug_mode_names_the_fault_the_ref_and_the_item),
        cmocka_unit_test(kernels_without_guards_get_nothing),
        cmocka_unit_test(calloc_clears_and_realloc_keeps),
        cmocka_unit_test(calloc_refuses_a_product_beyond_64_bits),
        cmocka_unit_test(blocks_are_aligned_on_request),
        cmocka_unit_test(blocks_are_aligned_while_memory_is_out),
        cmocka_unit_test(a_small_heap_serves_many_items),
        cmocka_unit_test(groups_get_a_block_for_each_item),
        cmocka_unit_test(a_block_may_be_larger_than_a_superblock),
        cmocka_unit_test(large_cells_come_in_full_groups),
        cmocka_unit_test(a_full_heap_refuses_everybody_and_ends),
        cmocka_unit_test(a_freed_block_is_not_written_to),
        cmocka_unit_test(cells_are_used_again_before_their_superblock_is_free),
        cmocka_unit_test(two_items_may_free_one_block),
        cmocka_unit_test(blocks_behind_long_loops_are_ones_own),
        cmocka_unit_test(groups_behind_long_loops_share_no_block),
        cmocka_unit_test(sweeps_behind_long_loops_hide_nothing),
        cmocka_unit_test(a_heap_may_be_larger_than_256_mib),
    };
    return fixture_run("kma_use", tests);
}

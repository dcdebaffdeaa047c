/* SPDX-License-Identifier: Apache-2.0 */
/* Lists whose nodes are blocks of an allocator, shared with others. */
#include "harness/scratch.h"
#include "list/test_list.h"

clade_kma *open_kma(struct fixture *f, uint64_t bytes)
{
    clade_kma *kma;
    assert_ok(clade_kma_create(&kma, f->context, &(clade_kma_params) { .bytes = bytes }));
    return kma;
}

uint64_t live_blocks(clade_kma *kma)
{
    clade_kma_stats stats;
    assert_ok(clade_kma_check(kma, NULL, 0));
    assert_ok(clade_kma_stats_read(kma, &stats));
    assert_int_equal(stats.bad_frees, 0);
    return stats.live_blocks;
}

void list_in_kma_compiles_long(const struct fixture *f)
{
    const char *options = getenv("CLADE_BUILD_OPTIONS");
    const bool is_plain = options && strstr(options, "-cl-opt-disable");
    if ((f->caps->loop_limit == 0 && !is_plain) || !fixture_is_small())
        return;
    print_message("skipped: compiled for long here; CLADE_TEST_SIZE=normal runs it\n");
    skip();
}

void nodes_in_an_allocator_are_as_good(void **state)
{
    struct fixture *f = *state;
    list_in_kma_compiles_long(f);
    const uint32_t keys = (uint32_t)fixture_scaled(100, 10000, 200000);
    clade_kma *kma = open_kma(f, 64ull * keys + (1 << 20));
    mixed_batches(f, (clade_list_params) { .capacity = 3 * keys, .key = CLADE_U32, .kma = kma },
                  keys, keys / 2, 8);
    assert_int_equal(live_blocks(kma), 0); /* the list is gone, and gave back what it had */
    clade_kma_destroy(&kma);
}

static void add_all(clade_list *list, uint32_t mode, const uint32_t *keys, int32_t *statuses,
                    uint32_t n)
{
    if (mode == CLADE_LIST_ORDERED)
        assert_ok(clade_list_insert(list, clade_host(keys), clade_no_array(), n,
                                    clade_host(statuses), NULL));
    else
        assert_ok(clade_list_insert_front(list, clade_host(keys), n, clade_host(statuses), NULL));
}

/* The allocator has room for 7,168 nodes at most; at normal size there are many times as many. */
void an_allocator_gets_its_blocks_back(void **state)
{
    struct fixture *f = *state;
    enum { KEYS = 500 };
    const int rounds = (int)fixture_scaled(3, 100, 2000);
    uint32_t keys[KEYS];
    int32_t statuses[KEYS];
    list_in_kma_compiles_long(f);
    const uint32_t n = fixture_is_small() ? 60 : KEYS, kept = n / 5;
    clade_kma *kma = open_kma(f, 128 << 10);
    for (uint32_t mode = CLADE_LIST_ORDERED; mode <= CLADE_LIST_UNORDERED; mode++) {
        clade_list *list =
            open_list(f, (clade_list_params) { .capacity = 3 * n, .mode = mode, .kma = kma });
        assert_int_equal(live_blocks(kma), 0);
        for (int round = 0; round < rounds; round++) {
            for (uint32_t i = 0; i < n; i++)
                keys[i] = (i * 7 + (uint32_t)round * 3) % 1000000 + 1;
            add_all(list, mode, keys, statuses, n);
            for (uint32_t i = 0; i < n; i++)
                assert_int_equal(statuses[i], CLADE_OK);
            assert_ok(clade_list_erase(list, clade_host(keys), round + 1 < rounds ? n : n - kept,
                                       clade_host(statuses), NULL));
            assert_ok(clade_list_check(list));
        }
        assert_int_equal(size_of(list), kept);
        assert_true(live_blocks(kma) >= kept); /* erased ones stay until the next reclaim */
        assert_ok(clade_list_reclaim(list, NULL));
        assert_int_equal(live_blocks(kma), kept);
        assert_ok(clade_list_clear(list, NULL));
        assert_int_equal(live_blocks(kma), 0);
        add_all(list, mode, keys, statuses, kept);
        close_list(list);
        assert_int_equal(live_blocks(kma), 0);
    }
    clade_kma_destroy(&kma);
}

void an_allocator_that_is_full_refuses_item_by_item(void **state)
{
    struct fixture *f = *state;
    list_in_kma_compiles_long(f);
    enum { N = 1500, BIG = 6 }; /* all but one page is taken */
    uint32_t big[BIG];
    uint32_t *keys = calloc(N, 4);
    int32_t *statuses = calloc(N, 4);
    clade_kma *kma = open_kma(f, 128 << 10);
    assert_ok(clade_kma_malloc(kma, clade_no_array(), 16 << 10, clade_host(big), BIG, NULL));
    char *folder = scratch_make(), *path = scratch_path(folder, "list");
    for (uint32_t i = 0; i < N; i++)
        keys[i] = i * 3 + 1;
    for (uint32_t mode = fixture_is_small(); mode <= CLADE_LIST_UNORDERED; mode++) {
        uint64_t fit[2] = { 0, 0 };
        clade_list *list =
            open_list(f, (clade_list_params) { .capacity = 2 * N, .mode = mode, .kma = kma });
        for (int turn = 0; turn < 2; turn++) { /* what was erased is had again */
            add_all(list, mode, keys, statuses, N);
            for (uint32_t i = 0; i < N; i++) {
                assert_true(statuses[i] == CLADE_OK || statuses[i] == CLADE_E_FULL);
                fit[turn] += statuses[i] == CLADE_OK;
            }
            assert_in_range(fit[turn], 500, N - 1);
            assert_int_equal(size_of(list), fit[turn]);
            assert_int_equal(live_blocks(kma), BIG + fit[turn]);
            assert_ok(clade_list_check(list));
            assert_ok(clade_list_erase(list, clade_host(keys), N, clade_host(statuses), NULL));
            assert_ok(clade_list_reclaim(list, NULL));
            assert_int_equal(live_blocks(kma), BIG);
        }
        assert_true(fit[1] >= fit[0] - fit[0] / 10);
        assert_fails(clade_list_save(list, path), CLADE_E_UNSUPPORTED);
        assert_message("allocator");
        close_list(list);
    }
    clade_kma_destroy(&kma);
    free(path);
    scratch_remove(folder);
    free(statuses);
    free(keys);
}

/* A check follows no ref out of the buffer, whose allocator has bookkeeping for a larger one. */
void a_block_beyond_the_buffer_is_told(void **state)
{
    struct fixture *f = *state;
    list_in_kma_compiles_long(f);
    const uint32_t keys[3] = { 1, 2, 3 }, beyond = (512 << 20) / 16 - 1;
    int32_t statuses[3];
    clade_kma *kma;
    clade_list_head head;
    assert_ok(clade_kma_create(&kma, f->context,
                               &(clade_kma_params) { .bytes = 8 << 20, .most = 512 << 20 }));
    clade_list *list = open_list(f, (clade_list_params) { .capacity = 60, .kma = kma });
    add_all(list, CLADE_LIST_ORDERED, keys, statuses, 3);
    fixture_read(f, clade_list_mem(list), 0, &head, sizeof head);
    const size_t at = (head.nodes_at + (head.first >> CLADE_LIST_REF_SHIFT) - 1) * sizeof beyond;
    uint32_t block;
    fixture_read(f, clade_list_mem(list), at, &block, sizeof block);
    fixture_write(f, clade_list_mem(list), at, &beyond, sizeof beyond);
    assert_fails(clade_list_check(list), CLADE_E_CORRUPT);
    fixture_write(f, clade_list_mem(list), at, &block, sizeof block);
    close_list(list);
    clade_kma_destroy(&kma);
}

/* Items insert, erase, and keep blocks of their own, all from one allocator. */
void kernels_take_nodes_from_an_allocator(void **state)
{
    struct fixture *f = *state;
    const size_t items = fixture_scaled(128, 4096, 65536), group = 8;
    if (fixture_is_small()) {
        print_message("skipped: a kernel of its own to compile, with the allocator in it\n");
        skip();
    }
    const cl_uint most = (cl_uint)items;
    uint32_t *refs = calloc(items, 4), *keys = calloc(items, 4);
    uint64_t count;
    /* Roomy: while everybody has pages in his hands a small allocator refuses
     * (docs/structures/kma.md). */
    clade_kma *kma = open_kma(f, 64 << 20);
    clade_list *list = open_list(
        f, (clade_list_params) { .capacity = 2 * items, .value = CLADE_NONE, .kma = kma });
    cl_mem mem = clade_list_mem(list), kma_mem = clade_kma_mem(kma);
    cl_mem out = fixture_buffer(f, items * 4, NULL);
    clade_program *program;
    cl_kernel kernel;
    assert_ok(clade_program_build(
        &program, f->context,
        &(clade_program_params) { .file = "list/list_in_kma.cl",
                                  .options = clade_list_options(list),
                                  .include_path = fixture_kernels(TEST_KERNELS) }));
    assert_ok(clade_program_kernel(&kernel, program, "insert_and_keep"));
    fixture_arg(kernel, 0, mem);
    fixture_arg(kernel, 1, kma_mem);
    fixture_arg(kernel, 2, out);
    fixture_arg(kernel, 3, most);
    fixture_launch(f, kernel, items, group);
    fixture_read(f, out, 0, refs, items * 4);
    assert_ok(clade_list_check(list));
    assert_ok(clade_list_read(list, keys, NULL, NULL, items, &count));
    assert_int_equal(count, items / 4); /* multiples of 4 */
    for (uint64_t i = 0; i < count; i++)
        assert_int_equal(keys[i], 4 * i);
    assert_ok(clade_list_reclaim(list, NULL));
    assert_int_equal(live_blocks(kma), items / 4 + items);
    close_list(list);
    assert_ok(clade_kma_check(kma, refs, items)); /* its own blocks are all that is left */
    clReleaseKernel(kernel);
    clade_program_destroy(&program);
    clReleaseMemObject(out);
    clade_kma_destroy(&kma);
    free(keys);
    free(refs);
}

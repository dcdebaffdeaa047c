/* SPDX-License-Identifier: Apache-2.0 */
/* A million rounds of insert and erase of the same keys, in kernels, in memory that stays as it
 * is: a pool with cells for one launch, or an allocator with room for hardly more. */
#include "list/list_lin.h"
#include "list/test_list.h"

enum { ITEMS = 4 };

/* A round: each item's key goes in and out. A launch does `turns` rounds; then comes a
 * reclaim, which gives back what was erased. */
static void many_rounds(struct fixture *f, enum list_history_kind kind, clade_kma *kma,
                        cl_uint turns, uint64_t rounds)
{
    clade_list *list = open_list(f, (clade_list_params) { .capacity = (uint64_t)ITEMS * turns,
                                                          .mode = kind == LIST_HISTORY_UNORDERED,
                                                          .value = CLADE_NONE,
                                                          .kma = kma });
    cl_kernel kernel;
    clade_program *program = list_recorder(f, list, kma, &kernel);
    const size_t items = ITEMS, group = 1;
    const cl_uint words[] = { kind | 4u /* HISTORY_ROUNDS */, 1, 2 * turns, 0 };
    struct list_record ends[ITEMS];
    cl_mem clock = fixture_buffer(f, 4, NULL);
    clade_list_stats before, after;
    assert_ok(clade_list_stats_read(list, &before));
    cl_mem out = fixture_buffer(f, sizeof ends, NULL);
    fixture_arg(kernel, 2, clock);
    fixture_arg(kernel, 3, out);
    for (cl_uint i = 0; i < 4; i++)
        fixture_arg(kernel, 4 + i, words[i]);
    for (uint64_t done = 0; done < rounds; done += turns) {
        fixture_launch(f, kernel, items, group);
        fixture_read(f, out, 0, ends, sizeof ends);
        for (int i = 0; i < ITEMS; i++)
            assert_int_equal(ends[i].status, 0);
        assert_ok(clade_list_reclaim(list, NULL));
    }
    assert_ok(clade_list_stats_read(list, &after));
    assert_int_equal(after.live, 0);
    assert_int_equal(after.free, (uint64_t)ITEMS * turns);
    assert_true(after.bytes == before.bytes);
    if (kma)
        assert_int_equal(live_blocks(kma), 0);
    clReleaseMemObject(out);
    clReleaseMemObject(clock);
    clReleaseKernel(kernel);
    clade_program_destroy(&program);
    close_list(list);
}

static uint64_t round_count(const struct fixture *f)
{
    const uint64_t rounds = fixture_fewer(f, (uint32_t)fixture_scaled(600, 1000000, 1000000));
    if (rounds < 1000000)
        print_message("%llu rounds of %d keys each; CLADE_TEST_SIZE=normal does a million\n",
                      (unsigned long long)rounds, ITEMS);
    return rounds;
}

static cl_uint turns_a_launch(void)
{
    return fixture_is_small() ? 100 : 4000;
}

void a_million_rounds_in_a_pool(void **state)
{
    many_rounds(*state, LIST_HISTORY_SET, NULL, turns_a_launch(), round_count(*state));
}

/* A value that came and went stays in the hash index until the next reclaim, and whoever looks
 * for it passes it: so fewer rounds a launch, least where a load takes long. */
void a_million_rounds_of_a_sequence(void **state)
{
    const struct fixture *f = *state;
    many_rounds(*state, LIST_HISTORY_UNORDERED, NULL, f->caps->is_cpu ? 100 : 16, round_count(f));
}

void a_million_rounds_in_an_allocator(void **state)
{
    struct fixture *f = *state;
    const cl_uint turns = turns_a_launch();
    clade_kma_stats stats;
    list_in_kma_compiles_long(f);
    clade_kma *kma = open_kma(f, (uint64_t)ITEMS * turns * 16 + (256 << 10));
    many_rounds(f, LIST_HISTORY_SET, kma, turns, round_count(f));
    assert_ok(clade_kma_stats_read(kma, &stats));
    assert_int_equal(stats.refused, 0);
    print_message("blocks took %llu bytes at most; a launch needs %u\n",
                  (unsigned long long)stats.peak_bytes, ITEMS * turns * 16u);
    clade_kma_destroy(&kma);
}

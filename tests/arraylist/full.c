/* SPDX-License-Identifier: Apache-2.0 */
/* The array list: what fits, and no more (tests/refusals/refusals.h). */
#include "refusals/refusals.h"

#include <clade/arraylist.h>
#include <clade/kma.h>

static void expect_elements(clade_arraylist *list, uint32_t *words, uint32_t from, uint32_t count)
{
    uint64_t size;
    assert_ok(clade_arraylist_size(list, &size));
    assert_int_equal(size, count);
    assert_ok(clade_arraylist_check(list));
    assert_ok(clade_arraylist_read(list, 0, clade_host(words), count, NULL));
    for (uint32_t i = from; i < count; i++)
        assert_int_equal(words[i], 1 + i);
}

static void array_lists_take_what_fits(void **state)
{
    struct fixture *f = *state;
    fixture_compiles_long(f);
    enum { GROUP = 16 };
    for (size_t i = 0; i < refusals_capacity_count(); i++) {
        const uint32_t capacity = refusals_capacities[i], each = 1 + capacity / 10;
        uint32_t *words = test_calloc(capacity + 1, 4);
        clade_arraylist *list;
        assert_ok(clade_arraylist_create(
            &list, f->context,
            &(clade_arraylist_params) { .capacity = capacity, .element_bytes = 4, .first = 4 }));
        const char *options = clade_arraylist_options(list);
        cl_mem mem = clade_arraylist_mem(list), kma = clade_kma_mem(clade_arraylist_kma(list));
        struct filler wg =
            filler_open(f, "arraylist/full.cl", options, "refusals_append_wg", mem, kma);
        struct filler wi =
            filler_open(f, "arraylist/full.cl", options, "refusals_append_wi", mem, kma);
        filler_word(&wg, each);
        filler_local(&wg, 2 * GROUP + 2);
        filler_word(&wi, each);
        for (int turn = 0; turn < 4; turn++) {
            const uint32_t by_calls = turn == 3 ? capacity / 2 : 0;
            assert_ok(clade_arraylist_append(list, clade_host(words), by_calls, NULL));
            const struct tally by_groups = filler_run(&wg, turn == 1 ? 1 : 5, GROUP);
            const struct tally by_items = filler_run(&wi, turn == 1 ? 1 : 5, GROUP);
            assert_int_equal(by_groups.other + by_items.other, 0);
            assert_int_equal(by_calls + by_groups.taken + by_items.taken, capacity);
            assert_fails(clade_arraylist_append(list, clade_host(words), 1, NULL), CLADE_E_FULL);
            expect_elements(list, words, by_calls, capacity);
            assert_ok(clade_arraylist_clear(list, NULL));
        }
        filler_close(&wg);
        filler_close(&wi);
        clade_arraylist_destroy(&list);
        test_free(words);
    }
}

/* Segments that are many times as large as all before, asked for by all groups at once. */
static void many_groups_fill_an_array_list(void **state)
{
    struct fixture *f = *state;
    fixture_compiles_long(f);
    const uint32_t groups = 16, group = 16, each = (uint32_t)fixture_scaled(300, 4000, 20000);
    const uint32_t capacity = groups * group * (each - 1);
    uint32_t *words = test_calloc(capacity, 4);
    for (uint32_t first = 1; first <= 4096; first *= 64) {
        clade_arraylist *list;
        assert_ok(clade_arraylist_create(&list, f->context,
                                         &(clade_arraylist_params) { .capacity = capacity,
                                                                     .element_bytes = 4,
                                                                     .first = first }));
        struct filler wi =
            filler_open(f, "arraylist/full.cl", clade_arraylist_options(list), "refusals_append_wi",
                        clade_arraylist_mem(list), clade_kma_mem(clade_arraylist_kma(list)));
        filler_word(&wi, each);
        const struct tally tally = filler_run(&wi, groups, group);
        assert_int_equal(tally.taken, capacity);
        assert_int_equal(tally.full, groups * group);
        expect_elements(list, words, 0, capacity);
        filler_close(&wi);
        clade_arraylist_destroy(&list);
    }
    test_free(words);
}

/* Segments that are most of their allocator: the last one is half of all. */
static void large_segments_fit(void **state)
{
    struct fixture *f = *state;
    const uint32_t bytes = 256, capacity = f->caps->loop_limit ? 4097 : 131073;
    char *elements = test_calloc(capacity, bytes);
    for (uint32_t first = 1; first <= 65536; first *= 256) {
        clade_arraylist *list;
        uint64_t size;
        assert_ok(clade_arraylist_create(&list, f->context,
                                         &(clade_arraylist_params) { .capacity = capacity,
                                                                     .element_bytes = bytes,
                                                                     .first = first }));
        for (uint32_t at = 0, count = capacity / 7; at < capacity; at += count) {
            count = capacity - at < count ? capacity - at : count;
            assert_ok(clade_arraylist_append(list, clade_host(elements), count, NULL));
        }
        assert_fails(clade_arraylist_append(list, clade_host(elements), 1, NULL), CLADE_E_FULL);
        assert_ok(clade_arraylist_size(list, &size));
        assert_int_equal(size, capacity);
        clade_arraylist_destroy(&list);
    }
    test_free(elements);
}

const struct CMUnitTest arraylist_full[] = {
    cmocka_unit_test(array_lists_take_what_fits),
    cmocka_unit_test(many_groups_fill_an_array_list),
    cmocka_unit_test(large_segments_fit),
    { 0 },
};

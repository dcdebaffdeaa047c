/* SPDX-License-Identifier: Apache-2.0 */
/* Ordered and unordered lists: what fits, and no more (tests/refusals/refusals.h). Cells and places
 * come back at a reclaim, so one comes before the list is filled. */
#include "refusals/refusals.h"

#include <clade/kma.h>
#include <clade/list.h>

static void add_to_list(clade_list *list, bool is_ordered, struct keys *k, uint32_t count)
{
    if (is_ordered)
        assert_ok(clade_list_insert(list, clade_host(k->keys), NONE, count, clade_host(k->statuses),
                                    NULL));
    else
        assert_ok(clade_list_insert_front(list, clade_host(k->keys), count, clade_host(k->statuses),
                                          NULL));
}

/* In and out: the list is empty again, its cells are not. */
static void churn_list(clade_list *list, bool is_ordered, struct keys *k, uint32_t capacity)
{
    for (int i = 0; i < 3; i++) {
        const uint32_t count = 1 + capacity / 3;
        uint64_t size;
        new_keys(k, count);
        add_to_list(list, is_ordered, k, count);
        expect_taken(k, count, count);
        assert_ok(clade_list_erase(list, clade_host(k->keys), count, NONE, NULL));
        assert_ok(clade_list_size(list, &size));
        assert_int_equal(size, 0);
    }
}

static void fill_list(struct fixture *f, clade_list_params params, bool reclaims)
{
    const uint32_t capacity = (uint32_t)params.capacity, count = 2 * capacity + 5;
    const bool is_ordered = params.mode == CLADE_LIST_ORDERED;
    struct keys k = open_keys(count);
    clade_list *list;
    uint64_t size;
    assert_ok(clade_list_create(&list, f->context, &params));
    for (int turn = 0; turn < 3; turn++) {
        if (turn > 0)
            churn_list(list, is_ordered, &k, capacity);
        if (reclaims)
            assert_ok(clade_list_reclaim(list, NULL));
        new_keys(&k, count);
        add_to_list(list, is_ordered, &k, count);
        expect_taken(&k, count, capacity);
        assert_ok(clade_list_check(list));
        assert_ok(clade_list_size(list, &size));
        assert_int_equal(size, capacity);
        k.others[0] = 1; /* not among the keys */
        assert_fails(is_ordered
                         ? clade_list_insert(list, clade_host(k.others), NONE, 1, NONE, NULL)
                         : clade_list_insert_front(list, clade_host(k.others), 1, NONE, NULL),
                     CLADE_E_FULL);
        assert_ok(
            clade_list_erase(list, clade_host(k.keys), capacity, clade_host(k.statuses), NULL));
        expect_taken(&k, capacity, capacity);
    }
    assert_ok(clade_list_check(list));
    clade_list_destroy(&list);
    close_keys(&k);
}

static void lists_take_what_fits(void **state)
{
    struct fixture *f = *state;
    for (size_t i = 0; i < refusals_capacity_count(); i++)
        for (uint32_t find = CLADE_LIST_INDEXED; find <= CLADE_LIST_WALK; find++)
            fill_list(f,
                      (clade_list_params) { .capacity = refusals_capacities[i],
                                            .group_size = i % 2 ? 1 : 0,
                                            .find = find },
                      i % 3 == 0);
    /* In rounds. */
    fill_list(f, (clade_list_params) { .capacity = fixture_scaled(1500, 9000, 90000) }, false);
}

static void unordered_lists_take_what_fits(void **state)
{
    struct fixture *f = *state;
    for (size_t i = 0; i < refusals_capacity_count(); i++)
        fill_list(f,
                  (clade_list_params) { .capacity = refusals_capacities[i],
                                        .mode = CLADE_LIST_UNORDERED,
                                        .key = i % 2 ? CLADE_U32 : CLADE_NONE,
                                        .group_size = i % 4 ? 0 : 2 },
                  i % 3 == 0);
}

/* The allocator has memory for all cells, and more. */
static void lists_in_an_allocator_take_what_fits(void **state)
{
    struct fixture *f = *state;
    fixture_compiles_long(f);
    clade_kma *kma;
    assert_ok(clade_kma_create(&kma, f->context, &(clade_kma_params) { .bytes = 4 << 20 }));
    for (size_t i = 0; i < refusals_capacity_count(); i++)
        fill_list(f,
                  (clade_list_params) { .capacity = refusals_capacities[i],
                                        .mode = i % 2 ? CLADE_LIST_UNORDERED : CLADE_LIST_ORDERED,
                                        .kma = kma },
                  i % 3 == 0);
    assert_ok(clade_kma_check(kma, NULL, 0));
    clade_kma_destroy(&kma);
}

const struct CMUnitTest list_full[] = {
    cmocka_unit_test(lists_take_what_fits),
    cmocka_unit_test(unordered_lists_take_what_fits),
    cmocka_unit_test(lists_in_an_allocator_take_what_fits),
    { 0 },
};

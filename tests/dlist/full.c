/* SPDX-License-Identifier: Apache-2.0 */
/* The doubly linked list: what fits, and no more (tests/refusals/refusals.h). Cells and places come
 * back at a reclaim, so one comes before the list is filled. */
#include "refusals/refusals.h"

#include <clade/dlist.h>

/* `way`: after or before the end, or by one chain. */
static void add_to_dlist(clade_dlist *list, struct keys *k, uint32_t count, int way)
{
    const clade_array targets = clade_host(k->others), values = clade_host(k->keys);
    const clade_array nodes = clade_host(k->others), statuses = clade_host(k->statuses);
    memset(k->others, 0, count * 4ull);
    if (way == 0)
        assert_ok(clade_dlist_insert_after(list, targets, values, nodes, count, statuses, NULL));
    else if (way == 1)
        assert_ok(clade_dlist_insert_before(list, targets, values, nodes, count, statuses, NULL));
    else
        assert_ok(clade_dlist_append(list, values, nodes, count, statuses, NULL));
}

static void fill_dlist(struct fixture *f, uint32_t capacity, uint32_t group)
{
    const uint32_t count = 2 * capacity + 5;
    struct keys k = open_keys(count);
    clade_dlist *list;
    assert_ok(clade_dlist_create(
        &list, f->context, &(clade_dlist_params) { .capacity = capacity, .group_size = group }));
    for (int turn = 0; turn < 6; turn++) {
        uint64_t there;
        uint32_t taken = 0;
        const uint32_t first = turn < 3 ? 0 : 1 + capacity / 2;
        new_keys(&k, count);
        if (first > 0) { /* in and out, of half of all */
            add_to_dlist(list, &k, first, 1);
            expect_taken(&k, first, first);
            assert_ok(clade_dlist_erase(list, clade_host(k.others), NONE, first, NONE, NULL));
        }
        add_to_dlist(list, &k, count, turn % 3);
        for (uint32_t i = 0; i < count; i++) {
            assert_true(k.statuses[i] == CLADE_OK || k.statuses[i] == CLADE_E_FULL);
            assert_int_equal(k.others[i] != 0, k.statuses[i] == CLADE_OK);
            if (k.others[i] != 0)
                k.others[taken++] = k.others[i];
        }
        assert_int_equal(taken, capacity);
        assert_ok(clade_dlist_check(list));
        assert_ok(clade_dlist_read(list, 0, NULL, NULL, 0, &there));
        assert_int_equal(there, capacity);
        assert_fails(clade_dlist_append(list, clade_host(k.keys), NONE, 1, NONE, NULL),
                     CLADE_E_FULL);
        assert_ok(clade_dlist_erase(list, clade_host(k.others), clade_host(k.keys), capacity,
                                    clade_host(k.statuses), NULL));
        expect_taken(&k, capacity, capacity);
    }
    clade_dlist_destroy(&list);
    close_keys(&k);
}

static void dlists_take_what_fits(void **state)
{
    struct fixture *f = *state;
    for (size_t i = 0; i < refusals_capacity_count(); i++)
        fill_dlist(f, refusals_capacities[i], i % 2 ? 1 : 0);
}

const struct CMUnitTest dlist_full[] = {
    cmocka_unit_test(dlists_take_what_fits),
    { 0 },
};

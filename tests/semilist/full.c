/* SPDX-License-Identifier: Apache-2.0 */
/* The semi-linked list: what fits, and no more (tests/refusals/refusals.h). Cells and places come
 * back at a reclaim, so one comes before the list is filled. */
#include "refusals/refusals.h"

#include <clade/kma.h>
#include <clade/semilist.h>

/* What is left of it after groups took or left all of theirs, items take. */
static void fill_semilist(struct filler *wg, struct filler *wi, clade_semilist *list,
                          uint32_t capacity, size_t groups)
{
    enum { GROUP = 16 };
    uint64_t size;
    assert_ok(clade_semilist_size(list, &size));
    struct tally by_groups = filler_run(wg, groups, GROUP);
    struct tally by_items = filler_run(wi, groups, GROUP);
    assert_int_equal(by_groups.other + by_items.other, 0);
    assert_int_equal(size + by_groups.taken + by_items.taken, capacity);
    assert_ok(clade_semilist_check(list));
    assert_ok(clade_semilist_size(list, &size));
    assert_int_equal(size, capacity);
}

static void fill_semilist_by_calls(clade_semilist *list, struct keys *k, uint32_t capacity)
{
    uint64_t size;
    assert_ok(clade_semilist_size(list, &size));
    const uint32_t room = capacity - (uint32_t)size;
    new_keys(k, room + 1);
    assert_fails(clade_semilist_append(list, clade_host(k->keys), NONE, NONE, room + 1, NULL),
                 CLADE_E_FULL);
    assert_ok(clade_semilist_append(list, clade_host(k->keys), NONE, NONE, room, NULL));
    assert_fails(clade_semilist_append(list, clade_host(k->keys), NONE, NONE, 1, NULL),
                 CLADE_E_FULL);
    assert_ok(clade_semilist_check(list));
}

/* All nodes, or all but some, go; then a reclaim. */
static void drain_semilist(clade_semilist *list, struct keys *k, uint32_t capacity, uint32_t stay)
{
    uint64_t count;
    assert_ok(clade_semilist_read(list, NULL, NULL, k->others, capacity, &count));
    assert_int_equal(count, capacity);
    assert_ok(clade_semilist_erase_at(list, clade_host(k->others), capacity - stay,
                                      clade_host(k->statuses), NULL));
    expect_taken(k, capacity - stay, capacity - stay);
    assert_ok(clade_semilist_reclaim(list, NULL));
}

static void semilists_take_what_fits(void **state)
{
    struct fixture *f = *state;
    fixture_compiles_long(f);
    enum { GROUP = 16 };
    for (size_t i = 0; i < refusals_capacity_count(); i++) {
        const uint32_t capacity = refusals_capacities[i], each = 1 + capacity / 10;
        struct keys k = open_keys(capacity + 1);
        clade_semilist *list;
        assert_ok(clade_semilist_create(&list, f->context,
                                        &(clade_semilist_params) { .capacity = capacity }));
        const char *options = clade_semilist_options(list);
        cl_mem mem = clade_semilist_mem(list), kma = clade_kma_mem(clade_semilist_kma(list));
        struct filler wg = filler_open(f, "semilist/full.cl", options, "refusals_add_wg", mem, kma);
        struct filler wi = filler_open(f, "semilist/full.cl", options, "refusals_add_wi", mem, kma);
        filler_word(&wg, each);
        filler_local(&wg, CLADE_SEMILIST_SCRATCH(GROUP));
        filler_word(&wi, each);
        for (int turn = 0; turn < 4; turn++) {
            if (turn == 2)
                fill_semilist_by_calls(list, &k, capacity);
            else
                fill_semilist(&wg, &wi, list, capacity, turn == 1 ? 1 : 5);
            drain_semilist(list, &k, capacity, turn * capacity / 4);
        }
        filler_close(&wg);
        filler_close(&wi);
        clade_semilist_destroy(&list);
        close_keys(&k);
    }
}

const struct CMUnitTest semilist_full[] = {
    cmocka_unit_test(semilists_take_what_fits),
    { 0 },
};

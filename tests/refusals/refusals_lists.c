/* SPDX-License-Identifier: Apache-2.0 */
/* Lists: cells and places come back at a reclaim, so one comes before the list is filled.
 */
#include <clade/arraylist.h>
#include <clade/dlist.h>
#include <clade/kma.h>
#include <clade/list.h>
#include <clade/semilist.h>

#include "refusals/refusals.h"

/* Keys from here on are new. */
struct keys {
    uint32_t *keys, *others;
    int32_t *statuses;
    uint32_t room, next;
};

static struct keys open_keys(uint32_t room)
{
    return (struct keys) { .keys = test_calloc(room, 4),
                           .others = test_calloc(room, 4),
                           .statuses = test_calloc(room, 4),
                           .room = room,
                           .next = 1 };
}

static void close_keys(struct keys *k)
{
    test_free(k->keys), test_free(k->others), test_free(k->statuses);
}

/* `count` new keys, in an order that is none. */
static void new_keys(struct keys *k, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        k->keys[i] = (k->next + i) * 2654435761u;
    k->next += count;
}

/* Of `count` statuses `wanted` are OK, the others FULL; the keys that were taken move to the front.
 */
static void expect_taken(struct keys *k, uint32_t count, uint64_t wanted)
{
    uint32_t taken = 0;
    for (uint32_t i = 0; i < count; i++) {
        assert_true(k->statuses[i] == CLADE_OK || k->statuses[i] == CLADE_E_FULL);
        if (k->statuses[i] == CLADE_OK)
            k->keys[taken++] = k->keys[i];
    }
    assert_int_equal(taken, wanted);
}

/* --- ordered and unordered lists ---------------------------------------------------------------
 */

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

void lists_take_what_fits(void **state)
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

void unordered_lists_take_what_fits(void **state)
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
void lists_in_an_allocator_take_what_fits(void **state)
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

/* --- the doubly linked list --------------------------------------------------------------------
 */

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

void dlists_take_what_fits(void **state)
{
    struct fixture *f = *state;
    for (size_t i = 0; i < refusals_capacity_count(); i++)
        fill_dlist(f, refusals_capacities[i], i % 2 ? 1 : 0);
}

/* --- the semi-linked list ----------------------------------------------------------------------
 */

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

void semilists_take_what_fits(void **state)
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
        struct filler wg =
            filler_open(f, "refusals/refusals_lists.cl", options, "refusals_add_wg", mem, kma);
        struct filler wi =
            filler_open(f, "refusals/refusals_lists.cl", options, "refusals_add_wi", mem, kma);
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

/* --- the array list -----------------------------------------------------------------------------
 */

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

void array_lists_take_what_fits(void **state)
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
            filler_open(f, "refusals/refusals_lists.cl", options, "refusals_append_wg", mem, kma);
        struct filler wi =
            filler_open(f, "refusals/refusals_lists.cl", options, "refusals_append_wi", mem, kma);
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
void many_groups_fill_an_array_list(void **state)
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
            filler_open(f, "refusals/refusals_lists.cl", clade_arraylist_options(list), "refusals_append_wi",
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
void large_segments_fit(void **state)
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

/* SPDX-License-Identifier: Apache-2.0 */
/* Heaps: what fits, and no more (tests/refusals/refusals.h). */
#include "refusals/refusals.h"

#include <clade/heap.h>

/* By calls: all or none. */
static void fill_heap_by_calls(clade_heap *heap, uint32_t capacity)
{
    uint32_t *keys = test_calloc(capacity + 1, 4);
    uint64_t size, got;
    assert_ok(clade_heap_size(heap, &size));
    const uint64_t room = capacity - size;
    assert_fails(clade_heap_insert(heap, clade_host(keys), NONE, room + 1, NULL), CLADE_E_FULL);
    assert_ok(clade_heap_insert(heap, clade_host(keys), NONE, room, NULL));
    assert_fails(clade_heap_insert(heap, clade_host(keys), NONE, 1, NULL), CLADE_E_FULL);
    assert_ok(clade_heap_check(heap));
    assert_ok(clade_heap_pop(heap, clade_host(keys), NONE, capacity + 1, clade_host(&got), NULL));
    assert_int_equal(got, capacity);
    test_free(keys);
}

static void fill_heap(struct filler *insert, clade_heap *heap, uint32_t capacity, size_t groups,
                      size_t group)
{
    uint32_t *keys = test_calloc(capacity + 1, 4);
    uint64_t size, got;
    assert_ok(clade_heap_size(heap, &size));
    struct tally tally = filler_run(insert, groups, group);
    assert_true(tally.full > 0);
    assert_int_equal(tally.other, 0);
    assert_int_equal(tally.taken, capacity - size);
    assert_ok(clade_heap_check(heap));
    assert_fails(clade_heap_insert(heap, clade_host(keys), NONE, 1, NULL), CLADE_E_FULL);
    assert_ok(clade_heap_pop(heap, clade_host(keys), NONE, capacity + 1, clade_host(&got), NULL));
    assert_int_equal(got, capacity);
    for (uint32_t i = 1; i < capacity; i++)
        assert_true(keys[i - 1] <= keys[i]);
    test_free(keys);
}

static void fill_heaps(struct fixture *f, uint32_t engine)
{
    enum { BATCH = 16 };
    const size_t group = f->caps->is_cpu ? 1 : 32;
    for (size_t i = 0; i < refusals_capacity_count(); i++) {
        const uint32_t capacity = refusals_capacities[i];
        const uint32_t groups = f->caps->loop_limit ? 1 : 6, each = capacity / groups + 3;
        clade_heap *heap;
        assert_ok(clade_heap_create(
            &heap, f->context,
            &(clade_heap_params) {
                .capacity = capacity, .key = CLADE_U32, .batch = BATCH, .engine = engine }));
        const char *options = clade_heap_options(heap);
        cl_mem mem = clade_heap_mem(heap);
        struct filler insert =
            filler_open(f, "heap/full.cl", options, "refusals_insert", mem, NULL);
        struct filler churn = filler_open(f, "heap/full.cl", options, "refusals_churn", mem, NULL);
        filler_word(&insert, each);
        filler_word(&insert, capacity < BATCH ? capacity : BATCH);
        filler_word(&churn, (uint32_t)fixture_scaled(20, 200, 2000));
        filler_word(&churn, BATCH);
        for (int turn = 0; turn < 3; turn++) {
            filler_run(&churn, groups, group);
            if (turn == 1)
                fill_heap_by_calls(heap, capacity);
            else
                fill_heap(&insert, heap, capacity, groups, group);
        }
        filler_close(&insert);
        filler_close(&churn);
        clade_heap_destroy(&heap);
    }
}

static void top_down_heaps_take_what_fits(void **state)
{
    fill_heaps(*state, CLADE_HEAP_TOP_DOWN);
}

static void bottom_up_heaps_take_what_fits(void **state)
{
    fill_heaps(*state, CLADE_HEAP_BOTTOM_UP);
}

const struct CMUnitTest heap_full[] = {
    cmocka_unit_test(top_down_heaps_take_what_fits),
    cmocka_unit_test(bottom_up_heaps_take_what_fits),
    { 0 },
};

/* SPDX-License-Identifier: Apache-2.0 */
/* The ad-heap: what fits, and no more (tests/refusals/refusals.h). */
#include "refusals/refusals.h"

#include <clade/adheap.h>

/* `size` keys are in each heap; `each` are offered, in the object's order. */
static void fill_ad_heaps(clade_adheap *a, uint32_t heaps, uint32_t size, uint32_t capacity,
                          bool merges)
{
    const uint32_t each = capacity - size + 3, all = heaps * each;
    uint32_t *keys = test_calloc(all + heaps * capacity, 4), *sizes = test_calloc(heaps, 4);
    int32_t *statuses = test_calloc(all + heaps * capacity, 4);
    for (uint32_t i = 0; i < all; i++)
        keys[i] = 2 * (i % each);
    if (merges)
        assert_ok(clade_adheap_merge(a, clade_host(keys), NONE, each, clade_host(statuses), NULL));
    else
        assert_ok(clade_adheap_insert(a, clade_host(keys), NONE, each, clade_host(statuses), NULL));
    for (uint32_t i = 0; i < all; i++)
        assert_int_equal(statuses[i], i % each < capacity - size ? CLADE_OK : CLADE_E_FULL);
    assert_ok(clade_adheap_check(a));
    assert_ok(clade_adheap_sizes(a, clade_host(sizes), NULL));
    for (uint32_t h = 0; h < heaps; h++)
        assert_int_equal(sizes[h], capacity);
    const uint32_t out = (capacity + 1) / 2; /* the rest stays for the next turn */
    assert_ok(clade_adheap_pop(a, clade_host(keys), NONE, out, clade_host(statuses), NULL));
    for (uint32_t i = 0; i < heaps * out; i++) {
        assert_int_equal(statuses[i], CLADE_OK);
        assert_true(i % out == 0 || keys[i - 1] <= keys[i]);
    }
    test_free(keys), test_free(sizes), test_free(statuses);
}

static void ad_heaps_take_what_fits(void **state)
{
    struct fixture *f = *state;
    enum { HEAPS = 5 };
    const size_t count = f->caps->loop_limit ? 4 : refusals_capacity_count();
    for (size_t i = 0; i < count; i++) {
        const uint32_t capacity = refusals_capacities[i];
        uint32_t size = 0, more = capacity + 1;
        uint32_t *keys = test_calloc((size_t)HEAPS * more, 4);
        clade_adheap *a;
        assert_ok(clade_adheap_create(
            &a, f->context,
            &(clade_adheap_params) {
                .heaps = HEAPS, .capacity = capacity, .key = CLADE_U32, .arity = 8 }));
        for (int turn = 0; turn < 4; turn++) {
            fill_ad_heaps(a, HEAPS, size, capacity, turn % 2);
            size = capacity - (capacity + 1) / 2;
        }
        assert_ok(clade_adheap_build(a, clade_host(keys), NONE, capacity, NULL));
        assert_fails(clade_adheap_build(a, clade_host(keys), NONE, more, NULL), CLADE_E_ARG);
        assert_ok(clade_adheap_check(a));
        test_free(keys);
        clade_adheap_destroy(&a);
    }
}

const struct CMUnitTest adheap_full[] = {
    cmocka_unit_test(ad_heaps_take_what_fits),
    { 0 },
};

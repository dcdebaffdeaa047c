/* SPDX-License-Identifier: Apache-2.0 */
/* The kernel of docs/structures/adheap.md does what the page says. */
#include "pages/page.h"

static void adheap_doubles_each_heaps_smallest(void **state)
{
    struct fixture *f = *state;
    enum { HEAPS = 4, KEYS = 5 };
    clade_adheap *heaps;
    uint32_t keys[HEAPS * KEYS];
    const size_t group = f->caps->subgroup_size > 1 ? f->caps->subgroup_size : 1;
    for (uint32_t i = 0; i < HEAPS * KEYS; i++)
        keys[i] = 3 + i;
    assert_ok(clade_adheap_create(
        &heaps, f->context,
        &(clade_adheap_params) { .heaps = HEAPS, .capacity = KEYS, .key = CLADE_U32 }));
    assert_ok(clade_adheap_build(heaps, clade_host(keys), clade_no_array(), KEYS, NULL));
    struct example example = example_open(f, "adheap.cl", "double_the_smallest", NULL);
    cl_mem object = clade_adheap_mem(heaps);
    fixture_arg(example.kernel, 0, object);
    fixture_launch(f, example.kernel, HEAPS * group, group);
    assert_ok(clade_adheap_check(heaps));
    assert_ok(
        clade_adheap_pop(heaps, clade_host(keys), clade_no_array(), KEYS, clade_no_array(), NULL));
    const uint32_t first[KEYS] = { 4, 5, 6, 6, 7 }; /* 3 .. 7, the 3 doubled */
    for (int i = 0; i < KEYS; i++)
        assert_int_equal(keys[i], first[i]);
    for (uint32_t heap = 1; heap < HEAPS; heap++)
        assert_int_equal(keys[heap * KEYS + KEYS - 1], 2 * (3 + heap * KEYS));
    example_close(&example);
    clade_adheap_destroy(&heaps);
}

const struct CMUnitTest adheap_page = cmocka_unit_test(adheap_doubles_each_heaps_smallest);

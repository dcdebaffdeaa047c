/* SPDX-License-Identifier: Apache-2.0 */
/* The kernel of docs/structures/semilist.md does what the page says. */
#include "pages/page.h"

static void semilist_has_all_but_42(void **state)
{
    struct fixture *f = *state;
    clade_semilist *list;
    uint32_t keys[ITEMS];
    uint64_t count;
    for (uint32_t i = 0; i < ITEMS; i++)
        keys[i] = i;
    assert_ok(clade_semilist_create(&list, f->context,
                                    &(clade_semilist_params) { .capacity = 2 * ITEMS }));
    struct example example = example_open(f, "semilist.cl", "note", clade_semilist_options(list));
    cl_mem kma = clade_kma_mem(clade_semilist_kma(list));
    cl_mem given = page_words(f, &example, 2, keys);
    fixture_arg(example.kernel, 1, kma);
    page_launch(f, &example, clade_semilist_mem(list));
    assert_ok(clade_semilist_read(list, keys, NULL, NULL, ITEMS, &count));
    assert_int_equal(count, ITEMS - 1);
    for (int i = 0; i < ITEMS - 1; i++)
        assert_int_not_equal(keys[i], 42);
    assert_ok(clade_semilist_check(list));
    clReleaseMemObject(given);
    example_close(&example);
    clade_semilist_destroy(&list);
}

const struct CMUnitTest semilist_page = cmocka_unit_test(semilist_has_all_but_42);

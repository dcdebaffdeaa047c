/* SPDX-License-Identifier: Apache-2.0 */
/* The kernel of docs/structures/dlist.md does what the page says. */
#include "pages/page.h"

static void dlist_has_twice_the_value_behind_each(void **state)
{
    struct fixture *f = *state;
    clade_dlist *list;
    uint32_t values[2 * ITEMS], nodes[ITEMS];
    uint64_t count;
    for (uint32_t i = 0; i < ITEMS; i++)
        values[i] = 1000 + i;
    assert_ok(
        clade_dlist_create(&list, f->context, &(clade_dlist_params) { .capacity = 4 * ITEMS }));
    assert_ok(clade_dlist_append(list, clade_host(values), clade_host(nodes), ITEMS,
                                 clade_no_array(), NULL));
    struct example example = example_open(f, "dlist.cl", "double_all", NULL);
    cl_mem given = page_words(f, &example, 1, nodes), made = page_words(f, &example, 2, nodes);
    page_launch(f, &example, clade_dlist_mem(list));
    fixture_read(f, made, 0, nodes, sizeof nodes);
    assert_ok(clade_dlist_read(list, 0, values, NULL, 2 * ITEMS, &count));
    assert_int_equal(count, 2 * ITEMS);
    for (uint32_t i = 0; i < ITEMS; i++) {
        assert_int_not_equal(nodes[i], 0);
        assert_int_equal(values[2 * i], 1000 + i);
        assert_int_equal(values[2 * i + 1], 2000 + 2 * i);
    }
    clReleaseMemObject(given);
    clReleaseMemObject(made);
    example_close(&example);
    clade_dlist_destroy(&list);
}

const struct CMUnitTest dlist_page = cmocka_unit_test(dlist_has_twice_the_value_behind_each);

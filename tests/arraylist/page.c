/* SPDX-License-Identifier: Apache-2.0 */
/* The kernel of docs/structures/arraylist.md does what the page says. */
#include "pages/page.h"

static void arraylist_keeps_the_positive_numbers(void **state)
{
    struct fixture *f = *state;
    clade_arraylist *list;
    float numbers[ITEMS], kept[ITEMS];
    uint64_t size;
    double sum = 0;
    for (int i = 0; i < ITEMS; i++)
        numbers[i] = i % 3 == 0 ? (float)i : (float)-i;
    assert_ok(clade_arraylist_create(
        &list, f->context,
        &(clade_arraylist_params) { .capacity = ITEMS, .element_bytes = 4, .first = 8 }));
    struct example example = example_open(f, "arraylist.cl", "keep", clade_arraylist_options(list));
    cl_mem kma = clade_kma_mem(clade_arraylist_kma(list));
    cl_mem given = fixture_buffer(f, sizeof numbers, numbers);
    fixture_arg(example.kernel, 1, kma);
    fixture_arg(example.kernel, 2, given);
    assert_int_equal(clSetKernelArg(example.kernel, 3, LOCAL_BYTES, NULL), CL_SUCCESS);
    page_launch(f, &example, clade_arraylist_mem(list));
    assert_ok(clade_arraylist_size(list, &size));
    assert_int_equal(size, 21); /* 3, 6, 9 .. 63 */
    assert_ok(clade_arraylist_read(list, 0, clade_host(kept), size, NULL));
    for (uint64_t i = 0; i < size; i++)
        sum += kept[i];
    assert_int_equal((int)sum, 3 * 21 * 22 / 2);
    clReleaseMemObject(given);
    example_close(&example);
    clade_arraylist_destroy(&list);
}

const struct CMUnitTest arraylist_page = cmocka_unit_test(arraylist_keeps_the_positive_numbers);

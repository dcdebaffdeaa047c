/* SPDX-License-Identifier: Apache-2.0 */
/* The kernel of docs/structures/list.md does what the page says. */
#include "pages/page.h"

static void list_takes_each_key_once(void **state)
{
    struct fixture *f = *state;
    enum { KEYS = 10 };
    clade_list *list;
    uint32_t keys[ITEMS], there[KEYS], winner[KEYS];
    int32_t statuses[ITEMS];
    uint64_t count;
    int entered = 0;
    for (uint32_t i = 0; i < ITEMS; i++)
        keys[i] = i % KEYS;
    memset(statuses, 1, sizeof statuses);
    assert_ok(clade_list_create(
        &list, f->context,
        &(clade_list_params) { .capacity = 2 * ITEMS, .key = CLADE_U32, .value = CLADE_U32 }));
    struct example example = example_open(f, "list.cl", "enter", clade_list_options(list));
    cl_mem given = page_words(f, &example, 1, keys),
           said = page_words(f, &example, 2, (uint32_t *)statuses);
    page_launch(f, &example, clade_list_mem(list));
    fixture_read(f, said, 0, statuses, sizeof statuses);
    assert_ok(clade_list_read(list, there, winner, NULL, KEYS, &count));
    assert_int_equal(count, KEYS);
    for (int i = 0; i < ITEMS; i++) {
        assert_true(statuses[i] == CLADE_OK || statuses[i] == CLADE_LIST_PRESENT);
        entered += statuses[i] == CLADE_OK;
    }
    assert_int_equal(entered, KEYS);
    for (uint32_t k = 0; k < KEYS; k++) {
        assert_int_equal(there[k], k);
        assert_int_equal(keys[winner[k]], k);
        assert_int_equal(statuses[winner[k]], CLADE_OK);
    }
    clReleaseMemObject(given);
    clReleaseMemObject(said);
    example_close(&example);
    clade_list_destroy(&list);
}

const struct CMUnitTest list_page = cmocka_unit_test(list_takes_each_key_once);

/* SPDX-License-Identifier: Apache-2.0 */
/* The kernel of docs/structures/rbtree.md does what the page says. */
#include "pages/page.h"

static void rbtree_sells_each_seat_once(void **state)
{
    struct fixture *f = *state;
    enum { SEATS = ITEMS - 4 };
    clade_rbtree *tree;
    uint32_t seats[SEATS], prices[SEATS], paid[ITEMS] = { 0 };
    uint64_t size;
    int sold[SEATS] = { 0 }, none = 0;
    for (uint32_t i = 0; i < SEATS; i++) {
        seats[i] = 10 * i;
        prices[i] = 100 + i;
    }
    assert_ok(clade_rbtree_create(
        &tree, f->context, &(clade_rbtree_params) { .capacity = SEATS, .value = CLADE_U32 }));
    assert_ok(clade_rbtree_insert(tree, clade_host(seats), clade_host(prices), SEATS,
                                  clade_no_array(), NULL));
    struct example example = example_open(f, "rbtree.cl", "book", NULL);
    cl_mem wishes = page_words(f, &example, 1, paid), told = page_words(f, &example, 2, paid);
    page_launch(f, &example, clade_rbtree_mem(tree));
    fixture_read(f, told, 0, paid, sizeof paid);
    for (int i = 0; i < ITEMS; i++) {
        none += paid[i] == 0;
        if (paid[i] != 0)
            sold[paid[i] - 100]++;
    }
    assert_int_equal(none, ITEMS - SEATS);
    for (int i = 0; i < SEATS; i++)
        assert_int_equal(sold[i], 1);
    assert_ok(clade_rbtree_size(tree, &size));
    assert_int_equal(size, 0);
    clReleaseMemObject(wishes);
    clReleaseMemObject(told);
    example_close(&example);
    clade_rbtree_destroy(&tree);
}

const struct CMUnitTest rbtree_page = cmocka_unit_test(rbtree_sells_each_seat_once);

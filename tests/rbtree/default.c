/* SPDX-License-Identifier: Apache-2.0 */
/* Defaults of host and device are alike (tests/abi/default.h). */
#include "abi/default.h"

static void rbtree(void **state)
{
    struct fixture *f = *state;
    clade_rbtree *tree;
    uint32_t out[ITEMS];
    uint64_t size;
    struct built built =
        default_build(f, "rbtree",
                      "__kernel void k(__global clade_rbtree_head *tree, __global uint *out)\n"
                      "{\n"
                      "    const uint item = (uint)get_global_id(0);\n"
                      "    out[item] = (uint)clade_rbtree_insert_wi(tree, item, 0);\n"
                      "}");
    assert_ok(
        clade_rbtree_create(&tree, f->context, &(clade_rbtree_params) { .capacity = CAPACITY }));
    default_run(f, &built, clade_rbtree_mem(tree), ITEMS, out);
    for (int i = 0; i < ITEMS; i++)
        assert_int_equal((int32_t)out[i], CLADE_OK);
    assert_ok(clade_rbtree_check(tree));
    assert_ok(clade_rbtree_size(tree, &size));
    assert_int_equal(size, ITEMS);
    clade_rbtree_destroy(&tree);
    default_end(&built);
}

const struct CMUnitTest rbtree_default = cmocka_unit_test(rbtree);

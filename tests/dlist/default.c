/* SPDX-License-Identifier: Apache-2.0 */
/* Defaults of host and device are alike (tests/abi/default.h). */
#include "abi/default.h"

static void dlist(void **state)
{
    struct fixture *f = *state;
    clade_dlist *list;
    uint32_t out[ITEMS];
    struct built built =
        default_build(f, "dlist",
                      "__kernel void k(__global clade_dlist_head *list, __global uint *out)\n"
                      "{\n"
                      "    const uint item = (uint)get_global_id(0);\n"
                      "    clade_ref node;\n"
                      "    out[item] = (uint)clade_dlist_insert_before_wi(list, CLADE_NIL, item,\n"
                      "                                                   &node);\n"
                      "}");
    assert_ok(
        clade_dlist_create(&list, f->context, &(clade_dlist_params) { .capacity = CAPACITY }));
    default_run(f, &built, clade_dlist_mem(list), ITEMS, out);
    for (int i = 0; i < ITEMS; i++)
        assert_int_equal((int32_t)out[i], CLADE_OK);
    assert_ok(clade_dlist_check(list));
    clade_dlist_destroy(&list);
    default_end(&built);
}

const struct CMUnitTest dlist_default = cmocka_unit_test(dlist);

/* SPDX-License-Identifier: Apache-2.0 */
/* Defaults of host and device are alike (tests/abi/default.h). */
#include "abi/default.h"

static void list(void **state)
{
    struct fixture *f = *state;
    clade_list *list;
    uint32_t out[ITEMS];
    struct built built =
        default_build(f, "list",
                      "__kernel void k(__global clade_list_head *list, __global uint *out)\n"
                      "{\n"
                      "    const uint item = (uint)get_global_id(0);\n"
                      "    out[item] = (uint)clade_list_insert_wi(list, item, 0);\n"
                      "}");
    assert_ok(clade_list_create(&list, f->context, &(clade_list_params) { .capacity = CAPACITY }));
    default_run(f, &built, clade_list_mem(list), ITEMS, out);
    for (int i = 0; i < ITEMS; i++)
        assert_int_equal((int32_t)out[i], CLADE_OK);
    assert_ok(clade_list_check(list));
    clade_list_destroy(&list);
    default_end(&built);
}

const struct CMUnitTest list_default = cmocka_unit_test(list);

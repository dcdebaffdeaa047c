/* SPDX-License-Identifier: Apache-2.0 */
/* Defaults of host and device are alike (tests/abi/default.h). */
#include "abi/default.h"

static void semilist(void **state)
{
    struct fixture *f = *state;
    clade_semilist *list;
    uint32_t out[ITEMS];
    struct built built = default_build(
        f, "semilist",
        "__kernel void k(__global clade_semilist_head *list, __global uint *out,\n"
        "                __global clade_kma_head *kma)\n"
        "{\n"
        "    clade_ref node;\n"
        "    out[get_global_id(0)] = (uint)clade_semilist_append_wi(list, kma, 5, 7, &node);\n"
        "}");
    assert_ok(clade_semilist_create(&list, f->context,
                                    &(clade_semilist_params) { .capacity = CAPACITY }));
    const cl_mem kma = clade_kma_mem(clade_semilist_kma(list));
    fixture_arg(built.kernel, 2, kma);
    default_run(f, &built, clade_semilist_mem(list), ITEMS, out);
    for (int i = 0; i < ITEMS; i++)
        assert_int_equal((int32_t)out[i], CLADE_OK);
    assert_ok(clade_semilist_check(list));
    clade_semilist_destroy(&list);
    default_end(&built);
}

const struct CMUnitTest semilist_default = cmocka_unit_test(semilist);

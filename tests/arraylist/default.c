/* SPDX-License-Identifier: Apache-2.0 */
/* Defaults of host and device are alike (tests/abi/default.h). */
#include "abi/default.h"

static void arraylist(void **state)
{
    struct fixture *f = *state;
    clade_arraylist *list;
    uint32_t out[ITEMS];
    uint64_t size;
    struct built built = default_build(
        f, "arraylist",
        "__kernel void k(__global clade_arraylist_head *list, __global uint *out,\n"
        "                __global clade_kma_head *kma)\n"
        "{\n"
        "    uint index;\n"
        "    out[get_global_id(0)] = (uint)clade_arraylist_append_wi(list, kma, &index);\n"
        "}");
    assert_ok(clade_arraylist_create(
        &list, f->context, &(clade_arraylist_params) { .capacity = CAPACITY, .element_bytes = 4 }));
    const cl_mem kma = clade_kma_mem(clade_arraylist_kma(list));
    fixture_arg(built.kernel, 2, kma);
    default_run(f, &built, clade_arraylist_mem(list), ITEMS, out);
    for (int i = 0; i < ITEMS; i++)
        assert_int_equal((int32_t)out[i], CLADE_OK);
    assert_ok(clade_arraylist_size(list, &size));
    assert_int_equal(size, ITEMS);
    clade_arraylist_destroy(&list);
    default_end(&built);
}

const struct CMUnitTest arraylist_default = cmocka_unit_test(arraylist);

/* SPDX-License-Identifier: Apache-2.0 */
/* Defaults of host and device are alike (tests/abi/default.h). */
#include "abi/default.h"

static void adheap(void **state)
{
    struct fixture *f = *state;
    clade_adheap *heaps;
    uint32_t out[ITEMS];
    const int32_t keys[3] = { 30, -7, 50 };
    const size_t lanes = f->caps->subgroup_size > 1 ? f->caps->subgroup_size : 1;
    struct built built =
        default_build(f, "adheap",
                      "__kernel void k(__global clade_adheap_head *heaps,\n"
                      "                __global uint *out)\n"
                      "{\n"
                      "    const clade_adheap_one heap = clade_adheap_open_wi(heaps, 0, 0);\n"
                      "    clade_adheap_word key;\n"
                      "    uint value;\n"
                      "    const int status = clade_adheap_peek_sg(&heap, &key, &value);\n"
                      "    out[0] = (uint)status;\n"
                      "    out[1] = (uint)key;\n"
                      "}");
    assert_ok(clade_adheap_create(&heaps, f->context,
                                  &(clade_adheap_params) { .heaps = 1, .capacity = CAPACITY }));
    assert_ok(
        clade_adheap_insert(heaps, clade_host(keys), clade_no_array(), 3, clade_no_array(), NULL));
    default_run(f, &built, clade_adheap_mem(heaps), lanes, out);
    assert_int_equal((int32_t)out[0], CLADE_OK);
    assert_int_equal((int32_t)out[1], -7);
    clade_adheap_destroy(&heaps);
    default_end(&built);
}

const struct CMUnitTest adheap_default = cmocka_unit_test(adheap);

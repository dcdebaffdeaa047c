/* SPDX-License-Identifier: Apache-2.0 */
/* Defaults of host and device are alike (tests/abi/default.h). */
#include "abi/default.h"

static void kma(void **state)
{
    struct fixture *f = *state;
    clade_kma *kma;
    uint32_t out[ITEMS];
    struct built built =
        default_build(f, "kma",
                      "__kernel void k(__global clade_kma_head *kma, __global uint *out)\n"
                      "{\n"
                      "    out[get_global_id(0)] = clade_kma_malloc_wi(kma, 40);\n"
                      "}");
    assert_ok(clade_kma_create(&kma, f->context, &(clade_kma_params) { .bytes = 1 << 20 }));
    default_run(f, &built, clade_kma_mem(kma), ITEMS, out);
    for (int i = 0; i < ITEMS; i++)
        assert_int_not_equal(out[i], 0);
    assert_ok(clade_kma_check(kma, out, ITEMS));
    clade_kma_destroy(&kma);
    default_end(&built);
}

const struct CMUnitTest kma_default = cmocka_unit_test(kma);

/* SPDX-License-Identifier: Apache-2.0 */
/* Defaults of host and device are alike (tests/abi/default.h). */
#include "abi/default.h"

/* No object, but a template with defaults: the smallest int32_t keys, without indices. */
static void kselect(void **state)
{
    struct fixture *f = *state;
    clade_kselect *selector;
    enum { K = 4 };
    int32_t row[ITEMS], wanted[K];
    uint32_t out[ITEMS];
    struct built built =
        default_build(f, "kselect",
                      "__kernel void k(__global const uint *row, __global uint *out)\n"
                      "{\n"
                      "    __local clade_kselect_local scratch;\n"
                      "    clade_kselect_out to;\n"
                      "    to.keys = out;\n"
                      "    to.indices = out + 4;\n"
                      "    clade_kselect_wg(&scratch, row, 16, 4, to);\n"
                      "}");
    for (int i = 0; i < ITEMS; i++)
        row[i] = (i * 7 % ITEMS) - 8;
    assert_ok(clade_kselect_create(&selector, f->context,
                                   &(clade_kselect_params) { .length = ITEMS, .k = K }));
    assert_ok(clade_kselect_run(selector, clade_host(row), clade_host(wanted), clade_no_array(), 1,
                                NULL));
    const cl_mem mem = fixture_buffer(f, sizeof row, row);
    default_run(f, &built, mem, f->caps->is_cpu ? 1 : 256, out);
    for (int key = -8; key < -8 + K; key++) { /* in any order */
        int found = 0, on_host = 0;
        for (int i = 0; i < K; i++) {
            found += (int32_t)out[i] == key;
            on_host += wanted[i] == key;
        }
        assert_int_equal(found, 1);
        assert_int_equal(on_host, 1);
    }
    for (int i = K; i < 2 * K; i++)
        assert_int_equal(out[i], 0);
    clReleaseMemObject(mem);
    clade_kselect_destroy(&selector);
    default_end(&built);
}

const struct CMUnitTest kselect_default = cmocka_unit_test(kselect);

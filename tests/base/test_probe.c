/* SPDX-License-Identifier: Apache-2.0 */
/* Which dialects are believed without a try. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "clade/error.h"
#include "context/probe.h"

static const char pocl[] = "Portable Computing Language";

static void pocl_is_believed_of_cpus_alone(void **state)
{
    const clade_caps cpu = { .atomics = CLADE_ATOMICS_C11, .is_cpu = 1 };
    const clade_caps gpu = { .atomics = CLADE_ATOMICS_C11, .is_cpu = 0 };
    (void)state;
    assert_true(cladei_dialect_is_believed(pocl, &cpu, 0));
    assert_false(cladei_dialect_is_believed(pocl, &gpu, 0));
    assert_false(cladei_dialect_is_believed("rusticl", &cpu, 0));
}

static void ptx_is_believed_from_7_0_on(void **state)
{
    const clade_caps caps = { .atomics = CLADE_ATOMICS_PTX };
    (void)state;
    assert_true(cladei_dialect_is_believed("NVIDIA CUDA", &caps, 7));
    assert_false(cladei_dialect_is_believed("NVIDIA CUDA", &caps, 6));
    assert_false(cladei_dialect_is_believed("NVIDIA CUDA", &caps, 0));
}

static void other_dialects_are_tried(void **state)
{
    const clade_caps caps = { .atomics = CLADE_ATOMICS_RMW, .is_cpu = 1 };
    (void)state;
    assert_false(cladei_dialect_is_believed(pocl, &caps, 7));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pocl_is_believed_of_cpus_alone),
        cmocka_unit_test(ptx_is_believed_from_7_0_on),
        cmocka_unit_test(other_dialects_are_tried),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

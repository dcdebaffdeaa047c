/* SPDX-License-Identifier: Apache-2.0 */
/* The compiler options of an allocator: users choose how many registers their kernels have, and the
 * library's own kernels have few on NVIDIA. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "device/context.h"
#include "kma/kma.h"

static void options_bound_the_librarys_own_kernels_alone(void **state)
{
    (void)state;
    const struct {
        uint32_t atomics;
        bool reduces;
        uint32_t debug;
        const char *users, *own;
    } rows[] = {
        { CLADE_ATOMICS_C11, false, 0, "", "" },
        { CLADE_ATOMICS_RMW, false, 1, "-DCLADE_KMA_DEBUG=1", "-DCLADE_KMA_DEBUG=1" },
        { CLADE_ATOMICS_PTX, false, 0, "", "-cl-nv-maxrregcount=40" },
        { CLADE_ATOMICS_PTX, true, 0, "-DCLADE_SG_REDUX=1",
          "-cl-nv-maxrregcount=40 -DCLADE_SG_REDUX=1" },
        { CLADE_ATOMICS_PTX, true, 1, "-DCLADE_SG_REDUX=1 -DCLADE_KMA_DEBUG=1",
          "-cl-nv-maxrregcount=40 -DCLADE_SG_REDUX=1 -DCLADE_KMA_DEBUG=1" },
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const clade_context context = { .caps.atomics = rows[i].atomics,
                                        .reduces = rows[i].reduces };
        clade_kma kma = { .head.debug = rows[i].debug };
        cladei_kma_write_options(&kma, &context);
        assert_string_equal(clade_kma_options(&kma), rows[i].users);
        assert_string_equal(cladei_kma_own_options(&kma), rows[i].own);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(options_bound_the_librarys_own_kernels_alone),
    };
    return cmocka_run_group_tests_name("kma_options", tests, NULL, NULL);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* The compiler options of an allocator: users choose how many registers their kernels have, and the
 * library's own kernels have few on NVIDIA. And how far one may grow that no test has the memory
 * for. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "clade/error.h"
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

/* The last page of 64 GiB is not used: who may grow to 64 GiB grows to one less. It is the device
 * here that has no such buffer. */
static void heaps_may_grow_to_64_gib(void **state)
{
    (void)state;
    const uint64_t most = (uint64_t)64 << 30;
    clade_context context = { .caps.alloc_bytes_max = 1 << 30 };
    clade_kma kma = { .object = { .context = &context, .bytes = 1 << 20 },
                      .head.pages = (uint32_t)(cladei_kma_usable_bytes(most) >> 14) };
    assert_int_equal(clade_kma_grow(&kma, most, NULL), CLADE_E_ARG);
    assert_non_null(strstr(clade_error_last()->message, "68719460352 bytes in one buffer"));
    assert_int_equal(clade_kma_grow(&kma, most + 1, NULL), CLADE_E_ARG);
    assert_non_null(strstr(clade_error_last()->message, "it was made for 68719460352 at most"));
    kma.head.pages = 64;
    assert_int_equal(clade_kma_grow(&kma, most, NULL), CLADE_E_ARG);
    assert_non_null(strstr(clade_error_last()->message, "it was made for 1048576 at most"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(options_bound_the_librarys_own_kernels_alone),
        cmocka_unit_test(heaps_may_grow_to_64_gib),
    };
    return cmocka_run_group_tests_name("kma_options", tests, NULL, NULL);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Buffers are filled in pieces that every driver fills: this program stands in the driver's place
 * and looks at each command. */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "device/queue.h"

static size_t commands, next, pattern_wanted, fails_at;

cl_int clEnqueueFillBuffer(cl_command_queue queue, cl_mem mem, const void *pattern,
                           size_t pattern_bytes, size_t offset, size_t bytes, cl_uint count,
                           const cl_event *events, cl_event *event)
{
    (void)queue, (void)mem;
    assert_non_null(pattern);
    assert_true(count == 0 && !events && !event);
    assert_int_equal(pattern_bytes, pattern_wanted);
    assert_int_equal(offset, next);
    assert_true(bytes > 0 && bytes % pattern_bytes == 0);
    assert_true(bytes / pattern_bytes < (size_t)1 << 31);
    commands++;
    if (commands == fails_at)
        return CL_OUT_OF_RESOURCES;
    next += bytes;
    return CL_SUCCESS;
}

static clade_status fill(size_t pattern_bytes, size_t first, size_t bytes)
{
    const char pattern[16] = { 0 };
    commands = 0;
    next = first;
    pattern_wanted = pattern_bytes;
    return cladei_queue_fill(NULL, NULL, pattern, pattern_bytes, first, bytes);
}

static void all_of_a_large_buffer(void **state)
{
    static const size_t patterns[] = { 1, 4, 8, 16 };
    const size_t bytes = ((size_t)35 << 30) + 16, first = 4096;
    (void)state;
    for (size_t i = 0; i < 4; i++) {
        assert_int_equal(fill(patterns[i], first, bytes), CLADE_OK);
        assert_int_equal(next, first + bytes);
    }
}

static void a_small_one_by_one_command(void **state)
{
    (void)state;
    assert_int_equal(fill(4, 0, (size_t)1 << 30), CLADE_OK);
    assert_int_equal(commands, 1);
    assert_int_equal(fill(4, 64, 0), CLADE_OK);
    assert_int_equal(commands, 0);
}

static void a_piece_that_fails_is_told(void **state)
{
    (void)state;
    fails_at = 3;
    assert_int_equal(fill(4, 0, (size_t)8 << 30), CLADE_E_DEVICE);
    assert_int_equal(commands, 3);
    fails_at = 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_of_a_large_buffer),
        cmocka_unit_test(a_small_one_by_one_command),
        cmocka_unit_test(a_piece_that_fails_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

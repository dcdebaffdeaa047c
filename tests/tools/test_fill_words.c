/* SPDX-License-Identifier: Apache-2.0 */
/* Tools fill large buffers as NVIDIA's driver can: this program stands in the driver's place and
 * looks at each command. `clade count` has a word for each byte of its text. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "common/fill.h"

/* Filled so far, from the buffer's begin on. */
static size_t filled, commands, fails_at;
static cl_int answer(void)
{
    return ++commands == fails_at ? CL_OUT_OF_RESOURCES : CL_SUCCESS;
}

cl_int clEnqueueFillBuffer(cl_command_queue queue, cl_mem mem, const void *pattern,
                           size_t pattern_bytes, size_t offset, size_t bytes, cl_uint count,
                           const cl_event *events, cl_event *event)
{
    (void)queue, (void)mem, (void)events;
    assert_true(offset == 0 && filled == 0 && count == 0 && !event);
    assert_true(pattern_bytes == 4 && *(const cl_uint *)pattern == 7);
    assert_true(bytes > 0 && bytes % 4 == 0 && bytes / 4 < (size_t)1 << 31);
    filled = bytes;
    return answer();
}

/* Of what is there, and not over itself. */
cl_int clEnqueueCopyBuffer(cl_command_queue queue, cl_mem from, cl_mem to, size_t from_offset,
                           size_t to_offset, size_t bytes, cl_uint count, const cl_event *events,
                           cl_event *event)
{
    (void)queue, (void)events;
    assert_true(from == to && count == 0 && !event);
    assert_true(to_offset == filled && bytes > 0 && bytes % 4 == 0);
    assert_true(from_offset % 4 == 0 && from_offset + bytes <= filled);
    filled += bytes;
    return answer();
}

static cl_int fill(size_t bytes)
{
    filled = commands = 0;
    return fill_words(NULL, NULL, 7, bytes);
}

static void all_of_it(void **state)
{
    static const size_t sizes[] = {
        4, 4096, (size_t)1 << 30, ((size_t)1 << 30) + 4, (size_t)1 << 33, 4 * (size_t)UINT32_MAX
    };
    (void)state;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        assert_int_equal(fill(sizes[i]), CL_SUCCESS);
        assert_int_equal(filled, sizes[i]);
    }
}

static void a_command_that_fails_is_the_last(void **state)
{
    (void)state;
    for (fails_at = 1; fails_at <= 3; fails_at++) {
        assert_int_equal(fill((size_t)1 << 33), CL_OUT_OF_RESOURCES);
        assert_int_equal(commands, fails_at);
    }
    fails_at = 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_of_it),
        cmocka_unit_test(a_command_that_fails_is_the_last),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

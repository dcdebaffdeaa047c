/* SPDX-License-Identifier: Apache-2.0 */
/* Large buffers are filled by copies, which every driver does right: this program stands in the
 * driver's place and looks at each command. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "device/queue.h"

/* What is filled so far is from `first` to `next`. */
static size_t first, next, commands, fails_at;
static bool has_seed;
static char seed_text[16];
static size_t pattern_wanted;

static cl_int count_command(void)
{
    commands++;
    return commands == fails_at ? CL_OUT_OF_RESOURCES : CL_SUCCESS;
}

cl_int clEnqueueFillBuffer(cl_command_queue queue, cl_mem mem, const void *pattern,
                           size_t pattern_bytes, size_t offset, size_t bytes, cl_uint count,
                           const cl_event *events, cl_event *event)
{
    (void)queue, (void)mem;
    assert_true(pattern && count == 0 && !events && !event);
    assert_int_equal(pattern_bytes, pattern_wanted);
    assert_true(offset == next && bytes > 0 && bytes % pattern_bytes == 0);
    assert_true(offset + bytes < (size_t)1 << 31);
    next += bytes;
    return count_command();
}

cl_int clGetCommandQueueInfo(cl_command_queue queue, cl_command_queue_info what, size_t room,
                             void *value, size_t *got)
{
    (void)queue, (void)got;
    assert_int_equal(what, CL_QUEUE_CONTEXT);
    memset(value, 0, room);
    return CL_SUCCESS;
}

cl_mem clCreateBuffer(cl_context context, cl_mem_flags flags, size_t bytes, void *host,
                      cl_int *code)
{
    (void)context;
    assert_true((flags & CL_MEM_COPY_HOST_PTR) != 0 && !has_seed);
    for (size_t i = 0; i < bytes; i++)
        assert_int_equal(((char *)host)[i], seed_text[i % pattern_wanted]);
    has_seed = true;
    *code = CL_SUCCESS;
    return (cl_mem)seed_text;
}

cl_int clReleaseMemObject(cl_mem mem)
{
    assert_true(has_seed && mem == (cl_mem)seed_text);
    has_seed = false;
    return CL_SUCCESS;
}

/* Of the seed, or of what is there, behind it; and not over itself. */
cl_int clEnqueueCopyBuffer(cl_command_queue queue, cl_mem from, cl_mem to, size_t from_offset,
                           size_t to_offset, size_t bytes, cl_uint count, const cl_event *events,
                           cl_event *event)
{
    (void)queue;
    assert_true(count == 0 && !events && !event && bytes > 0 && bytes <= (size_t)1 << 30);
    assert_true(to == NULL && to_offset == next);
    if (from == (cl_mem)seed_text)
        assert_true(from_offset == 0 && bytes <= 1 << 16 && next == first);
    else
        assert_true(from == NULL && from_offset == first && from_offset + bytes <= next);
    assert_int_equal((to_offset - first) % pattern_wanted, 0);
    next += bytes;
    return count_command();
}

static clade_status fill(size_t pattern_bytes, size_t from, size_t bytes)
{
    for (size_t i = 0; i < sizeof seed_text; i++)
        seed_text[i] = (char)(i + 1);
    commands = 0;
    first = next = from;
    pattern_wanted = pattern_bytes;
    const clade_status status =
        cladei_queue_fill(NULL, NULL, seed_text, pattern_bytes, from, bytes);
    assert_false(has_seed);
    return status;
}

static void all_of_a_large_buffer(void **state)
{
    static const size_t patterns[] = { 1, 4, 8, 16 };
    static const size_t sizes[] = { ((size_t)35 << 30) + 16, ((size_t)1 << 31) + 16,
                                    ((size_t)3 << 30) + 48 };
    (void)state;
    for (size_t i = 0; i < 12; i++) {
        assert_int_equal(fill(patterns[i % 4], 4096 * (i % 3), sizes[i / 4]), CLADE_OK);
        assert_int_equal(next - first, sizes[i / 4]);
    }
}

static void the_end_of_a_large_buffer(void **state)
{
    (void)state;
    assert_int_equal(fill(16, (size_t)20 << 30, 1024), CLADE_OK);
    assert_true(commands == 1 && next == first + 1024);
}

static void a_small_one_by_one_command(void **state)
{
    (void)state;
    const size_t most = ((size_t)1 << 31) - 4;
    assert_int_equal(fill(4, 0, most), CLADE_OK);
    assert_true(commands == 1 && next == most);
    assert_int_equal(fill(4, 64, 0), CLADE_OK);
    assert_int_equal(commands, 0);
}

/* Bytes are patterns, too. */
static void patterns_are_counted_in_31_bits(void **state)
{
    (void)state;
    assert_int_equal(fill(1, 0, (size_t)1 << 31), CLADE_OK);
    assert_true(commands > 1 && next == (size_t)1 << 31);
}

static void a_command_that_fails_is_told(void **state)
{
    (void)state;
    for (fails_at = 1; fails_at <= 3; fails_at++) {
        assert_int_equal(fill(4, 0, (size_t)8 << 30), CLADE_E_DEVICE);
        assert_int_equal(commands, fails_at);
    }
    fails_at = 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_of_a_large_buffer),
        cmocka_unit_test(the_end_of_a_large_buffer),
        cmocka_unit_test(a_small_one_by_one_command),
        cmocka_unit_test(patterns_are_counted_in_31_bits),
        cmocka_unit_test(a_command_that_fails_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

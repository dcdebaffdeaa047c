/* SPDX-License-Identifier: Apache-2.0 */
/* A fill by copies, as large buffers need it, has every byte and none beside. */
#include <string.h>

#include "device/queue.h"
#include "harness/fixture.h"

enum { BYTES = 1 << 20, UNTOUCHED = 0x5a };

static void verify(const unsigned char *got, const unsigned char *pattern, size_t pattern_bytes,
                   size_t first, size_t bytes)
{
    for (size_t i = 0; i < BYTES; i++) {
        const bool is_inside = i >= first && i < first + bytes;
        assert_int_equal(got[i], is_inside ? pattern[(i - first) % pattern_bytes] : UNTOUCHED);
    }
}

static void try_one(clade_context *context, unsigned char *got, size_t pattern_bytes, size_t first,
                    size_t bytes)
{
    static const unsigned char pattern[16] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15 };
    cl_command_queue queue = clade_context_cl_queue(context);
    cl_int code;
    memset(got, UNTOUCHED, BYTES);
    cl_mem mem = clCreateBuffer(clade_context_cl_context(context),
                                CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, BYTES, got, &code);
    assert_int_equal(code, CL_SUCCESS);
    assert_int_equal(cladei_queue_fill(queue, mem, pattern, pattern_bytes, first, bytes), CLADE_OK);
    assert_int_equal(clEnqueueReadBuffer(queue, mem, CL_TRUE, 0, BYTES, got, 0, NULL, NULL),
                     CL_SUCCESS);
    clReleaseMemObject(mem);
    verify(got, pattern, pattern_bytes, first, bytes);
}

static void every_byte_and_none_beside(void **state)
{
    const struct fixture *f = *state;
    static const size_t lengths[] = { 16, 65520, 65536, 65552, 131088, 600000, BYTES - 32 };
    const size_t most = cladei_queue_fill_most;
    unsigned char *got = test_malloc(BYTES);
    for (size_t by_copies = 0; by_copies < 2; by_copies++)
        for (size_t bytes = 1; bytes <= 16; bytes *= bytes == 1 ? 4 : 2)
            for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
                cladei_queue_fill_most = by_copies ? 0 : most;
                try_one(f->context, got, bytes, i % 3 * 16, lengths[i]);
            }
    cladei_queue_fill_most = most;
    test_free(got);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_byte_and_none_beside),
    };
    return fixture_run("filled", tests);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* clade_finish() waits for all that is in the queue, also for what was sent to the device before.
 * Mesa's rusticl waits in clFinish() only for what was not. */
#include <string.h>

#include "harness/fixture.h"

enum { BYTES = 16 << 20, TIMES = 20 };

static void what_was_sent_before_is_waited_for(void **state)
{
    struct fixture *f = *state;
    cl_command_queue queue = clade_context_cl_queue(f->context);
    cl_int code;
    cl_mem mem =
        clCreateBuffer(clade_context_cl_context(f->context), CL_MEM_READ_WRITE, BYTES, NULL, &code);
    char *sent = test_calloc(BYTES, 1), *got = test_calloc(BYTES, 1);
    assert_int_equal(code, CL_SUCCESS);
    memset(sent, 7, BYTES);
    assert_int_equal(clEnqueueWriteBuffer(queue, mem, CL_TRUE, 0, BYTES, sent, 0, NULL, NULL),
                     CL_SUCCESS);
    for (int i = 0; i < TIMES; i++) {
        memset(got, 0, BYTES);
        assert_int_equal(clEnqueueReadBuffer(queue, mem, CL_FALSE, 0, BYTES, got, 0, NULL, NULL),
                         CL_SUCCESS);
        assert_int_equal(clFlush(queue), CL_SUCCESS);
        assert_ok(clade_finish(f->context));
        assert_int_equal(got[BYTES - 1], 7);
    }
    clReleaseMemObject(mem);
    test_free(sent);
    test_free(got);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_was_sent_before_is_waited_for),
    };
    return fixture_run("finish", tests);
}

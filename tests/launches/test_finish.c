/* SPDX-License-Identifier: Apache-2.0 */
/* clade_finish(), and the end of each object and context, wait for all that is in the queue, also
 * for what was sent to the device before. Mesa's rusticl waits in clFinish() only for what was not.
 */
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <string.h>

#include "clade/arraylist.h"
#include "clade/queue.h"
#include "device/context.h"
#include "device/queue.h"
#include "harness/fixture.h"

enum { BYTES = 16 << 20, TIMES = 20 };

/* A copy to the host that takes a while, and is sent to the device without being waited for. */
struct sent {
    cl_command_queue queue;
    cl_mem mem;
    char *got;
};

static void make_sent(struct sent *s, clade_context *context)
{
    const unsigned char seven = 7;
    cl_int code;
    s->queue = clade_context_cl_queue(context);
    assert_int_equal(clRetainCommandQueue(s->queue), CL_SUCCESS);
    s->mem =
        clCreateBuffer(clade_context_cl_context(context), CL_MEM_READ_WRITE, BYTES, NULL, &code);
    assert_int_equal(code, CL_SUCCESS);
    assert_int_equal(clEnqueueFillBuffer(s->queue, s->mem, &seven, 1, 0, BYTES, 0, NULL, NULL),
                     CL_SUCCESS);
    s->got = test_calloc(BYTES, 1);
}

static void send(struct sent *s)
{
    memset(s->got, 0, BYTES);
    assert_int_equal(
        clEnqueueReadBuffer(s->queue, s->mem, CL_FALSE, 0, BYTES, s->got, 0, NULL, NULL),
        CL_SUCCESS);
    assert_int_equal(clFlush(s->queue), CL_SUCCESS);
}

/* Whether it had come. Nothing is under way afterwards in any case. */
static bool had_come(struct sent *s)
{
    const bool there = s->got[BYTES - 1] == 7;
    char last;
    assert_int_equal(
        clEnqueueReadBuffer(s->queue, s->mem, CL_TRUE, BYTES - 1, 1, &last, 0, NULL, NULL),
        CL_SUCCESS);
    assert_int_equal(s->got[BYTES - 1], 7);
    return there;
}

static void free_sent(struct sent *s)
{
    clReleaseMemObject(s->mem);
    clReleaseCommandQueue(s->queue);
    test_free(s->got);
}

static void what_was_sent_before_is_waited_for(void **state)
{
    struct fixture *f = *state;
    struct sent s;
    make_sent(&s, f->context);
    for (int i = 0; i < TIMES; i++) {
        send(&s);
        assert_ok(clade_finish(f->context));
        assert_true(had_come(&s));
    }
    free_sent(&s);
}

static void objects_wait_when_they_end(void **state)
{
    struct fixture *f = *state;
    struct sent s;
    make_sent(&s, f->context);
    for (int i = 0; i < TIMES / 4; i++) {
        clade_queue *queue = NULL;
        clade_arraylist *list = NULL;
        assert_ok(clade_queue_create(&queue, f->context, &(clade_queue_params) { .capacity = 64 }));
        assert_ok(clade_arraylist_create(
            &list, f->context, &(clade_arraylist_params) { .capacity = 64, .element_bytes = 4 }));
        send(&s);
        clade_queue_destroy(&queue);
        assert_true(had_come(&s));
        send(&s);
        clade_arraylist_destroy(&list);
        assert_true(had_come(&s));
    }
    free_sent(&s);
}

static void contexts_wait_when_they_end(void **state)
{
    struct fixture *f = *state;
    for (int i = 0; i < TIMES / 4; i++) {
        clade_context *own = NULL;
        struct sent s;
        assert_ok(clade_context_create(
            &own, &(clade_context_params) { .cl_context = clade_context_cl_context(f->context),
                                            .cl_device = clade_context_cl_device(f->context) }));
        make_sent(&s, own);
        send(&s);
        clade_context_destroy(&own);
        assert_true(had_come(&s));
        free_sent(&s);
    }
}

/* clade_finish() looks at the kernel that came last to the context's own queue, on PoCL. */
static void the_last_kernel_is_kept_until_it_is_waited_for(void **state)
{
    struct fixture *f = *state;
    const cl_uint seven = 7;
    cl_int code;
    clade_queue *queue = NULL;
    cl_context context = clade_context_cl_context(f->context);
    cl_mem value = clCreateBuffer(context, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, sizeof seven,
                                  (void *)(size_t)&seven, &code);
    assert_int_equal(code, CL_SUCCESS);
    cl_command_queue other =
        clCreateCommandQueue(context, clade_context_cl_device(f->context), 0, &code);
    assert_int_equal(code, CL_SUCCESS);
    assert_ok(clade_queue_create(&queue, f->context, &(clade_queue_params) { .capacity = 64 }));
    assert_ok(clade_finish(f->context));
    assert_null(f->context->last);
    assert_ok(clade_queue_append(queue, clade_device(value, 0), 1, clade_no_array(),
                                 &(clade_launch) { .queue = other }));
    assert_ok(cladei_queue_finish(f->context, other)); /* rusticl's clFinish() may not wait */
    assert_null(f->context->last);
    for (uint64_t size = 2; size < 4; size++) {
        uint64_t got;
        assert_ok(clade_queue_append(queue, clade_device(value, 0), 1, clade_no_array(), NULL));
        assert_int_equal(f->context->last != NULL, f->context->sleeps_early);
        assert_ok(clade_finish(f->context));
        assert_null(f->context->last);
        assert_ok(clade_queue_size(queue, &got));
        assert_int_equal(got, size);
    }
    clade_queue_destroy(&queue);
    clReleaseCommandQueue(other);
    clReleaseMemObject(value);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_was_sent_before_is_waited_for),
        cmocka_unit_test(objects_wait_when_they_end),
        cmocka_unit_test(contexts_wait_when_they_end),
        cmocka_unit_test(the_last_kernel_is_kept_until_it_is_waited_for),
    };
    return fixture_run("finish", tests);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* What is not of the object's context, and what is too small, is refused with a sentence, and
 * nothing is done: buffers, queues and events of another OpenCL context, of another device, of
 * another platform; queues that are out-of-order. */
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include "launches/launches.h"

#include <clade/queue.h>

/* --- where foreign things come from ----------------------------------------------------------- */

struct abroad {
    const char *name;
    cl_context context;
    cl_device_id device;
    cl_command_queue queue;
    cl_mem mem;
    cl_event event;
};

static bool go_to(struct abroad *a, const char *name, cl_device_id device)
{
    cl_int code;
    *a = (struct abroad) { .name = name, .device = device };
    a->context = clCreateContext(NULL, 1, &device, NULL, NULL, &code);
    if (code != CL_SUCCESS)
        return false;
    a->queue = clCreateCommandQueue(a->context, device, 0, &code);
    assert_int_equal(code, CL_SUCCESS);
    a->mem = clCreateBuffer(a->context, CL_MEM_READ_WRITE, SLOT_WORDS * 4, NULL, &code);
    assert_int_equal(code, CL_SUCCESS);
    a->event = clCreateUserEvent(a->context, &code);
    assert_int_equal(code, CL_SUCCESS);
    assert_int_equal(clSetUserEventStatus(a->event, CL_COMPLETE), CL_SUCCESS);
    return true;
}

static void leave(struct abroad *a)
{
    clReleaseEvent(a->event);
    clReleaseMemObject(a->mem);
    clReleaseCommandQueue(a->queue);
    clReleaseContext(a->context);
}

/* A device of another platform, or NULL. */
static cl_device_id another_platforms(struct fixture *f)
{
    cl_platform_id ours, platforms[16];
    cl_device_id device = NULL;
    cl_uint count = 0;
    assert_int_equal(clGetDeviceInfo(clade_context_cl_device(f->context), CL_DEVICE_PLATFORM,
                                     sizeof ours, &ours, NULL),
                     CL_SUCCESS);
    assert_int_equal(clGetPlatformIDs(16, platforms, &count), CL_SUCCESS);
    for (cl_uint i = 0; i < count && !device; i++)
        if (platforms[i] != ours &&
            clGetDeviceIDs(platforms[i], CL_DEVICE_TYPE_ALL, 1, &device, NULL) != CL_SUCCESS)
            device = NULL;
    return device;
}

/* Another context of the same device, then another platform's. */
static size_t travel(struct fixture *f, struct abroad *places)
{
    size_t count = 0;
    cl_device_id other = another_platforms(f);
    assert_true(go_to(&places[count++], "another context", clade_context_cl_device(f->context)));
    if (other && go_to(&places[count], "another platform", other))
        count++;
    else
        print_message("skipped: another platform's, for there is no device of one\n");
    return count;
}

/* --- what a refused call leaves --------------------------------------------------------------- */

/* The object is as fill() left it. */
static void assert_untouched(struct world *w, struct world *twin, const char *what)
{
    world_reset(twin);
    w->digest = 0;
    w->kind->drain(w);
    twin->kind->drain(twin);
    if (w->digest != twin->digest)
        fail_msg("%s changed the object, though it was refused", what);
}

static void must_refuse(struct world *w, const struct row *row, const clade_launch *launch,
                        clade_status wanted, const char *sentence)
{
    const clade_status status = row->call(w, launch);
    if (status != wanted)
        fail_msg("%s returned %s, wanted was: %s", row->function, clade_status_name(status),
                 sentence);
    assert_message(sentence);
}

/* Each array of each call in turn is `mem`. */
static void each_array(struct fixture *f, cl_mem mem, const char *sentence)
{
    struct world w, twin;
    for (size_t i = 0; i < row_count; i++) {
        if (rows[i].kind->is_shared)
            continue;
        world_open(&w, rows[i].kind, f);
        world_open(&twin, rows[i].kind, f);
        for (int slot = 0; slot < SLOTS; slot++) {
            if (!row_takes(&rows[i], slot))
                continue;
            world_reset(&w);
            cl_mem own = w.mem[slot];
            w.mem[slot] = mem;
            must_refuse(&w, &rows[i], NULL, CLADE_E_ARG, sentence);
            w.mem[slot] = own;
            assert_untouched(&w, &twin, rows[i].function);
        }
        world_close(&w);
        world_close(&twin);
    }
}

static void foreign_buffers_are_refused(void **state)
{
    struct fixture *f = *state;
    struct abroad places[2];
    const size_t count = travel(f, places);
    for (size_t i = 0; i < count; i++) {
        each_array(f, places[i].mem, "is of another OpenCL context");
        leave(&places[i]);
    }
}

/* Four bytes are less than any array of COUNT elements needs, and than `got` does. */
static void short_buffers_are_refused(void **state)
{
    struct fixture *f = *state;
    cl_mem mem = fixture_buffer(f, 4, NULL);
    each_array(f, mem, "its buffer has 4");
    clReleaseMemObject(mem);
}

/* Each call in turn with such a launch. */
static void each_call_answers(struct fixture *f, const clade_launch *launch, clade_status wanted,
                              const char *sentence)
{
    struct world w, twin;
    for (size_t i = 0; i < row_count; i++) {
        if (rows[i].kind->is_shared)
            continue;
        world_open(&w, rows[i].kind, f);
        world_open(&twin, rows[i].kind, f);
        for (w.on_host = false;; w.on_host = true) {
            world_reset(&w);
            must_refuse(&w, &rows[i], launch, wanted, sentence);
            assert_untouched(&w, &twin, rows[i].function);
            if (w.on_host)
                break;
        }
        world_close(&w);
        world_close(&twin);
    }
}

static void each_call(struct fixture *f, const clade_launch *launch, const char *sentence)
{
    each_call_answers(f, launch, CLADE_E_ARG, sentence);
}

static void foreign_queues_and_events_are_refused(void **state)
{
    struct fixture *f = *state;
    struct abroad places[2];
    const size_t count = travel(f, places);
    for (size_t i = 0; i < count; i++) {
        each_call(f, &(clade_launch) { .queue = places[i].queue },
                  "the queue is of another OpenCL context");
        each_call(f, &(clade_launch) { .wait = &places[i].event, .wait_count = 1 },
                  "event 0 of the wait list is of another OpenCL context");
        leave(&places[i]);
    }
    const cl_event none = NULL;
    each_call(f, &(clade_launch) { .wait = &none, .wait_count = 1 },
              "event 0 of the wait list is none");
    each_call(f, &(clade_launch) { .wait_count = 1 }, "no wait list");
}

/* PoCL 3.1 would wait for it without end; llvmpipe would do the work. */
static void events_that_failed_are_refused(void **state)
{
    struct fixture *f = *state;
    cl_int code;
    cl_event events[2];
    for (int i = 0; i < 2; i++) {
        events[i] = clCreateUserEvent(clade_context_cl_context(f->context), &code);
        assert_int_equal(code, CL_SUCCESS);
        assert_int_equal(clSetUserEventStatus(events[i], i ? CL_OUT_OF_RESOURCES : CL_COMPLETE),
                         CL_SUCCESS);
    }
    each_call_answers(f, &(clade_launch) { .wait = events, .wait_count = 2 }, CLADE_E_DEVICE,
                      "a command of the wait list failed: CL_OUT_OF_RESOURCES");
    assert_int_equal(clade_error_last()->cl_code, CL_OUT_OF_RESOURCES);
    for (int i = 0; i < 2; i++)
        clReleaseEvent(events[i]);
}

/* --- out-of-order queues ---------------------------------------------------------------------- */

static cl_command_queue out_of_order(struct fixture *f)
{
    cl_int code;
    cl_command_queue queue = clCreateCommandQueue(clade_context_cl_context(f->context),
                                                  clade_context_cl_device(f->context),
                                                  CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE, &code);
    if (code != CL_SUCCESS)
        print_message("skipped: the device has no out-of-order queues\n");
    return code == CL_SUCCESS ? queue : NULL;
}

static void out_of_order_queues_are_refused(void **state)
{
    struct fixture *f = *state;
    clade_context *context = NULL;
    cl_command_queue queue = out_of_order(f);
    if (!queue)
        return;
    each_call(f, &(clade_launch) { .queue = queue }, "out-of-order");
    const clade_context_params params = { .cl_context = clade_context_cl_context(f->context),
                                          .cl_device = clade_context_cl_device(f->context),
                                          .cl_queue = queue };
    assert_fails(clade_context_create(&context, &params), CLADE_E_ARG);
    assert_message("out-of-order");
    assert_null(context);
    clReleaseCommandQueue(queue);
}

/* What the sentence advises: the caller's own commands in such a queue, before and behind. */
static void out_of_order_commands_are_ordered_by_events(void **state)
{
    struct fixture *f = *state;
    enum { ALL = 50 };
    uint32_t values[ALL], got[ALL] = { 0 };
    clade_queue *fifo = NULL;
    cl_int code;
    cl_event written, appended, popped, read;
    cl_command_queue queue = out_of_order(f);
    if (!queue)
        return;
    cl_mem in = fixture_buffer(f, sizeof values, NULL), out = fixture_buffer(f, sizeof got, NULL);
    cl_event gate = clCreateUserEvent(clade_context_cl_context(f->context), &code);
    assert_int_equal(code, CL_SUCCESS);
    for (uint32_t i = 0; i < ALL; i++)
        values[i] = i + 1;
    assert_ok(clade_queue_create(&fifo, f->context, &(clade_queue_params) { .capacity = 64 }));
    assert_int_equal(
        clEnqueueWriteBuffer(queue, in, CL_FALSE, 0, sizeof values, values, 1, &gate, &written),
        CL_SUCCESS);
    assert_ok(clade_queue_append(
        fifo, clade_device(in, 0), ALL, clade_no_array(),
        &(clade_launch) { .wait = &written, .wait_count = 1, .event = &appended }));
    assert_ok(clade_queue_pop(fifo, clade_device(out, 0), ALL, clade_no_array(),
                              &(clade_launch) { .event = &popped }));
    assert_int_equal(
        clEnqueueReadBuffer(queue, out, CL_FALSE, 0, sizeof got, got, 1, &popped, &read),
        CL_SUCCESS);
    assert_int_equal(clFlush(queue), CL_SUCCESS);
    assert_int_equal(clSetUserEventStatus(gate, CL_COMPLETE), CL_SUCCESS);
    assert_int_equal(clWaitForEvents(1, &read), CL_SUCCESS);
    assert_memory_equal(got, values, sizeof got);
    const cl_event events[] = { gate, written, appended, popped, read };
    for (size_t i = 0; i < sizeof events / sizeof events[0]; i++)
        clReleaseEvent(events[i]);
    clReleaseMemObject(in);
    clReleaseMemObject(out);
    clade_queue_destroy(&fifo);
    clReleaseCommandQueue(queue);
}

/* --- contexts --------------------------------------------------------------------------------- */

static void contexts_of_foreign_handles_are_refused(void **state)
{
    struct fixture *f = *state;
    struct abroad places[2];
    clade_context *context = NULL;
    const size_t count = travel(f, places);
    for (size_t i = 0; i < count; i++) {
        clade_context_params params = { .cl_context = clade_context_cl_context(f->context),
                                        .cl_device = clade_context_cl_device(f->context),
                                        .cl_queue = places[i].queue };
        assert_fails(clade_context_create(&context, &params), CLADE_E_ARG);
        assert_message("the queue is of another OpenCL context");
        if (places[i].device != params.cl_device) {
            params = (clade_context_params) { .cl_context = places[i].context,
                                              .cl_device = params.cl_device };
            assert_fails(clade_context_create(&context, &params), CLADE_E_ARG);
            assert_message("cl_device is no device of cl_context");
        }
        leave(&places[i]);
    }
}

/* One context with two devices: a queue of the other one is not for kernels built for this. */
static void queues_of_another_device_are_refused(void **state)
{
    struct fixture *f = *state;
    cl_platform_id platform;
    cl_device_id devices[2];
    cl_uint count = 0;
    cl_int code;
    clade_context *context = NULL;
    clade_queue *fifo = NULL;
    uint32_t value = 1;
    assert_int_equal(clGetDeviceInfo(clade_context_cl_device(f->context), CL_DEVICE_PLATFORM,
                                     sizeof platform, &platform, NULL),
                     CL_SUCCESS);
    assert_int_equal(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 2, devices, &count), CL_SUCCESS);
    if (count < 2) {
        print_message("skipped: the platform has one device\n");
        return;
    }
    cl_context both = clCreateContext(NULL, 2, devices, NULL, NULL, &code);
    assert_int_equal(code, CL_SUCCESS);
    cl_command_queue other = clCreateCommandQueue(both, devices[1], 0, &code);
    assert_int_equal(code, CL_SUCCESS);
    clade_context_params params = { .cl_context = both, .cl_device = devices[0] };
    assert_ok(clade_context_create(&context, &params));
    assert_ok(clade_queue_create(&fifo, context, &(clade_queue_params) { .capacity = 4 }));
    assert_fails(clade_queue_append(fifo, clade_host(&value), 1, clade_no_array(),
                                    &(clade_launch) { .queue = other }),
                 CLADE_E_ARG);
    assert_message("the queue is of another device");
    clade_queue_destroy(&fifo);
    clade_context_destroy(&context);
    params.cl_queue = other;
    assert_fails(clade_context_create(&context, &params), CLADE_E_ARG);
    assert_message("the queue is of another device");
    clReleaseCommandQueue(other);
    clReleaseContext(both);
}

int main(void)
{
    rows_collect();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(foreign_buffers_are_refused),
        cmocka_unit_test(short_buffers_are_refused),
        cmocka_unit_test(foreign_queues_and_events_are_refused),
        cmocka_unit_test(events_that_failed_are_refused),
        cmocka_unit_test(out_of_order_queues_are_refused),
        cmocka_unit_test(out_of_order_commands_are_ordered_by_events),
        cmocka_unit_test(contexts_of_foreign_handles_are_refused),
        cmocka_unit_test(queues_of_another_device_are_refused),
    };
    return fixture_run("foreign", tests);
}

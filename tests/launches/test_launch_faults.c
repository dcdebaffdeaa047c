/* SPDX-License-Identifier: Apache-2.0 */
/* Each call with a queue of the caller's, a wait list and an event, while its first, second, ...
 * OpenCL or allocation call fails: it returns CLADE_OK and an event, or fails and gives none; the
 * object can be emptied and used again. A call that only enqueues does not wait because it fails.
 */
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include "launches/caller.h"

#include "fault/fault.h"

struct trial {
    struct world w;
    const struct row *row;
    cl_command_queue queue;
    cl_event gate;
    clade_status status;
    cl_event end;
};

static clade_status run(void *data)
{
    struct trial *t = data;
    const clade_launch launch = {
        .queue = t->queue, .wait = &t->gate, .wait_count = 1, .event = &t->end
    };
    t->end = NULL;
    t->status = t->row->call(&t->w, &launch);
    return t->status;
}

static void judge(void *data)
{
    struct trial *t = data;
    if ((t->status == CLADE_OK) != (t->end != NULL))
        fail_msg("%s returned %s after a fault of %s, and %s event", t->row->function,
                 clade_status_name(t->status), fault_name(), t->end ? "an" : "no");
    if (t->end) {
        assert_int_equal(clWaitForEvents(1, &t->end), CL_SUCCESS);
        clReleaseEvent(t->end);
    }
    assert_int_equal(clFinish(t->queue), CL_SUCCESS);
    world_reset(&t->w);
}

static cl_uint references(cl_event event)
{
    cl_uint count = 0;
    assert_int_equal(clGetEventInfo(event, CL_EVENT_REFERENCE_COUNT, sizeof count, &count, NULL),
                     CL_SUCCESS);
    return count;
}

static void launches_survive_every_fault(void **state)
{
    struct fixture *f = *state;
    cl_context c = clade_context_cl_context(f->context);
    struct trial t = { .row = NULL };
    uint64_t faults = 0;
    cl_int code;
    t.queue = clCreateCommandQueue(c, clade_context_cl_device(f->context), 0, &code);
    assert_int_equal(code, CL_SUCCESS);
    t.gate = clCreateUserEvent(c, &code);
    assert_int_equal(code, CL_SUCCESS);
    assert_int_equal(clSetUserEventStatus(t.gate, CL_COMPLETE), CL_SUCCESS);
    for (size_t i = 0; i < row_count; i++) {
        t.row = &rows[i];
        /* A HOST bridge's kernel waits long for a host that failed; its calls are the ad-heap's. */
        if (t.row->kind->is_shared)
            continue;
        world_open(&t.w, t.row->kind, f);
        for (int on_host = 0; on_host < 2; on_host++) {
            t.w.on_host = on_host;
            world_reset(&t.w);
            faults += fault_every(run, judge, &t);
            t.w.kind->drain(&t.w);
        }
        world_close(&t.w);
    }
    print_message("%llu faults\n", (unsigned long long)faults);
    assert_int_equal(references(t.gate), 1);
    clReleaseEvent(t.gate);
    clReleaseCommandQueue(t.queue);
}

/* Opens the gate when the call has returned, or will not. */
struct keeper {
    cl_event gate;
    atomic_bool call_returned, is_late;
    pthread_t thread;
};

static void *keep_gate(void *data)
{
    struct keeper *k = data;
    for (unsigned ms = 0; ms < PATIENCE_MS && !atomic_load(&k->call_returned); ms++)
        sleep_ms(1);
    k->is_late = !atomic_load(&k->call_returned);
    clSetUserEventStatus(k->gate, CL_COMPLETE);
    return NULL;
}

static clade_status run_behind_gate(void *data)
{
    struct trial *t = data;
    struct keeper keeper = { .gate = NULL };
    cl_int code;
    keeper.gate = clCreateUserEvent(clade_context_cl_context(t->w.f->context), &code);
    assert_int_equal(code, CL_SUCCESS);
    assert_int_equal(pthread_create(&keeper.thread, NULL, keep_gate, &keeper), 0);
    t->gate = keeper.gate;
    const clade_status status = run(t);
    atomic_store(&keeper.call_returned, true);
    pthread_join(keeper.thread, NULL);
    clReleaseEvent(keeper.gate);
    if (keeper.is_late)
        fail_msg("%s waits for the gate after a fault of %s", t->row->function, fault_name());
    return status;
}

static void calls_that_fail_do_not_wait(void **state)
{
    struct fixture *f = *state;
    struct trial t = { .row = NULL };
    cl_int code;
    t.queue = clCreateCommandQueue(clade_context_cl_context(f->context),
                                   clade_context_cl_device(f->context), 0, &code);
    assert_int_equal(code, CL_SUCCESS);
    for (size_t i = 0; i < row_count; i++) {
        t.row = &rows[i];
        if (t.row->blocks != HOST_ARRAYS || t.row->kind->is_shared)
            continue;
        world_open(&t.w, t.row->kind, f);
        world_reset(&t.w);
        fault_every(run_behind_gate, judge, &t);
        world_close(&t.w);
    }
    clReleaseCommandQueue(t.queue);
}

int main(void)
{
    rows_collect();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(launches_survive_every_fault),
        cmocka_unit_test(calls_that_fail_do_not_wait),
    };
    return fixture_run("launch faults", tests);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Waits that look before the host sleeps: this program stands in the driver's place, and in the
 * clock's. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "clade/error.h"
#include "device/context.h"
#include "device/wait.h"

/* The driver. An event is done at the look `done_at`, 0: never. */
static struct {
    unsigned markers, flushes, looks, waits, finishes, transfers, events; /* events: not released */
    unsigned done_at;
    long now;                        /* ns */
    bool blocked, is_finished_first; /* the last transfer; a look came after clFinish() */
    cl_int state, marker, transfer, look, wait, finish; /* what calls return; state: when done */
} driver;
static struct _cl_event *const event_of_driver = (struct _cl_event *)&driver;
static struct _cl_command_queue *const queue = (struct _cl_command_queue *)&driver.markers;
static struct _cl_command_queue *const other = (struct _cl_command_queue *)&driver.flushes;

/* Each question takes a microsecond. */
int clock_gettime(clockid_t clock, struct timespec *time)
{
    (void)clock;
    driver.now += 1000;
    *time = (struct timespec) { .tv_nsec = driver.now };
    return 0;
}

static void give(cl_event *event)
{
    *event = event_of_driver;
    driver.events++;
}

cl_int clEnqueueMarkerWithWaitList(cl_command_queue to, cl_uint count, const cl_event *events,
                                   cl_event *event)
{
    assert_true(to == queue && count == 0 && !events && event);
    driver.markers++;
    if (driver.marker == CL_SUCCESS)
        give(event);
    return driver.marker;
}

cl_int clFlush(cl_command_queue of)
{
    assert_true(of == queue);
    driver.flushes++;
    return CL_SUCCESS;
}

cl_int clGetEventInfo(cl_event event, cl_event_info what, size_t bytes, void *to, size_t *got)
{
    assert_true(event == event_of_driver && driver.events == 1 && !got);
    assert_true(what == CL_EVENT_COMMAND_EXECUTION_STATUS && bytes == sizeof(cl_int));
    driver.is_finished_first |= driver.finishes > 0;
    driver.looks++;
    *(cl_int *)to = driver.looks == driver.done_at ? driver.state : CL_RUNNING;
    return driver.look;
}

cl_int clWaitForEvents(cl_uint count, const cl_event *events)
{
    assert_true(count == 1 && *events == event_of_driver && driver.events == 1);
    driver.waits++;
    return driver.wait;
}

cl_int clReleaseEvent(cl_event event)
{
    assert_true(event == event_of_driver);
    driver.events--;
    return CL_SUCCESS;
}

cl_int clFinish(cl_command_queue of)
{
    assert_true(of == queue);
    driver.finishes++;
    return driver.finish;
}

static cl_int transfer(cl_bool blocking, cl_event *event)
{
    driver.transfers++;
    driver.blocked = blocking;
    if (event && driver.transfer == CL_SUCCESS)
        give(event);
    return driver.transfer;
}

cl_int clEnqueueReadBuffer(cl_command_queue in, cl_mem mem, cl_bool blocking, size_t offset,
                           size_t bytes, void *to, cl_uint count, const cl_event *events,
                           cl_event *event)
{
    assert_true(in == queue && !mem && offset == 3 && bytes == 5 && to == &driver);
    assert_true(count == 0 && !events);
    return transfer(blocking, event);
}

cl_int clEnqueueWriteBuffer(cl_command_queue in, cl_mem mem, cl_bool blocking, size_t offset,
                            size_t bytes, const void *from, cl_uint count, const cl_event *events,
                            cl_event *event)
{
    assert_true(in == queue && !mem && offset == 3 && bytes == 5 && from == &driver);
    assert_true(count == 0 && !events);
    return transfer(blocking, event);
}

static void start(unsigned done_at)
{
    memset(&driver, 0, sizeof driver);
    driver.done_at = done_at;
}

/* --- the end of the queue --------------------------------------------------------------------- */

static void pocl_on_cpus_alone_is_looked_at(void **state)
{
    const clade_caps cpu = { .is_cpu = 1 }, gpu = { .is_cpu = 0 };
    (void)state;
    assert_true(cladei_sleeps_early("Portable Computing Language", &cpu));
    assert_false(cladei_sleeps_early("Portable Computing Language", &gpu));
    assert_false(cladei_sleeps_early("rusticl", &cpu));
}

static void work_that_a_call_left_is_looked_at_once(void **state)
{
    clade_context context = { .queue = queue, .sleeps_early = true };
    (void)state;
    for (int turn = 0; turn < 2; turn++) {
        start(7);
        cladei_queue_leave(&context, queue);
        assert_int_equal(cladei_queue_await(&context), CLADE_OK);
        assert_true(driver.markers == 1 && driver.flushes == 1 && driver.looks == 7);
        assert_true(driver.finishes == 1 && !driver.is_finished_first && driver.events == 0);
        start(7); /* nothing was left since */
        assert_int_equal(cladei_queue_await(&context), CLADE_OK);
        assert_true(driver.markers == 0 && driver.looks == 0 && driver.finishes == 1);
    }
}

static void other_queues_and_other_drivers_are_not_looked_at(void **state)
{
    clade_context context = { .queue = queue, .sleeps_early = true };
    (void)state;
    start(1);
    cladei_queue_leave(&context, other);
    assert_int_equal(cladei_queue_await(&context), CLADE_OK);
    context.sleeps_early = false;
    cladei_queue_leave(&context, queue);
    assert_int_equal(cladei_queue_await(&context), CLADE_OK);
    assert_true(driver.markers == 0 && driver.looks == 0 && driver.finishes == 2);
}

/* Work that takes long, or waits for something that the caller does later. */
static void looks_end(void **state)
{
    clade_context context = { .queue = queue, .sleeps_early = true };
    (void)state;
    start(0);
    cladei_queue_leave(&context, queue);
    assert_int_equal(cladei_queue_await(&context), CLADE_OK);
    assert_true(driver.looks > 50 && driver.looks <= 100); /* 100 us */
    assert_true(driver.finishes == 1 && driver.events == 0);
    start(2);
    driver.state = CL_OUT_OF_RESOURCES; /* the command's, which the driver may tell or not */
    cladei_queue_leave(&context, queue);
    assert_int_equal(cladei_queue_await(&context), CLADE_OK);
    assert_true(driver.looks == 2 && driver.finishes == 1 && driver.events == 0);
}

static void failures_are_told_after_the_wait(void **state)
{
    clade_context context = { .queue = queue, .sleeps_early = true };
    (void)state;
    for (int which = 0; which < 3; which++) {
        start(1);
        driver.marker = which == 0 ? CL_OUT_OF_RESOURCES : CL_SUCCESS;
        driver.look = which == 1 ? CL_OUT_OF_RESOURCES : CL_SUCCESS;
        driver.finish = which == 2 ? CL_OUT_OF_RESOURCES : CL_SUCCESS;
        cladei_queue_leave(&context, queue);
        assert_int_equal(cladei_queue_await(&context), CLADE_E_DEVICE);
        assert_int_equal(clade_error_last()->cl_code, CL_OUT_OF_RESOURCES);
        assert_true(driver.finishes == 1 && driver.events == 0);
    }
}

/* --- reads and writes ------------------------------------------------------------------------- */

static clade_status move(const clade_context *context, bool reads)
{
    return reads ? cladei_queue_read(context, queue, NULL, 3, 5, &driver)
                 : cladei_queue_write(context, queue, NULL, 3, 5, &driver);
}

static void transfers_are_done_when_they_return(void **state)
{
    (void)state;
    for (int which = 0; which < 4; which++) {
        const clade_context context = { .queue = queue, .sleeps_early = which < 2 };
        start(5);
        assert_int_equal(move(&context, which % 2), CLADE_OK);
        assert_true(driver.transfers == 1 && driver.blocked == !context.sleeps_early);
        assert_int_equal(driver.looks, context.sleeps_early ? 5 : 0);
        assert_int_equal(driver.waits, context.sleeps_early);
        assert_true(driver.finishes == 0 && driver.events == 0);
        driver.transfer = CL_OUT_OF_RESOURCES; /* it is not enqueued */
        assert_int_equal(move(&context, which % 2), CLADE_E_DEVICE);
        assert_int_equal(driver.events, 0);
    }
}

/* It would write to memory that its caller gives back. */
static void one_that_nobody_waits_for_is_not_left_under_way(void **state)
{
    const clade_context context = { .queue = queue, .sleeps_early = true };
    (void)state;
    for (int which = 0; which < 4; which++) {
        start(1);
        driver.wait = which < 2 ? CL_OUT_OF_RESOURCES : CL_SUCCESS;
        driver.look = which < 2 ? CL_SUCCESS : CL_OUT_OF_RESOURCES;
        assert_int_equal(move(&context, which % 2), CLADE_E_DEVICE);
        assert_true(driver.waits == 1 && driver.events == 0);
        assert_int_equal(driver.finishes, which < 2);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pocl_on_cpus_alone_is_looked_at),
        cmocka_unit_test(work_that_a_call_left_is_looked_at_once),
        cmocka_unit_test(other_queues_and_other_drivers_are_not_looked_at),
        cmocka_unit_test(looks_end),
        cmocka_unit_test(failures_are_told_after_the_wait),
        cmocka_unit_test(transfers_are_done_when_they_return),
        cmocka_unit_test(one_that_nobody_waits_for_is_not_left_under_way),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

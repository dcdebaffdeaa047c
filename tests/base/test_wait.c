/* SPDX-License-Identifier: Apache-2.0 */
/* The wait that looks before the host sleeps: this program stands in the driver's place, and in the
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
    unsigned markers, flushes, looks, finishes, events; /* events: not released */
    unsigned done_at;
    long now;                                  /* ns */
    bool is_late;                              /* a look came after clFinish() */
    cl_int state, marker, flush, look, finish; /* what calls return; state: when done */
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
    return driver.flush;
}

cl_int clGetEventInfo(cl_event event, cl_event_info what, size_t bytes, void *to, size_t *got)
{
    assert_true(event == event_of_driver && driver.events == 1 && !got);
    assert_true(what == CL_EVENT_COMMAND_EXECUTION_STATUS && bytes == sizeof(cl_int));
    driver.is_late |= driver.finishes > 0;
    driver.looks++;
    *(cl_int *)to = driver.looks == driver.done_at ? driver.state : CL_RUNNING;
    return driver.look;
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

static void start(unsigned done_at)
{
    memset(&driver, 0, sizeof driver);
    driver.done_at = done_at;
}

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
        assert_true(driver.finishes == 1 && !driver.is_late && driver.events == 0);
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

/* The wait itself tells. */
static void who_cannot_look_waits(void **state)
{
    clade_context context = { .queue = queue, .sleeps_early = true };
    (void)state;
    for (int which = 0; which < 6; which++) {
        start(0);
        driver.marker = which / 2 == 0 ? CL_OUT_OF_RESOURCES : CL_SUCCESS;
        driver.flush = which / 2 == 1 ? CL_OUT_OF_RESOURCES : CL_SUCCESS;
        driver.look = which / 2 == 2 ? CL_OUT_OF_RESOURCES : CL_SUCCESS;
        driver.finish = which % 2 ? CL_INVALID_COMMAND_QUEUE : CL_SUCCESS;
        cladei_queue_leave(&context, queue);
        assert_int_equal(cladei_queue_await(&context), which % 2 ? CLADE_E_DEVICE : CLADE_OK);
        if (which % 2)
            assert_int_equal(clade_error_last()->cl_code, CL_INVALID_COMMAND_QUEUE);
        assert_int_equal(driver.looks, which / 2 == 2);
        assert_true(driver.finishes == 1 && driver.events == 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pocl_on_cpus_alone_is_looked_at),
        cmocka_unit_test(work_that_a_call_left_is_looked_at_once),
        cmocka_unit_test(other_queues_and_other_drivers_are_not_looked_at),
        cmocka_unit_test(looks_end),
        cmocka_unit_test(who_cannot_look_waits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

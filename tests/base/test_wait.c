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

/* The driver. It has two events, of which the last one is done at the look `done_at`, 0: never. */
static struct {
    unsigned looks, finishes, released[2], done_at;
    long now;                   /* ns */
    bool is_late;               /* a look came after clFinish() */
    cl_int state, look, finish; /* what calls return; state: when done */
} driver;
static struct _cl_event *const before = (struct _cl_event *)&driver.released[0];
static struct _cl_event *const last = (struct _cl_event *)&driver.released[1];
static struct _cl_command_queue *const queue = (struct _cl_command_queue *)&driver.finishes;

/* Each question takes a microsecond. */
int clock_gettime(clockid_t clock, struct timespec *time)
{
    (void)clock;
    driver.now += 1000;
    *time = (struct timespec) { .tv_nsec = driver.now };
    return 0;
}

cl_int clGetEventInfo(cl_event event, cl_event_info what, size_t bytes, void *to, size_t *got)
{
    assert_true(event == last && driver.released[1] == 0 && !got);
    assert_true(what == CL_EVENT_COMMAND_EXECUTION_STATUS && bytes == sizeof(cl_int));
    driver.is_late |= driver.finishes > 0;
    driver.looks++;
    *(cl_int *)to = driver.looks == driver.done_at ? driver.state : CL_RUNNING;
    return driver.look;
}

cl_int clReleaseEvent(cl_event event)
{
    assert_true(event == before || event == last);
    driver.released[event == last]++;
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

static void the_last_kernel_is_looked_at_once(void **state)
{
    clade_context context = { .queue = queue };
    (void)state;
    for (int turn = 0; turn < 2; turn++) {
        start(7);
        cladei_wait_expect(&context, before);
        cladei_wait_expect(&context, last);
        assert_true(driver.released[0] == 1 && driver.released[1] == 0);
        assert_int_equal(cladei_wait(&context), CLADE_OK);
        assert_true(driver.looks == 7 && driver.finishes == 1 && !driver.is_late);
        assert_true(driver.released[0] == 1 && driver.released[1] == 1);
        assert_int_equal(cladei_wait(&context), CLADE_OK); /* nothing came since */
        assert_true(driver.looks == 7 && driver.finishes == 2 && driver.released[1] == 1);
    }
}

/* These want all cores, before a last one of one group or after it. */
static void kernels_of_several_groups_are_not_looked_at(void **state)
{
    clade_context context = { .queue = queue };
    (void)state;
    for (int is_last = 0; is_last < 2; is_last++) {
        start(1);
        cladei_wait_expect(&context, is_last ? last : NULL);
        cladei_wait_expect(&context, is_last ? NULL : last);
        assert_int_equal(cladei_wait(&context), CLADE_OK);
        assert_true(driver.looks == 0 && driver.finishes == 1 && driver.released[1] == 1);
        start(1); /* and that is over */
        cladei_wait_expect(&context, last);
        assert_int_equal(cladei_wait(&context), CLADE_OK);
        assert_true(driver.looks == 1 && driver.finishes == 1 && driver.released[1] == 1);
    }
}

static void a_context_that_ends_forgets_it(void **state)
{
    clade_context context = { .queue = queue };
    (void)state;
    start(1);
    cladei_wait_expect(&context, last);
    cladei_wait_expect(&context, NULL);
    assert_true(driver.looks == 0 && driver.finishes == 0 && driver.released[1] == 1);
    assert_null(context.last);
}

/* Work that takes long, or waits for something that the caller does later. */
static void looks_end(void **state)
{
    clade_context context = { .queue = queue };
    (void)state;
    start(0);
    cladei_wait_expect(&context, last);
    assert_int_equal(cladei_wait(&context), CLADE_OK);
    assert_true(driver.looks > 100 && driver.looks <= 200); /* 200 us */
    assert_true(driver.finishes == 1 && driver.released[1] == 1);
    start(2);
    driver.state = CL_OUT_OF_RESOURCES; /* the command's, which the driver may tell or not */
    cladei_wait_expect(&context, last);
    assert_int_equal(cladei_wait(&context), CLADE_OK);
    assert_true(driver.looks == 2 && driver.finishes == 1 && driver.released[1] == 1);
}

/* The wait itself tells. */
static void who_cannot_look_waits(void **state)
{
    clade_context context = { .queue = queue };
    (void)state;
    for (int fails = 0; fails < 2; fails++) {
        start(0);
        driver.look = CL_OUT_OF_RESOURCES;
        driver.finish = fails ? CL_INVALID_COMMAND_QUEUE : CL_SUCCESS;
        cladei_wait_expect(&context, last);
        assert_int_equal(cladei_wait(&context), fails ? CLADE_E_DEVICE : CLADE_OK);
        if (fails)
            assert_int_equal(clade_error_last()->cl_code, CL_INVALID_COMMAND_QUEUE);
        assert_true(driver.looks == 1 && driver.finishes == 1 && driver.released[1] == 1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pocl_on_cpus_alone_is_looked_at),
        cmocka_unit_test(the_last_kernel_is_looked_at_once),
        cmocka_unit_test(kernels_of_several_groups_are_not_looked_at),
        cmocka_unit_test(a_context_that_ends_forgets_it),
        cmocka_unit_test(looks_end),
        cmocka_unit_test(who_cannot_look_waits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

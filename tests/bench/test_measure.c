/* SPDX-License-Identifier: Apache-2.0 */
/* Which runs of a measurement count, by a clock that the test sets: `clade bench`. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "bench/internal.h"
#include "command/clade.h"
#include "common/clock.h"

static double clock_ms;
static bool interrupted;

static double test_now_ms(void)
{
    return clock_ms;
}

static clade_status test_finish(clade_context *context)
{
    (void)context;
    return CLADE_OK;
}

int report_error(void)
{
    fail();
    return 1;
}

bool launch_ms(const struct launch *launch, double *ms)
{
    (void)launch;
    *ms = 0;
    return true;
}

void launches_forget(struct launches *launches)
{
    (void)launches;
}

/* The time is `clock_ms`, and no device is needed. */
#define now_ms       test_now_ms
#define clade_finish test_finish
#include "../../tools/bench/measure.c"

void launches_add(void *data, cl_kernel kernel, cl_event event)
{
    (void)data, (void)kernel, (void)event;
}

bool bench_is_interrupted(void)
{
    return interrupted;
}

bool bench_wants(const struct bench *bench, const char *name)
{
    (void)bench, (void)name;
    return true;
}

/* --- a task whose runs take these times ------------------------------------------------------- */

struct runs {
    const double *takes;
    unsigned done;
    unsigned ends_after; /* a signal comes in this run; 0: none does */
};

static bool work(void *data)
{
    struct runs *runs = data;
    clock_ms += runs->takes[runs->done++];
    interrupted = runs->done == runs->ends_after;
    return true;
}

static bool check(void *data)
{
    (void)data;
    return true;
}

static struct bench_times measure(struct runs *runs, bool on_host, double limit_ms)
{
    struct bench bench = { .warmups = 1, .repeats = 3, .limit_ms = limit_ms };
    const struct bench_task task = {
        .data = runs, .work = work, .check = check, .on_host = on_host
    };
    struct bench_times times;
    interrupted = false;
    assert_true(bench_measure(&bench, &task, &times));
    assert_true(times.right);
    return times;
}

static void the_first_run_warms_up(void **state)
{
    struct runs runs = { .takes = (const double[]) { 50, 3, 1, 2 } };
    (void)state;
    const struct bench_times times = measure(&runs, false, 1000);
    assert_int_equal(times.runs, 3);
    assert_true(times.least == 1 && times.median == 2 && times.most == 3);
}

static void a_compiler_s_time_is_not_a_device_s(void **state)
{
    struct runs runs = { .takes = (const double[]) { 2000, 3, 1, 2 } };
    (void)state;
    const struct bench_times times = measure(&runs, false, 1000);
    assert_true(times.runs > 0 && times.most <= 3);
}

static void a_long_run_of_a_device_is_measured_once(void **state)
{
    struct runs runs = { .takes = (const double[]) { 3000, 2000 } };
    (void)state;
    const struct bench_times times = measure(&runs, false, 1000);
    assert_int_equal(runs.done, 2);
    assert_int_equal(times.runs, 1);
    assert_true(times.median == 2000);
}

static void a_long_run_of_the_host_is_the_only_one(void **state)
{
    struct runs runs = { .takes = (const double[]) { 2000 } };
    (void)state;
    const struct bench_times times = measure(&runs, true, 1000);
    assert_int_equal(runs.done, 1);
    assert_int_equal(times.runs, 1);
    assert_true(times.median == 2000);
}

static void no_run_begins_after_the_limit(void **state)
{
    struct runs runs = { .takes = (const double[]) { 10, 600, 600, 600 } };
    (void)state;
    const struct bench_times times = measure(&runs, false, 1000);
    assert_int_equal(times.runs, 2);
}

static void a_signal_leaves_what_is_whole(void **state)
{
    struct runs first = { .takes = (const double[]) { 10 }, .ends_after = 1 };
    struct runs third = { .takes = (const double[]) { 10, 4, 6 }, .ends_after = 3 };
    (void)state;
    assert_int_equal(measure(&first, false, 1000).runs, 0);
    const struct bench_times times = measure(&third, false, 1000);
    assert_int_equal(times.runs, 2);
    assert_true(times.median == 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_run_warms_up),
        cmocka_unit_test(a_compiler_s_time_is_not_a_device_s),
        cmocka_unit_test(a_long_run_of_a_device_is_measured_once),
        cmocka_unit_test(a_long_run_of_the_host_is_the_only_one),
        cmocka_unit_test(no_run_begins_after_the_limit),
        cmocka_unit_test(a_signal_leaves_what_is_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

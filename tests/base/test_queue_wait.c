/* SPDX-License-Identifier: Apache-2.0 */
/* The wait until a queue is empty: this program stands in the driver's place. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "clade/error.h"
#include "device/context.h"
#include "device/queue.h"

static unsigned markers, waits;
static cl_int marker_code, wait_code;

cl_int clEnqueueMarkerWithWaitList(cl_command_queue queue, cl_uint count, const cl_event *events,
                                   cl_event *event)
{
    (void)queue, (void)events;
    assert_true(count == 0 && !event && waits == 0);
    markers++;
    return marker_code;
}

cl_int clFinish(cl_command_queue queue)
{
    (void)queue;
    waits++;
    return wait_code;
}

static clade_status finish(bool forgets, cl_int marker, cl_int wait)
{
    const clade_context context = { .finish_forgets = forgets };
    markers = waits = 0;
    marker_code = marker;
    wait_code = wait;
    const clade_status status = cladei_queue_finish(&context, NULL);
    assert_int_equal(waits, 1);
    assert_int_equal(markers, forgets);
    return status;
}

static void a_marker_where_the_driver_forgets(void **state)
{
    (void)state;
    assert_int_equal(finish(false, CL_SUCCESS, CL_SUCCESS), CLADE_OK);
    assert_int_equal(finish(true, CL_SUCCESS, CL_SUCCESS), CLADE_OK);
}

static void a_failure_is_told(void **state)
{
    (void)state;
    assert_int_equal(finish(false, CL_SUCCESS, CL_OUT_OF_RESOURCES), CLADE_E_DEVICE);
    assert_int_equal(clade_error_last()->cl_code, CL_OUT_OF_RESOURCES);
    assert_int_equal(finish(true, CL_SUCCESS, CL_INVALID_COMMAND_QUEUE), CLADE_E_DEVICE);
    assert_int_equal(clade_error_last()->cl_code, CL_INVALID_COMMAND_QUEUE);
}

/* What waits gives memory back that commands use. */
static void without_the_marker_it_waits_still(void **state)
{
    (void)state;
    assert_int_equal(finish(true, CL_OUT_OF_RESOURCES, CL_SUCCESS), CLADE_E_DEVICE);
    assert_int_equal(clade_error_last()->cl_code, CL_OUT_OF_RESOURCES);
}

static void settling_keeps_the_first_error(void **state)
{
    const clade_context context = { .finish_forgets = true };
    (void)state;
    assert_int_equal(finish(false, CL_SUCCESS, CL_INVALID_COMMAND_QUEUE), CLADE_E_DEVICE);
    for (int i = 0; i < 2; i++) {
        markers = waits = 0;
        marker_code = i == 0 ? CL_OUT_OF_RESOURCES : CL_SUCCESS;
        wait_code = CL_OUT_OF_RESOURCES;
        cladei_queue_settle(&context, NULL);
        assert_true(markers == 1 && waits == 1);
        assert_int_equal(clade_error_last()->cl_code, CL_INVALID_COMMAND_QUEUE);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_marker_where_the_driver_forgets),
        cmocka_unit_test(a_failure_is_told),
        cmocka_unit_test(without_the_marker_it_waits_still),
        cmocka_unit_test(settling_keeps_the_first_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

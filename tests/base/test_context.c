/* SPDX-License-Identifier: Apache-2.0 */
/* clade_context: a device opens by its description or not at all, with a reason. */
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include "harness/fixture.h"

#include <clade/queue.h>

static void capabilities_are_filled_in(void **state)
{
    struct fixture *f = *state;
    assert_in_range(f->caps->atomics, 1, 3);
    assert_true(f->caps->compute_units > 0);
    assert_true(f->caps->group_size_max > 0);
    assert_true(f->caps->local_bytes > 0);
    assert_true(f->caps->alloc_bytes_max > 0);
}

static void unknown_device_is_named(void **state)
{
    (void)state;
    clade_context *context = (clade_context *)1;
    clade_context_params params = { .device = "no such thing" };
    assert_fails(clade_context_create(&context, &params), CLADE_E_NOT_FOUND);
    assert_null(context);
    assert_message("no such thing");
}

static void missing_kernel_folder_is_named(void **state)
{
    (void)state;
    clade_context *context = NULL;
    clade_context_params params = { .kernel_path = "/nowhere/at all" };
    assert_fails(clade_context_create(&context, &params), CLADE_E_NOT_FOUND);
    assert_message("/nowhere/at all");
}

static void half_a_pair_of_handles_is_refused(void **state)
{
    struct fixture *f = *state;
    clade_context *context = NULL;
    clade_context_params params = { .cl_device = clade_context_cl_device(f->context) };
    assert_fails(clade_context_create(&context, &params), CLADE_E_ARG);
    assert_null(context);
}

static void the_callers_own_handles_are_wrapped(void **state)
{
    struct fixture *f = *state;
    clade_context *context = NULL;
    clade_context_params params = { .cl_context = clade_context_cl_context(f->context),
                                    .cl_device = clade_context_cl_device(f->context),
                                    .cl_queue = clade_context_cl_queue(f->context) };
    assert_ok(clade_context_create(&context, &params));
    assert_ptr_equal(clade_context_cl_queue(context), params.cl_queue);
    assert_ok(clade_finish(context));
    clade_context_destroy(&context);
    assert_null(context);
    assert_ok(clade_finish(f->context)); /* theirs is still alive */
}

/* Every kernel of a call comes to the hook, in order, with times; what is not asked for costs no
 * event. */
struct seen {
    unsigned count;
    char names[4][64];
    cl_event last;
};

static void see(void *data, cl_kernel kernel, cl_event event)
{
    struct seen *seen = data;
    assert_in_range(seen->count, 0, 3);
    assert_int_equal(clGetKernelInfo(kernel, CL_KERNEL_FUNCTION_NAME, sizeof seen->names[0],
                                     seen->names[seen->count++], NULL),
                     CL_SUCCESS);
    if (seen->last)
        clReleaseEvent(seen->last);
    seen->last = event;
    clRetainEvent(event);
}

static void launches_are_told(void **state)
{
    struct fixture *f = *state;
    struct seen seen = { 0 };
    clade_context *context = NULL;
    clade_queue *queue = NULL;
    uint32_t values[3] = { 1, 2, 3 };
    cl_ulong start = 0, end = 0;
    clade_context_params params = { .cl_context = clade_context_cl_context(f->context),
                                    .cl_device = clade_context_cl_device(f->context),
                                    .profiling = 1,
                                    .on_launch = see,
                                    .on_launch_data = &seen };
    assert_ok(clade_context_create(&context, &params));
    assert_ok(clade_queue_create(&queue, context, &(clade_queue_params) { .capacity = 4 }));
    seen.count = 0;
    assert_ok(clade_queue_append(queue, clade_host(values), 3, clade_no_array(), NULL));
    assert_int_equal(seen.count, 2);
    assert_string_equal(seen.names[0], "clade_queue_append_look");
    assert_string_equal(seen.names[1], "clade_queue_append_fill");
    assert_int_equal(
        clGetEventProfilingInfo(seen.last, CL_PROFILING_COMMAND_START, sizeof start, &start, NULL),
        CL_SUCCESS);
    assert_int_equal(
        clGetEventProfilingInfo(seen.last, CL_PROFILING_COMMAND_END, sizeof end, &end, NULL),
        CL_SUCCESS);
    assert_true(end >= start && start > 0);
    clReleaseEvent(seen.last);
    clade_queue_destroy(&queue);
    clade_context_destroy(&context);
}

static void the_portable_dialect_can_be_forced(void **state)
{
    (void)state;
    clade_context *context = NULL;
    clade_context_params params = { .device = fixture_device(), .force_rmw_atomics = 1 };
    assert_ok(clade_context_create(&context, &params));
    assert_int_equal(clade_context_caps(context)->atomics, 3);
    clade_context_destroy(&context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(capabilities_are_filled_in),
        cmocka_unit_test(unknown_device_is_named),
        cmocka_unit_test(missing_kernel_folder_is_named),
        cmocka_unit_test(half_a_pair_of_handles_is_refused),
        cmocka_unit_test(the_callers_own_handles_are_wrapped),
        cmocka_unit_test(launches_are_told),
        cmocka_unit_test(the_portable_dialect_can_be_forced),
    };
    return fixture_run("context", tests);
}

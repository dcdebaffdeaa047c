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

/* Kinds of devices, as parts of names, are in upper or lower case. */
static void kinds_of_devices_have_any_case(void **state)
{
    (void)state;
    static const char *const pairs[][2] = { { "cpu", "Cpu" }, { "gpu", "GPU" } };
    for (size_t i = 0; i < 2; i++) {
        clade_context *low = NULL, *high = NULL;
        const clade_context_params params[] = { { .device = pairs[i][0] },
                                                { .device = pairs[i][1] } };
        const clade_status status = clade_context_create(&low, &params[0]);
        assert_fails(clade_context_create(&high, &params[1]), status);
        if (low)
            assert_ptr_equal(clade_context_cl_device(low), clade_context_cl_device(high));
        clade_context_destroy(&low);
        clade_context_destroy(&high);
    }
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

static void append_one(clade_queue *queue, cl_command_queue where, clade_status wanted)
{
    const uint32_t value = 7;
    const clade_launch launch = { .queue = where };
    assert_fails(
        clade_queue_append(queue, clade_host(&value), 1, clade_no_array(), where ? &launch : NULL),
        wanted);
}

/* Two parts of a device, of one core each; whether there are. Mesa's rusticl has none, and crashes
 * if it is asked all the same. */
static bool part_device(cl_device_id device, cl_device_id made[2])
{
    const cl_device_partition_property singly[] = { CL_DEVICE_PARTITION_BY_COUNTS, 1, 1,
                                                    CL_DEVICE_PARTITION_BY_COUNTS_LIST_END, 0 };
    cl_uint most = 0, count = 0;
    return clGetDeviceInfo(device, CL_DEVICE_PARTITION_MAX_SUB_DEVICES, sizeof most, &most, NULL) ==
               CL_SUCCESS &&
           most >= 2 && clCreateSubDevices(device, singly, 2, made, &count) == CL_SUCCESS &&
           count == 2;
}

/* PoCL 3.1's own thread may look at a part once more after the last command there is done, and
 * crashed where the part was gone: they are released when other tests have run. */
static cl_device_id parts[2];

static void release_parts(void)
{
    for (int i = 0; i < 2; i++)
        if (parts[i])
            clReleaseDevice(parts[i]);
}

/* How many hold a part of a device. */
static cl_uint holders(cl_device_id device)
{
    cl_uint count = 0;
    assert_int_equal(clGetDeviceInfo(device, CL_DEVICE_REFERENCE_COUNT, sizeof count, &count, NULL),
                     CL_SUCCESS);
    return count;
}

/* A device may be a part of another one. PoCL's contexts name the whole as theirs, and do not hold
 * the part: the context does, as its objects hold the context. */
static void parts_of_devices_are_devices(void **state)
{
    struct fixture *f = *state;
    cl_int code;
    clade_context *context = NULL;
    clade_queue *queue = NULL;
    if (!part_device(clade_context_cl_device(f->context), parts)) {
        print_message("skipped: the device cannot be parted\n");
        skip();
    }
    cl_context cl = clCreateContext(NULL, 2, parts, NULL, NULL, &code);
    assert_int_equal(code, CL_SUCCESS);
    cl_command_queue other = clCreateCommandQueue(cl, parts[1], 0, &code);
    assert_int_equal(code, CL_SUCCESS);
    clade_context_params params = { .cl_context = cl, .cl_device = parts[0], .cl_queue = other };
    assert_fails(clade_context_create(&context, &params), CLADE_E_ARG);
    assert_message("of another device");
    const cl_uint before = holders(parts[0]);
    params.cl_queue = NULL;
    assert_ok(clade_context_create(&context, &params));
    assert_true(holders(parts[0]) > before);
    assert_int_equal(clade_context_caps(context)->compute_units, 1);
    assert_ok(clade_queue_create(&queue, context, &(clade_queue_params) { .capacity = 4 }));
    append_one(queue, NULL, CLADE_OK);
    append_one(queue, other, CLADE_E_ARG);
    assert_ok(clade_queue_check(queue));
    clade_context_destroy(&context);
    assert_true(holders(parts[0]) > before);
    clade_queue_destroy(&queue);
    assert_int_equal(holders(parts[0]), before);
    clReleaseCommandQueue(other);
    clReleaseContext(cl);
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
        cmocka_unit_test(kinds_of_devices_have_any_case),
        cmocka_unit_test(missing_kernel_folder_is_named),
        cmocka_unit_test(half_a_pair_of_handles_is_refused),
        cmocka_unit_test(the_callers_own_handles_are_wrapped),
        cmocka_unit_test(parts_of_devices_are_devices),
        cmocka_unit_test(launches_are_told),
        cmocka_unit_test(the_portable_dialect_can_be_forced),
    };
    const int failed = fixture_run("context", tests);
    release_parts();
    return failed;
}

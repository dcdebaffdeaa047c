/* SPDX-License-Identifier: Apache-2.0 */
/* atomic.clh on the device: what each operation returns, fences in divergent code, and the loops
 * that some drivers leave. `clade selftest` looks at the orders. */
#include "harness/fixture.h"

static clade_program *build(struct fixture *f)
{
    clade_program *program;
    assert_ok(clade_program_build(
        &program, f->context,
        &(clade_program_params) { .file = "base/atomic.cl",
                                  .include_path = fixture_kernels(TEST_KERNELS) }));
    return program;
}

static void run(struct fixture *f, clade_program *program, const char *name, size_t groups,
                size_t group, cl_mem first, cl_mem second, const cl_uint *number)
{
    cl_kernel kernel;
    cl_uint argument = 0;
    const size_t items = groups * group;
    assert_ok(clade_program_kernel(&kernel, program, name));
    fixture_arg(kernel, argument++, first);
    if (second)
        fixture_arg(kernel, argument++, second);
    if (number)
        fixture_arg(kernel, argument++, *number);
    fixture_launch(f, kernel, items, group);
    assert_ok(clade_finish(f->context));
    clReleaseKernel(kernel);
}

static void operations_return_what_was_there(void **state)
{
    struct fixture *f = *state;
    clade_program *program = build(f);
    const uint32_t start[2] = { 100, 0 };
    uint32_t out[10] = { 0 };
    const uint32_t wanted[10] = { 100, 5, 12, 10, 2, 0xf0000003u, 0xf0000003u, 9, 11, 11 };
    cl_mem w = fixture_buffer(f, sizeof start, start), o = fixture_buffer(f, sizeof out, out);
    run(f, program, "operations", 1, 1, w, o, NULL);
    fixture_read(f, o, 0, out, sizeof out);
    for (int i = 0; i < 10; i++)
        assert_int_equal(out[i], wanted[i]);
    clReleaseMemObject(w);
    clReleaseMemObject(o);
    clade_program_destroy(&program);
}

static void fences_in_divergent_code_are_no_barriers(void **state)
{
    struct fixture *f = *state;
    clade_program *program = build(f);
    const uint32_t zero[1] = { 0 };
    const cl_uint one = 1;
    for (size_t group = 1; group <= 256 && group <= f->caps->group_size_max; group *= 2) {
        uint32_t out[256] = { 0 };
        cl_mem w = fixture_buffer(f, sizeof zero, zero), o = fixture_buffer(f, sizeof out, out);
        run(f, program, "divergent_fence", 1, group, w, o, &one);
        fixture_read(f, o, 0, out, sizeof out);
        for (size_t i = 0; i < group; i++)
            assert_int_equal(out[i], 2);
        clReleaseMemObject(w);
        clReleaseMemObject(o);
    }
    clade_program_destroy(&program);
}

/* The shape compiles, and each item sees what all of its group counted, round by round. */
static void branches_end_before_a_barrier_in_a_loop(void **state)
{
    struct fixture *f = *state;
    clade_program *program = build(f);
    const cl_uint rounds = 3;
    for (size_t group = 1; group <= 32 && group <= f->caps->group_size_max; group = group * 3 + 1) {
        uint32_t zero[2] = { 0 }, out[64] = { 0 };
        cl_mem w = fixture_buffer(f, sizeof zero, zero), o = fixture_buffer(f, sizeof out, out);
        run(f, program, "branches", 1, group, w, o, &rounds);
        fixture_read(f, o, 0, out, sizeof out);
        for (size_t i = 0; i < group; i++)
            assert_int_equal(out[i], (1 + 2 + 3) * ((group + 2) / 3));
        clReleaseMemObject(w);
        clReleaseMemObject(o);
    }
    clade_program_destroy(&program);
}

/* A miscompilation of PoCL 3.1, kept so that we see when it is gone. */
static void a_loop_with_a_constant_bound_is_right_but_on_pocl(void **state)
{
    struct fixture *f = *state;
    clade_program *program = build(f);
    uint32_t zero[1] = { 0 }, out[8] = { 0 };
    char name[256] = "";
    cl_platform_id platform;
    clGetDeviceInfo(clade_context_cl_device(f->context), CL_DEVICE_PLATFORM, sizeof platform,
                    &platform, NULL);
    clGetPlatformInfo(platform, CL_PLATFORM_NAME, sizeof name, name, NULL);
    cl_mem w = fixture_buffer(f, sizeof zero, zero), o = fixture_buffer(f, sizeof out, out);
    run(f, program, "constant_bound", 1, 8, w, o, NULL);
    fixture_read(f, o, 0, out, sizeof out);
    bool right = true;
    for (int i = 0; i < 8; i++) {
        assert_in_range(out[i], 1, 2);
        right = right && out[i] == 2;
    }
    if (strstr(name, "Portable Computing"))
        printf("PoCL compiles a divergent loop with a constant bound %s\n",
               right ? "right" : "wrong (known)");
    else
        assert_true(right);
    clReleaseMemObject(w);
    clReleaseMemObject(o);
    clade_program_destroy(&program);
}

static void all_items_are_counted(void **state)
{
    struct fixture *f = *state;
    clade_program *program = build(f);
    const size_t groups = fixture_scaled(16, 500, 5000);
    for (size_t group = 1; group <= 64; group = group * 3 + 1) {
        uint32_t sums[2] = { 0, 0 };
        cl_mem w = fixture_buffer(f, sizeof sums, sums);
        run(f, program, "count", groups, group, w, NULL, NULL);
        fixture_read(f, w, 0, sums, sizeof sums);
        assert_int_equal(sums[0], groups * group);
        assert_int_equal(sums[1], 2 * groups * group);
        clReleaseMemObject(w);
    }
    clade_program_destroy(&program);
}

static void loops_end_where_the_capabilities_say(void **state)
{
    struct fixture *f = *state;
    clade_program *program = build(f);
    const cl_uint n = 100000;
    uint32_t out[2] = { 0, 1 };
    cl_mem o = fixture_buffer(f, sizeof out, out);
    run(f, program, "loop", 1, 1, o, NULL, &n);
    fixture_read(f, o, 0, out, sizeof out);
    assert_int_equal(out[0], f->caps->loop_limit ? f->caps->loop_limit : n);
    clReleaseMemObject(o);
    clade_program_destroy(&program);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(operations_return_what_was_there),
        cmocka_unit_test(fences_in_divergent_code_are_no_barriers),
        cmocka_unit_test(a_loop_with_a_constant_bound_is_right_but_on_pocl),
        cmocka_unit_test(branches_end_before_a_barrier_in_a_loop),
        cmocka_unit_test(all_items_are_counted),
        cmocka_unit_test(loops_end_where_the_capabilities_say),
    };
    return fixture_run("atomic", tests);
}

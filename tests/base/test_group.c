/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/fixture.h"

/* The group functions come in two forms; both are built here, whatever the device would choose. */
static const char *const forms[] = { "-DCLADE_GROUP_SCALAR=0", "-DCLADE_GROUP_SCALAR=1" };
enum { FORMS = 2 };

static cl_kernel build_kernel(struct fixture *f, const char *kernel, const char *options)
{
    clade_program *program;
    cl_kernel made;
    char path[512];
    snprintf(path, sizeof path, "%s/base/group.cl", fixture_kernels(TEST_KERNELS));
    const clade_program_params params = { .file = path, .options = options };
    assert_ok(clade_program_build(&program, f->context, &params));
    assert_ok(clade_program_kernel(&made, program, kernel));
    clade_program_destroy(&program);
    return made;
}

static void launch(struct fixture *f, cl_kernel kernel, size_t group_size)
{
    fixture_launch(f, kernel, group_size, group_size);
    assert_ok(clade_finish(f->context));
}

/* Powers of two, their neighbours, primes; those that kernel and device allow. */
static const size_t group_sizes[] = { 1, 2, 3, 7, 32, 33, 64, 100, 255, 256, 1024 };
enum { GROUP_SIZES = sizeof group_sizes / sizeof group_sizes[0] };

static bool allowed(struct fixture *f, cl_kernel kernel, size_t size)
{
    size_t most = 0;
    if (fixture_is_interpreted(f) && size > 256) /* item by item */
        return false;
    assert_int_equal(clGetKernelWorkGroupInfo(kernel, clade_context_cl_device(f->context),
                                              CL_KERNEL_WORK_GROUP_SIZE, sizeof most, &most, NULL),
                     CL_SUCCESS);
    return size <= most && size <= f->caps->group_size_max;
}

static void expect_reductions(const uint32_t *in, const uint32_t *out, size_t n, size_t from)
{
    uint32_t sum = 0, least = UINT32_MAX, greatest = 0, before = 0;
    for (size_t i = 0; i < n; i++) {
        sum += in[i];
        least = in[i] < least ? in[i] : least;
        greatest = in[i] > greatest ? in[i] : greatest;
    }
    for (size_t i = 0; i < n; i++) {
        assert_int_equal(out[i], in[from]);
        assert_int_equal(out[n + i], sum);
        assert_int_equal(out[2 * n + i], least);
        assert_int_equal(out[3 * n + i], greatest);
        assert_int_equal(out[4 * n + i], before);
        assert_int_equal(out[5 * n + i], sum);
        before += in[i];
    }
}

static void broadcast_reduce_and_scan(void **state)
{
    struct fixture *f = *state;
    struct random random = random_from(f->seed);
    uint32_t in[1024], out[6 * 1024];
    cl_kernel kernel = build_kernel(f, "group_reduce", forms[0]);
    cl_mem from = fixture_buffer(f, sizeof in, NULL), to = fixture_buffer(f, sizeof out, NULL);
    size_t tried = 0;
    for (size_t i = 0; i < GROUP_SIZES; i++) {
        const size_t n = group_sizes[i];
        if (!allowed(f, kernel, n))
            continue;
        cl_uint sender = (cl_uint)random_below(&random, n);
        for (size_t j = 0; j < n; j++)
            in[j] = (uint32_t)random_next(&random); /* sums wrap */
        fixture_write(f, from, 0, in, n * 4);
        fixture_arg(kernel, 0, from);
        fixture_arg(kernel, 1, to);
        fixture_arg(kernel, 2, sender);
        launch(f, kernel, n);
        fixture_read(f, to, 0, out, 6 * n * 4);
        expect_reductions(in, out, n, sender);
        tried++;
    }
    assert_true(tried > 0);
    clReleaseMemObject(from);
    clReleaseMemObject(to);
    clReleaseKernel(kernel);
}

static int compare_u64(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

/* Random keys of few values (equal ones), of all, and the extremes. */
static uint64_t draw(struct random *random, size_t kind)
{
    uint64_t bits = random_next(random);
    return kind == 0 ? bits % 5 : kind == 1 ? bits : bits % 2 ? UINT64_MAX : bits % 3;
}

static void run_sorts(struct fixture *f, cl_kernel pairs, cl_kernel plain, size_t group_size,
                      size_t n, size_t kind)
{
    struct random random = random_from(f->seed + 31 * n + kind);
    uint32_t keys[1030], values[1030], out[1030], alone[1030];
    uint64_t sorted[1030];
    uint8_t seen[1030] = { 0 };
    cl_uint count = (cl_uint)n;
    for (size_t i = 0; i < n; i++) {
        keys[i] = (uint32_t)draw(&random, kind);
        values[i] = (uint32_t)i;
        sorted[i] = keys[i];
    }
    qsort(sorted, n, sizeof *sorted, compare_u64);
    cl_mem k = fixture_buffer(f, n * 4, n ? keys : NULL);
    cl_mem v = fixture_buffer(f, n * 4, n ? values : NULL);
    cl_mem a = fixture_buffer(f, n * 4, n ? keys : NULL);
    fixture_arg(pairs, 0, k);
    fixture_arg(pairs, 1, v);
    fixture_arg(pairs, 2, count);
    launch(f, pairs, group_size);
    fixture_arg(plain, 0, a);
    fixture_arg(plain, 1, count);
    launch(f, plain, group_size);
    if (n > 0) {
        fixture_read(f, k, 0, out, n * 4);
        fixture_read(f, v, 0, values, n * 4);
        fixture_read(f, a, 0, alone, n * 4);
    }
    for (size_t i = 0; i < n; i++) {
        assert_int_equal(out[i], sorted[i]);
        assert_int_equal(alone[i], sorted[i]);
        assert_true(values[i] < n && !seen[values[i]]);
        seen[values[i]] = 1;
        assert_int_equal(keys[values[i]], out[i]);
    }
    clReleaseMemObject(k);
    clReleaseMemObject(v);
    clReleaseMemObject(a);
}

static void sorts_any_number_of_keys(void **state)
{
    struct fixture *f = *state;
    static const size_t counts[] = { 0, 1, 2, 3, 7, 64, 65, 300, 1023, 1024, 1030 };
    size_t step = fixture_scaled(3, 1, 1), size_step = fixture_scaled(3, 2, 1);
    const size_t most = fixture_is_interpreted(f) ? 300 : SIZE_MAX;
    for (size_t form = 0; form < FORMS; form++) {
        cl_kernel pairs = build_kernel(f, "group_sort_pairs", forms[form]);
        cl_kernel plain = build_kernel(f, "group_sort", forms[form]);
        for (size_t i = 0; i < GROUP_SIZES; i += size_step)
            if (allowed(f, pairs, group_sizes[i]) && allowed(f, plain, group_sizes[i]))
                for (size_t j = 0; j < sizeof counts / sizeof counts[0]; j += step)
                    run_sorts(f, pairs, plain, group_sizes[i], counts[j] < most ? counts[j] : most,
                              (i + j) % 3);
        clReleaseKernel(pairs);
        clReleaseKernel(plain);
    }
}

static void run_merge(struct fixture *f, cl_kernel kernel, size_t group_size, size_t na, size_t nb,
                      size_t kind)
{
    struct random random = random_from(f->seed + 7 * na + nb + kind);
    uint64_t keys[1200], out[1200];
    const size_t n = na + nb;
    cl_uint a = (cl_uint)na, b = (cl_uint)nb;
    for (size_t i = 0; i < n; i++)
        keys[i] = draw(&random, kind);
    cl_mem mem = fixture_buffer(f, n * 8, n ? keys : NULL);
    fixture_arg(kernel, 0, mem);
    fixture_arg(kernel, 1, a);
    fixture_arg(kernel, 2, b);
    launch(f, kernel, group_size);
    if (n > 0)
        fixture_read(f, mem, 0, out, n * 8);
    qsort(keys, n, sizeof *keys, compare_u64);
    for (size_t i = 0; i < n; i++)
        assert_int_equal(out[i], keys[i]);
    clReleaseMemObject(mem);
}

static void merges_any_two_lengths(void **state)
{
    struct fixture *f = *state;
    static const size_t lengths[] = { 0, 1, 5, 64, 77, 599 };
    const size_t length_count =
        sizeof lengths / sizeof lengths[0] - fixture_is_interpreted(f); /* the last is long */
    size_t step = fixture_scaled(3, 1, 1), size_step = fixture_scaled(3, 2, 1);
    for (size_t form = 0; form < FORMS; form++) {
        cl_kernel kernel = build_kernel(f, "group_merge", forms[form]);
        for (size_t i = 0; i < GROUP_SIZES; i += size_step)
            if (allowed(f, kernel, group_sizes[i]))
                for (size_t a = 0; a < length_count; a++)
                    for (size_t b = 0; b < length_count; b += step)
                        run_merge(f, kernel, group_sizes[i], lengths[a], lengths[b], (a + b) % 3);
        clReleaseKernel(kernel);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(broadcast_reduce_and_scan),
        cmocka_unit_test(sorts_any_number_of_keys),
        cmocka_unit_test(merges_any_two_lengths),
    };
    return fixture_run("group", tests);
}

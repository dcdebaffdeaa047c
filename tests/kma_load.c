/* SPDX-License-Identifier: Apache-2.0 */
/* What the tests of the allocator share. */
#include "kma_load.h"

clade_kma *open_kma(struct fixture *f, uint64_t bytes, int debug)
{
    clade_kma *kma = NULL;
    assert_ok(
        clade_kma_create(&kma, f->context, &(clade_kma_params) { .bytes = bytes, .debug = debug }));
    return kma;
}

static cl_kernel open_in(struct fixture *f, const char *file, const char *options, const char *name)
{
    clade_program *program = NULL;
    cl_kernel kernel = NULL;
    assert_ok(clade_program_build(
        &program, f->context,
        &(clade_program_params) {
            .file = file, .include_path = fixture_kernels(TEST_KERNELS), .options = options }));
    assert_ok(clade_program_kernel(&kernel, program, name));
    clade_program_destroy(&program);
    return kernel;
}

cl_kernel open_kernel(struct fixture *f, const char *options, const char *name)
{
    return open_in(f, "kma_test.cl", options, name);
}

cl_kernel open_misuse(struct fixture *f, const char *options)
{
    return open_in(f, "kma_misuse.cl", options, "kma_misuse");
}

cl_kernel open_variant(struct fixture *f, const char *options, const char *name)
{
    return open_in(f, "kma_variants.cl", options, name);
}

void run_kernel(struct fixture *f, cl_kernel kernel, size_t items, size_t group)
{
    size_t global = (items + group - 1) / group * group;
    cl_command_queue queue = clade_context_cl_queue(f->context);
    assert_int_equal(clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &global, &group, 0, NULL, NULL),
                     CL_SUCCESS);
    assert_int_equal(clFinish(queue), CL_SUCCESS);
}

void set_arg(cl_kernel kernel, cl_uint index, size_t size, const void *value)
{
    assert_int_equal(clSetKernelArg(kernel, index, size, value), CL_SUCCESS);
}

clade_kma_stats stats_of(clade_kma *kma)
{
    clade_kma_stats stats;
    assert_ok(clade_kma_stats_read(kma, &stats));
    return stats;
}

/* The refs that are not nil, moved to the front. */
size_t compact(uint32_t *refs, size_t count)
{
    size_t kept = 0;
    for (size_t i = 0; i < count; i++)
        if (refs[i] != 0)
            refs[kept++] = refs[i];
    return kept;
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "run.h"

enum { COUNT = 10 };

int main(void)
{
    clade_context *context;
    clade_program *program;
    cl_kernel kernel;
    cl_uint count = COUNT;
    uint32_t result[COUNT];

    must(clade_context_create(&context, NULL));
    must(clade_program_build(
        &program, context, &(clade_program_params) { .file = "squares.cl", .include_path = "." }));
    must(clade_program_kernel(&kernel, program, "squares"));

    cl_mem out = numbers(context, COUNT);
    must_cl(clSetKernelArg(kernel, 0, sizeof out, &out));
    must_cl(clSetKernelArg(kernel, 1, sizeof count, &count));
    start(context, kernel, 3, 4); /* 12 work-items: two find nothing to do */
    read_numbers(context, out, result, COUNT);
    for (int i = 0; i < COUNT; i++)
        printf("%u%c", result[i], i < COUNT - 1 ? ' ' : '\n');

    clReleaseMemObject(out);
    clReleaseKernel(kernel);
    clade_program_destroy(&program);
    clade_context_destroy(&context);
    return 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "run.h"

enum { BATCH = 64, ROOM = 1000, LIMIT = 1000000 };

int main(void)
{
    clade_context *context;
    clade_heap *heap;
    clade_program *program;
    cl_kernel kernel;
    char options[1000];
    const cl_uint limit = LIMIT, one = 1;
    uint32_t result[ROOM];
    uint64_t size = 1, count = 0;

    must(clade_context_create(&context, NULL));
    must(clade_heap_create(
        &heap, context,
        &(clade_heap_params) { .capacity = ROOM, .key = CLADE_U32, .batch = BATCH }));
    must(clade_heap_insert(heap, clade_host(&one), clade_no_array(), 1, NULL));

    const unsigned group = clade_context_caps(context)->is_cpu ? 1 : BATCH / 4;
    snprintf(options, sizeof options, "%s -DGROUP=%u", clade_heap_options(heap), group);
    must(clade_program_build(
        &program, context,
        &(clade_program_params) { .file = "smooth.cl", .include_path = ".", .options = options }));
    must(clade_program_kernel(&kernel, program, "expand"));

    cl_mem mem = clade_heap_mem(heap), found = numbers(context, ROOM);
    must_cl(clSetKernelArg(kernel, 0, sizeof mem, &mem));
    must_cl(clSetKernelArg(kernel, 1, sizeof found, &found));
    must_cl(clSetKernelArg(kernel, 2, sizeof limit, &limit));
    while (size > 0) {
        start(context, kernel, 4, group);
        must(clade_heap_size(heap, &size));
    }

    read_numbers(context, found, result, ROOM);
    while (count < ROOM && result[count] != 0)
        count++;
    printf("%d numbers\n", (int)count);

    clReleaseMemObject(found);
    clReleaseKernel(kernel);
    clade_program_destroy(&program);
    clade_heap_destroy(&heap);
    clade_context_destroy(&context);
    return 0;
}

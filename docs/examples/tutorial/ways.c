/* SPDX-License-Identifier: Apache-2.0 */
#include "run.h"

enum { BATCH = 64, ROOM = 1000, LIMIT = 1000000, STEPS = 32 };

static cl_kernel kernel_of(clade_program *program, const char *name)
{
    cl_kernel kernel;
    must(clade_program_kernel(&kernel, program, name));
    return kernel;
}

static void set(cl_kernel kernel, cl_uint place, cl_mem mem)
{
    must_cl(clSetKernelArg(kernel, place, sizeof mem, &mem));
}

static void set_number(cl_kernel kernel, cl_uint place, cl_uint number)
{
    must_cl(clSetKernelArg(kernel, place, sizeof number, &number));
}

static int blocks_in_use(clade_kma *kma)
{
    clade_kma_stats stats;
    must(clade_kma_stats_read(kma, &stats));
    return (int)stats.live_blocks;
}

int main(void)
{
    clade_context *context;
    clade_heap *heap;
    clade_kma *kma;
    clade_program *program;
    char options[1000];
    const uint32_t one = 1, nowhere = 0;
    uint32_t refs[ROOM], steps[STEPS], failure, count = 0;
    uint64_t size = 1;

    /* The device, a heap of numbers that carry refs, and a million bytes to allocate from. */
    must(clade_context_create(&context, NULL));
    must(clade_heap_create(
        &heap, context,
        &(clade_heap_params) {
            .capacity = ROOM, .key = CLADE_U32, .value = CLADE_U32, .batch = BATCH }));
    must(clade_kma_create(&kma, context, &(clade_kma_params) { .bytes = 1 << 20 }));
    must(clade_heap_insert(heap, clade_host(&one), clade_host(&nowhere), 1, NULL));

    const unsigned group = clade_context_caps(context)->is_cpu ? 1 : BATCH / 4;
    snprintf(options, sizeof options, "%s %s -DGROUP=%u", clade_heap_options(heap),
             clade_kma_options(kma), group);
    must(clade_program_build(
        &program, context,
        &(clade_program_params) { .file = "ways.cl", .include_path = ".", .options = options }));

    /* Expand until nothing is left. */
    cl_kernel expand = kernel_of(program, "expand");
    cl_mem found = numbers(context, ROOM), failed = numbers(context, 1);
    set(expand, 0, clade_heap_mem(heap));
    set(expand, 1, clade_kma_mem(kma));
    set(expand, 2, found);
    set(expand, 3, failed);
    set_number(expand, 4, LIMIT);
    while (size > 0) {
        start(context, expand, 4, group);
        must(clade_heap_size(heap, &size));
    }
    read_numbers(context, found, refs, ROOM);
    read_numbers(context, failed, &failure, 1);
    while (count < ROOM && refs[count] != 0)
        count++;
    printf("%u numbers, %s, %d blocks in use\n", count, failure ? "some lost" : "none lost",
           blocks_in_use(kma));

    /* How did the largest come to be? */
    cl_kernel way = kernel_of(program, "way");
    cl_mem back = numbers(context, STEPS);
    set(way, 0, clade_kma_mem(kma));
    set(way, 1, found);
    set_number(way, 2, count);
    set(way, 3, back);
    start(context, way, 1, 1);
    read_numbers(context, back, steps, STEPS);
    for (int i = STEPS - 1; i >= 0; i--)
        if (steps[i] != 0)
            printf("%u%s", steps[i], i > 0 ? " " : "\n");

    /* Free all: one work-item for each. */
    cl_kernel forget = kernel_of(program, "forget");
    set(forget, 0, clade_kma_mem(kma));
    set(forget, 1, found);
    start(context, forget, count, 1);
    must(clade_finish(context));
    printf("%d blocks in use\n", blocks_in_use(kma));
    must(clade_kma_check(kma, NULL, 0));

    clReleaseMemObject(found);
    clReleaseMemObject(failed);
    clReleaseMemObject(back);
    clReleaseKernel(expand);
    clReleaseKernel(way);
    clReleaseKernel(forget);
    clade_program_destroy(&program);
    clade_kma_destroy(&kma);
    clade_heap_destroy(&heap);
    clade_context_destroy(&context);
    return 0;
}

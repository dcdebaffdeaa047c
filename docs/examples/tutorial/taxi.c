/* SPDX-License-Identifier: Apache-2.0 */
#include "run.h"

enum { SIDE = 40, ITEMS = SIDE * SIDE, GROUP = 64, SHOWN = 4 };

static int by_sum(const void *a, const void *b)
{
    const uint32_t *x = a, *y = b;
    return x[0] < y[0] ? -1 : x[0] > y[0];
}

int main(void)
{
    clade_context *context;
    clade_hashmap *map;
    clade_program *program;
    cl_kernel kernel;
    char options[1000];
    uint32_t twice[ITEMS][3], failure, pair, known = 1729;
    uint64_t size;

    /* A map of numbers to numbers, and the program that is to use it. */
    must(clade_context_create(&context, NULL));
    must(clade_hashmap_create(
        &map, context, &(clade_hashmap_params) { .capacity = ITEMS, .value = CLADE_U32 }));
    snprintf(options, sizeof options, "%s -DSIDE=%d", clade_hashmap_options(map), SIDE);
    must(clade_program_build(
        &program, context,
        &(clade_program_params) { .file = "taxi.cl", .include_path = ".", .options = options }));
    must(clade_program_kernel(&kernel, program, "taxi"));

    cl_mem mem = clade_hashmap_mem(map), out = numbers(context, ITEMS * 3);
    cl_mem failed = numbers(context, 1);
    must_cl(clSetKernelArg(kernel, 0, sizeof mem, &mem));
    must_cl(clSetKernelArg(kernel, 1, sizeof out, &out));
    must_cl(clSetKernelArg(kernel, 2, sizeof failed, &failed));
    start(context, kernel, (ITEMS + GROUP - 1) / GROUP, GROUP);
    read_numbers(context, out, twice[0], ITEMS * 3);
    read_numbers(context, failed, &failure, 1);

    /* The host asks the map, too. */
    must(clade_hashmap_size(map, &size));
    must(clade_hashmap_find(map, clade_host(&known), clade_host(&pair), 1, clade_no_array(), NULL));
    printf("%d sums, %s\n", (int)size, failure ? "some lost" : "none lost");

    qsort(twice, ITEMS, sizeof twice[0], by_sum);
    for (int i = 0, shown = 0; i < ITEMS && shown < SHOWN; i++)
        if (twice[i][0] != 0 && ++shown)
            printf("%u = %u^3 + %u^3 = %u^3 + %u^3\n", twice[i][0], twice[i][1] / 100,
                   twice[i][1] % 100, twice[i][2] / 100, twice[i][2] % 100);
    printf("%u: %s\n", known, pair == 112 || pair == 910 ? "found" : "not found");

    clReleaseMemObject(out);
    clReleaseMemObject(failed);
    clReleaseKernel(kernel);
    clade_program_destroy(&program);
    clade_hashmap_destroy(&map);
    clade_context_destroy(&context);
    return 0;
}

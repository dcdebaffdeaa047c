/* SPDX-License-Identifier: Apache-2.0 */
/* README's kernel does what README says. */
#include "harness/fixture.h"

#include <clade/heap.h>

enum { JOBS = 200, BATCH = 64 };

static char *source_of_the_example(void)
{
    char path[512];
    snprintf(path, sizeof path, "%s/pages/example.cl", fixture_kernels(TEST_KERNELS));
    FILE *file = fopen(path, "r");
    char *text = calloc(1, 10000);
    assert_non_null(file);
    assert_non_null(text);
    assert_true(fread(text, 1, 9999, file) > 0);
    fclose(file);
    return text;
}

static void jobs_are_taken_until_none_is_left(void **state)
{
    struct fixture *f = *state;
    clade_heap *heap;
    clade_program *program;
    cl_kernel kernel;
    uint32_t due[JOBS], job[JOBS], left[JOBS];
    uint64_t size = JOBS;
    const size_t group = f->caps->is_cpu ? 1 : BATCH, items = 4 * group;
    for (uint32_t i = 0; i < JOBS; i++) {
        due[i] = i * 7919 % 1000;
        job[i] = i;
        left[i] = 1 + i % 3;
    }
    assert_ok(clade_heap_create(
        &heap, f->context,
        &(clade_heap_params) {
            .capacity = 2 * JOBS, .key = CLADE_U32, .value = CLADE_U32, .batch = BATCH }));
    assert_ok(clade_heap_insert(heap, clade_host(due), clade_host(job), JOBS, NULL));
    char *source = source_of_the_example();
    assert_ok(clade_program_build(
        &program, f->context, &(clade_program_params) { .source = source, .name = "pages/example.cl" }));
    assert_ok(clade_program_kernel(&kernel, program, "work"));
    cl_mem mem = clade_heap_mem(heap), counts = fixture_buffer(f, sizeof left, left);
    fixture_arg(kernel, 0, mem);
    fixture_arg(kernel, 1, counts);
    for (int round = 0; round < 1000 && size > 0; round++) {
        fixture_launch(f, kernel, items, group);
        assert_ok(clade_heap_size(heap, &size));
    }
    assert_int_equal(size, 0);
    fixture_read(f, counts, 0, left, sizeof left);
    for (int i = 0; i < JOBS; i++)
        assert_int_equal(left[i], 0);
    clReleaseMemObject(counts);
    clReleaseKernel(kernel);
    clade_program_destroy(&program);
    clade_heap_destroy(&heap);
    free(source);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(jobs_are_taken_until_none_is_left) };
    return fixture_run("example", tests);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* The kernels that the pages of the structures show (docs/examples/structures) do what they say:
 * each with an object made by the host, 64 work-items, and the outcome looked at. Each lies in
 * tests/W/page.c. Where the tree was moved, CLADE_KERNEL_PATH names their folder besides. */
#include <stdlib.h>

#include "pages/page.h"

struct example example_open(struct fixture *f, const char *file, const char *kernel,
                            const char *options)
{
    struct example example;
    assert_ok(clade_program_build(
        &example.program, f->context,
        &(clade_program_params) { .file = file, .include_path = EXAMPLES, .options = options }));
    assert_ok(clade_program_kernel(&example.kernel, example.program, kernel));
    return example;
}

void example_close(struct example *example)
{
    clReleaseKernel(example->kernel);
    clade_program_destroy(&example->program);
}

cl_mem page_words(struct fixture *f, const struct example *example, cl_uint at,
                  const uint32_t *content)
{
    cl_mem mem = fixture_buffer(f, ITEMS * sizeof *content, content);
    fixture_arg(example->kernel, at, mem);
    return mem;
}

void page_launch(struct fixture *f, const struct example *example, cl_mem object)
{
    fixture_arg(example->kernel, 0, object);
    fixture_launch(f, example->kernel, ITEMS, f->caps->is_cpu ? 1 : 32);
}

void page_has_its_result(void)
{
    if (getenv("CLADE_PAGES_FIRST_RESULT"))
        exit(0);
}

int main(void)
{
    /* In a short run the compiler's time is most of it. */
    if (fixture_is_small())
        setenv("CLADE_BUILD_OPTIONS", "-cl-opt-disable", 0);
#define LINE(structure) structure##_page,
    const struct CMUnitTest tests[] = { CLADE_PAGE(LINE) };
    return fixture_run("pages", tests);
}

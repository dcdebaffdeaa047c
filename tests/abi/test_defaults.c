/* SPDX-License-Identifier: Apache-2.0 */
/* Defaults of host and device, structure by structure (abi/default.h). */
#include "abi/default.h"

struct built default_build(struct fixture *f, const char *header, const char *kernel)
{
    struct built built;
    char text[2048];
    const uint32_t nothing[ITEMS] = { 0 };
    snprintf(text, sizeof text, "#include \"clade/%s.clh\"\n%s\n", header, kernel);
    assert_ok(clade_program_build(&built.program, f->context,
                                  &(clade_program_params) { .source = text, .name = header }));
    assert_ok(clade_program_kernel(&built.kernel, built.program, "k"));
    built.out = fixture_buffer(f, sizeof nothing, nothing);
    fixture_arg(built.kernel, 1, built.out);
    return built;
}

void default_run(struct fixture *f, struct built *built, cl_mem object, size_t items,
                 uint32_t out[ITEMS])
{
    fixture_arg(built->kernel, 0, object);
    fixture_launch(f, built->kernel, items, items);
    fixture_read(f, built->out, 0, out, ITEMS * sizeof *out);
}

void default_end(struct built *built)
{
    clReleaseMemObject(built->out);
    clReleaseKernel(built->kernel);
    clade_program_destroy(&built->program);
}

size_t default_group(const struct fixture *f)
{
    return f->caps->is_cpu ? 1 : 32;
}

int main(void)
{
    /* In a short run the compiler's time is most of it. */
    if (fixture_is_small())
        setenv("CLADE_BUILD_OPTIONS", "-cl-opt-disable", 0);
#define LINE(structure) structure##_default,
    const struct CMUnitTest tests[] = { CLADE_DEFAULT(LINE) };
    return fixture_run("defaults", tests);
}

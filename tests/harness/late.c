/* SPDX-License-Identifier: Apache-2.0 */
#include "harness/late.h"

struct late late_open(struct fixture *f, const char *source, const char *options, size_t bytes)
{
    struct late late = { .f = f, .bytes = bytes, .limit = f->caps->loop_limit };
    assert_ok(
        clade_program_build(&late.program, f->context,
                            &(clade_program_params) { .source = source, .options = options }));
    assert_ok(clade_program_kernel(&late.kernel, late.program, "late"));
    late.out = fixture_buffer(f, bytes, NULL);
    fixture_arg(late.kernel, 0, late.out);
    return late;
}

void late_close(struct late *late)
{
    clReleaseKernel(late->kernel);
    clade_program_destroy(&late->program);
    clReleaseMemObject(late->out);
}

uint32_t late_turns(const struct late *late, uint32_t less)
{
    return late->limit > less ? late->limit - less : 0;
}

void late_run(struct late *late, uint32_t turns, size_t items, size_t group, void *got)
{
    memset(got, 0, late->bytes);
    fixture_write(late->f, late->out, 0, got, late->bytes);
    fixture_arg(late->kernel, 1, turns);
    fixture_launch(late->f, late->kernel, items, group);
    fixture_read(late->f, late->out, 0, got, late->bytes);
}

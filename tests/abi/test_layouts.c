/* SPDX-License-Identifier: Apache-2.0 */
/* Host and device put the fields that both read at the same places, structure by structure
 * (tests/W/abi.c). */
#include "abi/abi.h"

#include <clade/shared/cells.h>
#include <clade/shared/object.h>

enum { ROOM = 512, AT = 64 /* fields of an object are looked at from its start on */ };

static void compare(struct fixture *f, const char *header, const struct layout *layout)
{
    char source[1024];
    uint32_t out[ROOM] = { 0 };
    clade_program *program;
    cl_kernel kernel;
    snprintf(source, sizeof source,
             "#include \"clade/atomic.clh\"\n#include \"clade/shared/%s.h\"\n"
             "#define PLACE(type, field) *at++ = (uint)((__global uchar *)&((__global type *)out)"
             "->field - (__global uchar *)out);\n"
             "__kernel void layout(__global uint *out)\n"
             "{\n"
             "    __global uint *at = out + %d;\n"
             "    CLADE_%s_LAYOUT(PLACE)\n"
             "    *at = ~0u;\n"
             "}\n",
             header, AT, layout->macro);
    assert_in_range(layout->count, 1, ROOM - AT - 1);
    assert_ok(clade_program_build(&program, f->context,
                                  &(clade_program_params) { .source = source, .name = header }));
    assert_ok(clade_program_kernel(&kernel, program, "layout"));
    cl_mem mem = fixture_buffer(f, sizeof out, out);
    fixture_arg(kernel, 0, mem);
    fixture_launch(f, kernel, 1, 1);
    fixture_read(f, mem, 0, out, sizeof out);
    for (size_t i = 0; i < layout->count; i++)
        if (out[AT + i] != layout->places[i])
            fail_msg("%s: field %zu lies at %u on the device, at %u on the host", header, i,
                     out[AT + i], layout->places[i]);
    assert_int_equal(out[AT + layout->count], UINT32_MAX);
    clReleaseMemObject(mem);
    clReleaseKernel(kernel);
    clade_program_destroy(&program);
}

static void host_and_device_lay_out_alike(void **state)
{
    static const uint32_t head[] = { CLADE_OBJECT_HEAD_LAYOUT(PLACE) };
    static const uint32_t cells[] = { CLADE_CELLS_LAYOUT(PLACE) };
#define ABI(structure) &structure##_abi,
    static const struct abi *const all[] = { CLADE_ABI(ABI) };
    compare(*state, "object", &(struct layout) { "OBJECT_HEAD", head, sizeof head / 4 });
    compare(*state, "cells", &(struct layout) { "CELLS", cells, sizeof cells / 4 });
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        compare(*state, all[i]->name, &all[i]->layout);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(host_and_device_lay_out_alike),
    };
    return fixture_run("layouts", tests);
}

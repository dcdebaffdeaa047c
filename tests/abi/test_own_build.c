/* SPDX-License-Identifier: Apache-2.0 */
/* A program that is built without clade_program_build(), as PyOpenCL or C++ bindings build it: by
 * clCreateProgramWithSource() and clBuildProgram(), from the text and the options that clade gives.
 * Its kernel works on an object, and it is the same program. */
#include <clade/archive.h>
#include <clade/heap.h>

#include "harness/fixture.h"

static const char text[] = "#include \"clade/heap.clh\"\n"
                           "__kernel void halve(__global void *heap)\n"
                           "{\n"
                           "    __local clade_heap_scratch scratch;\n"
                           "    uint got = 0;\n"
                           "    clade_heap_pop_wg(heap, &scratch, BATCH, &got);\n"
                           "    for (uint i = (uint)get_local_id(0); i < got;\n"
                           "         i += (uint)get_local_size(0))\n"
                           "        clade_heap_set_wi(&scratch, i,\n"
                           "                          clade_heap_key_wi(&scratch, i) / 2);\n"
                           "    clade_heap_insert_wg(heap, &scratch, got);\n"
                           "}\n";

enum { BATCH = 16 };

static cl_program build_plainly(struct fixture *f, const clade_source *source)
{
    cl_int code;
    const char *strings[] = { clade_source_text(source) };
    const cl_device_id device = clade_context_cl_device(f->context);
    cl_program program =
        clCreateProgramWithSource(clade_context_cl_context(f->context), 1, strings, NULL, &code);
    assert_int_equal(code, CL_SUCCESS);
    assert_int_equal(clBuildProgram(program, 1, &device, clade_source_options(source), NULL, NULL),
                     CL_SUCCESS);
    return program;
}

/* What a driver keeps of a program's source. */
static char *source_of(cl_program program)
{
    size_t size;
    assert_int_equal(clGetProgramInfo(program, CL_PROGRAM_SOURCE, 0, NULL, &size), CL_SUCCESS);
    char *source = malloc(size + 1);
    assert_non_null(source);
    assert_int_equal(clGetProgramInfo(program, CL_PROGRAM_SOURCE, size, source, NULL), CL_SUCCESS);
    source[size] = '\0';
    return source;
}

static void assert_same_program(struct fixture *f, cl_program plain,
                                const clade_program_params *params)
{
    clade_program *program;
    assert_ok(clade_program_build(&program, f->context, params));
    char *a = source_of(plain), *b = source_of(clade_program_cl(program));
    assert_string_equal(a, b);
    free(a);
    free(b);
    clade_program_destroy(&program);
}

static void a_plain_build_works_on_an_object(void **state)
{
    struct fixture *f = *state;
    clade_heap *heap;
    clade_source *source;
    int32_t keys[BATCH];
    uint64_t got;
    cl_int code;
    char options[512];
    for (int i = 0; i < BATCH; i++)
        keys[i] = 100 + 2 * i;
    assert_ok(clade_heap_create(&heap, f->context,
                                &(clade_heap_params) { .capacity = 100, .batch = BATCH }));
    assert_ok(clade_heap_insert(heap, clade_host(keys), clade_no_array(), BATCH, NULL));
    snprintf(options, sizeof options, "%s -DBATCH=%d", clade_heap_options(heap), BATCH);
    const clade_program_params params = { .source = text, .options = options };
    assert_ok(clade_context_source(&source, f->context, &params));
    cl_program program = build_plainly(f, source);
    assert_same_program(f, program, &params);
    cl_kernel kernel = clCreateKernel(program, "halve", &code);
    assert_int_equal(code, CL_SUCCESS);
    const cl_mem object = clade_heap_mem(heap);
    const size_t group = f->caps->is_cpu ? 1 : 32; /* one group */
    fixture_arg(kernel, 0, object);
    fixture_launch(f, kernel, group, group);
    assert_ok(
        clade_heap_pop(heap, clade_host(keys), clade_no_array(), BATCH, clade_host(&got), NULL));
    assert_int_equal(got, BATCH);
    for (int i = 0; i < BATCH; i++)
        assert_int_equal(keys[i], 50 + i);
    clReleaseKernel(kernel);
    clReleaseProgram(program);
    clade_source_destroy(&source);
    clade_heap_destroy(&heap);
}

static void the_options_are_the_contexts_and_then_the_callers(void **state)
{
    struct fixture *f = *state;
    clade_source *source;
    clade_program *program;
    const char *own = clade_context_options(f->context);
    clade_program_params params = { .source = "__kernel void k(void) {}" };
    assert_ok(clade_context_source(&source, f->context, &params));
    assert_string_equal(clade_source_options(source), own);
    clade_source_destroy(&source);
    params.options = "-DTHREE=3";
    assert_ok(clade_context_source(&source, f->context, &params));
    assert_ok(clade_program_build(&program, f->context, &params));
    assert_string_equal(clade_source_options(source), clade_program_options(program));
    const size_t length = strlen(own);
    assert_memory_equal(clade_source_options(source), own, length);
    assert_string_equal(clade_source_options(source) + length, " -DTHREE=3");
    assert_ptr_equal(clade_context_options(f->context), own); /* constant */
    assert_string_equal(clade_context_options(NULL), "");
    clade_program_destroy(&program);
    clade_source_destroy(&source);
}

static void a_context_with_options_of_its_own_has_them_in(void **state)
{
    clade_context *context;
    clade_source *source;
    (void)state;
    assert_ok(clade_context_create(&context, &(clade_context_params) { .device = fixture_device(),
                                                                       .build_options = "-DFIVE=5",
                                                                       .force_rmw_atomics = 1 }));
    assert_non_null(strstr(clade_context_options(context), " -DFIVE=5"));
    assert_non_null(strstr(clade_context_options(context), "-cl-std=CL1.2"));
    assert_ok(clade_context_source(
        &source, context, &(clade_program_params) { .source = "__kernel void k(void) {}" }));
    clade_context_destroy(&context); /* the source does not need it */
    assert_non_null(strstr(clade_source_options(source), " -DFIVE=5"));
    assert_non_null(strstr(clade_source_text(source), "__kernel void k(void)"));
    clade_source_destroy(&source);
}

static void what_is_missing_is_told(void **state)
{
    struct fixture *f = *state;
    clade_source *source = NULL;
    clade_archive *archive;
    const clade_program_params none = { .source = NULL };
    const clade_program_params both = { .source = "", .file = "x.cl" };
    const clade_program_params lost = { .file = "there-is-no.cl" };
    const clade_program_params fine = { .source = "__kernel void k(void) {}" };
    assert_fails(clade_context_source(NULL, f->context, &fine), CLADE_E_ARG);
    assert_fails(clade_context_source(&source, NULL, &fine), CLADE_E_ARG);
    assert_fails(clade_context_source(&source, f->context, NULL), CLADE_E_ARG);
    assert_fails(clade_context_source(&source, f->context, &none), CLADE_E_ARG);
    assert_fails(clade_context_source(&source, f->context, &both), CLADE_E_ARG);
    assert_fails(clade_context_source(&source, f->context, &lost), CLADE_E_NOT_FOUND);
    assert_null(source);
    /* As a source of an archive it is what clade_source_create() makes. */
    assert_ok(clade_context_source(&source, f->context, &fine));
    assert_ok(clade_archive_create(&archive));
    assert_ok(clade_archive_add_source(archive, source, NULL, 0));
    clade_source_destroy(&source);
    assert_ok(clade_source_create(&source, &fine, NULL, NULL));
    assert_ok(clade_archive_add_source(archive, source, NULL, 0));
    assert_int_equal(clade_archive_count(archive), 1);
    assert_string_equal(clade_archive_at(archive, 0)->bytes, clade_source_text(source));
    clade_archive_destroy(&archive);
    clade_source_destroy(&source);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_plain_build_works_on_an_object),
        cmocka_unit_test(the_options_are_the_contexts_and_then_the_callers),
        cmocka_unit_test(a_context_with_options_of_its_own_has_them_in),
        cmocka_unit_test(what_is_missing_is_told),
    };
    return fixture_run("own build", tests);
}

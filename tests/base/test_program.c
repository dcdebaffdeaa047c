/* SPDX-License-Identifier: Apache-2.0 */
/* clade_program: a user's kernel builds, fails with its place named, and is found again. */
#define _GNU_SOURCE /* strcasestr */
#include <pthread.h>
#include <unistd.h>

#include <clade/archive.h>

#include "harness/fixture.h"
#include "harness/scratch.h"

static const char good_source[] = "#include \"clade/atomic.clh\"\n"
                                  "__kernel void add(__global clade_atomic_u32 *sum)\n"
                                  "{\n"
                                  "    clade_add_relaxed(sum, 2u);\n"
                                  "}\n";

static void run_add(struct fixture *f, clade_program *program, cl_uint wanted)
{
    cl_kernel kernel;
    cl_uint sum = 0;
    const size_t items = 100;
    cl_mem mem = fixture_buffer(f, sizeof sum, &sum);
    assert_ok(clade_program_kernel(&kernel, program, "add"));
    fixture_arg(kernel, 0, mem);
    fixture_launch(f, kernel, items, 0);
    fixture_read(f, mem, 0, &sum, sizeof sum);
    assert_int_equal(sum, wanted);
    clReleaseKernel(kernel);
    clReleaseMemObject(mem);
}

static void a_users_kernel_runs(void **state)
{
    struct fixture *f = *state;
    clade_program *program;
    assert_ok(clade_program_build(&program, f->context,
                                  &(clade_program_params) { .source = good_source }));
    run_add(f, program, 200);
    cl_kernel kernel = (cl_kernel)&kernel; /* a failure says NULL */
    assert_fails(clade_program_kernel(&kernel, program, "none"), CLADE_E_NOT_FOUND);
    assert_message("\"none\"");
    assert_null(kernel);
    kernel = (cl_kernel)&kernel;
    assert_fails(clade_program_kernel(&kernel, program, NULL), CLADE_E_ARG);
    assert_null(kernel);
    kernel = (cl_kernel)&kernel;
    assert_fails(clade_program_kernel(&kernel, NULL, "add"), CLADE_E_ARG);
    assert_null(kernel);
    assert_fails(clade_program_kernel(NULL, program, "add"), CLADE_E_ARG);
    clade_program_destroy(&program);
    assert_null(program);
    clade_program_destroy(&program);
}

static void a_mistake_names_file_and_line(void **state)
{
    struct fixture *f = *state;
    char *folder = scratch_make();
    clade_program *program;
    free(scratch_text(folder, "broken.clh", "\n\nint broken(void) { return nonsense; }\n"));
    assert_fails(clade_program_build(
                     &program, f->context,
                     &(clade_program_params) { .source = "#include \"broken.clh\"\n"
                                                         "__kernel void k(void) { broken(); }\n",
                                               .name = "user.cl",
                                               .include_path = folder }),
                 CLADE_E_BUILD);
    assert_null(program);
    assert_message("user.cl");
    assert_non_null(strstr(clade_error_last()->log, "nonsense"));
    assert_non_null(strstr(clade_error_last()->log, "broken.clh:3:"));
    scratch_remove(folder);
}

static void bad_arguments_are_refused(void **state)
{
    struct fixture *f = *state;
    clade_program *program;
    assert_fails(clade_program_build(&program, f->context, &(clade_program_params) { 0 }),
                 CLADE_E_ARG);
    assert_fails(
        clade_program_build(&program, NULL, &(clade_program_params) { .source = good_source }),
        CLADE_E_ARG);
    assert_fails(clade_program_build(&program, f->context,
                                     &(clade_program_params) { .file = "no/such/file.cl" }),
                 CLADE_E_NOT_FOUND);
    assert_message("no/such/file.cl");
}

/* Options that name a folder of includes would be of no use: it is said where the folder belongs.
 */
static void folders_do_not_belong_in_options(void **state)
{
    struct fixture *f = *state;
    static const char *const wrong[] = { "-I/tmp", "-I /tmp", "-DN=4 -I/tmp", "-DN=4\t-I ." };
    static const char *const right[] = { "-DI=1", "-DN=4-I", "-DTEXT=\"a -I b\"" };
    clade_program_params params = { .source = good_source };
    clade_program *program;
    clade_source *source;
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        params.options = wrong[i];
        assert_fails(clade_program_build(&program, f->context, &params), CLADE_E_ARG);
        assert_null(program);
        assert_message("include_path");
        assert_fails(clade_context_source(&source, f->context, &params), CLADE_E_ARG);
        assert_message("include_path");
        assert_fails(clade_source_create(&source, &params, NULL, NULL), CLADE_E_ARG);
        assert_null(source);
    }
    for (size_t i = 0; i < sizeof right / sizeof right[0]; i++) {
        params.options = right[i];
        assert_ok(clade_context_source(&source, f->context, &params));
        clade_source_destroy(&source);
    }
}

static clade_context *open_with_cache(const char *folder)
{
    clade_context *context;
    assert_ok(clade_context_create(
        &context, &(clade_context_params) { .device = fixture_device(), .cache_dir = folder }));
    return context;
}

/* Returns where the program came from. */
static int build_once(const char *folder, const char *include_path, const char *source)
{
    struct fixture f = { .context = open_with_cache(folder) };
    clade_program *program;
    assert_ok(clade_program_build(
        &program, f.context,
        &(clade_program_params) { .source = source, .include_path = include_path }));
    run_add(&f, program, 200);
    const int origin = clade_program_origin(program);
    clade_program_destroy(&program);
    clade_context_destroy(&f.context);
    return origin;
}

static void a_built_program_is_kept_and_a_damaged_one_is_rebuilt(void **state)
{
    (void)state;
    char *folder = scratch_make(), *file;
    assert_int_equal(build_once(folder, NULL, good_source), CLADE_FROM_COMPILER);
    size_t entries = scratch_count(folder, &file);
    assert_in_range(entries, 1, 2); /* the program, and perhaps the probe's */
    assert_int_equal(build_once(folder, NULL, good_source), CLADE_FROM_CACHE);
    assert_int_equal(scratch_count(folder, NULL), entries);
    free(scratch_text(folder, strrchr(file, '/') + 1, "rubbish"));
    const int origin = build_once(folder, NULL, good_source);
    if (entries == 1) /* or it was the probe's */
        assert_int_equal(origin, CLADE_FROM_COMPILER);
    size_t size;
    char *again = scratch_read(file, &size);
    assert_in_range(size, 100, SIZE_MAX); /* written anew */
    free(again);
    free(file);
    scratch_remove(folder);
}

/* What on_compile was told: how many compiles began and ended, and the last sentence. */
struct told {
    unsigned begun, ended;
    bool is_open;
    char sentence[512];
};

static void hear(void *data, const char *sentence)
{
    struct told *told = data;
    assert_true(told->is_open == (sentence == NULL)); /* one after the other */
    told->is_open = sentence != NULL;
    told->begun += sentence != NULL;
    told->ended += sentence == NULL;
    if (sentence)
        snprintf(told->sentence, sizeof told->sentence, "%s", sentence);
}

/* Told of each compile, well or not, and of nothing that was found. */
static void compiles_are_told(void **state)
{
    const clade_program_params good = { .source = good_source, .name = "sums.cl" };
    struct fixture *f = *state;
    char *folder = scratch_make(), wanted[512], name[256] = "";
    assert_int_equal(clGetDeviceInfo(clade_context_cl_device(f->context), CL_DEVICE_NAME,
                                     sizeof name, name, NULL),
                     CL_SUCCESS);
    snprintf(wanted, sizeof wanted, "compiling sums.cl for %s", name);
    for (int again = 0; again <= 1; again++) {
        struct told told = { 0 };
        clade_program *program;
        clade_context *context;
        assert_ok(
            clade_context_create(&context, &(clade_context_params) { .device = fixture_device(),
                                                                     .cache_dir = folder,
                                                                     .on_compile = hear,
                                                                     .on_compile_data = &told }));
        assert_true(again ? told.begun == 0 : told.begun <= 1); /* the probe; kept as well */
        const unsigned before = told.begun;
        for (int i = 0; i < 2; i++) { /* the second from memory */
            assert_ok(clade_program_build(&program, context, &good));
            clade_program_destroy(&program);
        }
        assert_int_equal(told.begun, before + (again ? 0 : 1));
        assert_string_equal(told.sentence, again ? "" : wanted);
        assert_fails(
            clade_program_build(&program, context,
                                &(clade_program_params) { .source = "this is no C", .name = "x" }),
            CLADE_E_BUILD);
        assert_int_equal(told.begun, before + (again ? 1 : 2));
        assert_int_equal(told.ended, told.begun);
        assert_int_equal(strncmp(told.sentence, "compiling x for ", 16), 0);
        clade_context_destroy(&context);
    }
    scratch_remove(folder);
}

/* PoCL keeps what it compiled; asked for a binary, it would compile what nobody launches. */
static void a_cache_that_nobody_named_leaves_pocl_alone(void **state)
{
    struct fixture *f = *state;
    char *folder = scratch_make(), *inside = scratch_path(folder, "clade");
    char *old = getenv("CLADE_CACHE_DIR"), *xdg = getenv("XDG_CACHE_HOME");
    old = old ? strdup(old) : NULL;
    xdg = xdg ? strdup(xdg) : NULL;
    unsetenv("CLADE_CACHE_DIR");
    setenv("XDG_CACHE_HOME", folder, 1);
    build_once(NULL, NULL, good_source);
    size_t found = scratch_count(inside, NULL);
    char version[256] = ""; /* "OpenCL 3.0 PoCL HSTR: ..." */
    assert_int_equal(clGetDeviceInfo(clade_context_cl_device(f->context), CL_DEVICE_VERSION,
                                     sizeof version, version, NULL),
                     CL_SUCCESS);
    const bool pocl = strcasestr(version, "pocl");
    assert_in_range(found, pocl ? 0 : 1, pocl ? 0 : 2); /* the program; a probe's result */
    setenv("CLADE_CACHE_DIR", inside, 1);
    build_once(NULL, NULL, good_source);
    assert_int_equal(scratch_count(inside, NULL), pocl ? 1 : found);
    old ? setenv("CLADE_CACHE_DIR", old, 1) : unsetenv("CLADE_CACHE_DIR");
    xdg ? setenv("XDG_CACHE_HOME", xdg, 1) : unsetenv("XDG_CACHE_HOME");
    free(old);
    free(xdg);
    free(inside);
    scratch_remove(folder);
}

static void an_edited_include_is_seen(void **state)
{
    (void)state;
    char *folder = scratch_make();
    static const char source[] = "#include \"step.clh\"\n"
                                 "#include \"clade/atomic.clh\"\n"
                                 "__kernel void add(__global clade_atomic_u32 *sum)\n"
                                 "{\n"
                                 "    clade_add_relaxed(sum, STEP);\n"
                                 "}\n";
    free(scratch_text(folder, "step.clh", "#define STEP 2u\n"));
    build_once(folder, folder, source);
    free(scratch_text(folder, "step.clh", "#define STEP (1u + 1u)\n"));
    assert_int_equal(build_once(folder, folder, source), CLADE_FROM_COMPILER);
    free(scratch_text(folder, "step.clh", "#define STEP 3u\n"));
    struct fixture f = { .context = open_with_cache(folder) };
    clade_program *program;
    assert_ok(clade_program_build(
        &program, f.context, &(clade_program_params) { .source = source, .include_path = folder }));
    run_add(&f, program, 300);
    clade_program_destroy(&program);
    clade_context_destroy(&f.context);
    scratch_remove(folder);
}

static void *build_in_a_thread(void *context)
{
    clade_program *program;
    if (clade_program_build(&program, context, &(clade_program_params) { .source = good_source }) !=
        CLADE_OK)
        return NULL;
    clade_program_destroy(&program);
    return context;
}

static void threads_build_at_once(void **state)
{
    if (fixture_is_interpreted(*state)) {
        print_message(
            "skipped: oclgrind 21.10 crashes when threads build at once, without clade, too\n");
        skip();
    }
    char *folder = scratch_make();
    clade_context *context = open_with_cache(folder);
    pthread_t threads[8];
    for (int i = 0; i < 8; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, build_in_a_thread, context), 0);
    for (int i = 0; i < 8; i++) {
        void *result;
        assert_int_equal(pthread_join(threads[i], &result), 0);
        assert_non_null(result);
    }
    clade_context_destroy(&context);
    scratch_remove(folder);
}

static void the_source_is_dumped_on_request(void **state)
{
    struct fixture *f = *state;
    char *folder = scratch_make();
    clade_program *program;
    setenv("CLADE_DUMP", folder, 1);
    assert_fails(clade_program_build(&program, f->context,
                                     &(clade_program_params) { .source = "this is no C\n" }),
                 CLADE_E_BUILD);
    unsetenv("CLADE_DUMP");
    assert_int_equal(scratch_count(folder, NULL), 2); /* source and log */
    scratch_remove(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_users_kernel_runs),
        cmocka_unit_test(a_mistake_names_file_and_line),
        cmocka_unit_test(bad_arguments_are_refused),
        cmocka_unit_test(folders_do_not_belong_in_options),
        cmocka_unit_test(a_built_program_is_kept_and_a_damaged_one_is_rebuilt),
        cmocka_unit_test(compiles_are_told),
        cmocka_unit_test(a_cache_that_nobody_named_leaves_pocl_alone),
        cmocka_unit_test(an_edited_include_is_seen),
        cmocka_unit_test(threads_build_at_once),
        cmocka_unit_test(the_source_is_dumped_on_request),
    };
    return fixture_run("program", tests);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* A context takes from its archive what fits exactly, and goes on without it when nothing does. */
#include <clade/heap.h>
#include <clade/version.h>

#include "base/text.h"
#include "harness/fixture.h"
#include "harness/scratch.h"
#include "program/archive.h"
#include "program/program.h"

static const char source[] = "#include \"clade/atomic.clh\"\n"
                             "__kernel void add(__global clade_atomic_u32 *sum)\n"
                             "{\n"
                             "    clade_add_relaxed(sum, STEP);\n"
                             "}\n";
static const char step_is_2[] = "-DSTEP=2u";

static clade_context *open_as(const char *archive, int rmw)
{
    clade_context *context;
    assert_ok(clade_context_create(&context, &(clade_context_params) { .device = fixture_device(),
                                                                       .cache_dir = "",
                                                                       .force_rmw_atomics = rmw,
                                                                       .archive = archive }));
    return context;
}

static clade_context *open_with(const char *archive)
{
    return open_as(archive, 0);
}

/* Build and run; returns where the program came from. */
static int run_add(clade_context *context, const clade_program_params *params, cl_uint wanted)
{
    struct fixture f = { .context = context };
    clade_program *program;
    cl_kernel kernel;
    cl_uint sum = 0;
    const size_t items = 10;
    cl_mem mem = fixture_buffer(&f, sizeof sum, &sum);
    assert_ok(clade_program_build(&program, context, params));
    assert_ok(clade_program_kernel(&kernel, program, "add"));
    fixture_arg(kernel, 0, mem);
    fixture_launch(&f, kernel, items, 0);
    fixture_read(&f, mem, 0, &sum, sizeof sum);
    assert_int_equal(sum, wanted);
    assert_non_null(strstr(clade_program_options(program), "-DSTEP="));
    int origin = clade_program_origin(program);
    clReleaseKernel(kernel);
    clReleaseMemObject(mem);
    clade_program_destroy(&program);
    return origin;
}

/* An archive of a user's file, made as a build would make it. */
struct user {
    char *folder, *kernel, *archive;
};

static void write_archive(const char *path, clade_context *context)
{
    clade_archive *archive;
    assert_ok(clade_archive_create(&archive));
    assert_ok(clade_archive_add_context(archive, context));
    assert_in_range(clade_archive_count(archive), 2, 3); /* code, source, the probe's result */
    assert_ok(clade_archive_write(archive, path));
    clade_archive_destroy(&archive);
}

static int make_user(void **state)
{
    static struct user user;
    user.folder = scratch_make();
    user.kernel = scratch_text(user.folder, "user.cl", source);
    user.archive = scratch_path(user.folder, "archive");
    clade_context *context = open_with("");
    const clade_program_params params = { .file = user.kernel, .options = step_is_2 };
    assert_int_equal(run_add(context, &params, 20), CLADE_FROM_COMPILER);
    assert_int_equal(run_add(context, &params, 20), CLADE_FROM_MEMORY);
    write_archive(user.archive, context);
    clade_context_destroy(&context);
    *state = &user;
    return 0;
}

static int drop_user(void **state)
{
    struct user *user = *state;
    free(user->kernel);
    free(user->archive);
    scratch_remove(user->folder);
    return 0;
}

static int origin_with(const char *archive, const char *file, const char *options, cl_uint wanted)
{
    clade_context *context = open_with(archive);
    int origin =
        run_add(context, &(clade_program_params) { .file = file, .options = options }, wanted);
    clade_context_destroy(&context);
    return origin;
}

static void what_fits_is_taken(void **state)
{
    struct user *user = *state;
    assert_int_equal(origin_with(user->archive, user->kernel, step_is_2, 20), CLADE_FROM_ARCHIVE);
    setenv("CLADE_ARCHIVE", user->archive, 1);
    assert_int_equal(origin_with(NULL, user->kernel, step_is_2, 20), CLADE_FROM_ARCHIVE);
    assert_int_equal(origin_with("", user->kernel, step_is_2, 20), CLADE_FROM_COMPILER);
    unsetenv("CLADE_ARCHIVE");
}

static void other_options_and_another_source_are_compiled(void **state)
{
    struct user *user = *state;
    assert_int_equal(origin_with(user->archive, user->kernel, "-DSTEP=3u", 30),
                     CLADE_FROM_COMPILER);
    struct cladei_text edited = { 0 };
    cladei_text_printf(&edited, "#define STEP_TOO 1u\n%s", source);
    char *twice = strstr(edited.data, "STEP);");
    memcpy(twice, "5u);  ", 6);
    free(scratch_text(user->folder, "user.cl", edited.data));
    assert_int_equal(origin_with(user->archive, user->kernel, step_is_2, 50), CLADE_FROM_COMPILER);
    cladei_text_free(&edited);
}

static void the_same_text_elsewhere_is_the_same_kernel(void **state)
{
    struct user *user = *state;
    char *moved = scratch_text(user->folder, "deep/folder/moved.cl", source);
    assert_int_equal(origin_with(user->archive, moved, step_is_2, 20), CLADE_FROM_ARCHIVE);
    free(moved);
}

static void the_file_need_not_be_there(void **state)
{
    struct user *user = *state;
    assert_int_equal(remove(user->kernel), 0);
    assert_int_equal(origin_with(user->archive, "user.cl", step_is_2, 20), CLADE_FROM_ARCHIVE);
    assert_int_equal(origin_with(user->archive, "user.cl", "-DSTEP=3u", 30), CLADE_FROM_COMPILER);
    clade_context *context = open_with(user->archive);
    clade_program *program;
    assert_fails(
        clade_program_build(&program, context, &(clade_program_params) { .file = "other.cl" }),
        CLADE_E_NOT_FOUND);
    assert_message("other.cl");
    clade_context_destroy(&context);
}

/* Entries are changed one property at a time: each must be passed over, and named as the reason. */
static void rewrite(const char *path, void (*change)(clade_archive_entry *entry),
                    const char *expected_reason)
{
    clade_archive *from, *to;
    bool seen = false;
    clade_context *context = open_with("");
    assert_ok(clade_archive_open(&from, path));
    assert_ok(clade_archive_create(&to));
    for (size_t i = 0; i < clade_archive_count(from); i++) {
        char reason[200];
        clade_archive_entry entry = *clade_archive_at(from, i);
        assert_int_equal(clade_archive_fits(&entry, context, reason, sizeof reason), 1);
        assert_string_equal(reason, "");
        if (entry.kind == CLADE_ENTRY_DEVICE) {
            change(&entry);
            assert_int_equal(clade_archive_fits(&entry, context, reason, sizeof reason), 0);
            assert_non_null(strstr(reason, expected_reason));
            seen = true;
        }
        assert_ok(clade_archive_add(to, &entry));
    }
    assert_true(seen);
    assert_ok(clade_archive_write(to, path));
    clade_archive_destroy(&from);
    clade_archive_destroy(&to);
    clade_context_destroy(&context);
}

static void change_version(clade_archive_entry *entry)
{
    entry->version = "0.0.9";
}

static void change_platform(clade_archive_entry *entry)
{
    entry->platform = "elsewhere";
}

static void change_device(clade_archive_entry *entry)
{
    entry->device = "another device";
}

static void change_device_version(clade_archive_entry *entry)
{
    entry->device_version = "OpenCL 9";
}

static void change_driver(clade_archive_entry *entry)
{
    entry->driver = "another driver";
}

static void change_kind(clade_archive_entry *entry)
{
    entry->kind = CLADE_ENTRY_TARGET;
    entry->target = "sm_70";
}

static void a_stale_entry_is_passed_over(void **state)
{
    static const struct {
        void (*change)(clade_archive_entry *entry);
        const char *reason;
    } cases[] = {
        { change_version, "0.0.9" },         { change_platform, "elsewhere" },
        { change_device, "another device" }, { change_device_version, "OpenCL 9" },
        { change_driver, "another driver" }, { change_kind, "offline" },
    };
    struct user *user = *state;
    size_t size;
    char *good = scratch_read(user->archive, &size);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        free(scratch_file(user->folder, "archive", good, size));
        rewrite(user->archive, cases[i].change, cases[i].reason);
        assert_int_equal(origin_with(user->archive, user->kernel, step_is_2, 20),
                         CLADE_FROM_COMPILER);
    }
    free(good);
}

/* An archive with the user's source alone, as `version` of clade made it; whether it is said to
 * fit. */
static int fits_as_source_of(struct user *user, const char *good, const char *version)
{
    clade_archive *from, *to;
    char reason[200];
    int fits = -1;
    clade_context *context = open_with("");
    assert_ok(clade_archive_open(&from, good));
    assert_ok(clade_archive_create(&to));
    for (size_t i = 0; i < clade_archive_count(from); i++) {
        clade_archive_entry entry = *clade_archive_at(from, i);
        if (entry.kind != CLADE_ENTRY_SOURCE || !strstr(entry.file, "user.cl"))
            continue;
        entry.version = version;
        fits = clade_archive_fits(&entry, context, reason, sizeof reason);
        assert_true(fits == (*reason == '\0'));
        assert_true(fits || strstr(reason, version));
        assert_ok(clade_archive_add(to, &entry));
    }
    assert_ok(clade_archive_write(to, user->archive));
    clade_archive_destroy(&from);
    clade_archive_destroy(&to);
    clade_context_destroy(&context);
    return fits;
}

/* A source has clade's headers inside. What is said to fit is what is used. */
static void the_source_of_another_version_is_passed_over(void **state)
{
    struct user *user = *state;
    clade_program *program;
    size_t size;
    char *bytes = scratch_read(user->archive, &size);
    char *good = scratch_file(user->folder, "good", bytes, size);
    assert_int_equal(remove(user->kernel), 0);
    assert_int_equal(fits_as_source_of(user, good, clade_version()), 1);
    assert_int_equal(origin_with(user->archive, "user.cl", step_is_2, 20), CLADE_FROM_COMPILER);
    assert_int_equal(fits_as_source_of(user, good, "0.0.9"), 0);
    clade_context *context = open_with(user->archive);
    assert_fails(
        clade_program_build(&program, context, &(clade_program_params) { .file = "user.cl" }),
        CLADE_E_NOT_FOUND);
    clade_context_destroy(&context);
    free(good);
    free(bytes);
}

static void damage_means_the_compiler(void **state)
{
    struct user *user = *state;
    size_t size;
    char *bytes = scratch_read(user->archive, &size);
    /* The index and the first source are there, no code is. */
    assert_in_range(size, 4000, SIZE_MAX);
    free(scratch_file(user->folder, "archive", bytes, 2000));
    assert_int_equal(origin_with(user->archive, user->kernel, step_is_2, 20), CLADE_FROM_COMPILER);
    bytes[40] ^= 1;
    free(scratch_file(user->folder, "archive", bytes, size));
    assert_int_equal(origin_with(user->archive, user->kernel, step_is_2, 20), CLADE_FROM_COMPILER);
    free(scratch_text(user->folder, "archive", "rubbish"));
    assert_int_equal(origin_with(user->archive, user->kernel, step_is_2, 20), CLADE_FROM_COMPILER);
    assert_int_equal(remove(user->archive), 0);
    assert_int_equal(origin_with(user->archive, user->kernel, step_is_2, 20), CLADE_FROM_COMPILER);
    assert_int_equal(origin_with(user->folder, user->kernel, step_is_2, 20), CLADE_FROM_COMPILER);
    free(bytes);
}

/* Sound checksums around bytes that no driver takes. */
static void clear_code(clade_archive_entry *entry)
{
    static const char rubbish[] = "no machine code";
    entry->bytes = rubbish;
    entry->size = sizeof rubbish;
}

static void what_the_driver_refuses_is_compiled(void **state)
{
    struct user *user = *state;
    clade_archive *from, *to;
    assert_ok(clade_archive_open(&from, user->archive));
    if (strstr(clade_archive_at(from, 1)->platform, "rusticl")) {
        print_message("skipped: rusticl aborts the process on a binary that it does not know\n");
        clade_archive_destroy(&from);
        skip();
    }
    assert_ok(clade_archive_create(&to));
    for (size_t i = 0; i < clade_archive_count(from); i++) {
        clade_archive_entry entry = *clade_archive_at(from, i);
        if (entry.kind == CLADE_ENTRY_DEVICE)
            clear_code(&entry);
        assert_ok(clade_archive_add(to, &entry));
    }
    assert_ok(clade_archive_write(to, user->archive));
    clade_archive_destroy(&from);
    clade_archive_destroy(&to);
    assert_int_equal(origin_with(user->archive, user->kernel, step_is_2, 20), CLADE_FROM_COMPILER);
}

/* The loader builds clade's kernels through an include, cladec as files: the same code. */
static void a_kernel_included_and_a_kernel_file_are_one(void **state)
{
    struct user *user = *state;
    clade_context *context = open_with("");
    clade_archive *archive;
    clade_program *program;
    assert_ok(cladei_program_build_own(&program, context, "kernels/probe.cl", ""));
    assert_ok(clade_archive_create(&archive));
    assert_ok(clade_archive_add_context(archive, context));
    assert_ok(clade_archive_write(archive, user->archive));
    clade_archive_destroy(&archive);
    clade_program_destroy(&program);
    clade_context_destroy(&context);
    context = open_with(user->archive);
    assert_ok(clade_program_build(
        &program, context, &(clade_program_params) { .file = "kernels/probe.cl", .options = "" }));
    assert_int_equal(clade_program_origin(program), CLADE_FROM_ARCHIVE);
    clade_program_destroy(&program);
    clade_context_destroy(&context);
}

/* What the compiler is given is dumped, so an empty folder means that it did not run. A heap's
 * kernels are compiled by its first call. */
static size_t compiled_for_a_heap(const char *archive, const char *keep_in)
{
    char *dump = scratch_make();
    setenv("CLADE_DUMP", dump, 1);
    clade_context *context = open_with(archive);
    clade_heap *heap;
    const int32_t key = 7;
    assert_ok(clade_heap_create(&heap, context, &(clade_heap_params) { .capacity = 1000 }));
    for (int i = 0; i < 2; i++) /* the host itself puts in the first few keys */
        assert_ok(clade_heap_insert(heap, clade_host(&key), clade_no_array(), 1, NULL));
    if (keep_in) {
        clade_archive *made;
        assert_ok(clade_archive_create(&made));
        assert_ok(clade_archive_add_context(made, context));
        assert_ok(clade_archive_write(made, keep_in));
        clade_archive_destroy(&made);
    }
    clade_heap_destroy(&heap);
    clade_context_destroy(&context);
    unsetenv("CLADE_DUMP");
    size_t count = scratch_count(dump, NULL);
    scratch_remove(dump);
    return count;
}

static void a_structure_starts_without_a_compiler(void **state)
{
    struct user *user = *state;
    assert_in_range(compiled_for_a_heap("", user->archive), 2, 100);
    assert_int_equal(compiled_for_a_heap(user->archive, NULL), 0);
}

/* Programs compiled while a context opens: the probe, or none. In the dialect that every driver is
 * asked to prove. */
static size_t compiled_to_open(const char *archive)
{
    char *dump = scratch_make();
    setenv("CLADE_DUMP", dump, 1);
    clade_context *context = open_as(archive, 1);
    clade_context_destroy(&context);
    unsetenv("CLADE_DUMP");
    size_t count = scratch_count(dump, NULL);
    scratch_remove(dump);
    return count;
}

static void change_result(clade_archive_entry *entry)
{
    static const uint32_t other[4] = { 7, 5, 5, 13 };
    entry->bytes = other;
    entry->size = sizeof other;
}

/* That the device passed the probe is believed under the same terms as code, and no other result
 * of it is. */
static void the_probe_runs_unless_it_did(void **state)
{
    static void (*const changes[])(clade_archive_entry *) = { NULL, change_driver, change_device,
                                                              change_version, change_result };
    struct user *user = *state;
    char *changed = scratch_path(user->folder, "changed");
    clade_context *context = open_as("", 1);
    clade_archive *probed;
    assert_ok(clade_archive_create(&probed));
    assert_ok(clade_archive_add_context(probed, context));
    assert_ok(clade_archive_write(probed, user->archive));
    clade_archive_destroy(&probed);
    clade_context_destroy(&context);
    for (size_t c = 0; c < sizeof changes / sizeof changes[0]; c++) {
        clade_archive *from, *to;
        size_t results = 0;
        assert_ok(clade_archive_open(&from, user->archive));
        assert_ok(clade_archive_create(&to));
        for (size_t i = 0; i < clade_archive_count(from); i++) {
            clade_archive_entry entry = *clade_archive_at(from, i);
            results += entry.kind == CLADE_ENTRY_RESULT;
            if (entry.kind == CLADE_ENTRY_RESULT && changes[c])
                changes[c](&entry);
            assert_ok(clade_archive_add(to, &entry));
        }
        assert_int_equal(results, 1);
        assert_ok(clade_archive_write(to, changed));
        clade_archive_destroy(&from);
        clade_archive_destroy(&to);
        size_t compiled = compiled_to_open(changed);
        assert_true(changes[c] ? compiled > 0 : compiled == 0);
    }
    free(changed);
}

/* Up to two devices of the tests' platform. */
static cl_uint two_devices(cl_device_id devices[2])
{
    cl_platform_id platform;
    cl_uint count = 0;
    clade_context *context = open_with("");
    assert_int_equal(clGetDeviceInfo(clade_context_cl_device(context), CL_DEVICE_PLATFORM,
                                     sizeof platform, &platform, NULL),
                     CL_SUCCESS);
    clade_context_destroy(&context);
    assert_int_equal(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 2, devices, &count), CL_SUCCESS);
    return count;
}

/* The driver tells a binary for each device of an OpenCL context; the archive gets the one of the
 * device that the clade context is of. */
static void each_of_several_devices_has_its_code(void **state)
{
    struct user *user = *state;
    const clade_program_params params = { .file = user->kernel, .options = step_is_2 };
    cl_device_id devices[2];
    if (two_devices(devices) < 2) {
        print_message("skipped: the platform has one device\n");
        skip();
    }
    cl_context cl = clCreateContext(NULL, 2, devices, NULL, NULL, NULL);
    for (int i = 0; i < 2; i++) {
        const char *archives[] = { "", user->archive };
        for (int from = 0; from < 2; from++) {
            clade_context *context;
            assert_ok(clade_context_create(&context,
                                           &(clade_context_params) { .cl_context = cl,
                                                                     .cl_device = devices[i],
                                                                     .cache_dir = "",
                                                                     .archive = archives[from] }));
            assert_int_equal(run_add(context, &params, 20),
                             from ? CLADE_FROM_ARCHIVE : CLADE_FROM_COMPILER);
            if (!from)
                write_archive(user->archive, context);
            clade_context_destroy(&context);
        }
    }
    clReleaseContext(cl);
}

#define WITH_USER(test) cmocka_unit_test_setup_teardown(test, make_user, drop_user)

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_USER(what_fits_is_taken),
        WITH_USER(the_source_of_another_version_is_passed_over),
        WITH_USER(other_options_and_another_source_are_compiled),
        WITH_USER(the_same_text_elsewhere_is_the_same_kernel),
        WITH_USER(the_file_need_not_be_there),
        WITH_USER(a_stale_entry_is_passed_over),
        WITH_USER(damage_means_the_compiler),
        WITH_USER(what_the_driver_refuses_is_compiled),
        WITH_USER(a_kernel_included_and_a_kernel_file_are_one),
        WITH_USER(a_structure_starts_without_a_compiler),
        WITH_USER(the_probe_runs_unless_it_did),
        WITH_USER(each_of_several_devices_has_its_code),
    };
    return fixture_run("archive_use", tests);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Archives as files: what was written comes back, and damage never does. */
#include <clade/version.h>

#include "harness/fixture.h"
#include "harness/scratch.h"
#include "program/archive.h"

static const char code[] = "\1\2\3 some machine code";
static const char text[] = "__kernel void k(void) {}\n";

static int make_folder(void **state)
{
    *state = scratch_make();
    return 0;
}

static int drop_folder(void **state)
{
    scratch_remove(*state);
    return 0;
}

static clade_archive_entry code_entry(void)
{
    return (clade_archive_entry) {
        .kind = CLADE_ENTRY_DEVICE,
        .platform = "a platform",
        .device = "a device",
        .device_version = "OpenCL 3.0",
        .driver = "1.2.3",
        .options = "-cl-std=CL3.0 -DN=4",
        .file = "k.cl",
        .source_hash = { 11, 22 },
        .bytes = code,
        .size = sizeof code,
    };
}

static clade_archive *make_archive(void)
{
    clade_archive *archive;
    clade_archive_entry entry = code_entry();
    assert_ok(clade_archive_create(&archive));
    assert_ok(clade_archive_add(archive, &entry));
    assert_ok(clade_archive_add(archive, &(clade_archive_entry) { .kind = CLADE_ENTRY_SOURCE,
                                                                  .file = "k.cl",
                                                                  .source_hash = { 11, 22 },
                                                                  .bytes = text,
                                                                  .size = sizeof text - 1 }));
    return archive;
}

/* Every entry is as make_archive() made it, or says that it is damaged. Returns the sound ones. */
static size_t count_sound(const clade_archive *archive)
{
    size_t sound = 0;
    assert_in_range(clade_archive_count(archive), 0, 2);
    for (size_t i = 0; i < clade_archive_count(archive); i++) {
        const clade_archive_entry *entry = clade_archive_at(archive, i);
        assert_string_equal(entry->file, "k.cl");
        assert_string_equal(entry->options,
                            entry->kind == CLADE_ENTRY_DEVICE ? "-cl-std=CL3.0 -DN=4" : "");
        assert_int_equal(entry->source_hash[1], 22);
        if (!entry->bytes)
            continue;
        assert_memory_equal(entry->bytes, entry->kind == CLADE_ENTRY_DEVICE ? code : text,
                            (size_t)entry->size);
        sound++;
    }
    return sound;
}

static void what_was_written_comes_back(void **state)
{
    char *path = scratch_path(*state, "a");
    clade_archive *archive = make_archive();
    assert_ok(clade_archive_write(archive, path));
    clade_archive_destroy(&archive);
    assert_null(archive);
    assert_ok(clade_archive_open(&archive, path));
    assert_int_equal(count_sound(archive), 2);
    const clade_archive_entry *entry = clade_archive_at(archive, 0);
    assert_string_equal(entry->platform, "a platform");
    assert_string_equal(entry->driver, "1.2.3");
    assert_string_equal(entry->version, clade_version());
    assert_string_equal(entry->target, "");
    assert_null(clade_archive_at(archive, 2));
    assert_int_equal(scratch_count(*state, NULL), 1); /* no temporary file is left */
    clade_archive_destroy(&archive);
    clade_archive_destroy(&archive);
    free(path);
}

static void an_equal_entry_is_replaced(void **state)
{
    (void)state;
    clade_archive *archive = make_archive();
    clade_archive_entry entry = code_entry();
    entry.bytes = "new";
    entry.size = 4;
    assert_ok(clade_archive_add(archive, &entry));
    assert_int_equal(clade_archive_count(archive), 2);
    assert_string_equal(clade_archive_at(archive, 0)->bytes, "new");
    entry.driver = "4";
    assert_ok(clade_archive_add(archive, &entry));
    assert_int_equal(clade_archive_count(archive), 3);
    clade_archive_destroy(&archive);
}

static void a_bad_entry_is_refused(void **state)
{
    (void)state;
    clade_archive *archive = make_archive();
    clade_archive_entry entry = code_entry();
    entry.kind = 5;
    assert_fails(clade_archive_add(archive, &entry), CLADE_E_ARG);
    entry = code_entry();
    entry.bytes = NULL;
    assert_fails(clade_archive_add(archive, &entry), CLADE_E_ARG);
    assert_fails(clade_archive_add(NULL, &entry), CLADE_E_ARG);
    assert_fails(clade_archive_create(NULL), CLADE_E_ARG);
    assert_int_equal(clade_archive_count(archive), 2);
    assert_int_equal(clade_archive_count(NULL), 0);
    clade_archive_destroy(&archive);
}

/* Every byte flipped, and every truncation: nothing wrong is ever read. */
static void a_damaged_archive_tells_no_lies(void **state)
{
    size_t size, whole = 0, half = 0, none = 0;
    char *path = scratch_path(*state, "a");
    clade_archive *archive = make_archive();
    assert_ok(clade_archive_write(archive, path));
    clade_archive_destroy(&archive);
    char *good = scratch_read(path, &size);
    for (size_t i = 0; i < 2 * size; i++) {
        bool cut = i >= size;
        if (!cut)
            good[i] ^= 0x40;
        free(scratch_file(*state, "a", good, cut ? i - size : size));
        clade_status status = clade_archive_open(&archive, path);
        if (status != CLADE_OK) {
            assert_int_equal(status, CLADE_E_CORRUPT);
            assert_null(archive);
            none++;
        } else {
            size_t sound = count_sound(archive);
            *(sound == 2 ? &whole : &half) += 1;
            clade_archive_destroy(&archive);
        }
        if (!cut)
            good[i] ^= 0x40;
    }
    /* Only the padding before the payloads may be damaged without loss. */
    assert_in_range(whole, 0, 32);
    assert_in_range(half, sizeof code + sizeof text - 1, size);
    assert_in_range(none, 2 * 32 + 2 * 80, 2 * size);
    free(good);
    free(path);
}

static void another_format_is_named(void **state)
{
    size_t size;
    char *path = scratch_path(*state, "a");
    clade_archive *archive = make_archive();
    assert_ok(clade_archive_write(archive, path));
    clade_archive_destroy(&archive);
    char *bytes = scratch_read(path, &size);
    bytes[7] = '2';
    free(scratch_file(*state, "a", bytes, size));
    assert_fails(clade_archive_open(&archive, path), CLADE_E_CORRUPT);
    assert_message("another format");
    free(scratch_text(*state, "a", "something else altogether, long enough for a head"));
    assert_fails(clade_archive_open(&archive, path), CLADE_E_CORRUPT);
    assert_message("no archive");
    free(path);
    path = scratch_path(*state, "missing");
    assert_fails(clade_archive_open(&archive, path), CLADE_E_IO);
    assert_message("missing");
    free(path);
    free(bytes);
}

static void an_unwritable_place_is_named(void **state)
{
    char *path = scratch_path(*state, "no/such/folder/a");
    clade_archive *archive = make_archive();
    assert_fails(clade_archive_write(archive, path), CLADE_E_IO);
    assert_message("no/such/folder");
    assert_fails(clade_archive_keep(NULL, path), CLADE_E_ARG);
    assert_fails(clade_archive_keep(archive, ""), CLADE_E_ARG);
    assert_message("no folder");
    clade_archive_destroy(&archive);
    free(path);
}

/* --- sources -------------------------------------------------------------------------------- */

static clade_source *expand(const char *source, const char *target)
{
    clade_source *out;
    assert_ok(clade_source_create(
        &out, &(clade_program_params) { .source = source, .name = "u.cl", .options = "-DN=4" },
        NULL, target));
    return out;
}

/* What is written can be read. */
static void an_archive_that_is_too_large_is_not_written(void **state)
{
    const uint64_t was = cladei_archive_most;
    clade_archive *archive = make_archive(), *read;
    char *path = scratch_path(*state, "archive"), *bytes;
    size_t size;
    assert_ok(clade_archive_write(archive, path));
    bytes = scratch_read(path, &size);
    cladei_archive_most = size;
    assert_ok(clade_archive_write(archive, path));
    assert_ok(clade_archive_open(&read, path));
    clade_archive_destroy(&read);
    cladei_archive_most = size - 1;
    const clade_status written = clade_archive_write(archive, path),
                       kept = clade_archive_keep(archive, *state),
                       opened = clade_archive_open(&read, path);
    cladei_archive_most = was;
    assert_int_equal(written, CLADE_E_ARG);
    assert_int_equal(kept, CLADE_E_ARG);
    assert_int_equal(opened, CLADE_E_CORRUPT);
    assert_int_equal(scratch_count(*state, NULL), 1);
    clade_archive_destroy(&archive);
    free(bytes);
    free(path);
}

static void a_targets_options_name_its_dialect(void **state)
{
    static const struct {
        const char *target, *language, *dialect;
    } cases[] = {
        { "sm_70", "-cl-std=CL1.2 ", "-DCLADE_ATOMICS=2 " },
        { "sm_90a", "-cl-std=CL1.2 ", "-DCLADE_ATOMICS=2 " },
        { "sm_90:rmw", "-cl-std=CL1.2 ", "-DCLADE_ATOMICS=3 " },
        { "gfx90a", "-cl-std=CL1.2 ", "-DCLADE_ATOMICS=3 " },
        { "gfx1100:c11", "-cl-std=CL2.0 ", "-DCLADE_ATOMICS=1 " },
        { "spirv64", "-cl-std=CL3.0 ", "-DCLADE_ATOMICS=1 " },
        { "spirv64:rmw", "-cl-std=CL1.2 ", "-DCLADE_ATOMICS=3 " },
        { "intel-pvc", "-cl-std=CL3.0 ", "-DCLADE_ATOMICS=1 " },
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        clade_source *source = expand("int x;\n", cases[i].target);
        assert_non_null(strstr(clade_source_options(source), cases[i].language));
        assert_non_null(strstr(clade_source_options(source), cases[i].dialect));
        assert_non_null(strstr(clade_source_options(source), " -DN=4"));
        clade_source_destroy(&source);
    }
}

static void an_unknown_target_is_refused(void **state)
{
    static const char *const bad[] = { "",           "x",           "sm_",    "sm_7",
                                       "sm_70b",     "gfx",         "gfx9",   "gfx90g",
                                       "spirv64:",   "spirv64:x",   "intel-", "sm_70:c11",
                                       "gfx90a:ptx", "spirv64:ptx", "spirv32" };
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        clade_source *source;
        assert_fails(clade_source_create(&source, &(clade_program_params) { .source = "int x;\n" },
                                         NULL, bad[i]),
                     CLADE_E_UNSUPPORTED);
        assert_message("sm_NN");
        assert_null(source);
    }
}

/* Where a header lies does not change what is compiled; what it says does, and so does a source
 * that asks for its place. */
static void hash_of(uint64_t hash[2], const char *folder, const char *source, const char *header)
{
    clade_source *out;
    clade_archive *archive;
    free(scratch_text(folder, "h.clh", header));
    assert_ok(clade_source_create(
        &out, &(clade_program_params) { .source = source, .include_path = folder }, NULL, NULL));
    assert_ok(clade_archive_create(&archive));
    assert_ok(clade_archive_add_source(archive, out, NULL, 0));
    memcpy(hash, clade_archive_at(archive, 0)->source_hash, 2 * sizeof *hash);
    clade_archive_destroy(&archive);
    clade_source_destroy(&out);
}

static void the_hash_is_of_what_is_compiled(void **state)
{
    char *other = scratch_path(*state, "other");
    free(scratch_text(*state, "other/h.clh", ""));
    static const char plain[] = "#include \"h.clh\"\nint x;\n";
    static const char asking[] = "#include \"h.clh\"\nint x = __LINE__;\n";
    uint64_t a[2], b[2];
    hash_of(a, *state, plain, "int y;\n");
    hash_of(b, other, plain, "int y;\n");
    assert_memory_equal(a, b, sizeof a);
    hash_of(b, other, plain, "int z;\n");
    assert_memory_not_equal(a, b, sizeof a);
    hash_of(a, *state, asking, "int y;\n");
    hash_of(b, other, asking, "int y;\n");
    assert_memory_not_equal(a, b, sizeof a);
    free(other);
}

static void code_for_no_target_is_refused(void **state)
{
    (void)state;
    clade_archive *archive = make_archive();
    clade_source *source = expand("int x;\n", NULL);
    assert_fails(clade_archive_add_source(archive, source, code, sizeof code), CLADE_E_ARG);
    clade_source_destroy(&source);
    source = expand("int x;\n", "sm_70");
    const size_t before = clade_archive_count(archive);
    assert_fails(clade_archive_add_source(archive, source, code, 0), CLADE_E_ARG);
    assert_int_equal(clade_archive_count(archive), before); /* not the source alone */
    assert_ok(clade_archive_add_source(archive, source, code, sizeof code));
    assert_int_equal(clade_archive_count(archive), 4);
    assert_string_equal(clade_archive_at(archive, 3)->target, "sm_70");
    assert_null(clade_source_file(source, 0));
    assert_non_null(strstr(clade_source_text(source), "#line 1 \"u.cl\"\nint x;\n"));
    clade_source_destroy(&source);
    clade_source_destroy(&source);
    clade_archive_destroy(&archive);
}

#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, make_folder, drop_folder)

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_FOLDER(what_was_written_comes_back),
        cmocka_unit_test(an_equal_entry_is_replaced),
        cmocka_unit_test(a_bad_entry_is_refused),
        IN_FOLDER(a_damaged_archive_tells_no_lies),
        IN_FOLDER(another_format_is_named),
        IN_FOLDER(an_unwritable_place_is_named),
        IN_FOLDER(an_archive_that_is_too_large_is_not_written),
        cmocka_unit_test(a_targets_options_name_its_dialect),
        cmocka_unit_test(an_unknown_target_is_refused),
        IN_FOLDER(the_hash_is_of_what_is_compiled),
        cmocka_unit_test(code_for_no_target_is_refused),
    };
    return cmocka_run_group_tests_name("archive", tests, NULL, NULL);
}

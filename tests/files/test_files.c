/* SPDX-License-Identifier: Apache-2.0 */
/* What is where a file should be: links, pipes, devices, other people's files, files without end.
 * A call that waits for one of them is ended by the alarm. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "harness/fixture.h"
#include "base/file.h"
#include "program/archive.h"
#include "program/cache.h"
#include "program/expand.h"
#include "base/outfile.h"
#include "harness/scratch.h"

static int make_folder(void **state)
{
    alarm(60);
    umask(022);
    *state = scratch_make();
    return 0;
}

static int drop_folder(void **state)
{
    scratch_remove(*state);
    return 0;
}

static mode_t mode_of(const char *path)
{
    struct stat status;
    assert_int_equal(lstat(path, &status), 0);
    return status.st_mode;
}

static clade_status write_file(const char *path)
{
    return cladei_file_write(path, CLADEI_OUTFILE_LASTING, "new", 3, "", 0);
}

/* --- writing -------------------------------------------------------------------------------- */

static void a_replaced_file_keeps_its_rights(void **state)
{
    static const mode_t modes[] = { 0600, 0640, 0644, 0604, 0400 };
    char *path = scratch_text(*state, "mine", "old");
    for (size_t i = 0; i < sizeof modes / sizeof modes[0]; i++) {
        assert_int_equal(chmod(path, modes[i]), 0);
        assert_ok(write_file(path));
        assert_int_equal(mode_of(path), S_IFREG | modes[i]);
    }
    assert_int_equal(scratch_count(*state, NULL), 1);
    free(path);
}

static void its_owner_keeps_it_when_root_writes(void **state)
{
    char *path = scratch_text(*state, "theirs", "old");
    struct stat status;
    if (geteuid() != 0) {
        free(path);
        print_message("skipped: only root writes in place of another user's file\n");
        skip();
    }
    assert_int_equal(chown(path, 65533, 65532), 0);
    assert_int_equal(chmod(path, 0640), 0);
    assert_ok(write_file(path));
    assert_int_equal(stat(path, &status), 0);
    assert_int_equal(status.st_uid, 65533);
    assert_int_equal(status.st_gid, 65532);
    assert_int_equal(status.st_mode & 0777, 0640);
    free(path);
}

/* Whatever is there and is no regular file stays what it is. */
static void what_is_no_file_is_not_replaced(void **state)
{
    char *target = scratch_text(*state, "target", "old");
    char *link = scratch_path(*state, "link"), *pipe = scratch_path(*state, "pipe");
    char *device = scratch_path(*state, "device"), *lost = scratch_path(*state, "lost");
    const bool has_device = mknod(device, S_IFCHR | 0600, makedev(1, 7)) == 0; /* full */
    const char *const paths[] = { link, pipe, lost, has_device ? device : *state };
    assert_int_equal(symlink("target", link), 0);
    assert_int_equal(symlink("nowhere", lost), 0);
    assert_int_equal(mkfifo(pipe, 0600), 0);
    const size_t before = scratch_count(*state, NULL);
    for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++) {
        const mode_t mode = mode_of(paths[i]);
        assert_fails(write_file(paths[i]), CLADE_E_IO);
        assert_non_null(strstr(clade_error_last()->message, "is no regular file"));
        assert_int_equal(mode_of(paths[i]), mode);
    }
    assert_int_equal(scratch_count(*state, NULL), before);
    char *text = scratch_read(target, NULL);
    assert_string_equal(text, "old");
    if (!has_device)
        print_message("not tried: only root makes a device\n");
    free(text);
    free(target);
    free(link);
    free(lost);
    free(pipe);
    free(device);
}

/* As long as names may be, and of any bytes: what is written beside it needs a name, too. */
static void any_name_that_may_be_is_written(void **state)
{
    char names[4][256] = { "plain", "na\303\257ve \346\274\242\345\255\227", "", "" };
    memset(names[2], 'n', 255);
    for (size_t i = 0; i + 3 <= 240; i += 3)
        memcpy(names[3] + i, "\346\274\242", 3);
    for (size_t i = 0; i < 4; i++) {
        char *path = scratch_path(*state, names[i]);
        assert_ok(write_file(path));
        assert_ok(write_file(path)); /* in its place */
        assert_int_equal(scratch_count(*state, NULL), i + 1);
        free(path);
    }
    char *folder = scratch_path(*state, names[2]);
    assert_int_equal(unlink(folder) | mkdir(folder, 0700), 0);
    assert_int_equal(chdir(folder), 0);
    assert_ok(write_file(names[2]));
    assert_int_equal(scratch_count(folder, NULL), 1);
    assert_int_equal(chdir("/"), 0);
    free(folder);
}

/* The disk is full in the middle. */
static void a_write_that_fails_leaves_what_was(void **state)
{
    static const char much[100000];
    char *path = scratch_text(*state, "mine", "old"), *none = scratch_path(*state, "none");
    struct rlimit before, less;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    less = before;
    less.rlim_cur = 50000;
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &less), 0);
    for (unsigned how = 0; how < 4; how++) {
        const char *const paths[] = { path, none };
        for (size_t i = 0; i < 2; i++)
            assert_fails(cladei_file_write(paths[i], how, "head", 4, much, sizeof much),
                         CLADE_E_IO);
    }
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    assert_int_equal(scratch_count(*state, NULL), 1);
    char *text = scratch_read(path, NULL);
    assert_string_equal(text, "old");
    free(text);
    free(none);
    free(path);
}

/* The tools' way: what is there is written, and nothing is made of a link that leads nowhere. */
static void a_tool_writes_to_what_is_there(void **state)
{
    struct outfile out;
    char *target = scratch_text(*state, "target", "old and longer");
    char *link = scratch_path(*state, "link"), *lost = scratch_path(*state, "lost");
    assert_int_equal(symlink("target", link), 0);
    assert_int_equal(symlink("nowhere", lost), 0);
    assert_non_null(cladei_outfile_open(&out, link, CLADEI_OUTFILE_IN_PLACE));
    fputs("new", out.file);
    assert_true(cladei_outfile_close(&out));
    assert_true(S_ISLNK(mode_of(link)));
    char *text = scratch_read(target, NULL);
    assert_string_equal(text, "new");
    assert_null(cladei_outfile_open(&out, lost, CLADEI_OUTFILE_IN_PLACE));
    assert_false(cladei_outfile_close(&out));
    assert_int_equal(scratch_count(*state, NULL), 3);
    free(text);
    free(target);
    free(link);
    free(lost);
}

/* --- reading -------------------------------------------------------------------------------- */

static void assert_unread(const char *path, clade_status wanted, const char *sentence)
{
    clade_archive *archive = NULL;
    assert_int_equal(clade_archive_open(&archive, path), wanted);
    assert_null(archive);
    assert_non_null(strstr(clade_error_last()->message, sentence));
}

static void what_never_ends_is_not_read(void **state)
{
    char *pipe = scratch_path(*state, "pipe");
    assert_int_equal(mkfifo(pipe, 0600), 0);
    assert_unread("/dev/zero", CLADE_E_IO, "is no regular file");
    assert_unread(pipe, CLADE_E_IO, "is no regular file");
    free(pipe);
}

/* A hole takes no room on the disk, and all of the memory of who reads it. */
static void what_is_too_large_is_not_read(void **state)
{
    char *plain = scratch_text(*state, "plain", "no archive");
    char *named = scratch_text(*state, "named", CLADEI_ARCHIVE_MAGIC "1");
    if (truncate(plain, (off_t)1 << 42) != 0 || truncate(named, (off_t)1 << 42) != 0) {
        free(plain);
        free(named);
        print_message("skipped: this file system has no files of 4 TiB\n");
        skip();
    }
    assert_unread(plain, CLADE_E_CORRUPT, "is no archive");
    assert_unread(named, CLADE_E_CORRUPT, "bytes; at most");
    free(plain);
    free(named);
}

static void no_entry_is_as_large_as_memory(void **state)
{
    clade_archive *archive;
    static const uint64_t sizes[] = { SIZE_MAX, SIZE_MAX - 7, SIZE_MAX / 2 + 1 };
    clade_archive_entry entry = { .kind = CLADE_ENTRY_SOURCE, .file = "f", .bytes = "b" };
    (void)state;
    assert_ok(clade_archive_create(&archive));
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        entry.size = sizes[i];
        assert_fails(clade_archive_add(archive, &entry), CLADE_E_ARG);
    }
    clade_archive_destroy(&archive);
}

/* --- the cache ------------------------------------------------------------------------------ */

static bool is_cached(const char *folder)
{
    void *bytes;
    size_t size;
    assert_ok(cladei_cache_load(folder, "key", &bytes, &size));
    const bool there = bytes != NULL;
    free(bytes);
    return there;
}

/* A cache with one entry; its file's path. */
static char *make_cache(const char *folder)
{
    char *file;
    cladei_cache_store(folder, "key", "binary", 6);
    assert_true(is_cached(folder));
    assert_int_equal(scratch_count(folder, &file), 1);
    return file;
}

static void a_cache_is_its_owners_alone(void **state)
{
    char *folder = scratch_path(*state, "a/b");
    umask(0);
    char *file = make_cache(folder);
    assert_int_equal(mode_of(folder), S_IFDIR | 0700);
    assert_int_equal(mode_of(file), S_IFREG | 0600);
    free(file);
    free(folder);
}

static void what_others_may_write_is_not_believed(void **state)
{
    char *folder = scratch_path(*state, "cache"), *file = make_cache(folder);
    static const mode_t bad[] = { 0777, 0770, 0702, 01777 };
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        assert_int_equal(chmod(folder, bad[i]), 0);
        assert_false(is_cached(folder));
        cladei_cache_store(folder, "other", "binary", 6);
        assert_int_equal(scratch_count(folder, NULL), 1);
        assert_int_equal(chmod(folder, 0755), 0);
        assert_true(is_cached(folder));
        assert_int_equal(chmod(file, bad[i] & 0666), 0);
        assert_false(is_cached(folder));
        assert_int_equal(chmod(file, 0644), 0);
        assert_true(is_cached(folder));
    }
    free(file);
    free(folder);
}

static void what_others_own_is_not_believed(void **state)
{
    char *folder = scratch_path(*state, "cache"), *file = make_cache(folder);
    if (geteuid() != 0) {
        print_message("skipped: only root gives files away\n");
        free(file);
        free(folder);
        skip();
    }
    assert_int_equal(chown(file, 65533, 0), 0);
    assert_false(is_cached(folder));
    assert_int_equal(chown(file, 0, 0) | chown(folder, 65533, 0), 0);
    assert_false(is_cached(folder));
    assert_int_equal(chown(folder, 0, 0), 0);
    assert_true(is_cached(folder));
    free(file);
    free(folder);
}

static void an_entry_is_a_file_and_no_link(void **state)
{
    char *folder = scratch_path(*state, "cache"), *file = make_cache(folder);
    char *elsewhere = scratch_path(*state, "elsewhere");
    assert_int_equal(rename(file, elsewhere), 0);
    assert_int_equal(symlink(elsewhere, file), 0);
    assert_false(is_cached(folder));
    assert_int_equal(unlink(file), 0);
    assert_int_equal(mkfifo(file, 0600), 0);
    assert_false(is_cached(folder));
    assert_int_equal(unlink(file) | rename(elsewhere, file), 0);
    assert_true(is_cached(folder));
    free(elsewhere);
    free(file);
    free(folder);
}

/* Each writes the entry and reads it: another's, or its own, or none yet, and always whole. */
static void *write_and_read_an_entry(void *data)
{
    const char *folder = data;
    static const char letters[20000] = { 'b' };
    uintptr_t wrong = 0;
    for (unsigned i = 0; i < 100; i++) {
        void *bytes = NULL;
        size_t size = 0;
        cladei_cache_store(folder, "key", letters, sizeof letters);
        if (cladei_cache_load(folder, "key", &bytes, &size) != CLADE_OK || !bytes ||
            size != sizeof letters || memcmp(bytes, letters, size) != 0)
            wrong++;
        free(bytes);
    }
    return (void *)wrong;
}

static void threads_may_write_one_entry(void **state)
{
    char *folder = scratch_path(*state, "cache");
    pthread_t threads[4];
    for (size_t i = 0; i < 4; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, write_and_read_an_entry, folder), 0);
    for (size_t i = 0; i < 4; i++) {
        void *wrong;
        assert_int_equal(pthread_join(threads[i], &wrong), 0);
        assert_null(wrong);
    }
    assert_int_equal(scratch_count(folder, NULL), 1);
    free(folder);
}

static void relative_folders_are_no_cache(void **state)
{
    char *dir = NULL;
    (void)state;
    assert_int_equal(unsetenv("CLADE_CACHE_DIR"), 0);
    assert_int_equal(setenv("XDG_CACHE_HOME", "relative", 1) | setenv("HOME", "relative", 1), 0);
    assert_ok(cladei_cache_dir(&dir, NULL));
    assert_null(dir);
    assert_int_equal(setenv("HOME", "/home/me", 1), 0);
    assert_ok(cladei_cache_dir(&dir, NULL));
    assert_string_equal(dir, "/home/me/.cache/clade");
    free(dir);
}

/* --- names ---------------------------------------------------------------------------------- */

static void a_name_is_no_source(void **state)
{
    static const char name[] = "a\"\n#define EVIL 1\n\033[2J.cl";
    struct cladei_expansion expansion;
    (void)state;
    assert_ok(cladei_expand(&expansion, "int x;\n", name, NULL, NULL, NULL));
    assert_string_equal(expansion.source.data,
                        "#line 1 \"a\\\"\\012#define EVIL 1\\012\\033[2J.cl\"\nint x;\n");
    cladei_expansion_free(&expansion);
}

static void a_message_is_one_line(void **state)
{
    (void)state;
    assert_unread("/nowhere/a\nb\033[2J", CLADE_E_IO, "/nowhere/a?b?[2J");
}

#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, make_folder, drop_folder)

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        IN_FOLDER(a_replaced_file_keeps_its_rights),
        IN_FOLDER(its_owner_keeps_it_when_root_writes),
        IN_FOLDER(what_is_no_file_is_not_replaced),
        IN_FOLDER(any_name_that_may_be_is_written),
        IN_FOLDER(a_write_that_fails_leaves_what_was),
        IN_FOLDER(a_tool_writes_to_what_is_there),
        IN_FOLDER(what_never_ends_is_not_read),
        IN_FOLDER(what_is_too_large_is_not_read),
        IN_FOLDER(no_entry_is_as_large_as_memory),
        IN_FOLDER(a_cache_is_its_owners_alone),
        IN_FOLDER(what_others_may_write_is_not_believed),
        IN_FOLDER(what_others_own_is_not_believed),
        IN_FOLDER(an_entry_is_a_file_and_no_link),
        IN_FOLDER(threads_may_write_one_entry),
        IN_FOLDER(relative_folders_are_no_cache),
        IN_FOLDER(a_name_is_no_source),
        IN_FOLDER(a_message_is_one_line),
    };
    if (argc > 1) { /* NAME: what the library sees of the environment */
        const char *seen = cladei_getenv(argv[1]);
        printf("%s\n", seen ? seen : "nothing");
        return 0;
    }
    return cmocka_run_group_tests_name("files", tests, NULL, NULL);
}

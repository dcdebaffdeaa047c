/* SPDX-License-Identifier: Apache-2.0 */
/* The cache of built programs: what was stored comes back, anything else is "not there". */
#include <sys/stat.h>
#include <unistd.h>

#include "harness/fixture.h"
#include "base/file.h"
#include "base/text.h"
#include "program/cache.h"
#include "harness/scratch.h"

static const char key[] = "clade\nsource of a kernel";
static const char binary[] = "\1\2\3 some machine code";

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

static bool is_there(const char *folder, const char *k)
{
    void *bytes;
    size_t size = 0;
    assert_ok(cladei_cache_load(folder, k, &bytes, &size));
    if (bytes) {
        assert_int_equal(size, sizeof binary);
        assert_memory_equal(bytes, binary, sizeof binary);
    }
    bool there = bytes != NULL;
    free(bytes);
    return there;
}

static void what_was_stored_comes_back(void **state)
{
    assert_false(is_there(*state, key));
    cladei_cache_store(*state, key, binary, sizeof binary);
    assert_true(is_there(*state, key));
    assert_false(is_there(*state, "another key"));
    assert_int_equal(scratch_count(*state, NULL), 1); /* no temporary file is left */
}

/* What is written has the rights that new files have, as if no other name had been there before. */
static void others_may_read_what_was_written(void **state)
{
    char *path = scratch_path(*state, "shared");
    const mode_t mask = umask(S_IWGRP | S_IWOTH);
    struct stat written;
    assert_ok(cladei_file_write(path, 0, "head", 4, "body", 4));
    assert_int_equal(stat(path, &written), 0);
    assert_int_equal(written.st_mode & 0777, 0644);
    umask(mask);
    assert_int_equal(unlink(path), 0);
    free(path);
}

static void a_folder_is_made(void **state)
{
    char *deep = scratch_path(*state, "a/b/c");
    cladei_cache_store(deep, key, binary, sizeof binary);
    assert_true(is_there(deep, key));
    free(deep);
}

static void no_folder_means_no_cache(void **state)
{
    (void)state;
    cladei_cache_store(NULL, key, binary, sizeof binary);
    assert_false(is_there(NULL, key));
}

/* Every byte flipped, and every truncation: each must read as "not there". */
static void a_damaged_entry_is_not_there(void **state)
{
    char *file;
    size_t size;
    cladei_cache_store(*state, key, binary, sizeof binary);
    assert_int_equal(scratch_count(*state, &file), 1);
    char *good = scratch_read(file, &size);
    char *name = strrchr(file, '/') + 1;
    for (size_t i = 0; i < size; i++) {
        good[i] ^= 0x40;
        free(scratch_file(*state, name, good, size));
        assert_false(is_there(*state, key));
        good[i] ^= 0x40;
        free(scratch_file(*state, name, good, i));
        assert_false(is_there(*state, key));
    }
    free(scratch_file(*state, name, good, size));
    assert_true(is_there(*state, key));
    free(good);
    free(file);
}

static void another_keys_file_under_this_name_is_not_there(void **state)
{
    char *mine, *other;
    cladei_cache_store(*state, key, binary, sizeof binary);
    assert_int_equal(scratch_count(*state, &mine), 1);
    char *folder = scratch_path(*state, "other");
    cladei_cache_store(folder, "other key", binary, sizeof binary);
    assert_int_equal(scratch_count(folder, &other), 1);
    assert_int_equal(rename(other, mine), 0);
    assert_false(is_there(*state, key));
    free(mine);
    free(other);
    free(folder);
}

static void an_unwritable_folder_is_no_failure(void **state)
{
    char *blocker = scratch_text(*state, "file", "");
    char *below = scratch_path(blocker, "folder");
    cladei_cache_store(below, key, binary, sizeof binary);
    assert_false(is_there(below, key));
    free(below);
    free(blocker);
}

static void the_folder_follows_the_environment(void **state)
{
    (void)state;
    char *dir = NULL;
    char *old = getenv("CLADE_CACHE_DIR") ? cladei_strdup(getenv("CLADE_CACHE_DIR")) : NULL;
    setenv("CLADE_CACHE_DIR", "", 1);
    assert_ok(cladei_cache_dir(&dir, NULL));
    assert_null(dir);
    setenv("CLADE_CACHE_DIR", "/x/y", 1);
    assert_ok(cladei_cache_dir(&dir, NULL));
    assert_string_equal(dir, "/x/y");
    free(dir);
    assert_ok(cladei_cache_dir(&dir, "/z"));
    assert_string_equal(dir, "/z");
    free(dir);
    unsetenv("CLADE_CACHE_DIR");
    setenv("XDG_CACHE_HOME", "/xdg", 1);
    assert_ok(cladei_cache_dir(&dir, NULL));
    assert_string_equal(dir, "/xdg/clade");
    free(dir);
    unsetenv("XDG_CACHE_HOME");
    if (old)
        setenv("CLADE_CACHE_DIR", old, 1);
    free(old);
}

#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, make_folder, drop_folder)

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_FOLDER(what_was_stored_comes_back),
        IN_FOLDER(others_may_read_what_was_written),
        IN_FOLDER(a_folder_is_made),
        cmocka_unit_test(no_folder_means_no_cache),
        IN_FOLDER(a_damaged_entry_is_not_there),
        IN_FOLDER(another_keys_file_under_this_name_is_not_there),
        IN_FOLDER(an_unwritable_folder_is_no_failure),
        cmocka_unit_test(the_folder_follows_the_environment),
    };
    return cmocka_run_group_tests_name("cache", tests, NULL, NULL);
}

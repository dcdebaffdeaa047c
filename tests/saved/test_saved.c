/* SPDX-License-Identifier: Apache-2.0 */
/* Files of all structures that are saved (tests/W/saved.c): what save writes, and what load makes
 * of a file that somebody changed, with a checksum that fits. */
#define XXH_INLINE_ALL
#include <xxhash.h>

#include <malloc.h>
#include <sys/stat.h>

#include <clade/shared/object.h>

#include "harness/scratch.h"
#include "saved/saved.h"

enum { SAVED_MOST = 64 };
static const struct saved *all[SAVED_MOST];
static size_t count;

static void collect(void)
{
#define ARRAY(structure) structure##_saved,
    static const struct saved *const arrays[] = { CLADE_SAVED(ARRAY) };
    for (size_t i = 0; i < sizeof arrays / sizeof arrays[0]; i++)
        for (const struct saved *one = arrays[i]; one->name; one++)
            all[count++] = one;
}

/* --- a file in memory ------------------------------------------------------------------------- */

/* 40 bytes of head, of which bytes 16 .. 19 say how long the parameters are and 32 .. 39 are the
 * checksum; the parameters; then the object. */
enum { HEAD = 40, PARAMS_BYTES_AT = 16, CHECKSUM_AT = 32 };

static char *folder, *path; /* of one file */

struct file {
    char *bytes;
    size_t size;
    uint32_t params_bytes;
    uint32_t *params, *words; /* of the object */
};

static struct file file_of(clade_context *context, const struct saved *one)
{
    struct file file;
    one->save(context, path);
    file.bytes = scratch_read(path, &file.size);
    memcpy(&file.params_bytes, file.bytes + PARAMS_BYTES_AT, sizeof file.params_bytes);
    file.params = (uint32_t *)(void *)(file.bytes + HEAD);
    file.words = (uint32_t *)(void *)(file.bytes + HEAD + file.params_bytes);
    return file;
}

static void file_write(struct file *file)
{
    const uint64_t checksum =
        XXH3_64bits_withSeed(file->words, file->size - HEAD - file->params_bytes,
                             XXH3_64bits(file->params, file->params_bytes));
    memcpy(file->bytes + CHECKSUM_AT, &checksum, sizeof checksum);
    free(scratch_file(folder, "saved", file->bytes, file->size));
}

/* --- what save writes ------------------------------------------------------------------------- */

/* The library has a struct of its own for each kind of file: what a public one grows by is not in
 * it. */
static void files_stay_as_they_are(void **state)
{
    struct fixture *f = *state;
    for (size_t i = 0; i < count; i++) {
        struct file file = file_of(f->context, all[i]);
        print_message("%s\n", all[i]->name);
        assert_int_equal(file.params_bytes, all[i]->params_bytes);
        assert_ok(all[i]->load(f->context, path));
        free(file.bytes);
    }
}

/* The longest run of the mark in a file. */
static size_t longest_run(const char *bytes, size_t size)
{
    size_t longest = 0, run = 0;
    for (size_t i = 0; i < size; i++) {
        run = (unsigned char)bytes[i] == SAVED_MARK ? run + 1 : 0;
        longest = run > longest ? run : longest;
    }
    return longest;
}

/* What nobody wrote does not go into files. The C library is told to fill all memory that it hands
 * out, and what it gets back, with one byte; a device that takes its buffers from there (PoCL)
 * would carry runs of it into a file. Parameters come from a stack that is full of the byte, too.
 */
static void no_file_holds_what_nobody_wrote(void **state)
{
    struct fixture *f = *state;
    enum { RUN = 4 };
    int marked = 0;
    for (size_t i = 0; i < count; i++) {
        size_t size;
        mallopt(M_PERTURB, SAVED_MARK ^ 0xff); /* new memory gets the complement */
        all[i]->save(f->context, path);
        mallopt(M_PERTURB, 0);
        char *bytes = scratch_read(path, &size);
        const size_t run = longest_run(bytes, size);
        if (run >= RUN) {
            printf("  %s: %zu bytes in a row that nobody wrote, of %zu\n", all[i]->name, run, size);
            marked++;
        }
        free(bytes);
    }
    assert_int_equal(marked, 0);
}

/* --- what load makes of it -------------------------------------------------------------------- */

static void only_saved_objects_of_their_kind_are_loaded(void **state)
{
    struct fixture *f = *state;
    char *pipe = scratch_path(folder, "pipe");
    assert_int_equal(mkfifo(pipe, 0600), 0);
    for (size_t i = 0; i < count; i++) {
        assert_int_equal(all[i]->load(f->context, pipe), CLADE_E_IO);
        assert_int_equal(all[i]->load(f->context, "/dev/zero"), CLADE_E_IO);
        assert_int_equal(all[i]->load(f->context, folder), CLADE_E_IO);
        assert_int_equal(all[i]->load(f->context, "/nowhere"), CLADE_E_NOT_FOUND);
        assert_int_equal(all[i]->load(f->context, NULL), CLADE_E_ARG);
        all[i]->save(f->context, path);
        assert_int_equal(all[i]->load(NULL, path), CLADE_E_ARG);
        for (size_t k = 0; k < count; k++)
            if (all[k]->load != all[i]->load)
                assert_int_equal(all[k]->load(f->context, path), CLADE_E_CORRUPT);
    }
    free(pipe);
}

/* Nothing is wrong with a file that this device cannot hold. */
static void what_the_device_cannot_hold_is_not_damaged(void **state)
{
    struct fixture *f = *state;
    clade_caps *caps = (clade_caps *)(uintptr_t)f->caps; /* the context's own */
    const uint64_t was = caps->alloc_bytes_max;
    for (size_t i = 0; i < count; i++) {
        struct file file = file_of(f->context, all[i]);
        print_message("%s\n", all[i]->name);
        caps->alloc_bytes_max = file.size - HEAD - file.params_bytes - 1;
        const clade_status status = all[i]->load(f->context, path);
        caps->alloc_bytes_max = was;
        assert_int_equal(status, CLADE_E_ARG);
        assert_message("the limit of ");
        free(file.bytes);
    }
}

/* A saved object carries its shape: another one than its parameters make is refused. */
static void another_shape_is_refused(void **state)
{
    struct fixture *f = *state;
    for (size_t i = 0; i < count; i++) {
        if (!all[i]->shape)
            continue;
        struct file file = file_of(f->context, all[i]);
        uint32_t *shape = file.words + offsetof(clade_object_head, shape) / 4;
        print_message("%s\n", all[i]->name);
        assert_int_equal(*shape, all[i]->shape);
        *shape ^= 1;
        file_write(&file);
        assert_int_equal(all[i]->load(f->context, path), CLADE_E_CORRUPT);
        *shape ^= 1;
        file_write(&file);
        assert_ok(all[i]->load(f->context, path));
        free(file.bytes);
    }
}

/* Parameters that no object has: nothing is wrong with an argument, but with the file. */
static void impossible_parameters_are_the_files_damage(void **state)
{
    struct fixture *f = *state;
    for (size_t i = 0; i < count; i++) {
        struct file file = file_of(f->context, all[i]);
        for (const struct saved_word *word = all[i]->impossible; word && word->what; word++) {
            const uint32_t was = file.params[word->word];
            file.params[word->word] = word->value;
            file_write(&file);
            const clade_status status = all[i]->load(f->context, path);
            if (status != CLADE_E_CORRUPT)
                print_error("%s, %s %u: %s\n", all[i]->name, word->what, (unsigned)word->value,
                            clade_error_last()->message);
            assert_int_equal(status, CLADE_E_CORRUPT);
            file.params[word->word] = was;
        }
        free(file.bytes);
    }
}

static void count_launch(void *data, cl_kernel kernel, cl_event event)
{
    (void)kernel;
    (void)event;
    ++*(unsigned *)data;
}

/* Parameters of which each is right, for an object that is far larger than the file. Before
 * anything is made it shows: no kernel is launched. */
static void a_small_file_makes_no_large_object(void **state)
{
    struct fixture *f = *state;
    unsigned launches = 0;
    clade_context *context;
    assert_ok(
        clade_context_create(&context, &(clade_context_params) { .device = fixture_device(),
                                                                 .on_launch = count_launch,
                                                                 .on_launch_data = &launches }));
    for (size_t i = 0; i < count; i++) {
        if (!all[i]->large.what)
            continue;
        struct file file = file_of(f->context, all[i]);
        file.params[all[i]->large.word] = all[i]->large.value;
        file_write(&file);
        launches = 0;
        print_message("%s\n", all[i]->name);
        assert_int_equal(all[i]->load(context, path), CLADE_E_CORRUPT);
        assert_message(all[i]->large.what);
        assert_int_equal(launches, 0);
        free(file.bytes);
    }
    clade_context_destroy(&context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_stay_as_they_are),
        cmocka_unit_test(no_file_holds_what_nobody_wrote),
        cmocka_unit_test(only_saved_objects_of_their_kind_are_loaded),
        cmocka_unit_test(what_the_device_cannot_hold_is_not_damaged),
        cmocka_unit_test(another_shape_is_refused),
        cmocka_unit_test(impossible_parameters_are_the_files_damage),
        cmocka_unit_test(a_small_file_makes_no_large_object),
    };
    collect();
    folder = scratch_make();
    path = scratch_path(folder, "saved");
    const int failed = fixture_run("saved", tests);
    free(path);
    scratch_remove(folder);
    return failed;
}

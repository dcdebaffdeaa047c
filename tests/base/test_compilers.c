/* SPDX-License-Identifier: Apache-2.0 */
/* The optimized and the unoptimized build of every kernel do the same: each structure is worked on
 * in two contexts of one device, one of them with -cl-opt-disable, and every result and what is
 * inside in the end goes into a digest. Only what no schedule can change goes in. */
#include "harness/scratch.h"
#include "harness/subject.h"

/* Fill; then each operation on that content, and a look inside. */
static uint64_t digest_of(struct fixture *f, clade_context *context,
                          const struct subject_kind *kind, char *path)
{
    struct subject s, twin;
    subject_open(&s, kind, f, context, path);
    subject_open(&twin, kind, f, context, path);
    uint64_t digest = 0;
    size_t size = 0;
    kind->fill(&s);
    void *bytes = kind->mem ? subject_bytes(&s, &size) : NULL;
    for (size_t i = 0; i < SUBJECT_OPS && kind->ops[i].name; i++) {
        assert_ok(kind->ops[i].run(&s)); /* builds that refuse alike have shown nothing */
        const uint64_t content = subject_content(&s, &twin);
        subject_mix(&s, content + i + 1);
        if (bytes)
            subject_restore(&s, bytes, size);
        print_message("  %-18s %-16s %#018llx\n", kind->name, kind->ops[i].name,
                      (unsigned long long)s.digest);
    }
    digest = s.digest;
    free(bytes);
    subject_close(&twin);
    subject_close(&s);
    return digest;
}

static void both_builds_do_the_same(void **state)
{
    struct fixture *f = *state;
    const char *usual = getenv("CLADE_BUILD_OPTIONS");
    char *folder = scratch_make(), *path = scratch_path(folder, "object"), options[300];
    clade_context *plain = NULL;
    size_t different = 0;
    snprintf(options, sizeof options, "%s -cl-opt-disable", usual ? usual : "");
    const clade_context_params params = { .cl_context = clade_context_cl_context(f->context),
                                          .cl_device = clade_context_cl_device(f->context),
                                          .build_options = options };
    assert_ok(clade_context_create(&plain, &params));
    for (size_t i = 0; i < subject_count; i++)
        for (const struct subject_kind *const *kind = subjects[i]; *kind; kind++) {
            const uint64_t a = digest_of(f, NULL, *kind, path),
                           b = digest_of(f, plain, *kind, path);
            print_message("%s: %#018llx optimized, %#018llx with -cl-opt-disable\n", (*kind)->name,
                          (unsigned long long)a, (unsigned long long)b);
            different += a != b;
        }
    clade_context_destroy(&plain);
    free(path);
    scratch_remove(folder);
    assert_int_equal(different, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = { cmocka_unit_test(both_builds_do_the_same) };
    return fixture_run("compilers", tests);
}

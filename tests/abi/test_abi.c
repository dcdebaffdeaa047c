/* SPDX-License-Identifier: Apache-2.0 */
/* What lasts between releases: the layout of public structs, their reserved words, and the structs
 * in files. Layouts are looked at by the compiler. */
#include "abi/layout.h"

#include <clade/shared/kma.h>

#include "harness/fixture.h"
#include "harness/scratch.h"

/* --- what is given ---------------------------------------------------------------------------- */

/* Each reserved word alone, with a value in it: the call is refused, with a sentence that names the
 * struct; zeroed again, nothing is left of it. */
#define REFUSES(type, given, call)                                                        \
    do {                                                                                  \
        for (size_t w = 0; w < sizeof(given).reserved / sizeof(given).reserved[0]; w++) { \
            (given).reserved[w] = w % 2 ? 1 : (uint64_t)1 << 63;                          \
            assert_fails(call, CLADE_E_ARG);                                              \
            assert_message(#type);                                                        \
            assert_message("newer header");                                               \
            (given).reserved[w] = 0;                                                      \
        }                                                                                 \
    } while (0)

static void contexts_and_programs_refuse(void **state)
{
    struct fixture *f = *state;
    clade_context *context = NULL;
    clade_program *program = NULL;
    clade_source *source = NULL;
    clade_archive *archive;
    clade_context_params of_context = { .device = fixture_device() };
    clade_program_params of_program = { .source = "__kernel void k(void) {}" };
    clade_archive_entry entry = { .kind = CLADE_ENTRY_SOURCE, .bytes = "text", .size = 4 };
    assert_ok(clade_archive_create(&archive));
    REFUSES(clade_context_params, of_context, clade_context_create(&context, &of_context));
    REFUSES(clade_program_params, of_program,
            clade_program_build(&program, f->context, &of_program));
    REFUSES(clade_program_params, of_program,
            clade_source_create(&source, &of_program, NULL, NULL));
    REFUSES(clade_program_params, of_program,
            clade_context_source(&source, f->context, &of_program));
    REFUSES(clade_archive_entry, entry, clade_archive_add(archive, &entry));
    assert_null(context);
    assert_null(program);
    assert_null(source);
    assert_int_equal(clade_archive_count(archive), 0);
    assert_ok(clade_archive_add(archive, &entry));
    clade_archive_destroy(&archive);
}

#define CREATE_REFUSES(kind, ...)                                                               \
    do {                                                                                        \
        clade_##kind *made = NULL;                                                              \
        clade_##kind##_params params = { __VA_ARGS__ };                                         \
        REFUSES(clade_##kind##_params, params, clade_##kind##_create(&made, context, &params)); \
        assert_null(made);                                                                      \
        assert_ok(clade_##kind##_create(&made, context, &params));                              \
        clade_##kind##_destroy(&made);                                                          \
    } while (0)

static void structures_refuse(void **state)
{
    struct fixture *f = *state;
    clade_context *context = f->context;
    CREATE_REFUSES(adheap, .heaps = 1, .capacity = 10);
    CREATE_REFUSES(arraylist, .capacity = 10, .element_bytes = 4);
    CREATE_REFUSES(dlist, .capacity = 10);
    CREATE_REFUSES(heap, .capacity = 10);
    CREATE_REFUSES(kma, .bytes = 1 << 20);
    CREATE_REFUSES(kselect, .length = 10, .k = 1);
    CREATE_REFUSES(list, .capacity = 10);
    CREATE_REFUSES(queue, .capacity = 10);
    CREATE_REFUSES(rbtree, .capacity = 10);
    CREATE_REFUSES(semilist, .capacity = 10);
}

static void calls_refuse(void **state)
{
    struct fixture *f = *state;
    clade_queue *queue;
    clade_adheap *adheap;
    uint32_t value = 7;
    uint64_t size;
    clade_launch launch = { .queue = NULL };
    clade_adheap_call call = { .what = 0 };
    assert_ok(clade_queue_create(&queue, f->context, &(clade_queue_params) { .capacity = 10 }));
    assert_ok(clade_adheap_create(&adheap, f->context,
                                  &(clade_adheap_params) { .heaps = 1, .capacity = 10 }));
    REFUSES(clade_launch, launch,
            clade_queue_append(queue, clade_host(&value), 1, clade_no_array(), &launch));
    assert_ok(clade_queue_size(queue, &size));
    assert_int_equal(size, 0);
    assert_ok(clade_queue_append(queue, clade_host(&value), 1, clade_no_array(), &launch));
    REFUSES(clade_adheap_call, call, clade_adheap_resident_call(adheap, &call));
    clade_adheap_destroy(&adheap);
    clade_queue_destroy(&queue);
}

/* --- what is received ------------------------------------------------------------------------- */

static void assert_zero(const void *bytes, size_t count)
{
    for (size_t i = 0; i < count; i++)
        assert_int_equal(((const unsigned char *)bytes)[i], 0);
}
#define ASSERT_ZEROED(given) assert_zero((given).reserved, sizeof(given).reserved)

#define STATS_ARE_ZEROED(kind, object)                          \
    do {                                                        \
        clade_##kind##_stats stats;                             \
        memset(&stats, 0xff, sizeof stats);                     \
        assert_ok(clade_##kind##_stats_read((object), &stats)); \
        ASSERT_ZEROED(stats);                                   \
    } while (0)
#define CREATED_STATS_ARE_ZEROED(kind, ...)                                                   \
    do {                                                                                      \
        clade_##kind *made;                                                                   \
        assert_ok(                                                                            \
            clade_##kind##_create(&made, context, &(clade_##kind##_params) { __VA_ARGS__ })); \
        STATS_ARE_ZEROED(kind, made);                                                         \
        clade_##kind##_destroy(&made);                                                        \
    } while (0)

static void counts_are_zeroed(void **state)
{
    struct fixture *f = *state;
    clade_context *context = f->context;
    CREATED_STATS_ARE_ZEROED(adheap, .heaps = 1, .capacity = 10);
    CREATED_STATS_ARE_ZEROED(dlist, .capacity = 10);
    CREATED_STATS_ARE_ZEROED(heap, .capacity = 10);
    CREATED_STATS_ARE_ZEROED(heap, .capacity = 10, .heaps = 2);
    CREATED_STATS_ARE_ZEROED(list, .capacity = 10);
    CREATED_STATS_ARE_ZEROED(rbtree, .capacity = 10);
    CREATED_STATS_ARE_ZEROED(semilist, .capacity = 10);
}

static void an_allocators_structs_are_zeroed(void **state)
{
    struct fixture *f = *state;
    clade_kma *kma;
    clade_kma_stats stats;
    clade_kma_fault fault;
    const uint32_t wrong = 12345;
    memset(&stats, 0xff, sizeof stats);
    memset(&fault, 0xff, sizeof fault);
    assert_ok(
        clade_kma_create(&kma, f->context, &(clade_kma_params) { .bytes = 1 << 20, .debug = 1 }));
    assert_ok(clade_kma_stats_read(kma, &stats));
    ASSERT_ZEROED(stats);
    for (size_t i = 0; i < sizeof stats.classes / sizeof stats.classes[0]; i++)
        ASSERT_ZEROED(stats.classes[i]);
    assert_int_not_equal(clade_kma_free(kma, clade_host(&wrong), 1, NULL), CLADE_E_DEVICE);
    assert_ok(clade_kma_fault_read(kma, &fault));
    assert_int_not_equal(fault.kind, CLADE_KMA_FAULT_NONE);
    assert_int_equal(fault.ref, wrong);
    ASSERT_ZEROED(fault);
    assert_ok(clade_kma_fault_read(kma, &fault));
    assert_int_equal(fault.kind, CLADE_KMA_FAULT_NONE);
    clade_kma_destroy(&kma);
}

static void what_is_borrowed_is_zeroed(void **state)
{
    struct fixture *f = *state;
    clade_device_list list;
    clade_heap *heap = NULL;
    clade_archive *archive;
    const clade_archive_entry entry = { .kind = CLADE_ENTRY_SOURCE, .bytes = "text", .size = 4 };
    memset(&list, 0xff, sizeof list);
    assert_ok(clade_device_list_create(&list));
    ASSERT_ZEROED(list);
    assert_true(list.device_count > 0);
    for (size_t i = 0; i < list.device_count; i++)
        ASSERT_ZEROED(list.devices[i]);
    clade_device_list_free(&list);
    ASSERT_ZEROED(*f->caps);
    assert_fails(clade_heap_create(&heap, f->context, &(clade_heap_params) { .capacity = 0 }),
                 CLADE_E_ARG);
    ASSERT_ZEROED(*clade_error_last());
    assert_ok(clade_heap_create(&heap, f->context, &(clade_heap_params) { .capacity = 9 }));
    ASSERT_ZEROED(*clade_heap_params_of(heap));
    clade_heap_destroy(&heap);
    assert_ok(clade_archive_create(&archive));
    assert_ok(clade_archive_add(archive, &entry));
    ASSERT_ZEROED(*clade_archive_at(archive, 0));
    char *folder = scratch_make(), *path = scratch_path(folder, "archive");
    assert_ok(clade_archive_write(archive, path));
    clade_archive_destroy(&archive);
    assert_ok(clade_archive_open(&archive, path));
    assert_int_equal(clade_archive_count(archive), 1);
    ASSERT_ZEROED(*clade_archive_at(archive, 0));
    clade_archive_destroy(&archive);
    free(path);
    scratch_remove(folder);
}

/* --- files ------------------------------------------------------------------------------------ */

/* The library has a struct of its own for each kind of file: what a public one grows by is not in
 * it. The word after magic, kind and version is its size. */
enum { PARAMS_BYTES_AT = 16 };

#define FILE_SAYS(kind, params_bytes, ...)                                                    \
    do {                                                                                      \
        clade_##kind *made;                                                                   \
        size_t size;                                                                          \
        uint32_t says;                                                                        \
        assert_ok(                                                                            \
            clade_##kind##_create(&made, context, &(clade_##kind##_params) { __VA_ARGS__ })); \
        assert_ok(clade_##kind##_save(made, path));                                           \
        clade_##kind##_destroy(&made);                                                        \
        char *bytes = scratch_read(path, &size);                                              \
        memcpy(&says, bytes + PARAMS_BYTES_AT, sizeof says);                                  \
        assert_int_equal(says, (params_bytes));                                               \
        free(bytes);                                                                          \
        assert_ok(clade_##kind##_load(&made, context, path));                                 \
        clade_##kind##_destroy(&made);                                                        \
    } while (0)

static void files_stay_as_they_are(void **state)
{
    struct fixture *f = *state;
    clade_context *context = f->context;
    char *folder = scratch_make(), *path = scratch_path(folder, "saved");
    FILE_SAYS(adheap, 44, .heaps = 1, .capacity = 10);
    FILE_SAYS(dlist, 16, .capacity = 10);
    FILE_SAYS(heap, 32, .capacity = 10);
    FILE_SAYS(kma, 16, .bytes = 1 << 20);
    FILE_SAYS(list, 40, .capacity = 10);
    FILE_SAYS(queue, 8, .capacity = 10);
    FILE_SAYS(rbtree, 32, .capacity = 10);
    FILE_SAYS(semilist, 16, .capacity = 10);
    free(path);
    scratch_remove(folder);
}

int main(void)
{
    /* In a short run the compiler's time is most of it. */
    if (fixture_is_small())
        setenv("CLADE_BUILD_OPTIONS", "-cl-opt-disable", 0);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(contexts_and_programs_refuse),
        cmocka_unit_test(structures_refuse),
        cmocka_unit_test(calls_refuse),
        cmocka_unit_test(counts_are_zeroed),
        cmocka_unit_test(an_allocators_structs_are_zeroed),
        cmocka_unit_test(what_is_borrowed_is_zeroed),
        cmocka_unit_test(files_stay_as_they_are),
    };
    return fixture_run("abi", tests);
}

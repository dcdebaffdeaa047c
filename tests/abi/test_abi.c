/* SPDX-License-Identifier: Apache-2.0 */
/* What lasts between releases: the layout of public structs and their reserved words. Those of a
 * structure are in tests/W/abi.c. Layouts are looked at by the compiler. */
#include <clade/archive.h>
#include <clade/clade.h>

#include "abi/abi.h"
#include "harness/scratch.h"

SIZE(clade_error, 56);
AT(clade_error, status, 0);
AT(clade_error, cl_code, 4);
AT(clade_error, message, 8);
AT(clade_error, log, 16);

SIZE(clade_caps, 128);
AT(clade_caps, atomics, 0);
AT(clade_caps, int64_atomics, 4);
AT(clade_caps, fp64, 8);
AT(clade_caps, is_cpu, 12);
AT(clade_caps, compute_units, 16);
AT(clade_caps, group_size_max, 20);
AT(clade_caps, subgroup_size, 24);
AT(clade_caps, svm_atomics, 28);
AT(clade_caps, loop_limit, 32);
AT(clade_caps, local_bytes, 40);
AT(clade_caps, alloc_bytes_max, 48);
AT(clade_caps, global_bytes, 56);

SIZE(clade_context_params, 152);
AT(clade_context_params, device, 0);
AT(clade_context_params, cl_context, 8);
AT(clade_context_params, cl_device, 16);
AT(clade_context_params, cl_queue, 24);
AT(clade_context_params, kernel_path, 32);
AT(clade_context_params, cache_dir, 40);
AT(clade_context_params, profiling, 48);
AT(clade_context_params, force_rmw_atomics, 52);
AT(clade_context_params, build_options, 56);
AT(clade_context_params, archive, 64);
AT(clade_context_params, on_launch, 72);
AT(clade_context_params, on_launch_data, 80);
AT(clade_context_params, on_compile, 88);
AT(clade_context_params, on_compile_data, 96);

SIZE(clade_device_info, 600);
AT(clade_device_info, platform_index, 0);
AT(clade_device_info, device_index, 4);
AT(clade_device_info, id, 8);
AT(clade_device_info, type, 16);
AT(clade_device_info, platform, 24);
AT(clade_device_info, name, 152);
AT(clade_device_info, device_version, 280);
AT(clade_device_info, driver_version, 408);

SIZE(clade_device_list, 64);
AT(clade_device_list, devices, 0);
AT(clade_device_list, device_count, 8);
AT(clade_device_list, skipped, 16);
AT(clade_device_list, skipped_count, 24);

SIZE(clade_array, 24);
AT(clade_array, host, 0);
AT(clade_array, mem, 8);
AT(clade_array, offset, 16);

SIZE(clade_launch, 64);
AT(clade_launch, queue, 0);
AT(clade_launch, wait, 8);
AT(clade_launch, wait_count, 16);
AT(clade_launch, event, 24);

SIZE(clade_program_params, 104);
AT(clade_program_params, source, 0);
AT(clade_program_params, file, 8);
AT(clade_program_params, name, 16);
AT(clade_program_params, options, 24);
AT(clade_program_params, include_path, 32);

SIZE(clade_archive_entry, 136);
AT(clade_archive_entry, kind, 0);
AT(clade_archive_entry, target, 8);
AT(clade_archive_entry, platform, 16);
AT(clade_archive_entry, device, 24);
AT(clade_archive_entry, device_version, 32);
AT(clade_archive_entry, driver, 40);
AT(clade_archive_entry, options, 48);
AT(clade_archive_entry, version, 56);
AT(clade_archive_entry, file, 64);
AT(clade_archive_entry, source_hash, 72);
AT(clade_archive_entry, bytes, 88);
AT(clade_archive_entry, size, 96);

/* --- what is given ---------------------------------------------------------------------------- */

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

static void structures_last(void **state)
{
#define ABI(structure) &structure##_abi,
    static const struct abi *const all[] = { CLADE_ABI(ABI) };
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        print_message("%s\n", all[i]->name);
        all[i]->structs(*state);
    }
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

int main(void)
{
    /* In a short run the compiler's time is most of it. */
    if (fixture_is_small())
        setenv("CLADE_BUILD_OPTIONS", "-cl-opt-disable", 0);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(contexts_and_programs_refuse),
        cmocka_unit_test(structures_last),
        cmocka_unit_test(calls_refuse),
        cmocka_unit_test(what_is_borrowed_is_zeroed),
    };
    return fixture_run("abi", tests);
}

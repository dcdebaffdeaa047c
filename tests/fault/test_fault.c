/* SPDX-License-Identifier: Apache-2.0 */
/* Whatever call fails, the library says so, keeps nothing and breaks nothing. Leaks are seen when
 * this program runs under AddressSanitizer. */
#include <clade/archive.h>

#include "device/context.h"
#include "fault/fault.h"
#include "harness/scratch.h"
#include "heap/heap.h"
#include "program/archive.h"

static clade_status list_devices(void *data)
{
    (void)data;
    clade_device_list list = { 0 };
    clade_status status = clade_device_list_create(&list);
    clade_device_list_free(&list);
    return status;
}

static void listing_devices_survives_every_fault(void **state)
{
    (void)state;
    assert_true(fault_every(list_devices, NULL, NULL) >= 5);
}

static clade_status open_and_close(void *cache_dir)
{
    clade_context *context = NULL;
    clade_status status = clade_context_create(
        &context, &(clade_context_params) { .device = fixture_device(), .cache_dir = cache_dir });
    assert_true((status == CLADE_OK) == (context != NULL));
    clade_context_destroy(&context);
    return status;
}

static void opening_a_device_survives_every_fault(void **state)
{
    (void)state;
    char *folder = scratch_make();
    assert_true(fault_every(open_and_close, NULL, folder) >= 20); /* compiles, then reads */
    scratch_remove(folder);
}

static clade_status build_a_program(void *data)
{
    struct fixture *f = data;
    clade_program *program = NULL;
    cl_kernel kernel = NULL;
    clade_status status = clade_program_build(
        &program, f->context,
        &(clade_program_params) { .source = "#include \"clade/atomic.clh\"\n"
                                            "__kernel void k(__global uint *x) { x[0] = 1; }\n" });
    if (status == CLADE_OK)
        status = clade_program_kernel(&kernel, program, "k");
    if (kernel)
        clReleaseKernel(kernel);
    clade_program_destroy(&program);
    return status;
}

static void building_a_program_survives_every_fault(void **state)
{
    assert_true(fault_every(build_a_program, NULL, *state) >= 10);
}

/* Archive what a context has, write it, open a context with it, look at it. */
struct archiving {
    struct fixture *f;
    char *folder, *path;
};

static clade_status write_an_archive(void *data)
{
    struct archiving *it = data;
    clade_archive *archive = NULL;
    clade_status status = clade_archive_create(&archive);
    if (status == CLADE_OK)
        status = clade_archive_add_context(archive, it->f->context);
    if (status == CLADE_OK)
        status = clade_archive_write(archive, it->path);
    clade_archive_destroy(&archive);
    return status;
}

static clade_status open_with_an_archive(void *data)
{
    struct archiving *it = data;
    clade_context *context = NULL;
    clade_status status = clade_context_create(
        &context, &(clade_context_params) {
                      .device = fixture_device(), .cache_dir = "", .archive = it->path });
    assert_true((status == CLADE_OK) == (context != NULL));
    clade_context_destroy(&context);
    return status;
}

/* What was written is read, and each entry copied to another archive, which is kept. */
static clade_status copy_an_archive(void *data)
{
    struct archiving *it = data;
    clade_archive *from = NULL, *to = NULL;
    clade_status status = clade_archive_open(&from, it->path);
    assert_true((status == CLADE_OK) == (from != NULL));
    if (status == CLADE_OK)
        status = clade_archive_create(&to);
    for (size_t i = 0; status == CLADE_OK && i < clade_archive_count(from); i++)
        if (clade_archive_at(from, i)->bytes)
            status = clade_archive_add(to, clade_archive_at(from, i));
    if (status == CLADE_OK)
        status = clade_archive_keep(to, it->folder);
    clade_archive_destroy(&from);
    clade_archive_destroy(&to);
    return status;
}

static clade_status expand_for_a_context(void *data)
{
    struct archiving *it = data;
    clade_source *source = NULL;
    const clade_status status = clade_context_source(
        &source, it->f->context,
        &(clade_program_params) { .source = "#include \"clade/atomic.clh\"\n" });
    assert_true((status == CLADE_OK) == (source != NULL));
    clade_source_destroy(&source);
    return status;
}

static clade_status expand_for_a_target(void *data)
{
    clade_source *source = NULL;
    clade_archive *archive = NULL;
    (void)data;
    clade_status status = clade_source_create(
        &source, &(clade_program_params) { .source = "#include \"clade/atomic.clh\"\n" }, NULL,
        "sm_70");
    if (status == CLADE_OK)
        status = clade_archive_create(&archive);
    if (status == CLADE_OK)
        status = clade_archive_add_source(archive, source, "code", 4);
    clade_archive_destroy(&archive);
    clade_source_destroy(&source);
    return status;
}

static void archives_survive_every_fault(void **state)
{
    char *folder = scratch_make();
    struct archiving it = { .f = *state,
                            .folder = folder,
                            .path = scratch_path(folder, "archive") };
    assert_true(fault_every(write_an_archive, NULL, &it) >= 5);
    assert_ok(write_an_archive(&it));
    assert_true(fault_every(copy_an_archive, NULL, &it) >= 5);
    assert_true(fault_every(open_with_an_archive, NULL, &it) >= 20);
    assert_true(fault_every(expand_for_a_context, NULL, &it) >= 5);
    assert_true(fault_every(expand_for_a_target, NULL, NULL) >= 5);
    free(it.path);
    scratch_remove(folder);
}

/* --- the heap --------------------------------------------------------------------------------- */

enum { HEAP_KEYS = 100 };

struct heap_case {
    struct fixture *f;
    clade_heap *heap;
    char *path;
    uint64_t got;
    int32_t in[HEAP_KEYS], out[HEAP_KEYS];
};

static const clade_heap_params heap_params = { .capacity = 1000, .batch = 16 };

static clade_status create_heap(void *data)
{
    struct heap_case *c = data;
    clade_heap *heap = NULL;
    clade_status status = clade_heap_create(&heap, c->f->context, &heap_params);
    assert_true((status == CLADE_OK) == (heap != NULL));
    clade_heap_destroy(&heap);
    return status;
}

static clade_status insert_keys(void *data)
{
    struct heap_case *c = data;
    return clade_heap_insert(c->heap, clade_host(c->in), clade_no_array(), HEAP_KEYS, NULL);
}

static clade_status pop_keys(void *data)
{
    struct heap_case *c = data;
    return clade_heap_pop(c->heap, clade_host(c->out), clade_no_array(), 10, clade_host(&c->got),
                          NULL);
}

/* Whatever failed, the heap is sound; what it holds is put back to HEAP_KEYS keys. */
static void heap_is_sound(void *data)
{
    struct heap_case *c = data;
    assert_ok(clade_heap_check(c->heap));
    assert_ok(clade_heap_clear(c->heap, NULL));
    assert_ok(clade_heap_insert(c->heap, clade_host(c->in), clade_no_array(), HEAP_KEYS, NULL));
}

static clade_status check_heap(void *data)
{
    return clade_heap_check(((struct heap_case *)data)->heap);
}

static clade_status save_heap(void *data)
{
    struct heap_case *c = data;
    return clade_heap_save(c->heap, c->path);
}

static clade_status load_heap(void *data)
{
    struct heap_case *c = data;
    clade_heap *heap = NULL;
    clade_status status = clade_heap_load(&heap, c->f->context, c->path);
    assert_true((status == CLADE_OK) == (heap != NULL));
    clade_heap_destroy(&heap);
    return status;
}

static void size_is_unchanged(void *data)
{
    struct heap_case *c = data;
    uint64_t size;
    assert_ok(clade_heap_size(c->heap, &size));
    assert_int_equal(size, HEAP_KEYS);
    assert_ok(clade_heap_check(c->heap));
}

static void a_heap_survives_every_fault(void **state)
{
    struct heap_case c = { .f = *state };
    char *folder = scratch_make();
    c.path = scratch_path(folder, "heap");
    for (int i = 0; i < HEAP_KEYS; i++)
        c.in[i] = (i * 37) % HEAP_KEYS;
    assert_true(fault_every(create_heap, NULL, &c) >= 5);
    assert_ok(clade_heap_create(&c.heap, c.f->context, &heap_params));
    assert_ok(clade_heap_save(c.heap, c.path)); /* an empty one, to be overwritten */
    assert_ok(insert_keys(&c));
    assert_true(fault_every(check_heap, size_is_unchanged, &c) >= 2);
    assert_true(fault_every(save_heap, size_is_unchanged, &c) >= 2);
    assert_true(fault_every(load_heap, size_is_unchanged, &c) >= 5);
    assert_true(fault_every(insert_keys, heap_is_sound, &c) >= 5);
    assert_true(fault_every(pop_keys, heap_is_sound, &c) >= 5);
    clade_heap_destroy(&c.heap);
    free(c.path);
    scratch_remove(folder);
}

enum { PAIRS = 100, GONE = 10 };

struct repair_case {
    clade_heap *heap;
    int32_t keys[PAIRS];
    uint32_t values[PAIRS]; /* the key and 1 */
};

/* Few keys in the root, and a wait that gave up. */
static void break_heap(struct repair_case *c)
{
    const clade_u32 repair = CLADE_HEAP_REPAIR_SIFT;
    int32_t keys[GONE];
    uint32_t values[GONE];
    uint64_t got;
    assert_ok(clade_heap_clear(c->heap, NULL));
    assert_ok(clade_heap_insert(c->heap, clade_host(c->keys), clade_host(c->values), PAIRS, NULL));
    assert_ok(clade_heap_pop(c->heap, clade_host(keys), clade_host(values), GONE, clade_host(&got),
                             NULL));
    assert_ok(cladei_object_write(&c->heap->object, offsetof(clade_heap_head, repair), &repair,
                                  sizeof repair));
}

static clade_status repair_heap(void *data)
{
    return clade_heap_repair(((struct repair_case *)data)->heap);
}

/* Whatever failed, it can be repaired then, and has each key with its value. */
static void heap_is_repaired(void *data)
{
    struct repair_case *c = data;
    int32_t keys[PAIRS];
    uint32_t values[PAIRS];
    uint64_t got;
    assert_ok(clade_heap_repair(c->heap));
    assert_ok(clade_heap_check(c->heap));
    assert_ok(clade_heap_pop(c->heap, clade_host(keys), clade_host(values), PAIRS, clade_host(&got),
                             NULL));
    assert_int_equal(got, PAIRS - GONE);
    for (int i = 0; i < PAIRS - GONE; i++) {
        assert_int_equal(keys[i], GONE + i);
        assert_int_equal(values[i], GONE + i + 1);
    }
    break_heap(c);
}

static void a_repair_survives_every_fault(void **state)
{
    struct fixture *f = *state;
    struct repair_case c = { .heap = NULL };
    clade_heap_params params = heap_params;
    params.value = CLADE_U32;
    for (int i = 0; i < PAIRS; i++) {
        c.keys[i] = (i * 37) % PAIRS;
        c.values[i] = (uint32_t)c.keys[i] + 1;
    }
    assert_ok(clade_heap_create(&c.heap, f->context, &params));
    break_heap(&c);
    assert_true(fault_every(repair_heap, heap_is_repaired, &c) >= 5);
    clade_heap_destroy(&c.heap);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(listing_devices_survives_every_fault),
        cmocka_unit_test(opening_a_device_survives_every_fault),
        cmocka_unit_test(building_a_program_survives_every_fault),
        cmocka_unit_test(archives_survive_every_fault),
        cmocka_unit_test(a_heap_survives_every_fault),
        cmocka_unit_test(a_repair_survives_every_fault),
    };
    return fixture_run("fault", tests);
}

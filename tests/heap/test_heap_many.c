/* SPDX-License-Identifier: Apache-2.0 */
/* An object of many heaps: each is a heap of its own, to kernels and to the host. */
#include "harness/fixture.h"
#include "harness/scratch.h"

#include <clade/heap.h>

enum { HEAPS = 37, EACH = 250, STEP = 37, TAKEN = 120, CAPACITY = 260 };

/* Compiled for other tests too (heap_shapes[0]). */
static const clade_heap_params many = { .capacity = CAPACITY, .batch = 64, .heaps = HEAPS };

static clade_heap *open_many(struct fixture *f)
{
    clade_heap *heap;
    assert_ok(clade_heap_create(&heap, f->context, &many));
    assert_int_equal(clade_heap_params_of(heap)->heaps, HEAPS);
    return heap;
}

static clade_heap *part_of(clade_heap *heap, uint32_t index)
{
    clade_heap *part;
    assert_ok(clade_heap_part(&part, heap, index));
    assert_int_equal(clade_heap_params_of(part)->heaps, 1);
    return part;
}

static void expect_size(clade_heap *heap, uint64_t expected)
{
    uint64_t size;
    assert_ok(clade_heap_size(heap, &size));
    assert_int_equal(size, expected);
}

static int by_key(const void *a, const void *b)
{
    const int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
    return (x > y) - (x < y);
}

/* Every group fills its heap and takes TAKEN keys; `in` becomes each heap's keys, greatest first.
 */
static void fill_in_a_kernel(struct fixture *f, clade_heap *heap, int32_t *in)
{
    static int32_t out[HEAPS * EACH];
    const cl_uint count = EACH, step = STEP, taken = TAKEN;
    const size_t size = f->caps->is_cpu ? 1 : 32, items = HEAPS * size;
    struct random random = random_from(f->seed);
    uint32_t failures = 0;
    clade_program *program;
    cl_kernel kernel;
    char path[512];
    for (size_t i = 0; i < HEAPS * EACH; i++)
        in[i] = (int32_t)(i / EACH * 1000 + random_below(&random, 1000)); /* tells its heap */
    cl_mem in_mem = fixture_buffer(f, sizeof out, in), out_mem = fixture_buffer(f, sizeof out, out);
    cl_mem failures_mem = fixture_buffer(f, sizeof failures, &failures), mem = clade_heap_mem(heap);
    snprintf(path, sizeof path, "%s/heap/heap_many.cl", fixture_kernels(TEST_KERNELS));
    assert_ok(clade_program_build(
        &program, f->context,
        &(clade_program_params) { .file = path, .options = clade_heap_options(heap) }));
    assert_ok(clade_program_kernel(&kernel, program, "heap_many"));
    const void *arguments[] = { &mem, &in_mem, &out_mem, &count, &step, &taken, &failures_mem };
    for (cl_uint i = 0; i < 7; i++)
        assert_int_equal(clSetKernelArg(kernel, i,
                                        i >= 3 && i < 6 ? sizeof(cl_uint) : sizeof(cl_mem),
                                        arguments[i]),
                         CL_SUCCESS);
    assert_int_equal(clEnqueueNDRangeKernel(clade_context_cl_queue(f->context), kernel, 1, NULL,
                                            &items, &size, 0, NULL, NULL),
                     CL_SUCCESS);
    fixture_read(f, failures_mem, 0, &failures, sizeof failures);
    fixture_read(f, out_mem, 0, out, sizeof out);
    assert_int_equal(failures, 0);
    for (size_t h = 0; h < HEAPS; h++) {
        qsort(in + h * EACH, EACH, sizeof *in, by_key);
        assert_memory_equal(out + h * EACH, in + h * EACH, TAKEN * sizeof *in);
    }
    clReleaseKernel(kernel);
    clade_program_destroy(&program);
    clReleaseMemObject(in_mem);
    clReleaseMemObject(out_mem);
    clReleaseMemObject(failures_mem);
}

/* Heap h holds what a kernel left in it: its keys from TAKEN on. */
static void expect_part(clade_heap *heap, uint32_t h, const int32_t *in)
{
    int32_t keys[CAPACITY], first;
    uint64_t got;
    clade_heap *part = part_of(heap, h);
    assert_ok(clade_heap_check(part));
    expect_size(part, EACH - TAKEN);
    assert_ok(clade_heap_peek(part, &first, NULL));
    assert_int_equal(first, in[h * EACH + TAKEN]);
    assert_ok(
        clade_heap_pop(part, clade_host(keys), clade_no_array(), CAPACITY, clade_host(&got), NULL));
    assert_int_equal(got, EACH - TAKEN);
    assert_memory_equal(keys, in + h * EACH + TAKEN, (EACH - TAKEN) * sizeof *keys);
    clade_heap_destroy(&part);
    assert_null(part);
}

static void each_group_has_a_heap_of_its_own(void **state)
{
    struct fixture *f = *state;
    static int32_t in[HEAPS * EACH];
    clade_heap *heap = open_many(f), *loaded;
    clade_heap_stats stats;
    char *folder = scratch_make(), *path = scratch_path(folder, "heaps");
    fill_in_a_kernel(f, heap, in);
    assert_ok(clade_heap_check(heap));
    expect_size(heap, (uint64_t)HEAPS * (EACH - TAKEN));
    assert_ok(clade_heap_stats_read(heap, &stats));
    assert_int_equal(stats.size, HEAPS * (EACH - TAKEN));
    assert_int_equal(stats.capacity, HEAPS * CAPACITY);
    assert_int_equal(stats.inserts, HEAPS * ((EACH + STEP - 1) / STEP));
    assert_int_equal(stats.refused, 0);
    assert_ok(clade_heap_save(heap, path));
    for (uint32_t h = 0; h < HEAPS; h++)
        expect_part(heap, h, in);
    expect_size(heap, 0);
    clade_heap_destroy(&heap);
    assert_ok(clade_heap_load(&loaded, f->context, path));
    assert_int_equal(clade_heap_params_of(loaded)->heaps, HEAPS);
    for (uint32_t h = HEAPS; h-- > 0;)
        expect_part(loaded, h, in);
    clade_heap_destroy(&loaded);
    free(path);
    scratch_remove(folder);
}

/* What happens to one heap stays there: full, cleared, damaged. */
static void heaps_of_an_object_share_nothing(void **state)
{
    struct fixture *f = *state;
    int32_t keys[CAPACITY] = { 0 }, key;
    uint64_t got;
    clade_heap *heap = open_many(f), *left = part_of(heap, 11), *it = part_of(heap, 12),
               *right = part_of(heap, 13);
    clade_heap *const neighbours[] = { left, it, right };
    for (int i = 0; i < 3; i++) {
        key = 100 * i;
        assert_ok(clade_heap_insert(neighbours[i], clade_host(&key), clade_no_array(), 1, NULL));
    }
    assert_ok(clade_heap_insert(it, clade_host(keys), clade_no_array(), CAPACITY - 1, NULL));
    assert_int_equal(clade_heap_insert(it, clade_host(keys), clade_no_array(), 1, NULL),
                     CLADE_E_FULL);
    assert_ok(clade_heap_check(heap));
    expect_size(heap, CAPACITY + 2);
    assert_ok(clade_heap_clear(it, NULL));
    expect_size(it, 0);
    expect_size(heap, 2);
    assert_ok(clade_heap_pop(right, clade_host(&key), clade_no_array(), 1, clade_host(&got), NULL));
    assert_int_equal(got, 1);
    assert_int_equal(key, 200);
    /* A part is saved as the heap that it is. */
    char *folder = scratch_make(), *path = scratch_path(folder, "part");
    clade_heap *loaded;
    assert_ok(clade_heap_save(left, path));
    assert_ok(clade_heap_load(&loaded, f->context, path));
    expect_size(loaded, 1);
    clade_heap_destroy(&loaded);
    free(path);
    scratch_remove(folder);
    for (int i = 0; i < 3; i++) {
        clade_heap *part = neighbours[i];
        clade_heap_destroy(&part);
    }
    assert_ok(clade_heap_clear(heap, NULL));
    expect_size(heap, 0);
    assert_ok(clade_heap_check(heap));
    clade_heap_destroy(&heap);
}

static void a_damaged_heap_among_many_is_found(void **state)
{
    struct fixture *f = *state;
    const int32_t keys[20] = { 3, 1, 4, 1, 5, 9, 2, 6 };
    const uint32_t wrong = 65;
    clade_heap *heap = open_many(f), *part = part_of(heap, HEAPS - 1);
    assert_ok(clade_heap_insert(part, clade_host(keys), clade_no_array(), 20, NULL));
    assert_ok(clade_heap_check(heap));
    assert_int_equal(clEnqueueWriteBuffer(clade_context_cl_queue(f->context), clade_heap_mem(part),
                                          CL_TRUE, offsetof(clade_heap_head, root), sizeof wrong,
                                          &wrong, 0, NULL, NULL),
                     CL_SUCCESS);
    assert_int_equal(clade_heap_check(heap), CLADE_E_CORRUPT);
    clade_heap_destroy(&part);
    clade_heap_destroy(&heap);
}

static void what_needs_one_heap_refuses_many(void **state)
{
    struct fixture *f = *state;
    int32_t key = 0;
    uint64_t got;
    clade_heap *heap = open_many(f), *part = part_of(heap, 0), *other;
    assert_int_equal(clade_heap_insert(heap, clade_host(&key), clade_no_array(), 1, NULL),
                     CLADE_E_ARG);
    assert_int_equal(
        clade_heap_pop(heap, clade_host(&key), clade_no_array(), 1, clade_host(&got), NULL),
        CLADE_E_ARG);
    assert_int_equal(clade_heap_peek(heap, &key, NULL), CLADE_E_ARG);
    assert_int_equal(clade_heap_part(&other, heap, HEAPS), CLADE_E_ARG);
    assert_null(other);
    assert_int_equal(clade_heap_part(&other, part, 0), CLADE_E_ARG);
    assert_int_equal(clade_heap_part(&other, NULL, 0), CLADE_E_ARG);
    assert_int_equal(clade_heap_part(NULL, heap, 0), CLADE_E_ARG);
    clade_heap_destroy(&part);
    clade_heap_destroy(&heap);
    const clade_heap_params front = { .capacity = 10, .heaps = 2, .engine = CLADE_HEAP_FRONT };
    assert_int_equal(clade_heap_create(&heap, f->context, &front), CLADE_E_ARG);
    const clade_heap_params huge = { .capacity = 1000000, .heaps = 1u << 24 };
    assert_int_equal(clade_heap_create(&heap, f->context, &huge), CLADE_E_ARG);
    /* 2^64 bytes, and 2^31 more. */
    const clade_heap_params wraps = { .capacity = 2130836487ull * 1024,
                                      .batch = 1024,
                                      .heaps = 1u << 21 };
    assert_int_equal(clade_heap_create(&heap, f->context, &wraps), CLADE_E_ARG);
}

/* A driver that leaves long loops leaves none of those over a large heap's nodes. */
static void large_heaps_are_emptied(void **state)
{
    struct fixture *f = *state;
    const clade_heap_params params = { .capacity = f->caps->loop_limit ? 120000 : 1000,
                                       .batch = 4,
                                       .group_size = 1,
                                       .engine = CLADE_HEAP_TOP_DOWN,
                                       .heaps = 3 };
    int32_t keys[EACH];
    clade_heap *heap;
    for (int32_t i = 0; i < EACH; i++)
        keys[i] = i * 7919 % 1000;
    assert_ok(clade_heap_create(&heap, f->context, &params));
    for (uint32_t i = 0; i < params.heaps; i++) {
        clade_heap *part = part_of(heap, i);
        assert_ok(clade_heap_insert(part, clade_host(keys), clade_no_array(), EACH, NULL));
        clade_heap_destroy(&part);
    }
    expect_size(heap, params.heaps * EACH);
    assert_ok(clade_heap_clear(heap, NULL));
    expect_size(heap, 0);
    assert_ok(clade_heap_check(heap));
    clade_heap_destroy(&heap);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_group_has_a_heap_of_its_own),
        cmocka_unit_test(heaps_of_an_object_share_nothing),
        cmocka_unit_test(large_heaps_are_emptied),
        cmocka_unit_test(a_damaged_heap_among_many_is_found),
        cmocka_unit_test(what_needs_one_heap_refuses_many),
    };
    return fixture_run("heap_many", tests);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Programs whose kernel makes one call to a heap of the front engine, and no other (PoCL 3.1
 * crashed where that was a pop); and heaps of all engines in files that somebody has changed, with
 * a checksum that fits. */
#define XXH_INLINE_ALL
#include <xxhash.h>

#include "harness/fixture.h"
#include "harness/scratch.h"

#include <clade/heap.h>

enum { KEYS = 1000, BATCH = 64, FILE_HEAD = 40 };

static const clade_heap_params with_values = {
    .capacity = 65536, .key = CLADE_U32, .value = CLADE_U32, .batch = BATCH, .engine = CLADE_HEAP_FRONT
};

static clade_heap *filled(struct fixture *f, const clade_heap_params *params)
{
    clade_heap *heap;
    uint32_t keys[KEYS];
    for (uint32_t i = 0; i < KEYS; i++)
        keys[i] = i * 2654435761u;
    assert_ok(clade_heap_create(&heap, f->context, params));
    assert_ok(clade_heap_insert(heap, clade_host(keys), clade_host(keys), KEYS, NULL));
    return heap;
}

/* One kernel with one call, which leaves a number in *out. */
static void run_alone(void **state, const char *call, uint32_t expected, uint64_t size_after)
{
    struct fixture *f = *state;
    clade_heap *heap = filled(f, &with_values);
    clade_program *program;
    cl_kernel kernel;
    char source[1024];
    uint32_t out = 0;
    uint64_t size;
    const size_t items = f->caps->is_cpu ? 1 : 64;
    snprintf(source, sizeof source,
             "#include \"clade/heap.clh\"\n"
             "__kernel void alone(__global void *heap, __global uint *out)\n"
             "{\n    __local clade_heap_scratch s;\n    uint got = 0;\n    %s\n"
             "    if (get_local_id(0) == 0)\n        *out = got;\n}\n",
             call);
    assert_ok(clade_program_build(&program, f->context,
                                  &(clade_program_params) { .source = source,
                                                            .options = clade_heap_options(heap) }));
    assert_ok(clade_program_kernel(&kernel, program, "alone"));
    cl_mem mem = clade_heap_mem(heap), result = fixture_buffer(f, sizeof out, &out);
    fixture_arg(kernel, 0, mem);
    fixture_arg(kernel, 1, result);
    fixture_launch(f, kernel, items, items);
    fixture_read(f, result, 0, &out, sizeof out);
    assert_int_equal(out, expected);
    assert_ok(clade_heap_size(heap, &size));
    assert_int_equal(size, size_after);
    assert_ok(clade_heap_check(heap));
    clReleaseMemObject(result);
    clReleaseKernel(kernel);
    clade_program_destroy(&program);
    clade_heap_destroy(&heap);
}

static void a_pop_alone(void **state)
{
    run_alone(state, "clade_heap_pop_wg(heap, &s, 64, &got);", BATCH, KEYS - BATCH);
}

static void a_look_alone(void **state)
{
    run_alone(state, "got = clade_heap_first_wg(heap, &s);", 1, KEYS);
}

static void an_insert_alone(void **state)
{
    if (fixture_is_small()) {
        print_message("skipped: compiles for half a minute; CLADE_TEST_SIZE=normal has it\n");
        skip();
    }
    run_alone(state,
              "for (uint i = get_local_id(0); i < 64; i += get_local_size(0))\n"
              "        clade_heap_set_wi(&s, i, i, i);\n"
              "    clade_heap_insert_wg(heap, &s, 64);\n    got = clade_heap_taken_wi(&s);",
              BATCH, KEYS + BATCH);
}

/* Change a word or two of the heap, and mend the checksum. */
static void change(char *bytes, size_t size, struct random *random)
{
    uint32_t params;
    memcpy(&params, bytes + 16, sizeof params);
    char *payload = bytes + FILE_HEAD + params;
    const size_t n = size - FILE_HEAD - params;
    for (uint64_t i = 0; i < 1 + random_below(random, 2); i++) {
        const size_t within = random_below(random, 2) ? 512 : n < 8192 ? n : 8192;
        const size_t word = (size_t)random_below(random, within / 4);
        const uint32_t values[] = { 0xffffffff, 0, 1, (uint32_t)random_next(random), 300 };
        memcpy(payload + 4 * word, values + random_below(random, 5), 4);
    }
    const uint64_t sum =
        XXH3_64bits_withSeed(payload, n, XXH3_64bits(bytes + FILE_HEAD, params));
    memcpy(bytes + 32, &sum, sizeof sum);
}

/* A heap from a changed file is refused, or all calls may use it. */
static void use_changed(struct fixture *f, const char *path, uint32_t *used)
{
    clade_heap *heap;
    uint32_t keys[200] = { 0 };
    uint64_t got = 0;
    if (clade_heap_load(&heap, f->context, path) != CLADE_OK) {
        assert_null(heap);
        return;
    }
    ++*used;
    assert_ok(clade_heap_check(heap));
    clade_status status = clade_heap_insert(heap, clade_host(keys), clade_host(keys), 200, NULL);
    assert_true(status == CLADE_OK || status == CLADE_E_FULL || status == CLADE_E_BUSY);
    status = clade_heap_pop(heap, clade_host(keys), clade_host(keys), 200, clade_host(&got), NULL);
    assert_true(status == CLADE_OK || status == CLADE_E_BUSY);
    assert_true(got <= 200);
    clade_heap_destroy(&heap);
}

static void changed_files_do_no_harm(void **state)
{
    static const uint32_t engines[] = { CLADE_HEAP_TOP_DOWN, CLADE_HEAP_BOTTOM_UP, CLADE_HEAP_FRONT };
    struct fixture *f = *state;
    struct random random = random_from(f->seed);
    char *folder = scratch_make();
    for (size_t e = 0; e < 3; e++) {
        clade_heap_params params = with_values;
        params.engine = engines[e];
        params.capacity = 2000;
        clade_heap *heap = filled(f, &params);
        char *path = scratch_path(folder, "heap");
        uint32_t used = 0;
        size_t size;
        assert_ok(clade_heap_save(heap, path));
        clade_heap_destroy(&heap);
        char *bytes = scratch_read(path, &size);
        const size_t rounds = fixture_scaled(25, 100, 400);
        for (size_t i = 0; i < rounds; i++) {
            char *copy = malloc(size);
            memcpy(copy, bytes, size);
            if (i > 0)
                change(copy, size, &random);
            free(scratch_file(folder, "changed", copy, size));
            free(copy);
            char *changed = scratch_path(folder, "changed");
            use_changed(f, changed, &used);
            free(changed);
        }
        print_message("engine %u: %u of %zu files were used\n", engines[e], used, rounds);
        assert_true(used > 0);
        free(bytes);
        free(path);
    }
    scratch_remove(folder);
}

/* A copy of the file in which a word of the heap, or the low word of the first parameter, is another, loaded. */
static clade_status load_with(struct fixture *f, clade_heap **heap, const char *folder, const char *path,
                              size_t word, bool is_param, uint32_t value)
{
    size_t size;
    uint32_t params;
    char *bytes = scratch_read(path, &size);
    memcpy(&params, bytes + 16, sizeof params);
    char *payload = bytes + FILE_HEAD + params;
    memcpy((is_param ? bytes + FILE_HEAD : payload) + 4 * word, &value, sizeof value);
    const uint64_t sum = XXH3_64bits_withSeed(payload, size - FILE_HEAD - params,
                                              XXH3_64bits(bytes + FILE_HEAD, params));
    memcpy(bytes + 32, &sum, sizeof sum);
    free(scratch_file(folder, "changed", bytes, size));
    char *changed = scratch_path(folder, "changed");
    const clade_status status = clade_heap_load(heap, f->context, changed);
    free(changed);
    free(bytes);
    return status;
}

/* What a file says of the number of keys is not what clade_heap_size() says, but what is inside. */
static void a_file_does_not_say_how_many_keys_there_are(void **state)
{
    struct fixture *f = *state;
    char *folder = scratch_make(), *path = scratch_path(folder, "heap");
    clade_heap_params params = with_values;
    clade_heap *heap, *loaded;
    uint64_t size;
    params.capacity = KEYS;
    heap = filled(f, &params);
    assert_ok(clade_heap_save(heap, path));
    clade_heap_destroy(&heap);
    const size_t words[] = { offsetof(clade_heap_head, count) / 4, offsetof(clade_heap_head, root) / 4,
                             offsetof(clade_heap_head, buffer) / 4 };
    for (size_t i = 0; i < 3; i++) {
        if (load_with(f, &loaded, folder, path, words[i], false, 7) != CLADE_OK)
            continue; /* refused */
        assert_ok(clade_heap_size(loaded, &size));
        assert_int_equal(size, KEYS);
        clade_heap_destroy(&loaded);
    }
    /* More than there may be: the buffer for 999 is as large as that for 1,000. */
    assert_int_equal(load_with(f, &loaded, folder, path, 0, true, KEYS - 1), CLADE_E_CORRUPT);
    assert_null(loaded);
    assert_ok(load_with(f, &loaded, folder, path, 0, true, KEYS));
    clade_heap_destroy(&loaded);
    free(path);
    scratch_remove(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_pop_alone),
        cmocka_unit_test(a_look_alone),
        cmocka_unit_test(an_insert_alone),
        cmocka_unit_test(changed_files_do_no_harm),
        cmocka_unit_test(a_file_does_not_say_how_many_keys_there_are),
    };
    return fixture_run("heap_alone", tests);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* clade_hashmap, `no_erase`: many items add to few keys, and no sum is lost; keys stay; a program
 * and its map must agree on it. */
#include <clade/hashmap.h>
#include <stdlib.h>
#include <string.h>

#include "harness/fixture.h"
#include "harness/scratch.h"

#define NONE clade_no_array()

enum { KEYS = 50, ITEMS = 1024 };

static clade_hashmap *open_map(struct fixture *f, clade_hashmap_params params)
{
    clade_hashmap *map = NULL;
    assert_ok(clade_hashmap_create(&map, f->context, &params));
    return map;
}

/* Every item adds one to keys of which few are met most of the time. What it found before goes to
 * `before`, at the place that it has among the numbers of the key: each is taken once. */
static const char source[] =
    "#include \"clade/hashmap/types.clh\"\n"
    "inline cladei_hashmap_value more(cladei_hashmap_value value, cladei_hashmap_value operand)\n"
    "{ return value + operand; }\n"
    "#define CLADE_HASHMAP_FUNCTION more\n"
    "#include \"clade/hashmap.clh\"\n"
    "__kernel void add(__global clade_hashmap_head *map, uint keys, uint rounds, uint most,\n"
    "                  __global clade_atomic_u32 *taken, __global clade_atomic_u32 *wrong)\n"
    "{\n"
    "    uint x = ((uint)get_global_id(0) + 1u) * 2654435761u;\n"
    "    for (uint i = 0; i < rounds; i++) {\n"
    "        x = x * 1664525u + 1013904223u;\n"
    "        const uint key = (x >> 8) % keys * ((x >> 16) % keys) / keys;\n"
    "        cladei_hashmap_value before = 0;\n"
    "        int status = CLADE_E_BUSY;\n"
    "        for (uint tries = 0; tries < 1000u && status == CLADE_E_BUSY; tries++)\n"
    "            status = clade_hashmap_update_wi(map, key, 1,\n"
    "                                             (x >> 7) % 2u ? CLADE_HASHMAP_PLUS\n"
    "                                                           : CLADE_HASHMAP_USER, &before);\n"
    "        if (status < 0 || before >= most || (status == CLADE_OK) != (before == 0))\n"
    "            clade_add_relaxed(&wrong[0], 1u);\n"
    "        else if (clade_add_relaxed(&taken[key * most + (uint)before], 1u) != 0u)\n"
    "            clade_add_relaxed(&wrong[1], 1u);\n"
    "    }\n"
    "}\n"
    "__kernel void erase(__global clade_hashmap_head *map, __global int *status)\n"
    "{\n"
    "    cladei_hashmap_value before;\n"
    "    *status = clade_hashmap_erase_wi(map, 1, &before);\n"
    "}\n";

static clade_program *build(struct fixture *f, clade_hashmap *map)
{
    clade_program *program = NULL;
    assert_ok(clade_program_build(
        &program, f->context,
        &(clade_program_params) { .source = source, .options = clade_hashmap_options(map) }));
    return program;
}

/* The values of all keys, as 64 bits, add up to what was added. */
static void add_up(clade_hashmap *map, uint32_t value_type, uint64_t all)
{
    uint32_t keys[2 * KEYS], values[2 * KEYS];
    uint64_t got = 0, sum = 0;
    assert_ok(clade_hashmap_read(map, clade_host(keys), clade_host(values), KEYS, &got, NULL));
    for (uint64_t i = 0; i < got; i++) {
        uint64_t value = values[i];
        if (CLADE_TYPE_BYTES(value_type) == 8)
            memcpy(&value, &values[2 * i], 8);
        sum += value;
    }
    assert_int_equal(sum, all);
    assert_ok(clade_hashmap_check(map));
}

static void add_in_kernels(struct fixture *f, clade_hashmap_params params)
{
    const cl_uint keys = KEYS, rounds = (cl_uint)fixture_scaled(4, 60, 1000);
    const cl_uint most = ITEMS * rounds;
    clade_hashmap *map = open_map(f, params);
    clade_program *program = build(f, map);
    cl_mem mem = clade_hashmap_mem(map);
    cl_mem taken = fixture_buffer(f, 4ull * KEYS * most, NULL), wrong = fixture_buffer(f, 8, NULL);
    uint32_t told[2] = { 9, 9 };
    const cl_uint zero = 0;
    cl_kernel kernel = NULL;
    assert_ok(clade_program_kernel(&kernel, program, "add"));
    const cl_command_queue queue = clade_context_cl_queue(f->context);
    assert_int_equal(
        clEnqueueFillBuffer(queue, taken, &zero, 4, 0, 4ull * KEYS * most, 0, NULL, NULL), 0);
    assert_int_equal(clEnqueueFillBuffer(queue, wrong, &zero, 4, 0, 8, 0, NULL, NULL), 0);
    fixture_arg(kernel, 0, mem);
    fixture_arg(kernel, 1, keys);
    fixture_arg(kernel, 2, rounds);
    fixture_arg(kernel, 3, most);
    fixture_arg(kernel, 4, taken);
    fixture_arg(kernel, 5, wrong);
    fixture_launch(f, kernel, ITEMS, 64);
    fixture_read(f, wrong, 0, told, sizeof told);
    assert_int_equal(told[0], 0);
    assert_int_equal(told[1], 0);
    add_up(map, params.value, (uint64_t)ITEMS * rounds);
    clReleaseKernel(kernel);
    clReleaseMemObject(taken);
    clReleaseMemObject(wrong);
    clade_program_destroy(&program);
    clade_hashmap_destroy(&map);
}

static const clade_hashmap_params shapes[] = {
    { .capacity = KEYS, .value = CLADE_U32, .no_erase = 1 },
    { .capacity = KEYS, .value = CLADE_U32, .form = CLADE_HASHMAP_TAGGED, .no_erase = 1 },
    { .capacity = KEYS, .key = CLADE_U64, .value = CLADE_U64, .no_erase = 1 },
    { .capacity = KEYS, .value = CLADE_U32 },
};
enum { SHAPES = sizeof shapes / sizeof shapes[0] };

static void updates_in_kernels_lose_nothing(void **state)
{
    struct fixture *f = *state;
    if (f->caps->loop_limit) {
        print_message("[   SKIP ] the device leaves loops, so operations give up early\n");
        skip();
    }
    for (size_t i = 0; i < SHAPES; i++)
        add_in_kernels(f, shapes[i]);
}

/* One key in three of all, by the host's call. */
static void updates_by_the_host_lose_nothing(void **state)
{
    struct fixture *f = *state;
    const uint32_t n = fixture_scaled(1000, 20000, 1000000);
    uint32_t *const keys = calloc(n, 4), *const ones = calloc(n, 4);
    assert_non_null(keys);
    assert_non_null(ones);
    for (uint32_t i = 0; i < n; i++) {
        keys[i] = i % 3 == 0 ? 7 : i % KEYS;
        ones[i] = 1;
    }
    for (size_t i = 0; i < 2; i++) {
        clade_hashmap *map = open_map(f, shapes[i]);
        for (int again = 0; again < 2; again++)
            assert_ok(clade_hashmap_update(map, clade_host(keys), clade_host(ones),
                                           CLADE_HASHMAP_PLUS, n, NONE, NULL));
        add_up(map, CLADE_U32, 2ull * n);
        clade_hashmap_destroy(&map);
    }
    free(keys);
    free(ones);
}

static void least_and_greatest(void **state)
{
    struct fixture *f = *state;
    clade_hashmap_params params = shapes[0];
    const uint32_t keys[4] = { 3, 3, 3, 3 };
    const int32_t operands[4] = { 5, -8, 20, 0 };
    int32_t value = 0;
    params.value = CLADE_I32;
    for (uint32_t what = CLADE_HASHMAP_MIN; what <= CLADE_HASHMAP_MAX; what++) {
        clade_hashmap *map = open_map(f, params);
        for (int again = 0; again < 2; again++)
            assert_ok(clade_hashmap_update(map, clade_host(keys), clade_host(operands), what, 4,
                                           NONE, NULL));
        assert_ok(clade_hashmap_find(map, clade_host(keys), clade_host(&value), 1, NONE, NULL));
        assert_int_equal(value, what == CLADE_HASHMAP_MIN ? -8 : 20);
        clade_hashmap_destroy(&map);
    }
}

static void keys_stay(void **state)
{
    struct fixture *f = *state;
    uint32_t key = 1, value = 10;
    int32_t told = 0;
    for (size_t i = 0; i < 2; i++) {
        clade_hashmap *map = open_map(f, shapes[i]);
        clade_program *program = build(f, map);
        cl_mem mem = clade_hashmap_mem(map), status = fixture_buffer(f, 4, NULL);
        cl_kernel kernel = NULL;
        assert_ok(clade_hashmap_insert(map, clade_host(&key), clade_host(&value), 1, NONE, NULL));
        assert_fails(clade_hashmap_erase(map, clade_host(&key), NONE, 1, NONE, NULL),
                     CLADE_E_UNSUPPORTED);
        assert_message("no_erase");
        assert_ok(clade_program_kernel(&kernel, program, "erase"));
        fixture_arg(kernel, 0, mem);
        fixture_arg(kernel, 1, status);
        fixture_launch(f, kernel, 1, 1);
        fixture_read(f, status, 0, &told, sizeof told);
        assert_int_equal(told, CLADE_E_UNSUPPORTED);
        assert_ok(clade_hashmap_find(map, clade_host(&key), NONE, 1, clade_host(&told), NULL));
        assert_int_equal(told, CLADE_OK);
        clReleaseKernel(kernel);
        clReleaseMemObject(status);
        clade_program_destroy(&program);
        clade_hashmap_destroy(&map);
    }
}

/* A program for maps with erase answers CLADE_E_ARG, and changes nothing; and the other way. */
static void programs_of_another_kind_are_refused(void **state)
{
    struct fixture *f = *state;
    for (size_t i = 0; i < 2; i++) {
        clade_hashmap_params params = shapes[0];
        clade_hashmap *map = open_map(f, params), *other = NULL;
        params.no_erase = 0;
        other = open_map(f, params);
        clade_program *program = build(f, i ? map : other);
        cl_mem mem = clade_hashmap_mem(i ? other : map), status = fixture_buffer(f, 4, NULL);
        cl_kernel kernel = NULL;
        int32_t told = 0;
        assert_ok(clade_program_kernel(&kernel, program, "erase"));
        fixture_arg(kernel, 0, mem);
        fixture_arg(kernel, 1, status);
        fixture_launch(f, kernel, 1, 1);
        fixture_read(f, status, 0, &told, sizeof told);
        assert_int_equal(told, CLADE_E_ARG);
        clReleaseKernel(kernel);
        clReleaseMemObject(status);
        clade_program_destroy(&program);
        clade_hashmap_destroy(&other);
        clade_hashmap_destroy(&map);
    }
}

static void files_and_growth_keep_it(void **state)
{
    struct fixture *f = *state;
    uint32_t key = 1, value = 10;
    clade_hashmap *map = open_map(f, shapes[1]), *loaded = NULL;
    char *folder = scratch_make(), *path = scratch_path(folder, "map");
    assert_ok(clade_hashmap_insert(map, clade_host(&key), clade_host(&value), 1, NONE, NULL));
    assert_ok(clade_hashmap_save(map, path));
    assert_ok(clade_hashmap_load(&loaded, f->context, path));
    assert_ok(clade_hashmap_grow(loaded, 500, NULL));
    assert_fails(clade_hashmap_erase(loaded, clade_host(&key), NONE, 1, NONE, NULL),
                 CLADE_E_UNSUPPORTED);
    assert_ok(clade_hashmap_update(loaded, clade_host(&key), clade_host(&value), CLADE_HASHMAP_PLUS,
                                   1, NONE, NULL));
    assert_ok(clade_hashmap_find(loaded, clade_host(&key), clade_host(&value), 1, NONE, NULL));
    assert_int_equal(value, 20);
    clade_hashmap_destroy(&map);
    clade_hashmap_destroy(&loaded);
    free(path);
    scratch_remove(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(updates_in_kernels_lose_nothing),
        cmocka_unit_test(updates_by_the_host_lose_nothing),
        cmocka_unit_test(least_and_greatest),
        cmocka_unit_test(keys_stay),
        cmocka_unit_test(programs_of_another_kind_are_refused),
        cmocka_unit_test(files_and_growth_keep_it),
    };
    return fixture_run("hashmap_no_erase", tests);
}

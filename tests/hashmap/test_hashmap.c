/* SPDX-License-Identifier: Apache-2.0 */
/* clade_hashmap: every call gives what a sequential map gives, for all types, keys and loads.
 * Here: what is refused, and arrays. hashmap_*.c have the rest. */
#include "hashmap/test_hashmap.h"

clade_hashmap *open_map(struct fixture *f, clade_hashmap_params params)
{
    clade_hashmap *map = NULL;
    assert_ok(clade_hashmap_create(&map, f->context, &params));
    return map;
}

uint64_t size_of_map(clade_hashmap *map)
{
    uint64_t size = 0;
    assert_ok(clade_hashmap_size(map, &size));
    return size;
}

clade_hashmap_stats stats_of_map(clade_hashmap *map)
{
    clade_hashmap_stats stats;
    assert_ok(clade_hashmap_stats_read(map, &stats));
    return stats;
}

/* --- arguments ---------------------------------------------------------------------------------
 */

static void wrong_arguments_are_refused(void **state)
{
    struct fixture *f = *state;
    clade_hashmap *map = NULL;
    uint32_t one = 1;
    uint64_t got = 0;
    const clade_hashmap_params wrong[] = {
        { .capacity = 0 },
        { .capacity = 10, .key = CLADE_F32 },
        { .capacity = 10, .value = 7 },
        { .capacity = 10, .form = 3 },
        { .capacity = 10, .key = CLADE_U64, .value = CLADE_U32, .form = CLADE_HASHMAP_PACKED },
        { .capacity = 10, .group_size = 100000 },
        { .capacity = 10, .no_erase = 2 },
        { .capacity = 1ull << 40 },
    };
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        assert_fails(clade_hashmap_create(&map, f->context, &wrong[i]), CLADE_E_ARG);
        assert_null(map);
    }
    assert_fails(clade_hashmap_create(NULL, f->context, &wrong[0]), CLADE_E_ARG);
    assert_fails(clade_hashmap_insert(NULL, clade_host(&one), NONE, 1, NONE, NULL), CLADE_E_ARG);
    map = open_map(f, (clade_hashmap_params) { .capacity = 10 });
    assert_fails(clade_hashmap_insert(map, clade_host(&one), clade_host(&one), 1, NONE, NULL),
                 CLADE_E_ARG);
    assert_message("no values");
    assert_fails(clade_hashmap_insert(map, NONE, NONE, 1, NONE, NULL), CLADE_E_ARG);
    assert_fails(clade_hashmap_update(map, clade_host(&one), clade_host(&one), CLADE_HASHMAP_PLUS,
                                      1, NONE, NULL),
                 CLADE_E_ARG);
    assert_fails(
        clade_hashmap_update(map, clade_host(&one), NONE, CLADE_HASHMAP_USER, 1, NONE, NULL),
        CLADE_E_ARG);
    assert_ok(clade_hashmap_insert(map, clade_host(&one), NONE, 1, NONE, NULL));
    assert_fails(clade_hashmap_read(map, clade_host(&one), NONE, 0, &got, NULL), CLADE_E_ARG);
    assert_int_equal(got, 1);
    assert_ok(clade_hashmap_read(map, NONE, NONE, 0, &got, NULL));
    clade_hashmap_destroy(&map);
    clade_hashmap_destroy(&map);
    clade_hashmap_destroy(NULL);
}

static void device_arrays_from_an_offset(void **state)
{
    struct fixture *f = *state;
    enum { N = 100 };
    clade_hashmap *map = open_map(f, (clade_hashmap_params) { .capacity = N });
    uint32_t keys[N + 7];
    int32_t statuses[N + 3];
    for (uint32_t i = 0; i < N + 7; i++)
        keys[i] = i * 3;
    cl_mem mem = fixture_buffer(f, sizeof keys, keys),
           out = fixture_buffer(f, sizeof statuses, NULL);
    assert_ok(clade_hashmap_insert(map, clade_device(mem, 28), NONE, N, NONE, NULL));
    assert_ok(clade_hashmap_find(map, clade_device(mem, 16), NONE, N, clade_device(out, 12), NULL));
    fixture_read(f, out, 0, statuses, sizeof statuses);
    for (uint32_t i = 0; i < N; i++)
        assert_int_equal(statuses[i + 3], i < 3 ? CLADE_E_NOT_FOUND : CLADE_OK);
    assert_fails(clade_hashmap_find(map, clade_device(mem, 32), NONE, N, NONE, NULL), CLADE_E_ARG);
    assert_int_equal(size_of_map(map), N);
    clade_hashmap_destroy(&map);
    clReleaseMemObject(mem);
    clReleaseMemObject(out);
}

/* Each key is there once, and an item or several are to erase it: one of them does and gives its
 * value, in runs of equal keys that begin and end anywhere, and by turns with others. */
static void one_of_equal_erasures_finds_the_key(void **state)
{
    enum { KEYS = 400, RUN = 7, N = KEYS * RUN, UNTOUCHED = 0x5555 };
    struct fixture *f = *state;
    static uint32_t keys[N], values[N], found[KEYS];
    static clade_status statuses[N];
    clade_hashmap *map =
        open_map(f, (clade_hashmap_params) { .capacity = KEYS, .value = CLADE_U32 });
    for (uint32_t by_turns = 0; by_turns < 2; by_turns++) {
        for (uint32_t i = 0; i < KEYS; i++) {
            keys[i] = 2 * i; /* odd ones are absent */
            values[i] = 3 * i;
            found[i] = 0;
        }
        assert_ok(
            clade_hashmap_insert(map, clade_host(keys), clade_host(values), KEYS, NONE, NULL));
        for (uint32_t i = 0; i < N; i++) {
            keys[i] = by_turns ? i / RUN / 2 * 2 + i % 2 : i / RUN;
            values[i] = UNTOUCHED;
        }
        assert_ok(clade_hashmap_erase(map, clade_host(keys), clade_host(values), N,
                                      clade_host(statuses), NULL));
        for (uint32_t i = 0; i < N; i++) {
            const bool is_ok = statuses[i] == CLADE_OK;
            assert_true(is_ok || statuses[i] == CLADE_E_NOT_FOUND);
            assert_int_equal(values[i], is_ok ? 3 * (keys[i] / 2) : UNTOUCHED);
            assert_true(!is_ok || keys[i] % 2 == 0);
            found[keys[i] / 2] += is_ok;
        }
        for (uint32_t i = 0; i < KEYS; i++)
            assert_int_equal(found[i], i < KEYS / 2);
        assert_int_equal(size_of_map(map), KEYS / 2);
        assert_ok(clade_hashmap_check(map));
        assert_ok(clade_hashmap_clear(map, NULL));
    }
    clade_hashmap_destroy(&map);
}

/* Ten values, thousands of times in any order, are erased: each is found once, and its value given.
 * Beside them there is nothing, or one more key, which stays or is erased last. */
static void few_values_are_erased_once(void **state)
{
    enum { FEW = 10, N = 5000, UNTOUCHED = 0x5555, MORE = 77 };
    struct fixture *f = *state;
    static uint32_t keys[N], values[N];
    static clade_status statuses[N];
    clade_hashmap *map = open_map(f, (clade_hashmap_params) { .capacity = 20, .value = CLADE_U32 });
    for (uint32_t more = 0; more < 3; more++) {
        uint32_t found[MORE + 1] = { 0 };
        for (uint32_t i = 0; i <= FEW; i++) {
            keys[i] = i < FEW ? i : MORE;
            values[i] = keys[i] + 1;
        }
        assert_ok(clade_hashmap_insert(map, clade_host(keys), clade_host(values),
                                       FEW + (more > 0 ? 1 : 0), NONE, NULL));
        for (uint32_t i = 0; i < N; i++) {
            keys[i] = more == 2 && i == N - 1 ? MORE : i * 40503u / 64 % FEW;
            values[i] = UNTOUCHED;
        }
        assert_ok(clade_hashmap_erase(map, clade_host(keys), clade_host(values), N,
                                      clade_host(statuses), NULL));
        for (uint32_t i = 0; i < N; i++) {
            assert_true(statuses[i] == CLADE_OK || statuses[i] == CLADE_E_NOT_FOUND);
            assert_int_equal(values[i], statuses[i] == CLADE_OK ? keys[i] + 1 : UNTOUCHED);
            found[keys[i]] += statuses[i] == CLADE_OK;
        }
        for (uint32_t key = 0; key <= MORE; key++)
            assert_int_equal(found[key], key < FEW || (key == MORE && more == 2));
        assert_int_equal(size_of_map(map), more == 1);
        assert_ok(clade_hashmap_check(map));
        assert_ok(clade_hashmap_clear(map, NULL));
    }
    clade_hashmap_destroy(&map);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(wrong_arguments_are_refused),
        cmocka_unit_test(maps_of_few_keys),
        cmocka_unit_test(maps_of_any_size),
        cmocka_unit_test(neighbours_lie_as_evenly_as_any_keys),
        cmocka_unit_test(all_types_and_forms_as_the_model),
        cmocka_unit_test(one_of_equal_erasures_finds_the_key),
        cmocka_unit_test(few_values_are_erased_once),
        cmocka_unit_test(reach_is_no_less_than_the_farthest_key),
        cmocka_unit_test(any_keys_fit_up_to_the_capacity),
        cmocka_unit_test(churn_goes_on_for_ever),
        cmocka_unit_test(a_map_takes_another_capacity),
        cmocka_unit_test(searches_of_many_steps_are_done_or_refused),
        cmocka_unit_test(searches_behind_long_loops_are_done_or_refused),
        cmocka_unit_test(saved_maps_come_back),
        cmocka_unit_test(damaged_maps_are_not_saved),
        cmocka_unit_test(large_saved_maps_come_back),
        cmocka_unit_test(damaged_files_do_no_harm),
        cmocka_unit_test(all_operations_at_once),
        cmocka_unit_test(histories_are_linearizable),
        cmocka_unit_test(updates_lose_nothing),
        cmocka_unit_test(floats_are_added_and_compared),
        cmocka_unit_test(device_arrays_from_an_offset),
    };
    return fixture_run("hashmap", tests);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* clade_list: each operation has the outcome that some order explains, and the list shows it. Here:
 * room, files, bad input; test_list.h names the other parts. */
#include "list/test_list.h"
#include "harness/scratch.h"
#include "list/list.h" /* the library's: whether a kernel was built */

clade_list *open_list(struct fixture *f, clade_list_params params)
{
    clade_list *list;
    assert_ok(clade_list_create(&list, f->context, &params));
    return list;
}

void close_list(clade_list *list)
{
    assert_ok(clade_list_check(list));
    clade_list_destroy(&list);
    assert_null(list);
}

uint64_t size_of(clade_list *list)
{
    uint64_t size;
    assert_ok(clade_list_size(list, &size));
    return size;
}

/* --- room ------------------------------------------------------------------------------------- */

/* Kernels may allow smaller groups than the device (llvmpipe's do): then a list of such groups is
 * refused when it is made, and not by its calls. */
static void groups_are_tried_when_they_are_asked_for(void **state)
{
    struct fixture *f = *state;
    const uint32_t keys[3] = { 3, 1, 2 };
    for (uint32_t size = f->caps->group_size_max; size > 0; size /= 4) {
        const clade_list_params params = { .capacity = 100, .group_size = size };
        clade_list *list;
        const clade_status status = clade_list_create(&list, f->context, &params);
        if (status == CLADE_OK) {
            assert_non_null(list->kernels[LIST_APPLY]);
            assert_ok(clade_list_insert(list, clade_host(keys), clade_no_array(), 3,
                                        clade_no_array(), NULL));
        } else {
            assert_int_equal(status, CLADE_E_ARG);
            assert_true(size > 1);
        }
        clade_list_destroy(&list);
    }
}

/* Each host call by its own name, on a map. */
static void put_replaces_a_value(void **state)
{
    struct fixture *f = *state;
    const uint32_t keys[3] = { 5, 6, 7 }, first[3] = { 50, 60, 70 }, again[3] = { 51, 61, 71 };
    uint32_t values[3] = { 0 };
    int32_t statuses[3];
    clade_list *list = open_list(f, (clade_list_params) { .capacity = 100, .value = CLADE_U32 });
    assert_ok(clade_list_put(list, clade_host(keys), clade_host(first), 2, clade_no_array(), NULL));
    assert_ok(clade_list_put(list, clade_host(keys), clade_host(again), 3, clade_no_array(), NULL));
    assert_int_equal(size_of(list), 3);
    assert_ok(
        clade_list_find(list, clade_host(keys), clade_host(values), 3, clade_host(statuses), NULL));
    for (int i = 0; i < 3; i++)
        assert_true(statuses[i] == CLADE_OK && values[i] == again[i]);
    assert_ok(clade_list_check(list));
    close_list(list);
}

/* Of a nearly full list some elements are refused, and on a driver with several threads not the
 * last ones alone. A look for the next element that is not passes rows of them that are longer than
 * the loops that some drivers run. */
static void inserts_behind_refused_elements_are_never_lost(void **state)
{
    struct fixture *f = *state;
    const uint32_t most = f->caps->loop_limit ? 6 * f->caps->loop_limit : 600, live = most / 10 * 9;
    uint32_t *values = calloc(most, sizeof *values), *there = calloc(most, sizeof *there);
    int32_t *statuses = calloc(most, sizeof *statuses);
    uint64_t got, in = 0;
    assert_true(values && there && statuses);
    for (uint32_t i = 0; i < most; i++)
        values[i] = i;
    clade_list *list =
        open_list(f, (clade_list_params) { .capacity = most, .mode = CLADE_LIST_UNORDERED });
    assert_ok(clade_list_insert_front(list, clade_host(values), live, clade_host(statuses), NULL));
    assert_ok(clade_list_insert_front(list, clade_host(values), most, clade_host(statuses), NULL));
    assert_ok(clade_list_check(list));
    assert_ok(clade_list_read(list, there, NULL, NULL, most, &got));
    assert_int_equal(got, most);
    for (uint32_t i = 0; i < most; i++)
        if (statuses[i] == CLADE_OK)
            assert_int_equal(there[in++], i);
    assert_int_equal(in, most - live);
    close_list(list);
    free(statuses);
    free(there);
    free(values);
}

/* Groups of few items compare no more shortcuts than others in one loop. */
static void inserts_behind_shortcuts_of_small_groups_are_in_order(void **state)
{
    struct fixture *f = *state;
    enum { N = 8192 };
    static uint32_t keys[N];
    if (fixture_is_interpreted(f))
        skip();
    for (uint32_t i = 0; i < N; i++)
        keys[i] = i * 2654435761u;
    for (uint32_t size = 1; size <= 4; size *= 4) {
        clade_list *list = open_list(f, (clade_list_params) { .capacity = N, .group_size = size });
        assert_ok(
            clade_list_insert(list, clade_host(keys), clade_no_array(), N, clade_no_array(), NULL));
        assert_ok(clade_list_reclaim(list, NULL));
        assert_ok(clade_list_check(list));
        close_list(list);
    }
}

/* Items that are in each other's way walk again and again. A driver that leaves long loops leaves
 * such ones: then an operation is refused, and has no effect. */
static void inserts_behind_long_walks_are_done_or_refused(void **state)
{
    struct fixture *f = *state;
    enum { MORE = 64, AT_ONCE = 256 };
    const uint32_t live = f->caps->loop_limit ? f->caps->loop_limit / 3 : 300, all = live + MORE;
    uint32_t *keys = calloc(all, sizeof *keys);
    int32_t statuses[MORE];
    uint64_t got = 0, in = live;
    clade_list *list =
        open_list(f, (clade_list_params) { .capacity = all + MORE, .find = CLADE_LIST_WALK });
    assert_non_null(keys);
    for (uint32_t i = 0; i < live; i++) /* the least key last, so that these walks are short */
        keys[i] = live - i;
    for (uint32_t i = 0; i < live; i += AT_ONCE)
        assert_ok(clade_list_insert(list, clade_host(keys + i), clade_no_array(),
                                    live - i < AT_ONCE ? live - i : AT_ONCE, clade_no_array(),
                                    NULL));
    for (uint32_t i = 0; i < MORE; i++)
        keys[i] = live + 1 + i * 37 % MORE;
    assert_ok(clade_list_insert(list, clade_host(keys), clade_no_array(), MORE,
                                clade_host(statuses), NULL));
    assert_ok(clade_list_check(list));
    for (uint32_t i = 0; i < MORE; i++) {
        assert_true(statuses[i] == CLADE_OK ||
                    (f->caps->loop_limit && statuses[i] == CLADE_E_BUSY));
        in += statuses[i] == CLADE_OK;
    }
    assert_ok(clade_list_read(list, keys, NULL, NULL, all, &got));
    assert_int_equal(got, in);
    close_list(list);
    free(keys);
}

static void a_full_pool_refuses_item_by_item(void **state)
{
    struct fixture *f = *state;
    enum { CAPACITY = 100, N = 150 };
    uint32_t keys[N];
    int32_t statuses[N];
    for (uint32_t i = 0; i < N; i++)
        keys[i] = i;
    for (uint32_t mode = CLADE_LIST_ORDERED; mode <= CLADE_LIST_UNORDERED; mode++) {
        int full = 0;
        clade_list *list = open_list(f, (clade_list_params) { .capacity = CAPACITY, .mode = mode });
        if (mode == CLADE_LIST_ORDERED)
            assert_ok(clade_list_insert(list, clade_host(keys), clade_no_array(), N,
                                        clade_host(statuses), NULL));
        else
            assert_ok(
                clade_list_insert_front(list, clade_host(keys), N, clade_host(statuses), NULL));
        for (int i = 0; i < N; i++) {
            assert_true(statuses[i] == CLADE_OK || statuses[i] == CLADE_E_FULL);
            full += statuses[i] == CLADE_E_FULL;
        }
        assert_int_equal(full, N - CAPACITY);
        assert_int_equal(size_of(list), CAPACITY);
        /* Without statuses the call tells, and erasing makes room again. */
        if (mode == CLADE_LIST_ORDERED)
            assert_fails(clade_list_insert(list, clade_host(keys), clade_no_array(), N,
                                           clade_no_array(), NULL),
                         CLADE_E_FULL);
        else
            assert_fails(clade_list_insert_front(list, clade_host(keys), 1, clade_no_array(), NULL),
                         CLADE_E_FULL);
        assert_message("100");
        assert_ok(clade_list_erase(list, clade_host(keys), N, clade_host(statuses), NULL));
        assert_int_equal(size_of(list), 0);
        if (mode == CLADE_LIST_ORDERED)
            assert_ok(clade_list_insert(list, clade_host(keys), clade_no_array(), CAPACITY,
                                        clade_no_array(), NULL));
        else
            assert_ok(
                clade_list_insert_front(list, clade_host(keys), CAPACITY, clade_no_array(), NULL));
        assert_int_equal(size_of(list), CAPACITY);
        close_list(list);
    }
}

/* A round inserts and erases the same keys: in all a million erasures (normal size, both modes).
 */
static void inserting_and_erasing_for_ever_takes_constant_memory(void **state)
{
    struct fixture *f = *state;
    enum { KEYS = 1024 };
    const int rounds = (int)fixture_scaled(3, 500, 100000);
    const uint32_t keys = fixture_is_small() ? 32 : KEYS;
    uint32_t values[KEYS];
    int32_t statuses[KEYS];
    for (uint32_t i = 0; i < keys; i++)
        values[i] = i * 7 + 1;
    for (uint32_t mode = CLADE_LIST_ORDERED; mode <= CLADE_LIST_UNORDERED; mode++) {
        clade_list *list = open_list(f, (clade_list_params) { .capacity = keys, .mode = mode });
        for (int round = 0; round < rounds; round++) {
            if (mode == CLADE_LIST_ORDERED)
                assert_ok(clade_list_insert(list, clade_host(values), clade_no_array(), keys,
                                            clade_no_array(), NULL));
            else
                assert_ok(clade_list_insert_front(list, clade_host(values), keys, clade_no_array(),
                                                  NULL));
            assert_ok(clade_list_erase(list, clade_host(values), keys, clade_host(statuses), NULL));
            for (uint32_t i = 0; i < keys; i++)
                assert_int_equal(statuses[i], CLADE_OK);
        }
        assert_int_equal(size_of(list), 0);
        close_list(list);
    }
}

/* More shortcuts than one group sorts: they are merged, into the other of two places; again and
 * again, but where an interpreter runs the kernels. There keys descend, because an insert in any
 * order walks half of the list while there are no shortcuts. */
static void reclaiming_sorts_many_shortcuts(void **state)
{
    struct fixture *f = *state;
    enum { KEYS = 5000 };
    uint32_t *keys = malloc(KEYS * sizeof *keys);
    int32_t *statuses = malloc(KEYS * sizeof *statuses);
    assert_true(keys && statuses);
    clade_list *list = open_list(f, (clade_list_params) { .capacity = KEYS });
    for (uint32_t i = 0; i < KEYS; i++)
        keys[i] = fixture_is_interpreted(f) ? (KEYS - i) * 858993u : i * 2654435761u;
    for (int round = fixture_is_interpreted(f) ? 2 : 0; round < 3; round++) {
        assert_ok(clade_list_insert(list, clade_host(keys), clade_no_array(), KEYS,
                                    clade_host(statuses), NULL));
        assert_ok(clade_list_reclaim(list, NULL));
        assert_ok(clade_list_check(list));
        assert_ok(clade_list_erase(list, clade_host(keys), round < 2 ? 300 : KEYS,
                                   clade_host(statuses), NULL));
    }
    assert_int_equal(size_of(list), 0);
    close_list(list);
    free(keys);
    free(statuses);
}

static void device_arrays_are_served_without_waiting(void **state)
{
    struct fixture *f = *state;
    enum { N = 64 };
    uint32_t keys[N];
    int32_t statuses[N];
    uint64_t size;
    for (uint32_t i = 0; i < N; i++)
        keys[i] = N - i;
    cl_mem mem = fixture_buffer(f, sizeof keys, keys),
           out = fixture_buffer(f, 2 * sizeof statuses, NULL);
    clade_list *list = open_list(f, (clade_list_params) { .capacity = N / 2 });
    assert_ok(
        clade_list_insert(list, clade_device(mem, 0), clade_no_array(), N, clade_no_array(), NULL));
    assert_fails(clade_list_size(list, &size), CLADE_E_FULL);
    assert_int_equal(size_of(list), N / 2);
    assert_ok(clade_list_contains(list, clade_device(mem, 0), N, clade_device(out, sizeof statuses),
                                  NULL));
    fixture_read(f, out, sizeof statuses, statuses, sizeof statuses);
    int found = 0;
    for (int i = 0; i < N; i++)
        found += statuses[i] == CLADE_OK;
    assert_int_equal(found, N / 2);
    close_list(list);
    clReleaseMemObject(out);
    clReleaseMemObject(mem);
}

/* Everybody at the same few keys, or behind the same value: the counts of the single operations add
 * up to the list's own. */
static void each_operation_tells_its_collisions(void **state)
{
    struct fixture *f = *state;
    const uint32_t count = 4096;
    struct random random = random_from(f->seed);
    uint32_t *ops = calloc(count, 4), *keys = calloc(count, 4), *targets = calloc(count, 4);
    uint32_t *collisions = malloc(count * 4);
    int32_t *statuses = calloc(count, 4);
    for (uint32_t mode = CLADE_LIST_ORDERED; mode <= CLADE_LIST_UNORDERED; mode++) {
        clade_list *list =
            open_list(f, (clade_list_params) { .capacity = count + 8, .mode = mode });
        clade_list_stats stats;
        uint64_t sum = 0;
        const uint32_t front = 1;
        if (mode == CLADE_LIST_UNORDERED)
            assert_ok(clade_list_insert_front(list, clade_host(&front), 1, clade_no_array(), NULL));
        for (uint32_t i = 0; i < count; i++) {
            ops[i] = i % 4 == 0                   ? CLADE_LIST_CONTAINS
                     : i % 4 == 1                 ? CLADE_LIST_ERASE
                     : mode == CLADE_LIST_ORDERED ? CLADE_LIST_INSERT
                                                  : CLADE_LIST_INSERT_AFTER;
            keys[i] = mode == CLADE_LIST_ORDERED ? (uint32_t)random_below(&random, 4) : i + 2;
            targets[i] = 1;
            collisions[i] = 0xdeadbeef;
        }
        assert_ok(clade_list_apply_counted(
            list, clade_host(ops), clade_host(keys),
            mode == CLADE_LIST_ORDERED ? clade_no_array() : clade_host(targets),
            clade_host(collisions), count, clade_host(statuses), NULL));
        for (uint32_t i = 0; i < count; i++) {
            sum += collisions[i];
            assert_true(ops[i] != CLADE_LIST_CONTAINS || collisions[i] == 0);
        }
        assert_ok(clade_list_stats_read(list, &stats));
        assert_true(sum == stats.insert_collisions + stats.erase_collisions);
        printf("%s: %llu collisions\n", mode ? "unordered" : "ordered", (unsigned long long)sum);
        close_list(list);
    }
    free(ops);
    free(keys);
    free(targets);
    free(collisions);
    free(statuses);
}

/* --- files and bad input ---------------------------------------------------------------------- */

static void a_list_is_saved_and_loaded(void **state)
{
    struct fixture *f = *state;
    char *folder = scratch_make(), *path = scratch_path(folder, "list"), *other;
    uint32_t keys[50], values[50], got[50], got_values[50];
    uint64_t n;
    size_t size;
    for (uint32_t i = 0; i < 50; i++) {
        keys[i] = 1000 - i;
        values[i] = i;
    }
    clade_list *list = open_list(f, (clade_list_params) { .capacity = 60, .value = CLADE_U32 }),
               *again;
    assert_ok(
        clade_list_insert(list, clade_host(keys), clade_host(values), 50, clade_no_array(), NULL));
    assert_ok(clade_list_save(list, path));
    assert_ok(clade_list_load(&again, f->context, path));
    assert_ok(clade_list_read(again, got, got_values, NULL, 50, &n));
    assert_int_equal(n, 50);
    for (uint32_t i = 0; i < 50; i++) {
        assert_int_equal(got[i], 951 + i);
        assert_int_equal(got_values[i], 49 - i);
    }
    close_list(again);
    char *bytes = scratch_read(path, &size);
    bytes[size / 2] ^= 1;
    other = scratch_file(folder, "damaged", bytes, size);
    assert_fails(clade_list_load(&again, f->context, other), CLADE_E_CORRUPT);
    assert_null(again);
    assert_fails(clade_list_load(&again, f->context, "/nowhere"), CLADE_E_NOT_FOUND);
    close_list(list);
    free(bytes);
    free(other);
    free(path);
    scratch_remove(folder);
}

static void wrong_arguments_are_named(void **state)
{
    struct fixture *f = *state;
    clade_list *list = NULL;
    uint32_t words[2] = { 0 };
    int32_t statuses[1];
    const clade_list_params wrong[] = {
        { .capacity = 0 },
        { .capacity = 1ull << 40 },
        { .capacity = 1, .key = CLADE_F32 },
        { .capacity = 1, .value = CLADE_U64 },
        { .capacity = 1, .mode = 7 },
        { .capacity = 1, .find = 7 },
        { .capacity = 1, .mode = CLADE_LIST_UNORDERED, .value = CLADE_U32 },
        { .capacity = 1, .group_size = 1u << 30 },
    };
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        assert_fails(clade_list_create(&list, f->context, &wrong[i]), CLADE_E_ARG);
        assert_null(list);
    }
    assert_fails(clade_list_create(NULL, f->context, &wrong[0]), CLADE_E_ARG);
    assert_fails(clade_list_create(&list, NULL, &wrong[0]), CLADE_E_ARG);
    list = open_list(f, (clade_list_params) { .capacity = 4 });
    assert_fails(clade_list_insert_front(list, clade_host(words), 1, clade_no_array(), NULL),
                 CLADE_E_ARG);
    assert_fails(clade_list_insert_after(list, clade_host(words), clade_host(words), 1,
                                         clade_no_array(), NULL),
                 CLADE_E_ARG);
    assert_fails(
        clade_list_insert(list, clade_host(words), clade_host(words), 1, clade_no_array(), NULL),
        CLADE_E_ARG);
    assert_fails(
        clade_list_insert(list, clade_no_array(), clade_no_array(), 1, clade_no_array(), NULL),
        CLADE_E_ARG);
    assert_fails(clade_list_apply(list, clade_no_array(), clade_host(words), clade_no_array(), 1,
                                  clade_no_array(), NULL),
                 CLADE_E_ARG);
    words[0] = CLADE_LIST_INSERT_AFTER; /* not of this mode */
    assert_ok(clade_list_apply(list, clade_host(words), clade_host(words), clade_no_array(), 1,
                               clade_host(statuses), NULL));
    assert_int_equal(statuses[0], CLADE_E_ARG);
    assert_ok(
        clade_list_insert(list, clade_no_array(), clade_no_array(), 0, clade_no_array(), NULL));
    assert_int_equal(size_of(list), 0);
    clade_list_destroy(&list);
    clade_list_destroy(&list);
    clade_list_destroy(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(groups_are_tried_when_they_are_asked_for),
        cmocka_unit_test(an_unordered_list_keeps_its_sequence),
        cmocka_unit_test(a_search_that_gives_up_says_so),
        cmocka_unit_test(an_ordered_list_is_a_set),
        cmocka_unit_test(an_ordered_list_with_values_is_a_map),
        cmocka_unit_test(walking_from_the_head_does_the_same),
        cmocka_unit_test(ascending_keys_and_erasing_all_are_no_cliff),
        cmocka_unit_test(equal_keys_in_one_batch_take_effect_once),
        cmocka_unit_test(duplicates_are_erased_one_by_one),
        cmocka_unit_test(inserts_behind_erased_nodes_are_never_lost),
        cmocka_unit_test(inserts_behind_refused_elements_are_never_lost),
        cmocka_unit_test(inserts_behind_shortcuts_of_small_groups_are_in_order),
        cmocka_unit_test(inserts_behind_long_walks_are_done_or_refused),
        cmocka_unit_test(inserts_behind_long_rows_of_slots_are_done_or_refused),
        cmocka_unit_test(inserts_behind_long_loops_are_done_or_refused),
        cmocka_unit_test(runs_that_the_host_does_not_know_of_are_passed),
        cmocka_unit_test(put_replaces_a_value),
        cmocka_unit_test(a_full_pool_refuses_item_by_item),
        cmocka_unit_test(reclaiming_sorts_many_shortcuts),
        cmocka_unit_test(inserting_and_erasing_for_ever_takes_constant_memory),
        cmocka_unit_test(device_arrays_are_served_without_waiting),
        cmocka_unit_test(histories_of_sets_are_linearizable),
        cmocka_unit_test(histories_of_maps_are_linearizable),
        cmocka_unit_test(histories_of_unordered_lists_are_linearizable),
        cmocka_unit_test(histories_of_lists_in_an_allocator_are_linearizable),
        cmocka_unit_test(a_million_rounds_in_a_pool),
        cmocka_unit_test(a_million_rounds_of_a_sequence),
        cmocka_unit_test(a_million_rounds_in_an_allocator),
        cmocka_unit_test(a_list_is_saved_and_loaded),
        cmocka_unit_test(each_operation_tells_its_collisions),
        cmocka_unit_test(wrong_arguments_are_named),
        cmocka_unit_test(nodes_in_an_allocator_are_as_good),
        cmocka_unit_test(an_allocator_gets_its_blocks_back),
        cmocka_unit_test(an_allocator_that_is_full_refuses_item_by_item),
        cmocka_unit_test(a_block_beyond_the_buffer_is_told),
        cmocka_unit_test(kernels_take_nodes_from_an_allocator),
    };
    return fixture_run("list", tests);
}

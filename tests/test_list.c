/* SPDX-License-Identifier: Apache-2.0 */
/* clade_list: each operation has the outcome that some order explains, and the list shows it. */
#include "fixture.h"
#include "list_lin.h"
#include "scratch.h"

#include <clade/list.h>

static clade_list *open_list(struct fixture *f, clade_list_params params)
{
    clade_list *list;
    assert_ok(clade_list_create(&list, f->context, &params));
    return list;
}

static void close_list(clade_list *list)
{
    assert_ok(clade_list_check(list));
    clade_list_destroy(&list);
    assert_null(list);
}

static uint64_t size_of(clade_list *list)
{
    uint64_t size;
    assert_ok(clade_list_size(list, &size));
    return size;
}

/* --- ordered: against an array that says of each key whether it is there, with which value -----
 */

struct model {
    uint32_t key_count;
    uint8_t *there;
    uint32_t *value;
};

static uint64_t widen(uint32_t key, uint32_t key_type)
{
    /* 64-bit keys whose halves both matter, in the same order as the plain ones. */
    return key_type == CLADE_U64 ? (uint64_t)(key / 3) << 32 | (key % 3) * 0x7fffffffu : key;
}

static int32_t model_apply(struct model *m, uint32_t op, uint32_t key, uint32_t *value)
{
    const bool was = m->there[key];
    switch (op) {
    case CLADE_LIST_INSERT:
        if (was)
            return CLADE_LIST_EXISTS;
        m->there[key] = 1;
        m->value[key] = *value;
        return CLADE_OK;
    case CLADE_LIST_PUT:
        m->there[key] = 1;
        m->value[key] = *value;
        return was ? CLADE_LIST_EXISTS : CLADE_OK;
    case CLADE_LIST_REMOVE:
        m->there[key] = 0; /* fall through */
    default:
        if (was)
            *value = m->value[key];
        return was ? CLADE_OK : CLADE_E_NOT_FOUND;
    }
}

static void compare_contents(clade_list *list, const struct model *m, const clade_list_params *p)
{
    const size_t room = m->key_count, key_bytes = CLADE_TYPE_BYTES(p->key);
    char *keys = calloc(room, key_bytes);
    uint32_t *values = calloc(room, sizeof *values);
    uint64_t count, at = 0;
    assert_ok(clade_list_contents(list, keys, p->value ? values : NULL, NULL, room, &count));
    for (uint32_t key = 0; key < m->key_count; key++) {
        uint64_t got = 0, wanted = widen(key, p->key);
        if (!m->there[key])
            continue;
        assert_true(at < count);
        memcpy(&got, keys + at * key_bytes, key_bytes);
        assert_true(got == wanted);
        if (p->value)
            assert_int_equal(values[at], m->value[key]);
        at++;
    }
    assert_int_equal(at, count);
    free(values);
    free(keys);
}

/* One batch: each key at most once, so that the outcome does not depend on the order. */
static void mixed_batch(clade_list *list, struct model *m, const clade_list_params *p,
                        struct random *random, uint32_t count, uint32_t *deck)
{
    const size_t key_bytes = CLADE_TYPE_BYTES(p->key);
    uint32_t *ops = calloc(count, 4), *values = calloc(count, 4), *before = calloc(count, 4);
    char *keys = calloc(count, key_bytes);
    int32_t *statuses = calloc(count, 4);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t pick = i + (uint32_t)random_below(random, m->key_count - i), swap = deck[i];
        deck[i] = deck[pick];
        deck[pick] = swap;
        uint64_t key = widen(deck[i], p->key);
        memcpy(keys + i * key_bytes, &key, key_bytes);
        ops[i] = (uint32_t)random_below(random, p->value ? 5 : 4);
        values[i] = before[i] = (uint32_t)random_next(random);
    }
    assert_ok(clade_list_apply(list, clade_host(ops), clade_host(keys),
                               p->value ? clade_host(values) : clade_no_array(),
                               clade_host(statuses), count, NULL));
    for (uint32_t i = 0; i < count; i++) {
        uint32_t value = before[i];
        assert_int_equal(statuses[i], model_apply(m, ops[i], deck[i], &value));
        if (p->value)
            assert_int_equal(values[i], value);
    }
    free(statuses);
    free(keys);
    free(before);
    free(values);
    free(ops);
}

static void mixed_batches(struct fixture *f, clade_list_params p, uint32_t keys, uint32_t batch,
                          uint32_t batches)
{
    struct random random = random_from(f->seed);
    struct model m = { keys, calloc(keys, 1), calloc(keys, 4) };
    uint32_t *deck = calloc(keys, sizeof *deck);
    for (uint32_t i = 0; i < keys; i++)
        deck[i] = i;
    clade_list *list = open_list(f, p);
    for (uint32_t i = 0; i < batches; i++) {
        mixed_batch(list, &m, &p, &random, 1 + (uint32_t)random_below(&random, batch), deck);
        compare_contents(list, &m, &p);
        assert_ok(clade_list_check(list));
        if (i % 3 == 2)
            assert_ok(clade_list_settle(list, NULL));
    }
    close_list(list);
    free(deck);
    free(m.value);
    free(m.there);
}

static void an_ordered_list_is_a_set(void **state)
{
    struct fixture *f = *state;
    const uint32_t keys = (uint32_t)fixture_scaled(100, 10000, 200000);
    mixed_batches(f, (clade_list_params) { .capacity = 3 * keys, .key = CLADE_U32 }, keys, keys / 2,
                  8);
}

static void an_ordered_list_with_values_is_a_map(void **state)
{
    struct fixture *f = *state;
    const uint32_t keys = (uint32_t)fixture_scaled(100, 10000, 200000);
    mixed_batches(
        f, (clade_list_params) { .capacity = 3 * keys, .key = CLADE_U64, .value = CLADE_U32 }, keys,
        keys / 2, 8);
}

static void walking_from_the_head_does_the_same(void **state)
{
    struct fixture *f = *state;
    const uint32_t keys = (uint32_t)fixture_scaled(60, 500, 2000);
    mixed_batches(
        f,
        (clade_list_params) {
            .capacity = 3 * keys, .key = CLADE_U32, .value = CLADE_U32, .find = CLADE_LIST_WALK },
        keys, keys / 2, 8);
}

/* Ascending keys all go to one place of the list; removing all leaves one run of removed nodes. */
static void ascending_keys_and_removing_all_are_no_cliff(void **state)
{
    struct fixture *f = *state;
    const uint32_t n = (uint32_t)fixture_scaled(600, 50000, 1000000);
    uint32_t *keys = calloc(n, sizeof *keys);
    int32_t *statuses = calloc(n, sizeof *statuses);
    clade_list *list = open_list(f, (clade_list_params) { .capacity = n });
    for (uint32_t i = 0; i < n; i++)
        keys[i] = i * 2 + 1;
    for (int round = 0; round < 2; round++) {
        assert_ok(clade_list_insert(list, clade_host(keys), clade_no_array(), clade_host(statuses),
                                    n, NULL));
        for (uint32_t i = 0; i < n; i++)
            assert_int_equal(statuses[i], CLADE_OK);
        assert_int_equal(size_of(list), n);
        assert_ok(clade_list_contains(list, clade_host(keys), clade_host(statuses), n, NULL));
        for (uint32_t i = 0; i < n; i++)
            assert_int_equal(statuses[i], CLADE_OK);
        assert_ok(clade_list_remove(list, clade_host(keys), clade_host(statuses), n, NULL));
        for (uint32_t i = 0; i < n; i++)
            assert_int_equal(statuses[i], CLADE_OK);
        assert_int_equal(size_of(list), 0);
        assert_ok(clade_list_check(list));
    }
    close_list(list);
    free(statuses);
    free(keys);
}

/* Many items ask for the same few keys at once: of each key, inserts that took effect and removals
 * that did can differ by one. */
static void equal_keys_in_one_batch_take_effect_once(void **state)
{
    struct fixture *f = *state;
    enum { KEYS = 5 };
    const uint32_t n = (uint32_t)fixture_scaled(500, 20000, 200000);
    uint32_t *keys = calloc(n, 4), *ops = calloc(n, 4);
    int32_t *statuses = calloc(n, 4);
    int balance[KEYS] = { 0 };
    struct random random = random_from(f->seed + 1);
    clade_list *list = open_list(f, (clade_list_params) { .capacity = n });
    for (uint32_t i = 0; i < n; i++) {
        keys[i] = (uint32_t)random_below(&random, KEYS);
        ops[i] = random_below(&random, 2) ? CLADE_LIST_INSERT : CLADE_LIST_REMOVE;
    }
    assert_ok(clade_list_apply(list, clade_host(ops), clade_host(keys), clade_no_array(),
                               clade_host(statuses), n, NULL));
    for (uint32_t i = 0; i < n; i++)
        if (statuses[i] == CLADE_OK)
            balance[keys[i]] += ops[i] == CLADE_LIST_INSERT ? 1 : -1;
    uint64_t live = 0;
    for (uint32_t key = 0; key < KEYS; key++) {
        assert_in_range(balance[key], 0, 1);
        live += (uint64_t)balance[key];
    }
    assert_int_equal(size_of(list), live);
    close_list(list);
    free(statuses);
    free(ops);
    free(keys);
}

/* --- unordered ---------------------------------------------------------------------------------
 */

static void assert_sequence(clade_list *list, const uint32_t *wanted, size_t count)
{
    uint32_t got[64];
    uint64_t n;
    assert_ok(clade_list_contents(list, got, NULL, NULL, 64, &n));
    assert_int_equal(n, count);
    assert_memory_equal(got, wanted, count * sizeof *wanted);
}

static void an_unordered_list_keeps_its_sequence(void **state)
{
    struct fixture *f = *state;
    for (uint32_t find = CLADE_LIST_INDEXED; find <= CLADE_LIST_WALK; find++) {
        clade_list *list = open_list(
            f, (clade_list_params) { .capacity = 16, .mode = CLADE_LIST_UNORDERED, .find = find });
        const uint32_t first[] = { 7, 3, 9 }, front[] = { 1, 2 }, target[] = { 3, 2, 77 },
                       behind[] = { 30, 20, 70 }, gone[] = { 3, 3, 1 };
        int32_t statuses[3];
        uint8_t removed[16];
        uint32_t raw[16];
        uint64_t n;
        assert_ok(clade_list_push(list, clade_host(first), clade_no_array(), 3, NULL));
        assert_ok(clade_list_push(list, clade_host(front), clade_no_array(), 2, NULL));
        assert_sequence(list, (const uint32_t[]) { 1, 2, 7, 3, 9 }, 5);
        assert_ok(clade_list_insert_after(list, clade_host(target), clade_host(behind),
                                          clade_host(statuses), 3, NULL));
        assert_int_equal(statuses[0], CLADE_OK);
        assert_int_equal(statuses[1], CLADE_OK);
        assert_int_equal(statuses[2], CLADE_E_NOT_FOUND);
        assert_sequence(list, (const uint32_t[]) { 1, 2, 20, 7, 3, 30, 9 }, 7);
        assert_ok(clade_list_remove(list, clade_host(gone), clade_host(statuses), 3, NULL));
        assert_int_equal(statuses[0] + statuses[1], CLADE_OK + CLADE_E_NOT_FOUND);
        assert_int_equal(statuses[2], CLADE_OK);
        assert_sequence(list, (const uint32_t[]) { 2, 20, 7, 30, 9 }, 5);
        assert_ok(clade_list_contents(list, raw, NULL, removed, 16, &n));
        assert_int_equal(n, 7);
        assert_memory_equal(removed, ((const uint8_t[]) { 1, 0, 0, 0, 1, 0, 0 }), 7);
        assert_ok(clade_list_settle(list, NULL));
        assert_ok(clade_list_contents(list, raw, NULL, removed, 16, &n));
        assert_int_equal(n, 5);
        assert_sequence(list, (const uint32_t[]) { 2, 20, 7, 30, 9 }, 5);
        close_list(list);
    }
}

static void duplicates_are_removed_one_by_one(void **state)
{
    struct fixture *f = *state;
    enum { N = 40 };
    uint32_t values[N], victims[N + 5];
    int32_t statuses[N + 5];
    int done = 0;
    clade_list *list =
        open_list(f, (clade_list_params) { .capacity = N, .mode = CLADE_LIST_UNORDERED });
    for (int i = 0; i < N; i++)
        values[i] = 5;
    for (int i = 0; i < N + 5; i++)
        victims[i] = 5;
    assert_ok(clade_list_push(list, clade_host(values), clade_no_array(), N, NULL));
    assert_int_equal(size_of(list), N);
    assert_ok(clade_list_remove(list, clade_host(victims), clade_host(statuses), N + 5, NULL));
    for (int i = 0; i < N + 5; i++)
        done += statuses[i] == CLADE_OK;
    assert_int_equal(done, N);
    assert_int_equal(size_of(list), 0);
    close_list(list);
}

/* The seed's workload: conservation, and nothing that was removed is there. */
static void inserts_behind_removed_nodes_are_never_lost(void **state)
{
    struct fixture *f = *state;
    const uint32_t nodes = (uint32_t)fixture_scaled(50, 2000, 10000);
    const uint32_t count = nodes * 2;
    uint32_t *initial = calloc(nodes, 4), *ops = calloc(count, 4), *values = calloc(count, 4),
             *targets = calloc(count, 4), *live = calloc(nodes + count, 4);
    uint8_t *is_there = calloc(nodes + count + 1, 1);
    int32_t *statuses = calloc(count, 4);
    struct random random = random_from(f->seed + 2);
    uint64_t n;
    clade_list *list = open_list(
        f, (clade_list_params) { .capacity = nodes + count, .mode = CLADE_LIST_UNORDERED });
    for (uint32_t i = 0; i < nodes; i++) {
        initial[i] = i + 1;
        is_there[i + 1] = 1;
    }
    for (uint32_t i = 0; i < count; i++) {
        const bool is_insert = random_below(&random, 2);
        ops[i] = is_insert ? CLADE_LIST_INSERT_AFTER : CLADE_LIST_REMOVE;
        targets[i] = (uint32_t)random_below(&random, nodes) + 1;
        values[i] = is_insert ? nodes + i + 1 : targets[i];
    }
    assert_ok(clade_list_push(list, clade_host(initial), clade_no_array(), nodes, NULL));
    assert_ok(clade_list_apply(list, clade_host(ops), clade_host(values), clade_host(targets),
                               clade_host(statuses), count, NULL));
    for (uint32_t i = 0; i < count; i++) {
        assert_true(statuses[i] == CLADE_OK || statuses[i] == CLADE_E_NOT_FOUND);
        if (statuses[i] == CLADE_OK) {
            assert_int_equal(is_there[values[i]], ops[i] == CLADE_LIST_REMOVE);
            is_there[values[i]] = ops[i] == CLADE_LIST_INSERT_AFTER;
        }
    }
    for (uint32_t i = 0; i < count; i++) /* who found nothing found a value that was removed */
        if (statuses[i] == CLADE_E_NOT_FOUND)
            assert_false(is_there[targets[i]]);
    assert_ok(clade_list_contents(list, live, NULL, NULL, nodes + count, &n));
    for (uint64_t i = 0; i < n; i++) {
        assert_int_equal(is_there[live[i]], 1);
        is_there[live[i]] = 2;
    }
    for (uint32_t value = 1; value <= nodes + count; value++)
        assert_int_not_equal(is_there[value], 1);
    close_list(list);
    free(statuses);
    free(is_there);
    free(live);
    free(targets);
    free(values);
    free(ops);
    free(initial);
}

/* --- room --------------------------------------------------------------------------------------
 */

/* Each host call by its own name, on a map. */
static void put_replaces_a_value(void **state)
{
    struct fixture *f = *state;
    const uint32_t keys[3] = { 5, 6, 7 }, first[3] = { 50, 60, 70 }, again[3] = { 51, 61, 71 };
    uint32_t values[3] = { 0 };
    int32_t statuses[3];
    clade_list *list = open_list(f, (clade_list_params) { .capacity = 100, .value = CLADE_U32 });
    assert_ok(clade_list_put(list, clade_host(keys), clade_host(first), clade_no_array(), 2, NULL));
    assert_ok(clade_list_put(list, clade_host(keys), clade_host(again), clade_no_array(), 3, NULL));
    assert_int_equal(size_of(list), 3);
    assert_ok(
        clade_list_get(list, clade_host(keys), clade_host(values), clade_host(statuses), 3, NULL));
    for (int i = 0; i < 3; i++)
        assert_true(statuses[i] == CLADE_OK && values[i] == again[i]);
    assert_ok(clade_list_check(list));
    close_list(list);
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
            assert_ok(clade_list_insert(list, clade_host(keys), clade_no_array(),
                                        clade_host(statuses), N, NULL));
        else
            assert_ok(clade_list_push(list, clade_host(keys), clade_host(statuses), N, NULL));
        for (int i = 0; i < N; i++) {
            assert_true(statuses[i] == CLADE_OK || statuses[i] == CLADE_E_FULL);
            full += statuses[i] == CLADE_E_FULL;
        }
        assert_int_equal(full, N - CAPACITY);
        assert_int_equal(size_of(list), CAPACITY);
        /* Without statuses the call tells, and removing makes room again. */
        if (mode == CLADE_LIST_ORDERED)
            assert_fails(clade_list_insert(list, clade_host(keys), clade_no_array(),
                                           clade_no_array(), N, NULL),
                         CLADE_E_FULL);
        else
            assert_fails(clade_list_push(list, clade_host(keys), clade_no_array(), 1, NULL),
                         CLADE_E_FULL);
        assert_message("100");
        assert_ok(clade_list_remove(list, clade_host(keys), clade_host(statuses), N, NULL));
        assert_int_equal(size_of(list), 0);
        if (mode == CLADE_LIST_ORDERED)
            assert_ok(clade_list_insert(list, clade_host(keys), clade_no_array(), clade_no_array(),
                                        CAPACITY, NULL));
        else
            assert_ok(clade_list_push(list, clade_host(keys), clade_no_array(), CAPACITY, NULL));
        assert_int_equal(size_of(list), CAPACITY);
        close_list(list);
    }
}

/* A round inserts and removes the same keys: in all a million removals (normal size, both modes).
 */
static void inserting_and_removing_for_ever_takes_constant_memory(void **state)
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
                assert_ok(clade_list_insert(list, clade_host(values), clade_no_array(),
                                            clade_no_array(), keys, NULL));
            else
                assert_ok(clade_list_push(list, clade_host(values), clade_no_array(), keys, NULL));
            assert_ok(
                clade_list_remove(list, clade_host(values), clade_host(statuses), keys, NULL));
            for (uint32_t i = 0; i < keys; i++)
                assert_int_equal(statuses[i], CLADE_OK);
        }
        assert_int_equal(size_of(list), 0);
        close_list(list);
    }
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
        clade_list_insert(list, clade_device(mem, 0), clade_no_array(), clade_no_array(), N, NULL));
    assert_fails(clade_list_size(list, &size), CLADE_E_FULL);
    assert_int_equal(size_of(list), N / 2);
    assert_ok(clade_list_contains(list, clade_device(mem, 0), clade_device(out, sizeof statuses), N,
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

/* --- histories ---------------------------------------------------------------------------------
 */

static void record_histories(struct fixture *f, enum list_history_kind kind, uint32_t find,
                             size_t items, uint32_t keys, uint32_t ops, int rounds)
{
    clade_list_params p = { .capacity = 4 * items * ops,
                            .mode = kind == LIST_HISTORY_UNORDERED,
                            .value = kind == LIST_HISTORY_MAP ? CLADE_U32 : CLADE_NONE,
                            .find = find };
    clade_list *list = open_list(f, p);
    clade_program *program;
    cl_kernel kernel;
    const size_t count = items * ops, group = items % 8 == 0 ? 8 : 1;
    struct list_record *records = calloc(count, sizeof *records);
    cl_mem mem = clade_list_mem(list), out = fixture_buffer(f, count * sizeof *records, NULL);
    cl_uint kind_arg = kind, zero = 0;
    cl_mem clock = fixture_buffer(f, sizeof zero, &zero);
    char options[160];
    snprintf(options, sizeof options, "%s", clade_list_options(list));
    assert_ok(clade_program_build(
        &program, f->context,
        &(clade_program_params) { .file = "list_history.cl",
                                  .options = options,
                                  .include_path = fixture_kernels(TEST_KERNELS) }));
    assert_ok(clade_program_kernel(&kernel, program, "history"));
    for (int round = 0; round < rounds; round++) {
        lin_report report = { "", SIZE_MAX, SIZE_MAX };
        cl_uint seed = (cl_uint)(f->seed + (uint64_t)round * 77);
        assert_ok(clade_list_clear(list));
        clSetKernelArg(kernel, 0, sizeof mem, &mem);
        clSetKernelArg(kernel, 1, sizeof clock, &clock);
        clSetKernelArg(kernel, 2, sizeof out, &out);
        clSetKernelArg(kernel, 3, sizeof kind_arg, &kind_arg);
        clSetKernelArg(kernel, 4, sizeof keys, &keys);
        clSetKernelArg(kernel, 5, sizeof ops, &ops);
        clSetKernelArg(kernel, 6, sizeof seed, &seed);
        assert_int_equal(clEnqueueNDRangeKernel(clade_context_cl_queue(f->context), kernel, 1, NULL,
                                                &items, &group, 0, NULL, NULL),
                         CL_SUCCESS);
        fixture_read(f, out, 0, records, count * sizeof *records);
        lin_verdict verdict = list_lin_check(records, count, kind, &report);
        if (verdict != LIN_OK)
            print_error("verdict %d: %s (operations %zu, %zu)\n", verdict, report.why, report.op,
                        report.other);
        assert_int_equal(verdict, LIN_OK);
        assert_ok(clade_list_check(list));
        assert_ok(clade_list_settle(list, NULL));
        assert_ok(clade_list_check(list));
    }
    clReleaseKernel(kernel);
    clade_program_destroy(&program);
    clReleaseMemObject(clock);
    clReleaseMemObject(out);
    free(records);
    close_list(list);
}

static void histories_of_sets_are_linearizable(void **state)
{
    struct fixture *f = *state;
    const int rounds = (int)fixture_scaled(1, 10, 50);
    record_histories(f, LIST_HISTORY_SET, CLADE_LIST_INDEXED, fixture_scaled(16, 512, 2048), 6, 40,
                     rounds);
    record_histories(f, LIST_HISTORY_SET, CLADE_LIST_INDEXED, fixture_scaled(16, 512, 2048), 60, 40,
                     rounds);
}

static void histories_of_maps_are_linearizable(void **state)
{
    struct fixture *f = *state;
    record_histories(f, LIST_HISTORY_MAP, CLADE_LIST_INDEXED, fixture_scaled(16, 512, 2048), 6, 40,
                     (int)fixture_scaled(1, 10, 50));
}

static void histories_of_unordered_lists_are_linearizable(void **state)
{
    struct fixture *f = *state;
    for (uint32_t find = CLADE_LIST_INDEXED; find <= CLADE_LIST_WALK; find++)
        record_histories(f, LIST_HISTORY_UNORDERED, find, 8, 3, 7,
                         (int)fixture_scaled(3, 200, 1000));
}

/* --- files and bad input -----------------------------------------------------------------------
 */

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
        clade_list_insert(list, clade_host(keys), clade_host(values), clade_no_array(), 50, NULL));
    assert_ok(clade_list_save(list, path));
    assert_ok(clade_list_load(&again, f->context, path));
    assert_ok(clade_list_contents(again, got, got_values, NULL, 50, &n));
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
            assert_ok(clade_list_push(list, clade_host(&front), clade_no_array(), 1, NULL));
        for (uint32_t i = 0; i < count; i++) {
            ops[i] = i % 4 == 0                   ? CLADE_LIST_CONTAINS
                     : i % 4 == 1                 ? CLADE_LIST_REMOVE
                     : mode == CLADE_LIST_ORDERED ? CLADE_LIST_INSERT
                                                  : CLADE_LIST_INSERT_AFTER;
            keys[i] = mode == CLADE_LIST_ORDERED ? (uint32_t)random_below(&random, 4) : i + 2;
            targets[i] = 1;
            collisions[i] = 0xdeadbeef;
        }
        assert_ok(clade_list_apply_counted(
            list, clade_host(ops), clade_host(keys),
            mode == CLADE_LIST_ORDERED ? clade_no_array() : clade_host(targets),
            clade_host(statuses), clade_host(collisions), count, NULL));
        for (uint32_t i = 0; i < count; i++) {
            sum += collisions[i];
            assert_true(ops[i] != CLADE_LIST_CONTAINS || collisions[i] == 0);
        }
        assert_ok(clade_list_stats_read(list, &stats));
        assert_true(sum == stats.insert_collisions + stats.remove_collisions);
        printf("%s: %llu collisions\n", mode ? "unordered" : "ordered", (unsigned long long)sum);
        close_list(list);
    }
    free(ops);
    free(keys);
    free(targets);
    free(collisions);
    free(statuses);
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
    assert_fails(clade_list_push(list, clade_host(words), clade_no_array(), 1, NULL), CLADE_E_ARG);
    assert_fails(clade_list_insert_after(list, clade_host(words), clade_host(words),
                                         clade_no_array(), 1, NULL),
                 CLADE_E_ARG);
    assert_fails(
        clade_list_insert(list, clade_host(words), clade_host(words), clade_no_array(), 1, NULL),
        CLADE_E_ARG);
    assert_fails(
        clade_list_insert(list, clade_no_array(), clade_no_array(), clade_no_array(), 1, NULL),
        CLADE_E_ARG);
    assert_fails(clade_list_apply(list, clade_no_array(), clade_host(words), clade_no_array(),
                                  clade_no_array(), 1, NULL),
                 CLADE_E_ARG);
    words[0] = CLADE_LIST_INSERT_AFTER; /* not of this mode */
    assert_ok(clade_list_apply(list, clade_host(words), clade_host(words), clade_no_array(),
                               clade_host(statuses), 1, NULL));
    assert_int_equal(statuses[0], CLADE_E_ARG);
    assert_ok(
        clade_list_insert(list, clade_no_array(), clade_no_array(), clade_no_array(), 0, NULL));
    assert_int_equal(size_of(list), 0);
    clade_list_destroy(&list);
    clade_list_destroy(&list);
    clade_list_destroy(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_unordered_list_keeps_its_sequence),
        cmocka_unit_test(an_ordered_list_is_a_set),
        cmocka_unit_test(an_ordered_list_with_values_is_a_map),
        cmocka_unit_test(walking_from_the_head_does_the_same),
        cmocka_unit_test(ascending_keys_and_removing_all_are_no_cliff),
        cmocka_unit_test(equal_keys_in_one_batch_take_effect_once),
        cmocka_unit_test(duplicates_are_removed_one_by_one),
        cmocka_unit_test(inserts_behind_removed_nodes_are_never_lost),
        cmocka_unit_test(put_replaces_a_value),
        cmocka_unit_test(a_full_pool_refuses_item_by_item),
        cmocka_unit_test(inserting_and_removing_for_ever_takes_constant_memory),
        cmocka_unit_test(device_arrays_are_served_without_waiting),
        cmocka_unit_test(histories_of_sets_are_linearizable),
        cmocka_unit_test(histories_of_maps_are_linearizable),
        cmocka_unit_test(histories_of_unordered_lists_are_linearizable),
        cmocka_unit_test(a_list_is_saved_and_loaded),
        cmocka_unit_test(each_operation_tells_its_collisions),
        cmocka_unit_test(wrong_arguments_are_named),
    };
    return fixture_run("list", tests);
}

/* SPDX-License-Identifier: Apache-2.0 */
#include "fixture.h"
#include "model/heap.h"
#include "scratch.h"

#include <clade/heap.h>

/* --- keys, values, and what is expected of them ----------------------------------------------- */

/* Each key has an id, which is its value too where the heap has values: so every pair that comes
 * out is known, and can be ticked off once. */
struct load {
    clade_heap *heap;
    clade_heap_params params;
    struct model_heap model;
    char *keys;     /* bits of the key of each id */
    uint8_t *state; /* of each id: 0 unused, 1 inside, 2 came out */
    size_t ids, room;
    struct random random;
    uint64_t distinct; /* keys are drawn from so many; 0: all bit patterns */
};

static uint64_t bits_at(const void *array, uint32_t type, size_t i)
{
    uint64_t bits = 0;
    size_t bytes = CLADE_TYPE_BYTES(type);
    memcpy(&bits, (const char *)array + i * bytes, bytes);
    return bits;
}

static void put_bits(void *array, uint32_t type, size_t i, uint64_t bits)
{
    size_t bytes = CLADE_TYPE_BYTES(type);
    memcpy((char *)array + i * bytes, &bits, bytes);
}

/* Bit patterns where an order is easily got wrong: least, greatest, zeros, infinities. */
static uint64_t special_bits(uint32_t type, uint64_t pick)
{
    static const uint64_t u32[] = { 0, 1, 0x7fffffff, 0x80000000, 0x80000001, 0xffffffff };
    static const uint64_t f32[] = { 0, 0x80000000, 0x7f800000, 0xff800000,
                                    1, 0x80000001, 0x7f7fffff, 0xff7fffff };
    static const uint64_t u64[] = {
        0, 1, 0x7fffffffffffffff, 0x8000000000000000, 0xffffffffffffffff, 0x100000000, 0xffffffff
    };
    static const uint64_t f64[] = { 0, 0x8000000000000000, 0x7ff0000000000000, 0xfff0000000000000,
                                    1, 0x7fefffffffffffff, 0xffefffffffffffff };
    switch (type) {
    case CLADE_F32:
        return f32[pick % 8];
    case CLADE_F64:
        return f64[pick % 7];
    case CLADE_I64:
    case CLADE_U64:
        return u64[pick % 7];
    default:
        return u32[pick % 6];
    }
}

static uint64_t random_bits(struct load *load)
{
    uint32_t type = load->params.key;
    uint64_t bits, mask = CLADE_TYPE_BYTES(type) == 8 ? UINT64_MAX : UINT32_MAX;
    if (load->distinct > 0)
        return random_below(&load->random, load->distinct);
    if (random_below(&load->random, 8) == 0)
        return special_bits(type, random_next(&load->random));
    do
        bits = random_next(&load->random) & mask;
    while (model_heap_is_nan(type, bits));
    return bits;
}

static void load_open(struct load *load, struct fixture *f, clade_heap_params params, size_t room)
{
    *load = (struct load) { .random = random_from(f->seed), .room = room };
    assert_ok(clade_heap_create(&load->heap, f->context, &params));
    load->params = *clade_heap_params_of(load->heap);
    load->keys = malloc(room * 8);
    load->state = calloc(room, 1);
    assert_true(load->keys && load->state);
}

static void load_close(struct load *load)
{
    clade_heap_destroy(&load->heap);
    assert_null(load->heap);
    model_heap_free(&load->model);
    free(load->keys);
    free(load->state);
}

/* New keys, with ids as values; returns the first id. */
static size_t draw(struct load *load, void *keys, void *values, size_t n)
{
    size_t first = load->ids;
    assert_true(first + n <= load->room);
    for (size_t i = 0; i < n; i++) {
        uint64_t bits = random_bits(load);
        put_bits(load->keys, CLADE_U64, first + i, bits);
        put_bits(keys, load->params.key, i, bits);
        if (values)
            put_bits(values, load->params.value, i, first + i);
    }
    load->ids += n;
    return first;
}

static void *room_for(const struct load *load, uint32_t type, size_t n)
{
    void *array = type == CLADE_NONE ? NULL : malloc((n + 1) * CLADE_TYPE_BYTES(type));
    assert_true(array || type == CLADE_NONE);
    (void)load;
    return array;
}

static void accept(struct load *load, size_t first, size_t n)
{
    for (size_t id = first; id < first + n; id++) {
        load->state[id] = 1;
        model_heap_push(&load->model, model_heap_order(load->params.key, load->params.order,
                                                       bits_at(load->keys, CLADE_U64, id)));
    }
}

static clade_array maybe(const void *array)
{
    return array ? clade_host(array) : clade_no_array();
}

static void insert_some(struct load *load, size_t n)
{
    void *keys = room_for(load, load->params.key, n);
    void *values = room_for(load, load->params.value, n);
    size_t first = draw(load, keys, values, n);
    assert_ok(clade_heap_insert(load->heap, clade_host(keys), maybe(values), n, NULL));
    accept(load, first, n);
    free(keys);
    free(values);
}

/* Keys come in the model's order; values are ids of such keys that were inside. */
static void expect_popped(struct load *load, const void *keys, const void *values, size_t n)
{
    const clade_heap_params *p = &load->params;
    for (size_t i = 0; i < n; i++) {
        uint64_t bits = bits_at(keys, p->key, i);
        assert_int_equal(model_heap_order(p->key, p->order, bits), model_heap_pop(&load->model));
        if (values) {
            uint64_t id = bits_at(values, p->value, i);
            assert_true(id < load->ids);
            assert_int_equal(load->state[id], 1);
            assert_int_equal(bits_at(load->keys, CLADE_U64, id), bits);
            load->state[id] = 2;
        }
    }
}

static void delete_some(struct load *load, size_t n)
{
    void *keys = room_for(load, load->params.key, n);
    void *values = room_for(load, load->params.value, n);
    uint64_t got = UINT64_MAX, expected = n < load->model.count ? n : load->model.count;
    assert_ok(
        clade_heap_delete(load->heap, clade_host(keys), maybe(values), n, clade_host(&got), NULL));
    assert_int_equal(got, expected);
    expect_popped(load, keys, values, (size_t)got);
    free(keys);
    free(values);
}

static void expect_sound(struct load *load)
{
    uint64_t size;
    assert_ok(clade_heap_check(load->heap));
    assert_ok(clade_heap_size(load->heap, &size));
    assert_int_equal(size, load->model.count);
}

/* --- the host API against the model ----------------------------------------------------------- */

/* Random calls of all sizes, around the batch's above all. */
static void run_against_model(struct fixture *f, clade_heap_params params, size_t rounds)
{
    struct load load;
    params.capacity = 40ull * params.batch + 3;
    load_open(&load, f, params, rounds * 9 * params.batch + 64);
    for (size_t round = 0; round < rounds; round++) {
        uint64_t batch = params.batch, kind = random_below(&load.random, 6);
        size_t n = (size_t)(kind == 0   ? batch
                            : kind == 1 ? random_below(&load.random, 8 * batch)
                            : kind == 2 ? random_below(&load.random, batch + 1)
                                        : random_below(&load.random, 3 * batch));
        load.distinct = random_below(&load.random, 4) == 0 ? 3 : 0;
        if (random_below(&load.random, 5) < 3 && load.model.count + n <= params.capacity)
            insert_some(&load, n);
        else
            delete_some(&load, n);
        expect_sound(&load);
    }
    delete_some(&load, load.model.count + 5);
    expect_sound(&load);
    load_close(&load);
}

/* Every key type, value size, order and engine, and the batch sizes 4, 7, 64, 1024, each at least
 * once; not all products of them: a kernel is compiled for each. */
static const clade_heap_params shapes[] = {
    { .key = CLADE_I32, .batch = 64 },
    { .key = CLADE_I32, .batch = 64, .engine = CLADE_HEAP_BOTTOM_UP },
    { .key = CLADE_U32, .value = CLADE_U32, .batch = 7, .order = CLADE_MAX },
    { .key = CLADE_F32, .value = CLADE_U64, .batch = 7, .engine = CLADE_HEAP_BOTTOM_UP },
    { .key = CLADE_I64, .value = CLADE_U32, .batch = 4, .engine = CLADE_HEAP_BOTTOM_UP },
    { .key = CLADE_U64, .batch = 4, .order = CLADE_MAX },
    { .key = CLADE_F64, .value = CLADE_F32, .batch = 64, .order = CLADE_MAX },
    { .key = CLADE_U32, .value = CLADE_U32, .batch = 1024, .engine = CLADE_HEAP_BOTTOM_UP },
};
enum { SHAPES = sizeof shapes / sizeof shapes[0] };

static void calls_agree_with_the_model(void **state)
{
    struct fixture *f = *state;
    size_t count = fixture_is_small() ? 4 : SHAPES;
    for (size_t i = 0; i < count; i++)
        run_against_model(f, shapes[i], fixture_scaled(10, 40, 1000));
}

static void insert_all_then_delete_all_sorts(void **state)
{
    struct fixture *f = *state;
    for (size_t i = 0; i < 2; i++) {
        struct load load;
        clade_heap_params params = shapes[i];
        size_t n = fixture_scaled(700, 100000, 4000000);
        params.capacity = n;
        load_open(&load, f, params, n);
        insert_some(&load, n);
        expect_sound(&load);
        delete_some(&load, n);
        expect_sound(&load);
        load_close(&load);
    }
}

/* --- the edges ----------------------------------------------------------------------------------
 */

static clade_heap *open_i32(struct fixture *f, uint64_t capacity)
{
    clade_heap *heap;
    clade_heap_params params = { .capacity = capacity, .batch = 64 };
    assert_ok(clade_heap_create(&heap, f->context, &params));
    return heap;
}

static void expect_size(clade_heap *heap, uint64_t expected)
{
    uint64_t size;
    assert_ok(clade_heap_size(heap, &size));
    assert_int_equal(size, expected);
}

static void empty_and_one_element(void **state)
{
    struct fixture *f = *state;
    clade_heap *heap = open_i32(f, 1);
    int32_t key = -5, out[3] = { 9, 9, 9 };
    uint64_t got = 7;
    assert_fails(clade_heap_peek(heap, out, NULL), CLADE_E_NOT_FOUND);
    assert_ok(
        clade_heap_delete(heap, clade_host(out), clade_no_array(), 3, clade_host(&got), NULL));
    assert_int_equal(got, 0);
    assert_int_equal(out[0], 9);
    assert_ok(clade_heap_insert(heap, clade_host(&key), clade_no_array(), 1, NULL));
    assert_ok(clade_heap_peek(heap, out, NULL));
    assert_int_equal(out[0], -5);
    expect_size(heap, 1);
    assert_fails(clade_heap_insert(heap, clade_host(&key), clade_no_array(), 1, NULL),
                 CLADE_E_FULL);
    expect_size(heap, 1);
    out[0] = 0;
    assert_ok(
        clade_heap_delete(heap, clade_host(out), clade_no_array(), 3, clade_host(&got), NULL));
    assert_int_equal(got, 1);
    assert_int_equal(out[0], -5);
    assert_int_equal(out[1], 9); /* no more than there was */
    assert_ok(clade_heap_insert(heap, clade_host(&key), clade_no_array(), 0, NULL));
    assert_ok(
        clade_heap_delete(heap, clade_host(out), clade_no_array(), 0, clade_host(&got), NULL));
    assert_int_equal(got, 0);
    assert_ok(clade_heap_check(heap));
    clade_heap_destroy(&heap);
    clade_heap_destroy(&heap);
    clade_heap_destroy(NULL);
}

/* All or none, at every fill: what does not fit leaves no trace. */
static void full_refuses_the_whole_array(void **state)
{
    struct fixture *f = *state;
    enum { CAPACITY = 64 * 5 + 7 };
    int32_t keys[CAPACITY + 1], out[CAPACITY + 1];
    uint64_t got;
    clade_heap_stats stats;
    clade_heap *heap = open_i32(f, CAPACITY);
    for (int i = 0; i <= CAPACITY; i++)
        keys[i] = (i * 37) % 101;
    assert_fails(clade_heap_insert(heap, clade_host(keys), clade_no_array(), CAPACITY + 1, NULL),
                 CLADE_E_FULL);
    assert_message("327");
    for (uint64_t filled = 0; filled <= CAPACITY; filled += 109) {
        assert_fails(clade_heap_insert(heap, clade_host(keys), clade_no_array(),
                                       CAPACITY - filled + 1, NULL),
                     CLADE_E_FULL);
        expect_size(heap, filled);
        assert_ok(clade_heap_check(heap));
        if (filled < CAPACITY)
            assert_ok(clade_heap_insert(heap, clade_host(keys), clade_no_array(),
                                        filled + 109 <= CAPACITY ? 109 : CAPACITY - filled, NULL));
    }
    expect_size(heap, CAPACITY);
    assert_ok(clade_heap_stats_read(heap, &stats));
    assert_true(stats.refused >= 3);
    assert_int_equal(stats.capacity, CAPACITY);
    assert_ok(clade_heap_delete(heap, clade_host(out), clade_no_array(), CAPACITY, clade_host(&got),
                                NULL));
    assert_int_equal(got, CAPACITY);
    for (int i = 1; i < CAPACITY; i++)
        assert_true(out[i - 1] <= out[i]);
    clade_heap_destroy(&heap);
}

static void nan_is_refused_with_its_place(void **state)
{
    struct fixture *f = *state;
    clade_heap *heap;
    clade_heap_params params = {
        .capacity = 1000, .key = CLADE_F32, .value = CLADE_U64, .batch = 7
    };
    uint32_t keys[20], nans[] = { 0x7fc00000, 0xffc00001, 0x7f800001, 0xffffffff };
    uint64_t values[20] = { 0 };
    assert_ok(clade_heap_create(&heap, f->context, &params));
    for (size_t i = 0; i < 4; i++) {
        memset(keys, 0, sizeof keys);
        keys[13] = nans[i];
        assert_fails(clade_heap_insert(heap, clade_host(keys), clade_host(values), 20, NULL),
                     CLADE_E_ARG);
        assert_message("13");
        expect_size(heap, 0);
    }
    keys[13] = 0xff800000; /* infinity is a number */
    assert_ok(clade_heap_insert(heap, clade_host(keys), clade_host(values), 20, NULL));
    assert_ok(clade_heap_check(heap));
    expect_size(heap, 20);
    clade_heap_destroy(&heap);
}

/* Zeros keep their signs, extremes come out: in order, bit by bit. */
static void special_keys_come_out_in_order(void **state)
{
    struct fixture *f = *state;
    static const uint32_t in[] = { 0x00000000, 0x80000000, 0x7f800000, 0xff800000, 0x00000001,
                                   0x80000001, 0x3f800000, 0xbf800000, 0x7f7fffff, 0xff7fffff };
    static const uint32_t sorted[] = { 0xff800000, 0xff7fffff, 0xbf800000, 0x80000001, 0x80000000,
                                       0x00000000, 0x00000001, 0x3f800000, 0x7f7fffff, 0x7f800000 };
    enum { N = sizeof in / sizeof in[0] };
    uint32_t out[N];
    uint64_t values[N] = { 0 }, got;
    clade_heap *heap;
    clade_heap_params params = { .capacity = N, .key = CLADE_F32, .value = CLADE_U64, .batch = 7 };
    assert_ok(clade_heap_create(&heap, f->context, &params));
    assert_ok(clade_heap_insert(heap, clade_host(in), clade_host(values), N, NULL));
    assert_ok(
        clade_heap_delete(heap, clade_host(out), clade_host(values), N, clade_host(&got), NULL));
    assert_int_equal(got, N);
    assert_memory_equal(out, sorted, sizeof sorted);
    clade_heap_destroy(&heap);
}

static void bad_parameters_are_named(void **state)
{
    struct fixture *f = *state;
    clade_heap *heap = (clade_heap *)(uintptr_t)1;
    clade_heap_params params = { 0 };
    assert_fails(clade_heap_create(&heap, f->context, &params), CLADE_E_ARG);
    assert_null(heap);
    assert_message("capacity");
    params = (clade_heap_params) { .capacity = 10, .batch = 3 };
    assert_fails(clade_heap_create(&heap, f->context, &params), CLADE_E_ARG);
    assert_message("batch is 3");
    params = (clade_heap_params) { .capacity = 10, .batch = 1u << 30 };
    assert_fails(clade_heap_create(&heap, f->context, &params), CLADE_E_ARG);
    assert_message("local memory");
    params = (clade_heap_params) { .capacity = 1ull << 60 };
    assert_fails(clade_heap_create(&heap, f->context, &params), CLADE_E_ARG);
    assert_message("the most");
    params = (clade_heap_params) { .capacity = 1ull << 38, .batch = 1024 };
    assert_fails(clade_heap_create(&heap, f->context, &params), CLADE_E_ARG);
    assert_message("limit");
    params = (clade_heap_params) { .capacity = 10, .key = 7 };
    assert_fails(clade_heap_create(&heap, f->context, &params), CLADE_E_ARG);
    params = (clade_heap_params) { .capacity = 10, .value = 7 };
    assert_fails(clade_heap_create(&heap, f->context, &params), CLADE_E_ARG);
    params = (clade_heap_params) { .capacity = 10, .order = 2 };
    assert_fails(clade_heap_create(&heap, f->context, &params), CLADE_E_ARG);
    params = (clade_heap_params) { .capacity = 10, .engine = 2 };
    assert_fails(clade_heap_create(&heap, f->context, &params), CLADE_E_ARG);
    params = (clade_heap_params) { .capacity = 10, .group_size = 1u << 30 };
    assert_fails(clade_heap_create(&heap, f->context, &params), CLADE_E_ARG);
    assert_message("group_size");
    assert_fails(clade_heap_create(NULL, f->context, &params), CLADE_E_ARG);
    assert_fails(clade_heap_create(&heap, NULL, &params), CLADE_E_ARG);
    assert_null(heap);
}

static void bad_arguments_are_named(void **state)
{
    struct fixture *f = *state;
    clade_heap *heap = open_i32(f, 100);
    int32_t key = 1;
    uint64_t got;
    clade_array none = clade_no_array();
    assert_fails(clade_heap_insert(NULL, clade_host(&key), none, 1, NULL), CLADE_E_ARG);
    assert_fails(clade_heap_insert(heap, none, none, 1, NULL), CLADE_E_ARG);
    assert_fails(clade_heap_insert(heap, clade_host(&key), clade_host(&key), 1, NULL), CLADE_E_ARG);
    assert_message("values");
    assert_fails(clade_heap_delete(heap, clade_host(&key), none, 1, none, NULL), CLADE_E_ARG);
    assert_fails(clade_heap_delete(heap, none, none, 1, clade_host(&got), NULL), CLADE_E_ARG);
    assert_fails(clade_heap_size(heap, NULL), CLADE_E_ARG);
    assert_fails(clade_heap_peek(heap, NULL, NULL), CLADE_E_ARG);
    assert_fails(clade_heap_check(NULL), CLADE_E_ARG);
    assert_fails(clade_heap_stats_read(heap, NULL), CLADE_E_ARG);
    assert_fails(clade_heap_save(heap, NULL), CLADE_E_ARG);
    assert_fails(clade_heap_repair(NULL), CLADE_E_ARG);
    assert_null(clade_heap_mem(NULL));
    assert_null(clade_heap_options(NULL));
    assert_ok(clade_heap_repair(heap));
    clade_heap_destroy(&heap);
}

static void clear_empties(void **state)
{
    struct fixture *f = *state;
    int32_t keys[200] = { 3, 1, 2 };
    clade_heap_stats stats;
    clade_heap *heap = open_i32(f, 200);
    assert_ok(clade_heap_insert(heap, clade_host(keys), clade_no_array(), 200, NULL));
    assert_ok(clade_heap_clear(heap));
    assert_ok(clade_heap_check(heap));
    assert_ok(clade_heap_stats_read(heap, &stats));
    assert_int_equal(stats.size, 0);
    assert_int_equal(stats.inserts, 0);
    assert_ok(clade_heap_insert(heap, clade_host(keys), clade_no_array(), 200, NULL));
    expect_size(heap, 200);
    clade_heap_destroy(&heap);
}

/* Device arrays: nothing blocks, order is the queue's, a refusal is told once, later. */
static void device_arrays_are_asynchronous(void **state)
{
    struct fixture *f = *state;
    enum { N = 300 };
    int32_t keys[N], out[N];
    uint64_t got = 0;
    cl_event event = NULL;
    clade_heap *heap = open_i32(f, N);
    for (int i = 0; i < N; i++)
        keys[i] = (i * 7919) % 1009 - 500;
    cl_mem mem = fixture_buffer(f, sizeof keys + 8, NULL), got_mem = fixture_buffer(f, 8, NULL);
    fixture_write(f, mem, 8, keys, sizeof keys);
    const clade_launch launch = { .event = &event };
    assert_ok(clade_heap_insert(heap, clade_device(mem, 8), clade_no_array(), N, &launch));
    assert_non_null(event);
    const clade_launch after = { .wait = &event, .wait_count = 1 };
    assert_ok(
        clade_heap_insert(heap, clade_device(mem, 8), clade_no_array(), 1, &after)); /* full */
    assert_ok(clade_heap_delete(heap, clade_device(mem, 8), clade_no_array(), N,
                                clade_device(got_mem, 0), NULL));
    assert_ok(clade_finish(f->context));
    uint64_t size = 77;
    assert_fails(clade_heap_size(heap, &size), CLADE_E_FULL);
    expect_size(heap, 0);
    fixture_read(f, got_mem, 0, &got, sizeof got);
    assert_int_equal(got, N);
    fixture_read(f, mem, 8, out, sizeof out);
    for (int i = 1; i < N; i++)
        assert_true(out[i - 1] <= out[i]);
    assert_fails(clade_heap_insert(heap, clade_device(mem, 2), clade_no_array(), 1, NULL),
                 CLADE_E_ARG);
    assert_fails(clade_heap_insert(heap, clade_device(mem, 16), clade_no_array(), N, NULL),
                 CLADE_E_ARG);
    clReleaseEvent(event);
    clReleaseMemObject(mem);
    clReleaseMemObject(got_mem);
    clade_heap_destroy(&heap);
}

static void files_bring_the_heap_back(void **state)
{
    struct fixture *f = *state;
    struct load load;
    clade_heap_params params = shapes[2];
    char *folder = scratch_make(), *path = scratch_path(folder, "heap.clade");
    params.capacity = 1000;
    load_open(&load, f, params, 2000);
    insert_some(&load, 700);
    delete_some(&load, 100);
    assert_ok(clade_heap_save(load.heap, path));
    clade_heap_destroy(&load.heap);
    assert_ok(clade_heap_load(&load.heap, f->context, path));
    expect_sound(&load);
    insert_some(&load, 33);
    delete_some(&load, 1000);
    expect_sound(&load);

    /* Every damaged or truncated file is told from a sound one. */
    size_t size;
    char *bytes = scratch_read(path, &size);
    clade_heap *bad = NULL;
    for (size_t at = 0; at < size; at += 1 + size / 24) {
        bytes[at] ^= 4;
        char *damaged = scratch_file(folder, "damaged", bytes, size);
        assert_fails(clade_heap_load(&bad, f->context, damaged), CLADE_E_CORRUPT);
        bytes[at] ^= 4;
        free(damaged);
        char *cut = scratch_file(folder, "cut", bytes, at);
        assert_fails(clade_heap_load(&bad, f->context, cut), CLADE_E_CORRUPT);
        free(cut);
        assert_null(bad);
    }
    char *missing = scratch_path(folder, "missing");
    assert_fails(clade_heap_load(&bad, f->context, missing), CLADE_E_NOT_FOUND);
    assert_fails(clade_heap_save(load.heap, folder), CLADE_E_IO);
    free(missing);
    free(bytes);
    free(path);
    scratch_remove(folder);
    load_close(&load);
}

/* Each planted fault breaks one invariant, and the check must say so. */
static void check_finds_planted_faults(void **state)
{
    struct fixture *f = *state;
    enum { N = 64 * 6 + 10 };
    int32_t keys[N];
    clade_heap *heap = open_i32(f, 1000);
    const uint64_t slots = CLADE_HEAP_KEYS_AT((1000 - 1) / 64 + 1);
    const struct {
        uint64_t offset;
        uint32_t value;
        const char *message;
    } faults[] = {
        { offsetof(clade_heap_head, lock), CLADE_HEAP_HELD, "lock" },
        { offsetof(clade_heap_head, shape), 0, "head" },
        { offsetof(clade_heap_head, count), 99, "count" },
        { offsetof(clade_heap_head, count), 5, "came" },
        { offsetof(clade_heap_head, root), 0, "root" },
        { offsetof(clade_heap_head, buffer), 64, "buffer" },
        { offsetof(clade_heap_head, deleted), 1, "left" },
        { CLADE_HEAP_NODES_AT + 3 * 32, CLADE_HEAP_INUSE, "state" },
        { CLADE_HEAP_NODES_AT + 9 * 32, CLADE_HEAP_AVAIL, "beyond" },
        { CLADE_HEAP_NODES_AT + 4 * 32 + 4, 1, "last key" },
        { slots + 4 * (5 * 64 + 9), 0, "out of order" },
        { slots + 4 * (6 * 64), 0, "parent" },
        { slots, 0, "buffer" },
    };
    for (int i = 0; i < N; i++)
        keys[i] = i;
    assert_ok(clade_heap_insert(heap, clade_host(keys), clade_no_array(), N, NULL));
    assert_ok(clade_heap_check(heap));
    for (size_t i = 0; i < sizeof faults / sizeof faults[0]; i++) {
        uint32_t kept;
        fixture_read(f, clade_heap_mem(heap), faults[i].offset, &kept, 4);
        assert_true(kept != faults[i].value);
        fixture_write(f, clade_heap_mem(heap), faults[i].offset, &faults[i].value, 4);
        assert_fails(clade_heap_check(heap), CLADE_E_CORRUPT);
        assert_message(faults[i].message);
        fixture_write(f, clade_heap_mem(heap), faults[i].offset, &kept, 4);
    }
    assert_ok(clade_heap_check(heap));
    clade_heap_destroy(&heap);
}

/* --- many groups at once, in a user's kernel ----------------------------------------------------
 */

/* One run of tests/cl/heap_stress.cl and what came of it. */
struct stress {
    struct load load;
    uint32_t groups, group_size, rounds, seed, mix, full;
    size_t operations;
    uint32_t *log;
    void *in_keys, *in_values, *out_keys, *out_values;
    size_t inserted, deleted;
};

static cl_kernel build_kernel(struct fixture *f, const char *file, const char *kernel,
                              const char *options)
{
    clade_program *program;
    cl_kernel made;
    const char *folder = getenv("CLADE_TEST_KERNELS");
    char path[512];
    snprintf(path, sizeof path, "%s/%s", folder ? folder : TEST_KERNELS, file);
    const clade_program_params params = { .file = path, .options = options };
    assert_ok(clade_program_build(&program, f->context, &params));
    assert_ok(clade_program_kernel(&made, program, kernel));
    clade_program_destroy(&program);
    return made;
}

static void set_arg(cl_kernel kernel, cl_uint index, size_t size, const void *value)
{
    assert_int_equal(clSetKernelArg(kernel, index, size, value), CL_SUCCESS);
}

static void launch(struct fixture *f, cl_kernel kernel, size_t groups, size_t group_size)
{
    size_t items = groups * group_size;
    cl_command_queue queue = clade_context_cl_queue(f->context);
    assert_int_equal(
        clEnqueueNDRangeKernel(queue, kernel, 1, NULL, &items, &group_size, 0, NULL, NULL),
        CL_SUCCESS);
    assert_int_equal(clFinish(queue), CL_SUCCESS);
}

static void stress_launch(struct stress *s, struct fixture *f, cl_kernel kernel)
{
    const clade_heap_params *p = &s->load.params;
    size_t keys = s->operations * p->batch * CLADE_TYPE_BYTES(p->key);
    size_t values = s->operations * p->batch * CLADE_TYPE_BYTES(p->value);
    size_t log = s->operations * 4 * sizeof *s->log;
    cl_mem heap = clade_heap_mem(s->load.heap);
    cl_mem mems[] = { heap,
                      fixture_buffer(f, keys, s->in_keys),
                      fixture_buffer(f, values, values ? s->in_values : NULL),
                      fixture_buffer(f, keys, s->in_keys),
                      fixture_buffer(f, values, values ? s->in_values : NULL),
                      fixture_buffer(f, log, NULL) };
    const uint32_t numbers[] = { s->seed, s->rounds, s->mix, s->full };
    for (cl_uint i = 0; i < 6; i++)
        set_arg(kernel, i, sizeof mems[i], &mems[i]);
    for (cl_uint i = 0; i < 4; i++)
        set_arg(kernel, 6 + i, sizeof numbers[i], &numbers[i]);
    launch(f, kernel, s->groups, s->group_size);
    fixture_read(f, mems[3], 0, s->out_keys, keys);
    if (values)
        fixture_read(f, mems[4], 0, s->out_values, values);
    fixture_read(f, mems[5], 0, s->log, log);
    for (cl_uint i = 1; i < 6; i++)
        clReleaseMemObject(mems[i]);
}

/* Which ids went in: those of inserts that said so. */
static void stress_take_in(struct stress *s)
{
    for (size_t i = 0; i < s->operations; i++) {
        const uint32_t *entry = s->log + 4 * i;
        int status = (int)entry[1];
        assert_true(status == CLADE_OK || status == CLADE_E_BUSY ||
                    (entry[0] == 1 && status == CLADE_E_FULL));
        if (entry[0] == 1 && status == CLADE_OK) {
            accept(&s->load, i * s->load.params.batch, entry[2]);
            s->inserted += entry[2];
        }
    }
}

/* Deletes gave keys that were put in, each once, in order; ranks are dense. */
static void stress_take_out(struct stress *s, bool ordered)
{
    const clade_heap_params *p = &s->load.params;
    uint32_t *ends = calloc(s->operations * p->batch + 1, sizeof *ends);
    struct model_heap gone = { 0 };
    assert_non_null(ends);
    for (size_t i = 0; i < s->operations; i++) {
        const uint32_t *entry = s->log + 4 * i;
        if (entry[0] != 2 || entry[2] == 0)
            continue;
        assert_int_equal((int)entry[1], CLADE_OK);
        assert_true(entry[3] + entry[2] <= s->operations * p->batch);
        assert_int_equal(ends[entry[3]], 0);
        ends[entry[3]] = entry[3] + entry[2];
        s->deleted += entry[2];
        for (size_t j = 0; j < entry[2]; j++) {
            uint64_t bits = bits_at(s->out_keys, p->key, i * p->batch + j);
            uint64_t rank = model_heap_order(p->key, p->order, bits);
            if (ordered && j > 0)
                assert_true(model_heap_order(p->key, p->order,
                                             bits_at(s->out_keys, p->key, i * p->batch + j - 1)) <=
                            rank);
            model_heap_push(&gone, rank);
            if (p->value != CLADE_NONE) {
                uint64_t id = bits_at(s->out_values, p->value, i * p->batch + j);
                assert_true(id < s->load.ids);
                assert_int_equal(s->load.state[id], 1);
                assert_int_equal(bits_at(s->load.keys, CLADE_U64, id), bits);
                s->load.state[id] = 2;
            }
        }
    }
    size_t at = 0;
    while (ends[at] != 0)
        at = ends[at];
    assert_int_equal(at, s->deleted);
    free(ends);
    /* What is left is all that came less all that went. */
    struct model_heap left = { 0 };
    while (s->load.model.count > 0) {
        uint64_t rank = model_heap_pop(&s->load.model);
        if (gone.count > 0 && gone.orders[0] == rank)
            model_heap_pop(&gone);
        else
            model_heap_push(&left, rank);
    }
    assert_int_equal(gone.count, 0);
    model_heap_free(&gone);
    model_heap_free(&s->load.model);
    s->load.model = left;
}

static void stress_open(struct stress *s, struct fixture *f, clade_heap_params params)
{
    s->operations = (size_t)s->groups * s->rounds;
    size_t room = s->operations * params.batch;
    load_open(&s->load, f, params, room + params.capacity);
    s->load.random = random_from(f->seed + s->seed);
    s->in_keys = room_for(&s->load, params.key, room);
    s->in_values = room_for(&s->load, params.value, room);
    s->out_keys = room_for(&s->load, params.key, room);
    s->out_values = room_for(&s->load, params.value, room);
    s->log = calloc(s->operations * 4, sizeof *s->log);
    assert_non_null(s->log);
    draw(&s->load, s->in_keys, s->in_values, room);
}

static void stress_close(struct stress *s)
{
    free(s->in_keys);
    free(s->in_values);
    free(s->out_keys);
    free(s->out_values);
    free(s->log);
    load_close(&s->load);
}

static void run_stress(struct fixture *f, cl_kernel kernel, struct stress s,
                       clade_heap_params params)
{
    if (getenv("CLADE_TEST_VERBOSE"))
        print_message("key %u value %u batch %u engine %u: %u groups of %u, %u rounds, seed %u\n",
                      params.key, params.value, params.batch, params.engine, s.groups, s.group_size,
                      s.rounds, s.seed);
    stress_open(&s, f, params);
    stress_launch(&s, f, kernel);
    stress_take_in(&s);
    stress_take_out(&s, true);
    expect_sound(&s.load);
    delete_some(&s.load, s.load.model.count + 1);
    expect_sound(&s.load);
    stress_close(&s);
}

/* The options of a heap of these parameters. */
static cl_kernel stress_kernel(struct fixture *f, clade_heap_params params)
{
    clade_heap *heap;
    params.capacity = 1;
    assert_ok(clade_heap_create(&heap, f->context, &params));
    cl_kernel kernel = build_kernel(f, "heap_stress.cl", "heap_stress", clade_heap_options(heap));
    clade_heap_destroy(&heap);
    return kernel;
}

static void groups_conserve_the_multiset(void **state)
{
    struct fixture *f = *state;
    static const struct {
        uint32_t groups, rounds, mix, full, capacity_batches;
    } loads[] = {
        { 1, 60, 140, 128, 100 },  { 2, 60, 128, 0, 100 },   { 7, 40, 160, 256, 200 },
        { 64, 12, 128, 200, 400 }, { 64, 12, 200, 128, 60 }, { 1500, 2, 150, 128, 3000 },
        { 16, 30, 100, 255, 8 },
    };
    static const size_t picks[] = { 0, 1, 2, 3, 4, 7 };
    size_t repetitions = fixture_scaled(1, 2, 100), kinds = fixture_is_small() ? 3 : 6;
    uint32_t gpu_size = f->caps->group_size_max < 128 ? f->caps->group_size_max : 128;
    for (size_t pick = 0; pick < kinds; pick++) {
        clade_heap_params params = shapes[picks[pick]];
        cl_kernel kernel = stress_kernel(f, params);
        for (size_t repeat = 0; repeat < repetitions; repeat++)
            for (size_t i = 0; i < sizeof loads / sizeof loads[0]; i++) {
                uint32_t groups = loads[i].groups, rounds = loads[i].rounds;
                if (fixture_is_small() && groups > 64)
                    groups = 64;
                if (fixture_is_small() || (params.batch > 64 && groups > 64))
                    rounds = rounds / 8 + 1;
                if (params.batch > 64 && groups > 64)
                    groups = 200;
                if (f->caps->loop_limit) { /* waits and loops must end before the driver ends them */
                    groups = groups < 3 ? groups : 3;
                    rounds = 2;
                }
                params.capacity = (uint64_t)loads[i].capacity_batches * params.batch + 1;
                run_stress(
                    f, kernel,
                    (struct stress) { .groups = groups,
                                      .rounds = rounds,
                                      .group_size = f->caps->is_cpu ? 1 + 2 * (i % 2) : gpu_size,
                                      .seed = (uint32_t)(1000 * repeat + i),
                                      .mix = loads[i].mix,
                                      .full = loads[i].full },
                    params);
            }
        clReleaseKernel(kernel);
    }
}

/* With no patience at all, waits give up everywhere: nothing is lost, and repair brings order. */
static void waits_that_give_up_lose_nothing(void **state)
{
    struct fixture *f = *state;
    clade_context *kept = f->context;
    const char *device = getenv("CLADE_DEVICE"), *more = getenv("CLADE_BUILD_OPTIONS");
    char options[256];
    size_t repairs = 0, busy = 0;
    snprintf(options, sizeof options, "-DCLADE_SPIN_LIMIT=2u -DCLADE_HEAP_PATIENCE=1u %s",
             more ? more : "");
    const clade_context_params hasty = { .device =
                                             device && *device ? device : "Portable Computing",
                                         .build_options = options };
    assert_ok(clade_context_create(&f->context, &hasty));
    for (size_t pick = 0; pick < 2; pick++) {
        clade_heap_params params = shapes[pick];
        cl_kernel kernel = stress_kernel(f, params);
        for (uint32_t seed = 0; seed < fixture_scaled(3, 40, 1000); seed++) {
            struct stress s = { .groups = 32, .rounds = 20, .seed = seed, .mix = 150, .full = 220 };
            clade_heap_stats before;
            uint64_t size;
            s.group_size = f->caps->is_cpu ? 1 : 64;
            params.capacity = 64 * 1000;
            stress_open(&s, f, params);
            stress_launch(&s, f, kernel);
            for (size_t i = 0; i < s.operations; i++)
                busy += (int)s.log[4 * i + 1] == CLADE_E_BUSY;
            stress_take_in(&s);
            stress_take_out(&s, false);
            assert_ok(clade_heap_stats_read(s.load.heap, &before));
            assert_int_equal(before.size, s.load.model.count);
            if (clade_heap_check(s.load.heap) == CLADE_E_BUSY) {
                uint64_t got;
                int64_t out;
                repairs++;
                assert_fails(clade_heap_delete(s.load.heap, clade_host(&out), clade_no_array(), 1,
                                               clade_host(&got), NULL),
                             CLADE_E_BUSY);
            }
            assert_ok(clade_heap_repair(s.load.heap));
            assert_ok(clade_heap_check(s.load.heap));
            assert_ok(clade_heap_size(s.load.heap, &size));
            assert_int_equal(size, s.load.model.count);
            stress_close(&s);
        }
        clReleaseKernel(kernel);
    }
    print_message("%zu operations were refused, %zu heaps needed repair\n", busy, repairs);
    clade_context_destroy(&f->context);
    f->context = kept;
}

static void heaps_of_two_types_in_one_kernel(void **state)
{
    struct fixture *f = *state;
    enum { N = 500 };
    clade_heap *words, *longs;
    clade_heap_params params = {
        .capacity = N, .key = CLADE_U32, .value = CLADE_F32, .order = CLADE_MAX, .batch = 32
    };
    assert_ok(clade_heap_create(&words, f->context, &params));
    params = (clade_heap_params) {
        .capacity = N, .key = CLADE_I64, .batch = 16, .engine = CLADE_HEAP_BOTTOM_UP
    };
    assert_ok(clade_heap_create(&longs, f->context, &params));
    uint32_t in[N], count = N;
    int32_t failures[4] = { 0 };
    int64_t out[N];
    uint64_t got;
    for (int i = 0; i < N; i++)
        in[i] = (uint32_t)(i * 7919) % 65521;
    cl_kernel kernel = build_kernel(f, "heap_two.cl", "heap_two", "");
    cl_mem in_mem = fixture_buffer(f, sizeof in, in);
    cl_mem failures_mem = fixture_buffer(f, sizeof failures, failures);
    cl_mem first = clade_heap_mem(words), second = clade_heap_mem(longs);
    set_arg(kernel, 0, sizeof first, &first);
    set_arg(kernel, 1, sizeof second, &second);
    set_arg(kernel, 2, sizeof in_mem, &in_mem);
    set_arg(kernel, 3, sizeof count, &count);
    set_arg(kernel, 4, sizeof failures_mem, &failures_mem);
    launch(f, kernel, 1, f->caps->is_cpu ? 1 : 32);
    fixture_read(f, failures_mem, 0, failures, sizeof failures);
    for (int i = 0; i < 4; i++)
        assert_int_equal(failures[i], 0);
    expect_size(words, 0);
    assert_ok(clade_heap_check(longs));
    assert_ok(
        clade_heap_delete(longs, clade_host(out), clade_no_array(), N, clade_host(&got), NULL));
    assert_int_equal(got, N);
    int64_t sum = 0, expected = 0;
    for (int i = 0; i < N; i++) {
        assert_true(i == 0 || out[i - 1] <= out[i]);
        sum += out[i];
        expected -= 2 * (int64_t)in[i];
    }
    assert_int_equal(sum, expected);
    clReleaseKernel(kernel);
    clReleaseMemObject(in_mem);
    clReleaseMemObject(failures_mem);
    clade_heap_destroy(&words);
    clade_heap_destroy(&longs);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(calls_agree_with_the_model),
        cmocka_unit_test(insert_all_then_delete_all_sorts),
        cmocka_unit_test(empty_and_one_element),
        cmocka_unit_test(full_refuses_the_whole_array),
        cmocka_unit_test(nan_is_refused_with_its_place),
        cmocka_unit_test(special_keys_come_out_in_order),
        cmocka_unit_test(bad_parameters_are_named),
        cmocka_unit_test(bad_arguments_are_named),
        cmocka_unit_test(clear_empties),
        cmocka_unit_test(device_arrays_are_asynchronous),
        cmocka_unit_test(files_bring_the_heap_back),
        cmocka_unit_test(check_finds_planted_faults),
        cmocka_unit_test(heaps_of_two_types_in_one_kernel),
        cmocka_unit_test(groups_conserve_the_multiset),
        cmocka_unit_test(waits_that_give_up_lose_nothing),
    };
    cmocka_set_test_filter(getenv("CLADE_TEST_FILTER")); /* NULL: all */
    return fixture_run("heap", tests);
}

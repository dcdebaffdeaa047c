/* SPDX-License-Identifier: Apache-2.0 */
/* The host API, call by call, against a model. */
#include "harness/fixture.h"
#include "harness/scratch.h"
#include "heap/heap_load.h"

#include "heap/heap.h"
#include <clade/heap.h>

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
            load_insert(&load, n);
        else
            load_pop(&load, n);
        load_expect_sound(&load);
    }
    load_pop(&load, load.model.count + 5);
    load_expect_sound(&load);
    load_close(&load);
}

static void calls_agree_with_the_model(void **state)
{
    struct fixture *f = *state;
    size_t count = fixture_is_small() ? 4 : HEAP_SHAPES;
    for (size_t i = 0; i < count; i++)
        run_against_model(f, heap_shapes[i], fixture_scaled(10, 40, 1000));
}

/* A driver that leaves long loops leaves none of these: groups of few items do fewer batches in a
 * launch, and batches that are too large for one are refused. */
static void groups_of_few_items_end_their_loops(void **state)
{
    struct fixture *f = *state;
    const clade_heap_params shapes[] = {
        { .batch = 256, .group_size = 1 },
        { .batch = 512, .group_size = 4, .engine = CLADE_HEAP_BOTTOM_UP }
    };
    clade_heap *heap = NULL;
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
        struct load load;
        clade_heap_params params = shapes[i];
        params.capacity = 40ull * params.batch;
        load_open(&load, f, params, params.capacity);
        load_insert(&load, 39 * params.batch + 7);
        load_expect_sound(&load);
        load_pop(&load, params.capacity);
        load_expect_sound(&load);
        load_close(&load);
    }
    if (f->caps->loop_limit == 0)
        return;
    assert_fails(clade_heap_create(
                     &heap, f->context,
                     &(clade_heap_params) { .capacity = 50000, .batch = 1024, .group_size = 1 }),
                 CLADE_E_UNSUPPORTED);
    assert_message("batches of 1024 keys by groups of 1 items need longer loops");
}

/* The first keys go in without a kernel when they are few. Kernels that come later find them as
 * inserts of theirs would have left them. */
static void insert_few(struct fixture *f, clade_heap_params params, size_t few)
{
    struct load load;
    clade_heap_stats stats;
    params.capacity = 40ull * params.batch;
    load_open(&load, f, params, 8 * params.batch);
    load_insert(&load, few);
    load_expect_sound(&load);
    assert_ok(clade_heap_stats_read(load.heap, &stats));
    assert_int_equal(stats.inserts, (few + params.batch - 1) / params.batch);
    if (load.heap->params.engine != CLADE_HEAP_FRONT)
        for (size_t kernel = 0; kernel < HEAP_KERNELS; kernel++)
            assert_null(load.heap->kernels[kernel]);
    load_insert(&load, 2 * params.batch);
    load_expect_sound(&load);
    load_pop(&load, few + 2 * params.batch);
    load_expect_sound(&load);
    load_close(&load);
}

static void few_keys_need_no_kernel(void **state)
{
    struct fixture *f = *state;
    size_t count = fixture_is_small() ? 4 : HEAP_SHAPES;
    for (size_t i = 0; i < count; i++) {
        const size_t batch = heap_shapes[i].batch;
        const size_t few[] = { batch - 1, batch, 2 * batch + 1, 4 * batch - 1 };
        insert_few(f, heap_shapes[i], few[i % 4]);
        insert_few(f, heap_shapes[i], few[(i + 2) % 4]);
    }
}

static uint64_t pops_of(const struct load *load)
{
    clade_heap_stats stats;
    assert_ok(clade_heap_stats_read(load->heap, &stats));
    return stats.pops;
}

/* As many batches as are asked for, but for those after the first that finds too few keys. */
static void pop_on_host(struct load *load, size_t asked)
{
    const size_t batch = load->params.batch, inside = load->model.count;
    const size_t got = asked < inside ? asked : inside;
    const size_t batches = (asked + batch - 1) / batch;
    const uint64_t before = pops_of(load);
    load_pop(load, asked);
    load_expect_sound(load);
    assert_int_equal(pops_of(load) - before, batches < got / batch + 1 ? batches : got / batch + 1);
    for (size_t kernel = 0; kernel < HEAP_KERNELS; kernel++)
        assert_null(load->heap->kernels[kernel]);
}

/* Parts of a root, whole roots with and without a buffer, more than there is, from an empty heap.
 * Then so many pops that a kernel does them. */
static void pop_few(struct fixture *f, clade_heap_params params)
{
    const size_t batch = params.batch;
    const size_t asked[] = { 1, batch - 1, batch / 2 + 1, batch + 1, 1, 4 * batch, 1 };
    struct load load;
    params.capacity = 40ull * batch;
    load_open(&load, f, params, 16 * batch);
    for (int round = 0; round < 2; round++) {
        load_insert(&load, 4 * batch - 1 - round * batch / 2);
        for (size_t i = 0; i < sizeof asked / sizeof asked[0]; i++)
            pop_on_host(&load, asked[i]);
    }
    load_insert(&load, batch);
    pop_on_host(&load, 1);
    pop_on_host(&load, 1);
    load_pop(&load, 2);
    load_expect_sound(&load);
    assert_int_equal(load.heap->host_pops, 16);
    assert_non_null(load.heap->kernels[cladei_heap_steps(load.heap) ? HEAP_STEP : HEAP_POP]);
    load_insert(&load, 2 * batch);
    load_expect_sound(&load);
    load_pop(&load, 3 * batch);
    load_expect_sound(&load);
    load_close(&load);
}

static void few_pops_need_no_kernel(void **state)
{
    struct fixture *f = *state;
    size_t count = fixture_is_small() ? 4 : HEAP_SHAPES;
    for (size_t i = 0; i < count; i++)
        if (heap_shapes[i].engine != CLADE_HEAP_FRONT)
            pop_few(f, heap_shapes[i]);
}

/* Not when the keys lie in device memory, when the heap is wide, or when a kernel is there. */
static void other_pops_take_the_kernel(void **state)
{
    struct fixture *f = *state;
    const clade_heap_params wide = {
        .capacity = 1 << 20, .batch = 64, .value = CLADE_U32, .engine = CLADE_HEAP_TOP_DOWN
    };
    struct load load;
    load_open(&load, f, wide, 400);
    load_insert(&load, 100);
    load_pop(&load, 1);
    assert_int_equal(load.heap->host_pops, 0);
    load_pop(&load, 99);
    load_insert(&load, 100);
    load_pop(&load, 100);
    assert_int_equal(load.heap->host_pops, 0);
    load_close(&load);
}

static void insert_all_then_pop_all_sorts(void **state)
{
    struct fixture *f = *state;
    for (size_t i = 0; i < 2; i++) {
        struct load load;
        clade_heap_params params = heap_shapes[i];
        size_t n = fixture_scaled(700, 100000, 4000000);
        params.capacity = n;
        load_open(&load, f, params, n);
        load_insert(&load, n);
        load_expect_sound(&load);
        load_pop(&load, n);
        load_expect_sound(&load);
        load_close(&load);
    }
}

/* --- the edges -------------------------------------------------------------------------------- */

static clade_heap *open_i32(struct fixture *f, uint64_t capacity)
{
    clade_heap *heap;
    clade_heap_params params = { .capacity = capacity, .batch = 64, .engine = CLADE_HEAP_TOP_DOWN };
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
    assert_ok(clade_heap_pop(heap, clade_host(out), clade_no_array(), 3, clade_host(&got), NULL));
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
    assert_ok(clade_heap_pop(heap, clade_host(out), clade_no_array(), 3, clade_host(&got), NULL));
    assert_int_equal(got, 1);
    assert_int_equal(out[0], -5);
    assert_int_equal(out[1], 9); /* no more than there was */
    assert_ok(clade_heap_insert(heap, clade_host(&key), clade_no_array(), 0, NULL));
    assert_ok(clade_heap_pop(heap, clade_host(out), clade_no_array(), 0, clade_host(&got), NULL));
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
    uint64_t got = 0;
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
    assert_ok(
        clade_heap_pop(heap, clade_host(out), clade_no_array(), CAPACITY, clade_host(&got), NULL));
    assert_int_equal(got, CAPACITY);
    for (int i = 1; i < CAPACITY; i++)
        assert_true(out[i - 1] <= out[i]);
    clade_heap_destroy(&heap);
}

static void nan_is_refused_with_its_place(void **state)
{
    struct fixture *f = *state;
    clade_heap *heap;
    clade_heap_params params = { .capacity = 1000,
                                 .key = CLADE_F32,
                                 .value = CLADE_U64,
                                 .batch = 7,
                                 .engine = CLADE_HEAP_TOP_DOWN };
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
    uint64_t values[N] = { 0 }, got = 0;
    clade_heap *heap;
    clade_heap_params params = { .capacity = N,
                                 .key = CLADE_F32,
                                 .value = CLADE_U64,
                                 .batch = 7,
                                 .engine = CLADE_HEAP_TOP_DOWN };
    assert_ok(clade_heap_create(&heap, f->context, &params));
    assert_ok(clade_heap_insert(heap, clade_host(in), clade_host(values), N, NULL));
    assert_ok(clade_heap_pop(heap, clade_host(out), clade_host(values), N, clade_host(&got), NULL));
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
    params = (clade_heap_params) { .capacity = 10, .engine = 4 };
    assert_fails(clade_heap_create(&heap, f->context, &params), CLADE_E_ARG);
    params =
        (clade_heap_params) { .capacity = 10, .engine = CLADE_HEAP_FRONT, .atomic_inserts = 1 };
    assert_fails(clade_heap_create(&heap, f->context, &params), CLADE_E_ARG);
    assert_message("atomic");
    params = (clade_heap_params) { .capacity = 10, .group_size = 1u << 30 };
    assert_fails(clade_heap_create(&heap, f->context, &params), CLADE_E_ARG);
    assert_message("group_size");
    assert_fails(clade_heap_create(NULL, f->context, &params), CLADE_E_ARG);
    assert_fails(clade_heap_create(&heap, NULL, &params), CLADE_E_ARG);
    assert_null(heap);
}

/* Nobody gets the front engine who has not room enough for it to pay what it costs to compile, or
 * who asks for what it cannot do; on a CPU nobody does who does not ask for it. */
static void the_engine_suits_what_is_asked(void **state)
{
    struct fixture *f = *state;
    const bool front = !f->caps->is_cpu && !f->caps->loop_limit;
    static const char *const options[] = { "-DCLADE_HEAP_ENGINE=1", "-DCLADE_HEAP_ENGINE=3" };
    static const clade_heap_params asked[] = {
        { .capacity = 1000, .batch = 64 },
        { .capacity = 1u << 22, .batch = 64, .atomic_inserts = 1 },
        { .capacity = 1u << 22, .batch = 64, .heaps = 2 },
        { .capacity = 1u << 22, .batch = 64, .engine = CLADE_HEAP_TOP_DOWN },
        { .capacity = 1u << 21, .batch = 64 },
        { .capacity = 1u << 22, .batch = 64 },
    };
    enum { ASKED = sizeof asked / sizeof asked[0] };
    for (size_t i = 0; i < ASKED; i++) {
        clade_heap *heap;
        const bool is_front = front && i == ASKED - 1;
        assert_ok(clade_heap_create(&heap, f->context, &asked[i]));
        assert_int_equal(clade_heap_params_of(heap)->engine,
                         is_front ? CLADE_HEAP_FRONT : CLADE_HEAP_TOP_DOWN);
        assert_non_null(strstr(clade_heap_options(heap), options[is_front]));
        clade_heap_destroy(&heap);
    }
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
    assert_fails(clade_heap_pop(heap, clade_host(&key), none, 1, none, NULL), CLADE_E_ARG);
    assert_fails(clade_heap_pop(heap, none, none, 1, clade_host(&got), NULL), CLADE_E_ARG);
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
    assert_ok(clade_heap_clear(heap, NULL));
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
    assert_ok(clade_heap_pop(heap, clade_device(mem, 8), clade_no_array(), N,
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
    clade_heap_params params = heap_shapes[2];
    char *folder = scratch_make(), *path = scratch_path(folder, "heap.clade");
    params.capacity = 1000;
    load_open(&load, f, params, 2000);
    load_insert(&load, 700);
    load_pop(&load, 100);
    assert_ok(clade_heap_save(load.heap, path));
    clade_heap_destroy(&load.heap);
    assert_ok(clade_heap_load(&load.heap, f->context, path));
    load_expect_sound(&load);
    load_insert(&load, 33);
    load_pop(&load, 1000);
    load_expect_sound(&load);

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
        { offsetof(clade_heap_head, object.shape), 0, "head" },
        { offsetof(clade_heap_head, count), 99, "count" },
        { offsetof(clade_heap_head, count), 5, "came" },
        { offsetof(clade_heap_head, root), 0, "root" },
        { offsetof(clade_heap_head, buffer), 64, "buffer" },
        { offsetof(clade_heap_head, popped), 1, "left" },
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

/* A head that no heap has is told before a file is written by what it says. */
static void damaged_heads_are_not_saved(void **state)
{
    struct fixture *f = *state;
    const struct {
        uint64_t offset;
        uint32_t value;
        const char *message;
    } faults[] = {
        { offsetof(clade_heap_head, lock), CLADE_HEAP_HELD, "lock" },
        { offsetof(clade_heap_head, count), 99, "count" },
        { offsetof(clade_heap_head, root), UINT32_MAX, "root" },
        { offsetof(clade_heap_head, buffer), UINT32_MAX, "buffer" },
        { offsetof(clade_heap_head, popped), 1, "left" },
    };
    int32_t keys[200] = { 0 };
    clade_heap *heap = open_i32(f, 1000), *loaded = NULL;
    char *folder = scratch_make(), *path = scratch_path(folder, "heap.clade");
    assert_ok(clade_heap_insert(heap, clade_host(keys), clade_no_array(), 200, NULL));
    for (size_t i = 0; i < sizeof faults / sizeof faults[0]; i++) {
        uint32_t kept;
        fixture_read(f, clade_heap_mem(heap), faults[i].offset, &kept, 4);
        fixture_write(f, clade_heap_mem(heap), faults[i].offset, &faults[i].value, 4);
        assert_fails(clade_heap_save(heap, path), CLADE_E_CORRUPT);
        assert_message(faults[i].message);
        fixture_write(f, clade_heap_mem(heap), faults[i].offset, &kept, 4);
    }
    assert_fails(clade_heap_load(&loaded, f->context, path), CLADE_E_NOT_FOUND);
    assert_ok(clade_heap_save(heap, path));
    assert_ok(clade_heap_load(&loaded, f->context, path));
    clade_heap_destroy(&loaded);
    clade_heap_destroy(&heap);
    free(path);
    scratch_remove(folder);
}

/* A repair reads what the head says is there: not beyond what is. */
static void damaged_heads_are_not_repaired(void **state)
{
    struct fixture *f = *state;
    const struct {
        uint64_t offset;
        uint32_t value;
    } faults[] = {
        { offsetof(clade_heap_head, count), 1u << 24 },
        { offsetof(clade_heap_head, root), UINT32_MAX },
        { offsetof(clade_heap_head, buffer), 1u << 24 },
    };
    const uint32_t given_up = CLADE_HEAP_REPAIR_SIFT;
    int32_t keys[200] = { 0 };
    clade_heap *heap = open_i32(f, 1000);
    assert_ok(clade_heap_insert(heap, clade_host(keys), clade_no_array(), 200, NULL));
    fixture_write(f, clade_heap_mem(heap), offsetof(clade_heap_head, repair), &given_up, 4);
    for (size_t i = 0; i < sizeof faults / sizeof faults[0]; i++) {
        uint32_t kept;
        fixture_read(f, clade_heap_mem(heap), faults[i].offset, &kept, 4);
        fixture_write(f, clade_heap_mem(heap), faults[i].offset, &faults[i].value, 4);
        assert_fails(clade_heap_repair(heap), CLADE_E_CORRUPT);
        fixture_write(f, clade_heap_mem(heap), faults[i].offset, &kept, 4);
    }
    assert_ok(clade_heap_repair(heap));
    assert_ok(clade_heap_check(heap));
    clade_heap_destroy(&heap);
}

/* Nor is the front engine, which has no nodes: what it holds is not written over. */
static void a_front_engine_is_not_repaired(void **state)
{
    struct fixture *f = *state;
    const uint32_t given_up = CLADE_HEAP_REPAIR_SIFT, sound = 0, key = 7;
    const clade_heap_params params = {
        .capacity = 1000, .batch = 16, .key = CLADE_U32, .engine = CLADE_HEAP_FRONT
    };
    clade_heap *heap = NULL;
    assert_ok(clade_heap_create(&heap, f->context, &params));
    assert_ok(clade_heap_insert(heap, clade_host(&key), clade_no_array(), 1, NULL));
    fixture_write(f, clade_heap_mem(heap), offsetof(clade_heap_head, repair), &given_up, 4);
    assert_fails(clade_heap_repair(heap), CLADE_E_CORRUPT);
    assert_message("front engine");
    fixture_write(f, clade_heap_mem(heap), offsetof(clade_heap_head, repair), &sound, 4);
    assert_ok(clade_heap_check(heap));
    clade_heap_destroy(&heap);
}

/* Leaf 0 of the front engine is none, and looks like an empty one: who went astray there is told.
 */
static void traces_at_leaf_0_are_found(void **state)
{
    struct fixture *f = *state;
    clade_heap *heap = NULL;
    const uint32_t key = 7;
    const clade_heap_params params = {
        .capacity = 1000, .batch = 16, .key = CLADE_U32, .engine = CLADE_HEAP_FRONT
    };
    uint32_t head[CLADE_FRONT_HEAD_WORDS];
    assert_ok(clade_heap_create(&heap, f->context, &params));
    assert_ok(clade_heap_insert(heap, clade_host(&key), clade_no_array(), 1, NULL));
    assert_ok(clade_heap_check(heap));
    fixture_read(f, clade_heap_mem(heap), 0, head, sizeof head);
    const struct {
        size_t line;
        uint32_t word, bits;
        const char *message;
    } traces[] = {
        { head[CLADE_FRONT_C_LEAVES], CLADE_FRONT_L_COUNT, CLADE_FRONT_FROZEN, "leaf 0" },
        { head[CLADE_FRONT_C_LEAVES], CLADE_FRONT_L_STAMP, 1, "leaf 0" },
        { head[CLADE_FRONT_C_BITS + CLADE_FRONT_POOL_LEAVES], 0, 1, "unit 0" },
        { head[CLADE_FRONT_C_BITS + CLADE_FRONT_POOL_DIRS], 0, 1, "unit 0" },
    };
    for (size_t i = 0; i < sizeof traces / sizeof traces[0]; i++) {
        const size_t at = 4 * (traces[i].line * CLADE_FRONT_LINE + traces[i].word);
        uint32_t was, now;
        fixture_read(f, clade_heap_mem(heap), at, &was, 4);
        now = was | traces[i].bits;
        fixture_write(f, clade_heap_mem(heap), at, &now, 4);
        assert_fails(clade_heap_check(heap), CLADE_E_CORRUPT);
        assert_message(traces[i].message);
        fixture_write(f, clade_heap_mem(heap), at, &was, 4);
    }
    assert_ok(clade_heap_check(heap));
    clade_heap_destroy(&heap);
}

/* Two elements of a buffer of the heap change places. */
static void swap_at(struct fixture *f, clade_heap *heap, uint64_t at, uint32_t type, uint64_t i,
                    uint64_t j)
{
    const size_t bytes = CLADE_TYPE_BYTES(type);
    char one[8], other[8];
    if (bytes == 0)
        return;
    fixture_read(f, clade_heap_mem(heap), at + i * bytes, one, bytes);
    fixture_read(f, clade_heap_mem(heap), at + j * bytes, other, bytes);
    fixture_write(f, clade_heap_mem(heap), at + i * bytes, other, bytes);
    fixture_write(f, clade_heap_mem(heap), at + j * bytes, one, bytes);
}

/* As after a wait that gave up in mid-operation: keys lie in wrong nodes, and `repair` says so.
 * Every call is refused until the repair, and then every key is there with its value. */
static void repair_puts_the_keys_in_order(void **state)
{
    struct fixture *f = *state;
    for (size_t i = 0; i < 3; i++) { /* with values: the last */
        struct load load;
        clade_heap_params params = heap_shapes[i];
        const uint64_t batch = params.batch, n = 6 * batch + batch / 2;
        const uint32_t given_up = CLADE_HEAP_REPAIR_SIFT;
        const int32_t key = 0;
        uint64_t size;
        params.capacity = 10 * batch;
        load_open(&load, f, params, n);
        load_insert(&load, n);
        for (uint64_t k = 0; k < batch; k += 3) { /* nodes 2 and 6 */
            swap_at(f, load.heap, cladei_heap_keys_at(load.heap), params.key, 2 * batch + k,
                    6 * batch + k);
            swap_at(f, load.heap, cladei_heap_values_at(load.heap), params.value, 2 * batch + k,
                    6 * batch + k);
        }
        assert_fails(clade_heap_check(load.heap), CLADE_E_CORRUPT);
        fixture_write(f, clade_heap_mem(load.heap), offsetof(clade_heap_head, repair), &given_up,
                      4);
        assert_fails(clade_heap_check(load.heap), CLADE_E_BUSY);
        assert_fails(clade_heap_insert(load.heap, clade_host(&key),
                                       params.value ? clade_host(&key) : clade_no_array(), 1, NULL),
                     CLADE_E_BUSY);
        assert_ok(clade_heap_repair(load.heap));
        assert_ok(clade_heap_size(load.heap, &size));
        assert_int_equal(size, n);
        load_expect_sound(&load);
        load_pop(&load, n);
        load_expect_sound(&load);
        load_close(&load);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(calls_agree_with_the_model),
        cmocka_unit_test(groups_of_few_items_end_their_loops),
        cmocka_unit_test(few_keys_need_no_kernel),
        cmocka_unit_test(few_pops_need_no_kernel),
        cmocka_unit_test(other_pops_take_the_kernel),
        cmocka_unit_test(insert_all_then_pop_all_sorts),
        cmocka_unit_test(empty_and_one_element),
        cmocka_unit_test(full_refuses_the_whole_array),
        cmocka_unit_test(nan_is_refused_with_its_place),
        cmocka_unit_test(special_keys_come_out_in_order),
        cmocka_unit_test(bad_parameters_are_named),
        cmocka_unit_test(the_engine_suits_what_is_asked),
        cmocka_unit_test(bad_arguments_are_named),
        cmocka_unit_test(clear_empties),
        cmocka_unit_test(device_arrays_are_asynchronous),
        cmocka_unit_test(files_bring_the_heap_back),
        cmocka_unit_test(check_finds_planted_faults),
        cmocka_unit_test(damaged_heads_are_not_saved),
        cmocka_unit_test(damaged_heads_are_not_repaired),
        cmocka_unit_test(a_front_engine_is_not_repaired),
        cmocka_unit_test(traces_at_leaf_0_are_found),
        cmocka_unit_test(repair_puts_the_keys_in_order),
    };
    return fixture_run("heap", tests);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Many groups at once, in a user's kernel (tests/heap/heap_stress.cl). */
#include "harness/fixture.h"
#include "heap/heap_load.h"

#include <clade/heap.h>

/* One run of tests/heap/heap_stress.cl and what came of it. */
struct stress {
    struct load load;
    uint32_t groups, group_size, rounds, seed, mix, full;
    size_t operations;
    uint32_t *log;
    void *in_keys, *in_values, *out_keys, *out_values;
    size_t inserted, popped;
};

static cl_kernel build_kernel(struct fixture *f, const char *file, const char *kernel,
                              const char *options)
{
    clade_program *program;
    cl_kernel made;
    char path[512];
    snprintf(path, sizeof path, "%s/%s", fixture_kernels(TEST_KERNELS), file);
    const clade_program_params params = { .file = path, .options = options };
    assert_ok(clade_program_build(&program, f->context, &params));
    assert_ok(clade_program_kernel(&made, program, kernel));
    clade_program_destroy(&program);
    return made;
}

static void launch(struct fixture *f, cl_kernel kernel, size_t groups, size_t group_size)
{
    fixture_launch(f, kernel, groups * group_size, group_size);
    assert_ok(clade_finish(f->context));
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
        fixture_arg(kernel, i, mems[i]);
    for (cl_uint i = 0; i < 4; i++)
        fixture_arg(kernel, 6 + i, numbers[i]);
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
            load_accept(&s->load, i * s->load.params.batch, entry[2]);
            s->inserted += entry[2];
        }
    }
}

/* Pops gave keys that were put in, each once, in order; ranks are dense. */
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
        s->popped += entry[2];
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
    assert_int_equal(at, s->popped);
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
    s->in_keys = room_for(params.key, room);
    s->in_values = room_for(params.value, room);
    s->out_keys = room_for(params.key, room);
    s->out_values = room_for(params.value, room);
    s->log = calloc(s->operations * 4, sizeof *s->log);
    assert_non_null(s->log);
    load_draw(&s->load, s->in_keys, s->in_values, room);
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

/* A driver that ends loops ends waits, too, and the heap then asks for repair. Whether it did. */
static bool mend_ended_waits(const struct fixture *f, struct stress *s)
{
    if (f->caps->loop_limit == 0 || clade_heap_check(s->load.heap) != CLADE_E_BUSY)
        return false;
    print_message("the driver ended a wait: the heap is repaired\n");
    assert_ok(clade_heap_repair(s->load.heap));
    return true;
}

/* Whether keys went in and keys came out: under waits that give up none need to. */
static bool run_stress(struct fixture *f, cl_kernel kernel, struct stress s,
                       clade_heap_params params)
{
    if (getenv("CLADE_TEST_VERBOSE"))
        print_message("key %u value %u batch %u engine %u: %u groups of %u, %u rounds, seed %u\n",
                      params.key, params.value, params.batch, params.engine, s.groups, s.group_size,
                      s.rounds, s.seed);
    stress_open(&s, f, params);
    stress_launch(&s, f, kernel);
    stress_take_in(&s);
    stress_take_out(&s, !mend_ended_waits(f, &s));
    load_expect_sound(&s.load);
    load_pop(&s.load, s.load.model.count + 1);
    load_expect_sound(&s.load);
    stress_close(&s);
    return s.inserted > 0 && s.popped > 0;
}

/* The options of a heap of these parameters. */
static cl_kernel stress_kernel(struct fixture *f, clade_heap_params params)
{
    clade_heap *heap;
    params.capacity = 1;
    assert_ok(clade_heap_create(&heap, f->context, &params));
    cl_kernel kernel = build_kernel(f, "heap/heap_stress.cl", "heap_stress", clade_heap_options(heap));
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
    size_t repetitions = fixture_scaled(1, 2, 100);
    /* A shape is a program, compiled in five seconds, by llvmpipe in ten and more. */
    size_t kinds = !fixture_is_small() ? 6 : f->caps->loop_limit ? 1 : 2;
    uint32_t gpu_size = f->caps->group_size_max < 128 ? f->caps->group_size_max : 128;
    for (size_t pick = 0; pick < kinds; pick++) {
        clade_heap_params params = heap_shapes[picks[pick]];
        cl_kernel kernel = stress_kernel(f, params);
        size_t moved = 0;
        for (size_t repeat = 0; repeat < repetitions; repeat++) {
            if (repetitions > 2)
                print_message(
                    "shape %zu, repetition %zu of %zu: CLADE_TEST_SEED=%llu, seeds from %zu\n",
                    picks[pick], repeat + 1, repetitions, (unsigned long long)f->seed,
                    1000 * repeat);
            for (size_t i = 0; i < sizeof loads / sizeof loads[0]; i++) {
                uint32_t groups = loads[i].groups, rounds = loads[i].rounds;
                if (fixture_is_small() && groups > 64)
                    groups = 64;
                if (fixture_is_small() || (params.batch > 64 && groups > 64))
                    rounds = rounds / 8 + 1;
                if (params.batch > 64 && groups > 64)
                    groups = 200;
                if (f->caps
                        ->loop_limit) { /* waits and loops must end before the driver ends them */
                    groups = groups < 3 ? groups : 3;
                    rounds = 2;
                }
                params.capacity = (uint64_t)loads[i].capacity_batches * params.batch + 1;
                moved += run_stress(
                    f, kernel,
                    (struct stress) { .groups = groups,
                                      .rounds = rounds,
                                      .group_size = f->caps->is_cpu ? 1 + 2 * (i % 2) : gpu_size,
                                      .seed = (uint32_t)(1000 * repeat + i),
                                      .mix = loads[i].mix,
                                      .full = loads[i].full },
                    params);
            }
        }
        assert_true(moved > 0);
        clReleaseKernel(kernel);
    }
}

/* With no patience at all, waits give up everywhere: nothing is lost, and repair brings order. */
static void waits_that_give_up_lose_nothing(void **state)
{
    struct fixture *f = *state;
    clade_context *kept = f->context;
    const char *more = getenv("CLADE_BUILD_OPTIONS");
    char options[256];
    size_t repairs = 0, busy = 0;
    snprintf(options, sizeof options, "-DCLADE_SPIN_LIMIT=2u -DCLADE_HEAP_PATIENCE=1u %s",
             more ? more : "");
    const clade_context_params hasty = { .device = fixture_device(), .build_options = options };
    assert_ok(clade_context_create(&f->context, &hasty));
    const size_t shapes = fixture_is_small() ? 1 : 2;
    for (size_t pick = 0; pick < shapes; pick++) {
        clade_heap_params params = heap_shapes[pick];
        cl_kernel kernel = stress_kernel(f, params);
        for (uint32_t seed = 0; seed < fixture_scaled(3, 40, 1000); seed++) {
            struct stress s = { .groups = 32, .rounds = 20, .seed = seed, .mix = 150, .full = 220 };
            clade_heap_stats before;
            uint64_t size, got = 1;
            int64_t out;
            s.group_size = f->caps->is_cpu ? 1 : 64;
            params.capacity = 64 * 1000;
            stress_open(&s, f, params);
            /* Of an empty heap, so that the kernels below are compiled in every run: sanitizers
             * take those that a run without them has left. */
            assert_ok(clade_heap_pop(s.load.heap, clade_host(&out), clade_no_array(), 1,
                                     clade_host(&got), NULL));
            assert_int_equal(got, 0);
            stress_launch(&s, f, kernel);
            for (size_t i = 0; i < s.operations; i++)
                busy += (int)s.log[4 * i + 1] == CLADE_E_BUSY;
            stress_take_in(&s);
            stress_take_out(&s, false);
            assert_ok(clade_heap_stats_read(s.load.heap, &before));
            assert_int_equal(before.size, s.load.model.count);
            if (clade_heap_check(s.load.heap) == CLADE_E_BUSY) {
                repairs++;
                assert_fails(clade_heap_pop(s.load.heap, clade_host(&out), clade_no_array(), 1,
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
    cl_kernel kernel = build_kernel(f, "heap/heap_two.cl", "heap_two", "");
    cl_mem in_mem = fixture_buffer(f, sizeof in, in);
    cl_mem failures_mem = fixture_buffer(f, sizeof failures, failures);
    cl_mem first = clade_heap_mem(words), second = clade_heap_mem(longs);
    fixture_arg(kernel, 0, first);
    fixture_arg(kernel, 1, second);
    fixture_arg(kernel, 2, in_mem);
    fixture_arg(kernel, 3, count);
    fixture_arg(kernel, 4, failures_mem);
    launch(f, kernel, 1, f->caps->is_cpu ? 1 : 32);
    fixture_read(f, failures_mem, 0, failures, sizeof failures);
    for (int i = 0; i < 4; i++)
        assert_int_equal(failures[i], 0);
    assert_ok(clade_heap_size(words, &got));
    assert_int_equal(got, 0);
    assert_ok(clade_heap_check(longs));
    assert_ok(clade_heap_pop(longs, clade_host(out), clade_no_array(), N, clade_host(&got), NULL));
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
        cmocka_unit_test(heaps_of_two_types_in_one_kernel),
        cmocka_unit_test(groups_conserve_the_multiset),
        cmocka_unit_test(waits_that_give_up_lose_nothing),
    };
    return fixture_run("heap_stress", tests);
}

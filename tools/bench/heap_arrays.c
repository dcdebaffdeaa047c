/* SPDX-License-Identifier: Apache-2.0 */
/* `clade bench heap`, whole arrays: insert all, pop all, beside queues of the host. Behind every
 * insert the size is compared; behind every pop the keys are ascending and add up to those
 * that went in. */
#include <math.h>
#include <stdio.h>

#include "bench/heap_keys.h"

/* What a column of a heap measures. */
enum part { INSERT, POP, BOTH };

/* One column. A heap that would take all too long by `before`, the times of the same column for
 * `before->n` keys, is left out. */
struct before {
    uint64_t n;
    struct bench_times times;
};

static bool add_part(struct heap_keys *l, const char *column, enum part part, struct before *before)
{
    const struct bench_task tasks[] = {
        { l, heap_keys_clear, heap_keys_insert, heap_keys_check_insert, false },
        { l, heap_keys_fill, heap_keys_pop, heap_keys_check_pop, false },
        { l, heap_keys_clear, heap_keys_insert_and_pop, heap_keys_check_pop, false }
    };
    struct bench_times times = { .right = true };
    if (before && bench_too_long(l->bench, &before->times, (double)before->n, (double)l->n)) {
        bench_none(l->bench, column, "too long");
        return true;
    }
    if (!bench_measure(l->bench, &tasks[part], &times))
        return false;
    bench_ms(l->bench, column, &times);
    if (before)
        *before = (struct before) { l->n, times };
    l->ms += times.median;
    l->parts += times.runs > 0;
    return true;
}

/* Two columns: insert all, pop all. */
static bool add_heap(struct heap_keys *l, const char *name, clade_heap_params params,
                     struct before before[2])
{
    char column[64];
    l->ms = 0;
    l->parts = 0;
    bool fine = heap_keys_make_heap(l, params);
    snprintf(column, sizeof column, "%s%sinsert", name, *name ? " " : "");
    fine = fine && add_part(l, column, INSERT, before ? &before[0] : NULL);
    snprintf(column, sizeof column, "%s%spop", name, *name ? " " : "");
    fine = fine && add_part(l, column, POP, before ? &before[1] : NULL);
    clade_heap_destroy(&l->heap);
    return fine;
}

/* Three: all inserted and popped, keys a second, and time a key. */
static bool add_both(struct heap_keys *l, const struct bench_heap_engine *engine,
                     clade_heap_params params)
{
    char column[64];
    params.engine = engine->engine;
    l->ms = 0;
    l->parts = 0;
    const bool fine = heap_keys_make_heap(l, params) && add_part(l, engine->name, BOTH, NULL);
    clade_heap_destroy(&l->heap);
    if (!fine)
        return false;
    snprintf(column, sizeof column, "%s M/s", engine->name);
    bench_value(l->bench, column, (double)l->n / l->ms * 1e-3);
    snprintf(column, sizeof column, "%s ns a key", engine->name);
    bench_value(l->bench, column, l->parts ? l->ms * 1e6 / (double)l->n : INFINITY);
    return true;
}

static bool add_queue(struct heap_keys *l, const struct baseline_queue_kind *kind,
                      struct before before[2])
{
    static const char *const words[] = { "insert", "pop" };
    const struct bench_task tasks[] = {
        { l, heap_keys_clear_queue, heap_keys_push, heap_keys_check_push, true },
        { l, heap_keys_fill_queue, heap_keys_pop_queue, heap_keys_check_queue, true }
    };
    bool fine = true;
    l->kind = kind;
    l->queue = kind->missing ? NULL : kind->create();
    if (!kind->missing && !l->queue)
        return bench_fail("memory is out");
    for (size_t i = 0; fine && i < 2; i++) {
        struct bench_times times;
        char column[64];
        snprintf(column, sizeof column, "%s %s", kind->name, words[i]);
        const bool is_long =
            bench_too_long(l->bench, &before[i].times, (double)before[i].n, (double)l->n);
        if (kind->missing || is_long) {
            bench_none(l->bench, column, is_long ? "too long" : kind->missing);
            continue;
        }
        fine = bench_measure(l->bench, &tasks[i], &times);
        if (!fine)
            break;
        bench_ms(l->bench, column, &times);
        before[i] = (struct before) { l->n, times };
    }
    if (l->queue)
        kind->destroy(l->queue);
    return fine;
}

/* --- tables ----------------------------------------------------------------------------------- */

/* What every column took for the size before, so that none takes all too long. */
struct history {
    struct before engines[BENCH_HEAP_ENGINES][2], queues[2][2];
};

static uint64_t most_keys(const struct bench *bench)
{
    if (bench_is_quick(bench))
        return 100000;
    return clade_context_caps(bench_context(bench))->is_cpu ? 8ull << 20 : 64ull << 20;
}

static bool add_size_row(struct bench *bench, uint64_t n, enum bench_shape shape,
                         struct history *history)
{
    struct heap_keys l;
    double ns[BENCH_HEAP_ENGINES];
    bool fine = heap_keys_open(&l, bench, n, 1, shape);
    bench_text(bench, "keys are", bench_shape_names[shape]);
    bench_count(bench, "keys", n);
    for (size_t i = 0; fine && i < BENCH_HEAP_ENGINES; i++) {
        const clade_heap_params params = { .engine = bench_heap_engines[i].engine };
        fine = add_heap(&l, bench_heap_engines[i].name, params, history->engines[i]);
        ns[i] = l.parts == 2 ? l.ms * 1e6 / (double)n : INFINITY;
    }
    fine = fine && add_queue(&l, &baseline_queue_std, history->queues[0]) &&
           add_queue(&l, &baseline_queue_tbb, history->queues[1]);
    for (size_t i = 0; fine && i < BENCH_HEAP_ENGINES; i++) {
        char column[64];
        snprintf(column, sizeof column, "%s ns a key", bench_heap_engines[i].name);
        bench_value(bench, column, ns[i]);
    }
    heap_keys_close(&l);
    if (fine)
        bench_row_end(bench);
    return fine;
}

static void open_sizes_table(struct bench *bench, const char *name, const char *title)
{
    bench_table(bench, name, title);
    bench_wish_plot(bench, "keys", " insert", "insert all, ms");
    bench_wish_plot(bench, "keys", " pop", "pop all, ms");
    bench_wish_plot(bench, "keys", " ns a key", "insert and pop, ns a key");
}

/* 2^6 random keys to `most`; other patterns of `most`; numbers of keys that are no power of two;
 * and what is larger at last, when time may be short. */
static bool add_sizes(struct bench *bench)
{
    static const uint8_t powers[] = { 6, 8, 10, 12, 14, 16, 18, 20, 22, 23, 24, 26 };
    static const uint32_t others[] = { 99991, 1000003, 16777213, 50000001 }; /* primes but one */
    const bool quick = bench_is_quick(bench);
    const uint64_t most = most_keys(bench);
    const bool is_cpu = clade_context_caps(bench_context(bench))->is_cpu;
    const uint64_t longest = most > 8u << 20 ? 1u << 29 : most;
    uint64_t n = 1u << 28;
    struct history history = { 0 };
    bool fine = true;
    if (!bench_wants(bench, "sizes"))
        return true;
    open_sizes_table(bench, "sizes", "insert all, pop all, int32 keys");
    for (size_t i = 0; fine && i < sizeof powers && !bench_is_over(bench); i += quick ? 2 : 1)
        if (1ull << powers[i] <= most)
            fine = add_size_row(bench, 1ull << powers[i], BENCH_SHAPE_RANDOM, &history);
    for (int shape = BENCH_SHAPE_ASCENDING; /* which others have published */
         fine && shape <= BENCH_SHAPE_EQUAL && !bench_is_over(bench); shape++)
        fine = add_size_row(bench, is_cpu ? most / 8 : most, (enum bench_shape)shape,
                            &(struct history) { 0 });
    for (size_t i = 0; fine && i < sizeof others / sizeof others[0] && !bench_is_over(bench); i++)
        if (others[i] <= most)
            fine = add_size_row(bench, others[i], BENCH_SHAPE_RANDOM, &(struct history) { 0 });
    for (; fine && n <= longest && !bench_is_over(bench); n *= 2)
        fine = add_size_row(bench, n, BENCH_SHAPE_RANDOM, &history);
    return fine;
}

/* Each engine once: many drivers compile a kernel when it first runs. */
static bool warm_up(struct bench *bench, uint64_t n)
{
    struct heap_keys l;
    bool fine = heap_keys_open(&l, bench, n, 1, BENCH_SHAPE_RANDOM);
    for (size_t i = 0; fine && i < BENCH_HEAP_ENGINES; i++) {
        fine = heap_keys_make_heap(
                   &l, (clade_heap_params) { .engine = bench_heap_engines[i].engine }) &&
               heap_keys_insert_and_pop(&l) && bench_told(clade_finish(bench_context(bench)));
        clade_heap_destroy(&l.heap);
    }
    heap_keys_close(&l);
    return fine;
}

static bool add_distributions(struct bench *bench)
{
    const bool is_cpu = clade_context_caps(bench_context(bench))->is_cpu;
    const uint64_t n = bench_keys(bench, is_cpu ? most_keys(bench) / 8 : most_keys(bench));
    if (!bench_wants(bench, "distributions"))
        return true;
    bool fine = warm_up(bench, n);
    open_sizes_table(bench, "distributions",
                     "insert all, pop all, int32 keys of many distributions");
    for (int shape = 0; fine && shape < BENCH_SHAPES && !bench_is_over(bench); shape++)
        fine = add_size_row(bench, n, (enum bench_shape)shape, &(struct history) { 0 });
    return fine;
}

/* The engines under changing parameters. */
static bool add_params_row(struct bench *bench, uint64_t n, const char *what, uint32_t value,
                           clade_heap_params params)
{
    struct heap_keys l;
    bool fine = heap_keys_open(&l, bench, n, 1, BENCH_SHAPE_RANDOM);
    bench_count(bench, what, value);
    bench_count(bench, "keys", n);
    for (size_t i = 0; fine && i < BENCH_HEAP_ENGINES; i++)
        /* The front engine's unit is the leaf, and each K is a long compilation. */
        if (params.batch == 0 || bench_heap_engines[i].engine != CLADE_HEAP_FRONT)
            fine = add_both(&l, &bench_heap_engines[i], params);
    heap_keys_close(&l);
    if (fine)
        bench_row_end(bench);
    return fine;
}

/* Keys of a type, and times of insert and pop together beside those of the first row, `alone`.
 */
static bool add_type_row(struct bench *bench, uint64_t n, uint32_t batch, const char *what,
                         clade_heap_params params, double alone[BENCH_HEAP_ENGINES])
{
    struct heap_keys l;
    bool fine = heap_keys_open(&l, bench, n, params.key == CLADE_I64 ? 2 : 1, BENCH_SHAPE_RANDOM) &&
                (params.value == CLADE_NONE || heap_keys_open_values(&l));
    bench_text(bench, "keys are", what);
    bench_count(bench, "keys", n);
    bench_count(bench, "batch K", batch);
    params.batch = batch;
    for (size_t i = 0; fine && i < BENCH_HEAP_ENGINES; i++) {
        char column[64];
        params.engine = bench_heap_engines[i].engine;
        fine = add_heap(&l, bench_heap_engines[i].name, params, NULL);
        if (alone[i] == 0)
            alone[i] = l.parts == 2 ? l.ms : INFINITY;
        snprintf(column, sizeof column, "%s times as long", bench_heap_engines[i].name);
        bench_value(bench, column, l.parts == 2 ? l.ms / alone[i] : INFINITY);
    }
    heap_keys_close(&l);
    if (fine)
        bench_row_end(bench);
    return fine;
}

static bool add_types(struct bench *bench, uint64_t n, uint32_t batch)
{
    double alone[BENCH_HEAP_ENGINES] = { 0 };
    if (!bench_wants(bench, "types"))
        return true;
    bench_table(bench, "types", "insert all, pop all: keys alone, with values, of 64 bits");
    return add_type_row(bench, n, batch, "32 bits", (clade_heap_params) { 0 }, alone) &&
           add_type_row(bench, n, batch, "32 bits, values of 32",
                        (clade_heap_params) { .value = CLADE_U32 }, alone) &&
           add_type_row(bench, n, batch, "64 bits", (clade_heap_params) { .key = CLADE_I64 },
                        alone);
}

/* The front engine, by its bulk calls and by its groups, beside one core of the host where that has
 * the time. */
static bool add_shape_row(struct bench *bench, uint64_t n, enum bench_shape shape,
                          struct history *history)
{
    const clade_caps *caps = clade_context_caps(bench_context(bench));
    const clade_heap_params calls = { .engine = CLADE_HEAP_FRONT };
    const clade_heap_params groups = { .engine = CLADE_HEAP_FRONT,
                                       .groups = 2 * caps->compute_units };
    struct heap_keys l;
    bool fine = heap_keys_open(&l, bench, n, 1, shape);
    bench_text(bench, "keys are", bench_shape_names[shape]);
    bench_count(bench, "keys", n);
    fine = fine && add_heap(&l, "calls", calls, NULL) && add_heap(&l, "groups", groups, NULL) &&
           (!caps->is_cpu || add_queue(&l, &baseline_queue_std, history->queues[0]));
    heap_keys_close(&l);
    if (fine)
        bench_row_end(bench);
    return fine;
}

static bool add_shapes(struct bench *bench)
{
    const bool is_cpu = clade_context_caps(bench_context(bench))->is_cpu;
    const uint64_t n = bench_is_quick(bench) ? 20000 : is_cpu ? 1u << 20 : 48u << 20;
    struct history history = { 0 };
    bool fine = true;
    if (!bench_wants(bench, "shapes"))
        return true;
    bench_table(bench, "shapes",
                "insert all, pop all, by distribution: by one call each, and by groups that meet");
    for (int shape = 0; fine && shape < BENCH_SHAPES && !bench_is_over(bench); shape++)
        fine = add_shape_row(bench, n, (enum bench_shape)shape, &history);
    return fine;
}

/* From one to eight a compute unit, each compute unit's one among them: 1, 2, 4 .. 128, 132, 264,
 * 528, 1,056 on an H200. */
static bool add_groups(struct bench *bench, uint64_t n)
{
    const uint32_t units = clade_context_caps(bench_context(bench))->compute_units;
    const uint32_t most = bench_is_quick(bench) ? 4 : 8 * units;
    bool fine = true;
    if (!bench_wants(bench, "groups"))
        return true;
    bench_table(bench, "groups", "more and more work-groups; all inserted, all popped");
    bench_wish_plot(bench, "groups", " M/s", "millions of keys a second, in and out");
    bench_wish_plot(bench, "groups", " ns a key", "ns a key, in and out");
    for (uint32_t groups = 1; fine && groups <= most && !bench_is_over(bench);) {
        fine = add_params_row(bench, n, "groups", groups, (clade_heap_params) { .groups = groups });
        groups = groups < units && groups * 2 > units ? units : groups * 2;
    }
    return fine;
}

/* The engines whose nodes are batches. */
static bool add_batches(struct bench *bench, uint64_t n, uint32_t most)
{
    bool fine = true;
    if (!bench_wants(bench, "batch"))
        return true;
    bench_table(bench, "batch", "larger and larger batches; all inserted, all popped");
    bench_wish_plot(bench, "batch K", " ns a key", "ns a key, in and out");
    for (uint32_t batch = bench_is_quick(bench) ? 64 : 16;
         fine && batch <= most && !bench_is_over(bench); batch *= bench_is_quick(bench) ? 16 : 4)
        fine = add_params_row(bench, n, "batch K", batch, (clade_heap_params) { .batch = batch });
    return fine;
}

static bool add_params_tables(struct bench *bench)
{
    clade_heap_params params;
    if (!bench_heap_defaults(bench, CLADE_HEAP_TOP_DOWN, &params))
        return false;
    const bool is_cpu = clade_context_caps(bench_context(bench))->is_cpu;
    const uint64_t most = most_keys(bench);
    const uint64_t n = bench_is_quick(bench) ? 20000 : is_cpu ? most / 8 : 8u << 20;
    /* Half of the batch, so that values fit beside the keys in local memory. */
    return add_groups(bench, n) && add_batches(bench, n / (is_cpu ? 1 : 4), params.batch) &&
           add_types(bench, is_cpu ? n : most, params.batch / 2);
}

bool bench_heap_arrays(struct bench *bench)
{
    return add_sizes(bench) && add_distributions(bench) && bench_heap_again(bench) &&
           add_shapes(bench) && add_params_tables(bench);
}

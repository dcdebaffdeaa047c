/* SPDX-License-Identifier: Apache-2.0 */
/* `clade bench heap`, whole arrays: insert all, pop all, beside queues of the host. Behind every
 * insert the size is compared; behind every pop the keys are ascending and add up to those
 * that went in. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "baseline/queue.h"
#include "bench/heap.h"

struct load {
    struct bench *bench;
    uint64_t n;
    uint32_t words; /* of 32 bits a key */
    int32_t *in, *out;
    struct bench_sums sums;
    cl_mem in_mem, out_mem, got_mem, value_mem;
    clade_heap *heap;
    const struct baseline_queue_kind *kind;
    struct baseline_queue *queue;
    double ms;      /* of a heap's columns so far */
    unsigned parts; /* that were measured */
};

static void close_load(struct load *l)
{
    cl_mem *const mems[] = { &l->in_mem, &l->out_mem, &l->got_mem, &l->value_mem };
    for (size_t i = 0; i < sizeof mems / sizeof mems[0]; i++)
        if (*mems[i])
            clReleaseMemObject(*mems[i]);
    free(l->in);
    free(l->out);
}

/* n keys of `words` words; of two, random ones alone. */
static bool open_load(struct load *l, struct bench *bench, uint64_t n, uint32_t words,
                      enum bench_shape shape)
{
    uint64_t seed = n;
    *l = (struct load) { .bench = bench, .n = n, .words = words };
    const uint64_t all = n * words;
    l->in = bench_alloc(all, sizeof *l->in);
    l->out = bench_alloc(all, sizeof *l->out);
    if (!l->in || !l->out)
        return false;
    bench_shape_fill((uint32_t *)l->in, all, shape, &seed);
    bench_sums_add(&l->sums, l->in, all);
    l->in_mem = bench_buffer(bench, l->in, all * sizeof *l->in);
    l->out_mem = bench_buffer(bench, NULL, all * sizeof *l->out);
    l->got_mem = bench_buffer(bench, NULL, sizeof(uint64_t));
    return l->in_mem && l->out_mem && l->got_mem;
}

/* What stands beside the keys when they have values: 32 bits. */
static bool open_values(struct load *l)
{
    l->value_mem = bench_buffer(l->bench, l->in, l->n * sizeof *l->in);
    return l->value_mem;
}

/* --- the heap -------------------------------------------------------------------------------- */

static clade_array values_of(const struct load *l)
{
    return clade_heap_params_of(l->heap)->value == CLADE_NONE ? clade_no_array()
                                                              : clade_device(l->value_mem, 0);
}

static bool clear(void *data)
{
    struct load *l = data;
    return bench_told(clade_heap_clear(l->heap, NULL));
}

static bool insert(void *data)
{
    struct load *l = data;
    return bench_told(
        clade_heap_insert(l->heap, clade_device(l->in_mem, 0), values_of(l), l->n, NULL));
}

static bool check_insert(void *data)
{
    struct load *l = data;
    uint64_t size = 0;
    return bench_told(clade_heap_size(l->heap, &size)) && size == l->n;
}

static bool fill(void *data)
{
    return clear(data) && insert(data);
}

static bool pop(void *data)
{
    struct load *l = data;
    return bench_told(clade_heap_pop(l->heap, clade_device(l->out_mem, 0), values_of(l), l->n,
                                     clade_device(l->got_mem, 0), NULL));
}

static bool is_ascending64(const int32_t *words, uint64_t n)
{
    int64_t before = INT64_MIN;
    for (uint64_t i = 0; i < n; i++) {
        int64_t key;
        memcpy(&key, words + 2 * i, sizeof key);
        if (key < before)
            return false;
        before = key;
    }
    return true;
}

static bool is_sorted_load(const struct load *l)
{
    struct bench_sums sums = { 0, 0, 0 };
    bench_sums_add(&sums, l->out, l->n * l->words);
    return (l->words == 2 ? is_ascending64(l->out, l->n) : bench_is_ascending(l->out, l->n)) &&
           bench_sums_equal(&sums, &l->sums);
}

static bool check_pop(void *data)
{
    struct load *l = data;
    uint64_t size = 1;
    return bench_read(l->bench, l->out_mem, l->out, l->n * l->words * sizeof *l->out) &&
           bench_told(clade_heap_size(l->heap, &size)) && size == 0 && is_sorted_load(l);
}

static bool insert_and_pop(void *data)
{
    return insert(data) && pop(data);
}

/* What a column of a heap measures. */
enum part { INSERT, POP, BOTH };

/* One column. A heap that would take all too long by `before`, the times of the same column for
 * `before->n` keys, is left out. */
struct before {
    uint64_t n;
    struct bench_times times;
};

static bool add_part(struct load *l, const char *column, enum part part, struct before *before)
{
    const struct bench_task tasks[] = { { l, clear, insert, check_insert, false },
                                        { l, fill, pop, check_pop, false },
                                        { l, clear, insert_and_pop, check_pop, false } };
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

static bool make_heap(struct load *l, clade_heap_params params)
{
    params.capacity = l->n;
    return bench_told(clade_heap_create(&l->heap, bench_context(l->bench), &params));
}

/* Two columns: insert all, pop all. */
static bool add_heap(struct load *l, const char *name, clade_heap_params params,
                     struct before before[2])
{
    char column[64];
    l->ms = 0;
    l->parts = 0;
    bool fine = make_heap(l, params);
    snprintf(column, sizeof column, "%s%sinsert", name, *name ? " " : "");
    fine = fine && add_part(l, column, INSERT, before ? &before[0] : NULL);
    snprintf(column, sizeof column, "%s%spop", name, *name ? " " : "");
    fine = fine && add_part(l, column, POP, before ? &before[1] : NULL);
    clade_heap_destroy(&l->heap);
    return fine;
}

/* Three: all inserted and popped, keys a second, and time a key. */
static bool add_both(struct load *l, const struct bench_heap_engine *engine,
                     clade_heap_params params)
{
    char column[64];
    params.engine = engine->engine;
    l->ms = 0;
    l->parts = 0;
    const bool fine = make_heap(l, params) && add_part(l, engine->name, BOTH, NULL);
    clade_heap_destroy(&l->heap);
    if (!fine)
        return false;
    snprintf(column, sizeof column, "%s M/s", engine->name);
    bench_value(l->bench, column, (double)l->n / l->ms * 1e-3);
    snprintf(column, sizeof column, "%s ns a key", engine->name);
    bench_value(l->bench, column, l->parts ? l->ms * 1e6 / (double)l->n : INFINITY);
    return true;
}

/* --- queues of the host ----------------------------------------------------------------------- */

static bool clear_queue(void *data)
{
    struct load *l = data;
    l->kind->clear(l->queue);
    return true;
}

static bool plain_push(void *data)
{
    struct load *l = data;
    return l->kind->push(l->queue, l->in, l->n) || bench_fail("memory is out");
}

static bool fill_queue(void *data)
{
    return clear_queue(data) && plain_push(data);
}

static bool plain_pop(void *data)
{
    struct load *l = data;
    memset(l->out, 0, l->n * sizeof *l->out);
    return l->kind->pop(l->queue, l->out, l->n) == l->n;
}

/* All of them are there: what comes out is compared in the second column. */
static bool check_plain_push(void *data)
{
    (void)data;
    return true;
}

static bool check_plain_pop(void *data)
{
    const struct load *l = data;
    struct bench_sums sums = { 0, 0, 0 };
    bench_sums_add(&sums, l->out, l->n);
    return bench_sums_equal(&sums, &l->sums) &&
           (!l->kind->in_order || bench_is_ascending(l->out, l->n));
}

static bool add_queue(struct load *l, const struct baseline_queue_kind *kind,
                      struct before before[2])
{
    static const char *const words[] = { "insert", "pop" };
    const struct bench_task tasks[] = { { l, clear_queue, plain_push, check_plain_push, true },
                                        { l, fill_queue, plain_pop, check_plain_pop, true } };
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

/* --- into a heap that is not empty ------------------------------------------------------------ */

/* A load's first keys are there before, the others come. The values are of no kind. */
struct again {
    struct load load;
    uint64_t inside;
};

static bool insert_part(struct again *a, uint64_t first, uint64_t count)
{
    return bench_told(clade_heap_insert(a->load.heap, clade_device(a->load.in_mem, 4 * first),
                                        clade_no_array(), count, NULL));
}

static bool fill_inside(void *data)
{
    struct again *a = data;
    return clear(&a->load) && insert_part(a, 0, a->inside);
}

static bool insert_more(void *data)
{
    struct again *a = data;
    return insert_part(a, a->inside, a->load.n - a->inside);
}

/* All come out, in order. */
static bool check_more(void *data)
{
    struct again *a = data;
    return check_insert(&a->load) && pop(&a->load) && check_pop(&a->load);
}

static bool fill_queue_inside(void *data)
{
    struct again *a = data;
    return clear_queue(&a->load) && (a->load.kind->push(a->load.queue, a->load.in, a->inside) ||
                                     bench_fail("memory is out"));
}

static bool push_more(void *data)
{
    struct again *a = data;
    return a->load.kind->push(a->load.queue, a->load.in + a->inside, a->load.n - a->inside) ||
           bench_fail("memory is out");
}

static bool check_push_more(void *data)
{
    struct again *a = data;
    return plain_pop(&a->load) && check_plain_pop(&a->load);
}

static bool add_again(struct again *a, const char *name, const struct bench_task *task)
{
    struct bench_times times;
    if (!bench_measure(a->load.bench, task, &times))
        return false;
    bench_ms(a->load.bench, name, &times);
    return true;
}

static bool add_again_heaps(struct again *a)
{
    const struct bench_task task = { a, fill_inside, insert_more, check_more, false };
    bool fine = true;
    for (size_t i = 0; fine && i < BENCH_HEAP_ENGINES; i++) {
        const struct bench_heap_engine *engine = &bench_heap_engines[i];
        fine = make_heap(&a->load, (clade_heap_params) { .engine = engine->engine }) &&
               add_again(a, engine->name, &task);
        clade_heap_destroy(&a->load.heap);
    }
    return fine;
}

static bool add_again_queue(struct again *a, const struct baseline_queue_kind *kind)
{
    const struct bench_task task = { a, fill_queue_inside, push_more, check_push_more, true };
    if (kind->missing) {
        bench_none(a->load.bench, kind->name, kind->missing);
        return true;
    }
    a->load.kind = kind;
    a->load.queue = kind->create();
    if (!a->load.queue)
        return bench_fail("memory is out");
    const bool fine = add_again(a, kind->name, &task);
    kind->destroy(a->load.queue);
    return fine;
}

static bool add_again_row(struct bench *bench, uint64_t inside, uint64_t more,
                          enum bench_shape shape)
{
    struct again a = { .inside = inside };
    bool fine = open_load(&a.load, bench, inside + more, 1, shape);
    bench_text(bench, "keys are", bench_shape_names[shape]);
    bench_count(bench, "inside", inside);
    bench_count(bench, "inserted", more);
    fine = fine && add_again_heaps(&a) && add_again_queue(&a, &baseline_queue_std);
    close_load(&a.load);
    if (fine)
        bench_row_end(bench);
    return fine;
}

/* As many as are inside, and an eighth, a 32nd, a 256th of them. */
static bool add_agains(struct bench *bench)
{
    static const uint32_t parts[] = { 1, 8, 32, 256 };
    const bool is_cpu = clade_context_caps(bench_context(bench))->is_cpu;
    const uint64_t n = bench_keys(bench, bench_is_quick(bench) ? 20000
                                         : is_cpu              ? 1u << 20
                                                               : 1u << 24);
    bool fine = true;
    if (!bench_wants(bench, "again"))
        return true;
    bench_table(bench, "again", "int32 keys into a heap that is not empty");
    for (size_t i = 0; fine && i < sizeof parts / sizeof parts[0]; i++)
        for (int shape = 0; fine && shape < BENCH_SHAPES && !bench_is_over(bench); shape++)
            fine = add_again_row(bench, n, n / parts[i], (enum bench_shape)shape);
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
    struct load l;
    double ns[BENCH_HEAP_ENGINES];
    bool fine = open_load(&l, bench, n, 1, shape);
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
    close_load(&l);
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
    struct load l;
    bool fine = open_load(&l, bench, n, 1, BENCH_SHAPE_RANDOM);
    for (size_t i = 0; fine && i < BENCH_HEAP_ENGINES; i++) {
        fine = make_heap(&l, (clade_heap_params) { .engine = bench_heap_engines[i].engine }) &&
               insert_and_pop(&l) && bench_told(clade_finish(bench_context(bench)));
        clade_heap_destroy(&l.heap);
    }
    close_load(&l);
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
    struct load l;
    bool fine = open_load(&l, bench, n, 1, BENCH_SHAPE_RANDOM);
    bench_count(bench, what, value);
    bench_count(bench, "keys", n);
    for (size_t i = 0; fine && i < BENCH_HEAP_ENGINES; i++)
        /* The front engine's unit is the leaf, and each K is a long compilation. */
        if (params.batch == 0 || bench_heap_engines[i].engine != CLADE_HEAP_FRONT)
            fine = add_both(&l, &bench_heap_engines[i], params);
    close_load(&l);
    if (fine)
        bench_row_end(bench);
    return fine;
}

/* Keys of a type, and times of insert and pop together beside those of the first row, `alone`.
 */
static bool add_type_row(struct bench *bench, uint64_t n, uint32_t batch, const char *what,
                         clade_heap_params params, double alone[BENCH_HEAP_ENGINES])
{
    struct load l;
    bool fine = open_load(&l, bench, n, params.key == CLADE_I64 ? 2 : 1, BENCH_SHAPE_RANDOM) &&
                (params.value == CLADE_NONE || open_values(&l));
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
    close_load(&l);
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
    struct load l;
    bool fine = open_load(&l, bench, n, 1, shape);
    bench_text(bench, "keys are", bench_shape_names[shape]);
    bench_count(bench, "keys", n);
    fine = fine && add_heap(&l, "calls", calls, NULL) && add_heap(&l, "groups", groups, NULL) &&
           (!caps->is_cpu || add_queue(&l, &baseline_queue_std, history->queues[0]));
    close_load(&l);
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
    return add_sizes(bench) && add_distributions(bench) && add_agains(bench) && add_shapes(bench) &&
           add_params_tables(bench);
}

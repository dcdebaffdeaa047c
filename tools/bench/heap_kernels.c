/* SPDX-License-Identifier: Apache-2.0 */
/* `clade bench heap`, tables of what groups do in one kernel: inserts and pops at once, batches
 * that are not full, and small heaps, one or many. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "baseline/queue.h"
#include "bench/heap_work.h"

/* Two cells: a run's time, and the keys that go in a second. *rate receives the latter. */
static bool add_work(struct bench *bench, const struct bench_heap_load *load,
                     const struct bench_heap_engine *engine, double *rate)
{
    struct bench_times times;
    uint64_t keys = 0;
    char column[64];
    if (!bench_heap_work(bench, load, engine->engine, &times, &keys))
        return false;
    *rate = times.runs > 0 ? (double)keys / times.median / 1e3 : INFINITY;
    snprintf(column, sizeof column, "%s, M/s", engine->name);
    bench_ms(bench, engine->name, &times);
    bench_value(bench, column, *rate);
    return true;
}

/* --- whole batches ---------------------------------------------------------------------------- */

static bool add_row(struct bench *bench, uint64_t initial, uint64_t keys, enum bench_heap_mode mode,
                    uint32_t groups)
{
    static const char *const words[] = { "half and half", "each does both" };
    bool fine = true;
    bench_text(bench, "groups do", words[mode]);
    bench_count(bench, "groups", groups);
    bench_count(bench, "keys before", initial);
    bench_count(bench, "keys through", keys);
    for (size_t i = 0; fine && i < BENCH_HEAP_ENGINES; i++) {
        clade_heap_params params;
        double rate = INFINITY;
        fine = bench_heap_defaults(bench, bench_heap_engines[i].engine, &params) &&
               add_work(bench,
                        &(struct bench_heap_load) { .initial = initial,
                                                    .count = (uint32_t)(keys / params.batch),
                                                    .batch = params.batch,
                                                    .mode = mode,
                                                    .groups = groups },
                        &bench_heap_engines[i], &rate);
    }
    if (fine)
        bench_row_end(bench);
    return fine;
}

bool bench_heap_kernels(struct bench *bench)
{
    const clade_caps *caps = clade_context_caps(bench_context(bench));
    const bool quick = bench_is_quick(bench);
    const uint64_t most = quick ? 8192 : caps->is_cpu ? 1u << 20 : 64u << 20;
    const uint64_t keys = quick ? 8192 : caps->is_cpu ? 1u << 20 : 16u << 20;
    const uint32_t all = caps->compute_units, few = all > 32 ? 32 : all;
    if (!bench_wants(bench, "kernels"))
        return true;
    bench_table(bench, "kernels", "inserts and pops at once, in one kernel; keys through a second");
    return add_row(bench, 0, keys / 4, BENCH_PAIRS, few) &&
           add_row(bench, most, keys, BENCH_PAIRS, all) &&
           add_row(bench, most, keys, BENCH_HALVES, all > 1 ? all : 2); /* one group pops nothing */
}

/* --- batches that are not full ---------------------------------------------------------------- */

/* Pairs of `n` keys, or of 1 .. n; `whole` has each engine's rate with whole batches, once known.
 */
static bool add_partial_row(struct bench *bench, struct bench_heap_load load,
                            double whole[BENCH_HEAP_ENGINES])
{
    bool fine = true;
    bench_text(bench, "operations of", load.varies ? "1 .. n keys" : "n keys");
    bench_count(bench, "n", load.batch);
    bench_count(bench, "operations", 2ull * load.count);
    for (size_t i = 0; fine && i < BENCH_HEAP_ENGINES; i++) {
        const char *name = bench_heap_engines[i].name;
        char column[64];
        double rate = INFINITY;
        fine = add_work(bench, &load, &bench_heap_engines[i], &rate);
        const double mean = load.varies ? (load.batch + 1) / 2. : load.batch;
        if (load.batch == load.k && !load.varies)
            whole[i] = rate;
        snprintf(column, sizeof column, "%s us an operation", name);
        bench_value(bench, column, rate < INFINITY ? mean / rate / 2 : INFINITY);
        snprintf(column, sizeof column, "%s times slower a key", name);
        bench_value(bench, column, rate < INFINITY ? whole[i] / rate : INFINITY);
    }
    if (fine)
        bench_row_end(bench);
    return fine;
}

bool bench_heap_partial(struct bench *bench)
{
    const bool quick = bench_is_quick(bench);
    const bool is_cpu = clade_context_caps(bench_context(bench))->is_cpu;
    clade_heap_params params;
    double whole[BENCH_HEAP_ENGINES] = { 0 };
    if (!bench_wants(bench, "partial"))
        return true;
    if (!bench_heap_defaults(bench, CLADE_HEAP_FRONT, &params))
        return false;
    const uint32_t k = params.batch;
    const uint32_t sizes[] = { k, 1, 2, 4, 8, 16, 32, k / 8, k / 2, k / 2 + 1, k - 1 };
    struct bench_heap_load load = { .initial = quick ? 8192 : 1u << 20,
                                    .count = quick    ? 16
                                             : is_cpu ? 512
                                                      : 4096,
                                    .mode = BENCH_PAIRS,
                                    .k = k };
    bool fine = true;
    bench_table(bench, "partial",
                "every group inserts and pops by turns; batches of n of at most K keys, the "
                "first row of K");
    bench_wish_plot(bench, "n", " us an operation", "us an operation");
    bench_wish_plot(bench, "n", ", M/s", "millions of keys a second, in and out");
    for (size_t i = 0; fine && i < sizeof sizes / sizeof sizes[0] && !bench_is_over(bench);
         i += quick ? 5 : 1) {
        load.batch = sizes[i];
        fine = add_partial_row(bench, load, whole);
    }
    load.batch = k;
    load.varies = true;
    return fine && (bench_is_over(bench) || add_partial_row(bench, load, whole));
}

/* --- small heaps ------------------------------------------------------------------------------ */

/* The same on one core of the host, heap after heap. */
struct host_heaps {
    struct baseline_queue *queue;
    int32_t *in, *out;
    uint32_t heaps, each;
    bool right;
};

static bool fill_and_empty(void *data)
{
    struct host_heaps *h = data;
    const struct baseline_queue_kind *kind = &baseline_queue_std;
    bool fine = true;
    for (uint32_t i = 0; i < h->heaps && fine; i++)
        fine = kind->push(h->queue, h->in + (size_t)i * h->each, h->each) &&
               kind->pop(h->queue, h->out + (size_t)i * h->each, h->each) == h->each;
    return fine || bench_fail("memory is out");
}

static bool are_in_order(void *data)
{
    const struct host_heaps *h = data;
    bool right = true;
    for (uint32_t i = 0; i < h->heaps && right; i++)
        right = bench_is_ascending(h->out + (size_t)i * h->each, h->each);
    return right;
}

static bool add_host_heaps(struct bench *bench, uint32_t heaps, uint32_t each)
{
    const struct baseline_queue_kind *kind = &baseline_queue_std;
    struct host_heaps h = { .heaps = heaps, .each = each };
    const struct bench_task task = { &h, NULL, fill_and_empty, are_in_order, true };
    struct bench_times times = { .right = true };
    const uint64_t keys = (uint64_t)heaps * each;
    char column[64];
    snprintf(column, sizeof column, "%s, M/s", kind->name);
    if (kind->missing) {
        bench_none(bench, column, kind->missing);
        return true;
    }
    h.in = bench_alloc(keys, sizeof *h.in);
    h.out = bench_alloc(keys, sizeof *h.out);
    h.queue = kind->create();
    bool fine = h.in && h.out && h.queue;
    uint64_t seed = keys;
    if (fine)
        bench_shape_fill((uint32_t *)h.in, keys, BENCH_SHAPE_RANDOM, &seed);
    fine = fine && bench_measure(bench, &task, &times);
    if (fine) {
        bench_ms(bench, kind->name, &times);
        bench_value(bench, column, times.runs > 0 ? (double)keys / times.median / 1e3 : INFINITY);
    }
    if (h.queue)
        kind->destroy(h.queue);
    free(h.in);
    free(h.out);
    return fine;
}

/* Heaps of `each` keys, one for each group, filled and emptied by batches of `batch`. */
static bool add_many_row(struct bench *bench, uint32_t heaps, uint32_t each, uint32_t batch)
{
    const bool is_cpu = clade_context_caps(bench_context(bench))->is_cpu;
    /* Some thousand operations a group on a GPU, so that a launch is a small part of it. */
    const uint32_t operations = is_cpu ? 512 : 4096, rounds = operations / (2 * each / batch);
    struct bench_heap_load load = { .count = each / batch,
                                    .batch = batch,
                                    .mode = BENCH_FILLS,
                                    .rounds = bench_is_quick(bench) || rounds == 0 ? 1 : rounds,
                                    .heaps = heaps };
    bool fine = true;
    bench_count(bench, "keys each", each);
    bench_count(bench, "heaps", heaps);
    bench_count(bench, "batch", batch);
    bench_count(bench, "times", load.rounds);
    for (size_t i = 0; fine && i < BENCH_HEAP_ENGINES; i++) {
        const bool is_front = bench_heap_engines[i].engine == CLADE_HEAP_FRONT;
        char column[64];
        double rate = INFINITY;
        load.k = is_front ? 0 : 64;
        if (is_front && heaps > 1) {
            bench_none(bench, bench_heap_engines[i].name, "one heap");
            snprintf(column, sizeof column, "%s, M/s", bench_heap_engines[i].name);
            bench_none(bench, column, "one heap");
        } else
            fine = add_work(bench, &load, &bench_heap_engines[i], &rate);
        snprintf(column, sizeof column, "%s us a heap", bench_heap_engines[i].name);
        if (rate < INFINITY)
            bench_value(bench, column, each / rate * heaps);
        else
            bench_none(bench, column, "one heap");
    }
    fine = fine && add_host_heaps(bench, heaps, each);
    if (fine)
        bench_row_end(bench);
    return fine;
}

bool bench_heap_many(struct bench *bench)
{
    static const uint32_t sizes[] = { 64, 256, 1024, 4096 };
    const bool quick = bench_is_quick(bench);
    const uint32_t most = quick                                              ? 16
                          : clade_context_caps(bench_context(bench))->is_cpu ? 256
                                                                             : 4096;
    bool fine = true;
    if (!bench_wants(bench, "many"))
        return true;
    bench_table(bench, "many",
                "small heaps, one for each group (K = 64): filled and emptied in one kernel; keys "
                "in and out a second, and time a heap while all work");
    bench_wish_plot(bench, "heaps", ", M/s", "millions of keys a second, in and out");
    for (uint32_t batch = 32; fine && batch >= 4; batch /= 8)
        for (size_t i = 0; fine && i < sizeof sizes / sizeof sizes[0]; i += quick ? 2 : 1)
            for (uint32_t heaps = 1; fine && heaps <= most && !bench_is_over(bench); heaps *= 16)
                fine = add_many_row(bench, heaps, sizes[i], batch);
    return fine;
}

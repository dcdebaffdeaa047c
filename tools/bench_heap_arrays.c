/* SPDX-License-Identifier: Apache-2.0 */
/* `clade bench heap`, whole arrays: insert all, delete all, beside queues of the host. Behind
 * every insert the size is compared; behind every delete the keys are ascending and add up to those
 * that went in. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "baseline_queue.h"
#include "bench_heap.h"

struct load {
    struct bench *bench;
    uint64_t n;
    int32_t *in, *out;
    struct bench_sums sums;
    cl_mem in_mem, out_mem, got_mem, value_mem;
    clade_heap *heap;
    const struct baseline_queue_kind *kind;
    struct baseline_queue *queue;
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

static bool open_load(struct load *l, struct bench *bench, uint64_t n,
                      enum bench_heap_pattern pattern)
{
    *l = (struct load) { .bench = bench, .n = n };
    l->in = bench_alloc(n, sizeof *l->in);
    l->out = bench_alloc(n, sizeof *l->out);
    if (!l->in || !l->out)
        return false;
    bench_heap_fill(l->in, n, pattern, n);
    bench_sums_add(&l->sums, l->in, n);
    l->in_mem = bench_buffer(bench, l->in, n * sizeof *l->in);
    l->out_mem = bench_buffer(bench, NULL, n * sizeof *l->out);
    l->got_mem = bench_buffer(bench, NULL, sizeof(uint64_t));
    l->value_mem = bench_buffer(bench, l->in, n * sizeof *l->in);
    return l->in_mem && l->out_mem && l->got_mem && l->value_mem;
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
    return bench_told(clade_heap_clear(l->heap));
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

static bool delete (void *data)
{
    struct load *l = data;
    return bench_told(clade_heap_delete(l->heap, clade_device(l->out_mem, 0), values_of(l), l->n,
                                        clade_device(l->got_mem, 0), NULL));
}

static bool is_sorted_load(const struct load *l)
{
    struct bench_sums sums = { 0, 0, 0 };
    bench_sums_add(&sums, l->out, l->n);
    return bench_is_ascending(l->out, l->n) && bench_sums_equal(&sums, &l->sums);
}

static bool check_delete(void *data)
{
    struct load *l = data;
    uint64_t size = 1;
    return bench_read(l->bench, l->out_mem, l->out, l->n * sizeof *l->out) &&
           bench_told(clade_heap_size(l->heap, &size)) && size == 0 && is_sorted_load(l);
}

/* Two columns: insert all, delete all. */
static bool add_heap(struct load *l, const char *name, clade_heap_params params)
{
    static const char *const words[] = { "insert", "delete" };
    const struct bench_task tasks[] = { { l, clear, insert, check_insert },
                                        { l, fill, delete, check_delete } };
    params.capacity = l->n;
    bool fine = bench_told(clade_heap_create(&l->heap, bench_context(l->bench), &params));
    for (size_t i = 0; fine && i < 2; i++) {
        struct bench_times times;
        char column[64];
        snprintf(column, sizeof column, "%s%s%s", name, *name ? " " : "", words[i]);
        fine = bench_measure(l->bench, &tasks[i], &times);
        if (fine)
            bench_ms(l->bench, column, &times);
    }
    clade_heap_destroy(&l->heap);
    return fine;
}

/* --- queues of the host ----------------------------------------------------------------------- */

static bool clear_queue(void *data)
{
    struct load *l = data;
    l->kind->clear(l->queue);
    return true;
}

static bool push(void *data)
{
    struct load *l = data;
    return l->kind->push(l->queue, l->in, l->n) || bench_fail("memory is out");
}

static bool fill_queue(void *data)
{
    return clear_queue(data) && push(data);
}

static bool pop(void *data)
{
    struct load *l = data;
    memset(l->out, 0, l->n * sizeof *l->out);
    return l->kind->pop(l->queue, l->out, l->n) == l->n;
}

/* All of them are there: what comes out is compared in the second column. */
static bool check_push(void *data)
{
    (void)data;
    return true;
}

static bool check_pop(void *data)
{
    const struct load *l = data;
    struct bench_sums sums = { 0, 0, 0 };
    bench_sums_add(&sums, l->out, l->n);
    return bench_sums_equal(&sums, &l->sums) &&
           (!l->kind->in_order || bench_is_ascending(l->out, l->n));
}

static bool add_queue(struct load *l, const struct baseline_queue_kind *kind)
{
    static const char *const words[] = { "insert", "delete" };
    const struct bench_task tasks[] = { { l, clear_queue, push, check_push },
                                        { l, fill_queue, pop, check_pop } };
    bool fine = true;
    l->kind = kind;
    l->queue = kind->missing ? NULL : kind->create();
    if (!kind->missing && !l->queue)
        return bench_fail("memory is out");
    for (size_t i = 0; fine && i < 2; i++) {
        struct bench_times times;
        char column[64];
        snprintf(column, sizeof column, "%s %s", kind->name, words[i]);
        if (kind->missing) {
            bench_none(l->bench, column, kind->missing);
            continue;
        }
        fine = bench_measure(l->bench, &tasks[i], &times);
        if (fine)
            bench_ms(l->bench, column, &times);
    }
    if (l->queue)
        kind->destroy(l->queue);
    return fine;
}

static bool add_queues(struct load *l)
{
    return add_queue(l, &baseline_queue_std) && add_queue(l, &baseline_queue_tbb);
}

/* --- tables ----------------------------------------------------------------------------------- */

static bool add_engines(struct load *l, clade_heap_params params)
{
    bool fine = true;
    for (size_t i = 0; fine && i < BENCH_HEAP_ENGINES; i++) {
        params.engine = bench_heap_engines[i].engine;
        fine = add_heap(l, bench_heap_engines[i].name, params);
    }
    return fine;
}

static uint64_t most_keys(const struct bench *bench)
{
    if (bench_is_quick(bench))
        return 100000;
    return clade_context_caps(bench_context(bench))->is_cpu ? 8ull << 20 : 64ull << 20;
}

static bool add_size_row(struct bench *bench, uint64_t n, enum bench_heap_pattern pattern)
{
    struct load l;
    bool fine = open_load(&l, bench, n, pattern);
    bench_text(bench, "keys are", bench_heap_patterns[pattern]);
    bench_count(bench, "keys", n);
    fine = fine && add_engines(&l, (clade_heap_params) { 0 }) && add_queues(&l);
    close_load(&l);
    if (fine)
        bench_row_end(bench);
    return fine;
}

/* One engine under changing parameters. */
static bool add_params_row(struct bench *bench, uint64_t n, clade_heap_params params)
{
    struct load l;
    bool fine = open_load(&l, bench, n, BENCH_RANDOM);
    bench_count(bench, "keys", n);
    bench_count(bench, "groups", params.groups);
    bench_count(bench, "batch", params.batch);
    bench_text(bench, "value", params.value == CLADE_NONE ? "none" : "32 bits");
    fine = fine && add_heap(&l, "", params);
    close_load(&l);
    if (fine)
        bench_row_end(bench);
    return fine;
}

/* Parameters as they are when nothing is asked for. */
static bool read_defaults(struct bench *bench, clade_heap_params *params)
{
    clade_heap *heap;
    *params = (clade_heap_params) { .capacity = 1 };
    if (!bench_told(clade_heap_create(&heap, bench_context(bench), params)))
        return false;
    *params = *clade_heap_params_of(heap);
    clade_heap_destroy(&heap);
    return true;
}

static bool add_params_tables(struct bench *bench)
{
    clade_heap_params params;
    if (!read_defaults(bench, &params))
        return false;
    const uint64_t n = bench_is_quick(bench) ? 20000 : most_keys(bench) / 8;
    const uint32_t groups = params.groups, batch = params.batch;
    bool fine = true;
    bench_table(bench, "groups", "top-down, more and more groups");
    for (params.groups = 1; fine && params.groups <= (bench_is_quick(bench) ? 2 : 8 * groups);
         params.groups *= 2)
        fine = add_params_row(bench, n, params);
    params.groups = groups;
    if (fine)
        bench_table(bench, "batch", "top-down, larger and larger batches");
    for (params.batch = bench_is_quick(bench) ? 64 : 16; fine && params.batch <= batch;
         params.batch *= 4)
        fine = add_params_row(bench, n, params);
    params.batch = batch / 2; /* so that values fit beside the keys in local memory */
    if (fine)
        bench_table(bench, "values", "top-down, keys alone and with values");
    for (int i = 0; fine && i < 2; i++) {
        params.value = i == 0 ? CLADE_NONE : CLADE_U32;
        fine = add_params_row(bench, n, params);
    }
    return fine;
}

bool bench_heap_arrays(struct bench *bench)
{
    const uint64_t most = most_keys(bench);
    bool fine = true;
    bench_table(bench, "sizes", "insert all, delete all, int32 keys");
    for (uint64_t n = bench_is_quick(bench) ? 1000 : 2048; fine && n <= most;
         n *= bench_is_quick(bench) ? 10 : 8)
        fine = add_size_row(bench, n, BENCH_RANDOM);
    for (int pattern = BENCH_ASCENDING; fine && pattern <= BENCH_EQUAL; pattern++)
        fine = add_size_row(bench, most, (enum bench_heap_pattern)pattern);
    return fine && add_params_tables(bench);
}

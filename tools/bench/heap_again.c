/* SPDX-License-Identifier: Apache-2.0 */
/* `clade bench heap`, whole arrays into a heap that is not empty. */
#include "bench/heap_keys.h"

/* The first keys are there before, the others come. The values are of no kind. */
struct again {
    struct heap_keys keys;
    uint64_t inside;
};

static bool insert_part(struct again *a, uint64_t first, uint64_t count)
{
    return bench_told(clade_heap_insert(a->keys.heap, clade_device(a->keys.in_mem, 4 * first),
                                        clade_no_array(), count, NULL));
}

static bool fill_inside(void *data)
{
    struct again *a = data;
    return heap_keys_clear(&a->keys) && insert_part(a, 0, a->inside);
}

static bool insert_more(void *data)
{
    struct again *a = data;
    return insert_part(a, a->inside, a->keys.n - a->inside);
}

/* All come out, in order. */
static bool check_more(void *data)
{
    struct again *a = data;
    return heap_keys_check_insert(&a->keys) && heap_keys_pop(&a->keys) &&
           heap_keys_check_pop(&a->keys);
}

static bool fill_queue_inside(void *data)
{
    struct again *a = data;
    return heap_keys_clear_queue(&a->keys) &&
           (a->keys.kind->push(a->keys.queue, a->keys.in, a->inside) ||
            bench_fail("memory is out"));
}

static bool push_more(void *data)
{
    struct again *a = data;
    return a->keys.kind->push(a->keys.queue, a->keys.in + a->inside, a->keys.n - a->inside) ||
           bench_fail("memory is out");
}

static bool check_push_more(void *data)
{
    struct again *a = data;
    return heap_keys_pop_queue(&a->keys) && heap_keys_check_queue(&a->keys);
}

static bool add_again(struct again *a, const char *name, const struct bench_task *task)
{
    struct bench_times times;
    if (!bench_measure(a->keys.bench, task, &times))
        return false;
    bench_ms(a->keys.bench, name, &times);
    return true;
}

static bool add_again_heaps(struct again *a)
{
    const struct bench_task task = { a, fill_inside, insert_more, check_more, false };
    bool fine = true;
    for (size_t i = 0; fine && i < BENCH_HEAP_ENGINES; i++) {
        const struct bench_heap_engine *engine = &bench_heap_engines[i];
        fine = heap_keys_make_heap(&a->keys, (clade_heap_params) { .engine = engine->engine }) &&
               add_again(a, engine->name, &task);
        clade_heap_destroy(&a->keys.heap);
    }
    return fine;
}

static bool add_again_queue(struct again *a, const struct baseline_queue_kind *kind)
{
    const struct bench_task task = { a, fill_queue_inside, push_more, check_push_more, true };
    if (kind->missing) {
        bench_none(a->keys.bench, kind->name, kind->missing);
        return true;
    }
    a->keys.kind = kind;
    a->keys.queue = kind->create();
    if (!a->keys.queue)
        return bench_fail("memory is out");
    const bool fine = add_again(a, kind->name, &task);
    kind->destroy(a->keys.queue);
    return fine;
}

static bool add_again_row(struct bench *bench, uint64_t inside, uint64_t more,
                          enum bench_shape shape)
{
    struct again a = { .inside = inside };
    bool fine = heap_keys_open(&a.keys, bench, inside + more, 1, shape);
    bench_text(bench, "keys are", bench_shape_names[shape]);
    bench_count(bench, "inside", inside);
    bench_count(bench, "inserted", more);
    fine = fine && add_again_heaps(&a) && add_again_queue(&a, &baseline_queue_std) &&
           bench_nothing(bench, "two empty launches", 2);
    heap_keys_close(&a.keys);
    if (fine)
        bench_row_end(bench);
    return fine;
}

/* As many as are inside, and an eighth, a 32nd, a 256th of them. */
bool bench_heap_again(struct bench *bench)
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

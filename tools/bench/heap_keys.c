/* SPDX-License-Identifier: Apache-2.0 */
/* Keys that go through heaps and queues as whole arrays. */
#include "bench/heap_keys.h"

#include <stdlib.h>
#include <string.h>

void heap_keys_close(struct heap_keys *l)
{
    cl_mem *const mems[] = { &l->in_mem, &l->out_mem, &l->got_mem, &l->value_mem };
    for (size_t i = 0; i < sizeof mems / sizeof mems[0]; i++)
        if (*mems[i])
            clReleaseMemObject(*mems[i]);
    free(l->in);
    free(l->out);
}

bool heap_keys_open(struct heap_keys *l, struct bench *bench, uint64_t n, uint32_t words,
                    enum bench_shape shape)
{
    uint64_t seed = n;
    *l = (struct heap_keys) { .bench = bench, .n = n, .words = words };
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

bool heap_keys_open_values(struct heap_keys *l)
{
    l->value_mem = bench_buffer(l->bench, l->in, l->n * sizeof *l->in);
    return l->value_mem;
}

/* --- the heap -------------------------------------------------------------------------------- */

static clade_array values_of(const struct heap_keys *l)
{
    return clade_heap_params_of(l->heap)->value == CLADE_NONE ? clade_no_array()
                                                              : clade_device(l->value_mem, 0);
}

bool heap_keys_clear(void *data)
{
    struct heap_keys *l = data;
    return bench_told(clade_heap_clear(l->heap, NULL));
}

bool heap_keys_insert(void *data)
{
    struct heap_keys *l = data;
    return bench_told(
        clade_heap_insert(l->heap, clade_device(l->in_mem, 0), values_of(l), l->n, NULL));
}

bool heap_keys_check_insert(void *data)
{
    struct heap_keys *l = data;
    uint64_t size = 0;
    return bench_told(clade_heap_size(l->heap, &size)) && size == l->n;
}

bool heap_keys_fill(void *data)
{
    return heap_keys_clear(data) && heap_keys_insert(data);
}

bool heap_keys_pop(void *data)
{
    struct heap_keys *l = data;
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

static bool is_sorted_load(const struct heap_keys *l)
{
    struct bench_sums sums = { 0, 0, 0 };
    bench_sums_add(&sums, l->out, l->n * l->words);
    return (l->words == 2 ? is_ascending64(l->out, l->n) : bench_is_ascending(l->out, l->n)) &&
           bench_sums_equal(&sums, &l->sums);
}

bool heap_keys_check_pop(void *data)
{
    struct heap_keys *l = data;
    uint64_t size = 1;
    return bench_read(l->bench, l->out_mem, l->out, l->n * l->words * sizeof *l->out) &&
           bench_told(clade_heap_size(l->heap, &size)) && size == 0 && is_sorted_load(l);
}

bool heap_keys_insert_and_pop(void *data)
{
    return heap_keys_insert(data) && heap_keys_pop(data);
}

bool heap_keys_make_heap(struct heap_keys *l, clade_heap_params params)
{
    params.capacity = l->n;
    return bench_told(clade_heap_create(&l->heap, bench_context(l->bench), &params));
}

/* --- queues of the host ----------------------------------------------------------------------- */

bool heap_keys_clear_queue(void *data)
{
    struct heap_keys *l = data;
    l->kind->clear(l->queue);
    return true;
}

bool heap_keys_push(void *data)
{
    struct heap_keys *l = data;
    return l->kind->push(l->queue, l->in, l->n) || bench_fail("memory is out");
}

bool heap_keys_fill_queue(void *data)
{
    return heap_keys_clear_queue(data) && heap_keys_push(data);
}

bool heap_keys_pop_queue(void *data)
{
    struct heap_keys *l = data;
    memset(l->out, 0, l->n * sizeof *l->out);
    return l->kind->pop(l->queue, l->out, l->n) == l->n;
}

bool heap_keys_check_push(void *data)
{
    (void)data;
    return true;
}

bool heap_keys_check_queue(void *data)
{
    const struct heap_keys *l = data;
    struct bench_sums sums = { 0, 0, 0 };
    bench_sums_add(&sums, l->out, l->n);
    return bench_sums_equal(&sums, &l->sums) &&
           (!l->kind->in_order || bench_is_ascending(l->out, l->n));
}

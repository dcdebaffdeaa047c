/* SPDX-License-Identifier: Apache-2.0 */
/* How the structures over ranks scale: medians of the slowest rank's time, and where it goes.
 *
 *     mpirun -n RANKS mpi_bench [weak] [SIZE]
 *
 * Strong scaling: SIZE keys in all (default 2^24); weak: for each rank. With one rank the same work
 * is also done by clade alone, as `plain`. `messages` is the time in MPI, waiting for other ranks
 * included; `kernels` that of the device's kernels (PROFILE=1, in a run of its own, for it slows
 * small calls down); the rest is transfers and the host. A line is one measurement. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mpi/measure.h"

/* --- heap ---------------------------------------------------------------------------------------
 */

struct heap_work {
    struct bench *b;
    clade_mpi_heap *heap;
    cl_mem keys, out;
    uint64_t count, most, got;
    bool plain;
};

/* What was popped goes in again: the heap has the same number of keys each time. */
static void refill(void *data)
{
    struct heap_work *w = data;
    clade_heap *own = clade_mpi_heap_own(w->heap);
    must(clade_heap_clear(own, NULL), "clear");
    must(clade_heap_insert(own, clade_device(w->keys, 0), clade_no_array(), w->b->share, NULL),
         "insert");
}

static void pop(void *data)
{
    struct heap_work *w = data;
    const uint64_t room = w->most ? w->most : w->count;
    if (w->plain)
        must(clade_heap_pop(clade_mpi_heap_own(w->heap), clade_device(w->out, 0), clade_no_array(),
                            w->count, clade_host(&w->got), NULL),
             "pop");
    else
        must(clade_mpi_heap_pop(w->heap, clade_device(w->out, 0), clade_no_array(), room, w->count,
                                w->most, &w->got),
             "pop");
}

static void bench_heap(struct bench *b)
{
    char name[64];
    uint32_t *keys = malloc(b->share * sizeof *keys);
    struct heap_work w = { .b = b };
    const clade_heap_params params = { .capacity = b->share, .key = CLADE_U32 };
    for (uint64_t i = 0; i < b->share; i++)
        keys[i] = (uint32_t)next(b);
    w.keys = buffer(b, b->share * 4, keys);
    w.out = buffer(b, b->total / 2 * 4 + 4096, NULL);
    must(clade_mpi_heap_create(&w.heap, b->mpi, b->context, &params), "heap");
    for (int plain = clade_mpi_ranks(b->mpi) == 1; plain >= 0; plain--)
        for (uint64_t k = 1024; k <= b->total / 8; k *= 32)
            for (int loose = 0; loose < 2 - plain; loose++) {
                w.plain = plain;
                w.count = k;
                w.most = loose ? 2 * k : 0;
                snprintf(name, sizeof name, "heap pop %llu%s%s", (unsigned long long)k,
                         loose ? " .. twice" : "", plain ? " plain" : "");
                measure(b, name, k, &w, refill, pop);
            }
    clade_mpi_heap_destroy(&w.heap);
    clReleaseMemObject(w.keys);
    clReleaseMemObject(w.out);
    free(keys);
}

/* --- maps ---------------------------------------------------------------------------------------
 */

struct map_work {
    clade_mpi_hashmap *map;
    clade_mpi_rbtree *tree;
    clade_array keys, values, statuses;
    uint64_t count;
    bool plain;
};

static void put(void *data)
{
    struct map_work *w = data;
    if (w->map)
        must(w->plain ? clade_hashmap_put(clade_mpi_hashmap_own(w->map), w->keys, w->values,
                                          w->count, w->statuses, NULL)
                      : clade_mpi_hashmap_put(w->map, w->keys, w->values, w->count, w->statuses),
             "put");
    else
        must(w->plain ? clade_rbtree_put(clade_mpi_rbtree_own(w->tree), w->keys, w->values,
                                         w->count, w->statuses, NULL)
                      : clade_mpi_rbtree_put(w->tree, w->keys, w->values, w->count, w->statuses),
             "put");
}

static void find(void *data)
{
    struct map_work *w = data;
    if (w->map)
        must(w->plain ? clade_hashmap_find(clade_mpi_hashmap_own(w->map), w->keys, w->values,
                                           w->count, w->statuses, NULL)
                      : clade_mpi_hashmap_find(w->map, w->keys, w->values, w->count, w->statuses),
             "find");
    else
        must(w->plain ? clade_rbtree_find(clade_mpi_rbtree_own(w->tree), w->keys, w->values,
                                          w->count, w->statuses, NULL)
                      : clade_mpi_rbtree_find(w->tree, w->keys, w->values, w->count, w->statuses),
             "find");
}

static void bench_map(struct bench *b, bool is_tree)
{
    char name[64];
    struct map_work w = { .count = b->share / 4 };
    uint32_t *host = calloc(3 * w.count, sizeof *host);
    const uint64_t capacity = b->share / 2;
    cl_mem mems[3];
    for (uint64_t i = 0; i < w.count; i++)
        host[i] = (uint32_t)next(b);
    for (int i = 0; i < 3; i++)
        mems[i] = buffer(b, w.count * 4, host + (i ? w.count : 0));
    if (is_tree)
        must(clade_mpi_rbtree_create(
                 &w.tree, b->mpi, b->context,
                 &(clade_rbtree_params) { .capacity = capacity, .value = CLADE_U32 }),
             "tree");
    else
        must(clade_mpi_hashmap_create(
                 &w.map, b->mpi, b->context,
                 &(clade_hashmap_params) { .capacity = capacity, .value = CLADE_U32 }),
             "map");
    for (int plain = clade_mpi_ranks(b->mpi) == 1; plain >= 0; plain--)
        for (int on_device = 0; on_device < 2; on_device++) {
            clade_array *arrays[3] = { &w.keys, &w.values, &w.statuses };
            for (uint64_t i = 0; i < 3; i++)
                *arrays[i] = on_device ? clade_device(mems[i], 0) : clade_host(host + i * w.count);
            w.plain = plain;
            for (int finds = 0; finds < 2; finds++) {
                snprintf(name, sizeof name, "%s %s %s%s", is_tree ? "tree" : "map",
                         finds ? "find" : "put", on_device ? "device arrays" : "host arrays",
                         plain ? " plain" : "");
                measure(b, name, b->total / 4, &w, NULL, finds ? find : put);
            }
        }
    clade_mpi_hashmap_destroy(&w.map);
    clade_mpi_rbtree_destroy(&w.tree);
    for (int i = 0; i < 3; i++)
        clReleaseMemObject(mems[i]);
    free(host);
}

/* --- selection ----------------------------------------------------------------------------------
 */

struct select_work {
    clade_mpi_kselect *selector;
    clade_kselect *plain;
    cl_mem keys, out;
    uint64_t k, got;
};

static void run_select(void *data)
{
    struct select_work *w = data;
    if (w->plain)
        must(clade_kselect_run(w->plain, clade_device(w->keys, 0), clade_device(w->out, 0),
                               clade_no_array(), 1, NULL),
             "select");
    else
        must(clade_mpi_kselect_run(w->selector, clade_device(w->keys, 0), clade_device(w->out, 0),
                                   clade_no_array(), w->k, &w->got),
             "select");
}

static void bench_select(struct bench *b)
{
    char name[64];
    float *keys = malloc(b->share * sizeof *keys);
    struct select_work w = { 0 };
    for (uint64_t i = 0; i < b->share; i++)
        keys[i] = (float)(uint32_t)next(b);
    w.keys = buffer(b, b->share * 4, keys);
    w.out = buffer(b, 1 << 20, NULL);
    for (w.k = 1000; w.k <= 200000 && w.k <= b->total; w.k *= 100) {
        clade_kselect_params params = { .length = b->share, .k = w.k, .key = CLADE_F32 };
        snprintf(name, sizeof name, "select %llu", (unsigned long long)w.k);
        must(clade_mpi_kselect_create(&w.selector, b->mpi, b->context, &params), "selector");
        measure(b, name, b->total, &w, NULL, run_select);
        clade_mpi_kselect_destroy(&w.selector);
        if (clade_mpi_ranks(b->mpi) > 1)
            continue;
        params.output = CLADE_KSELECT_SORTED;
        must(clade_kselect_create(&w.plain, b->context, &params), "selector");
        strcat(name, " plain");
        measure(b, name, b->total, &w, NULL, run_select);
        clade_kselect_destroy(&w.plain);
    }
    clReleaseMemObject(w.keys);
    clReleaseMemObject(w.out);
    free(keys);
}

int main(int count, char **words)
{
    struct bench b = { 0 };
    bench_open(&b, &count, &words);
    const uint64_t ranks = (uint64_t)clade_mpi_ranks(b.mpi);
    b.weak = count > 1 && strcmp(words[1], "weak") == 0;
    b.total = count > 1 + b.weak ? strtoull(words[1 + b.weak], NULL, 0) : (uint64_t)1 << 24;
    b.total *= b.weak ? ranks : 1;
    b.share = b.total / ranks;
    bench_heap(&b);
    bench_select(&b);
    bench_map(&b, false);
    bench_map(&b, true);
    bench_close(&b);
    return 0;
}

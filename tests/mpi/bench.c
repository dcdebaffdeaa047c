/* SPDX-License-Identifier: Apache-2.0 */
/* How the structures over ranks scale: medians of the slowest rank's time, and where it goes.
 *
 *     mpirun -n RANKS mpi_bench [weak] [SIZE [heap] [select] [map] [tree]]
 *
 * Strong scaling: SIZE keys in all (default 2^24); weak: for each rank. With one rank the same work
 * is also done by clade alone, as `plain`. `messages` is the time in MPI, waiting for other ranks
 * included; `kernels` that of the device's kernels (PROFILE=1, in a run of its own, for it slows
 * small calls down); the rest is transfers and the host. A line is one measurement. With MOVED=1 a
 * second line says how many bytes rank 0 moved. CHUNK=OPERATIONS: a chunk of the maps has so many.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "mpi/batch.h"
#include "mpi/measure.h"

/* --- heap ---------------------------------------------------------------------------------------
 */

struct heap_work {
    struct bench *b;
    clade_mpi_heap *heap;
    cl_mem keys, out;
    uint64_t count, most, got;
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
    must(clade_mpi_heap_pop(w->heap, clade_device(w->out, 0), clade_no_array(), room, w->count,
                            w->most, &w->got),
         "pop");
}

static void pop_plain(void *data)
{
    struct heap_work *w = data;
    must(clade_heap_pop(clade_mpi_heap_own(w->heap), clade_device(w->out, 0), clade_no_array(),
                        w->count, clade_host(&w->got), NULL),
         "pop");
}

static void bench_heap(struct bench *b)
{
    char name[64];
    struct heap_work w = { .b = b };
    const clade_heap_params params = { .capacity = b->share, .key = CLADE_U32 };
    w.keys = buffer(b, b->share * 4);
    fill(b, w.keys, b->share, false);
    w.out = buffer(b, b->total / 2 * 4 + 4096);
    must(clade_mpi_heap_create(&w.heap, b->mpi, b->context, &params), "heap");
    for (uint64_t k = 1024; k <= b->total / 8; k *= 32)
        for (int loose = 0; loose < 2; loose++) {
            w.count = k;
            w.most = loose ? 2 * k : 0;
            snprintf(name, sizeof name, "heap pop %llu%s", (unsigned long long)k,
                     loose ? " .. twice" : "");
            measure(b, &(struct subject) { name, k, &w, refill, pop, loose ? NULL : pop_plain });
        }
    clade_mpi_heap_destroy(&w.heap);
    clReleaseMemObject(w.keys);
    clReleaseMemObject(w.out);
}

/* --- maps ---------------------------------------------------------------------------------------
 */

struct map_work {
    clade_mpi_hashmap *map;
    clade_mpi_rbtree *tree;
    clade_array keys, values, statuses;
    uint64_t count;
};

static void put(void *data)
{
    struct map_work *w = data;
    must(w->map ? clade_mpi_hashmap_put(w->map, w->keys, w->values, w->count, w->statuses)
                : clade_mpi_rbtree_put(w->tree, w->keys, w->values, w->count, w->statuses),
         "put");
}

static void put_plain(void *data)
{
    struct map_work *w = data;
    must(w->map ? clade_hashmap_put(clade_mpi_hashmap_own(w->map), w->keys, w->values, w->count,
                                    w->statuses, NULL)
                : clade_rbtree_put(clade_mpi_rbtree_own(w->tree), w->keys, w->values, w->count,
                                   w->statuses, NULL),
         "put");
}

static void find(void *data)
{
    struct map_work *w = data;
    must(w->map ? clade_mpi_hashmap_find(w->map, w->keys, w->values, w->count, w->statuses)
                : clade_mpi_rbtree_find(w->tree, w->keys, w->values, w->count, w->statuses),
         "find");
}

static void find_plain(void *data)
{
    struct map_work *w = data;
    must(w->map ? clade_hashmap_find(clade_mpi_hashmap_own(w->map), w->keys, w->values, w->count,
                                     w->statuses, NULL)
                : clade_rbtree_find(clade_mpi_rbtree_own(w->tree), w->keys, w->values, w->count,
                                    w->statuses, NULL),
         "find");
}

static void make_map(struct bench *b, struct map_work *w, bool is_tree)
{
    const uint64_t capacity = b->share / 2;
    if (is_tree)
        must(clade_mpi_rbtree_create(
                 &w->tree, b->mpi, b->context,
                 &(clade_rbtree_params) { .capacity = capacity, .value = CLADE_U32 }),
             "tree");
    else
        must(clade_mpi_hashmap_create(
                 &w->map, b->mpi, b->context,
                 &(clade_hashmap_params) { .capacity = capacity, .value = CLADE_U32 }),
             "map");
}

static void bench_map(struct bench *b, bool is_tree)
{
    char name[64];
    struct map_work w = { .count = b->share / 4 };
    uint32_t *host = malloc(3 * w.count * sizeof *host);
    cl_mem mems[3];
    for (int i = 0; i < 3; i++) {
        mems[i] = buffer(b, w.count * 4);
        fill(b, mems[i], w.count, false);
        if (!host || clEnqueueReadBuffer(clade_context_cl_queue(b->context), mems[i], CL_TRUE, 0,
                                         w.count * 4, host + i * w.count, 0, NULL, NULL))
            MPI_Abort(MPI_COMM_WORLD, 1);
    }
    make_map(b, &w, is_tree);
    for (int on_device = 0; on_device < 2; on_device++) {
        clade_array *arrays[3] = { &w.keys, &w.values, &w.statuses };
        for (uint64_t i = 0; i < 3; i++)
            *arrays[i] = on_device ? clade_device(mems[i], 0) : clade_host(host + i * w.count);
        for (int finds = 0; finds < 2; finds++) {
            snprintf(name, sizeof name, "%s %s %s", is_tree ? "tree" : "map",
                     finds ? "find" : "put", on_device ? "device arrays" : "host arrays");
            measure(b, &(struct subject) { name, b->total / 4, &w, NULL, finds ? find : put,
                                           finds ? find_plain : put_plain });
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
    must(clade_mpi_kselect_run(w->selector, clade_device(w->keys, 0), clade_device(w->out, 0),
                               clade_no_array(), w->k, &w->got),
         "select");
}

static void select_plain(void *data)
{
    struct select_work *w = data;
    must(clade_kselect_run(w->plain, clade_device(w->keys, 0), clade_device(w->out, 0),
                           clade_no_array(), 1, NULL),
         "select");
}

static void bench_select(struct bench *b)
{
    char name[64];
    struct select_work w = { 0 };
    w.keys = buffer(b, b->share * 4);
    fill(b, w.keys, b->share, true);
    w.out = buffer(b, 1 << 20);
    for (w.k = 1000; w.k <= 200000 && w.k <= b->total; w.k *= 100) {
        clade_kselect_params params = { .length = b->share, .k = w.k, .key = CLADE_F32 };
        snprintf(name, sizeof name, "select %llu", (unsigned long long)w.k);
        must(clade_mpi_kselect_create(&w.selector, b->mpi, b->context, &params), "selector");
        if (clade_mpi_ranks(b->mpi) == 1) {
            params.output = CLADE_KSELECT_SORTED;
            must(clade_kselect_create(&w.plain, b->context, &params), "selector");
        }
        measure(b, &(struct subject) { name, b->total, &w, NULL, run_select, select_plain });
        clade_mpi_kselect_destroy(&w.selector);
        clade_kselect_destroy(&w.plain);
    }
    clReleaseMemObject(w.keys);
    clReleaseMemObject(w.out);
}

/* --- all ----------------------------------------------------------------------------------------
 */

static bool is_wanted(const char *part, int count, char **words)
{
    for (int i = 0; i < count; i++)
        if (strcmp(words[i], part) == 0)
            return true;
    return count <= 0;
}

int main(int count, char **words)
{
    struct bench b = { 0 };
    const char *chunk = getenv("CHUNK");
    bench_open(&b, &count, &words);
    if (chunk)
        cladei_mpi_batch_most = strtoull(chunk, NULL, 0);
    const uint64_t ranks = (uint64_t)clade_mpi_ranks(b.mpi);
    b.weak = count > 1 && strcmp(words[1], "weak") == 0;
    count -= 1 + b.weak;
    words += 1 + b.weak;
    b.total = count > 0 ? strtoull(words[0], NULL, 0) : (uint64_t)1 << 24;
    b.total *= b.weak ? ranks : 1;
    b.share = b.total / ranks;
    count--;
    words++;
    if (is_wanted("heap", count, words))
        bench_heap(&b);
    if (is_wanted("select", count, words))
        bench_select(&b);
    if (is_wanted("map", count, words))
        bench_map(&b, false);
    if (is_wanted("tree", count, words))
        bench_map(&b, true);
    bench_close(&b);
    return 0;
}

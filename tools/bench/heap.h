/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of `clade bench heap`. */
#pragma once

#include "bench/bench.h"
#include "bench/shapes.h"

/* Whole arrays through the host's calls. */
bool bench_heap_arrays(struct bench *bench);
/* The same into a heap that has keys. */
bool bench_heap_again(struct bench *bench);
/* Groups that insert and pop at once, in one kernel. */
bool bench_heap_kernels(struct bench *bench);
/* The same with batches that are not full; and small heaps, one for each group. */
bool bench_heap_partial(struct bench *bench);
bool bench_heap_many(struct bench *bench);

/* One column for each way a heap can work. */
struct bench_heap_engine {
    const char *name;
    uint32_t engine;
};
enum { BENCH_HEAP_ENGINES = 3 };
extern const struct bench_heap_engine bench_heap_engines[BENCH_HEAP_ENGINES];

/* What a set of keys adds up to: equal sets, equal sums; in practice the other way too. */
struct bench_sums {
    uint64_t count, sum, squares;
};
void bench_sums_add(struct bench_sums *sums, const int32_t *keys, uint64_t n);
bool bench_sums_equal(const struct bench_sums *a, const struct bench_sums *b);
bool bench_is_ascending(const int32_t *keys, uint64_t n);

/* Parameters of an engine when nothing is asked for. */
bool bench_heap_defaults(struct bench *bench, uint32_t engine, clade_heap_params *params);
/* Prints the last error when there is one. */
bool bench_told(clade_status status);

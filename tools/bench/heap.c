/* SPDX-License-Identifier: Apache-2.0 */
/* `clade bench heap`: what its parts share. */
#include "bench/heap.h"

#include "command/clade.h"

const struct bench_heap_engine bench_heap_engines[BENCH_HEAP_ENGINES] = {
    { "top-down", CLADE_HEAP_TOP_DOWN },
    { "bottom-up", CLADE_HEAP_BOTTOM_UP },
    { "front", CLADE_HEAP_FRONT },
};

void bench_sums_add(struct bench_sums *sums, const int32_t *keys, uint64_t n)
{
    sums->count += n;
    for (uint64_t i = 0; i < n; i++) {
        sums->sum += (uint32_t)keys[i];
        sums->squares += (uint64_t)(uint32_t)keys[i] * (uint32_t)keys[i];
    }
}

bool bench_sums_equal(const struct bench_sums *a, const struct bench_sums *b)
{
    return a->count == b->count && a->sum == b->sum && a->squares == b->squares;
}

bool bench_is_ascending(const int32_t *keys, uint64_t n)
{
    for (uint64_t i = 1; i < n; i++)
        if (keys[i] < keys[i - 1])
            return false;
    return true;
}

bool bench_told(clade_status status)
{
    if (status != CLADE_OK)
        report_error();
    return status == CLADE_OK;
}

bool bench_heap_defaults(struct bench *bench, uint32_t engine, clade_heap_params *params)
{
    clade_heap *heap;
    *params = (clade_heap_params) { .capacity = 1, .engine = engine };
    if (!bench_told(clade_heap_create(&heap, bench_context(bench), params)))
        return false;
    *params = *clade_heap_params_of(heap);
    clade_heap_destroy(&heap);
    return true;
}

static bool run_suite(struct bench *bench)
{
    return bench_heap_arrays(bench) && bench_heap_kernels(bench) && bench_heap_partial(bench) &&
           bench_heap_many(bench);
}

const struct bench_suite heap_suite = {
    .name = "heap",
    .summary = "the heap: whole arrays, and groups at once in a kernel",
    .run = run_suite,
    .quick = { 420, 2 },
    .cpu = { 620, 200 },
    .gpu = { 700, 110 },
    .tables = "sizes distributions again types shapes groups batch kernels partial many",
};

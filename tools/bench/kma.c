/* SPDX-License-Identifier: Apache-2.0 */
/* `clade bench kma`: blocks allocated and freed by so many items, pairs of both in one kernel, how
 * full a heap gets and what a refusal costs, how long it takes to be made empty. Behind every run
 * blocks are looked at, or counted. */
#include <stdio.h>
#include <stdlib.h>

#include "bench/bench.h"
#include "bench/kma_sizes.h"
#include "command/clade.h"
#include "common/kma_options.h"

enum { ROUNDS = 8, COUNTERS = 16, LAUNCH_MOST = 16384 };
enum { OVERLAPS = 0, MISSING = 1, ASKED = 4, REFUSED = 6 };
enum kernel { ALLOC, FREE, WRITE, LOOK, PAIRS, FILL, KERNELS };

struct load {
    struct bench *bench;
    clade_kma *kma;
    cl_kernel kernels[KERNELS];
    cl_mem refs, counters;
    uint64_t heap_bytes;
    uint32_t items, bytes;  /* of the row; 0 bytes: mixed */
    bool is_first, is_free; /* what is measured: on a cleared heap; freeing */
    bool is_full;           /* blocks are allocated */
    uint32_t round;
};

static bool told(clade_status status)
{
    if (status != CLADE_OK)
        report_error();
    return status == CLADE_OK;
}

/* --- kernels ---------------------------------------------------------------------------------- */

static bool launch(struct load *l, enum kernel which, uint32_t last)
{
    const size_t most = clade_context_caps(bench_context(l->bench))->group_size_max;
    const size_t group = most < 256 ? most : 256, global = (l->items + group - 1) / group * group;
    const cl_mem mems[] = { clade_kma_mem(l->kma), l->refs, l->counters };
    const cl_uint words[] = { l->items, l->bytes, last };
    cl_kernel kernel = l->kernels[which];
    cl_int code = CL_SUCCESS;
    for (cl_uint i = 0; i < 3 && code == CL_SUCCESS; i++)
        code = clSetKernelArg(kernel, i, sizeof mems[i], &mems[i]);
    for (cl_uint i = 0; i < 3 && code == CL_SUCCESS; i++)
        code = clSetKernelArg(kernel, 3 + i, sizeof words[i], &words[i]);
    if (code != CL_SUCCESS)
        return bench_fail("a kernel's arguments are refused (%d)", code);
    return bench_launch(l->bench, kernel, global, group);
}

static bool counts_to_zero(struct load *l)
{
    const cl_uint zero[COUNTERS] = { 0 };
    cl_int code = clEnqueueWriteBuffer(clade_context_cl_queue(bench_context(l->bench)), l->counters,
                                       CL_TRUE, 0, sizeof zero, zero, 0, NULL, NULL);
    return code == CL_SUCCESS || bench_fail("a buffer cannot be written (%d)", code);
}

static bool has_no_block(struct load *l)
{
    clade_kma_stats stats;
    return told(clade_kma_check(l->kma, NULL, 0)) && told(clade_kma_stats_read(l->kma, &stats)) &&
           stats.live_blocks == 0 && stats.bad_frees == 0;
}

/* --- blocks by size --------------------------------------------------------------------------- */

static bool blocks_prepare(void *data)
{
    struct load *l = data;
    if (l->is_full && !launch(l, FREE, 0))
        return false;
    l->is_full = false;
    if (l->is_first && !told(clade_kma_clear(l->kma, NULL)))
        return false;
    l->is_full = l->is_free;
    return !l->is_free || launch(l, ALLOC, 0);
}

static bool blocks_work(void *data)
{
    struct load *l = data;
    l->is_full = !l->is_free;
    return launch(l, l->is_free ? FREE : ALLOC, 0);
}

static bool blocks_check(void *data)
{
    struct load *l = data;
    cl_uint counters[COUNTERS];
    if (l->is_free)
        return has_no_block(l);
    l->round++;
    return counts_to_zero(l) && launch(l, WRITE, l->round) && launch(l, LOOK, l->round) &&
           bench_read(l->bench, l->counters, counters, sizeof counters) &&
           counters[OVERLAPS] == 0 && counters[MISSING] == 0;
}

static bool blocks_cell(struct load *l, bool is_free, bool is_first, const char *column)
{
    const struct bench_task task = { l, blocks_prepare, blocks_work, blocks_check, false };
    struct bench_times times;
    l->is_free = is_free;
    l->is_first = is_first;
    if (!bench_measure(l->bench, &task, &times))
        return false;
    bench_ms(l->bench, column, &times);
    return true;
}

/* --- the C library ---------------------------------------------------------------------------- */

struct plain {
    struct load *load;
    void **blocks;
    bool is_full;
};

static bool plain_free(struct plain *p)
{
    for (uint32_t i = 0; i < p->load->items; i++)
        free(p->blocks[i]);
    p->is_full = false;
    return true;
}

static bool plain_alloc(struct plain *p)
{
    const uint32_t bytes = p->load->bytes;
    uint32_t x = 1;
    for (uint32_t i = 0; i < p->load->items; i++) {
        x = x * 1664525u + 1013904223u;
        p->blocks[i] = malloc(bytes ? bytes : 4 + (x >> 8) % 1021);
    }
    p->is_full = true;
    return true;
}

static bool plain_prepare(void *data)
{
    struct plain *p = data;
    if (p->load->is_free == p->is_full)
        return true;
    return p->is_full ? plain_free(p) : plain_alloc(p);
}

static bool plain_work(void *data)
{
    struct plain *p = data;
    return p->load->is_free ? plain_free(p) : plain_alloc(p);
}

static bool plain_check(void *data)
{
    struct plain *p = data;
    for (uint32_t i = 0; p->is_full && i < p->load->items; i++)
        if (!p->blocks[i])
            return false;
    return true;
}

static bool plain_cells(struct load *l)
{
    struct plain plain = { .load = l, .blocks = bench_alloc(l->items, sizeof(void *)) };
    const struct bench_task task = { &plain, plain_prepare, plain_work, plain_check, true };
    static const char *const columns[] = { "alloc, C", "free, C" };
    struct bench_times times;
    bool fine = plain.blocks != NULL;
    for (int is_free = 0; fine && is_free < 2; is_free++) {
        l->is_free = is_free;
        fine = bench_measure(l->bench, &task, &times);
        if (fine)
            bench_ms(l->bench, columns[is_free], &times);
    }
    if (plain.blocks && plain.is_full)
        plain_free(&plain);
    free(plain.blocks);
    return fine;
}

static bool blocks_table(struct load *l, uint32_t most)
{
    static const uint32_t sizes[] = { 16, 64, 256, 1024, 8192, 0 };
    bool fine = true;
    bench_table(l->bench, "blocks", "one block an item: all allocated, all freed");
    for (l->items = most / 10; fine && l->items <= most; l->items *= 10)
        for (size_t s = 0; fine && !bench_is_over(l->bench) && s < sizeof sizes / sizeof sizes[0];
             s++) {
            char load[32];
            l->bytes = sizes[s];
            if ((uint64_t)l->items * (l->bytes ? l->bytes : 600) > l->heap_bytes / 10 * 8)
                continue;
            snprintf(load, sizeof load, l->items < 1000000 ? "%u,000 blocks" : "%u,000,000 blocks",
                     l->items < 1000000 ? l->items / 1000 : l->items / 1000000);
            bench_text(l->bench, "load", load);
            bench_count(l->bench, "bytes", l->bytes);
            fine = told(clade_kma_clear(l->kma, NULL)) && blocks_cell(l, false, false, "alloc") &&
                   blocks_cell(l, true, false, "free") && plain_cells(l) &&
                   blocks_cell(l, false, true, "first alloc") &&
                   blocks_cell(l, true, true, "first free");
            if (fine)
                bench_row_end(l->bench);
        }
    return fine;
}

/* --- pairs ------------------------------------------------------------------------------------ */

static bool pairs_prepare(void *data)
{
    return counts_to_zero(data);
}

static bool pairs_work(void *data)
{
    return launch(data, PAIRS, ROUNDS);
}

static bool pairs_check(void *data)
{
    struct load *l = data;
    cl_uint counters[COUNTERS];
    return bench_read(l->bench, l->counters, counters, sizeof counters) &&
           counters[OVERLAPS] == 0 && counters[MISSING] == 0 && has_no_block(l);
}

static bool pairs_table(struct load *l, uint32_t most)
{
    static const uint32_t sizes[] = { 64, 0 };
    const struct bench_task task = { l, pairs_prepare, pairs_work, pairs_check, false };
    struct bench_times times;
    bool fine = told(clade_kma_clear(l->kma, NULL));
    bench_table(l->bench, "pairs", "allocate, write, read, free in one kernel, 8 times an item");
    for (size_t s = 0; fine && s < 2; s++)
        for (l->items = 1; fine && l->items <= most && !bench_is_over(l->bench); l->items *= 4) {
            l->bytes = sizes[s];
            fine = bench_measure(l->bench, &task, &times);
            if (!fine)
                break;
            bench_text(l->bench, "load", l->bytes ? "64 bytes" : "4 to 1,024 bytes");
            bench_count(l->bench, "items", l->items);
            bench_count(l->bench, "bytes", l->bytes);
            bench_ms(l->bench, "pairs", &times);
            bench_value(l->bench, "M pairs/s", l->items * ROUNDS / times.median * 1e-3);
            bench_row_end(l->bench);
        }
    return fine;
}

/* --- filling ---------------------------------------------------------------------------------- */

static bool timed_fill(struct load *l, double *ms)
{
    const double begin = bench_now_ms();
    const bool fine = launch(l, FILL, l->round++) && told(clade_finish(bench_context(l->bench)));
    *ms = bench_now_ms() - begin;
    return fine;
}

/* Steps of less than 1 % of the heap. */
static bool fill_row(struct load *l, uint64_t heap, uint32_t bytes)
{
    const uint64_t step = heap / 128 / (bytes ? bytes : 514);
    cl_uint counters[COUNTERS] = { 0 };
    uint64_t asked = 0;
    double first = 0, last = 0;
    l->bytes = bytes;
    l->items = step < LAUNCH_MOST ? (uint32_t)step + 1 : LAUNCH_MOST;
    l->round = 0;
    bool fine = told(clade_kma_clear(l->kma, NULL)) && counts_to_zero(l);
    while (fine && counters[REFUSED] == 0 && l->round < 100000) {
        fine = timed_fill(l, &last) && bench_read(l->bench, l->counters, counters, sizeof counters);
        first = l->round == 1 ? last : first;
        if (counters[REFUSED] == 0)
            asked = counters[ASKED];
    }
    fine = fine && told(clade_kma_check(l->kma, NULL, 0));
    for (int i = 0; fine && i < 40; i++)
        fine = timed_fill(l, &last);
    if (!fine)
        return false;
    bench_count(l->bench, "heap", heap);
    bench_count(l->bench, "bytes", bytes);
    bench_count(l->bench, "items", l->items);
    bench_value(l->bench, "asked for, %", 100.0 * (double)asked / (double)heap);
    bench_value(l->bench, "first launch, ms", first);
    bench_value(l->bench, "refused, ms", last);
    bench_row_end(l->bench);
    return true;
}

static bool fill_table(struct load *l)
{
    static const uint32_t sizes[] = { 16, 64, 256, 1024, 8192, 0 };
    const uint64_t eighth = l->heap_bytes / 8, most = (uint64_t)1 << 30;
    const uint64_t heap = eighth < most ? eighth : most;
    struct load small = *l;
    small.kma = NULL;
    bool fine = told(clade_kma_create(&small.kma, bench_context(l->bench),
                                      &(clade_kma_params) { .bytes = heap }));
    bench_table(l->bench, "fill", "a heap filled to the first refusal");
    for (size_t s = 0; fine && s < sizeof sizes / sizeof sizes[0]; s++)
        fine = fill_row(&small, heap, sizes[s]);
    clade_kma_destroy(&small.kma);
    return fine;
}

/* --- making it empty -------------------------------------------------------------------------- */

static bool init_work(void *data)
{
    return told(clade_kma_clear(((struct load *)data)->kma, NULL));
}

static bool init_check(void *data)
{
    return has_no_block(data);
}

static bool init_table(struct load *l)
{
    bool fine = true;
    bench_table(l->bench, "init", "a heap is made empty");
    for (uint64_t bytes = l->heap_bytes / 64; fine && bytes <= l->heap_bytes; bytes *= 8) {
        struct load other = *l;
        struct bench_times times;
        const struct bench_task task = { &other, NULL, init_work, init_check, false };
        other.kma = NULL;
        fine = told(clade_kma_create(&other.kma, bench_context(l->bench),
                                     &(clade_kma_params) { .bytes = bytes })) &&
               bench_measure(l->bench, &task, &times);
        clade_kma_destroy(&other.kma);
        if (fine) {
            bench_count(l->bench, "heap", bytes);
            bench_ms(l->bench, "clear", &times);
            bench_row_end(l->bench);
        }
    }
    return fine;
}

/* --- all -------------------------------------------------------------------------------------- */

static bool open_load(struct load *l, uint32_t refs)
{
    static const char *const names[KERNELS] = {
        "clade_bench_kma_alloc", "clade_bench_kma_free",  "clade_bench_kma_write",
        "clade_bench_kma_look",  "clade_bench_kma_pairs", "clade_bench_kma_fill",
    };
    clade_program *program = NULL;
    l->refs = bench_buffer(l->bench, NULL, 4ull * refs);
    l->counters = bench_buffer(l->bench, NULL, 4ull * COUNTERS);
    clade_context *context = bench_context(l->bench);
    bool fine =
        l->refs && l->counters &&
        told(clade_kma_create(&l->kma, context, &(clade_kma_params) { .bytes = l->heap_bytes }));
    if (fine) {
        const struct kma_options options = kma_options(context, clade_kma_options(l->kma));
        fine = told(clade_program_build(
            &program, context,
            &(clade_program_params) { .file = "tools/bench_kma.cl", .options = options.text }));
    }
    for (size_t i = 0; fine && i < KERNELS; i++)
        fine = told(clade_program_kernel(&l->kernels[i], program, names[i]));
    clade_program_destroy(&program);
    /* Some drivers compile a kernel when it is first launched: that is no time of its own. */
    l->items = 1;
    l->bytes = 16;
    for (int i = 0; fine && i < KERNELS; i++)
        fine = launch(l, (enum kernel)i, 0);
    return fine && told(clade_kma_clear(l->kma, NULL));
}

static void close_load(struct load *l)
{
    for (size_t i = 0; i < KERNELS; i++)
        if (l->kernels[i])
            clReleaseKernel(l->kernels[i]);
    if (l->refs)
        clReleaseMemObject(l->refs);
    if (l->counters)
        clReleaseMemObject(l->counters);
    clade_kma_destroy(&l->kma);
}

/* A power of two, so that the other tables' heaps are whole parts of it. */
static uint64_t heap_for(const clade_caps *caps, bool is_quick)
{
    uint64_t bytes = is_quick ? (uint64_t)64 << 20 : (uint64_t)16 << 30;
    while (bytes > caps->alloc_bytes_max / 2 || (caps->is_cpu && bytes > (uint64_t)1 << 30))
        bytes /= 2;
    return bytes;
}

static bool run_suite(struct bench *bench)
{
    const clade_caps *caps = clade_context_caps(bench_context(bench));
    const bool is_quick = bench_is_quick(bench);
    const uint32_t blocks = is_quick ? 10000 : caps->is_cpu ? 100000 : 1000000;
    const uint32_t items = is_quick ? 1u << 8 : caps->is_cpu ? 1u << 14 : 1u << 20;
    struct load l = { .bench = bench, .heap_bytes = heap_for(caps, is_quick) };
    const bool fine =
        open_load(&l, blocks > items ? blocks : items) && blocks_table(&l, blocks) &&
        pairs_table(&l, items) && fill_table(&l) && init_table(&l) &&
        (!bench_wants(bench, "sizes") || bench_kma_sizes(bench, l.heap_bytes, blocks)) &&
        (!bench_wants(bench, "distributions") ||
         bench_kma_distributions(bench, l.heap_bytes, blocks));
    close_load(&l);
    return fine;
}

const struct bench_suite kma_suite = {
    .name = "kma",
    .summary = "the allocator: blocks by size, pairs in a kernel, how full a heap gets",
    .run = run_suite,
    .quick = { 79, 1 },
    .cpu = { 91, 20 },
    .gpu = { 91, 6 },
    .tables = "blocks pairs fill init sizes distributions",
};

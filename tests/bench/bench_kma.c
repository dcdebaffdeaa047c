/* SPDX-License-Identifier: Apache-2.0 */
/* The allocator's times: one block a work-item, alloc kernel and free kernel by event profiling,
 * blocks written with their owner's pattern and looked at before they are freed; pairs of malloc
 * and free in one kernel; how full a heap gets before its first refusal, and what a refusal costs.
 *
 *   bench_kma [--bytes N] [--items N] [--size BYTES] [--no-fill] [--contention] [--bare]
 *             [--options OPTIONS]
 *
 * With --size there is one row alone, of a tenth of the items. The device is CLADE_DEVICE's; the
 * heap is 12 GiB, or half of what its largest buffer holds. */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <clade/clade.h>

#include "common/kma_options.h"

enum { PASSES = 7, MIXED = 0, REFS = 1 << 20 };

struct bench {
    clade_context *context;
    cl_command_queue queue;
    clade_kma *kma;
    clade_program *program;
    cl_kernel write, look, pairs;
    cl_mem refs, sizes, counters;
    uint64_t heap_bytes;
    size_t group;
    int bare; /* no superblocks lie ready in the heap of the rows */
};

static void fail(const char *what)
{
    fprintf(stderr, "bench_kma: %s: %s\n%s\n", what, clade_error_last()->message,
            clade_error_last()->log);
    exit(1);
}

#define TRY(call)               \
    do {                        \
        if ((call) != CLADE_OK) \
            fail(#call);        \
    } while (0)
#define CL(call)                                                          \
    do {                                                                  \
        cl_int code_ = (call);                                            \
        if (code_ != CL_SUCCESS) {                                        \
            fprintf(stderr, "bench_kma: %s returned %d\n", #call, code_); \
            exit(1);                                                      \
        }                                                                 \
    } while (0)

static double event_ms(cl_event event)
{
    cl_ulong start = 0, end = 0;
    CL(clWaitForEvents(1, &event));
    CL(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_START, sizeof start, &start, NULL));
    CL(clGetEventProfilingInfo(event, CL_PROFILING_COMMAND_END, sizeof end, &end, NULL));
    clReleaseEvent(event);
    return (double)(end - start) * 1e-6;
}

static double run(struct bench *b, cl_kernel kernel, size_t items)
{
    cl_event event;
    size_t global = (items + b->group - 1) / b->group * b->group;
    CL(clEnqueueNDRangeKernel(b->queue, kernel, 1, NULL, &global, &b->group, 0, NULL, &event));
    return event_ms(event);
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return x < y ? -1 : x > y;
}

static uint32_t counter(struct bench *b, int index)
{
    uint32_t value = 0;
    CL(clEnqueueReadBuffer(b->queue, b->counters, CL_TRUE, (size_t)index * 4, 4, &value, 0, NULL,
                           NULL));
    return value;
}

static void set_args(struct bench *b, cl_kernel kernel, uint32_t items, uint32_t bytes,
                     uint32_t rounds)
{
    cl_mem kma = clade_kma_mem(b->kma);
    CL(clSetKernelArg(kernel, 0, sizeof kma, &kma));
    CL(clSetKernelArg(kernel, 1, sizeof b->refs, &b->refs));
    CL(clSetKernelArg(kernel, 2, sizeof b->counters, &b->counters));
    CL(clSetKernelArg(kernel, 3, sizeof items, &items));
    CL(clSetKernelArg(kernel, 4, sizeof bytes, &bytes));
    CL(clSetKernelArg(kernel, 5, sizeof rounds, &rounds));
}

/* One row of the table. */
static void row(struct bench *b, cl_kernel alloc, cl_kernel release, uint32_t items, uint32_t bytes)
{
    double a[PASSES], f[PASSES], first_a = 0, first_f = 0;
    bool verify = (uint64_t)items * (bytes ? bytes : 1024) <= (uint64_t)9 << 30;
    clade_kma_stats stats;
    TRY(clade_kma_clear(b->kma, NULL));
    memset(a, 0, sizeof a);
    for (int pass = 0; pass < PASSES; pass++) {
        set_args(b, alloc, items, bytes, 0);
        set_args(b, release, items, bytes, 0);
        a[pass] = run(b, alloc, items);
        if (verify && (pass < 2 || pass == PASSES - 1)) {
            set_args(b, b->write, items, bytes, (uint32_t)pass);
            set_args(b, b->look, items, bytes, (uint32_t)pass);
            run(b, b->write, items);
            run(b, b->look, items);
        }
        f[pass] = run(b, release, items);
        if (pass == 0) {
            first_a = a[0];
            first_f = f[0];
        }
    }
    qsort(a + 1, PASSES - 1, sizeof *a, compare);
    qsort(f + 1, PASSES - 1, sizeof *f, compare);
    TRY(clade_kma_stats_read(b->kma, &stats));
    char size[32];
    snprintf(size, sizeof size, bytes ? "%u" : "4..1024", bytes);
    printf("%8u x %-8s alloc %8.4f free %8.4f total %8.4f ms | first %8.4f + %8.4f | peak %6.1f MiB"
           " refused %" PRIu64 " bad %" PRIu64 " overlaps %u\n",
           items, size, a[PASSES / 2], f[PASSES / 2], a[PASSES / 2] + f[PASSES / 2], first_a,
           first_f, (double)stats.peak_bytes / 1048576, stats.refused, stats.bad_frees,
           counter(b, 0));
    TRY(clade_kma_check(b->kma, NULL, 0));
    if (stats.live_blocks != 0)
        printf("         %" PRIu64 " blocks are live after all were freed\n", stats.live_blocks);
    fflush(stdout);
}

static void pairs_row(struct bench *b, uint32_t items, uint32_t bytes)
{
    const uint32_t rounds = 8;
    double ms[3];
    TRY(clade_kma_clear(b->kma, NULL));
    set_args(b, b->pairs, items, bytes, rounds);
    for (int i = 0; i < 3; i++)
        ms[i] = run(b, b->pairs, items);
    qsort(ms, 3, sizeof *ms, compare);
    printf("pairs %8u x %-8u %8.4f ms %10.2f M pairs/s, overlaps %u\n", items, bytes, ms[1],
           (double)items * rounds / ms[1] * 1e-3, counter(b, 0));
    TRY(clade_kma_check(b->kma, NULL, 0));
    fflush(stdout);
}

/* Fill a heap of `heap` bytes with batches until something is refused: what was asked for by then,
 * and how long a launch takes in which everything is refused. */
static void fill_row(struct bench *b, uint64_t heap, uint32_t bytes)
{
    clade_kma *kma = b->kma, *small = NULL;
    clade_program *program = NULL;
    cl_kernel fill;
    uint64_t batch = heap / 128 / (bytes ? bytes : 514); /* steps of 0.8 % */
    const uint32_t items = batch < 16384 ? (uint32_t)batch / 256 * 256 + 256 : 16384;
    uint64_t asked = 0;
    double last = 0;
    clade_kma_stats stats = { 0 };
    TRY(clade_kma_create(&small, b->context, &(clade_kma_params) { .bytes = heap }));
    const struct kma_options own = kma_options(b->context, clade_kma_options(small));
    TRY(clade_program_build(
        &program, b->context,
        &(clade_program_params) { .file = "tools/bench_kma.cl", .options = own.text }));
    TRY(clade_program_kernel(&fill, program, "clade_bench_kma_fill"));
    b->kma = small;
    uint32_t round = 0;
    const cl_uint zero[4] = { 0 };
    CL(clEnqueueWriteBuffer(b->queue, b->counters, CL_TRUE, 16, sizeof zero, zero, 0, NULL, NULL));
    double first = 0;
    for (; round < 100000 && stats.refused == 0; round++) {
        set_args(b, fill, items, bytes, round);
        last = run(b, fill, items);
        first = round == 0 ? last : first;
        stats.refused = counter(b, 6);
        if (stats.refused == 0)
            asked = counter(b, 4);
    }
    TRY(clade_kma_check(small, NULL, 0));
    for (int i = 0; i < 40; i++) {
        set_args(b, fill, items, bytes, round++);
        last = run(b, fill, items);
    }
    TRY(clade_kma_stats_read(small, &stats));
    printf(
        "fill %5.2f GiB with %u%s: %.1f %% of the buffer asked for (%.1f %% in cells later) before "
        "the first refusal; launch of %u: first %.4f ms, all refused %.4f ms\n",
        (double)heap / (1 << 30), bytes, bytes ? "" : " (4..1024)",
        100.0 * (double)asked / (double)heap, 100.0 * (double)stats.live_bytes / (double)heap,
        items, first, last);
    fflush(stdout);
    clReleaseKernel(fill);
    clade_program_destroy(&program);
    clade_kma_destroy(&small);
    b->kma = kma;
}

/* The same by the collective forms. */
static void group_rows(struct bench *b, uint32_t most)
{
    static const uint32_t sizes[] = { 16, 64, 1024 };
    cl_kernel alloc, release;
    TRY(clade_program_kernel(&alloc, b->program, "clade_bench_kma_alloc_wg"));
    TRY(clade_program_kernel(&release, b->program, "clade_bench_kma_free_wg"));
    CL(clSetKernelArg(alloc, 6, 4 * b->group, NULL));
    CL(clSetKernelArg(release, 6, 4 * b->group, NULL));
    printf("by _wg:\n");
    for (uint32_t items = most / 10; items <= most; items *= 10)
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
            if ((uint64_t)items * sizes[s] < b->heap_bytes / 10 * 9)
                row(b, alloc, release, items, sizes[s]);
    clReleaseKernel(alloc);
    clReleaseKernel(release);
}

/* From one item to 2^20: malloc, write, read, free in one kernel. */
static void contention_rows(struct bench *b, uint32_t most)
{
    static const uint32_t sizes[] = { 64, MIXED };
    for (size_t s = 0; s < 2; s++)
        for (uint32_t items = 1; items <= most && items <= REFS; items *= 4)
            pairs_row(b, items, sizes[s]);
}

static void host_malloc(uint32_t items, uint32_t bytes)
{
    void **blocks = calloc(items, sizeof *blocks);
    struct timespec t0, t1, t2;
    for (int pass = 0; pass < 2; pass++) {
        uint32_t x = 1;
        clock_gettime(CLOCK_MONOTONIC, &t0);
        for (uint32_t i = 0; i < items; i++) {
            x = x * 1664525u + 1013904223u;
            blocks[i] = malloc(bytes ? bytes : 4 + (x >> 8) % 1021);
        }
        clock_gettime(CLOCK_MONOTONIC, &t1);
        for (uint32_t i = 0; i < items; i++)
            free(blocks[i]);
        clock_gettime(CLOCK_MONOTONIC, &t2);
    }
    printf("%8u x %-8u C malloc on one core: %.4f + %.4f ms\n", items, bytes,
           (double)(t1.tv_sec - t0.tv_sec) * 1e3 + (double)(t1.tv_nsec - t0.tv_nsec) * 1e-6,
           (double)(t2.tv_sec - t1.tv_sec) * 1e3 + (double)(t2.tv_nsec - t1.tv_nsec) * 1e-6);
    free(blocks);
}

static void open_bench(struct bench *b, uint64_t bytes, const char *options)
{
    cl_int code;
    const char *device = getenv("CLADE_DEVICE");
    TRY(clade_context_create(&b->context,
                             &(clade_context_params) { .device = device, .profiling = 1 }));
    const clade_caps *caps = clade_context_caps(b->context);
    b->queue = clade_context_cl_queue(b->context);
    b->heap_bytes = bytes ? bytes : (uint64_t)12 << 30;
    if (bytes == 0 && b->heap_bytes > caps->alloc_bytes_max / 2)
        b->heap_bytes = caps->alloc_bytes_max / 2;
    b->group = caps->group_size_max < 256 ? caps->group_size_max : 256;
    struct timespec t0, t1;
    TRY(clade_kma_create(&b->kma, b->context,
                         &(clade_kma_params) { .bytes = b->heap_bytes, .bare = b->bare }));
    clock_gettime(CLOCK_MONOTONIC, &t0);
    TRY(clade_kma_clear(b->kma, NULL));
    TRY(clade_finish(b->context));
    clock_gettime(CLOCK_MONOTONIC, &t1);
    printf("heap %.2f GiB, cleared in %.3f ms (wall)\n", (double)b->heap_bytes / (1 << 30),
           (double)(t1.tv_sec - t0.tv_sec) * 1e3 + (double)(t1.tv_nsec - t0.tv_nsec) * 1e-6);
    const struct kma_options own = kma_options(b->context, clade_kma_options(b->kma));
    TRY(clade_program_build(&b->program, b->context,
                            &(clade_program_params) { .file = "tools/bench_kma.cl",
                                                      .options = options ? options : own.text }));
    TRY(clade_program_kernel(&b->write, b->program, "clade_bench_kma_write"));
    TRY(clade_program_kernel(&b->look, b->program, "clade_bench_kma_look"));
    TRY(clade_program_kernel(&b->pairs, b->program, "clade_bench_kma_pairs"));
    b->refs = clCreateBuffer(clade_context_cl_context(b->context), CL_MEM_READ_WRITE, 4 * REFS,
                             NULL, &code);
    CL(code);
    uint32_t zero[16] = { 0 };
    b->counters =
        clCreateBuffer(clade_context_cl_context(b->context),
                       CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, sizeof zero, zero, &code);
    CL(code);
}

static void all_rows(struct bench *b, cl_kernel alloc, cl_kernel release, uint32_t most,
                     bool contention, bool fill)
{
    static const uint32_t sizes[] = { 16, 64, 256, 1024, 8192, MIXED };
    for (uint32_t items = most / 10; items <= most; items *= 10)
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
            if ((uint64_t)items * (sizes[s] ? sizes[s] : 600) < b->heap_bytes / 10 * 9)
                row(b, alloc, release, items, sizes[s]);
    group_rows(b, most);
    pairs_row(b, most / 10, 64);
    pairs_row(b, most / 10, MIXED);
    pairs_row(b, most, 64);
    if (contention)
        contention_rows(b, REFS);
    if (clade_context_caps(b->context)->is_cpu)
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
            host_malloc(most / 10, sizes[s]);
    if (fill) {
        uint64_t heap =
            b->heap_bytes / 8 < (uint64_t)1 << 30 ? b->heap_bytes / 8 : (uint64_t)1 << 30;
        for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
            fill_row(b, heap, sizes[s]);
    }
}

int main(int argc, char **argv)
{
    struct bench b = { 0 };
    cl_kernel alloc, release;
    uint64_t bytes = 0;
    uint32_t most = 1000000, size = 0;
    bool fill = true, contention = false;
    const char *options = NULL;
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--bytes") == 0 && i + 1 < argc)
            bytes = strtoull(argv[++i], NULL, 0);
        else if (strcmp(argv[i], "--items") == 0 && i + 1 < argc)
            most = (uint32_t)strtoul(argv[++i], NULL, 0);
        else if (strcmp(argv[i], "--size") == 0 && i + 1 < argc)
            size = (uint32_t)strtoul(argv[++i], NULL, 0);
        else if (strcmp(argv[i], "--options") == 0 && i + 1 < argc)
            options = argv[++i];
        else if (strcmp(argv[i], "--no-fill") == 0)
            fill = false;
        else if (strcmp(argv[i], "--contention") == 0)
            contention = true;
        else if (strcmp(argv[i], "--bare") == 0)
            b.bare = 1;
    }
    open_bench(&b, bytes, options);
    TRY(clade_program_kernel(&alloc, b.program, "clade_bench_kma_alloc"));
    TRY(clade_program_kernel(&release, b.program, "clade_bench_kma_free"));
    if (size > 0)
        row(&b, alloc, release, most / 10, size);
    else
        all_rows(&b, alloc, release, most, contention, fill);
    clReleaseKernel(alloc);
    clReleaseKernel(release);
    clReleaseKernel(b.write);
    clReleaseKernel(b.look);
    clReleaseKernel(b.pairs);
    clReleaseMemObject(b.refs);
    clReleaseMemObject(b.counters);
    clade_program_destroy(&b.program);
    clade_kma_destroy(&b.kma);
    clade_context_destroy(&b.context);
    return 0;
}

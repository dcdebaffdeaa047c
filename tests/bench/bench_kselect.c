/* SPDX-License-Identifier: Apache-2.0 */
/* How long selections take, by device events, with results looked at.
 *   bench_kselect [LOG2_TOTAL [GROUP METHOD]]    2^LOG2_TOTAL keys in rows of 2^11 .. 2^21
 * With a shape given: random rows only, for finding the best one.
 * Prints one line a row length: unsorted, sorted and bad inputs, milliseconds, best of 3. */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <clade/clade.h>

#include "bench/kselect_baseline.h"

struct bench {
    clade_context *context;
    cl_mem keys, out, indices;
    uint32_t *host;
    size_t total;
};

enum kind { RANDOM, EQUAL, ASCENDING, DESCENDING, FEW_VALUES, OUTLIER, KINDS };
static const char *const kind_names[] = { "random",     "equal",   "ascending",
                                          "descending", "256 val", "outlier" };

static void die(const char *what)
{
    fprintf(stderr, "bench_kselect: %s: %s\n%s\n", what, clade_error_last()->message,
            clade_error_last()->log);
    exit(1);
}

static void fill(struct bench *b, size_t length, enum kind kind)
{
    uint64_t x = 88172645463325252u;
    for (size_t i = 0; i < b->total; i++) {
        x ^= x << 13;
        x ^= x >> 7;
        x ^= x << 17;
        const uint32_t at = (uint32_t)(i % length), any = (uint32_t)(x >> 16);
        b->host[i] = kind == RANDOM       ? any
                     : kind == EQUAL      ? 7u
                     : kind == ASCENDING  ? at
                     : kind == DESCENDING ? (uint32_t)length - at
                     : kind == FEW_VALUES ? any % 256
                     : at == length / 3   ? 1u
                                          : 1000000u;
    }
    if (clEnqueueWriteBuffer(clade_context_cl_queue(b->context), b->keys, CL_TRUE, 0, b->total * 4,
                             b->host, 0, NULL, NULL) != CL_SUCCESS)
        die("write");
}

/* Milliseconds of one run, from the first command's start to the last one's end. */
static double run_once(struct bench *b, clade_kselect *s, size_t rows, bool indices)
{
    cl_command_queue queue = clade_context_cl_queue(b->context);
    cl_event before, after;
    cl_ulong start, end;
    clFinish(queue);
    clEnqueueMarkerWithWaitList(queue, 0, NULL, &before);
    if (clade_kselect_run(s, clade_device(b->keys, 0), clade_device(b->out, 0),
                          indices ? clade_device(b->indices, 0) : clade_no_array(), rows,
                          &(clade_launch) { .event = &after }) != CLADE_OK)
        die("run");
    clFinish(queue);
    clGetEventProfilingInfo(before, CL_PROFILING_COMMAND_END, sizeof start, &start, NULL);
    clGetEventProfilingInfo(after, CL_PROFILING_COMMAND_END, sizeof end, &end, NULL);
    clReleaseEvent(before);
    clReleaseEvent(after);
    return (double)(end - start) * 1e-6;
}

static int compare(const void *a, const void *b)
{
    const int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;
    return (x > y) - (x < y);
}

/* Six rows against a sorted copy. */
static bool is_right(struct bench *b, size_t length, size_t k)
{
    int32_t *row = malloc(length * 4), *got = malloc(k * 4);
    bool right = row && got;
    const size_t rows = b->total / length;
    for (size_t i = 0; right && i < 6; i++) {
        const size_t r = i * (rows - 1) / 5;
        memcpy(row, b->host + r * length, length * 4);
        right = clEnqueueReadBuffer(clade_context_cl_queue(b->context), b->out, CL_TRUE, r * k * 4,
                                    k * 4, got, 0, NULL, NULL) == CL_SUCCESS;
        qsort(row, length, 4, compare);
        qsort(got, k, 4, compare);
        right = right && memcmp(row, got, k * 4) == 0;
    }
    free(row);
    free(got);
    return right;
}

static double measure(struct bench *b, clade_kselect_params p)
{
    clade_kselect *s = NULL;
    const size_t rows = b->total / p.length;
    double best = 1e30;
    if (clade_kselect_create(&s, b->context, &p) != CLADE_OK)
        return -1.0;
    for (int i = 0; i < 4; i++) {
        const double ms = run_once(b, s, rows, p.indices == 1);
        best = i > 0 && ms < best ? ms : best;
    }
    if (!is_right(b, p.length, p.k)) {
        printf("WRONG RESULT: length %" PRIu64 "\n", p.length);
        exit(1);
    }
    clade_kselect_destroy(&s);
    return best;
}

static void bench_length(struct bench *b, size_t length, uint32_t group, uint32_t method,
                         bool quick)
{
    clade_kselect_params p = {
        .length = length, .k = (length + 9) / 10, .group_size = group, .method = method
    };
    double random = 0;
    if (quick) {
        fill(b, length, RANDOM);
        printf("  %7.3f", measure(b, p));
        fflush(stdout);
        return;
    }
    printf("2^%-2d k %-7" PRIu64, (int)(63 - __builtin_clzll(length)), p.k);
    for (enum kind kind = RANDOM; kind < KINDS; kind++) {
        fill(b, length, kind);
        const double ms = measure(b, p);
        if (kind == RANDOM) {
            p.output = CLADE_KSELECT_SORTED;
            const double sorted = measure(b, p);
            p.indices = 1;
            const double pairs = measure(b, p);
            p.output = CLADE_KSELECT_ANY;
            printf(" any %7.3f indices %7.3f sorted %7.3f sorted+indices %7.3f |", ms,
                   measure(b, p), sorted, pairs);
            p.indices = 0;
            random = ms;
            baseline_print(b->host, b->total, length, p.k, ms);
        } else
            printf(" %s %.2fx", kind_names[kind], ms / random);
        fflush(stdout);
    }
    printf("\n");
}

int main(int argc, char **argv)
{
    struct bench b = { .total = (size_t)1 << (argc > 1 ? atoi(argv[1]) & 63 : 22) };
    cl_int codes[3];
    if (b.total < 1 << 11 || b.total > (size_t)1 << 32) {
        fprintf(stderr, "bench_kselect: LOG2_TOTAL is 11 to 32\n");
        return 2;
    }
    if (clade_context_create(&b.context, &(clade_context_params) { .profiling = 1 }) != CLADE_OK)
        die("open");
    cl_context cl = clade_context_cl_context(b.context);
    b.host = malloc(b.total * 4);
    b.keys = clCreateBuffer(cl, CL_MEM_READ_WRITE, b.total * 4, NULL, &codes[0]);
    b.out = clCreateBuffer(cl, CL_MEM_READ_WRITE, b.total / 2, NULL, &codes[1]);
    b.indices = clCreateBuffer(cl, CL_MEM_READ_WRITE, b.total / 2, NULL, &codes[2]);
    if (!b.host || codes[0] != CL_SUCCESS || codes[1] != CL_SUCCESS || codes[2] != CL_SUCCESS)
        die("memory");
    for (size_t length = 1 << 11; length <= (1 << 21) && length <= b.total; length *= 4)
        bench_length(&b, length, argc > 3 ? (uint32_t)atoi(argv[2]) : 0,
                     argc > 3 ? (uint32_t)atoi(argv[3]) : 0, argc > 3);
    printf("\n");
    clReleaseMemObject(b.keys);
    clReleaseMemObject(b.out);
    clReleaseMemObject(b.indices);
    clade_context_destroy(&b.context);
    free(b.host);
    return 0;
}

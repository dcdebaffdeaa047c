/* SPDX-License-Identifier: Apache-2.0 */
/* Insert and delete of N random int32 keys through the host API, keys in device memory: host clock
 * around enqueue and finish, best of 3, every output checked to be sorted and conserved.
 *   bench_heap [-t KEY] [-v VALUE] [-e ENGINE] [-k BATCH] [-s GROUP_SIZE] [-g GROUPS] [N]... */
#define _POSIX_C_SOURCE          200809L
#define CL_TARGET_OPENCL_VERSION 300
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <clade/clade.h>

#include "baseline.h"

#define OK(call)                                                                \
    do {                                                                        \
        if ((call) != CLADE_OK) {                                               \
            fprintf(stderr, "%s: %s\n%s\n", #call, clade_error_last()->message, \
                    clade_error_last()->log);                                   \
            exit(1);                                                            \
        }                                                                       \
    } while (0)

static double now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return 1e3 * (double)t.tv_sec + 1e-6 * (double)t.tv_nsec;
}

static uint32_t *random_keys(size_t n, uint64_t seed)
{
    uint32_t *keys = malloc(n * sizeof *keys);
    for (size_t i = 0; keys && i < n; i++) {
        uint64_t z = seed += 0x9e3779b97f4a7c15u;
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
        keys[i] = (uint32_t)((z ^ (z >> 27)) >> 16);
    }
    return keys;
}

struct sums {
    uint64_t sum, squares;
};

static struct sums sums_of(const uint32_t *keys, size_t n)
{
    struct sums sums = { 0, 0 };
    for (size_t i = 0; i < n; i++) {
        sums.sum += keys[i];
        sums.squares += (uint64_t)keys[i] * keys[i];
    }
    return sums;
}

static bool is_right(const uint32_t *out, size_t n, struct sums expected)
{
    struct sums sums = sums_of(out, n);
    for (size_t i = 1; i < n; i++)
        if ((int32_t)out[i] < (int32_t)out[i - 1])
            return false;
    return sums.sum == expected.sum && sums.squares == expected.squares;
}

static int run(clade_context *context, clade_heap_params params, size_t n)
{
    cl_int code;
    clade_heap *heap;
    clade_heap_stats stats;
    uint32_t *in = random_keys(n, n), *out = malloc(n * sizeof *out);
    double best_in = 1e30, best_out = 1e30;
    bool right = true;
    if (!in || !out)
        return 1;
    params.capacity = n;
    OK(clade_heap_create(&heap, context, &params));
    cl_mem from =
        clCreateBuffer(clade_context_cl_context(context), CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR,
                       n * sizeof *in, in, &code);
    cl_mem to = clCreateBuffer(clade_context_cl_context(context), CL_MEM_READ_WRITE,
                               n * sizeof *out + 8, NULL, &code);
    cl_mem got =
        clCreateBuffer(clade_context_cl_context(context), CL_MEM_READ_WRITE, 8, NULL, &code);
    clade_array none = clade_no_array(), values = params.value ? clade_device(from, 0) : none;
    cl_mem values_mem = params.value ? clCreateBuffer(clade_context_cl_context(context),
                                                      CL_MEM_READ_WRITE, n * 4, NULL, &code)
                                     : NULL;
    OK(clade_finish(context));
    for (int repeat = 0; repeat < 3; repeat++) {
        double t0 = now_ms();
        OK(clade_heap_insert(heap, clade_device(from, 0), values, n, NULL));
        OK(clade_finish(context));
        double t1 = now_ms();
        OK(clade_heap_delete(heap, clade_device(to, 0),
                             values_mem ? clade_device(values_mem, 0) : none, n,
                             clade_device(got, 0), NULL));
        OK(clade_finish(context));
        double t2 = now_ms();
        uint64_t size;
        OK(clade_heap_size(heap, &size));
        clEnqueueReadBuffer(clade_context_cl_queue(context), to, CL_TRUE, 0, n * sizeof *out, out,
                            0, NULL, NULL);
        right = right && size == 0 && is_right(out, n, sums_of(in, n));
        best_in = t1 - t0 < best_in ? t1 - t0 : best_in;
        best_out = t2 - t1 < best_out ? t2 - t1 : best_out;
    }
    OK(clade_heap_stats_read(heap, &stats));
    const clade_heap_params *p = clade_heap_params_of(heap);
    printf("%10zu  K %5u  %s  %4u x %4u  insert %9.3f ms  delete %9.3f ms  retries %" PRIu64
           "  coop %" PRIu64 "  %s\n",
           n, p->batch, p->engine ? "BU" : "TD", p->groups, p->group_size, best_in, best_out,
           stats.lock_retries, stats.cooperations, right ? "right" : "WRONG");
    fflush(stdout);
    if (getenv("CLADE_BENCH_BASELINE")) {
        double insert_ms, delete_ms;
        if (baseline_priority_queue((const int32_t *)in, n, (int32_t *)out, &insert_ms, &delete_ms))
            printf("%10zu  std::priority_queue      insert %9.3f ms  delete %9.3f ms\n", n,
                   insert_ms, delete_ms);
    }
    clade_heap_destroy(&heap);
    clReleaseMemObject(from);
    clReleaseMemObject(to);
    clReleaseMemObject(got);
    if (values_mem)
        clReleaseMemObject(values_mem);
    free(in);
    free(out);
    return right ? 0 : 1;
}

int main(int argc, char **argv)
{
    clade_heap_params params = { .key = CLADE_I32 };
    clade_context *context;
    int option, failed = 0;
    while ((option = getopt(argc, argv, "v:e:k:s:g:")) != -1) {
        uint32_t n = (uint32_t)strtoul(optarg, NULL, 0);
        switch (option) {
        case 'v':
            params.value = n;
            break;
        case 'e':
            params.engine = n;
            break;
        case 'k':
            params.batch = n;
            break;
        case 's':
            params.group_size = n;
            break;
        case 'g':
            params.groups = n;
            break;
        default:
            return 2;
        }
    }
    OK(clade_context_create(&context, NULL));
    if (optind == argc)
        failed = run(context, params, 1u << 20) + run(context, params, 8u << 20);
    for (; optind < argc; optind++)
        failed += run(context, params, strtoull(argv[optind], NULL, 0));
    clade_context_destroy(&context);
    return failed != 0;
}

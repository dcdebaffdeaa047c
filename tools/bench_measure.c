/* SPDX-License-Identifier: Apache-2.0 */
/* Measuring for `clade bench`: warm-up, repetitions, median and spread. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "bench_internal.h"
#include "clade.h"
#include "random.h"

double bench_now_ms(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return 1e3 * (double)t.tv_sec + 1e-6 * (double)t.tv_nsec;
}

bool bench_fail(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fprintf(stderr, "clade bench: ");
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
    return false;
}

static bool finish(struct bench *bench)
{
    if (clade_finish(bench->context) == CLADE_OK)
        return true;
    report_error();
    return false;
}

/* One run: its time, and whether its results are right. */
static bool run_once(struct bench *bench, const struct bench_task *task, double *ms, bool *right)
{
    if (task->prepare && !task->prepare(task->data))
        return false;
    if (!finish(bench))
        return false;
    const double start = bench_now_ms();
    if (!task->work(task->data) || !finish(bench))
        return false;
    *ms = bench_now_ms() - start;
    *right = task->check(task->data) && *right;
    return true;
}

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

bool bench_measure(struct bench *bench, const struct bench_task *task, struct bench_times *times)
{
    double *ms = bench_alloc(bench->repeats, sizeof *ms), spent = 0;
    unsigned runs = 0;
    bool fine = ms != NULL;
    *times = (struct bench_times) { .right = true };
    for (unsigned i = 0; fine && i < bench->warmups && spent < bench->limit_ms; i++) {
        fine = run_once(bench, task, &ms[0], &times->right);
        spent += fine ? ms[0] : 0;
    }
    if (fine && spent >= bench->limit_ms)
        runs = 1;
    for (spent = 0; fine && runs < bench->repeats && spent < bench->limit_ms; runs++) {
        fine = run_once(bench, task, &ms[runs], &times->right);
        spent += fine ? ms[runs] : 0;
    }
    if (fine) {
        qsort(ms, runs, sizeof *ms, by_value);
        times->median = (ms[(runs - 1) / 2] + ms[runs / 2]) / 2;
        times->least = ms[0];
        times->most = ms[runs - 1];
        times->runs = runs;
    }
    free(ms);
    return fine;
}

/* --- helpers --------------------------------------------------------------------------------- */

cl_mem bench_buffer(struct bench *bench, const void *data, uint64_t bytes)
{
    cl_int code;
    cl_mem mem =
        clCreateBuffer(clade_context_cl_context(bench->context),
                       CL_MEM_READ_WRITE | (data ? (cl_mem_flags)CL_MEM_COPY_HOST_PTR : 0),
                       (size_t)(bytes ? bytes : 4), bytes ? (void *)(uintptr_t)data : NULL, &code);
    if (code == CL_SUCCESS)
        return mem;
    bench_fail("a buffer of %llu bytes is not to be had (%d)", (unsigned long long)bytes, code);
    return NULL;
}

bool bench_read(struct bench *bench, cl_mem mem, void *to, uint64_t bytes)
{
    cl_int code = clEnqueueReadBuffer(clade_context_cl_queue(bench->context), mem, CL_TRUE, 0,
                                      (size_t)bytes, to, 0, NULL, NULL);
    return code == CL_SUCCESS || bench_fail("a buffer cannot be read (%d)", code);
}

void *bench_alloc(uint64_t count, uint64_t bytes)
{
    void *memory = calloc((size_t)(count ? count : 1), (size_t)bytes);
    if (!memory)
        bench_fail("memory is out");
    return memory;
}

uint64_t bench_random(uint64_t *state)
{
    return random_next(state);
}

uint32_t bench_random_below(uint64_t *state, uint32_t bound)
{
    return (uint32_t)((bench_random(state) >> 32) * bound >> 32);
}

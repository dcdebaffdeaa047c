/* SPDX-License-Identifier: Apache-2.0 */
/* Measuring for `clade bench`: warm-up, repetitions, median and spread; how far it is. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "bench/internal.h"
#include "command/clade.h"
#include "common/clock.h"
#include "common/random.h"

double bench_now_ms(void)
{
    return now_ms();
}

void bench_make_plain(char *text)
{
    for (unsigned char *at = (unsigned char *)text; *at; at++) {
        const bool c1 = at[0] == 0xc2 && at[1] >= 0x80 && at[1] < 0xa0; /* in UTF-8 */
        if (*at < ' ' || *at == 127)
            *at = '?';
        if (c1)
            at[0] = at[1] = '?';
    }
}

bool bench_fail(const char *format, ...)
{
    char sentence[1024]; /* it may have a text of a file inside */
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(sentence, sizeof sentence, format, arguments);
    va_end(arguments);
    bench_make_plain(sentence);
    fprintf(stderr, "clade bench: %s\n", sentence);
    return false;
}

static bool finish(struct bench *bench)
{
    if (clade_finish(bench->context) == CLADE_OK)
        return true;
    report_error();
    return false;
}

/* How long the run's kernels were on the device. */
static bool add_up_launches(struct bench *bench, double *sum)
{
    bool fine = !bench->launches.lost;
    *sum = 0;
    for (size_t i = 0; fine && i < bench->launches.count; i++) {
        double ms;
        fine = launch_ms(&bench->launches.all[i], &ms);
        *sum += ms;
    }
    launches_forget(&bench->launches);
    return fine || bench_fail("the driver does not tell the times of kernels");
}

/* The clock that a run is measured by. */
static double measured_ms(const struct bench *bench)
{
    return bench->counts_processors ? processor_ms() : now_ms();
}

/* One run: its time, on the host's clock and on the device, and whether its results are right. */
static bool run_once(struct bench *bench, const struct bench_task *task, double *ms, double *device,
                     bool *right)
{
    if (task->prepare && !task->prepare(task->data))
        return false;
    if (!finish(bench))
        return false;
    bench->launches.records = bench->has_events;
    const double start = measured_ms(bench);
    const bool fine = task->work(task->data) && finish(bench);
    *ms = measured_ms(bench) - start;
    bench->launches.records = false;
    if (!add_up_launches(bench, device) || !fine)
        return false;
    *right = task->check(task->data) && *right;
    return true;
}

static int by_value(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

/* Runs until there are enough, or the limit is reached; `whole` is of the last. A first run that
 * alone takes longer than the limit is the only one, if it ran on the host. A device's may have
 * waited for the compiler, so another one follows. */
static bool run_all(struct bench *bench, const struct bench_task *task, struct bench_times *times,
                    double *ms, double *device)
{
    const double begin = bench_now_ms();
    double spent = 0;
    for (unsigned run = 0; run < bench->warmups + bench->repeats; run++) {
        /* What warms up on the host is counted when nothing follows. */
        const bool warms = run < bench->warmups;
        const double before = bench_now_ms();
        if (bench_is_interrupted())
            break;
        if (run > 0 && (spent >= bench->limit_ms || (times->runs > 0 && bench_is_over(bench)) ||
                        (times->runs > 0 && before - begin >= 4 * bench->limit_ms)))
            break;
        if (!run_once(bench, task, &ms[times->runs], &device[times->runs], &times->right))
            return false;
        times->whole = bench_now_ms() - before;
        spent += ms[times->runs];
        if (warms && task->on_host && spent >= bench->limit_ms)
            times->runs = 1;
        else if (warms)
            spent = 0;
        else
            times->runs++;
    }
    return true;
}

/* And the values are in order. */
static double median(double *values, unsigned count)
{
    qsort(values, count, sizeof *values, by_value);
    return (values[(count - 1) / 2] + values[count / 2]) / 2;
}

bool bench_measure(struct bench *bench, const struct bench_task *task, struct bench_times *times)
{
    *times = (struct bench_times) { .right = true, .left_out = task->on_host && bench->is_alone };
    bench->measured++;
    if (times->left_out || bench_is_over(bench) || !bench_wants(bench, bench->table))
        return true;
    bench_progress(bench);
    double *ms = bench_alloc(2ull * bench->repeats, sizeof *ms), *device = ms + bench->repeats;
    const bool fine = ms && run_all(bench, task, times, ms, device);
    if (fine && times->runs > 0) {
        times->median = median(ms, times->runs);
        times->device = median(device, times->runs);
        times->least = ms[0];
        times->most = ms[times->runs - 1];
    }
    free(ms);
    return fine;
}

bool bench_is_over(const struct bench *bench)
{
    return bench_is_interrupted() ||
           (bench->suite_end_ms > 0 && bench_now_ms() >= bench->suite_end_ms);
}

bool bench_too_long(const struct bench *bench, const struct bench_times *times, double from,
                    double to)
{
    return times->runs > 0 && times->whole * to / from > 2 * bench->limit_ms;
}

/* --- progress --------------------------------------------------------------------------------- */

/* Of the suite's measurements the first are the small ones; a suite is never quite at its end. */
static double done_share(const struct bench *bench)
{
    const double x = bench->expected > 0 ? (double)bench->measured / bench->expected : 0;
    return bench->share_before + bench->share * (x < 0.98 ? x : 0.98);
}

void bench_progress(struct bench *bench)
{
    if (!bench->shows_progress)
        return;
    const double now = bench_now_ms(), share = done_share(bench);
    double left = share > 0.01 ? (now - bench->begin_ms) * (1 - share) / share * 1e-3 : -1;
    if (bench->end_ms > 0 && (left < 0 || left > (bench->end_ms - now) * 1e-3))
        left = (bench->end_ms - now) * 1e-3;
    fprintf(stderr, "\r\033[K%3.0f %%  %s: %s", 100 * share, bench->suite,
            bench->table ? bench->table : "");
    if (left >= 90)
        fprintf(stderr, ", about %.0f min left", left / 60);
    else if (left >= 0)
        fprintf(stderr, ", about %.0f s left", left);
    fflush(stderr);
    bench->has_line = true;
}

void bench_progress_end(struct bench *bench)
{
    if (bench->has_line)
        fputs("\r\033[K", stderr);
    bench->has_line = false;
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

bool bench_launch(struct bench *bench, cl_kernel kernel, size_t items, size_t group)
{
    cl_event event = NULL;
    const cl_int code =
        clEnqueueNDRangeKernel(clade_context_cl_queue(bench->context), kernel, 1, NULL, &items,
                               &group, 0, NULL, bench->has_events ? &event : NULL);
    if (event) {
        launches_add(&bench->launches, kernel, event);
        clReleaseEvent(event);
    }
    return code == CL_SUCCESS || bench_fail("a kernel is refused (%d)", code);
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

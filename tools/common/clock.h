/* SPDX-License-Identifier: Apache-2.0 */
/* Milliseconds of a clock that nobody sets; only differences mean anything. */
#pragma once

#include <time.h>

/* Of all the process's threads on the processors, so of a CPU device's too. */
static inline double processor_ms(void)
{
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec * 1e3 + (double)time.tv_nsec * 1e-6;
}

static inline double now_ms(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e3 + (double)time.tv_nsec * 1e-6;
}

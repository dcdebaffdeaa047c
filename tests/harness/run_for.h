/* SPDX-License-Identifier: Apache-2.0 */
/* RUN FOR  how long programs go on that try one random world after the other. */
#pragma once

#include <stdlib.h>
#include <string.h>
#include <time.h>

/* Seconds of a processor: the first argument, else `usual`, but one second at the small size. */
static inline double run_for_seconds(int count, char **arguments, double usual)
{
    const char *size = getenv("CLADE_TEST_SIZE");
    if (count > 1)
        return atof(arguments[1]);
    return size && strcmp(size, "small") == 0 ? 1 : usual;
}

/* What all threads of the program took so far. Not the clock's time: on a machine with other work
 * that would be few worlds, and on a machine with many cores many. */
static inline double run_for_used(void)
{
    struct timespec used;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
    return (double)used.tv_sec + 1e-9 * (double)used.tv_nsec;
}

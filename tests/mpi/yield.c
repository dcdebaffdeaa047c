/* SPDX-License-Identifier: Apache-2.0 */
/* Preloaded by run-mpi: a rank that has nothing to do sleeps for a moment. Open MPI gives way there
 * and asks again at once, so ranks that wait took the processor from those they wait for: half of
 * what a program with three ranks took on two cores. */
#include <time.h>

int sched_yield(void);

int sched_yield(void)
{
    const struct timespec moment = { 0, 100000 };
    return nanosleep(&moment, NULL);
}

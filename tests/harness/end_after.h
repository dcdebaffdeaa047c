/* SPDX-License-Identifier: Apache-2.0 */
/* END AFTER  what ends a program that waits without end, by SIGPROF. */
#pragma once

#include <sys/time.h>

/* After so many seconds of processor time, of all its threads; 0: not any more. Not of the clock: on
 * a machine with other work a sound program may take ten times as long, and no more of these. */
static inline void end_after(unsigned seconds)
{
    const struct itimerval once = { .it_value = { .tv_sec = (time_t)seconds } };
    setitimer(ITIMER_PROF, &once, 0);
}

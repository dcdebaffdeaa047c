/* SPDX-License-Identifier: Apache-2.0 */
/* What the programs have in common in which every wait of a heap gives up after a few looks. To be
 * included after host/device.h and before the heap. */
#pragma once

#include <time.h>

static _Thread_local uint random_state;
static uint slow;                 /* which schedule points are; a world's own */
static const char *_Atomic wrong; /* what is, first */

static uint next_random(void)
{
    random_state = random_state * 1664525u + 1013904223u;
    return random_state >> 8;
}

/* A schedule point stops its thread now and then, for longer than others' waits. */
static void lose_core(uint line)
{
    random_state += line + (uint)get_group_id(0);
    if ((line * 0x9e3779b9u ^ slow) >> 30 == 0 && next_random() % 16 == 0)
        nanosleep(&(struct timespec) { .tv_nsec = next_random() % 100000 }, NULL);
}
#define CLADE_SCHEDULE_HOOK(where, word, salt) lose_core(__LINE__)

static void expect(bool good, const char *what)
{
    if (!good)
        wrong = what;
}

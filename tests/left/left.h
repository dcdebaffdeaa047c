/* SPDX-License-Identifier: Apache-2.0 */
/* Loops that a driver leaves (leave-loops): an operation has so many turns in all, and when they
 * are over every loop ends after one. Include this first, then `clade/W.clh`. What an operation is
 * that was left: done, or refused without any effect. */
#pragma once

#include <limits.h>
#include <stdbool.h>

#include "loops.h" /* what leave-loops wrote at last: so the program is compiled after that */

#define CLADE_LOOPS_ARE_LEFT

static unsigned turns_left = UINT_MAX; /* UINT_MAX: there is no end */
static bool was_left;
static void (*meanwhile)(
    void); /* what somebody else does, once, when `meanwhile_at` turns are left */
static unsigned meanwhile_at;

/* Others have as many turns as they like. */
static inline void do_meanwhile(void)
{
    const unsigned turns = turns_left;
    const bool left = was_left;
    void (*what)(void) = meanwhile;
    meanwhile = 0;
    turns_left = UINT_MAX;
    what();
    turns_left = turns;
    was_left = left;
}

static inline bool loop_goes_on(void)
{
    if (turns_left == UINT_MAX)
        return true;
    if (turns_left > 0) {
        turns_left--;
        if (meanwhile && turns_left == meanwhile_at)
            do_meanwhile();
        return true;
    }
    was_left = true;
    return false;
}

/* The next operation has so many turns. */
static inline void leave_after(unsigned turns)
{
    turns_left = turns;
    was_left = false;
}

int edge_main(void); /* of a program whose model is used: its main() gets this name */

/* It is over. Says whether a loop of it asked in vain. */
static inline bool end_of_turns(void)
{
    turns_left = UINT_MAX;
    return was_left;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Nearly exhausted structures on host threads: where a protocol's steps come apart an item
 * sometimes loses its core for longer than the others need for several operations. Include device.h
 * first, then this, then `clade/W.clh`. */
#pragma once

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "harness/end_after.h"

enum { TIGHT_HANGS_AFTER = 100 };

static _Thread_local uint tight_state;

static inline uint tight_draw(void)
{
    tight_state = tight_state * 1664525u + 1013904223u;
    return tight_state >> 8;
}

/* Each item its own delays, and each round others. */
static inline void tight_begin(uint seed)
{
    tight_state = seed * 2654435761u + (uint)get_global_id(0) * 0x9e3779b1u;
}

/* Mostly none, sometimes a turn of the others, one time in 24 as long as some of their operations.
 */
static inline void tight_pause(void)
{
    const uint draw = tight_draw();
    if (draw % 24u == 0)
        nanosleep(&(struct timespec) { .tv_nsec = 20000 + draw / 24u % 100000 }, NULL);
    else if (draw % 4u == 0)
        sched_yield();
}
#define CLADE_SCHEDULE_HOOK(where, word, salt) tight_pause()

/* As many rounds as the first argument says; each of them gets a seed and how many places there are
 * beyond what the threads can hold: 1, 2, 3, or 0. */
static inline int tight_main(int argc, char **argv, uint usual, const char *name,
                             const char *(*round)(uint seed, uint beyond))
{
    const uint base = shim_seed(), rounds = shim_rounds(argc, argv, usual);
    const char *wrong = NULL;
    end_after(TIGHT_HANGS_AFTER);
    for (uint i = 0; i < rounds && !wrong; i++) {
        wrong = round(base + i * 7919u, i % 4u);
        if (wrong)
            printf("%s, %u places beyond, seed %u: %s\n", name, i % 4u, base + i * 7919u, wrong);
    }
    printf("%s: %u rounds from seed %u: %s\n", name, rounds, base, wrong ? "WRONG" : "fine");
    return wrong != NULL;
}

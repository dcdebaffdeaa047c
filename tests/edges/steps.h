/* SPDX-License-Identifier: Apache-2.0 */
/* At each step of an operation of what is tested come_by() is called: at each schedule point, or,
 * with STEPS_ARE_ACCESSES, before each access to memory that others change; compare-and-swaps that
 * fail are counted then. Include device.h first,
 * then this, then `clade/W.clh`, and then beside.h, which has come_by(). */
#pragma once

static void come_by(void);

#ifdef STEPS_ARE_ACCESSES
#include "clade/atomic.clh"

/* Compare-and-swaps of the operation that goes on which failed, and whether its last one did. Those
 * of words that the program has no interest in are left out (STEPS_UNCOUNTED). */
static uint lost, last_lost;
#ifndef STEPS_UNCOUNTED
#define STEPS_UNCOUNTED(at) false
#endif

static inline uint count_lost(uint seen, uint expected)
{
    last_lost = seen != expected;
    lost += last_lost;
    return seen;
}

#define clade_load_relaxed(at)     (come_by(), clade_load_relaxed(at))
#define clade_load_consume(at)     (come_by(), clade_load_consume(at))
#define clade_store_relaxed(at, x) (come_by(), clade_store_relaxed((at), (x)))
#define clade_store_release(at, x) (come_by(), clade_store_release((at), (x)))
#define clade_cas_release(at, old, x)                                     \
    (come_by(), STEPS_UNCOUNTED(at) ? clade_cas_release((at), (old), (x)) \
                                    : count_lost(clade_cas_release((at), (old), (x)), (old)))
#define clade_load_acquire(at)        (come_by(), clade_load_acquire(at))
#define clade_cas_relaxed(at, old, x) (come_by(), clade_cas_relaxed((at), (old), (x)))
#define clade_cas_acquire(at, old, x) (come_by(), clade_cas_acquire((at), (old), (x)))
#define clade_cas_acq_rel(at, old, x) (come_by(), clade_cas_acq_rel((at), (old), (x)))
#define clade_and_release(at, x)      (come_by(), clade_and_release((at), (x)))
#define clade_or_relaxed(at, x)       (come_by(), clade_or_relaxed((at), (x)))
#else
#define CLADE_SCHEDULE_HOOK(where, word, salt) come_by()
#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* At each step of an operation of what is tested come_by() is called: at each schedule point, or,
 * with STEPS_ARE_ACCESSES, before each access to memory that others change. Include device.h first,
 * then this, then `clade/W.clh`, and then beside.h, which has come_by(). */
#pragma once

static void come_by(void);

#ifdef STEPS_ARE_ACCESSES
#include "clade/atomic.clh"
#define clade_load_relaxed(at)        (come_by(), clade_load_relaxed(at))
#define clade_load_consume(at)        (come_by(), clade_load_consume(at))
#define clade_store_relaxed(at, x)    (come_by(), clade_store_relaxed((at), (x)))
#define clade_store_release(at, x)    (come_by(), clade_store_release((at), (x)))
#define clade_cas_release(at, old, x) (come_by(), clade_cas_release((at), (old), (x)))
#define clade_and_release(at, x)      (come_by(), clade_and_release((at), (x)))
#define clade_or_relaxed(at, x)       (come_by(), clade_or_relaxed((at), (x)))
#else
#define CLADE_SCHEDULE_HOOK(where, word, salt) come_by()
#endif

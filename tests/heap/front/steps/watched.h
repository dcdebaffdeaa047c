/* SPDX-License-Identifier: Apache-2.0 */
/* Device functions that show something to others, free it, take a lock or wait for their group are
 * looked at as they do. Include it before what is watched. */
#pragma once

#include "clade/atomic.clh"

/* What others may reach from now on must be whole, whichever item has shown it. */
static void look_at_shown(clade_global_word word, clade_u32 value);

static clade_u32 show_by_exchange(clade_global_word word, clade_u32 value)
{
    look_at_shown(word, value);
    return clade_exchange_acq_rel(word, value);
}

static clade_u32 show_by_cas(clade_global_word word, clade_u32 was, clade_u32 value)
{
    if (clade_load_relaxed(word) == was)
        look_at_shown(word, value);
    return clade_cas_acq_rel(word, was, value);
}

static clade_u32 show_front(clade_global_word word, clade_u32 value)
{
    look_at_shown(word, value);
    return clade_exchange_release(word, value);
}
static void look_at_sorted(clade_global_word word, clade_u32 value);
static void look_at_freed(clade_global_word word, clade_u32 value);

static void show_sorted(clade_global_word word, clade_u32 value)
{
    look_at_sorted(word, value);
    clade_store_release(word, value);
}

static clade_u32 show_freed(clade_global_word word, clade_u32 value)
{
    look_at_freed(word, value);
    return clade_or_release(word, value);
}

/* Whoever finds a lock free has taken it then. */
static void look_at_lock(clade_global_word word, clade_u32 was);

static clade_u32 take_lock(clade_global_word word, clade_u32 was, clade_u32 value)
{
    const clade_u32 before = clade_cas_acquire(word, was, value);
    look_at_lock(word, before);
    return before;
}
#define clade_cas_acquire(word, was, value) take_lock(word, was, value)
#define clade_store_release(word, value)    show_sorted(word, value)
#define clade_or_release(word, value)       show_freed(word, value)
#define clade_exchange_acq_rel(word, value) show_by_exchange(word, value)
#define clade_cas_acq_rel(word, was, value) show_by_cas(word, was, value)
#define clade_exchange_release(word, value) show_front(word, value)

/* Items fence behind their last read of a run. Before any of them gives up keys of it, a barrier
 * for both memories has passed: one for local memory alone looks the same on a host. */
#if !CLADE_GROUP_SCALAR
static void pass_barrier(void);
static void fence(void);
static clade_u32 subtract(clade_global_word word, clade_u32 count);
#define clade_barrier()                pass_barrier()
#define clade_fence()                  fence()
#define clade_sub_relaxed(word, count) subtract(word, count)
#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* OpenCL C as C11, for the explorer of weak memory: the device headers as they are. Include this
 * first, then `clade/W.clh`.
 *
 * The compiler's -fsanitize=thread makes a call of each access to memory. access.cpp has these
 * calls in place of ThreadSanitizer's library: so every access, atomic or plain, goes through
 * Relacy, and no header of the library knows of it.
 *
 * Each operation of atomic.clh tells the explorer first where it stands (file, line, function): for
 * traces, and so that the explorer can weaken one place's order. */
#pragma once

#ifndef CLADE_SPIN_LIMIT
#define CLADE_SPIN_LIMIT 400u
#endif
#define CLADE_SHIM_FENCES 1 /* a fence and a relaxed store are what they are */

#undef __SANITIZE_THREAD__ /* the shim's own talk to ThreadSanitizer's library */
#include "host/device.h"
#include "relacy/weak.h"

#undef atomic_load_explicit
#undef atomic_store_explicit
#undef atomic_exchange_explicit
#undef atomic_fetch_add_explicit
#undef atomic_fetch_sub_explicit
#undef atomic_fetch_and_explicit
#undef atomic_fetch_or_explicit
#undef atomic_fetch_min_explicit
#undef atomic_fetch_max_explicit
#undef atomic_compare_exchange_strong_explicit
#undef atomic_work_item_fence
#define atomic_load_explicit(p, order, scope)         __atomic_load_n((p), (order))
#define atomic_store_explicit(p, v, order, scope)     __atomic_store_n((p), (v), (order))
#define atomic_exchange_explicit(p, v, order, scope)  __atomic_exchange_n((p), (v), (order))
#define atomic_fetch_add_explicit(p, v, order, scope) __atomic_fetch_add((p), (v), (order))
#define atomic_fetch_sub_explicit(p, v, order, scope) __atomic_fetch_sub((p), (v), (order))
#define atomic_fetch_and_explicit(p, v, order, scope) __atomic_fetch_and((p), (v), (order))
#define atomic_fetch_or_explicit(p, v, order, scope)  __atomic_fetch_or((p), (v), (order))
#define atomic_fetch_min_explicit(p, v, order, scope) weak_min((p), (v), (order))
#define atomic_fetch_max_explicit(p, v, order, scope) weak_max((p), (v), (order))
#define atomic_compare_exchange_strong_explicit(p, expected, desired, success, failure, scope) \
    __atomic_compare_exchange_n((p), (expected), (desired), false, (success), (failure))
#define atomic_work_item_fence(flags, order, scope) __atomic_thread_fence(order)

uint weak_min(volatile void *word, uint value, int order);
uint weak_max(volatile void *word, uint value, int order);

#undef get_global_id
#undef get_local_id
#undef get_group_id
#undef get_local_size
#undef get_num_groups
#undef get_global_size
#define get_global_id(d)   ((size_t)weak_thread())
#define get_group_id(d)    ((size_t)weak_thread())
#define get_local_id(d)    ((size_t)0)
#define get_local_size(d)  ((size_t)1)
#define get_num_groups(d)  ((size_t)4)
#define get_global_size(d) ((size_t)4)
#define barrier(flags)     ((void)0) /* a group of one */

#include "clade/atomic.clh"

/* From here on each operation names its place. */
#define WEAK_SITE(name)                                                               \
    __extension__({                                                                              \
        static weak_site weak_here = { __FILE__, name, __func__, __LINE__, 0 };       \
        &weak_here;                                                                   \
    })
#define WEAK_LOAD(name)                                                     \
    static inline uint weak_##name(weak_site *site, clade_global_word word) \
    {                                                                       \
        weak_at(site);                                                      \
        return clade_##name(word);                                          \
    }
#define WEAK_STORE(name)                                                                \
    static inline void weak_##name(weak_site *site, clade_global_word word, uint value) \
    {                                                                                   \
        weak_at(site);                                                                  \
        clade_##name(word, value);                                                      \
    }
#define WEAK_RMW(name)                                                                  \
    static inline uint weak_##name(weak_site *site, clade_global_word word, uint value) \
    {                                                                                   \
        weak_at(site);                                                                  \
        return clade_##name(word, value);                                               \
    }
#define WEAK_RMWS(op)    \
    WEAK_RMW(op##_relaxed) \
    WEAK_RMW(op##_acquire) \
    WEAK_RMW(op##_release) \
    WEAK_RMW(op##_acq_rel)
#define WEAK_CAS(name)                                                                      \
    static inline uint weak_##name(weak_site *site, clade_global_word word, uint expected,  \
                                   uint desired)                                            \
    {                                                                                       \
        weak_at(site);                                                                      \
        return clade_##name(word, expected, desired);                                       \
    }
#define WEAK_FENCE(name)                            \
    static inline void weak_##name(weak_site *site) \
    {                                               \
        weak_at(site);                              \
        clade_##name();                             \
    }
WEAK_LOAD(load_relaxed)
WEAK_LOAD(load_acquire)
WEAK_LOAD(load_consume)
WEAK_STORE(store_relaxed)
WEAK_STORE(store_release)
WEAK_STORE(store_fenced)
WEAK_RMWS(exchange)
WEAK_RMWS(add)
WEAK_RMWS(sub)
WEAK_RMWS(and)
WEAK_RMWS(or)
WEAK_RMWS(min)
WEAK_RMWS(max)
WEAK_CAS(cas_relaxed)
WEAK_CAS(cas_acquire)
WEAK_CAS(cas_release)
WEAK_CAS(cas_acq_rel)
WEAK_FENCE(fence)
WEAK_FENCE(fence_acquire)
WEAK_FENCE(fence_release)
WEAK_FENCE(fence_seq_cst)

static inline uint weak_load_shared(weak_site *site, const volatile uint *word)
{
    weak_at(site);
    return clade_load_shared(word);
}

static inline void weak_store_shared(weak_site *site, volatile uint *word, uint value)
{
    weak_at(site);
    clade_store_shared(word, value);
}

#define clade_load_shared(p)         weak_load_shared(WEAK_SITE("load_shared"), (p))
#define clade_store_shared(p, v)     weak_store_shared(WEAK_SITE("store_shared"), (p), (v))
#define clade_load_relaxed(p)        weak_load_relaxed(WEAK_SITE("load_relaxed"), (p))
#define clade_load_acquire(p)        weak_load_acquire(WEAK_SITE("load_acquire"), (p))
#define clade_load_consume(p)        weak_load_consume(WEAK_SITE("load_consume"), (p))
#define clade_store_relaxed(p, v)    weak_store_relaxed(WEAK_SITE("store_relaxed"), (p), (v))
#define clade_store_release(p, v)    weak_store_release(WEAK_SITE("store_release"), (p), (v))
#define clade_store_fenced(p, v)     weak_store_fenced(WEAK_SITE("store_fenced"), (p), (v))
#define clade_exchange_relaxed(p, v) weak_exchange_relaxed(WEAK_SITE("exchange_relaxed"), (p), (v))
#define clade_exchange_acquire(p, v) weak_exchange_acquire(WEAK_SITE("exchange_acquire"), (p), (v))
#define clade_exchange_release(p, v) weak_exchange_release(WEAK_SITE("exchange_release"), (p), (v))
#define clade_exchange_acq_rel(p, v) weak_exchange_acq_rel(WEAK_SITE("exchange_acq_rel"), (p), (v))
#define clade_add_relaxed(p, v)      weak_add_relaxed(WEAK_SITE("add_relaxed"), (p), (v))
#define clade_add_acquire(p, v)      weak_add_acquire(WEAK_SITE("add_acquire"), (p), (v))
#define clade_add_release(p, v)      weak_add_release(WEAK_SITE("add_release"), (p), (v))
#define clade_add_acq_rel(p, v)      weak_add_acq_rel(WEAK_SITE("add_acq_rel"), (p), (v))
#define clade_sub_relaxed(p, v)      weak_sub_relaxed(WEAK_SITE("sub_relaxed"), (p), (v))
#define clade_sub_acquire(p, v)      weak_sub_acquire(WEAK_SITE("sub_acquire"), (p), (v))
#define clade_sub_release(p, v)      weak_sub_release(WEAK_SITE("sub_release"), (p), (v))
#define clade_sub_acq_rel(p, v)      weak_sub_acq_rel(WEAK_SITE("sub_acq_rel"), (p), (v))
#define clade_and_relaxed(p, v)      weak_and_relaxed(WEAK_SITE("and_relaxed"), (p), (v))
#define clade_and_acquire(p, v)      weak_and_acquire(WEAK_SITE("and_acquire"), (p), (v))
#define clade_and_release(p, v)      weak_and_release(WEAK_SITE("and_release"), (p), (v))
#define clade_and_acq_rel(p, v)      weak_and_acq_rel(WEAK_SITE("and_acq_rel"), (p), (v))
#define clade_or_relaxed(p, v)       weak_or_relaxed(WEAK_SITE("or_relaxed"), (p), (v))
#define clade_or_acquire(p, v)       weak_or_acquire(WEAK_SITE("or_acquire"), (p), (v))
#define clade_or_release(p, v)       weak_or_release(WEAK_SITE("or_release"), (p), (v))
#define clade_or_acq_rel(p, v)       weak_or_acq_rel(WEAK_SITE("or_acq_rel"), (p), (v))
#define clade_min_relaxed(p, v)      weak_min_relaxed(WEAK_SITE("min_relaxed"), (p), (v))
#define clade_min_acquire(p, v)      weak_min_acquire(WEAK_SITE("min_acquire"), (p), (v))
#define clade_min_release(p, v)      weak_min_release(WEAK_SITE("min_release"), (p), (v))
#define clade_min_acq_rel(p, v)      weak_min_acq_rel(WEAK_SITE("min_acq_rel"), (p), (v))
#define clade_max_relaxed(p, v)      weak_max_relaxed(WEAK_SITE("max_relaxed"), (p), (v))
#define clade_max_acquire(p, v)      weak_max_acquire(WEAK_SITE("max_acquire"), (p), (v))
#define clade_max_release(p, v)      weak_max_release(WEAK_SITE("max_release"), (p), (v))
#define clade_max_acq_rel(p, v)      weak_max_acq_rel(WEAK_SITE("max_acq_rel"), (p), (v))
#define clade_cas_relaxed(p, e, d)   weak_cas_relaxed(WEAK_SITE("cas_relaxed"), (p), (e), (d))
#define clade_cas_acquire(p, e, d)   weak_cas_acquire(WEAK_SITE("cas_acquire"), (p), (e), (d))
#define clade_cas_release(p, e, d)   weak_cas_release(WEAK_SITE("cas_release"), (p), (e), (d))
#define clade_cas_acq_rel(p, e, d)   weak_cas_acq_rel(WEAK_SITE("cas_acq_rel"), (p), (e), (d))
#define clade_fence()                weak_fence(WEAK_SITE("fence"))
#define clade_fence_acquire()        weak_fence_acquire(WEAK_SITE("fence_acquire"))
#define clade_fence_release()        weak_fence_release(WEAK_SITE("fence_release"))
#define clade_fence_seq_cst()        weak_fence_seq_cst(WEAK_SITE("fence_seq_cst"))

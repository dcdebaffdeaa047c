/* SPDX-License-Identifier: Apache-2.0 */
/* One order left out, to show that GenMC misses it: -DWEAKEN_OPERATION makes the operations of that
 * name relaxed in the function -DWEAKEN_IN=NAME, and nowhere else. genmc/device.h includes this. */
#pragma once

#include "clade/atomic.clh"

#ifdef WEAKEN_IN
#define GENMC_TEXT_(name) #name
#define GENMC_TEXT(name)  GENMC_TEXT_(name)
#define GENMC_IS_HERE     (__builtin_strcmp(__func__, GENMC_TEXT(WEAKEN_IN)) == 0)

#ifdef WEAKEN_load_acquire
#define clade_load_acquire(p) (GENMC_IS_HERE ? clade_load_relaxed(p) : (clade_load_acquire)(p))
#endif
#ifdef WEAKEN_load_consume
#define clade_load_consume(p) (GENMC_IS_HERE ? clade_load_relaxed(p) : (clade_load_consume)(p))
#endif
#ifdef WEAKEN_store_release
#define clade_store_release(p, v) \
    (GENMC_IS_HERE ? clade_store_relaxed((p), (v)) : (clade_store_release)((p), (v)))
#endif
#ifdef WEAKEN_cas_acquire
#define clade_cas_acquire(p, e, d) \
    (GENMC_IS_HERE ? clade_cas_relaxed((p), (e), (d)) : (clade_cas_acquire)((p), (e), (d)))
#endif
#ifdef WEAKEN_cas_release
#define clade_cas_release(p, e, d) \
    (GENMC_IS_HERE ? clade_cas_relaxed((p), (e), (d)) : (clade_cas_release)((p), (e), (d)))
#endif
#ifdef WEAKEN_cas_acq_rel
#define clade_cas_acq_rel(p, e, d) \
    (GENMC_IS_HERE ? clade_cas_relaxed((p), (e), (d)) : (clade_cas_acq_rel)((p), (e), (d)))
#endif
#ifdef WEAKEN_or_acquire
#define clade_or_acquire(p, v) \
    (GENMC_IS_HERE ? clade_or_relaxed((p), (v)) : (clade_or_acquire)((p), (v)))
#endif
#ifdef WEAKEN_or_release
#define clade_or_release(p, v) \
    (GENMC_IS_HERE ? clade_or_relaxed((p), (v)) : (clade_or_release)((p), (v)))
#endif
#ifdef WEAKEN_and_acquire
#define clade_and_acquire(p, v) \
    (GENMC_IS_HERE ? clade_and_relaxed((p), (v)) : (clade_and_acquire)((p), (v)))
#endif
#ifdef WEAKEN_and_release
#define clade_and_release(p, v) \
    (GENMC_IS_HERE ? clade_and_relaxed((p), (v)) : (clade_and_release)((p), (v)))
#endif
#ifdef WEAKEN_exchange_release
#define clade_exchange_release(p, v) \
    (GENMC_IS_HERE ? clade_exchange_relaxed((p), (v)) : (clade_exchange_release)((p), (v)))
#endif
#ifdef WEAKEN_fence
#define clade_fence() (GENMC_IS_HERE ? (void)0 : (clade_fence)())
#endif
#ifdef WEAKEN_fence_acquire
#define clade_fence_acquire() (GENMC_IS_HERE ? (void)0 : (clade_fence_acquire)())
#endif
#ifdef WEAKEN_fence_release
#define clade_fence_release() (GENMC_IS_HERE ? (void)0 : (clade_fence_release)())
#endif
#ifdef WEAKEN_fence_seq_cst
#define clade_fence_seq_cst() (GENMC_IS_HERE ? clade_fence() : (clade_fence_seq_cst)())
#endif

#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* OpenCL C as C11, for GenMC: the device headers as they are. Include this first, then
 * `clade/W.clh`, then genmc/world.h.
 *
 * GenMC takes C11 atomics as they are and explores every execution that the memory model allows. A
 * word is a plain word here, and each operation says its order: so a plain access to a word that
 * others change is a race, and GenMC tells it. */
#pragma once

#include <pthread.h>
#include <stdatomic.h>

#define _Atomic
#define atomic_int   int
#define atomic_uint  unsigned int
#define atomic_ulong unsigned long

#define SHIM_ALONE
#define CLADE_SHIM_FENCES 1 /* a fence and a relaxed store are what they are */
#include "host/device.h"

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
#define atomic_fetch_min_explicit(p, v, order, scope) __atomic_fetch_min((p), (v), (order))
#define atomic_fetch_max_explicit(p, v, order, scope) __atomic_fetch_max((p), (v), (order))
#define atomic_compare_exchange_strong_explicit(p, expected, desired, success, failure, scope) \
    __atomic_compare_exchange_n((p), (expected), (desired), false, (success), (failure))
#define atomic_work_item_fence(flags, order, scope) __atomic_thread_fence(order)

/* Each thread is a group of one item. */
static _Thread_local uint genmc_me;

#undef get_global_id
#undef get_local_id
#undef get_group_id
#undef get_local_size
#undef get_num_groups
#undef get_global_size
#define get_global_id(d)   ((size_t)genmc_me)
#define get_group_id(d)    ((size_t)genmc_me)
#define get_local_id(d)    ((size_t)0)
#define get_local_size(d)  ((size_t)1)
#define get_num_groups(d)  ((size_t)4)
#define get_global_size(d) ((size_t)4)
#define barrier(flags)     ((void)0)

/* GenMC's: an execution in which this is false is not explored further. It counts as blocked. */
void __VERIFIER_assume(_Bool);

#include "genmc/weaken.h"

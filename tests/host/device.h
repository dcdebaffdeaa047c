/* SPDX-License-Identifier: Apache-2.0 */
/* OpenCL C as C11: device functions run on host threads, where ThreadSanitizer,
 * AddressSanitizer and UndefinedBehaviorSanitizer see them.
 *
 * Every work-item is a thread, a group's barrier is a pthread barrier, global and local memory are
 * ordinary memory. The C11 dialect of atomic.clh maps one to one to C11 atomics, so an order that
 * x86 would hide is a data race that ThreadSanitizer reports. ThreadSanitizer knows no fences, so
 * the shim tells it what an acquire fence means: the item acquires the words that its last few
 * relaxed reads read. (The whole clock of the word, so a race with a write that was released to the
 * same word after that read is not seen.) Release fences mean nothing, so code that publishes by
 * one and a relaxed store is reported although it is right; with -DSHIM_RELEASE_FENCES what an item
 * writes atomically after such a fence and before the fourth barrier that follows it releases
 * the word. (All that the item did by then, so a plain write between fence and store that is read
 * too early is not seen.) Only the heap's front engine publishes so.
 *
 * Every so many atomic operations the thread yields: without that, waits on a machine with fewer
 * cores than threads would use up whole time slices.
 *
 * Include this first, then `clade/W.clh`. */
#pragma once

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CLADE_SHIM    1
#define CLADE_ATOMICS 1 /* CLADE_ATOMICS_C11 */
#ifndef CLADE_CPU
#define CLADE_CPU 1
#endif
#ifndef CLADE_SUBGROUP_SIZE
#define CLADE_SUBGROUP_SIZE 0
#endif
#ifndef CLADE_INT64_ATOMICS
#define CLADE_INT64_ATOMICS 0
#endif
#define CLADE_FP64 1
#ifndef CLADE_SPIN_LIMIT
#define CLADE_SPIN_LIMIT 100000000u
#endif

typedef unsigned char uchar;
typedef unsigned short ushort;
/* glibc may have these two already; the same type twice is legal C11. */
typedef unsigned int uint;
typedef unsigned long ulong;

#define __global
#define __local
#define __private
#define __constant const
#define __kernel
#define reqd_work_group_size(x, y, z) unused /* an attribute that compilers of C don't know */

/* What a kernel declares for its group. lanes.c runs one group after the other then, so one copy is
 * enough, and fills it with noise before each. */
#ifdef SHIM_LOCAL
#define CLADE_LOCAL static __attribute__((section("shim_local")))
#endif

/* Atomics: the scope is dropped. */
typedef int memory_scope;
enum { memory_scope_work_item, memory_scope_work_group, memory_scope_device };
#undef atomic_load_explicit
#undef atomic_store_explicit
#undef atomic_exchange_explicit
#undef atomic_fetch_add_explicit
#undef atomic_fetch_sub_explicit
#undef atomic_fetch_and_explicit
#undef atomic_fetch_or_explicit
#undef atomic_compare_exchange_strong_explicit
/* clang's builtins for C11's types; gcc's take these as well as plain ones. */
#ifdef __clang__
#define SHIM_LOAD(p, order)         __c11_atomic_load((p), (order))
#define SHIM_STORE(p, v, order)     __c11_atomic_store((p), (v), (order))
#define SHIM_EXCHANGE(p, v, order)  __c11_atomic_exchange((p), (v), (order))
#define SHIM_FETCH(op, p, v, order) __c11_atomic_fetch_##op((p), (v), (order))
#define SHIM_CAS(p, expected, desired, success, failure) \
    __c11_atomic_compare_exchange_strong((p), (expected), (desired), (success), (failure))
#else
#define SHIM_LOAD(p, order)         __atomic_load_n((p), (order))
#define SHIM_STORE(p, v, order)     __atomic_store_n((p), (v), (order))
#define SHIM_EXCHANGE(p, v, order)  __atomic_exchange_n((p), (v), (order))
#define SHIM_FETCH(op, p, v, order) __atomic_fetch_##op((p), (v), (order))
#define SHIM_CAS(p, expected, desired, success, failure) \
    __atomic_compare_exchange_n((p), (expected), (desired), false, (success), (failure))
#endif
#define SHIM_LOAD_WORD(p, order)     (shim_reads((const volatile void *)(p)), SHIM_LOAD((p), (order)))
#define SHIM_STORE_WORD(p, v, order) (shim_writes((p)), SHIM_STORE((p), (v), (order)))
/* A word of local memory is loaded and stored where a barrier has ordered it, and only changed by
 * several items at once. To ThreadSanitizer a load and a store are plain ones: with a change or
 * another store, and no barrier between, they are a race. */
#ifdef __SANITIZE_THREAD__
#define SHIM_IS_LOCAL(scope) ((scope) == memory_scope_work_group)
#define atomic_load_explicit(p, order, scope)                                  \
    (SHIM_IS_LOCAL(scope) ? *(const volatile uint *)(const volatile void *)(p) \
                          : SHIM_LOAD_WORD((p), (order)))
#define atomic_store_explicit(p, v, order, scope)                                      \
    (SHIM_IS_LOCAL(scope) ? (void)(*(volatile uint *)(volatile void *)(p) = (uint)(v)) \
                          : (void)SHIM_STORE_WORD((p), (v), (order)))
#else
#define atomic_load_explicit(p, order, scope)     SHIM_LOAD_WORD((p), (order))
#define atomic_store_explicit(p, v, order, scope) SHIM_STORE_WORD((p), (v), (order))
#endif
#define atomic_exchange_explicit(p, v, order, scope) \
    (shim_changes((p)), SHIM_EXCHANGE((p), (v), (order)))
#define atomic_fetch_add_explicit(p, v, order, scope) \
    (shim_changes((p)), SHIM_FETCH(add, (p), (v), (order)))
#define atomic_fetch_sub_explicit(p, v, order, scope) \
    (shim_changes((p)), SHIM_FETCH(sub, (p), (v), (order)))
#define atomic_fetch_and_explicit(p, v, order, scope) \
    (shim_changes((p)), SHIM_FETCH(and, (p), (v), (order)))
#define atomic_fetch_or_explicit(p, v, order, scope) \
    (shim_changes((p)), SHIM_FETCH(or, (p), (v), (order)))
#define atomic_fetch_min_explicit(p, v, order, scope) \
    _Generic((p), volatile atomic_ulong * : shim_fetch_min64, default : shim_fetch_min)((p), (v))
#define atomic_fetch_max_explicit(p, v, order, scope) shim_fetch_max((p), (v))
#define atomic_compare_exchange_strong_explicit(p, expected, desired, success, failure, scope) \
    (shim_reads((const volatile void *)(p)), shim_writes((p)),                                 \
     SHIM_CAS((p), (expected), (desired), (success), (failure)))

static inline void shim_yield(void)
{
#ifndef SHIM_ALONE /* a program whose launches have one item each */
    sched_yield();
#endif
}

#ifndef SHIM_YIELD
#define SHIM_YIELD 61 /* atomic operations to the next yield */
#endif
#ifndef SHIM_MANY_READS
#define SHIM_MANY_READS 8192
#endif
#ifdef SHIM_RELEASE_FENCES
enum { SHIM_READS = SHIM_MANY_READS, SHIM_YIELD_EVERY = SHIM_YIELD, SHIM_RELEASED_FOR = 4 };
#else
enum { SHIM_READS = 4, SHIM_YIELD_EVERY = SHIM_YIELD, SHIM_RELEASED_FOR = 4 };
#endif
extern _Thread_local const volatile void *shim_read[SHIM_READS];
extern _Thread_local uint shim_read_count, shim_read_all;

static inline void shim_reads(const volatile void *word)
{
    if (shim_read[(shim_read_count - 1) % SHIM_READS] != word) /* waits look at one many times */
        shim_read[shim_read_count++ % SHIM_READS] = word;
    if (++shim_read_all % SHIM_YIELD_EVERY == 0)
        shim_yield();
}

/* How many barriers more a release fence is in force for. */
extern _Thread_local uint shim_released;

#if defined(__SANITIZE_THREAD__)
#include <sanitizer/tsan_interface.h>
#endif

#if defined(__SANITIZE_THREAD__) && defined(SHIM_RELEASE_FENCES)
static inline void shim_writes(volatile void *word)
{
    if (shim_released > 0)
        __tsan_release((void *)(uintptr_t)word);
}
/* A read-modify-write: a fence behind it acquires, too. */
static inline void shim_changes(volatile void *word)
{
    shim_reads(word);
    shim_writes(word);
}
#else
#define shim_writes(word)  ((void)0)
#define shim_changes(word) ((void)0)
#endif

static inline uint shim_fetch_min(volatile _Atomic uint *p, uint value)
{
    uint seen = SHIM_LOAD(p, memory_order_relaxed);
    while (value < seen && !SHIM_CAS(p, &seen, value, memory_order_acq_rel, memory_order_relaxed))
        continue;
    return seen;
}

static inline ulong shim_fetch_min64(volatile _Atomic ulong *p, ulong value)
{
    ulong seen = SHIM_LOAD(p, memory_order_relaxed);
    while (value < seen && !SHIM_CAS(p, &seen, value, memory_order_acq_rel, memory_order_relaxed))
        continue;
    return seen;
}

static inline uint shim_fetch_max(volatile _Atomic uint *p, uint value)
{
    uint seen = SHIM_LOAD(p, memory_order_relaxed);
    while (value > seen && !SHIM_CAS(p, &seen, value, memory_order_acq_rel, memory_order_relaxed))
        continue;
    return seen;
}

#if defined(__SANITIZE_THREAD__)
static inline void shim_fence(memory_order order)
{
    if (order != memory_order_acquire)
        shim_released = SHIM_RELEASED_FOR;
    if (order == memory_order_release)
        return;
    for (uint i = 0; i < SHIM_READS && shim_read[i]; i++) {
        __tsan_acquire((void *)(uintptr_t)shim_read[i]);
#ifdef SHIM_RELEASE_FENCES /* each fence what was read since the one before */
        shim_read[i] = NULL;
#endif
    }
#ifdef SHIM_RELEASE_FENCES
    shim_read_count = 0;
#endif
}
#define atomic_work_item_fence(flags, order, scope) shim_fence(order)
#else
#define atomic_work_item_fence(flags, order, scope) atomic_thread_fence(order)
#endif
#define CLK_LOCAL_MEM_FENCE  1
#define CLK_GLOBAL_MEM_FENCE 2

/* Who this thread is. */
struct shim_item {
    size_t global_id, local_id, group_id, local_size, groups;
    struct shim_group *group;
};
extern _Thread_local struct shim_item shim_self;

/* Launches have one dimension: whoever asks for another is told so. */
#define get_global_id(d)   ((d) == 0 ? shim_self.global_id : 0)
#define get_local_id(d)    ((d) == 0 ? shim_self.local_id : 0)
#define get_group_id(d)    ((d) == 0 ? shim_self.group_id : 0)
#define get_local_size(d)  ((d) == 0 ? shim_self.local_size : 1)
#define get_num_groups(d)  ((d) == 0 ? shim_self.groups : 1)
#define get_global_size(d) ((d) == 0 ? shim_self.groups * shim_self.local_size : 1)

/* ThreadSanitizer's own model of a pthread barrier hides races: an item that wakes late acquires
 * what faster ones released at the next barrier. So device.c tells it what a barrier orders. */
void shim_barrier(void);

static inline void barrier(int flags)
{
    (void)flags;
    shim_released -= shim_released > 0;
    if (shim_self.local_size > 1)
        shim_barrier();
}

/* Built-in functions that clade uses. */
#define min(a, b) ((a) < (b) ? (a) : (b))
#define max(a, b) ((a) > (b) ? (a) : (b))
#define clz(x)                                                      \
    (sizeof(x) == 8 ? (x) ? (uint)__builtin_clzll((ulong)(x)) : 64u \
     : (uint)(x)    ? (uint)__builtin_clz((uint)(x))                \
                    : 32u)
#define popcount(x) ((uint)__builtin_popcount((uint)(x)))
/* as_TYPE() of any type of the same size, integers included. */
#define SHIM_AS(type, x)     \
    (((union {               \
         __typeof__((x)) in; \
         type out;           \
     }) { .in = (x) })       \
         .out)
#define as_int(x)    SHIM_AS(int, x)
#define as_uint(x)   SHIM_AS(uint, x)
#define as_float(x)  SHIM_AS(float, x)
#define as_long(x)   SHIM_AS(long, x)
#define as_ulong(x)  SHIM_AS(ulong, x)
#define as_double(x) SHIM_AS(double, x)
#define mul_hi(a, b) ((uint)(((uint64_t)(a) * (b)) >> 32))

/* Run `kernel(argument, local)` by `groups` x `group_size` threads; `local` is `local_bytes` of
 * memory that holds anything, one for each group. Returns when all have ended. */
void shim_launch(void (*kernel)(void *argument, void *local), void *argument, size_t groups,
                 size_t group_size, size_t local_bytes);

/* Of a program that repeats: the seed to begin with, and how often (the first argument, or
 * `usual`). */
uint shim_seed(void);
uint shim_rounds(int argc, char **argv, uint usual);

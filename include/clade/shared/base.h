/* SPDX-License-Identifier: Apache-2.0 */
/* Types and names that mean the same on the host and on the device.
 *
 * A header under shared/ is compiled in three ways: as C11 or C++ on the host, as OpenCL C on the
 * device, and as C11 with the tests' imitation of OpenCL C (CLADE_SHIM). Its structs use types of
 * fixed width only, and no pointer, bool, size_t or 3-vector. So a struct has the same layout
 * everywhere. */
#pragma once

/* __OPENCL_C_VERSION__, not __OPENCL_VERSION__: an offline clang defines only the former. */
#if defined(__OPENCL_C_VERSION__) || defined(CLADE_SHIM)
#define CLADE_ON_DEVICE 1
typedef uint clade_u32;
typedef int clade_i32;
typedef ulong clade_u64;
typedef long clade_i64;
/* For device functions that keep arrays in registers. PoCL 3.1's own inliner crashes on some large
 * functions, so these are inlined before it sees them. CLADE_INLINE_LEFT leaves the choice to the
 * compiler. It is for oclgrind, which cannot read the notes on aliases that forced inlining makes.
 */
#ifdef CLADE_INLINE_LEFT
#define CLADE_INLINE static inline
#else
#define CLADE_INLINE static inline __attribute__((always_inline))
#endif
/* Mesa 24's llvmpipe crashes while it compiles a function that is not inlined and has a branch
 * before a barrier. There every function that says "inline" is inlined, the user's as well. */
#ifdef CLADE_INLINE_ALL
#define inline inline __attribute__((always_inline))
#endif
#else
#define CLADE_ON_DEVICE 0
#include <stdint.h>
typedef uint32_t clade_u32;
typedef int32_t clade_i32;
typedef uint64_t clade_u64;
typedef int64_t clade_i64;
#endif

/* Dialects of cl/clade/atomic.clh: how a device does atomics. The host chooses one after probing.
 */
#define CLADE_ATOMICS_C11 1 /* OpenCL C 2.0+/3.0 atomics, acquire-release at device scope */
#define CLADE_ATOMICS_PTX 2 /* NVIDIA: inline PTX fences, acquire loads, release stores */
#define CLADE_ATOMICS_RMW 3 /* OpenCL C 1.2: read-modify-write atomics only */

/* A word that several work-items change. On a device with C11 atomics a plain access to it does not
 * compile. */
#if CLADE_ON_DEVICE && CLADE_ATOMICS == CLADE_ATOMICS_C11
typedef atomic_uint clade_atomic_u32;
typedef atomic_int clade_atomic_i32;
#else
typedef clade_u32 clade_atomic_u32;
typedef clade_i32 clade_atomic_i32;
#endif

/* The same with 64 bits; on a device only if it has such atomics (CLADE_INT64_ATOMICS). The
 * extension makes the type known, so the pragma comes first. */
#if !CLADE_ON_DEVICE
typedef clade_u64 clade_atomic_u64;
#elif CLADE_INT64_ATOMICS
#ifndef CLADE_SHIM
#pragma OPENCL EXTENSION cl_khr_int64_base_atomics : enable
#pragma OPENCL EXTENSION cl_khr_int64_extended_atomics : enable
#endif
#if CLADE_ATOMICS == CLADE_ATOMICS_C11
typedef atomic_ulong clade_atomic_u64;
#else
typedef clade_u64 clade_atomic_u64;
#endif
#endif

/* A ref: it names a thing in an object's buffer, by its index + 1. CLADE_NIL names nothing. A ref
 * is no address, so an object can be copied, saved and moved to another device. */
typedef clade_u32 clade_ref;
#define CLADE_NIL 0u

#define CLADE_STATIC_ASSERT(name, condition) \
    typedef char clade_static_assert_##name[(condition) ? 1 : -1]

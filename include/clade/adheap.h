/* SPDX-License-Identifier: Apache-2.0 */
/* Many d-ary heaps in one object, worked on all at once. docs/inside/adheap.md has layout and
 * invariants.
 *
 * Every operation takes heap-major arrays: with `each` operations a heap, at most 2^31, heap h's
 * stretch is elements h * each .. h * each + each - 1. A heap's operations take effect in that
 * order; different heaps are independent. NaN counts as the last key in the object's order; -0 is
 * before +0. */
#pragma once

#include <stdint.h>

#include "clade/array.h"
#include "clade/context.h"
#include "clade/shared/adheap.h"
#include "clade/shared/types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* An object of heaps: opaque. */
typedef struct clade_adheap clade_adheap;

/* Zero fields are defaults. */
typedef struct clade_adheap_params {
    uint32_t heaps;    /* required, from 1 on */
    uint32_t capacity; /* keys a heap; required, 1 .. 2^30 */
    uint32_t arity;    /* children a node: 8, 16, 32 or 64; default: 8 on CPUs, else 32 */
    uint32_t key;      /* CLADE_I32 (default), CLADE_U32, CLADE_F32, CLADE_I64, _U64 or _F64 */
    uint32_t order;    /* CLADE_MIN (default): smallest first, or CLADE_MAX: greatest first */
    uint32_t keep;     /* 1: the root is the last of the heap's keys in `order`: a k-set, which
                        * clade_adheap_feed() updates with whatever comes before its root */
    uint32_t values;   /* 1: each key carries a 32-bit value */
    uint32_t bridge;   /* CLADE_ADHEAP_BRIDGE_AUTO (default), _NONE, _REGISTERS, _LOCAL, _DUMP, or
                        * _HOST: a host thread writes paths back while the kernel runs. Calls then
                        * block, and the device needs fine-grained SVM with atomics */
    uint32_t count;    /* 1: count off-chip transactions (slower), see clade_adheap_stats */
    uint32_t feed;     /* CLADE_ADHEAP_FEED_AUTO (default), _SIFT or _SELECT */
    uint32_t patience; /* polls for which a kernel waits for the host; default 2^30, about 0.5 s */
    uint64_t reserved[8]; /* zero: see clade/error.h */
} clade_adheap_params;

/* How clade_adheap_feed() works. */
#define CLADE_ADHEAP_FEED_AUTO   0 /* for k-sets of 32-bit keys whichever costs less, else sift */
#define CLADE_ADHEAP_FEED_SIFT   1 /* key by key */
#define CLADE_ADHEAP_FEED_SELECT 2 /* select from the heap's keys and the fed ones, and heapify */

/* Counts. The last six are 0 unless the object was made to count. */
typedef struct clade_adheap_stats {
    uint64_t heaps;     /* as created */
    uint64_t capacity;  /* keys a heap, as created */
    uint64_t size;      /* keys in all heaps */
    uint64_t bytes;     /* of device memory */
    uint64_t walks;     /* from a node towards the leaves */
    uint64_t loads;     /* sets of children that they looked at */
    uint64_t moves;     /* keys that they moved up */
    uint64_t plain;     /* lines of 128 bytes read and written by a plain d-heap */
    uint64_t bridged;   /* the same by one with a bridge, up to its dump */
    uint64_t scattered; /* words that are then written back, one by one */
    uint64_t reserved[8]; /* zero: see clade/error.h */
} clade_adheap_stats;

/**
 * Create an object of empty heaps.
 *
 * @retval CLADE_OK     `*out` is the object.
 * @retval CLADE_E_ARG  A parameter is out of range; the message names it and the limit.
 * @retval CLADE_E_UNSUPPORTED  CLADE_ADHEAP_FEED_SELECT with 64-bit keys; or a HOST bridge, and the
 *                      device shares no fine-grained memory with atomics.
 * @retval CLADE_E_DEVICE, CLADE_E_BUILD, CLADE_E_NOMEM  As named.
 *
 * Owner:   the caller; clade_adheap_destroy() frees it. It holds its context.
 * Threads: any.
 * Blocks:  while its kernels are built.
 */
CLADE_API CLADE_CHECKED clade_status clade_adheap_create(clade_adheap **out, clade_context *context,
                                                         const clade_adheap_params *params);

/** Free an object. NULL and pointers to NULL are fine; sets NULL.
 *
 * Owner:   takes the object.
 * Threads: one, when no other uses it.
 * Blocks:  no.
 */
CLADE_API void clade_adheap_destroy(clade_adheap **adheap);

/**
 * Insert `each` keys into each heap.
 *
 * @param keys      heaps * each keys; only read.
 * @param values    As many uint32_t when the object has values, else no array.
 * @param statuses  Receives as many int32_t: CLADE_OK, or CLADE_E_FULL for a key that was not
 *                  inserted because its heap was full. May be no array.
 *
 * @retval CLADE_OK     Done (some array in host memory) or enqueued.
 * @retval CLADE_E_BUSY With a HOST bridge: some heap waits for clade_adheap_repair().
 * @retval CLADE_E_UNSUPPORTED  So many at once need longer loops than the device allows (llvmpipe).
 * @retval CLADE_E_ARG, CLADE_E_DEVICE, CLADE_E_NOMEM  As named; nothing was inserted.
 *
 * Owner:   arrays stay the caller's; device arrays are borrowed until the work is done.
 * Threads: one at a time per object.
 * Blocks:  with host arrays.
 */
CLADE_API CLADE_CHECKED clade_status clade_adheap_insert(clade_adheap *adheap, clade_array keys,
                                                         clade_array values, uint32_t each,
                                                         clade_array statuses,
                                                         const clade_launch *launch);

/**
 * Pop the root of each heap, `each` times, in order.
 *
 * @param keys      Room for heaps * each keys. Where a heap ran empty they are left unspecified.
 * @param values    Room for as many uint32_t when the object has values, else no array.
 * @param statuses  Receives as many int32_t: CLADE_OK, or CLADE_E_NOT_FOUND where the heap was
 *                  empty. May be no array.
 *
 * Returns, owner, threads, blocks: as clade_adheap_insert().
 */
CLADE_API CLADE_CHECKED clade_status clade_adheap_pop(clade_adheap *adheap, clade_array keys,
                                                      clade_array values, uint32_t each,
                                                      clade_array statuses,
                                                      const clade_launch *launch);

/**
 * Read the root of each heap: clade_adheap_pop() of one, without popping.
 *
 * Returns, owner, threads, blocks: as clade_adheap_insert().
 */
CLADE_API CLADE_CHECKED clade_status clade_adheap_peek(clade_adheap *adheap, clade_array keys,
                                                       clade_array values, clade_array statuses,
                                                       const clade_launch *launch);

/**
 * Give nodes other keys, `each` of each heap, one after the other.
 *
 * @param nodes     heaps * each uint32_t: which node; the root is 0, and the children of node i
 *                  begin at arity * i + 1. An update moves nodes.
 * @param statuses  As many int32_t: CLADE_OK, or CLADE_E_NOT_FOUND where there was no such node.
 *
 * Others, returns, owner, threads, blocks: as clade_adheap_insert().
 */
CLADE_API CLADE_CHECKED clade_status clade_adheap_update(clade_adheap *adheap, clade_array nodes,
                                                         clade_array keys, clade_array values,
                                                         uint32_t each, clade_array statuses,
                                                         const clade_launch *launch);

/**
 * Replace each heap's content by `each` keys, 0 .. capacity.
 *
 * Arrays, returns, owner, threads, blocks: as clade_adheap_insert().
 */
CLADE_API CLADE_CHECKED clade_status clade_adheap_build(clade_adheap *adheap, clade_array keys,
                                                        clade_array values, uint32_t each,
                                                        const clade_launch *launch);

/**
 * Offer `each` keys to each heap. While a heap has room they are inserted; then a key that comes
 * after the root in the heap's own order takes the root's place. With `keep` a heap so holds the
 * first `capacity` keys, in the object's order, of all that it was ever offered.
 *
 * @param values       As clade_adheap_insert(); or no array: then a key's value is its place in
 *                     its stretch plus `first_value`.
 *
 * @retval CLADE_E_BUILD  In the first call that may select (CLADE_ADHEAP_FEED_SELECT, or k-sets).
 *
 * Others, returns, owner, threads: as clade_adheap_insert(). Blocks: likewise, and in that first
 * call while the kernels that select are built.
 */
CLADE_API CLADE_CHECKED clade_status clade_adheap_feed(clade_adheap *adheap, clade_array keys,
                                                       clade_array values, uint32_t first_value,
                                                       uint32_t each, const clade_launch *launch);

/**
 * Merge a sorted batch into each heap: `each` keys in the object's order, the first first.
 *
 * They are inserted while there is room. What is left over is CLADE_E_FULL; but a k-set (`keep`)
 * then takes what comes before its root, as clade_adheap_feed() does, and has no statuses. In a
 * batch that is not in order a k-set may miss keys; nothing else goes wrong.
 *
 * @retval CLADE_E_ARG  Also: statuses are given for k-sets.
 *
 * Others, returns, owner, threads, blocks: as clade_adheap_insert(); for k-sets as
 * clade_adheap_feed().
 */
CLADE_API CLADE_CHECKED clade_status clade_adheap_merge(clade_adheap *adheap, clade_array keys,
                                                        clade_array values, uint32_t each,
                                                        clade_array statuses,
                                                        const clade_launch *launch);

/** The number of keys in each heap: `sizes` receives one uint32_t a heap.
 *
 * Returns, owner, threads, blocks: as clade_adheap_insert().
 */
CLADE_API CLADE_CHECKED clade_status clade_adheap_sizes(clade_adheap *adheap, clade_array sizes,
                                                        const clade_launch *launch);

/** Make all heaps empty and all counts 0.
 *
 * Returns, owner, threads: as clade_adheap_insert(). Blocks: with a HOST bridge.
 */
CLADE_API CLADE_CHECKED clade_status clade_adheap_clear(clade_adheap *adheap,
                                                        const clade_launch *launch);

/* --- with a HOST bridge ---------------------------------------------------------------------- */

/**
 * Replay what a host that stopped in mid-call left unwritten. An operation that returns
 * CLADE_E_BUSY says that some heap is refused until then.
 *
 * @param replayed  Receives how many heaps had a log. May be NULL.
 *
 * @retval CLADE_OK     Every heap may be used again.
 * @retval CLADE_E_ARG, CLADE_E_DEVICE, CLADE_E_NOMEM  As named.
 *
 * Owner:   nothing changes hands.
 * Threads: one at a time per object.
 * Blocks:  yes.
 */
CLADE_API CLADE_CHECKED clade_status clade_adheap_repair(clade_adheap *adheap, uint32_t *replayed);

/* A call of a kernel that is running: CLADE_ADHEAP_CALL_... of clade/shared/adheap.h. */
typedef struct clade_adheap_call {
    uint32_t what;  /* CLADE_ADHEAP_CALL_... */
    uint32_t heap;  /* which one */
    uint32_t node;  /* of an update */
    uint32_t value; /* when the object has values */
    uint64_t key;   /* a 32-bit key is in the low half */
    uint64_t reserved[5]; /* zero: see clade/error.h */
} clade_adheap_call;

/**
 * Start a kernel that stays and waits to be called; it ends by itself when no call comes for the
 * object's patience, and the next call starts it again.
 *
 * Until clade_adheap_resident_stop() the object takes no other operation. The kernel is in the
 * context's own queue: what other objects' calls enqueue there waits until it has ended.
 *
 * @retval CLADE_OK             It runs, or will as soon as the queue lets it.
 * @retval CLADE_E_ARG          The object has no HOST bridge, or a kernel is there already.
 * @retval CLADE_E_DEVICE, CLADE_E_BUILD, CLADE_E_NOMEM  As named.
 *
 * Owner:   the object.
 * Threads: one at a time per object.
 * Blocks:  while the kernel is built.
 */
CLADE_API CLADE_CHECKED clade_status clade_adheap_resident_start(clade_adheap *adheap);

/**
 * Call the kernel: it walks, and calls back for the path to be written.
 *
 * @retval CLADE_OK           Done.
 * @retval CLADE_E_FULL, CLADE_E_NOT_FOUND  As the operation says; nothing changed.
 * @retval CLADE_E_BUSY       The kernel did not answer in ten seconds, or the heap has a log that
 *                            waits for clade_adheap_repair().
 * @retval CLADE_E_ARG, CLADE_E_DEVICE      As named.
 *
 * Owner:   nothing changes hands.
 * Threads: one at a time per object.
 * Blocks:  yes.
 */
CLADE_API CLADE_CHECKED clade_status clade_adheap_resident_call(clade_adheap *adheap,
                                                                clade_adheap_call *call);

/** End it, and wait until it has ended. Returns CLADE_OK or CLADE_E_ARG, CLADE_E_DEVICE.
 *
 * Owner:   nothing changes hands.
 * Threads: one at a time per object.
 * Blocks:  yes.
 */
CLADE_API CLADE_CHECKED clade_status clade_adheap_resident_stop(clade_adheap *adheap);

/**
 * Verify the invariants of docs/inside/adheap.md in every heap.
 *
 * @retval CLADE_OK         They hold.
 * @retval CLADE_E_CORRUPT  The message names heap, node and what is wrong.
 * @retval CLADE_E_ARG, CLADE_E_DEVICE, CLADE_E_NOMEM  As named.
 *
 * Owner:   nothing changes hands.
 * Threads: one at a time per object.
 * Blocks:  yes.
 */
CLADE_API CLADE_CHECKED clade_status clade_adheap_check(clade_adheap *adheap);

/** Count. Returns, owner, threads, blocks: as clade_adheap_check(). */
CLADE_API CLADE_CHECKED clade_status clade_adheap_stats_read(clade_adheap *adheap,
                                                             clade_adheap_stats *stats);

/**
 * Write the object to a file, or make one from a file.
 *
 * @retval CLADE_OK         Done.
 * @retval CLADE_E_NOT_FOUND  Load: there is no such file.
 * @retval CLADE_E_IO       The file cannot be written or read.
 * @retval CLADE_E_CORRUPT  The file is no saved ad-heap, is damaged, or breaks an invariant.
 * @retval CLADE_E_UNSUPPORTED  As clade_adheap_create().
 * @retval CLADE_E_ARG, CLADE_E_DEVICE, CLADE_E_BUILD, CLADE_E_NOMEM  As named.
 *
 * Owner:   the loaded object is the caller's.
 * Threads: one at a time per object.
 * Blocks:  yes.
 */
CLADE_API CLADE_CHECKED clade_status clade_adheap_save(clade_adheap *adheap, const char *path);
/** Make one from a file that clade_adheap_save() wrote: see there. */
CLADE_API CLADE_CHECKED clade_status clade_adheap_load(clade_adheap **out, clade_context *context,
                                                       const char *path);

/** The object's buffer: the argument of kernels of your own. Borrowed from the object.
 *
 * Owner:   the object.
 * Threads: any.
 * Blocks:  no.
 */
CLADE_API cl_mem clade_adheap_mem(const clade_adheap *adheap);

/**
 * Compiler options that make a program's `#include "clade/adheap.clh"` match this object:
 * "-DCLADE_ADHEAP_ARITY=8 ...". A program with several shapes defines the names itself.
 *
 * @return Borrowed from the object; NULL for NULL.
 *
 * Owner:   the object.
 * Threads: any.
 * Blocks:  no.
 */
CLADE_API const char *clade_adheap_options(const clade_adheap *adheap);

#ifdef __cplusplus
}
#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* A concurrent batched priority queue, by either of two engines. docs/inside/heap.md and
 * docs/inside/heap-front.md have their invariants and proofs.
 *
 * One is a heap whose nodes hold `batch` sorted keys each (generalized heap: Deo and Prasad 1992;
 * made concurrent for GPUs by Chen et al. 2019); the other keeps a sorted front over unsorted
 * leaves. Keys may repeat; any key but NaN is legal. */
#pragma once

#include <stdint.h>

#include "clade/array.h"
#include "clade/context.h"
#include "clade/shared/heap.h"
#include "clade/shared/types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A heap: opaque. */
typedef struct clade_heap clade_heap;

/* Zero fields are defaults. */
typedef struct clade_heap_params {
    uint64_t capacity; /* keys it can hold; required, 1 .. what fits the device's largest buffer */
    uint32_t key;      /* CLADE_I32 (default), _U32, _F32, _I64, _U64 or _F64 */
    uint32_t value;    /* CLADE_NONE (default), or any type: 32 or 64 bits carried with the key */
    uint32_t order;    /* CLADE_MIN (default): smallest first, or CLADE_MAX: greatest first */
    uint32_t batch;    /* keys a node and most keys a device-side batch: 4 .. the device's limit
                        * (error names it); default: what suits the device */
    uint32_t engine;   /* CLADE_HEAP_AUTO (default): CLADE_HEAP_FRONT on a GPU where it can serve and
                        * a capacity of 2^15 keys or more makes it the faster one, else
                        * CLADE_HEAP_TOP_DOWN, on CPUs because it compiles several times as fast;
                        * clade_heap_params_of() tells which. Or one of these, or
                        * CLADE_HEAP_BOTTOM_UP */
    uint32_t atomic_inserts; /* not 0: each batch that a kernel inserts is one atomic operation.
                              * Default: where the engine is CLADE_HEAP_FRONT, which cannot do so,
                              * each of its keys is */
    uint32_t group_size;     /* work-items a group of the host API's kernels; default: what suits */
    uint32_t groups; /* work-groups of the host API's kernels; default: what suits. When given,
                      * they do calls over many keys, too, for which there is a faster way */
    uint32_t heaps;  /* heaps of `capacity` keys each that the object holds side by side, for
                      * kernels that give each work-group its own: P_at_wi() there and
                      * clade_heap_part() here name one. Default 1; CLADE_HEAP_FRONT: 1 */
    uint64_t reserved[8]; /* zero: see clade/error.h */
} clade_heap_params;

/* Counts since creation or clear; clade_heap_load() carries them on. Sums, when the object holds
 * many heaps. */
typedef struct clade_heap_stats {
    uint64_t size;         /* keys inside */
    uint64_t capacity;     /* keys it can hold */
    uint64_t inserts;      /* batches inserted */
    uint64_t pops;         /* batches popped, short ones too */
    uint64_t refused;      /* batches refused: full, NaN */
    uint64_t lock_retries; /* failed tries to take a lock */
    uint64_t cooperations; /* pops that took their replacement from an insert on its way */
    uint64_t bytes;        /* of device memory */
    uint64_t reserved[8];  /* zero: see clade/error.h */
} clade_heap_stats;

/* The functions' contracts follow the common rules: clade/error.h, clade/array.h. */

/**
 * Create an empty heap.
 *
 * @retval CLADE_OK          `*out` is the heap.
 * @retval CLADE_E_ARG       A parameter is out of range; the message names it and the limit.
 * @retval CLADE_E_UNSUPPORTED  The device lacks what the types need (double for CLADE_F64).
 * @retval CLADE_E_DEVICE, CLADE_E_BUILD, CLADE_E_NOMEM  As named.
 *
 * Owner:   the caller; clade_heap_destroy() frees it. It holds its context.
 * Threads: any.
 * Blocks:  while its kernels are built.
 */
CLADE_API CLADE_CHECKED clade_status clade_heap_create(clade_heap **out, clade_context *context,
                                                       const clade_heap_params *params);

/** Free a heap. NULL and pointers to NULL are fine; sets NULL.
 *
 * Owner:   takes the heap.
 * Threads: one, when no other uses the heap.
 * Blocks:  until the context's queue is empty.
 */
CLADE_API void clade_heap_destroy(clade_heap **heap);

/**
 * One of the heaps of an object that holds many (clade_heap_params.heaps), as a heap of its own:
 * every call works on it, and clade_heap_mem() is what kernels take for it.
 *
 * clade_heap_insert(), clade_heap_pop() and clade_heap_peek() want such a part where an object
 * holds more than one heap; the other calls take the object for all of its heaps.
 *
 * @param index  0 .. heaps - 1.
 *
 * @retval CLADE_OK     `*out` is heap `index` of `heap`, with what is in it.
 * @retval CLADE_E_ARG  There is no such heap, or `heap` is a part itself.
 * @retval CLADE_E_DEVICE, CLADE_E_NOMEM  As named.
 *
 * Owner:   the caller; clade_heap_destroy() frees the part. It holds `heap`, whose keys these are.
 * Threads: one at a time for a heap and all its parts.
 * Blocks:  no.
 */
CLADE_API CLADE_CHECKED clade_status clade_heap_part(clade_heap **out, clade_heap *heap,
                                                     uint32_t index);

/**
 * Insert `count` keys, all or none (but see CLADE_E_FULL and CLADE_E_BUSY). Kernels on other queues
 * must not work on the heap meanwhile. Many keys into an empty heap of the front engine, or on
 * CPUs of any, are brought into place all at once, with the help of device memory for twice the
 * call's arrays, if it can be had. The first such call compiles what it needs.
 *
 * @param keys    `count` elements of the heap's key type; only read.
 * @param values  `count` elements of its value type; no array when it has none.
 *
 * @retval CLADE_OK      With host arrays: all are in. With device arrays: enqueued; a refusal is
 *                       told by the next call that blocks (clade_heap_size(), clade_heap_check()
 *                       ...), and by clade_heap_stats.refused.
 * @retval CLADE_E_FULL  They do not fit beside what is inside. Nothing was inserted; but where the
 *                       front engine's memory ends before its capacity, as it may when few keys lie
 *                       in each of very many ranges, some are in: clade_heap_size() says how many.
 * @retval CLADE_E_ARG   A NaN is among the keys (its place is named; nothing was inserted), or an
 *                       argument is wrong.
 * @retval CLADE_E_BUSY  Waits gave up, again and again (or clade_heap_repair() is due). Batches
 *                       that did get in stay.
 * @retval CLADE_E_DEVICE, CLADE_E_NOMEM  As named.
 *
 * Owner:   arrays stay the caller's; device arrays are borrowed until the work is done.
 * Threads: one at a time per heap.
 * Blocks:  with host arrays.
 */
CLADE_API CLADE_CHECKED clade_status clade_heap_insert(clade_heap *heap, clade_array keys,
                                                       clade_array values, uint64_t count,
                                                       const clade_launch *launch);

/**
 * Pop the `count` first keys in the heap's order, or all when there are fewer. Kernels on other
 * queues must not work on the heap meanwhile. The front engine, and on CPUs any, takes many keys out
 * all at once; the first such call compiles what it needs.
 *
 * @param keys    Room for `count` elements; receives them in order.
 * @param values  Room for `count` values, or no array when the heap has none.
 * @param got     Receives one uint64_t: how many were there. In host or device memory.
 *
 * @retval CLADE_OK  Done (host arrays) or enqueued (device arrays). Short or empty is no failure.
 * @retval CLADE_E_BUSY  Waits gave up; `*got` keys were taken.
 * @retval CLADE_E_ARG, CLADE_E_DEVICE, CLADE_E_NOMEM  As named.
 *
 * Owner:   as clade_heap_insert().
 * Threads: one at a time per heap.
 * Blocks:  when an array lies in host memory.
 */
CLADE_API CLADE_CHECKED clade_status clade_heap_pop(clade_heap *heap, clade_array keys,
                                                    clade_array values, uint64_t count,
                                                    clade_array got, const clade_launch *launch);

/* The following functions wait for the context's own queue and look at the heap as it is then.
 * Work on other queues must be done before. Each tells, once, of a refusal or a wait that gave up
 * in calls since the last that blocked, in place of its own result. */

/**
 * How many keys are inside.
 *
 * @retval CLADE_OK  `*size` is exact.
 * @retval CLADE_E_FULL, CLADE_E_BUSY  Of an earlier call that did not block.
 * @retval CLADE_E_ARG, CLADE_E_DEVICE  As named; the first also of an earlier call.
 *
 * Owner:   nothing changes hands.
 * Threads: one at a time per heap.
 * Blocks:  yes.
 */
CLADE_API CLADE_CHECKED clade_status clade_heap_size(clade_heap *heap, uint64_t *size);

/**
 * Look at the first key in the heap's order without taking it.
 *
 * @param key    Receives one element of the key type.
 * @param value  Receives its value; may be NULL, and is not looked at when the heap has no values.
 *
 * @retval CLADE_OK           There it is.
 * @retval CLADE_E_NOT_FOUND  The heap is empty.
 * @retval CLADE_E_ARG, CLADE_E_DEVICE, CLADE_E_FULL, CLADE_E_BUSY  As clade_heap_size().
 *
 * Owner:   nothing changes hands.
 * Threads: one at a time per heap.
 * Blocks:  yes.
 */
CLADE_API CLADE_CHECKED clade_status clade_heap_peek(clade_heap *heap, void *key, void *value);

/**
 * Empty the heap and set its statistics to zero; forgets errors of earlier calls.
 *
 * @retval CLADE_OK  Empty; with a launch: enqueued.
 * @retval CLADE_E_ARG, CLADE_E_DEVICE  As named.
 *
 * Owner:   nothing changes hands.
 * Threads: one at a time per heap.
 * Blocks:  without a launch.
 */
CLADE_API CLADE_CHECKED clade_status clade_heap_clear(clade_heap *heap, const clade_launch *launch);

/**
 * Verify every invariant of docs/inside/heap.md on a copy of the heap.
 *
 * @retval CLADE_OK         All hold.
 * @retval CLADE_E_CORRUPT  One does not; the message says which and where.
 * @retval CLADE_E_BUSY     The heap waits for clade_heap_repair().
 * @retval CLADE_E_ARG, CLADE_E_DEVICE, CLADE_E_NOMEM, CLADE_E_FULL  As clade_heap_size().
 *
 * Owner:   nothing changes hands.
 * Threads: one at a time per heap.
 * Blocks:  yes.
 */
CLADE_API CLADE_CHECKED clade_status clade_heap_check(clade_heap *heap);

/**
 * Bring the keys of a heap back into order.
 *
 * Needed only after a wait gave up in the middle of an operation, because a work-group did not get
 * to run for very long. No key is lost then, but order is not kept, so every operation returns
 * CLADE_E_BUSY until this call. On a sound heap it does nothing.
 *
 * @retval CLADE_OK  The heap is sound and holds what it held.
 * @retval CLADE_E_ARG, CLADE_E_DEVICE, CLADE_E_NOMEM  As named.
 *
 * Owner:   nothing changes hands.
 * Threads: one at a time per heap.
 * Blocks:  yes; when it had something to do, errors of earlier calls are forgotten.
 */
CLADE_API CLADE_CHECKED clade_status clade_heap_repair(clade_heap *heap);

/**
 * Read the counts.
 *
 * @retval CLADE_OK  `*stats` is filled. Errors of earlier calls are left for others to tell.
 * @retval CLADE_E_ARG, CLADE_E_DEVICE  As named.
 *
 * Owner:   nothing changes hands.
 * Threads: one at a time per heap.
 * Blocks:  yes.
 */
CLADE_API CLADE_CHECKED clade_status clade_heap_stats_read(clade_heap *heap,
                                                           clade_heap_stats *stats);

/**
 * Write the heap to a file, with its parameters, under a checksum. The file appears whole or not
 * at all.
 *
 * @retval CLADE_OK    Written.
 * @retval CLADE_E_IO  The file cannot be written.
 * @retval CLADE_E_BUSY  The heap waits for clade_heap_repair().
 * @retval CLADE_E_ARG, CLADE_E_DEVICE, CLADE_E_NOMEM, CLADE_E_FULL  As clade_heap_size().
 *
 * Owner:   nothing changes hands.
 * Threads: one at a time per heap.
 * Blocks:  yes.
 */
CLADE_API CLADE_CHECKED clade_status clade_heap_save(clade_heap *heap, const char *path);

/**
 * Make a heap from a file that clade_heap_save() wrote, on any device.
 *
 * @retval CLADE_OK           `*out` holds what was saved.
 * @retval CLADE_E_NOT_FOUND  There is no such file.
 * @retval CLADE_E_CORRUPT    The file is damaged, truncated, or not a saved heap.
 * @retval CLADE_E_ARG        The device cannot hold it: the limit is named.
 * @retval CLADE_E_IO, CLADE_E_DEVICE, CLADE_E_BUILD, CLADE_E_NOMEM  As named.
 *
 * Owner:   the caller; clade_heap_destroy() frees it.
 * Threads: any.
 * Blocks:  yes.
 */
CLADE_API CLADE_CHECKED clade_status clade_heap_load(clade_heap **out, clade_context *context,
                                                     const char *path);

/**
 * The heap's buffer: the argument of kernels that call clade/heap.clh.
 *
 * @return Borrowed from the heap; NULL for NULL.
 *
 * Owner:   the heap.
 * Threads: any.
 * Blocks:  no.
 */
CLADE_API cl_mem clade_heap_mem(const clade_heap *heap);

/**
 * Compiler options that make a program's first `#include "clade/heap.clh"` match this heap:
 * "-DCLADE_HEAP_KEY_TYPE=1 ...". A program with several heaps defines the names itself.
 *
 * @return A string of the heap's; NULL for NULL.
 *
 * Owner:   the heap.
 * Threads: any.
 * Blocks:  no.
 */
CLADE_API const char *clade_heap_options(const clade_heap *heap);

/**
 * The heap's parameters, with all defaults filled in.
 *
 * @return Borrowed from the heap; NULL for NULL.
 *
 * Owner:   the heap.
 * Threads: any.
 * Blocks:  no.
 */
CLADE_API const clade_heap_params *clade_heap_params_of(const clade_heap *heap);

#ifdef __cplusplus
}
#endif

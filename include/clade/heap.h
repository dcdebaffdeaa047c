/* SPDX-License-Identifier: Apache-2.0 */
/* A priority queue that many work-groups use at once.
 *
 * Each operation moves a batch: a group inserts up to K keys, or pops the K first ones. The order
 * is smallest first or greatest first. A value may be carried with each key. Keys may repeat. Any
 * key but NaN is legal.
 *
 * Two engines do the work. The first is a heap whose nodes hold `batch` sorted keys each: the
 * generalized heap of Deo and Prasad (1992), made concurrent for GPUs by Chen et al. (2019). The
 * second, the front engine, sorts only the keys that are needed next. They form the front; all
 * others lie unsorted in leaves, one key range each. docs/inside/heap.md and
 * docs/inside/heap-front.md have the invariants and the proofs. */
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

/* What a heap is to be. A zero field means its default. */
typedef struct clade_heap_params {
    uint64_t capacity; /* keys it can hold; required, 1 .. what fits the device's largest buffer */
    uint32_t key;      /* CLADE_I32 (default), _U32, _F32, _I64, _U64 or _F64 */
    uint32_t value;    /* CLADE_NONE (default), or any type: each key carries a value of it */
    uint32_t order;    /* CLADE_MIN (default): smallest first, or CLADE_MAX: greatest first */
    uint32_t batch;    /* K: the most keys of one operation in a kernel, and the keys of a node.
                        * 4 .. the device's limit, which the error names; default: what suits */
    uint32_t engine;   /* CLADE_HEAP_TOP_DOWN, CLADE_HEAP_BOTTOM_UP, CLADE_HEAP_FRONT, or
                        * CLADE_HEAP_AUTO (default): on a GPU the front engine when it can
                        * serve and the capacity is 2^22 keys or more; else top-down, which
                        * compiles several times as fast. From 2^15 keys on the front engine is the
                        * faster one: ask for it if you move many keys. On CPUs it is top-down.
                        * clade_heap_params_of() tells which one it is */
    uint32_t atomic_inserts; /* not 0: each batch that a kernel inserts is one atomic operation.
                              * The front engine cannot do that, so it is then not chosen. Default:
                              * with the front engine each key of a batch is an operation */
    uint32_t group_size; /* work-items in a group of the host calls' kernels; default: what suits */
    uint32_t groups; /* work-groups of the host calls' kernels; default: what suits. If it is given,
                      * they also do the calls over many keys. Else those are done in a faster
                      * way */
    uint32_t heaps;  /* the object holds so many heaps side by side, each of `capacity` keys, so
                      * that a kernel can give each work-group its own. P_at_wi() in kernels and
                      * clade_heap_part() on the host name one. Default 1; front engine: only 1 */
    uint64_t reserved[8]; /* zero: see clade/error.h */
} clade_heap_params;

/* Counts since the heap was created or cleared. A saved file keeps them, and clade_heap_load() goes
 * on from there. Of an object with many heaps they are sums. */
typedef struct clade_heap_stats {
    uint64_t size;         /* keys inside */
    uint64_t capacity;     /* keys it can hold */
    uint64_t inserts;      /* batches inserted */
    uint64_t pops;         /* batches popped, short ones too */
    uint64_t refused;      /* batches refused: full, NaN, or a wait gave up */
    uint64_t lock_retries; /* failed tries to take a lock */
    uint64_t cooperations; /* pops that took keys over from an insert on its way down */
    uint64_t bytes;        /* of device memory */
    uint64_t reserved[8];  /* zero: see clade/error.h */
} clade_heap_stats;

/* The functions' contracts follow the common rules: clade/error.h, clade/array.h. */

/**
 * Create an empty heap.
 *
 * @retval CLADE_OK          `*out` is the heap.
 * @retval CLADE_E_ARG       A parameter is out of range; the message names it and the limit.
 * @retval CLADE_E_UNSUPPORTED  The device lacks what the types need (double for CLADE_F64). Or the
 *                              driver cuts off loops as long as batches need by groups of so few
 *                              items (clade_caps.loop_limit; llvmpipe).
 * @retval CLADE_E_DEVICE, CLADE_E_BUILD, CLADE_E_NOMEM  As named.
 *
 * Owner:   the caller; clade_heap_destroy() frees it. It holds its context.
 * Threads: any.
 * Blocks:  yes. Kernels of host calls are built when a call first needs them: the first insert, pop
 *          and peek take longer. Where `group_size` is given they are built here, and where there
 *          are many heaps.
 */
CLADE_API CLADE_CHECKED clade_status clade_heap_create(clade_heap **out, clade_context *context,
                                                       const clade_heap_params *params);

/**
 * Free a heap and set the handle to NULL. NULL and a pointer to NULL are fine.
 *
 * Owner:   takes the heap.
 * Threads: one, when no other uses the heap.
 * Blocks:  until the context's queue is empty.
 */
CLADE_API void clade_heap_destroy(clade_heap **heap);

/**
 * Make a handle of one heap of an object that holds many (clade_heap_params.heaps).
 *
 * The handle is a heap of its own: every call takes it, and kernels take its clade_heap_mem(). When
 * an object holds more than one heap, clade_heap_insert(), clade_heap_pop() and clade_heap_peek()
 * take only such a part. The other calls also take the object, for all of its heaps.
 *
 * @param out    Receives the part; NULL on failure.
 * @param heap   The object.
 * @param index  Which heap: 0 .. heaps - 1.
 *
 * @retval CLADE_OK     `*out` is heap `index` of `heap`, with what is in it.
 * @retval CLADE_E_ARG  There is no such heap, or `heap` is a part itself.
 * @retval CLADE_E_DEVICE, CLADE_E_BUILD, CLADE_E_NOMEM  As named.
 *
 * Owner:   the caller; clade_heap_destroy() frees the part. The part holds `heap`, which owns the
 *          keys.
 * Threads: one at a time for a heap and all its parts.
 * Blocks:  while kernels are built, which all parts share.
 */
CLADE_API CLADE_CHECKED clade_status clade_heap_part(clade_heap **out, clade_heap *heap,
                                                     uint32_t index);

/**
 * Insert `count` keys: all or none, except in the two cases at CLADE_E_FULL and CLADE_E_BUSY.
 *
 * Kernels on other queues must not work on the heap meanwhile. An empty heap of the front engine
 * takes many keys in one step. That step uses device memory of the size of the call's arrays. On
 * CPUs the other engines sort many keys first, and use memory of twice that size. Without so much
 * memory the call is slower.
 *
 * @param heap    Where to.
 * @param keys    `count` elements of the heap's key type; only read.
 * @param values  `count` elements of its value type; no array when it has none.
 * @param count   How many.
 * @param launch  Queue and events (clade/array.h); may be NULL.
 *
 * @retval CLADE_OK      With host arrays: all are in. With device arrays alone: enqueued. The next
 *                       call that blocks, such as clade_heap_size(), then tells of a refusal, and
 *                       clade_heap_stats.refused counts it.
 * @retval CLADE_E_FULL  There is no room for all of them, and nothing was inserted. One exception:
 *                       the front engine's memory may end before its capacity, when few keys lie in
 *                       each of very many ranges. Then some are in; clade_heap_size() says how
 *                       many.
 * @retval CLADE_E_ARG   A NaN is among the keys: the message names its place, and nothing was
 *                       inserted. Or another argument is wrong.
 * @retval CLADE_E_BUSY  Bounded waits gave up again and again, or the heap needs
 *                       clade_heap_repair(). Batches that did get in stay.
 * @retval CLADE_E_DEVICE, CLADE_E_BUILD, CLADE_E_NOMEM  As named.
 *
 * Owner:   arrays stay the caller's; device arrays are borrowed until the work is done.
 * Threads: one at a time per heap.
 * Blocks:  with host arrays; the first call, while kernels are built.
 */
CLADE_API CLADE_CHECKED clade_status clade_heap_insert(clade_heap *heap, clade_array keys,
                                                       clade_array values, uint64_t count,
                                                       const clade_launch *launch);

/**
 * Pop the `count` first keys in the heap's order, or all of them when there are fewer.
 *
 * Kernels on other queues must not work on the heap meanwhile. The front engine takes many keys out
 * in one step. On CPUs the other engines sort for many keys, and use memory of up to twice the size
 * of all keys and values that the heap may have; without so much memory the call is slower.
 *
 * @param heap    Where from.
 * @param keys    Room for `count` elements of the key type; receives the keys, first one first.
 * @param values  Room for `count` elements of the value type; no array when the heap has none.
 * @param count   How many are wanted.
 * @param got     Receives one uint64_t, in host or device memory: how many were popped.
 * @param launch  Queue and events (clade/array.h); may be NULL.
 *
 * @retval CLADE_OK      Done with an array in host memory, else enqueued. It is no failure when
 *                       fewer keys were there, or none.
 * @retval CLADE_E_BUSY  Bounded waits gave up; `*got` keys were popped.
 * @retval CLADE_E_ARG, CLADE_E_DEVICE, CLADE_E_BUILD, CLADE_E_NOMEM  As named.
 *
 * Owner:   as clade_heap_insert().
 * Threads: one at a time per heap.
 * Blocks:  when an array lies in host memory; the first call, while kernels are built.
 */
CLADE_API CLADE_CHECKED clade_status clade_heap_pop(clade_heap *heap, clade_array keys,
                                                    clade_array values, uint64_t count,
                                                    clade_array got, const clade_launch *launch);

/* The following functions wait for the context's own queue, and then look at the heap. Work on
 * other queues must be done before. A call that did not block may have met a refusal, or a wait
 * that gave up: the next of these functions tells so once, in place of its own result. */

/**
 * Count the keys inside.
 *
 * @param heap  Which one.
 * @param size  Receives the count, on CLADE_OK.
 *
 * @retval CLADE_OK  `*size` is exact.
 * @retval CLADE_E_FULL, CLADE_E_BUSY  An earlier call that did not block has failed with it.
 * @retval CLADE_E_ARG  An argument is wrong, or was in an earlier call that did not block.
 * @retval CLADE_E_DEVICE  As named.
 *
 * Owner:   nothing changes hands.
 * Threads: one at a time per heap.
 * Blocks:  yes.
 */
CLADE_API CLADE_CHECKED clade_status clade_heap_size(clade_heap *heap, uint64_t *size);

/**
 * Look at the first key in the heap's order without taking it.
 *
 * @param heap   Which one.
 * @param key    Receives one element of the key type.
 * @param value  Receives one element of the value type; may be NULL. Unused when the heap has no
 *               values.
 *
 * @retval CLADE_OK           `*key` is the first key.
 * @retval CLADE_E_NOT_FOUND  The heap is empty.
 * @retval CLADE_E_BUILD      As named.
 * @retval CLADE_E_ARG, CLADE_E_DEVICE, CLADE_E_FULL, CLADE_E_BUSY  As clade_heap_size().
 *
 * Owner:   nothing changes hands.
 * Threads: one at a time per heap.
 * Blocks:  yes.
 */
CLADE_API CLADE_CHECKED clade_status clade_heap_peek(clade_heap *heap, void *key, void *value);

/**
 * Empty the heap, set its statistics to zero, and forget errors of earlier calls.
 *
 * @param heap    Which one.
 * @param launch  Queue and events; NULL: the call blocks.
 *
 * @retval CLADE_OK  Empty; with a launch: enqueued.
 * @retval CLADE_E_ARG, CLADE_E_DEVICE, CLADE_E_NOMEM  As named. With the front engine, a clear that
 *                   failed for the device or for memory may be half done: the next call on the heap
 *                   completes it first. Kernels of your own must not use the heap before.
 *
 * Owner:   nothing changes hands.
 * Threads: one at a time per heap.
 * Blocks:  without a launch.
 */
CLADE_API CLADE_CHECKED clade_status clade_heap_clear(clade_heap *heap, const clade_launch *launch);

/**
 * Verify every invariant of docs/inside/heap.md on a copy of the heap in host memory.
 *
 * @retval CLADE_OK         All hold.
 * @retval CLADE_E_CORRUPT  One does not; the message says which and where.
 * @retval CLADE_E_BUSY     The heap needs clade_heap_repair().
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
 * It is needed only when a wait gave up in the middle of an operation, because some work-group did
 * not get to run for very long. No key is lost then, but the order is. So every operation returns
 * CLADE_E_BUSY until this call. On a sound heap the call does nothing. When it repairs something,
 * it also forgets errors of earlier calls.
 *
 * @retval CLADE_OK  The heap is sound and holds what it held.
 * @retval CLADE_E_CORRUPT  The heap was written over, and nothing was done.
 * @retval CLADE_E_ARG, CLADE_E_DEVICE, CLADE_E_NOMEM  As named.
 *
 * Owner:   nothing changes hands.
 * Threads: one at a time per heap.
 * Blocks:  yes.
 */
CLADE_API CLADE_CHECKED clade_status clade_heap_repair(clade_heap *heap);

/**
 * Read the statistics.
 *
 * @param heap   Which one.
 * @param stats  Receives them.
 *
 * @retval CLADE_OK  `*stats` is filled. An error of an earlier call is left for other calls to
 *                   tell.
 * @retval CLADE_E_ARG, CLADE_E_DEVICE  As named.
 *
 * Owner:   nothing changes hands.
 * Threads: one at a time per heap.
 * Blocks:  yes.
 */
CLADE_API CLADE_CHECKED clade_status clade_heap_stats_read(clade_heap *heap,
                                                           clade_heap_stats *stats);

/**
 * Write the heap to a file: its keys, values and parameters, and a checksum. The file appears whole
 * or not at all.
 *
 * @retval CLADE_OK    Written.
 * @retval CLADE_E_IO  The file cannot be written.
 * @retval CLADE_E_BUSY  The heap needs clade_heap_repair().
 * @retval CLADE_E_CORRUPT  The heap was written over: clade_heap_check() says more.
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
 * @retval CLADE_E_ARG        The device cannot hold it; the message names the limit.
 * @retval CLADE_E_UNSUPPORTED  As clade_heap_create().
 * @retval CLADE_E_IO, CLADE_E_DEVICE, CLADE_E_BUILD, CLADE_E_NOMEM  As named.
 *
 * Owner:   the caller; clade_heap_destroy() frees it.
 * Threads: any.
 * Blocks:  yes.
 */
CLADE_API CLADE_CHECKED clade_status clade_heap_load(clade_heap **out, clade_context *context,
                                                     const char *path);

/**
 * The heap's buffer, an argument for kernels of your own: `__global clade_heap_head *`.
 *
 * @return Borrowed from the heap; NULL for NULL.
 *
 * Owner:   the heap.
 * Threads: any.
 * Blocks:  no.
 */
CLADE_API cl_mem clade_heap_mem(const clade_heap *heap);

/**
 * Compiler options that make a program's first `#include "clade/heap.clh"` match this heap, such as
 * "-DCLADE_HEAP_KEY_TYPE=1 ...". A program with heaps of several types defines the names itself.
 *
 * @return Borrowed from the heap; NULL for NULL.
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

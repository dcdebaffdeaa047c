/* SPDX-License-Identifier: Apache-2.0 */
/* Many d-ary heaps in one object. Every call works on all heaps at once.
 *
 * Arrays are ordered by heap. If a call does `each` operations on each heap, at most 2^31, then
 * those of heap h are the elements h * each .. h * each + each - 1. They take effect in this order.
 * What happens to one heap is independent of all others. NaN is the last key in the object's order,
 * and comes back as some NaN; -0 is smaller than +0.
 *
 * The algorithm is that of Liu and Vinter (2014). It keeps the path of a walk on the chip and
 * writes it back later, over what is called a bridge. docs/inside/adheap.md has the layout and
 * the invariants. */
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

/* What an object is to be. A zero field means its default. */
typedef struct clade_adheap_params {
    uint32_t heaps;    /* how many heaps; required, 1 or more */
    uint32_t capacity; /* keys that each heap can hold; required, 1 .. 2^30 */
    uint32_t arity;    /* children of a node: 8, 16, 32 or 64; default: 8 on CPUs, else 32 */
    uint32_t key;      /* CLADE_I32 (default), CLADE_U32, CLADE_F32, CLADE_I64, _U64 or _F64 */
    uint32_t order;    /* CLADE_MIN (default): smallest first, or CLADE_MAX: greatest first */
    uint32_t keep;     /* 1: each heap is a k-set. Its root is the last of its keys in `order`, and
                        * clade_adheap_feed() replaces that one by a key that comes before it */
    uint32_t values;   /* 1: each key carries a 32-bit value */
    uint32_t bridge;   /* CLADE_ADHEAP_BRIDGE_AUTO (default), _NONE, _REGISTERS, _LOCAL, _DUMP or
                        * _HOST. With _HOST a host thread writes paths back while the kernel runs;
                        * calls then block, and the device needs fine-grained SVM with atomics */
    uint32_t count;    /* 1: count transactions of memory for clade_adheap_stats; this is slower */
    uint32_t feed;     /* CLADE_ADHEAP_FEED_AUTO (default), _SIFT or _SELECT */
    uint32_t patience; /* how often a kernel polls while it waits for the host; default 2^30, which
                        * takes about 0.5 s */
    uint64_t reserved[8]; /* zero: see clade/error.h */
} clade_adheap_params;

/* How clade_adheap_feed() works. */
#define CLADE_ADHEAP_FEED_AUTO   0 /* the cheaper one for k-sets of 32-bit keys, else _SIFT */
#define CLADE_ADHEAP_FEED_SIFT   1 /* one key after the other */
#define CLADE_ADHEAP_FEED_SELECT 2 /* select among the heap's keys and the new ones, then heapify */

/* Counts. The last six are 0 unless clade_adheap_params.count is 1. */
typedef struct clade_adheap_stats {
    uint64_t heaps;     /* as created */
    uint64_t capacity;  /* keys that each heap can hold, as created */
    uint64_t size;      /* keys in all heaps */
    uint64_t bytes;     /* bytes of device memory */
    uint64_t walks;     /* walks from a node towards the leaves */
    uint64_t loads;     /* sets of children that walks looked at */
    uint64_t moves;     /* keys that walks moved up */
    uint64_t plain;     /* lines of 128 bytes that a plain d-heap would read and write */
    uint64_t bridged;   /* lines that one with a bridge reads and writes, up to its dump */
    uint64_t scattered; /* words that it then writes back, one by one */
    uint64_t reserved[8]; /* zero: see clade/error.h */
} clade_adheap_stats;

/**
 * Create an object of empty heaps.
 *
 * @retval CLADE_OK     `*out` is the object.
 * @retval CLADE_E_ARG  A parameter is out of range; the message names it and the limit.
 * @retval CLADE_E_UNSUPPORTED  CLADE_ADHEAP_FEED_SELECT is asked for with 64-bit keys. Or
 *                      CLADE_ADHEAP_BRIDGE_HOST is, and the device has no fine-grained SVM with
 *                      atomics.
 * @retval CLADE_E_DEVICE, CLADE_E_BUILD, CLADE_E_NOMEM  As named.
 *
 * Owner:   the caller; clade_adheap_destroy() frees it. It holds its context.
 * Threads: any.
 * Blocks:  while its kernels are built.
 */
CLADE_API CLADE_CHECKED clade_status clade_adheap_create(clade_adheap **out, clade_context *context,
                                                         const clade_adheap_params *params);

/**
 * Free an object and set the handle to NULL. NULL and a pointer to NULL are fine.
 *
 * Owner:   takes the object.
 * Threads: one, when no other uses it.
 * Blocks:  with CLADE_ADHEAP_BRIDGE_HOST until the context's queue is empty.
 */
CLADE_API void clade_adheap_destroy(clade_adheap **adheap);

/**
 * Insert `each` keys into each heap.
 *
 * @param adheap    The object.
 * @param keys      heaps * each keys; only read.
 * @param values    heaps * each uint32_t when the object has values, else no array.
 * @param each      Keys for each heap.
 * @param statuses  Receives heaps * each int32_t, or no array. CLADE_OK: the key is in.
 *                  CLADE_E_FULL: it is not, because its heap was full.
 * @param launch    Queue and events (clade/array.h); may be NULL.
 *
 * @retval CLADE_OK     Done with an array in host memory, else enqueued.
 * @retval CLADE_E_BUSY With CLADE_ADHEAP_BRIDGE_HOST: some heap needs clade_adheap_repair().
 * @retval CLADE_E_UNSUPPORTED  The driver cuts off loops that are as long as so many operations
 *                      need (clade_caps.loop_limit; llvmpipe).
 * @retval CLADE_E_ARG, CLADE_E_DEVICE, CLADE_E_NOMEM  As named; nothing was inserted.
 *
 * Owner:   arrays stay the caller's; device arrays are borrowed until the work is done.
 * Threads: one at a time per object.
 * Blocks:  with host arrays; with CLADE_ADHEAP_BRIDGE_HOST always.
 */
CLADE_API CLADE_CHECKED clade_status clade_adheap_insert(clade_adheap *adheap, clade_array keys,
                                                         clade_array values, uint32_t each,
                                                         clade_array statuses,
                                                         const clade_launch *launch);

/**
 * Pop the root of each heap, `each` times.
 *
 * @param keys      Room for heaps * each keys. A key is unspecified where its heap was empty.
 * @param values    Room for heaps * each uint32_t when the object has values, else no array.
 * @param each      Pops from each heap.
 * @param statuses  Receives heaps * each int32_t, or no array: CLADE_OK, or CLADE_E_NOT_FOUND where
 *                  the heap was empty.
 *
 * Others, returns, owner, threads, blocks: as clade_adheap_insert().
 */
CLADE_API CLADE_CHECKED clade_status clade_adheap_pop(clade_adheap *adheap, clade_array keys,
                                                      clade_array values, uint32_t each,
                                                      clade_array statuses,
                                                      const clade_launch *launch);

/**
 * Read the root of each heap. The arrays are those of clade_adheap_pop() with `each` = 1.
 *
 * Others, returns, owner, threads, blocks: as clade_adheap_insert().
 */
CLADE_API CLADE_CHECKED clade_status clade_adheap_peek(clade_adheap *adheap, clade_array keys,
                                                       clade_array values, clade_array statuses,
                                                       const clade_launch *launch);

/**
 * Give nodes other keys: `each` nodes of each heap, one after the other. An update may move keys to
 * other nodes.
 *
 * @param nodes     heaps * each uint32_t: which node. The root is 0, and the children of node i
 *                  begin at arity * i + 1.
 * @param keys      heaps * each keys; only read.
 * @param statuses  Receives heaps * each int32_t, or no array: CLADE_OK, or CLADE_E_NOT_FOUND where
 *                  there was no such node.
 *
 * Others, returns, owner, threads, blocks: as clade_adheap_insert().
 */
CLADE_API CLADE_CHECKED clade_status clade_adheap_update(clade_adheap *adheap, clade_array nodes,
                                                         clade_array keys, clade_array values,
                                                         uint32_t each, clade_array statuses,
                                                         const clade_launch *launch);

/**
 * Replace the content of each heap by `each` keys, 0 .. capacity.
 *
 * Arguments, returns, owner, threads, blocks: as clade_adheap_insert().
 */
CLADE_API CLADE_CHECKED clade_status clade_adheap_build(clade_adheap *adheap, clade_array keys,
                                                        clade_array values, uint32_t each,
                                                        const clade_launch *launch);

/**
 * Offer `each` keys to each heap. While a heap has room, a key is inserted. After that, a key that
 * comes after the root in the heap's own order takes the root's place. So a k-set (`keep`) holds
 * the first `capacity` keys, in the object's order, of all that it was offered.
 *
 * @param values       As clade_adheap_insert(). Or no array: the value of the i-th key of a heap,
 *                     from 0, is then i + first_value.
 * @param first_value  Used when there is no array of values.
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
 * Merge a sorted batch into each heap: `each` keys in the object's order, the first one first.
 *
 * Keys are inserted while there is room, and the others have the status CLADE_E_FULL. A k-set
 * (`keep`) has no statuses: when it is full, it takes the keys that come before its root, as
 * clade_adheap_feed() does. If a batch is not in order, a k-set may miss keys; nothing else goes
 * wrong.
 *
 * @retval CLADE_E_ARG  Statuses are given for k-sets, or another argument is wrong.
 *
 * Others, returns, owner, threads, blocks: as clade_adheap_insert(); for k-sets as
 * clade_adheap_feed().
 */
CLADE_API CLADE_CHECKED clade_status clade_adheap_merge(clade_adheap *adheap, clade_array keys,
                                                        clade_array values, uint32_t each,
                                                        clade_array statuses,
                                                        const clade_launch *launch);

/**
 * Count the keys in each heap.
 *
 * @param sizes  Receives one uint32_t for each heap.
 *
 * Returns, owner, threads, blocks: as clade_adheap_insert().
 */
CLADE_API CLADE_CHECKED clade_status clade_adheap_sizes(clade_adheap *adheap, clade_array sizes,
                                                        const clade_launch *launch);

/**
 * Empty all heaps and set the statistics to zero.
 *
 * Returns, owner, threads: as clade_adheap_insert(). Blocks: with CLADE_ADHEAP_BRIDGE_HOST.
 */
CLADE_API CLADE_CHECKED clade_status clade_adheap_clear(clade_adheap *adheap,
                                                        const clade_launch *launch);

/* --- with CLADE_ADHEAP_BRIDGE_HOST ------------------------------------------------------------ */

/**
 * Repair heaps after a host stopped in the middle of a call: write what it left unwritten, from
 * each heap's log. Until then operations refuse such a heap and return CLADE_E_BUSY.
 *
 * @param adheap    The object.
 * @param replayed  Receives how many heaps had a log; may be NULL.
 *
 * @retval CLADE_OK     Every heap can be used again.
 * @retval CLADE_E_ARG, CLADE_E_DEVICE, CLADE_E_NOMEM  As named.
 *
 * Owner:   nothing changes hands.
 * Threads: one at a time per object.
 * Blocks:  yes.
 */
CLADE_API CLADE_CHECKED clade_status clade_adheap_repair(clade_adheap *adheap, uint32_t *replayed);

/* A call to a resident kernel: one that stays and waits for calls. */
typedef struct clade_adheap_call {
    uint32_t what;  /* CLADE_ADHEAP_CALL_... of clade/shared/adheap.h */
    uint32_t heap;  /* which heap */
    uint32_t node;  /* which node; for an update */
    uint32_t value; /* the key's value, when the object has values; a pop and a peek fill it in */
    uint64_t key;   /* the key, in the low half when it has 32 bits; a pop and a peek fill it in */
    uint64_t reserved[5]; /* zero: see clade/error.h */
} clade_adheap_call;

/**
 * Start the resident kernel: it stays and waits for calls. It ends when it has waited for a call as
 * long as clade_adheap_params.patience says. The next call starts it again.
 *
 * Until clade_adheap_resident_stop() the object takes no other operation. The kernel is in the
 * context's own queue. What calls of other objects enqueue there waits until it has ended. After a
 * start that failed no kernel stays.
 *
 * @retval CLADE_OK             It runs, or will run as soon as the queue lets it.
 * @retval CLADE_E_ARG          The object has no CLADE_ADHEAP_BRIDGE_HOST, or the kernel was
 *                              started before.
 * @retval CLADE_E_DEVICE, CLADE_E_BUILD, CLADE_E_NOMEM  As named.
 *
 * Owner:   the object.
 * Threads: one at a time per object.
 * Blocks:  while the kernel is built.
 */
CLADE_API CLADE_CHECKED clade_status clade_adheap_resident_start(clade_adheap *adheap);

/**
 * Call the resident kernel to do one operation. The kernel walks, and the host then writes the
 * path.
 *
 * @param adheap  The object.
 * @param call    What to do; receives the result.
 *
 * @retval CLADE_OK           Done.
 * @retval CLADE_E_FULL, CLADE_E_NOT_FOUND  The status of the operation; nothing changed.
 * @retval CLADE_E_BUSY       The kernel did not answer in ten seconds, or the heap needs
 *                            clade_adheap_repair().
 * @retval CLADE_E_ARG, CLADE_E_DEVICE      As named.
 *
 * Owner:   nothing changes hands.
 * Threads: one at a time per object.
 * Blocks:  yes.
 */
CLADE_API CLADE_CHECKED clade_status clade_adheap_resident_call(clade_adheap *adheap,
                                                                clade_adheap_call *call);

/**
 * End the resident kernel, and wait until it has ended.
 *
 * @retval CLADE_OK                     It has ended.
 * @retval CLADE_E_ARG, CLADE_E_DEVICE  As named. Where the kernel itself failed, it has ended, too.
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
 * @retval CLADE_E_CORRUPT  The message names the heap, the node and what is wrong.
 * @retval CLADE_E_ARG, CLADE_E_DEVICE, CLADE_E_NOMEM  As named.
 *
 * Owner:   nothing changes hands.
 * Threads: one at a time per object.
 * Blocks:  yes.
 */
CLADE_API CLADE_CHECKED clade_status clade_adheap_check(clade_adheap *adheap);

/** Read the statistics. Returns, owner, threads, blocks: as clade_adheap_check(). */
CLADE_API CLADE_CHECKED clade_status clade_adheap_stats_read(clade_adheap *adheap,
                                                             clade_adheap_stats *stats);

/**
 * Write the object to a file. clade_adheap_load() makes an object from it.
 *
 * @retval CLADE_OK         Done.
 * @retval CLADE_E_NOT_FOUND  Load: there is no such file.
 * @retval CLADE_E_IO       The file cannot be written or read.
 * @retval CLADE_E_CORRUPT  The file is no saved ad-heap, is damaged, or breaks an invariant.
 * @retval CLADE_E_BUSY     Save: some heap needs clade_adheap_repair(). No file is written.
 * @retval CLADE_E_UNSUPPORTED  As clade_adheap_create().
 * @retval CLADE_E_ARG, CLADE_E_DEVICE, CLADE_E_BUILD, CLADE_E_NOMEM  As named.
 *
 * Owner:   load: the caller; clade_adheap_destroy() frees the object.
 * Threads: one at a time per object.
 * Blocks:  yes.
 */
CLADE_API CLADE_CHECKED clade_status clade_adheap_save(clade_adheap *adheap, const char *path);
/** Make one from a file that clade_adheap_save() wrote: see there. */
CLADE_API CLADE_CHECKED clade_status clade_adheap_load(clade_adheap **out, clade_context *context,
                                                       const char *path);

/**
 * The object's buffer, an argument for kernels of your own: `__global clade_adheap_head *`.
 *
 * @return Borrowed from the object; NULL for NULL.
 *
 * Owner:   the object.
 * Threads: any.
 * Blocks:  no.
 */
CLADE_API cl_mem clade_adheap_mem(const clade_adheap *adheap);

/**
 * Compiler options that make a program's `#include "clade/adheap.clh"` match this object, such as
 * "-DCLADE_ADHEAP_ARITY=8 ...". One program serves objects of one shape alone.
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

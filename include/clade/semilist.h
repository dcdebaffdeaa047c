/* SPDX-License-Identifier: Apache-2.0 */
/* A semi-linked list: nodes of an allocator, appended at the end, erased anywhere, in kernels and
 * from the host. docs/inside/semilist.md has its invariants and proofs.
 *
 * After Mulder (2015). Kernels take two arguments, `__global clade_semilist_head *list`
 * (clade_semilist_mem()) and `__global clade_kma_head *kma` (of clade_semilist_kma()), and call
 * clade_semilist_append_wi() and its kin from `clade/semilist.clh`. */
#pragma once

#include <stdint.h>

#include "clade/array.h"
#include "clade/context.h"
#include "clade/kma.h"
#include "clade/shared/semilist.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A list: opaque. */
typedef struct clade_semilist clade_semilist;

/* Zero fields are defaults. */
typedef struct clade_semilist_params {
    uint64_t capacity;   /* nodes in the list and nodes erased since the last reclaim; required,
                          * 1 .. CLADE_SEMILIST_CAPACITY_MAX */
    clade_kma *kma;      /* where nodes come from: borrowed, and held by the list; of
                          * 32 GiB at most. Default: an allocator of the list's own, of a size for
                          * `capacity` nodes */
    uint32_t group_size; /* work-items a group of the host API's kernels; default: what suits */
    uint64_t reserved[4]; /* zero: see clade/error.h */
} clade_semilist_params;

/* Counts. */
typedef struct clade_semilist_stats {
    uint64_t live;     /* nodes in the list */
    uint64_t erased;   /* nodes whose memory comes back at the next reclaim */
    uint64_t capacity; /* places */
    uint64_t bytes;    /* of device memory, without the nodes */
    uint64_t reserved[4]; /* zero: see clade/error.h */
} clade_semilist_stats;

/* The functions' contracts follow the common rules: clade/error.h, clade/array.h. */

/**
 * Create an empty list.
 *
 * @retval CLADE_OK     `*out` is the list.
 * @retval CLADE_E_ARG  A parameter is out of range; the message names it and the limit.
 * @retval CLADE_E_UNSUPPORTED  The driver leaves loops as long as a walk.
 * @retval CLADE_E_DEVICE, CLADE_E_BUILD, CLADE_E_NOMEM  As named.
 *
 * Owner:   the caller; clade_semilist_destroy() frees it. It holds its context and a borrowed
 *          allocator.
 * Threads: any.
 * Blocks:  while its kernels are built.
 */
CLADE_API CLADE_CHECKED clade_status clade_semilist_create(clade_semilist **out,
                                                           clade_context *context,
                                                           const clade_semilist_params *params);

/** Free a list and its own allocator. Nodes in a borrowed allocator stay taken: clear it first.
 * NULL and pointers to NULL are fine; sets NULL.
 *
 * Owner:   takes the list.
 * Threads: one, when no other uses the list.
 * Blocks:  until the context's queue is empty.
 */
CLADE_API void clade_semilist_destroy(clade_semilist **list);

/**
 * Append `count` nodes at the end, in the array's order: all, or none.
 *
 * @param keys    `count` uint32_t.
 * @param values  `count` uint32_t, or no array: zeros.
 * @param nodes   Receives `count` uint32_t refs, or no array. 0 when nothing was appended.
 *
 * @retval CLADE_OK      Done (some array in host memory) or enqueued.
 * @retval CLADE_E_FULL  There are not so many places or blocks. With device arrays alone the next
 *                       call that blocks tells.
 * @retval CLADE_E_ARG, CLADE_E_DEVICE, CLADE_E_NOMEM  As named; nothing was done.
 *
 * Owner:   arrays stay the caller's; device arrays are borrowed until the work is done.
 * Threads: one at a time per list, and none that uses the same allocator.
 * Blocks:  with host arrays; for a moment when places may have run out.
 */
CLADE_API CLADE_CHECKED clade_status clade_semilist_append(clade_semilist *list, clade_array keys,
                                                           clade_array values, clade_array nodes,
                                                           uint64_t count,
                                                           const clade_launch *launch);

/**
 * Do `count` operations, all at once, in no order of their own: the outcome is one that some order
 * explains.
 *
 * @param ops       `count` uint32_t: CLADE_SEMILIST_APPEND, _FIND, _ERASE, _ERASE_AT.
 * @param keys      `count` uint32_t; ERASE_AT does not read it.
 * @param values    `count` uint32_t, or no array. APPEND reads, FIND and ERASE write (0 when there
 * is none).
 * @param nodes     `count` uint32_t refs, or no array. ERASE_AT reads; the others write the node (0
 *                  when there is none).
 * @param statuses  Receives `count` int32_t, or no array: CLADE_OK, CLADE_E_NOT_FOUND,
 *                  CLADE_E_FULL (APPEND: no block, or no place until the next reclaim),
 *                  CLADE_E_BUSY (a bounded loop was cut short), CLADE_E_ARG (no such operation).
 *                  What failed had no effect.
 *
 * Memory of nodes that this call erases can be had again in the next call
 * (docs/structures/semilist.md).
 *
 * @retval CLADE_OK      Done (some array in host memory) or enqueued. Each item has its status.
 * @retval CLADE_E_FULL, CLADE_E_BUSY  Without statuses: the first refusal; others took effect. With
 *                       device arrays alone the next call that blocks tells.
 * @retval CLADE_E_ARG, CLADE_E_DEVICE, CLADE_E_NOMEM  As named; nothing was done.
 *
 * Owner, threads, blocks: as clade_semilist_append().
 */
CLADE_API CLADE_CHECKED clade_status clade_semilist_apply(clade_semilist *list, clade_array ops,
                                                          clade_array keys, clade_array values,
                                                          clade_array nodes, uint64_t count,
                                                          clade_array statuses,
                                                          const clade_launch *launch);

/**
 * The same operation `count` times. find: the first node with the key, in list order; erase: the
 * same, and take it out; erase_at: the node itself.
 *
 * @retval CLADE_OK and the rest: as clade_semilist_apply().
 *
 * Owner, threads, blocks: as clade_semilist_append().
 */
CLADE_API CLADE_CHECKED clade_status clade_semilist_find(clade_semilist *list, clade_array keys,
                                                         clade_array values, clade_array nodes,
                                                         uint64_t count, clade_array statuses,
                                                         const clade_launch *launch);
/** See clade_semilist_find(). */
CLADE_API CLADE_CHECKED clade_status clade_semilist_erase(clade_semilist *list, clade_array keys,
                                                          clade_array values, clade_array nodes,
                                                          uint64_t count, clade_array statuses,
                                                          const clade_launch *launch);
/** See clade_semilist_find(). */
CLADE_API CLADE_CHECKED clade_status clade_semilist_erase_at(clade_semilist *list,
                                                             clade_array nodes, uint64_t count,
                                                             clade_array statuses,
                                                             const clade_launch *launch);

/**
 * Give erased nodes back to the allocator and link the live ones to each other. Refs of live nodes
 * stay valid. Calls above do it by themselves when it pays; call it between launches of kernels of
 * your own that erase.
 *
 * @retval CLADE_OK  Enqueued.
 * @retval CLADE_E_ARG, CLADE_E_DEVICE  As named.
 *
 * Owner:   refs of erased nodes become invalid.
 * Threads: one at a time per list, and none that uses the same allocator.
 * Blocks:  no.
 */
CLADE_API CLADE_CHECKED clade_status clade_semilist_reclaim(clade_semilist *list,
                                                            const clade_launch *launch);

/**
 * Erase every node and reclaim.
 *
 * @retval CLADE_OK  Enqueued.
 * @retval CLADE_E_ARG, CLADE_E_DEVICE  As named.
 *
 * Owner:   all refs become invalid.
 * Threads: as clade_semilist_reclaim().
 * Blocks:  no.
 */
CLADE_API CLADE_CHECKED clade_status clade_semilist_clear(clade_semilist *list,
                                                          const clade_launch *launch);

/**
 * How many nodes are in the list.
 *
 * @param size  Receives the count, on CLADE_OK.
 *
 * @retval CLADE_OK      Known.
 * @retval CLADE_E_FULL, CLADE_E_BUSY  An earlier call with device arrays and without statuses was
 *                       refused something. Told once.
 * @retval CLADE_E_ARG, CLADE_E_DEVICE  As named.
 *
 * Owner:   nothing changes hands.
 * Threads: one at a time per list.
 * Blocks:  yes.
 */
CLADE_API CLADE_CHECKED clade_status clade_semilist_size(clade_semilist *list, uint64_t *size);

/**
 * Read the live nodes in list order, to host memory.
 *
 * @param keys    Room for `room` uint32_t, or NULL; likewise `values` and `nodes` (refs).
 * @param got     Receives how many there are; no more than `room` are written.
 *
 * @retval CLADE_OK  Read.
 * @retval CLADE_E_ARG, CLADE_E_DEVICE, CLADE_E_NOMEM  As named.
 *
 * Owner:   the arrays stay the caller's.
 * Threads: one at a time per list.
 * Blocks:  yes.
 */
CLADE_API CLADE_CHECKED clade_status clade_semilist_read(clade_semilist *list, uint32_t *keys,
                                                         uint32_t *values, uint32_t *nodes,
                                                         uint64_t room, uint64_t *got);

/**
 * Verify the invariants of docs/inside/semilist.md on a quiescent list; with an allocator of
 * its own also that its live blocks are exactly the list's nodes.
 *
 * @retval CLADE_OK         They hold.
 * @retval CLADE_E_CORRUPT  The message says what does not, and where.
 * @retval CLADE_E_ARG, CLADE_E_DEVICE, CLADE_E_NOMEM  As named.
 *
 * Owner:   nothing changes hands.
 * Threads: one at a time per list.
 * Blocks:  yes; reads the whole list.
 */
CLADE_API CLADE_CHECKED clade_status clade_semilist_check(clade_semilist *list);

/**
 * Counts of a quiescent list.
 *
 * @retval CLADE_OK, CLADE_E_ARG, CLADE_E_DEVICE  As named.
 *
 * Owner:   nothing changes hands.
 * Threads: one at a time per list.
 * Blocks:  yes.
 */
CLADE_API CLADE_CHECKED clade_status clade_semilist_stats_read(clade_semilist *list,
                                                               clade_semilist_stats *stats);

/**
 * Write the keys and values to a file, in list order; make a list with an allocator of its own from
 * it, on any device. Refs are not kept.
 *
 * @retval CLADE_OK         Done.
 * @retval CLADE_E_NOT_FOUND  Load: there is no such file.
 * @retval CLADE_E_CORRUPT  The file is damaged, or holds no such list.
 * @retval CLADE_E_IO, CLADE_E_ARG, CLADE_E_DEVICE, CLADE_E_BUILD, CLADE_E_NOMEM  As named.
 *
 * Owner:   load: the caller, as clade_semilist_create().
 * Threads: one at a time per list.
 * Blocks:  yes.
 */
CLADE_API CLADE_CHECKED clade_status clade_semilist_save(clade_semilist *list, const char *path);
/** Make one from a file that clade_semilist_save() wrote: see there. */
CLADE_API CLADE_CHECKED clade_status clade_semilist_load(clade_semilist **out,
                                                         clade_context *context, const char *path);

/**
 * Compiler options that programs with kernels on this list should be built with: those of its
 * allocator, clade_kma_options().
 *
 * @return Borrowed from the allocator; NULL for NULL.
 *
 * Owner:   the list.
 * Threads: any.
 * Blocks:  no.
 */
CLADE_API const char *clade_semilist_options(const clade_semilist *list);

/**
 * The list's buffer and its allocator, for kernels of your own.
 *
 * @return Borrowed from `list`.
 *
 * Owner:   the list.
 * Threads: any.
 * Blocks:  no.
 */
CLADE_API cl_mem clade_semilist_mem(const clade_semilist *list);
/** The allocator that it draws from: see clade_semilist_mem(). */
CLADE_API clade_kma *clade_semilist_kma(const clade_semilist *list);

#ifdef __cplusplus
}
#endif

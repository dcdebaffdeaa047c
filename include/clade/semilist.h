/* SPDX-License-Identifier: Apache-2.0 */
/* A semi-linked list: nodes are appended at the end and erased anywhere, in kernels and from the
 * host. Each node is a block of an allocator, and its ref names it.
 *
 * Kernels take two arguments: `__global clade_semilist_head *list` (clade_semilist_mem()) and
 * `__global clade_kma_head *kma` (clade_kma_mem() of clade_semilist_kma()). They call
 * clade_semilist_append_wi() and the like from `clade/semilist.clh`. The algorithm is Mulder's
 * (2015). docs/inside/semilist.md has the invariants and the proofs. */
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

/* What a list is to be. A zero field means its default. */
typedef struct clade_semilist_params {
    uint64_t capacity;   /* places: for the nodes in the list and for those erased since the last
                          * reclaim. Required, 1 .. CLADE_SEMILIST_CAPACITY_MAX */
    clade_kma *kma;      /* nodes are blocks of this allocator, which the list borrows and holds. It
                          * has 32 GiB at most. Default: an allocator of the list's own, with room
                          * for `capacity` nodes */
    uint32_t group_size; /* work-items in a group of the host calls' kernels; default: what suits */
    uint64_t reserved[4]; /* zero: see clade/error.h */
} clade_semilist_params;

/* What is in a list. */
typedef struct clade_semilist_stats {
    uint64_t live;     /* nodes in the list */
    uint64_t erased;   /* nodes whose memory comes back at the next reclaim */
    uint64_t capacity; /* places */
    uint64_t bytes;    /* bytes of device memory, without the nodes */
    uint64_t reserved[4]; /* zero: see clade/error.h */
} clade_semilist_stats;

/* The functions' contracts follow the common rules: clade/error.h, clade/array.h. */

/**
 * Create an empty list.
 *
 * @retval CLADE_OK     `*out` is the list.
 * @retval CLADE_E_ARG  A parameter is out of range; the message names it and the limit.
 * @retval CLADE_E_UNSUPPORTED  The driver cuts off loops as long as a walk
 *                              (clade_caps.loop_limit).
 * @retval CLADE_E_DEVICE, CLADE_E_BUILD, CLADE_E_NOMEM  As named.
 *
 * Owner:   the caller; clade_semilist_destroy() frees it. It holds its context and a borrowed
 *          allocator.
 * Threads: any.
 * Blocks:  until the list is written. Where `group_size` is given, the kernels of all calls are
 *          built here, else when a call first needs them.
 */
CLADE_API CLADE_CHECKED clade_status clade_semilist_create(clade_semilist **out,
                                                           clade_context *context,
                                                           const clade_semilist_params *params);

/**
 * Free a list, with the allocator if that is the list's own, and set the handle to NULL. Nodes in a
 * borrowed allocator stay allocated, so clear such a list first. NULL and a pointer to NULL are
 * fine.
 *
 * Owner:   takes the list.
 * Threads: one, when no other uses the list.
 * Blocks:  until the context's queue is empty.
 */
CLADE_API void clade_semilist_destroy(clade_semilist **list);

/**
 * Append `count` nodes at the end, in the array's order: all or none.
 *
 * @param list    Which one.
 * @param keys    `count` uint32_t.
 * @param values  `count` uint32_t; no array: zeros.
 * @param nodes   Receives `count` uint32_t, the refs of the nodes; or no array. The refs are 0 when
 *                nothing was appended.
 * @param count   How many.
 * @param launch  Queue and events (clade/array.h); may be NULL.
 *
 * @retval CLADE_OK      Done with an array in host memory, else enqueued.
 * @retval CLADE_E_FULL  There are fewer places or blocks than that. With device arrays alone the
 *                       next of these calls with host arrays tells so, and does nothing itself,
 *                       or clade_semilist_size().
 * @retval CLADE_E_ARG, CLADE_E_DEVICE, CLADE_E_NOMEM, CLADE_E_BUILD  As named; nothing was done.
 *
 * Owner:   arrays stay the caller's; device arrays are borrowed until the work is done.
 * Threads: one at a time per list, and none that uses the same allocator.
 * Blocks:  with host arrays; shortly when places may have run out.
 */
CLADE_API CLADE_CHECKED clade_status clade_semilist_append(clade_semilist *list, clade_array keys,
                                                           clade_array values, clade_array nodes,
                                                           uint64_t count,
                                                           const clade_launch *launch);

/**
 * Do `count` operations at once. They have no order of their own; the outcome is one that some
 * order of them explains.
 *
 * The next call can use the memory of the nodes that this call erases
 * (docs/structures/semilist.md).
 *
 * @param list      Which one.
 * @param ops       `count` uint32_t: CLADE_SEMILIST_APPEND, _FIND, _ERASE or _ERASE_AT.
 * @param keys      `count` uint32_t; ERASE_AT does not read its key.
 * @param values    `count` uint32_t, or no array. APPEND reads its value. FIND and ERASE write the
 *                  node's value, 0 when there is no node.
 * @param nodes     `count` uint32_t refs, or no array. ERASE_AT reads its ref. The others write the
 *                  node's ref, 0 when there is no node.
 * @param count     How many operations.
 * @param statuses  Receives `count` int32_t, or no array. CLADE_OK: done. CLADE_E_NOT_FOUND: there
 *                  is no such node. CLADE_E_FULL: there is no block for the node, or no place until
 *                  the next reclaim. CLADE_E_BUSY: a bounded loop came to its end. CLADE_E_ARG:
 *                  there is no such operation. An operation that failed had no effect.
 * @param launch    Queue and events (clade/array.h); may be NULL.
 *
 * @retval CLADE_OK      Done with an array in host memory, else enqueued. Each item has its status.
 * @retval CLADE_E_FULL, CLADE_E_BUSY  Without an array of statuses: the first refusal. The other
 *                       operations took effect. With device arrays alone clade_semilist_size()
 *                       tells, or the next of these calls with host arrays, with statuses or
 *                       without, which then does nothing itself. Likewise CLADE_E_ARG, when an
 *                       item asks for no such operation.
 * @retval CLADE_E_ARG, CLADE_E_DEVICE, CLADE_E_NOMEM, CLADE_E_BUILD  As named; nothing was done.
 *
 * Owner, threads, blocks: as clade_semilist_append().
 */
CLADE_API CLADE_CHECKED clade_status clade_semilist_apply(clade_semilist *list, clade_array ops,
                                                          clade_array keys, clade_array values,
                                                          clade_array nodes, uint64_t count,
                                                          clade_array statuses,
                                                          const clade_launch *launch);

/**
 * Look for the first node with each key, in list order.
 *
 * Arguments, returns: as clade_semilist_apply(). Owner, threads, blocks: as
 * clade_semilist_append().
 */
CLADE_API CLADE_CHECKED clade_status clade_semilist_find(clade_semilist *list, clade_array keys,
                                                         clade_array values, clade_array nodes,
                                                         uint64_t count, clade_array statuses,
                                                         const clade_launch *launch);
/** Erase the first node with each key: see clade_semilist_apply(). */
CLADE_API CLADE_CHECKED clade_status clade_semilist_erase(clade_semilist *list, clade_array keys,
                                                          clade_array values, clade_array nodes,
                                                          uint64_t count, clade_array statuses,
                                                          const clade_launch *launch);
/** Erase the nodes that the refs name: see clade_semilist_apply(). */
CLADE_API CLADE_CHECKED clade_status clade_semilist_erase_at(clade_semilist *list,
                                                             clade_array nodes, uint64_t count,
                                                             clade_array statuses,
                                                             const clade_launch *launch);

/**
 * Reclaim the memory of erased nodes: give it back to the allocator, and link the live nodes to
 * each other. Refs of live nodes stay valid. The calls above do this by themselves when it pays.
 * Call it between launches of kernels of your own that erase.
 *
 * @retval CLADE_OK  Enqueued.
 * @retval CLADE_E_ARG, CLADE_E_DEVICE, CLADE_E_NOMEM, CLADE_E_BUILD  As named; nothing was done.
 *
 * Owner:   refs of erased nodes become invalid.
 * Threads: one at a time per list, and none that uses the same allocator.
 * Blocks:  no; the first one while its kernels are built.
 */
CLADE_API CLADE_CHECKED clade_status clade_semilist_reclaim(clade_semilist *list,
                                                            const clade_launch *launch);

/**
 * Erase every node, and reclaim.
 *
 * @retval CLADE_OK  Enqueued.
 * @retval CLADE_E_ARG, CLADE_E_DEVICE, CLADE_E_NOMEM, CLADE_E_BUILD  As named; nothing was done.
 *
 * Owner:   all refs become invalid.
 * Threads: as clade_semilist_reclaim().
 * Blocks:  no; the first one while its kernels are built.
 */
CLADE_API CLADE_CHECKED clade_status clade_semilist_clear(clade_semilist *list,
                                                          const clade_launch *launch);

/**
 * Count the nodes in the list.
 *
 * @param list  Which one.
 * @param size  Receives the count, on CLADE_OK.
 *
 * @retval CLADE_OK      `*size` is exact.
 * @retval CLADE_E_FULL, CLADE_E_BUSY  An earlier call with device arrays and without statuses was
 *                       refused something. It is told once.
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
 * @param list    Which one.
 * @param keys    Room for `room` uint32_t, or NULL.
 * @param values  Room for `room` uint32_t, or NULL.
 * @param nodes   Room for `room` uint32_t, which are refs; or NULL.
 * @param room    How many nodes there is room for.
 * @param got     Receives how many nodes there are. No more than `room` are written.
 *
 * @retval CLADE_OK  Read.
 * @retval CLADE_E_ARG, CLADE_E_DEVICE, CLADE_E_NOMEM, CLADE_E_BUILD  As named.
 *
 * Owner:   the arrays stay the caller's.
 * Threads: one at a time per list.
 * Blocks:  yes.
 */
CLADE_API CLADE_CHECKED clade_status clade_semilist_read(clade_semilist *list, uint32_t *keys,
                                                         uint32_t *values, uint32_t *nodes,
                                                         uint64_t room, uint64_t *got);

/**
 * Verify the invariants of docs/inside/semilist.md in a list. No kernel may use the list
 * meanwhile. If the allocator is the list's own, the call also verifies that its live blocks are
 * exactly the list's nodes.
 *
 * @retval CLADE_OK         They hold.
 * @retval CLADE_E_CORRUPT  The message says what does not, and where.
 * @retval CLADE_E_ARG, CLADE_E_DEVICE, CLADE_E_NOMEM, CLADE_E_BUILD  As named.
 *
 * Owner:   nothing changes hands.
 * Threads: one at a time per list.
 * Blocks:  yes; reads the whole list.
 */
CLADE_API CLADE_CHECKED clade_status clade_semilist_check(clade_semilist *list);

/**
 * Read the statistics. No kernel may use the list meanwhile.
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
 * Write the keys and values to a file, in list order. clade_semilist_load() makes a list with an
 * allocator of its own from it, on any device. The nodes then have other refs.
 *
 * @retval CLADE_OK         Done.
 * @retval CLADE_E_NOT_FOUND  Load: there is no such file.
 * @retval CLADE_E_CORRUPT  Load: the file is damaged, or holds no such list. Save: the list's counts
 *                          and its nodes do not agree; nothing was written.
 * @retval CLADE_E_UNSUPPORTED  Load: as clade_semilist_create().
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
 * Compiler options for programs with kernels on this list: clade_kma_options() of its allocator.
 *
 * @return Borrowed from the allocator; NULL for NULL.
 *
 * Owner:   the list.
 * Threads: any.
 * Blocks:  no.
 */
CLADE_API const char *clade_semilist_options(const clade_semilist *list);

/**
 * The list's buffer, an argument for kernels of your own: `__global clade_semilist_head *`.
 *
 * @return Borrowed from `list`.
 *
 * Owner:   the list.
 * Threads: any.
 * Blocks:  no.
 */
CLADE_API cl_mem clade_semilist_mem(const clade_semilist *list);
/** The allocator that the list's nodes come from, for the second argument: see
 * clade_semilist_mem(). */
CLADE_API clade_kma *clade_semilist_kma(const clade_semilist *list);

#ifdef __cplusplus
}
#endif

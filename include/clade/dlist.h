/* SPDX-License-Identifier: Apache-2.0 */
/* A lock-free doubly linked list: a sequence of nodes, named by refs, that can be walked both ways.
 * docs/inside/dlist.md has its invariants and proofs.
 *
 * After Sundell and Tsigas (2008). All operations of one call, and of all kernels of the user that
 * run at once (cl/clade/dlist.clh), may meet. */
#pragma once

#include <stdint.h>

#include "clade/array.h"
#include "clade/context.h"
#include "clade/shared/dlist.h"
#include "clade/shared/types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A list: opaque. */
typedef struct clade_dlist clade_dlist;

/* Zero fields are defaults. */
typedef struct clade_dlist_params {
    uint64_t capacity; /* cells: nodes in the list and nodes erased since the last reclaim;
                        * required, 1 .. CLADE_DLIST_CAPACITY_MAX */
    uint32_t value;    /* type of the values in arrays of host calls: CLADE_U32 (default) or any
                        * other; a node has room for 64 bits */
    uint32_t group_size; /* work-items a group of the host API's kernels; default: what suits */
    uint64_t reserved[4]; /* zero: see clade/error.h */
} clade_dlist_params;

/* Counts. */
typedef struct clade_dlist_stats {
    uint64_t live;              /* nodes in the list */
    uint64_t capacity;          /* cells */
    uint64_t free;              /* cells that can be handed out before the next reclaim */
    uint64_t insert_collisions; /* failed compare-and-swaps of inserts since creation or clear */
    uint64_t erase_collisions;  /* and of erasures and walks */
    uint64_t bytes;             /* of device memory */
    uint64_t reserved[4];       /* zero: see clade/error.h */
} clade_dlist_stats;

/* The functions' contracts follow the common rules: clade/error.h, clade/array.h. */

/**
 * Create an empty list.
 *
 * @retval CLADE_OK     `*out` is the list.
 * @retval CLADE_E_ARG  A parameter is out of range; the message names it and the limit.
 * @retval CLADE_E_DEVICE, CLADE_E_BUILD, CLADE_E_NOMEM  As named.
 *
 * Owner:   the caller; clade_dlist_destroy() frees it. It holds its context.
 * Threads: any.
 * Blocks:  while its kernels are built.
 */
CLADE_API CLADE_CHECKED clade_status clade_dlist_create(clade_dlist **out, clade_context *context,
                                                        const clade_dlist_params *params);

/** Free a list. NULL and pointers to NULL are fine; sets NULL.
 *
 * Owner:   takes the list.
 * Threads: one, when no other uses the list.
 * Blocks:  until the context's queue is empty.
 */
CLADE_API void clade_dlist_destroy(clade_dlist **list);

/**
 * Do `count` operations, all at once, in no order of their own: the outcome is one that some order
 * explains (docs/inside/dlist.md).
 *
 * @param ops       `count` uint32_t: CLADE_DLIST_INSERT_AFTER and so on.
 * @param targets   `count` uint32_t: refs of nodes, or CLADE_NIL for the end: inserting after it is
 *                  inserting at the front, before it at the back; its next node is the first, its
 *                  previous the last.
 * @param values    `count` values of the value type; read by inserts, written by ERASE and GET
 *                  that succeed. May be left out: inserts put zeros.
 * @param nodes     Receives `count` uint32_t, or no array: the ref of the inserted node, or of the
 *                  neighbour (NEXT, PREV; CLADE_NIL at the end), else CLADE_NIL.
 * @param statuses  Receives `count` int32_t, or no array:
 *                  CLADE_OK, CLADE_E_NOT_FOUND (the target is not in the list; `nodes` of NEXT and
 *                  PREV is then one to go on from), CLADE_E_FULL (no free cell), CLADE_E_BUSY (a
 *                  bounded retry gave up), CLADE_E_ARG (no operation, no ref). What failed had no
 *                  effect.
 *
 * A ref names its node until the next reclaim behind the node's erasure. Calls reclaim a list
 * when free cells might run out.
 *
 * @retval CLADE_OK      Done (some array in host memory) or enqueued. Each item has its status.
 * @retval CLADE_E_FULL, CLADE_E_BUSY  Without statuses: the first refusal; others took effect. With
 *                       device arrays alone the next call that blocks tells.
 * @retval CLADE_E_ARG, CLADE_E_DEVICE, CLADE_E_NOMEM  As named; nothing was done.
 *
 * Owner:   arrays stay the caller's; device arrays are borrowed until the work is done.
 * Threads: one at a time per list.
 * Blocks:  with host arrays.
 */
CLADE_API CLADE_CHECKED clade_status clade_dlist_apply(clade_dlist *list, clade_array ops,
                                                       clade_array targets, clade_array values,
                                                       clade_array nodes, uint64_t count,
                                                       clade_array statuses,
                                                       const clade_launch *launch);

/**
 * The same operation `count` times, as clade_dlist_apply() has it.
 *
 * @retval CLADE_OK and the rest: as clade_dlist_apply().
 *
 * Owner, threads, blocks: as clade_dlist_apply().
 */
CLADE_API CLADE_CHECKED clade_status clade_dlist_insert_after(clade_dlist *list,
                                                              clade_array targets,
                                                              clade_array values, clade_array nodes,
                                                              uint64_t count, clade_array statuses,
                                                              const clade_launch *launch);
/** See clade_dlist_insert_after(). */
CLADE_API CLADE_CHECKED clade_status clade_dlist_insert_before(
    clade_dlist *list, clade_array targets, clade_array values, clade_array nodes, uint64_t count,
    clade_array statuses, const clade_launch *launch);
/** See clade_dlist_insert_after(). */
CLADE_API CLADE_CHECKED clade_status clade_dlist_erase(clade_dlist *list, clade_array targets,
                                                       clade_array values, uint64_t count,
                                                       clade_array statuses,
                                                       const clade_launch *launch);

/**
 * Put `count` values at the back, in the array's order. The chain is linked whole, so this is also
 * how a list is filled. Reclaims first.
 *
 * @param nodes     Receives `count` uint32_t, the refs, or no array.
 * @param statuses  As clade_dlist_apply(): CLADE_OK or CLADE_E_FULL each.
 *
 * @retval CLADE_OK and the rest: as clade_dlist_apply().
 *
 * Owner, threads, blocks: as clade_dlist_apply().
 */
CLADE_API CLADE_CHECKED clade_status clade_dlist_append(clade_dlist *list, clade_array values,
                                                        clade_array nodes, uint64_t count,
                                                        clade_array statuses,
                                                        const clade_launch *launch);

/**
 * Unlink all erased nodes, make their cells free, and every prev link exact. Calls above do it by
 * themselves when cells might run out; call it between launches of kernels of your own.
 *
 * @retval CLADE_OK  Enqueued.
 * @retval CLADE_E_ARG, CLADE_E_DEVICE  As named.
 *
 * Owner:   nothing changes hands.
 * Threads: one at a time per list.
 * Blocks:  no.
 */
CLADE_API CLADE_CHECKED clade_status clade_dlist_reclaim(clade_dlist *list,
                                                         const clade_launch *launch);

/**
 * Make it empty; statistics start afresh.
 *
 * @retval CLADE_OK  Enqueued.
 * @retval CLADE_E_ARG, CLADE_E_DEVICE  As named.
 *
 * Owner:   nothing changes hands.
 * Threads: one at a time per list.
 * Blocks:  no.
 */
CLADE_API CLADE_CHECKED clade_status clade_dlist_clear(clade_dlist *list,
                                                       const clade_launch *launch);

/**
 * How many nodes are in the list.
 *
 * @param size  Receives the count, on CLADE_OK.
 *
 * @retval CLADE_OK      Known.
 * @retval CLADE_E_FULL, CLADE_E_BUSY, CLADE_E_ARG, CLADE_E_DEVICE  As clade_dlist_stats_read().
 *
 * Owner:   nothing changes hands.
 * Threads: one at a time per list.
 * Blocks:  yes.
 */
CLADE_API CLADE_CHECKED clade_status clade_dlist_size(clade_dlist *list, uint64_t *size);

/**
 * Read the nodes to host memory, from the front on, or from the back on by the links that lead
 * back. The latter reclaims first.
 *
 * @param backward  0: from the front. Else from the back.
 * @param values    Room for `room` values of the value type, or NULL.
 * @param nodes     Room for `room` refs, or NULL.
 * @param got       Receives how many there are; no more than `room` are written.
 *
 * @retval CLADE_OK  Read.
 * @retval CLADE_E_CORRUPT  The links lead astray.
 * @retval CLADE_E_ARG, CLADE_E_DEVICE, CLADE_E_NOMEM  As named.
 *
 * Owner:   the arrays stay the caller's.
 * Threads: one at a time per list.
 * Blocks:  yes.
 */
CLADE_API CLADE_CHECKED clade_status clade_dlist_read(clade_dlist *list, int backward, void *values,
                                                      uint32_t *nodes, uint64_t room,
                                                      uint64_t *got);

/**
 * Verify the invariants of docs/inside/dlist.md on a quiescent list.
 *
 * @retval CLADE_OK         They hold.
 * @retval CLADE_E_CORRUPT  The message says what does not, and where.
 * @retval CLADE_E_ARG, CLADE_E_DEVICE, CLADE_E_NOMEM  As named.
 *
 * Owner:   nothing changes hands.
 * Threads: one at a time per list.
 * Blocks:  yes; reads the whole list.
 */
CLADE_API CLADE_CHECKED clade_status clade_dlist_check(clade_dlist *list);

/**
 * Counts: nodes now, collisions since creation or clade_dlist_clear().
 *
 * @retval CLADE_OK      Known.
 * @retval CLADE_E_FULL, CLADE_E_BUSY, CLADE_E_ARG  An earlier call with device arrays and without
 *                       statuses was refused something, or an argument is NULL. Told once.
 * @retval CLADE_E_DEVICE  As named.
 *
 * Owner:   nothing changes hands.
 * Threads: one at a time per list.
 * Blocks:  yes.
 */
CLADE_API CLADE_CHECKED clade_status clade_dlist_stats_read(clade_dlist *list,
                                                            clade_dlist_stats *stats);

/**
 * Write a list to a file; make one from it, on any device. Refs stay as they are. What a
 * file says is checked or made anew, whoever wrote it: a loaded list is sound, with nothing to
 * reclaim.
 *
 * @retval CLADE_OK         Done.
 * @retval CLADE_E_NOT_FOUND  Load: there is no such file.
 * @retval CLADE_E_CORRUPT  The file is damaged, or holds no such list.
 * @retval CLADE_E_IO, CLADE_E_ARG, CLADE_E_DEVICE, CLADE_E_BUILD, CLADE_E_NOMEM  As named.
 *
 * Owner:   load: the caller, as clade_dlist_create().
 * Threads: one at a time per list.
 * Blocks:  yes.
 */
CLADE_API CLADE_CHECKED clade_status clade_dlist_save(clade_dlist *list, const char *path);
/** Make one from a file that clade_dlist_save() wrote: see there. */
CLADE_API CLADE_CHECKED clade_status clade_dlist_load(clade_dlist **out, clade_context *context,
                                                      const char *path);

/**
 * The object's buffer, to pass to kernels of your own as `__global clade_dlist_head *`. Programs
 * need no options: all lists have one shape.
 *
 * @return Borrowed from `list`.
 *
 * Owner:   the list.
 * Threads: any.
 * Blocks:  no.
 */
CLADE_API cl_mem clade_dlist_mem(const clade_dlist *list);

#ifdef __cplusplus
}
#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* A lock-free doubly linked list: a sequence of nodes that can be walked both ways.
 *
 * A ref, a 32-bit number, names a node. All operations of one call, and of all kernels of yours
 * that run at once (clade/dlist.clh), may meet. The algorithm is that of Sundell and Tsigas (2008).
 * docs/inside/dlist.md has the invariants and the proofs. */
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

/* What a list is to be. A zero field means its default. */
typedef struct clade_dlist_params {
    uint64_t capacity; /* cells: places for the nodes in the list and for those erased since the
                        * last reclaim. Required, 1 .. CLADE_DLIST_CAPACITY_MAX */
    uint32_t value;    /* type of the values in arrays of host calls: CLADE_U32 (default) or any
                        * other. A node has room for 64 bits in any case */
    uint32_t group_size; /* work-items in a group of the host calls' kernels; default: what suits */
    uint64_t reserved[4]; /* zero: see clade/error.h */
} clade_dlist_params;

/* What is in a list, and what happened since it was created or cleared. */
typedef struct clade_dlist_stats {
    uint64_t live;              /* nodes in the list */
    uint64_t capacity;          /* cells */
    uint64_t free;              /* cells that can be handed out before the next reclaim */
    uint64_t insert_collisions; /* failed compare-and-swaps of inserts */
    uint64_t erase_collisions;  /* failed compare-and-swaps of erasures and walks */
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

/**
 * Free a list and set the handle to NULL. NULL and a pointer to NULL are fine.
 *
 * Owner:   takes the list.
 * Threads: one, when no other uses the list.
 * Blocks:  until the context's queue is empty.
 */
CLADE_API void clade_dlist_destroy(clade_dlist **list);

/**
 * Do `count` operations at once. They have no order of their own; the outcome is one that some
 * order of them explains (docs/inside/dlist.md).
 *
 * A ref names its node until the first reclaim after the node's erasure. Calls reclaim a list when
 * free cells might run out.
 *
 * @param list      Which one.
 * @param ops       `count` uint32_t: CLADE_DLIST_INSERT_AFTER and so on.
 * @param targets   `count` uint32_t: the ref of a node, or CLADE_NIL. CLADE_NIL is the end of the
 *                  list, both after the last node and before the first: inserting after it inserts
 *                  at the front, inserting before it at the back. The node next to it is the first,
 *                  the one previous to it the last.
 * @param values    `count` values of the value type. Inserts read them; ERASE and GET write them
 *                  when they succeed. No array: inserts store zeros.
 * @param nodes     Receives `count` uint32_t, or no array: the ref of the inserted node, of the
 *                  neighbour (NEXT and PREV; CLADE_NIL is the end), or else CLADE_NIL.
 * @param count     How many operations.
 * @param statuses  Receives `count` int32_t, or no array. CLADE_OK: done. CLADE_E_NOT_FOUND: the
 *                  target is not in the list; NEXT and PREV then give a node in `nodes` from which
 *                  a walk can go on. CLADE_E_FULL: no cell is free. CLADE_E_BUSY: a bounded number
 *                  of retries was not enough. CLADE_E_ARG: there is no such operation or no such
 *                  ref. An operation that failed had no effect.
 * @param launch    Queue and events (clade/array.h); may be NULL.
 *
 * @retval CLADE_OK      Done with an array in host memory, else enqueued. Each item has its status.
 * @retval CLADE_E_FULL, CLADE_E_BUSY  Without an array of statuses: the first refusal. The other
 *                       operations took effect. With device arrays alone clade_dlist_size()
 *                       tells, or the next of these calls with host arrays, with statuses or
 *                       without, which then does nothing itself. Likewise CLADE_E_ARG, when an
 *                       item asks for no such operation.
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
 * Insert each value after its target.
 *
 * Arguments, returns, owner, threads, blocks: as clade_dlist_apply().
 */
CLADE_API CLADE_CHECKED clade_status clade_dlist_insert_after(clade_dlist *list,
                                                              clade_array targets,
                                                              clade_array values, clade_array nodes,
                                                              uint64_t count, clade_array statuses,
                                                              const clade_launch *launch);
/** Insert each value before its target: see clade_dlist_apply(). */
CLADE_API CLADE_CHECKED clade_status clade_dlist_insert_before(
    clade_dlist *list, clade_array targets, clade_array values, clade_array nodes, uint64_t count,
    clade_array statuses, const clade_launch *launch);
/** Erase the targets, and receive their values: see clade_dlist_apply(). */
CLADE_API CLADE_CHECKED clade_status clade_dlist_erase(clade_dlist *list, clade_array targets,
                                                       clade_array values, uint64_t count,
                                                       clade_array statuses,
                                                       const clade_launch *launch);

/**
 * Append `count` values at the back, in the array's order. All values are linked in one step, so
 * this is the fast way to fill a list. The call first reclaims.
 *
 * @param values    `count` values of the value type; only read.
 * @param nodes     Receives `count` uint32_t, the refs of the new nodes; or no array.
 * @param statuses  Receives `count` int32_t, CLADE_OK or CLADE_E_FULL; or no array.
 *
 * Others, returns, owner, threads, blocks: as clade_dlist_apply().
 */
CLADE_API CLADE_CHECKED clade_status clade_dlist_append(clade_dlist *list, clade_array values,
                                                        clade_array nodes, uint64_t count,
                                                        clade_array statuses,
                                                        const clade_launch *launch);

/**
 * Reclaim the cells of erased nodes: unlink those nodes, make their cells free, and make every link
 * to a previous node exact. The calls above do this by themselves when cells might run out. Call it
 * between launches of kernels of your own.
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
 * Empty the list and set its statistics to zero.
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
 * Count the nodes in the list.
 *
 * @param list  Which one.
 * @param size  Receives the count, on CLADE_OK.
 *
 * @retval CLADE_OK      `*size` is exact.
 * @retval CLADE_E_FULL, CLADE_E_BUSY, CLADE_E_ARG, CLADE_E_DEVICE  As clade_dlist_stats_read().
 *
 * Owner:   nothing changes hands.
 * Threads: one at a time per list.
 * Blocks:  yes.
 */
CLADE_API CLADE_CHECKED clade_status clade_dlist_size(clade_dlist *list, uint64_t *size);

/**
 * Read the nodes to host memory, in list order or backwards.
 *
 * @param list      Which one.
 * @param backward  0: from the front on. Else from the back on, by the links to previous nodes; the
 *                  call then first reclaims.
 * @param values    Room for `room` values of the value type, or NULL.
 * @param nodes     Room for `room` refs, or NULL.
 * @param room      How many nodes there is room for.
 * @param got       Receives how many nodes there are. No more than `room` are written.
 *
 * @retval CLADE_OK  Read.
 * @retval CLADE_E_CORRUPT  A link leads nowhere.
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
 * Verify the invariants of docs/inside/dlist.md in a list. No kernel may use the list
 * meanwhile.
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
 * Read the statistics.
 *
 * @retval CLADE_OK      `*stats` is filled in.
 * @retval CLADE_E_FULL, CLADE_E_BUSY, CLADE_E_ARG  An earlier call with device arrays and without
 *                       statuses was refused something, or an argument is NULL. It is told once.
 * @retval CLADE_E_DEVICE  As named.
 *
 * Owner:   nothing changes hands.
 * Threads: one at a time per list.
 * Blocks:  yes.
 */
CLADE_API CLADE_CHECKED clade_status clade_dlist_stats_read(clade_dlist *list,
                                                            clade_dlist_stats *stats);

/**
 * Write a list to a file. clade_dlist_load() makes a list from it, on any device. Refs
 * stay as they are. Loading checks what the file says, or computes it anew. So a loaded list is
 * sound, whoever wrote the file, and has nothing to reclaim.
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
 * The list's buffer, an argument for kernels of your own: `__global clade_dlist_head *`. Programs
 * need no compiler options for it, because all such lists have the same layout.
 *
 * @return Borrowed from `list`.
 *
 * Owner:   the list.
 * Threads: any.
 * Blocks:  no.
 */
CLADE_API cl_mem clade_dlist_mem(const clade_dlist *list);

/**
 * The list's parameters, with all defaults filled in.
 *
 * @return Borrowed from the list; NULL for NULL.
 *
 * Owner:   the list.
 * Threads: any.
 * Blocks:  no.
 */
CLADE_API const clade_dlist_params *clade_dlist_params_of(const clade_dlist *list);

#ifdef __cplusplus
}
#endif

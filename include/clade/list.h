/* SPDX-License-Identifier: Apache-2.0 */
/* A lock-free linked list: an ordered set or map, or an unordered sequence of values.
 *
 * All operations of one call, and of all kernels of yours that run at once, may meet. The algorithm
 * is Harris' (2001): a node is erased by a mark in its link, and unlinked later. A key is found
 * without walking the list: an ordered list keeps an array of shortcuts, an unordered one a hash
 * index of its values. docs/inside/list.md has the invariants and the proofs. */
#pragma once

#include <stdint.h>

#include "clade/array.h"
#include "clade/context.h"
#include "clade/kma.h"
#include "clade/shared/list.h"
#include "clade/shared/types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A list: opaque. */
typedef struct clade_list clade_list;

/* What a list is to be. A zero field means its default. */
typedef struct clade_list_params {
    uint64_t capacity; /* cells: places for the nodes in the list and for those erased since the
                        * last reclaim. Required, 1 .. CLADE_LIST_CAPACITY_MAX */
    uint32_t mode;     /* CLADE_LIST_ORDERED (default) or CLADE_LIST_UNORDERED */
    uint32_t key;      /* CLADE_U32 (default) or CLADE_U64 */
    uint32_t value;    /* CLADE_NONE (default). Any 32-bit type makes an ordered list a map */
    uint32_t find;     /* CLADE_LIST_INDEXED (default), or CLADE_LIST_WALK: walk from the head */
    uint32_t group_size; /* work-items in a group of the host calls' kernels; default: what suits */
    clade_kma *kma;      /* nodes are blocks of this allocator, which the list borrows and holds.
                          * Default: a pool of the list's own, with room for `capacity` nodes */
    uint64_t reserved[4]; /* zero: see clade/error.h */
} clade_list_params;

/* What is in a list, and what happened since it was created or cleared. */
typedef struct clade_list_stats {
    uint64_t live;              /* nodes in the list */
    uint64_t capacity;          /* cells */
    uint64_t free;              /* cells that can be handed out before the next reclaim */
    uint64_t hints;             /* shortcuts in use */
    uint64_t insert_collisions; /* failed compare-and-swaps of inserts and puts */
    uint64_t erase_collisions;  /* failed compare-and-swaps of erasures */
    uint64_t bytes;             /* of device memory */
    uint64_t reserved[4];       /* zero: see clade/error.h */
} clade_list_stats;

/* The functions' contracts follow the common rules: clade/error.h, clade/array.h. */

/**
 * Create an empty list.
 *
 * If the list borrows an allocator, no other thread may use that allocator while a host call works
 * on the list. Kernels of everything that uses the allocator may run together.
 *
 * @retval CLADE_OK     `*out` is the list.
 * @retval CLADE_E_ARG  A parameter is out of range; the message names it and the limit.
 * @retval CLADE_E_UNSUPPORTED  CLADE_LIST_WALK is asked for, and the driver cuts off loops as long
 *                              as a walk (clade_caps.loop_limit).
 * @retval CLADE_E_DEVICE, CLADE_E_BUILD, CLADE_E_NOMEM  As named.
 *
 * Owner:   the caller; clade_list_destroy() frees it. It holds its context and a borrowed
 *          allocator.
 * Threads: any.
 * Blocks:  while its kernels are built.
 */
CLADE_API CLADE_CHECKED clade_status clade_list_create(clade_list **out, clade_context *context,
                                                       const clade_list_params *params);

/**
 * Free a list and set the handle to NULL. NULL and a pointer to NULL are fine.
 *
 * Owner:   takes the list.
 * Threads: one, when no other uses the list.
 * Blocks:  until the context's queue is empty.
 */
CLADE_API void clade_list_destroy(clade_list **list);

/**
 * Do `count` operations at once. They have no order of their own; the outcome is one that some
 * order of them explains.
 *
 * Cells of nodes that this call erases are free again for the next call (docs/structures/list.md).
 *
 * @param list      Which one.
 * @param ops       `count` uint32_t: CLADE_LIST_INSERT and so on, operations of the list's mode.
 * @param keys      `count` elements of the key type: keys of an ordered list, values of an
 *                  unordered one.
 * @param operands  Ordered: `count` values of the value type. INSERT and PUT read them; ERASE and
 *                  FIND write them when they succeed. No array when the list has no values.
 *                  Unordered: `count` targets of the key type, which INSERT_AFTER reads; or no
 *                  array.
 * @param count     How many operations.
 * @param statuses  Receives `count` int32_t, or no array. CLADE_OK: done; CONTAINS and FIND: the
 *                  key is there. CLADE_LIST_PRESENT: the key was there; INSERT changed nothing, PUT
 *                  replaced the value. CLADE_E_NOT_FOUND: the key is not there. CLADE_E_FULL: no
 *                  cell is free; a PUT that replaces needs one, too. CLADE_E_BUSY: a bounded number
 *                  of retries was not enough. CLADE_E_ARG: the list's mode has no such operation. An
 *                  operation that failed had no effect.
 * @param launch    Queue and events (clade/array.h); may be NULL.
 *
 * @retval CLADE_OK      Done with an array in host memory, else enqueued. Each item has its status.
 * @retval CLADE_E_FULL, CLADE_E_BUSY  Without an array of statuses: the first refusal. The other
 *                       operations took effect. With device arrays alone clade_list_size()
 *                       tells, or the next of these calls with host arrays, with statuses or
 *                       without, which then does nothing itself. Likewise CLADE_E_ARG, when an
 *                       item asks for no such operation.
 * @retval CLADE_E_ARG, CLADE_E_DEVICE, CLADE_E_NOMEM, CLADE_E_BUILD  As named; nothing was done.
 *                       But many operations of an ordered list go in several launches: after a
 *                       CLADE_E_DEVICE or CLADE_E_NOMEM those of the launches before are done.
 *
 * Owner:   arrays stay the caller's; device arrays are borrowed until the work is done.
 * Threads: one at a time per list.
 * Blocks:  with host arrays.
 */
CLADE_API CLADE_CHECKED clade_status clade_list_apply(clade_list *list, clade_array ops,
                                                      clade_array keys, clade_array operands,
                                                      uint64_t count, clade_array statuses,
                                                      const clade_launch *launch);

/**
 * Do what clade_list_apply() does, and tell how often each operation met others.
 *
 * @param collisions  Receives `count` uint32_t: how many compare-and-swaps of the operation failed.
 *                    0 for CONTAINS and FIND.
 *
 * Others, statuses, owner, threads, blocks: as clade_list_apply().
 */
CLADE_API CLADE_CHECKED clade_status clade_list_apply_counted(
    clade_list *list, clade_array ops, clade_array keys, clade_array operands,
    clade_array collisions, uint64_t count, clade_array statuses, const clade_launch *launch);

/**
 * Insert keys. Ordered lists only. A key that is there stays as it is.
 *
 * @param list      Which one.
 * @param keys      `count` keys of the key type; only read.
 * @param values    `count` values of the value type; no array when the list has no values.
 * @param count     How many.
 * @param statuses  Receives `count` int32_t, or no array: as clade_list_apply().
 * @param launch    Queue and events (clade/array.h); may be NULL.
 *
 * Returns, owner, threads, blocks: as clade_list_apply().
 */
CLADE_API CLADE_CHECKED clade_status clade_list_insert(clade_list *list, clade_array keys,
                                                       clade_array values, uint64_t count,
                                                       clade_array statuses,
                                                       const clade_launch *launch);
/** Insert keys, or replace the values of those that are there. Else as clade_list_insert(). */
CLADE_API CLADE_CHECKED clade_status clade_list_put(clade_list *list, clade_array keys,
                                                    clade_array values, uint64_t count,
                                                    clade_array statuses,
                                                    const clade_launch *launch);
/** Erase keys, or one node for each value of an unordered list. Else as clade_list_insert(). */
CLADE_API CLADE_CHECKED clade_status clade_list_erase(clade_list *list, clade_array keys,
                                                      uint64_t count, clade_array statuses,
                                                      const clade_launch *launch);
/**
 * Tell which keys, or which values of an unordered list, are there. Else as clade_list_insert().
 */
CLADE_API CLADE_CHECKED clade_status clade_list_contains(clade_list *list, clade_array keys,
                                                         uint64_t count, clade_array statuses,
                                                         const clade_launch *launch);
/** Look keys up, and receive their values in `values`. Else as clade_list_insert(). */
CLADE_API CLADE_CHECKED clade_status clade_list_find(clade_list *list, clade_array keys,
                                                     clade_array values, uint64_t count,
                                                     clade_array statuses,
                                                     const clade_launch *launch);
/** Insert each value after a node that holds its target. Unordered lists only; `targets` and
 * `values` are of the key type. Else as clade_list_insert(). */
CLADE_API CLADE_CHECKED clade_status clade_list_insert_after(clade_list *list, clade_array targets,
                                                             clade_array values, uint64_t count,
                                                             clade_array statuses,
                                                             const clade_launch *launch);

/**
 * Insert `count` values at the front, in the array's order: values[0] becomes the first. Unordered
 * lists only. All values are linked in one step, so this is the fast way to fill a list.
 *
 * @param values    `count` values of the key type; only read.
 * @param statuses  Receives `count` int32_t, or no array: CLADE_OK, CLADE_E_FULL, or, on devices
 *                  that leave long loops, CLADE_E_BUSY (docs/structures/list.md).
 *
 * Others, returns, owner, threads, blocks: as clade_list_apply().
 */
CLADE_API CLADE_CHECKED clade_status clade_list_insert_front(clade_list *list, clade_array values,
                                                             uint64_t count, clade_array statuses,
                                                             const clade_launch *launch);

/**
 * Reclaim the cells of erased nodes: unlink those nodes, make their cells free, and build the
 * shortcuts or the index anew. The calls above do this by themselves when it pays. Call it between
 * launches of kernels of your own that change the list.
 *
 * On a device that leaves long loops the index of an unordered list may not take a node. Then the
 * next call that tells of refusals returns CLADE_E_UNSUPPORTED, with the node's number.
 *
 * @retval CLADE_OK  Enqueued.
 * @retval CLADE_E_ARG, CLADE_E_DEVICE  As named.
 *
 * Owner:   nothing changes hands.
 * Threads: one at a time per list.
 * Blocks:  no.
 */
CLADE_API CLADE_CHECKED clade_status clade_list_reclaim(clade_list *list,
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
CLADE_API CLADE_CHECKED clade_status clade_list_clear(clade_list *list, const clade_launch *launch);

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
CLADE_API CLADE_CHECKED clade_status clade_list_size(clade_list *list, uint64_t *size);

/**
 * Read the nodes in list order, to host memory.
 *
 * @param keys     Room for `room` keys or values of the key type, or NULL.
 * @param values   Room for `room` values, or NULL.
 * @param erased   NULL: erased nodes are left out. Else room for `room` bytes: nodes that were
 *                 erased and are not unlinked yet are read as well, and have a 1 here.
 * @param room     How many nodes there is room for.
 * @param got      Receives how many nodes there are. No more than `room` are written.
 *
 * @retval CLADE_OK  Read.
 * @retval CLADE_E_CORRUPT  A link leads nowhere.
 * @retval CLADE_E_ARG, CLADE_E_DEVICE, CLADE_E_NOMEM  As named.
 *
 * Owner:   the arrays stay the caller's.
 * Threads: one at a time per list.
 * Blocks:  yes.
 */
CLADE_API CLADE_CHECKED clade_status clade_list_read(clade_list *list, void *keys, uint32_t *values,
                                                     uint8_t *erased, uint64_t room, uint64_t *got);

/**
 * Verify the invariants of docs/inside/list.md in a list. No kernel may use the list meanwhile.
 *
 * @retval CLADE_OK         They hold.
 * @retval CLADE_E_CORRUPT  The message says what does not, and where.
 * @retval CLADE_E_ARG, CLADE_E_DEVICE, CLADE_E_NOMEM  As named.
 *
 * Owner:   nothing changes hands.
 * Threads: one at a time per list.
 * Blocks:  yes; reads the whole list.
 */
CLADE_API CLADE_CHECKED clade_status clade_list_check(clade_list *list);

/**
 * Read the statistics.
 *
 * @retval CLADE_E_FULL, CLADE_E_BUSY  An earlier call with device arrays was refused. It is told
 *                                     once.
 * @retval CLADE_OK, CLADE_E_ARG, CLADE_E_DEVICE  As named.
 *
 * Owner:   nothing changes hands.
 * Threads: one at a time per list.
 * Blocks:  yes.
 */
CLADE_API CLADE_CHECKED clade_status clade_list_stats_read(clade_list *list,
                                                           clade_list_stats *stats);

/**
 * Write a list to a file. clade_list_load() makes a list from it, on any device. Loading checks
 * what the file says, or computes it anew. So a loaded list is sound, whoever wrote the file, and
 * has nothing to reclaim.
 *
 * @retval CLADE_OK         Done.
 * @retval CLADE_E_UNSUPPORTED  Save: the nodes are blocks of an allocator. Load: as
 *                              clade_list_create().
 * @retval CLADE_E_NOT_FOUND  Load: there is no such file.
 * @retval CLADE_E_CORRUPT  The file is damaged, or holds no list.
 * @retval CLADE_E_IO, CLADE_E_ARG, CLADE_E_DEVICE, CLADE_E_BUILD, CLADE_E_NOMEM  As named.
 *
 * Owner:   load: the caller, as clade_list_create().
 * Threads: one at a time per list.
 * Blocks:  yes.
 */
CLADE_API CLADE_CHECKED clade_status clade_list_save(clade_list *list, const char *path);
/** Make one from a file that clade_list_save() wrote: see there. */
CLADE_API CLADE_CHECKED clade_status clade_list_load(clade_list **out, clade_context *context,
                                                     const char *path);

/**
 * Compiler options that make the kernels of your program fit this list, such as
 * "-DCLADE_LIST_KEY_BITS=32 -DCLADE_LIST_VALUE_BITS=0", and those of its allocator.
 *
 * @return Borrowed from `list`; NULL for NULL.
 *
 * Owner:   the list.
 * Threads: any.
 * Blocks:  no.
 */
CLADE_API const char *clade_list_options(const clade_list *list);

/**
 * The list's buffer, an argument for kernels of your own: `__global clade_list_head *`.
 *
 * @return Borrowed from `list`.
 *
 * Owner:   the list.
 * Threads: any.
 * Blocks:  no.
 */
CLADE_API cl_mem clade_list_mem(const clade_list *list);

#ifdef __cplusplus
}
#endif

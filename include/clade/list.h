/* SPDX-License-Identifier: Apache-2.0 */
/* A lock-free linked list: an ordered set or map, or an unordered sequence of values.
 * docs/inside/list.md has its invariants and proofs.
 *
 * After Harris (2001): a node is erased by a mark in its link, then unlinked. Finding does not
 * walk: an ordered list keeps an array of shortcuts, an unordered one a hash index of its values.
 * All operations of one call, and of all kernels of the user that run at once, may meet. */
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

/* Zero fields are defaults. */
typedef struct clade_list_params {
    uint64_t capacity; /* cells: nodes in the list and nodes erased since the last reclaim;
                        * required, 1 .. CLADE_LIST_CAPACITY_MAX */
    uint32_t mode;     /* CLADE_LIST_ORDERED (default) or CLADE_LIST_UNORDERED */
    uint32_t key;      /* CLADE_U32 (default) or CLADE_U64 */
    uint32_t value;    /* CLADE_NONE (default) or any 32-bit type, which makes an ordered list a
                        * map */
    uint32_t find;     /* CLADE_LIST_INDEXED (default) or CLADE_LIST_WALK: from the head */
    uint32_t group_size; /* work-items a group of the host API's kernels; default: what suits */
    clade_kma *kma;      /* nodes are blocks of this allocator: borrowed, and held by the list.
                          * Default: the list's own pool, with room for `capacity` nodes */
    uint64_t reserved[4]; /* zero: see clade/error.h */
} clade_list_params;

/* Counts. */
typedef struct clade_list_stats {
    uint64_t live;              /* nodes in the list */
    uint64_t capacity;          /* cells */
    uint64_t free;              /* cells that can be handed out before the next reclaim */
    uint64_t hints;             /* shortcuts in use */
    uint64_t insert_collisions; /* failed compare-and-swaps of inserts and puts since creation or
                                 * clear */
    uint64_t erase_collisions;  /* and of erasures */
    uint64_t bytes;             /* of device memory */
    uint64_t reserved[4];       /* zero: see clade/error.h */
} clade_list_stats;

/* The functions' contracts follow the common rules: clade/error.h, clade/array.h. */

/**
 * Create an empty list. With an allocator, no other thread may use the allocator in the host's
 * calls on the list at the same time; kernels of all that use it may run together.
 *
 * @retval CLADE_OK     `*out` is the list.
 * @retval CLADE_E_ARG  A parameter is out of range; the message names it and the limit.
 * @retval CLADE_E_UNSUPPORTED  CLADE_LIST_WALK, and the driver leaves loops as long as a walk.
 * @retval CLADE_E_DEVICE, CLADE_E_BUILD, CLADE_E_NOMEM  As named.
 *
 * Owner:   the caller; clade_list_destroy() frees it. It holds its context and a borrowed
 *          allocator.
 * Threads: any.
 * Blocks:  while its kernels are built.
 */
CLADE_API CLADE_CHECKED clade_status clade_list_create(clade_list **out, clade_context *context,
                                                       const clade_list_params *params);

/** Free a list. NULL and pointers to NULL are fine; sets NULL.
 *
 * Owner:   takes the list.
 * Threads: one, when no other uses the list.
 * Blocks:  until the context's queue is empty.
 */
CLADE_API void clade_list_destroy(clade_list **list);

/**
 * Do `count` operations, all at once, in no order of their own: the outcome is one that some order
 * explains.
 *
 * @param ops       `count` uint32_t: CLADE_LIST_INSERT and so on, those of the list's mode.
 * @param keys      `count` keys (ordered) or values (unordered), of the key type.
 * @param operands  Ordered: `count` values of the value type; INSERT and PUT read them, ERASE and
 *                  FIND that succeed write them; no array when the list has no values. Unordered:
 *                  `count` targets of the key type, read by INSERT_AFTER; may be left out.
 * @param statuses  Receives `count` int32_t, or no array:
 *                  CLADE_OK (done; contains and find: found), CLADE_LIST_EXISTS (INSERT: the key
 * was there, nothing changed; PUT: its value was replaced), CLADE_E_NOT_FOUND, CLADE_E_FULL (no
 * free cell), CLADE_E_BUSY (a bounded retry gave up), CLADE_E_ARG (no operation of this mode). What
 * failed had no effect.
 *
 * Cells of nodes that this call erases are free again for the next call (docs/structures/list.md).
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
CLADE_API CLADE_CHECKED clade_status clade_list_apply(clade_list *list, clade_array ops,
                                                      clade_array keys, clade_array operands,
                                                      uint64_t count, clade_array statuses,
                                                      const clade_launch *launch);

/**
 * clade_list_apply() that tells for each operation how often it met others.
 *
 * @param collisions  Receives `count` uint32_t: how many compare-and-swaps of the operation failed;
 *                    0 for contains and find.
 *
 * @retval CLADE_OK and the rest: as clade_list_apply().
 *
 * Owner, threads, blocks: as clade_list_apply().
 */
CLADE_API CLADE_CHECKED clade_status clade_list_apply_counted(
    clade_list *list, clade_array ops, clade_array keys, clade_array operands,
    clade_array collisions, uint64_t count, clade_array statuses, const clade_launch *launch);

/**
 * The same operation `count` times. insert: ordered, each key once; put: insert or replace;
 * insert_after: unordered; erase, contains, find: as clade_list_apply() has them.
 *
 * @retval CLADE_OK and the rest: as clade_list_apply().
 *
 * Owner, threads, blocks: as clade_list_apply().
 */
CLADE_API CLADE_CHECKED clade_status clade_list_insert(clade_list *list, clade_array keys,
                                                       clade_array values, uint64_t count,
                                                       clade_array statuses,
                                                       const clade_launch *launch);
/** See clade_list_insert(). */
CLADE_API CLADE_CHECKED clade_status clade_list_put(clade_list *list, clade_array keys,
                                                    clade_array values, uint64_t count,
                                                    clade_array statuses,
                                                    const clade_launch *launch);
/** See clade_list_insert(). */
CLADE_API CLADE_CHECKED clade_status clade_list_erase(clade_list *list, clade_array keys,
                                                      uint64_t count, clade_array statuses,
                                                      const clade_launch *launch);
/** See clade_list_insert(). */
CLADE_API CLADE_CHECKED clade_status clade_list_contains(clade_list *list, clade_array keys,
                                                         uint64_t count, clade_array statuses,
                                                         const clade_launch *launch);
/** See clade_list_insert(). */
CLADE_API CLADE_CHECKED clade_status clade_list_find(clade_list *list, clade_array keys,
                                                     clade_array values, uint64_t count,
                                                     clade_array statuses,
                                                     const clade_launch *launch);
/** See clade_list_insert(). */
CLADE_API CLADE_CHECKED clade_status clade_list_insert_after(clade_list *list, clade_array targets,
                                                             clade_array values, uint64_t count,
                                                             clade_array statuses,
                                                             const clade_launch *launch);

/**
 * Unordered: put `count` values at the front, in the array's order: values[0] becomes the first.
 * The chain is linked whole, so this is also how a list is filled.
 *
 * @param statuses  As clade_list_apply(): CLADE_OK or CLADE_E_FULL each.
 *
 * @retval CLADE_OK and the rest: as clade_list_apply().
 *
 * Owner, threads, blocks: as clade_list_apply().
 */
CLADE_API CLADE_CHECKED clade_status clade_list_insert_front(clade_list *list, clade_array values,
                                                             uint64_t count, clade_array statuses,
                                                             const clade_launch *launch);

/**
 * Traverse-delete: unlink all erased nodes, make their cells free, and make shortcuts or index
 * anew. Calls above do it by themselves when it pays; call it between launches of kernels of your
 * own that change the list.
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
 * Make it empty; statistics start afresh.
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
CLADE_API CLADE_CHECKED clade_status clade_list_size(clade_list *list, uint64_t *size);

/**
 * Read the nodes in list order, to host memory.
 *
 * @param keys     Room for `room` keys or values of the key type, or NULL.
 * @param values   Room for `room` values, or NULL.
 * @param erased  NULL: erased nodes are left out. Else room for `room` bytes: the raw list, with
 *                 1 for nodes that were erased and not unlinked yet.
 * @param got      Receives how many there are; no more than `room` are written.
 *
 * @retval CLADE_OK  Read.
 * @retval CLADE_E_CORRUPT  The links lead astray.
 * @retval CLADE_E_ARG, CLADE_E_DEVICE, CLADE_E_NOMEM  As named.
 *
 * Owner:   the arrays stay the caller's.
 * Threads: one at a time per list.
 * Blocks:  yes.
 */
CLADE_API CLADE_CHECKED clade_status clade_list_read(clade_list *list, void *keys, uint32_t *values,
                                                     uint8_t *erased, uint64_t room, uint64_t *got);

/**
 * Verify the invariants of docs/inside/list.md on a quiescent list.
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
 * Counts since creation or clade_list_clear().
 *
 * @retval CLADE_E_FULL, CLADE_E_BUSY  An earlier call with device arrays was refused. Told once.
 * @retval CLADE_OK, CLADE_E_ARG, CLADE_E_DEVICE  As named.
 *
 * Owner:   nothing changes hands.
 * Threads: one at a time per list.
 * Blocks:  yes.
 */
CLADE_API CLADE_CHECKED clade_status clade_list_stats_read(clade_list *list,
                                                           clade_list_stats *stats);

/**
 * Write a list to a file; make one from it, on any device. What a file says is checked or made
 * anew, whoever wrote it: a loaded list is sound, with nothing to reclaim.
 *
 * @retval CLADE_OK         Done.
 * @retval CLADE_E_UNSUPPORTED  Save: its nodes are in an allocator.
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
 * What a user's program is built with so that its kernels fit this list: "-DCLADE_LIST_KEY_BITS=32
 * -DCLADE_LIST_VALUE_BITS=0", and what its allocator asks for.
 *
 * @return Borrowed from `list`; NULL for NULL.
 *
 * Owner:   the list.
 * Threads: any.
 * Blocks:  no.
 */
CLADE_API const char *clade_list_options(const clade_list *list);

/**
 * The object's buffer, to pass to kernels of your own as `__global clade_list_head *`.
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

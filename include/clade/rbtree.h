/* SPDX-License-Identifier: Apache-2.0 */
/* An ordered map with unique keys, as a red-black tree.
 *
 * An entry is a key and its value. All entries lie in the tree's leaves, up to `leaf_capacity` in
 * each; the inner nodes, called routers, only guide the way. Kernels change and read the tree from
 * any work-item (clade/rbtree.clh). The calls below work on arrays of keys.
 * docs/inside/rbtree.md has the invariants and the proofs.
 *
 * What these calls share:
 *
 * Arrays. Arrays stay the caller's. Device arrays are borrowed until the work is done. `statuses`
 * is one int32_t for each key, or no array. Without it, a call with host arrays returns the first
 * CLADE_E_FULL or CLADE_E_BUSY that a key met. After a call with device arrays alone, the next
 * insert, erase or range with host arrays returns it, or clade_rbtree_size() does;
 * clade_rbtree_clear() forgets it. All other keys took effect in any case.
 *
 * Threads. One thread at a time uses a tree. Kernels on other queues must not work on it meanwhile:
 * finds read it without looking whether it changes, and a large batch builds it anew.
 *
 * Blocking. A call blocks with host arrays; some block always, and say so.
 *
 * Errors. CLADE_E_ARG: an argument is wrong, or a buffer is too small. CLADE_E_DEVICE,
 * CLADE_E_NOMEM, CLADE_E_BUILD: as named. The device may fail while the tree is built anew (build,
 * reclaim, the bulk path); the tree is then put back to what it was. If it fails in the middle of
 * clear, the tree is made empty. If the device refuses that, too, each later call first tries it
 * again, and fails if that fails. Kernels of your own must not use the tree until a call has
 * succeeded. */
#pragma once

#include <stdint.h>

#include "clade/array.h"
#include "clade/context.h"
#include "clade/shared/rbtree.h"
#include "clade/shared/types.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A tree: opaque. */
typedef struct clade_rbtree clade_rbtree;

/* The path: how a call over an array does its work. The results are the same. */
#define CLADE_RBTREE_AUTO       0u /* the cheapest, by the sizes of array and tree */
#define CLADE_RBTREE_CONCURRENT 1u /* each work-item has one key */
#define CLADE_RBTREE_GROUPS     2u /* each work-group sorts its keys first; erase: as CONCURRENT */
#define CLADE_RBTREE_BULK       3u /* sort the keys, merge them with the tree's, build it anew */

/* What a tree is to be. A zero field means its default. */
typedef struct clade_rbtree_params {
    uint64_t capacity; /* keys that it can hold; required. Calls that block can always insert so
                        * many. Kernels and calls that do not block can, too, if the keys come in
                        * random order. In a bad order they may meet CLADE_E_FULL at half of the
                        * capacity; reclaiming makes room. A tree has 64 GiB at most */
    uint32_t key;      /* CLADE_U32 (default), CLADE_I32, CLADE_U64 or CLADE_I64 */
    uint32_t value;    /* CLADE_NONE (default), or any type: a value is kept with each key */
    uint32_t leaf_capacity; /* the most keys of a leaf, 1 .. 30. With 1 it is the plain red-black
                             * tree. Default: as many as fill 128 bytes */
    uint32_t path;          /* of insert, put and erase: CLADE_RBTREE_AUTO (default) and so on */
    uint32_t group_size; /* work-items in a group, at most 256. Default: what is best for the device
                          * and the path */
    uint32_t ranked;     /* 1: kernels can ask for ranks (clade_rbtree_rank_wi(), _select_wi()), and
                          * clade_rbtree_rank() and _select() take no longer in a larger tree. It
                          * costs an insert and an erase a few atomic additions, and a fifth more
                          * memory. 0 (default): neither */
    uint64_t reserved[8]; /* zero: see clade/error.h */
} clade_rbtree_params;

/* What is inside, and what happened since the tree was created, loaded or cleared; of `unbalanced`
 * to `merges`, since it was last built anew, too, as bulk calls and clade_rbtree_reclaim() do. */
typedef struct clade_rbtree_stats {
    uint64_t size;         /* keys */
    uint64_t capacity;     /* keys that fit */
    uint64_t leaves;       /* in the tree */
    uint64_t leaves_total; /* in the pool */
    uint64_t routers;      /* in the tree */
    uint64_t empty_leaves; /* of `leaves` */
    uint32_t height;       /* routers on the longest path from the root to a leaf */
    uint32_t black_height; /* the root's rank: the black steps down to a leaf, by weight */
    uint64_t red;          /* red routers */
    uint64_t red_red;      /* red routers below red ones: at most `unbalanced` */
    uint64_t overweight;   /* nodes whose rank is 2 or more below their parent's, after erases */
    uint64_t unbalanced;   /* times that balancing gave up at its bound */
    uint64_t leaked;       /* nodes lost until the next reclaim, because a bound was reached */
    uint64_t splits;       /* leaves split */
    uint64_t promotions;   /* ranks raised */
    uint64_t rotations;    /* single and double */
    uint64_t merges;       /* leaves removed */
    uint64_t retries;      /* tries of operations after their first */
    uint64_t busy;         /* operations that gave up with CLADE_E_BUSY */
    uint64_t full;         /* inserts that found no room */
    uint64_t bytes;        /* bytes of device memory, with the scratch of the last bulk call */
    uint64_t shared;       /* of `leaves`, in a ranked tree: those that share the slot of the one
                            * before. Ranks near them take longer; reclaiming parts them */
    uint64_t reserved[7];  /* zero: see clade/error.h */
} clade_rbtree_stats;

/**
 * Create an empty tree.
 *
 * @retval CLADE_OK     `*out` is the tree.
 * @retval CLADE_E_ARG  A parameter is out of range; the message names it and the limit.
 * @retval CLADE_E_DEVICE, CLADE_E_BUILD, CLADE_E_NOMEM  As named.
 *
 * Owner:   the caller; clade_rbtree_destroy() frees it. It holds its context.
 * Threads: any.
 * Blocks:  while its kernels are built.
 */
CLADE_API CLADE_CHECKED clade_status clade_rbtree_create(clade_rbtree **out, clade_context *context,
                                                         const clade_rbtree_params *params);

/**
 * Free a tree and set the handle to NULL. NULL and a pointer to NULL are fine.
 *
 * Owner:   takes the tree.
 * Threads: one, when no other uses the tree.
 * Blocks:  until the context's queue is empty.
 */
CLADE_API void clade_rbtree_destroy(clade_rbtree **tree);

/**
 * Insert keys. A key that is there keeps its value. Of equal keys in the array one is inserted.
 *
 * @param tree      Which one.
 * @param keys      `count` keys in any order; only read.
 * @param values    `count` values; only read. No array: the values are 0.
 * @param count     How many.
 * @param statuses  Receives `count` int32_t, or no array: CLADE_OK, CLADE_RBTREE_PRESENT,
 *                  CLADE_E_FULL or CLADE_E_BUSY.
 * @param launch    Queue and events (clade/array.h); may be NULL.
 *
 * @retval CLADE_OK      Done with an array in host memory, else enqueued. Each key has its status.
 * @retval CLADE_E_FULL, CLADE_E_BUSY  Without an array of statuses: the first that a key met.
 * @retval CLADE_E_ARG, CLADE_E_DEVICE, CLADE_E_NOMEM, CLADE_E_BUILD  As clade/rbtree.h says at its
 *                       head.
 *
 * Owner:   arrays stay the caller's; device arrays are borrowed until the work is done.
 * Threads: one at a time per tree.
 * Blocks:  with host arrays; always with CLADE_RBTREE_AUTO and CLADE_RBTREE_BULK.
 */
CLADE_API CLADE_CHECKED clade_status clade_rbtree_insert(clade_rbtree *tree, clade_array keys,
                                                         clade_array values, uint64_t count,
                                                         clade_array statuses,
                                                         const clade_launch *launch);

/**
 * Insert keys, and replace the values of those that are there. When the array has equal keys, the
 * value of one of them stays; on the bulk path it is the last one's.
 *
 * Arguments, returns, owner, threads, blocks: as clade_rbtree_insert().
 */
CLADE_API CLADE_CHECKED clade_status clade_rbtree_put(clade_rbtree *tree, clade_array keys,
                                                      clade_array values, uint64_t count,
                                                      clade_array statuses,
                                                      const clade_launch *launch);

/**
 * Erase keys.
 *
 * @param values    Receives the value of each key that was there; or no array.
 * @param statuses  Receives `count` int32_t, or no array: CLADE_OK, CLADE_E_NOT_FOUND or
 *                  CLADE_E_BUSY.
 *
 * Others, returns, owner, threads, blocks: as clade_rbtree_insert().
 */
CLADE_API CLADE_CHECKED clade_status clade_rbtree_erase(clade_rbtree *tree, clade_array keys,
                                                        clade_array values, uint64_t count,
                                                        clade_array statuses,
                                                        const clade_launch *launch);

/**
 * Look keys up.
 *
 * @param values    Receives the value of each key that is there; or no array.
 * @param statuses  Receives `count` int32_t, CLADE_OK or CLADE_E_NOT_FOUND; or no array.
 *
 * Others, returns, owner, threads: as clade_rbtree_insert(). Blocks: with host arrays.
 */
CLADE_API CLADE_CHECKED clade_status clade_rbtree_find(clade_rbtree *tree, clade_array keys,
                                                       clade_array values, uint64_t count,
                                                       clade_array statuses,
                                                       const clade_launch *launch);

/**
 * Look for the nearest key to each given one.
 *
 * @param keys      `count` keys, which need not be in the tree; only read.
 * @param what      CLADE_RBTREE_LOWER, _NEXT, _FLOOR or _PREV.
 * @param found     Room for `count` keys: receives the nearest one, where there is one.
 * @param values    Receives its value; or no array.
 * @param statuses  Receives `count` int32_t, CLADE_OK or CLADE_E_NOT_FOUND; or no array.
 *
 * Others, returns, owner, threads: as clade_rbtree_insert(). Blocks: with host arrays.
 */
CLADE_API CLADE_CHECKED clade_status clade_rbtree_seek(clade_rbtree *tree, clade_array keys,
                                                       uint32_t what, clade_array found,
                                                       clade_array values, uint64_t count,
                                                       clade_array statuses,
                                                       const clade_launch *launch);

/**
 * Read the first entries of intervals. Query i asks for the keys from lows[i] to highs[i], both
 * included; they come in ascending order.
 *
 * @param lows    `count` keys; only read.
 * @param highs   `count` keys; only read.
 * @param limit   The most entries that a query gives, 1 or more.
 * @param keys    Room for count * limit keys: those of query i begin at place i * limit.
 * @param values  Room for count * limit values; or no array.
 * @param counts  Receives `count` uint32_t: how many entries each query gave.
 * @param count   How many queries.
 *
 * Others, returns, owner, threads: as clade_rbtree_insert(). Blocks: with host arrays.
 */
CLADE_API CLADE_CHECKED clade_status clade_rbtree_range(clade_rbtree *tree, clade_array lows,
                                                        clade_array highs, uint32_t limit,
                                                        clade_array keys, clade_array values,
                                                        clade_array counts, uint64_t count,
                                                        const clade_launch *launch);

/**
 * Read the last entries of intervals, the greatest key first: for example the first places of a
 * leaderboard. A leaf costs a walk from the root, so it is slower than clade_rbtree_range().
 *
 * Arguments, returns, owner, threads, blocks: as clade_rbtree_range(). Entries that `limit` cuts
 * off are those with the smallest keys.
 */
CLADE_API CLADE_CHECKED clade_status clade_rbtree_range_down(clade_rbtree *tree, clade_array lows,
                                                             clade_array highs, uint32_t limit,
                                                             clade_array keys, clade_array values,
                                                             clade_array counts, uint64_t count,
                                                             const clade_launch *launch);

/**
 * Count the keys that are less than each given one.
 *
 * In a tree that is `ranked` each key takes a walk to its leaf and a look at the index. In another
 * one the call first lists all entries. So its work grows with the tree's size, and then takes one
 * binary search for each given key.
 *
 * @param keys   `count` keys, which need not be in the tree; only read.
 * @param ranks  Receives `count` uint32_t.
 *
 * Others, returns, owner, threads: as clade_rbtree_insert(). Blocks: yes.
 */
CLADE_API CLADE_CHECKED clade_status clade_rbtree_rank(clade_rbtree *tree, clade_array keys,
                                                       clade_array ranks, uint64_t count,
                                                       const clade_launch *launch);

/**
 * Look up entries by rank. The smallest key has rank 0. The work is that of clade_rbtree_rank().
 *
 * @param ranks     `count` uint32_t, in any order.
 * @param keys      Receives `count` keys; 0 where the tree has no such rank.
 * @param values    Receives their values, 0 where there is none; or no array.
 * @param statuses  Receives `count` int32_t, CLADE_OK or CLADE_E_NOT_FOUND; or no array.
 *
 * Others, returns, owner, threads: as clade_rbtree_insert(). Blocks: yes.
 */
CLADE_API CLADE_CHECKED clade_status clade_rbtree_select(clade_rbtree *tree, clade_array ranks,
                                                         clade_array keys, clade_array values,
                                                         uint64_t count, clade_array statuses,
                                                         const clade_launch *launch);

/**
 * Replace the whole content of a tree by the keys of an array. Of equal keys the first stays.
 *
 * @param keys    `count` keys; only read.
 * @param values  `count` values; only read. No array: the values are 0.
 * @param sorted  1: the keys ascend, which the call verifies. 0: they have any order.
 *
 * @retval CLADE_OK      Done.
 * @retval CLADE_E_ARG   `sorted` is 1 and the keys do not ascend, or an argument is wrong. The tree
 *                       is as before.
 * @retval CLADE_E_FULL  There are more keys than the tree can hold. The tree is as before.
 *
 * Others, owner, threads: as clade_rbtree_insert(). Blocks: yes.
 */
CLADE_API CLADE_CHECKED clade_status clade_rbtree_build(clade_rbtree *tree, clade_array keys,
                                                        clade_array values, int sorted,
                                                        uint64_t count, const clade_launch *launch);

/**
 * Read all entries, in ascending order of their keys.
 *
 * @param keys    Room for `room` keys; or no array.
 * @param values  Room for `room` values; or no array.
 * @param room    At least the tree's size.
 * @param got     Receives how many entries there are.
 *
 * @retval CLADE_OK     Read.
 * @retval CLADE_E_ARG  There are more entries than `room`; `*got` says how many. Nothing else was
 *                      written. Or another argument is wrong.
 *
 * Others, owner, threads: as clade_rbtree_insert(). Blocks: yes.
 */
CLADE_API CLADE_CHECKED clade_status clade_rbtree_read(clade_rbtree *tree, clade_array keys,
                                                       clade_array values, uint64_t room,
                                                       uint64_t *got, const clade_launch *launch);

/**
 * Count the keys inside. The call reads one word of each leaf.
 *
 * Returns, owner, threads: as clade_rbtree_insert(). Blocks: yes.
 */
CLADE_API CLADE_CHECKED clade_status clade_rbtree_size(clade_rbtree *tree, uint64_t *size);

/**
 * Empty the tree and set its statistics to zero.
 *
 * Returns, owner, threads: as clade_rbtree_insert(). Blocks: yes.
 */
CLADE_API CLADE_CHECKED clade_status clade_rbtree_clear(clade_rbtree *tree,
                                                        const clade_launch *launch);

/**
 * Reclaim: build the tree anew from its entries. Its leaves are then evenly filled, it is a strict
 * red-black tree, and no node is leaked.
 *
 * Returns, owner, threads: as clade_rbtree_insert(). Blocks: yes.
 */
CLADE_API CLADE_CHECKED clade_status clade_rbtree_reclaim(clade_rbtree *tree,
                                                          const clade_launch *launch);

/**
 * Verify the invariants I1 to I10 of cl/clade/rbtree.clh on a copy of the whole object. The copy
 * takes host memory of the object's size.
 *
 * @retval CLADE_OK         They hold.
 * @retval CLADE_E_CORRUPT  One does not; the message says which, and where.
 *
 * Others, owner, threads: as clade_rbtree_insert(). Blocks: yes.
 */
CLADE_API CLADE_CHECKED clade_status clade_rbtree_check(clade_rbtree *tree);

/**
 * Read the statistics. The call walks a copy of the tree and verifies it, as clade_rbtree_check()
 * does.
 *
 * Returns, owner, threads, blocks: as clade_rbtree_check().
 */
CLADE_API CLADE_CHECKED clade_status clade_rbtree_stats_read(clade_rbtree *tree,
                                                             clade_rbtree_stats *stats);

/**
 * Write the tree to a file. clade_rbtree_load() makes a tree with the same parameters from it, on
 * any device. Loading checks what the file says. So a loaded tree is sound, whoever wrote the file.
 *
 * @retval CLADE_OK         Done.
 * @retval CLADE_E_NOT_FOUND  Load: there is no such file.
 * @retval CLADE_E_IO       The file cannot be written or read.
 * @retval CLADE_E_CORRUPT  It is no saved tree, or damaged.
 * @retval CLADE_E_ARG, CLADE_E_DEVICE, CLADE_E_BUILD, CLADE_E_NOMEM  As named.
 *
 * Owner:   load: the caller; clade_rbtree_destroy() frees the tree.
 * Threads: one at a time per tree.
 * Blocks:  yes.
 */
CLADE_API CLADE_CHECKED clade_status clade_rbtree_save(clade_rbtree *tree, const char *path);
/** Make one from a file that clade_rbtree_save() wrote: see there. */
CLADE_API CLADE_CHECKED clade_status clade_rbtree_load(clade_rbtree **out, clade_context *context,
                                                       const char *path);

/**
 * The tree's buffer, an argument for kernels of your own: `__global clade_rbtree_head *`.
 *
 * @return Borrowed from the tree; NULL for NULL.
 *
 * Owner:   the tree.
 * Threads: any.
 * Blocks:  no.
 */
CLADE_API cl_mem clade_rbtree_mem(const clade_rbtree *tree);
/**
 * Compiler options that make a program's `#include "clade/rbtree.clh"` match this tree, such as
 * "-DCLADE_RBTREE_KEY_TYPE=2 ...". A program with several types of tree defines the names itself
 * before each include. Operations on a tree of another type return CLADE_E_ARG.
 *
 * @return Borrowed from the tree; NULL for NULL.
 *
 * Owner:   the tree.
 * Threads: any.
 * Blocks:  no.
 */
CLADE_API const char *clade_rbtree_options(const clade_rbtree *tree);

#ifdef __cplusplus
}
#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* An ordered map with unique keys. docs/inside/rbtree.md has its invariants and proofs.
 *
 * A red-black tree whose keys lie in leaves of up to `leaf_capacity` entries. Kernels change and
 * read it from any work-item (cl/clade/rbtree.clh); the calls here work on arrays of keys. */
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

/* How calls over arrays work; the results are the same. */
#define CLADE_RBTREE_AUTO       0u /* what costs less, by the sizes of array and tree */
#define CLADE_RBTREE_CONCURRENT 1u /* one key a work-item */
#define CLADE_RBTREE_GROUPS     2u /* groups that sort their keys; erase: as CONCURRENT */
#define CLADE_RBTREE_BULK       3u /* sort the keys, merge them with the tree's, build it anew */

/* Zero fields are defaults. */
typedef struct clade_rbtree_params {
    uint64_t capacity; /* keys that fit by the calls below; required. Kernels, and calls that do not
                        * wait, fit as many in random order; in a bad order E_FULL may come at half
                        * of it, until reclaimed */
    uint32_t key;      /* CLADE_U32 (default), CLADE_I32, CLADE_U64 or CLADE_I64 */
    uint32_t value;    /* CLADE_NONE (default), or any type: 32 or 64 bits kept with the key */
    uint32_t leaf_capacity; /* keys a leaf, 1 .. 30. 1: every key has its own leaf, the plain
                             * red-black tree. Default: what fills 128 bytes */
    uint32_t path;          /* CLADE_RBTREE_AUTO (default) ...: how insert and erase work */
    uint32_t group_size; /* work-items a group, at most 256. Default: what the device and the path
                          * do best with */
    uint64_t reserved[8]; /* zero: see clade/error.h */
} clade_rbtree_params;

/* What is inside, and events since creation, load or clear. */
typedef struct clade_rbtree_stats {
    uint64_t size;         /* keys */
    uint64_t capacity;     /* keys that fit */
    uint64_t leaves;       /* in the tree */
    uint64_t leaves_total; /* in the pool */
    uint64_t routers;      /* in the tree */
    uint64_t empty_leaves; /* of `leaves` */
    uint32_t height;       /* routers on the longest path */
    uint32_t black_height; /* the root's rank: black steps, an overweight one by its weight */
    uint64_t red;          /* red routers */
    uint64_t red_red;      /* red routers below red ones: at most `unbalanced` */
    uint64_t overweight;   /* nodes whose rank is 2 or more below their parent's, left by erases */
    uint64_t unbalanced;   /* clean-ups that gave up at their bound */
    uint64_t leaked;       /* nodes lost until the next reclaim, because a bound was reached */
    uint64_t splits;       /* leaves split */
    uint64_t promotions;   /* ranks raised */
    uint64_t rotations;    /* single and double */
    uint64_t merges;       /* leaves removed */
    uint64_t retries;      /* tries of operations beyond their first */
    uint64_t busy;         /* operations that gave up: E_BUSY */
    uint64_t full;         /* inserts that found no room */
    uint64_t bytes;        /* of device memory, scratch of the last bulk call too */
    uint64_t reserved[8];  /* zero: see clade/error.h */
} clade_rbtree_stats;

/* Common to the calls below:
 * Owner:   arrays stay the caller's; device arrays are borrowed until the work is done.
 * Threads: one at a time per tree.
 * Blocks:  with host arrays; where a line says so, always.
 * Fails:   CLADE_E_ARG: an argument is wrong, or a buffer is too small. CLADE_E_DEVICE,
 *          CLADE_E_NOMEM, CLADE_E_BUILD: as named. After a CLADE_E_DEVICE in the middle of building
 *          the tree anew (build, reclaim, the bulk path) the tree is put back to what it was; in the
 *          middle of clear, it is empty. Where the device refuses that, too, it is tried again
 *          before the next call does anything, which fails as long as it fails; kernels of your own
 *          must not use the tree until a call succeeded.
 * Statuses: one int a key, or no array. Without one, a call with host arrays returns the first
 *          E_FULL or E_BUSY that an item met, one with device arrays leaves it to the next insert,
 *          erase or range with host arrays, or to clade_rbtree_size(); clade_rbtree_clear() forgets
 *          it. All other items took effect in any case. */

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

/** Free a tree. NULL and pointers to NULL are fine; sets NULL.
 *
 * Owner:   takes the tree.
 * Threads: one, when no other uses the tree.
 * Blocks:  until the context's queue is empty.
 */
CLADE_API void clade_rbtree_destroy(clade_rbtree **tree);

/**
 * Insert keys. A key that is there keeps its value. Of equal keys in the array one is inserted.
 *
 * @param keys, values  `count` elements each; no array of values: they become 0.
 * @param statuses      `count` ints: CLADE_OK, CLADE_RBTREE_PRESENT, CLADE_E_FULL, CLADE_E_BUSY.
 *
 * Owner, threads: as above. Blocks: also when the path is left to clade or is the bulk path.
 */
CLADE_API CLADE_CHECKED clade_status clade_rbtree_insert(clade_rbtree *tree, clade_array keys,
                                                         clade_array values, uint64_t count,
                                                         clade_array statuses,
                                                         const clade_launch *launch);

/**
 * Insert keys, and replace the values of those that are there. Of equal keys in the array the last
 * one's value stays when the bulk path is taken, and one of theirs otherwise.
 *
 * Arguments, owner, threads, blocks: as clade_rbtree_insert().
 */
CLADE_API CLADE_CHECKED clade_status clade_rbtree_put(clade_rbtree *tree, clade_array keys,
                                                      clade_array values, uint64_t count,
                                                      clade_array statuses,
                                                      const clade_launch *launch);

/**
 * Erase keys.
 *
 * @param values    Receives the value of each key that was there; or no array.
 * @param statuses  `count` ints: CLADE_OK, CLADE_E_NOT_FOUND, CLADE_E_BUSY.
 *
 * Owner, threads: as above. Blocks: as clade_rbtree_insert().
 */
CLADE_API CLADE_CHECKED clade_status clade_rbtree_erase(clade_rbtree *tree, clade_array keys,
                                                        clade_array values, uint64_t count,
                                                        clade_array statuses,
                                                        const clade_launch *launch);

/**
 * Look keys up.
 *
 * @param values    Receives the value of each key that is there; or no array.
 * @param statuses  `count` ints: CLADE_OK or CLADE_E_NOT_FOUND.
 *
 * Owner, threads, blocks: as above.
 */
CLADE_API CLADE_CHECKED clade_status clade_rbtree_find(clade_rbtree *tree, clade_array keys,
                                                       clade_array values, uint64_t count,
                                                       clade_array statuses,
                                                       const clade_launch *launch);

/**
 * The nearest key of each given one.
 *
 * @param what      CLADE_RBTREE_LOWER, _NEXT, _FLOOR or _PREV.
 * @param found     `count` keys: receives the key, where there is one.
 * @param values    Receives its value; or no array.
 * @param statuses  `count` ints: CLADE_OK or CLADE_E_NOT_FOUND.
 *
 * Owner, threads, blocks: as above.
 */
CLADE_API CLADE_CHECKED clade_status clade_rbtree_seek(clade_rbtree *tree, clade_array keys,
                                                       uint32_t what, clade_array found,
                                                       clade_array values, uint64_t count,
                                                       clade_array statuses,
                                                       const clade_launch *launch);

/**
 * The first entries of intervals low .. high, both inclusive, in order.
 *
 * @param lows, highs  `count` keys each.
 * @param limit        Most entries a query gives, 1 or more.
 * @param keys         `count * limit` keys: query i's from place i * limit on.
 * @param values       As many values; or no array.
 * @param counts       `count` uint32_t: how many entries each query gave.
 *
 * Owner, threads, blocks: as above.
 */
CLADE_API CLADE_CHECKED clade_status clade_rbtree_range(clade_rbtree *tree, clade_array lows,
                                                        clade_array highs, uint32_t limit,
                                                        clade_array keys, clade_array values,
                                                        clade_array counts, uint64_t count,
                                                        const clade_launch *launch);

/**
 * How many keys are less than each given one, which need not be there.
 *
 * The tree's entries are listed first: the work is the tree's size and a bisection a key.
 *
 * @param ranks  `count` uint32_t.
 *
 * Owner, threads: as above. Blocks: yes.
 */
CLADE_API CLADE_CHECKED clade_status clade_rbtree_rank(clade_rbtree *tree, clade_array keys,
                                                       clade_array ranks, uint64_t count,
                                                       const clade_launch *launch);

/**
 * The entries of given ranks: rank 0 is the smallest key's. Works as clade_rbtree_rank().
 *
 * @param ranks     `count` uint32_t, in any order.
 * @param keys      Receives the keys; 0 where the tree has no such rank.
 * @param values    Receives their values, or 0; or no array.
 * @param statuses  `count` ints: CLADE_OK or CLADE_E_NOT_FOUND; or no array.
 *
 * Owner, threads: as above. Blocks: yes.
 */
CLADE_API CLADE_CHECKED clade_status clade_rbtree_select(clade_rbtree *tree, clade_array ranks,
                                                         clade_array keys, clade_array values,
                                                         uint64_t count, clade_array statuses,
                                                         const clade_launch *launch);

/**
 * Replace the content by an array's. Of equal keys the first stays.
 *
 * @param sorted  1: the keys ascend; that is verified. 0: any order.
 *
 * @retval CLADE_E_ARG   `sorted` is 1 and the keys do not ascend; the tree is as before.
 * @retval CLADE_E_FULL  More keys than fit. The tree is as before.
 *
 * Owner, threads: as above. Blocks: yes.
 */
CLADE_API CLADE_CHECKED clade_status clade_rbtree_build(clade_rbtree *tree, clade_array keys,
                                                        clade_array values, int sorted,
                                                        uint64_t count, const clade_launch *launch);

/**
 * All entries in order.
 *
 * @param keys, values  Room for `room` elements each; either may be no array.
 * @param room          At least the tree's size.
 * @param got           Receives how many there are.
 *
 * @retval CLADE_E_ARG  More entries than `room`; `*got` says how many. Nothing was written.
 *
 * Owner, threads: as above. Blocks: yes.
 */
CLADE_API CLADE_CHECKED clade_status clade_rbtree_read(clade_rbtree *tree, clade_array keys,
                                                       clade_array values, uint64_t room,
                                                       uint64_t *got, const clade_launch *launch);

/**
 * How many keys are inside: they are counted, a word a leaf.
 *
 * Owner, threads: as above. Blocks: yes.
 */
CLADE_API CLADE_CHECKED clade_status clade_rbtree_size(clade_rbtree *tree, uint64_t *size);

/**
 * Make it empty. Its counters too.
 *
 * Owner, threads: as above. Blocks: yes.
 */
CLADE_API CLADE_CHECKED clade_status clade_rbtree_clear(clade_rbtree *tree,
                                                        const clade_launch *launch);

/**
 * Build it anew: leaves filled evenly, a strict red-black tree, nothing unbalanced or leaked.
 *
 * Owner, threads: as above. Blocks: yes.
 */
CLADE_API CLADE_CHECKED clade_status clade_rbtree_reclaim(clade_rbtree *tree,
                                                          const clade_launch *launch);

/**
 * Verify the invariants I1 to I8 of cl/clade/rbtree.clh on a copy of the whole object.
 *
 * @retval CLADE_OK         They hold.
 * @retval CLADE_E_CORRUPT  One does not; the message says which, and where.
 *
 * Owner, threads: as above. Blocks: yes; takes host memory of the object's size.
 */
CLADE_API CLADE_CHECKED clade_status clade_rbtree_check(clade_rbtree *tree);

/**
 * Counts; the tree is walked on a copy, as by clade_rbtree_check(), which also verifies it.
 *
 * Owner, threads, blocks: as clade_rbtree_check().
 */
CLADE_API CLADE_CHECKED clade_status clade_rbtree_stats_read(clade_rbtree *tree,
                                                             clade_rbtree_stats *stats);

/**
 * Write the tree to a file; make one from it, of the same parameters, on any device. What
 * a file says is checked, whoever wrote it: a loaded tree is sound.
 *
 * @retval CLADE_E_NOT_FOUND  Load: there is no such file.
 * @retval CLADE_E_IO       The file cannot be written or read.
 * @retval CLADE_E_CORRUPT  It is no saved tree, or damaged.
 *
 * Owner:   a loaded tree is the caller's, as a created one.
 * Threads: as above. Blocks: yes.
 */
CLADE_API CLADE_CHECKED clade_status clade_rbtree_save(clade_rbtree *tree, const char *path);
/** Make one from a file that clade_rbtree_save() wrote: see there. */
CLADE_API CLADE_CHECKED clade_status clade_rbtree_load(clade_rbtree **out, clade_context *context,
                                                       const char *path);

/**
 * The tree as a kernel's argument (__global clade_rbtree_head *), and the options that a program
 * with `#include "clade/rbtree.clh"` needs to treat it right: "-DCLADE_RBTREE_KEY_TYPE=2 ...".
 * A program with several types of tree defines them itself before each include. On a tree of
 * another shape its operations answer CLADE_E_ARG.
 *
 * @return Borrowed from the tree; NULL for NULL.
 *
 * Owner:   both are the tree's.
 * Threads: any.
 * Blocks:  no.
 */
CLADE_API cl_mem clade_rbtree_mem(const clade_rbtree *tree);
/** Compiler options that make a program's tree this one: see clade_rbtree_mem(). */
CLADE_API const char *clade_rbtree_options(const clade_rbtree *tree);

#ifdef __cplusplus
}
#endif

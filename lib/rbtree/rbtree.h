/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of the red-black tree's host side share. */
#pragma once

#include "clade/rbtree.h"

#include "object/call.h"

enum cladei_rbtree_kernel {
    /* rbtree.cl */
    RBT_INSERT, /* a program each: these three; insert by groups; erase; find and seek; range;
                   range down; rank and select */
    RBT_AMEND,
    RBT_SIZE,
    RBT_INSERT_GROUPS,
    RBT_ERASE,
    RBT_FIND,
    RBT_SEEK,
    RBT_RANGE,
    RBT_RANGE_DOWN,
    RBT_RANK_RANKED,
    RBT_SELECT_RANKED,
    RBT_OPS, /* their number; rbtree_bulk.cl's follow, built when the first is needed */
    RBT_IMAGES = RBT_OPS,
    RBT_UNSORTED,
    RBT_SORT_COUNT,
    RBT_SORT_MOVE,
    RBT_SCAN_TILES,
    RBT_SCAN_SUMS,
    RBT_SCAN_SPREAD,
    RBT_LEAVES_LIVE,
    RBT_LEAVES_LIST,
    RBT_LEAVES_COUNT,
    RBT_LEAVES_COPY,
    RBT_PLACE,
    RBT_PLACE_NEW,
    RBT_PLACE_ALL,
    RBT_DROP,
    RBT_MOVE_OLD,
    RBT_FILL_LEAVES,
    RBT_FILL_ROUTERS,
    RBT_FILL_INDEX,
    RBT_USER_KEYS,
    RBT_RANK,
    RBT_SELECT,
    RBT_FEW, /* rbtree_few.cl; of CPUs alone */
    RBT_KERNELS
};

/* Scratch buffers that bulk calls keep from one call to the next. */
enum {
    SCRATCH_KEYS_A, /* sorted batch: keys and places in the array, twice */
    SCRATCH_KEYS_B,
    SCRATCH_ITEMS_A,
    SCRATCH_ITEMS_B,
    SCRATCH_HISTOGRAM,
    SCRATCH_SUMS,     /* of the scans, all levels */
    SCRATCH_OLD_KEYS, /* the tree's entries in order */
    SCRATCH_OLD_VALUES,
    SCRATCH_KEPT_VALUES, /* as OLD_VALUES, where a batch puts to those */
    SCRATCH_PLACES,      /* of batch entries among the old ones */
    SCRATCH_FRESH,       /* which batch entries are new; scanned: how many before */
    SCRATCH_MARKS,       /* per old entry */
    SCRATCH_BUSY,
    SCRATCH_FEW,    /* of each stretch of a batch its different keys */
    SCRATCH_SECOND, /* statuses of a batch's second way */
    SCRATCH_RESULT,
    SCRATCH_COUNT
};

/* A tree that is made anew is not whole until the last launch of that is enqueued. Should one fail,
 * the tree becomes what it was (from the entries that were listed before; or empty, as it was) or
 * is cleared: at once, or else before the next call does anything. What it has to tell ends only
 * when it is cleared. */
enum {
    CLADEI_RBTREE_WHOLE,
    CLADEI_RBTREE_TO_RESTORE,
    CLADEI_RBTREE_TO_EMPTY,
    CLADEI_RBTREE_TO_CLEAR
};

/* The index of a ranked tree: what the head says of it, places in bytes. */
struct cladei_rbtree_index {
    uint32_t slots; /* 0: the tree is not ranked */
    uint32_t levels;
    uint32_t level_at[CLADE_RBTREE_LEVELS_MAX];
    uint32_t nodes;
    uint64_t nodes_at, places_at, firsts_at, end;
};

extern const struct cladei_kind cladei_rbtree_kind;

struct clade_rbtree {
    struct cladei_object object;
    clade_rbtree_params params; /* defaults filled in */
    uint32_t key_bytes;
    uint32_t value_bytes;
    uint32_t leaf_total;
    uint32_t router_total;
    uint64_t routers_at; /* bytes */
    uint64_t leaves_at;
    struct cladei_rbtree_index index;
    char *options;
    cl_kernel kernels[RBT_KERNELS];
    struct cladei_scratch scratch[SCRATCH_COUNT];
    uint32_t range_group; /* work-items a group of ranges: CLADE_RB_RANGE_GROUP at most */
    uint32_t bulk_group;  /* work-items a group of the other bulk kernels */
    uint32_t sort_group;  /* work-items a group of the sort and scan kernels */
    uint32_t sort_tile;   /* elements a group of theirs */
    uint32_t sort_bits;   /* of a digit */
    uint32_t unfinished;  /* CLADEI_RBTREE_... */
    cl_uint kept;         /* entries to restore, in SCRATCH_OLD_KEYS and kept_values */
    uint32_t kept_values;
};

/* Work out from the parameters the defaults, where everything lies, and the object's bytes. */
clade_status cladei_rbtree_plan(clade_rbtree *tree, const clade_context *context,
                                const clade_rbtree_params *params);
/* Take the bytes of a planned tree, which may come from anywhere. Refuse those that are no tree.
 * Make hints anew, because no invariant covers them. *strained: it is to be reclaimed. */
clade_status cladei_rbtree_rebuild(const clade_rbtree *tree, unsigned char *copy, bool *strained);
/* As cladei_run_begin, of a tree that is whole. */
clade_status cladei_rbtree_begin(clade_rbtree *tree, struct cladei_run *run,
                                 const clade_launch *launch);
/* Finish what a failed call left undone, if it did. */
clade_status cladei_rbtree_mend(clade_rbtree *tree, struct cladei_run *run);
/* The same in a run of its own, and wait for it. */
clade_status cladei_rbtree_mend_now(clade_rbtree *tree);

/* index.c: lay it out from byte `at` on, for so many leaves. */
void cladei_rbtree_index_plan(struct cladei_rbtree_index *index, uint64_t at, uint32_t leaf_total);
/* What of the head tells it. */
void cladei_rbtree_index_head(const struct cladei_rbtree_index *index, clade_rbtree_head *head);
bool cladei_rbtree_index_is(const struct cladei_rbtree_index *index, const clade_rbtree_head *head);
/* Of a tree of one empty leaf; nothing where the tree is not ranked. */
clade_status cladei_rbtree_index_empty(clade_rbtree *tree, struct cladei_run *run);
/* Of a copy of a tree: verify it (and count shared slots), or make it anew. `order` has the leaves'
 * numbers in order. */
clade_status cladei_rbtree_index_check(const clade_rbtree *tree, const unsigned char *copy,
                                       const uint32_t *order, clade_rbtree_stats *stats);
clade_status cladei_rbtree_index_rebuild(const clade_rbtree *tree, unsigned char *copy,
                                         const uint32_t *order, uint64_t leaves);

/* A buffer of at least `bytes`; what it held is lost when it has to grow. */
clade_status cladei_rbtree_scratch(clade_rbtree *tree, uint32_t slot, uint64_t bytes, cl_mem *out);
/* A kernel over `items` items in groups of `group`. */
clade_status cladei_rbtree_run(clade_rbtree *tree, struct cladei_run *run,
                               enum cladei_rbtree_kernel kernel, uint64_t items, uint32_t group);
/* A kernel of which an item has a run of keys on a CPU, and one key elsewhere. A group has `group`
 * keys, or one run. */
clade_status cladei_rbtree_run_runs(clade_rbtree *tree, struct cladei_run *run,
                                    enum cladei_rbtree_kernel kernel, uint64_t keys,
                                    uint32_t group);
/* Fill a buffer's first bytes with zeros. */
clade_status cladei_rbtree_zero(struct cladei_run *run, cl_mem mem, uint64_t bytes);
/* The kernel of rbtree.cl is there; those of rbtree_bulk.cl are. */
clade_status cladei_rbtree_need(clade_rbtree *tree, enum cladei_rbtree_kernel kernel);
clade_status cladei_rbtree_need_bulk(clade_rbtree *tree);
clade_status cladei_rbtree_need_few(clade_rbtree *tree);
/* Head and sentinel of a tree whose nodes are the first of their pools. */
clade_status cladei_rbtree_write_head(clade_rbtree *tree, struct cladei_run *run, uint32_t leaves,
                                      uint32_t root);
clade_status cladei_rbtree_make_empty(clade_rbtree *tree, struct cladei_run *run);

/* first.c: insert or put on the host, where the tree is empty and the keys are few. */
clade_status cladei_rbtree_insert_first(clade_rbtree *tree, struct cladei_call *call, cl_uint mode,
                                        bool *done);
/* bulk.c: whether the tree has one leaf, and that is empty; and the keys that a leaf gets. */
clade_status cladei_rbtree_is_empty(clade_rbtree *tree, struct cladei_run *run, bool *empty);
cl_uint cladei_rbtree_fill_for(const clade_rbtree *tree, uint64_t size);
/* bulk.c: from `kept` entries. */
clade_status cladei_rbtree_restore(clade_rbtree *tree, struct cladei_run *run);
clade_status cladei_rbtree_count_keys(clade_rbtree *tree, struct cladei_run *run, uint64_t *size);

/* ops.c: the arrays of most calls, and a row for one more. */
enum { ROW_KEYS, ROW_VALUES, ROW_STATUSES, ROW_MORE };
struct cladei_call cladei_rbtree_call(const clade_rbtree *tree, clade_array keys,
                                      clade_array values, enum cladei_direction values_direction,
                                      clade_array statuses, uint64_t count);
/* Check and open such a call, of a tree that is whole then. */
clade_status cladei_rbtree_open(clade_rbtree *tree, struct cladei_call *call,
                                const clade_launch *launch);
/* Run the items that `busy` lists, one after the other in its order, so none is in another's way.
 */
clade_status cladei_rbtree_insert_listed(clade_rbtree *tree, struct cladei_call *call, cl_uint mode,
                                         cl_mem busy);
clade_status cladei_rbtree_erase_listed(clade_rbtree *tree, struct cladei_call *call, cl_mem busy);
/* few.c: insert or put, or erase, the batch another way if that is a shorter one. */
clade_status cladei_rbtree_insert_few(clade_rbtree *tree, struct cladei_call *call, cl_uint mode,
                                      bool *done);
clade_status cladei_rbtree_erase_few(clade_rbtree *tree, struct cladei_call *call, bool *done);
/* bulk.c: this status in a row for all items, if statuses are wanted. */
clade_status cladei_rbtree_expect(struct cladei_call *call, cl_int expected);
clade_status cladei_rbtree_bulk_insert(clade_rbtree *tree, struct cladei_call *call, cl_uint mode);
clade_status cladei_rbtree_bulk_erase(clade_rbtree *tree, struct cladei_call *call);
/* The tree's entries in order, in scratch buffers: images of keys, values. */
struct cladei_rbtree_entries {
    cl_mem keys, values;
    cl_uint count;
};
clade_status cladei_rbtree_list(clade_rbtree *tree, struct cladei_run *run,
                                struct cladei_rbtree_entries *entries);
/* The invariants and counts of a tree of which `copy` has the bytes; of `tree` only what creation
 * fixes is read. */
clade_status cladei_rbtree_check_copy(const clade_rbtree *tree, unsigned char *copy,
                                      clade_rbtree_stats *stats);

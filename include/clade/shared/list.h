/* SPDX-License-Identifier: Apache-2.0 */
/* The layout of a list's buffer. docs/inside/list.md says who may change each word, and when.
 */
#pragma once

#include "clade/shared/cells.h"
#include "clade/shared/object.h"
#include "clade/shared/types.h"

#define CLADE_LIST_KIND CLADE_KIND('l', 'i', 's', 't')

/* The mode: what the list keeps. */
#define CLADE_LIST_ORDERED   0u /* a set or map; keys ascend, and each is there once */
#define CLADE_LIST_UNORDERED 1u /* a sequence of values, which may repeat */

/* How a place in the list is found. */
#define CLADE_LIST_INDEXED 0u /* by an array of shortcuts (ordered) or a hash index (unordered) */
#define CLADE_LIST_WALK    1u /* by a walk from the head, node by node: the plain algorithm */

/* Operations of clade_list_apply(). */
#define CLADE_LIST_INSERT       0u /* ordered: unless the key is there. Unordered: at the front */
#define CLADE_LIST_PUT          1u /* ordered: insert, or replace the value */
#define CLADE_LIST_ERASE        2u
#define CLADE_LIST_CONTAINS     3u
#define CLADE_LIST_FIND         4u /* ordered, with values: contains, and the value */
#define CLADE_LIST_INSERT_AFTER 5u /* unordered: after a node that holds the operand */
#define CLADE_LIST_OP_COUNT     6u

/* A result that is no failure: the key was there before. INSERT then changed nothing; PUT replaced
 * the value. */
#define CLADE_LIST_PRESENT 1

/* A link is the next node's ref times 4, plus two marks. */
#define CLADE_LIST_ERASED    1u /* the node was erased; its link never changes again */
#define CLADE_LIST_PENDING   2u /* unordered: being inserted, not in the list yet */
#define CLADE_LIST_MARKS     3u
#define CLADE_LIST_REF_SHIFT 2u
#define CLADE_LIST_CELL_FREE 0xffffffffu /* the whole link word of a cell that holds no node */

/* Words of a cell. A 64-bit key has its high half in the third word; a value is the last. */
#define CLADE_LIST_WORD_LINK                     0u
#define CLADE_LIST_WORD_KEY                      1u
#define CLADE_LIST_WORDS(key_words, value_words) (1u + (key_words) + (value_words) <= 2u ? 2u : 4u)
/* Words of a shortcut: the key's, then the ref. */
#define CLADE_LIST_HINT_WORDS(key_words) ((key_words) == 1u ? 2u : 4u)

#define CLADE_LIST_CAPACITY_MAX (1u << 28)
#define CLADE_LIST_ROUND_FACTOR 32u  /* how many times as large each round of a call is */
#define CLADE_LIST_BLOCK        512u /* shortcuts that one work-group sorts */
#define CLADE_LIST_WAYS         16u  /* sorted runs that one pass merges */
#define CLADE_LIST_SKIP_HOPS    256u /* links that one pass over erased nodes follows */

/* One node of 2^SAMPLE_SHIFT becomes a shortcut. */
#define CLADE_LIST_SAMPLE_SHIFT        3u
#define CLADE_LIST_HINTS_MAX(capacity) (((capacity) >> CLADE_LIST_SAMPLE_SHIFT) + 64u)

/* The shape: all that a program and a list must agree on. */
#define CLADE_LIST_SHAPE(mode, key_words, value_words, in_kma)                \
    CLADE_SHAPE(CLADE_SHAPE_OF_LIST,                                          \
                (clade_u32)(mode) | (clade_u32)(key_words) << 1 |             \
                    (clade_u32)(value_words) << 3 | (clade_u32)(in_kma) << 4)

/* Offsets count words from the buffer's start. A word that reclaiming changes is constant in every
 * other launch. */
typedef struct clade_list_head {
    clade_object_head object;
    clade_u32 capacity;   /* constant: cells */
    clade_u32 nodes_at;   /* constant: where the cells are; if nodes are in an allocator: where the
                           * ref of each cell's block is */
    clade_u32 free_at;    /* constant: where the refs of free cells are */
    clade_u32 index_at;   /* constant: where the shortcuts are (two arrays, each with room for all),
                           * or the slots of the hash index */
    clade_u32 index_size; /* constant: shortcuts of an array, or slots (a power of two), or 0 */
    clade_u32 spare_at;   /* constant, unordered: where a word for each cell is, used for inserting
                           * many at the front */
    clade_u32 hints_at;   /* where the array of shortcuts in use is; changed by reclaiming */
    clade_atomic_u32 hint_count; /* shortcuts in use; changed by reclaiming */
    clade_atomic_u32 free_count; /* entries of the free array; changed by reclaiming */
    clade_atomic_u32 live;       /* nodes, as of the last reclaim or count */
    clade_u32 reserved0[14];

    clade_atomic_u32 first;   /* the head's link; never marked */
    clade_atomic_u32 planted; /* used only by bugs that tests plant */
    clade_u32 reserved1[30];

    clade_cells_stripe stripes[CLADE_CELLS_STRIPES];
} clade_list_head;

#define CLADE_LIST_LAYOUT(X)       \
    X(clade_list_head, capacity)   \
    X(clade_list_head, nodes_at)   \
    X(clade_list_head, free_at)    \
    X(clade_list_head, index_at)   \
    X(clade_list_head, index_size) \
    X(clade_list_head, spare_at)   \
    X(clade_list_head, hints_at)   \
    X(clade_list_head, hint_count) \
    X(clade_list_head, free_count) \
    X(clade_list_head, live)       \
    X(clade_list_head, first)      \
    X(clade_list_head, stripes)

CLADE_STATIC_ASSERT(list_head_size, sizeof(clade_list_head) == 256 + 128 * CLADE_CELLS_STRIPES);

/* The hash of a value: where its search in the hash index starts. Two rounds of multiplying and
 * folding, so that neighbouring values do not get neighbouring slots. */
static inline clade_u32 clade_list_hash(clade_u32 low, clade_u32 high)
{
    clade_u32 h = low ^ (high * 0x9e3779b1u);
    h = (h ^ (h >> 15)) * 0x9e3779b1u;
    h = (h ^ (h >> 13)) * 0x9e3779b1u;
    return h ^ (h >> 16);
}

/* Whether a cell becomes a shortcut when it holds a node. Multiples of the golden ratio spread
 * evenly, in whatever order the cells were filled. */
static inline int clade_list_is_sampled(clade_ref ref)
{
    return (ref * 0x9e3779b1u) >> (32u - CLADE_LIST_SAMPLE_SHIFT) == 0;
}

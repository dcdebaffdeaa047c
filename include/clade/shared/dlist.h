/* SPDX-License-Identifier: Apache-2.0 */
/* Layout of a doubly linked list's buffer. docs/inside/dlist.md says who may change each
 * word, and when. */
#pragma once

#include "clade/shared/cells.h"
#include "clade/shared/object.h"

#define CLADE_DLIST_KIND CLADE_KIND('d', 'l', 's', 't')
#define CLADE_DLIST_SHAPE CLADE_SHAPE(CLADE_SHAPE_OF_DLIST, 0u) /* programs choose nothing */

/* Operations of a mixed batch. The target is a node's ref, or CLADE_NIL: the end behind the last
 * node and before the first, so that inserting after it inserts at the front, before it at the
 * back. */
#define CLADE_DLIST_INSERT_AFTER  0u
#define CLADE_DLIST_INSERT_BEFORE 1u
#define CLADE_DLIST_ERASE         2u
#define CLADE_DLIST_NEXT          3u
#define CLADE_DLIST_PREV          4u
#define CLADE_DLIST_GET           5u
#define CLADE_DLIST_OP_COUNT      6u

/* A next link: the node's ref times 2, and the mark. A prev link is a ref. */
#define CLADE_DLIST_ERASED    1u /* the node was erased; its next link never changes again */
#define CLADE_DLIST_REF_SHIFT 1u
#define CLADE_DLIST_CELL_FREE 0xffffffffu /* the whole next link of a cell that holds no node */

/* Words of a cell. */
#define CLADE_DLIST_WORD_NEXT  0u
#define CLADE_DLIST_WORD_PREV  1u
#define CLADE_DLIST_WORD_VALUE 2u
#define CLADE_DLIST_CELL       4u

#define CLADE_DLIST_CAPACITY_MAX (1u << 28)
#define CLADE_DLIST_SKIP_HOPS    256u /* links that one pass over erased nodes follows */
#define CLADE_DLIST_HELP_HOPS    64u  /* that an erasure follows to unlink what it erased */

/* Offsets are in words from the buffer's start. What reclaiming writes is constant in every other
 * launch. */
typedef struct clade_dlist_head {
    clade_object_head object;
    clade_u32 capacity;          /* constant: cells */
    clade_u32 nodes_at;          /* constant */
    clade_u32 free_at;           /* constant: refs of free cells */
    clade_atomic_u32 free_count; /* entries of the free array; changed by reclaiming */
    clade_atomic_u32 live;       /* nodes at the last reclaim or counted */
    clade_u32 reserved0[19];

    clade_atomic_u32 first; /* the end's next link: never marked */
    clade_u32 reserved1[31];

    clade_atomic_u32 last;    /* the end's prev link */
    clade_atomic_u32 planted; /* only the bugs that tests plant use it */
    clade_u32 reserved2[30];

    clade_cells_stripe stripes[CLADE_CELLS_STRIPES];
} clade_dlist_head;

#define CLADE_DLIST_LAYOUT(X)       \
    X(clade_dlist_head, capacity)   \
    X(clade_dlist_head, nodes_at)   \
    X(clade_dlist_head, free_at)    \
    X(clade_dlist_head, free_count) \
    X(clade_dlist_head, live)       \
    X(clade_dlist_head, first)      \
    X(clade_dlist_head, last)       \
    X(clade_dlist_head, stripes)

CLADE_STATIC_ASSERT(dlist_head_size, sizeof(clade_dlist_head) == 384 + 128 * CLADE_CELLS_STRIPES);

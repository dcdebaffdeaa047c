/* SPDX-License-Identifier: Apache-2.0 */
/* Layout of a semi-linked list. Its nodes are blocks of an allocator (clade/shared/kma.h).
 * docs/inside/semilist.md says who may change each word, and when. */
#pragma once

#include "clade/shared/object.h"

#define CLADE_SEMILIST_KIND CLADE_KIND('s', 'e', 'm', 'i')
#define CLADE_SEMILIST_SHAPE CLADE_SHAPE(CLADE_SHAPE_OF_SEMILIST, 0u) /* programs choose nothing */

/* Operations of a mixed batch. */
#define CLADE_SEMILIST_APPEND   0u /* a node at the end */
#define CLADE_SEMILIST_FIND     1u /* the first node with the key */
#define CLADE_SEMILIST_ERASE    2u /* the same, and erase it */
#define CLADE_SEMILIST_ERASE_AT 3u /* the node whose ref is the operand */

/* A link: the next node's ref times 2, and the mark of the node that the link is in. */
#define CLADE_SEMILIST_ERASED    1u
#define CLADE_SEMILIST_REF_SHIFT 1u

#define CLADE_SEMILIST_NODE_BYTES   16u
#define CLADE_SEMILIST_CAPACITY_MAX (1u << 28)
/* Refs of a list's nodes fit 31 bits: blocks from 32 GiB on are out of reach. */
#define CLADE_SEMILIST_KMA_BYTES_MAX ((clade_u64)32 << 30)
/* Words of local memory that clade_semilist_append_wg() needs in a group of so many items. */
#define CLADE_SEMILIST_SCRATCH(items) (2u * (items) + 4u)

typedef struct clade_semilist_node {
    clade_atomic_u32 link; /* marked: the node was erased */
    clade_u32 key_;        /* constant from before a link leads to the node */
    clade_u32 value_;      /* likewise */
    clade_u32 place;       /* among all nodes appended since the last reclaim, from 0 */
} clade_semilist_node;

/* Offsets are in words from the buffer's start. */
typedef struct clade_semilist_head {
    clade_object_head object;
    clade_u32 capacity;        /* constant: places */
    clade_u32 other_at;        /* changed by reclaiming: the array of places that is not in use */
    clade_u32 places_at;       /* changed by reclaiming: refs of nodes by place */
    clade_u32 sums_at;         /* constant: scratch of reclaiming, a word a group */
    clade_atomic_u32 total;    /* reclaiming: live nodes */
    clade_atomic_u32 short_of; /* number of the host's append of which some node got no block */
    clade_atomic_u32 base;     /* a host's append, reclaiming: `tail` before its last launch */
    clade_atomic_u32 old_at;   /* reclaiming: `places_at` before its last launch; and `other_at` */
    clade_atomic_u32 new_at;
    clade_u32 reserved0[15];

    clade_atomic_u32 first; /* link to the first node; never marked */
    clade_u32 reserved1[31];

    clade_atomic_u32 tail; /* hint: places below it are filled, but for some still being so */
    clade_u32 reserved2[31];

    clade_atomic_u32 begun; /* erasures since the last reclaim that began and did not fail */
    clade_atomic_u32 done;  /* of them, those that ended */
    clade_u32 reserved3[30];
} clade_semilist_head;

/* What clade_semilist_gather() writes for each place. */
typedef struct clade_semilist_record {
    clade_u32 ref;
    clade_u32 link;
    clade_u32 key_;
    clade_u32 value_;
    clade_u32 place;      /* as the node has it */
    clade_u32 next_place; /* as the node that the link leads to has it */
} clade_semilist_record;

#define CLADE_SEMILIST_LAYOUT(X)      \
    X(clade_semilist_head, capacity)  \
    X(clade_semilist_head, other_at)  \
    X(clade_semilist_head, places_at) \
    X(clade_semilist_head, sums_at)   \
    X(clade_semilist_head, total)     \
    X(clade_semilist_head, short_of)  \
    X(clade_semilist_head, base)      \
    X(clade_semilist_head, old_at)    \
    X(clade_semilist_head, new_at)    \
    X(clade_semilist_head, first)     \
    X(clade_semilist_head, tail)      \
    X(clade_semilist_head, begun)     \
    X(clade_semilist_head, done)      \
    X(clade_semilist_node, link)      \
    X(clade_semilist_node, key_)      \
    X(clade_semilist_node, value_)    \
    X(clade_semilist_node, place)     \
    X(clade_semilist_record, next_place)

CLADE_STATIC_ASSERT(semilist_head_size, sizeof(clade_semilist_head) == 512);
CLADE_STATIC_ASSERT(semilist_node_size, sizeof(clade_semilist_node) == CLADE_SEMILIST_NODE_BYTES);
CLADE_STATIC_ASSERT(semilist_record_size, sizeof(clade_semilist_record) == 24);

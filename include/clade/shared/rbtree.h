/* SPDX-License-Identifier: Apache-2.0 */
/* The red-black tree's layout: a head, routers, leaves. docs/inside/rbtree.md explains it.
 *
 * Keys lie in leaves of up to `leaf_capacity` entries, unordered within a leaf; routers guide the
 * way to them. Keys are stored as order-preserving unsigned images: signed ones with their top bit
 * flipped. */
#pragma once

#include "clade/shared/base.h"
#include "clade/shared/object.h"
#include "clade/shared/types.h"

#define CLADE_RBTREE_KIND CLADE_KIND('R', 'B', 'T', '1')

/* A per-item outcome that is no failure: the key was in the tree before. An insert then did
 * nothing, a put replaced the value. */
#define CLADE_RBTREE_PRESENT 1

/* What becomes of a key that is there: nothing, or its value is replaced. */
#define CLADE_RBTREE_INSERT 0u
#define CLADE_RBTREE_PUT    1u

/* What clade_rbtree_seek() looks for. */
#define CLADE_RBTREE_LOWER 0u /* the smallest key that is not less */
#define CLADE_RBTREE_NEXT  1u /* the smallest key that is greater */
#define CLADE_RBTREE_FLOOR 2u /* the greatest key that is not greater */
#define CLADE_RBTREE_PREV  3u /* the greatest key that is less */

/* --- links and meta words ------------------------------------------------------------------- */

/* A link is an index << 1 with the low bit set when it leads to a leaf. Router 0 is the sentinel:
 * its left link is the root, its right link is one that no node has. */
#define CLADE_RBTREE_NO_LINK      0xffffffffu
#define CLADE_RBTREE_LEAF_LINK(i) ((clade_u32)(i) << 1 | 1u)

/* Meta words. A leaf's: lock, dead, 30 bits of version. A router's: lock, dead, 5 bits of rank, 25
 * bits of version. A version grows with every change and is not reset within a launch. */
#define CLADE_RBTREE_LOCK           1u
#define CLADE_RBTREE_DEAD           2u
#define CLADE_RBTREE_LEAF_VERSION   4u   /* one step of a leaf's version */
#define CLADE_RBTREE_RANK_ONE       4u   /* one step of a router's rank */
#define CLADE_RBTREE_ROUTER_VERSION 128u /* one step of a router's version */
#define CLADE_RBTREE_RANK(meta)     ((meta) >> 2 & 31u)
#define CLADE_RBTREE_RANK_TOP       31u /* the sentinel's */

/* A leaf's second word: the next leaf's index + 1 (a hint; 0 is none) and the count of keys. */
#define CLADE_RBTREE_COUNT(link)       ((link)&31u)
#define CLADE_RBTREE_NEXT_LEAF(link)   ((link) >> 5)
#define CLADE_RBTREE_PACK(next, count) ((clade_u32)(next) << 5 | (clade_u32)(count))
#define CLADE_RBTREE_LEAF_CAPACITY_MAX 30u
#define CLADE_RBTREE_LEAVES_MAX        ((1u << 27) - 2u)

/* --- sizes, from the bytes of a key (4, 8), a value (0, 4, 8) and the leaf capacity --------- */

#define CLADE_RBTREE_ROUTER_BYTES(key)    ((key) == 8u ? 32u : 16u)
#define CLADE_RBTREE_LEAF_HEAD_BYTES(key) ((key) == 8u ? 32u : 16u)
#define CLADE_RBTREE_VALUES_AT(key, value, capacity)                                         \
    ((value) == 0u ? CLADE_RBTREE_LEAF_HEAD_BYTES(key) + (key) * (capacity)                  \
                   : (CLADE_RBTREE_LEAF_HEAD_BYTES(key) + (key) * (capacity) + (value)-1u) / \
                         ((value) + ((value) == 0u)) * (value))
#define CLADE_RBTREE_LEAF_BYTES(key, value, capacity) \
    ((CLADE_RBTREE_VALUES_AT(key, value, capacity) + (value) * (capacity) + 15u) / 16u * 16u)

/* Which arrays a call was given: bits of a kernel's `has`. */
#define CLADE_RBTREE_GIVEN_VALUES   1u
#define CLADE_RBTREE_GIVEN_STATUSES 2u

/* Leaves of 128 bytes, one line of a GPU's cache. */
#define CLADE_RBTREE_LEAF_CAPACITY_DEFAULT(key, value) \
    ((key) == 8u ? ((value) == 0u   ? 12u              \
                    : (value) == 4u ? 8u               \
                                    : 6u)              \
                 : ((value) == 0u   ? 28u              \
                    : (value) == 4u ? 14u              \
                                    : 9u))

/* All that a program must agree on with the tree, from the key's type, the bytes of a value and the
 * leaf capacity. */
#define CLADE_RBTREE_SHAPE(key, value, capacity)                                               \
    CLADE_SHAPE(CLADE_SHAPE_OF_RBTREE,                                                         \
                (clade_u32)(key) | (clade_u32)(value) << 3 | (clade_u32)(capacity) << 7)

/* --- the head ------------------------------------------------------------------------------- */

#define CLADE_RBTREE_SHARDS         512u /* free lists of each kind */
#define CLADE_RBTREE_COUNTER_SHARDS 64u

/* Counters of events, since creation or clear. */
#define CLADE_RBTREE_SPLITS     0
#define CLADE_RBTREE_PROMOTIONS 1
#define CLADE_RBTREE_ROTATIONS  2
#define CLADE_RBTREE_MERGES     3
#define CLADE_RBTREE_RETRIES    4
#define CLADE_RBTREE_BUSY       5
#define CLADE_RBTREE_FULL       6
#define CLADE_RBTREE_COUNTERS   8

/* Words that items contend for have cache lines of their own. Changed only between kernels: all
 * that is not clade_atomic_u32. */
typedef struct clade_rbtree_head {
    clade_object_head object;
    clade_u32 router_total; /* nodes in the pools, the sentinel too */
    clade_u32 leaf_total;
    clade_u32 routers_at; /* from the head on, in units of 16 bytes */
    clade_u32 leaves_at;
    clade_u32 reserved[20];
    clade_atomic_u32 routers_used; /* of the pool, ever; those given back are on the free lists */
    clade_u32 pad0[31];
    clade_atomic_u32 leaves_used;
    clade_u32 pad1[31];
    clade_atomic_u32 unbalanced; /* red nodes left below red ones because a bound was reached */
    clade_atomic_u32 leaked;     /* nodes that no free list took because a bound was reached */
    clade_u32 pad2[30];
    /* Heads of stacks of free nodes: (index + 1) << 1, and 1 while a pop is under way. */
    clade_atomic_u32 free_routers[CLADE_RBTREE_SHARDS];
    clade_atomic_u32 free_leaves[CLADE_RBTREE_SHARDS];
    clade_atomic_u32 counters[CLADE_RBTREE_COUNTER_SHARDS * CLADE_RBTREE_COUNTERS];
} clade_rbtree_head;

#define CLADE_RBTREE_LAYOUT(X)          \
    X(clade_rbtree_head, object)        \
    X(clade_rbtree_head, router_total)  \
    X(clade_rbtree_head, leaf_total)    \
    X(clade_rbtree_head, routers_at)    \
    X(clade_rbtree_head, leaves_at)     \
    X(clade_rbtree_head, routers_used)  \
    X(clade_rbtree_head, leaves_used)   \
    X(clade_rbtree_head, unbalanced)    \
    X(clade_rbtree_head, leaked)        \
    X(clade_rbtree_head, free_routers)  \
    X(clade_rbtree_head, free_leaves)   \
    X(clade_rbtree_head, counters)

CLADE_STATIC_ASSERT(rbtree_head_size, sizeof(clade_rbtree_head) == 512 + 2 * 4 * 512 + 4 * 64 * 8);

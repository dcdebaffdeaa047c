/* SPDX-License-Identifier: Apache-2.0 */
/* The layout of a red-black tree: a head, routers and leaves. docs/inside/rbtree.md explains
 * it.
 *
 * Entries lie in leaves, up to `leaf_capacity` in each, in no order within a leaf. Routers, the
 * inner nodes, guide the way to them. A key is stored as an unsigned image that keeps the order: a
 * signed key has its top bit flipped. */
#pragma once

#include "clade/shared/base.h"
#include "clade/shared/object.h"
#include "clade/shared/types.h"

#define CLADE_RBTREE_KIND CLADE_KIND('R', 'B', 'T', '1')

/* A status of a key that is no failure: the key was in the tree before. An insert then did nothing;
 * a put replaced the value. */
#define CLADE_RBTREE_PRESENT 1

/* What an operation does with a key that is there: nothing, or it replaces the value. */
#define CLADE_RBTREE_INSERT 0u
#define CLADE_RBTREE_PUT    1u

/* What clade_rbtree_seek() looks for. */
#define CLADE_RBTREE_LOWER 0u /* the smallest key that is not less */
#define CLADE_RBTREE_NEXT  1u /* the smallest key that is greater */
#define CLADE_RBTREE_FLOOR 2u /* the greatest key that is not greater */
#define CLADE_RBTREE_PREV  3u /* the greatest key that is less */

/* --- links and meta words ------------------------------------------------------------------- */

/* A link is an index << 1. Its low bit is set when it leads to a leaf. Router 0 is the sentinel:
 * its left link leads to the root, its right link to no node. */
#define CLADE_RBTREE_NO_LINK      0xffffffffu
#define CLADE_RBTREE_LEAF_LINK(i) ((clade_u32)(i) << 1 | 1u)

/* Each node has a meta word. A leaf's has a lock, a bit for "dead", and 30 bits of version. A
 * router's has a lock, a bit for "dead", 5 bits of rank and 25 bits of version. The version grows
 * with every change. */
#define CLADE_RBTREE_LOCK           1u
#define CLADE_RBTREE_DEAD           2u
#define CLADE_RBTREE_LEAF_VERSION   4u   /* one step of a leaf's version */
#define CLADE_RBTREE_RANK_ONE       4u   /* one step of a router's rank */
#define CLADE_RBTREE_ROUTER_VERSION 128u /* one step of a router's version */
#define CLADE_RBTREE_RANK(meta)     ((meta) >> 2 & 31u)
#define CLADE_RBTREE_RANK_TOP       31u /* the sentinel's */

/* No path of a tree has more routers: a longer walk met nodes of different times. */
#define CLADE_RBTREE_STEPS 200u

/* A leaf's second word has the index + 1 of the next leaf (a hint; 0 is none) and the count of
 * keys. */
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

/* Bits of a kernel's argument `has`: which arrays the call was given. */
#define CLADE_RBTREE_GIVEN_VALUES   1u
#define CLADE_RBTREE_GIVEN_STATUSES 2u

/* Entries of a group that makes whole leaves, rounded down to such. */
#ifndef CLADE_RBTREE_STAGED /* a test has fewer */
#define CLADE_RBTREE_STAGED 256u
#endif

/* The most different keys that a stretch of a batch may have to be looked through to its end. */
#define CLADE_RBTREE_FEW 511u

/* Neighbouring keys of a batch that a work-item of a CPU takes, one after the other. */
#ifndef CLADE_RBTREE_RUN
#define CLADE_RBTREE_RUN 64u
#endif

/* The default makes leaves of 128 bytes, one line of a GPU's cache. */
#define CLADE_RBTREE_LEAF_CAPACITY_DEFAULT(key, value) \
    ((key) == 8u ? ((value) == 0u   ? 12u              \
                    : (value) == 4u ? 8u               \
                                    : 6u)              \
                 : ((value) == 0u   ? 28u              \
                    : (value) == 4u ? 14u              \
                                    : 9u))

/* The shape: all that a program and a tree must agree on, from the key's type, the bytes of a value
 * and the leaf capacity. */
#define CLADE_RBTREE_SHAPE(key, value, capacity)                                               \
    CLADE_SHAPE(CLADE_SHAPE_OF_RBTREE,                                                         \
                (clade_u32)(key) | (clade_u32)(value) << 3 | (clade_u32)(capacity) << 7)

/* Of a tree that is `ranked`: one bit more. */
#define CLADE_RBTREE_SHAPE_RANKED (1u << 12)

/* --- the index of a ranked tree -------------------------------------------------------------- */

/* Each leaf of the tree owns a run of slots; the runs part all slots, in the order of the leaves. A
 * leaf's keys are counted at the first slot of its run. A leaf with an empty run shares its slot
 * with the next leaf. Level 0 has a word for each slot, a word of the next level is the sum of a
 * node of the level below, and the last level is one node. A node is CLADE_RBTREE_NODE words after
 * a version word, which tells that counts move from one slot to another. */
#define CLADE_RBTREE_NODE       31u
#define CLADE_RBTREE_NODE_WORDS 32u
#define CLADE_RBTREE_LEVELS_MAX 6u
/* Added to a version when a move begins, and taken from it when the move ends. The lowest byte is
 * the number of moves that are under way. */
#define CLADE_RBTREE_MOVE_BEGIN 0x101u
#define CLADE_RBTREE_MOVE_END   1u
#define CLADE_RBTREE_MOVING     0xffu
/* A leaf's first word of two: its slot, and whether no leaf before it has the same one (if the bit
 * is 0, that is not known). The second is where its run ends. */
#define CLADE_RBTREE_PLACE(slot, first) ((clade_u32)(slot) << 1 | (clade_u32)(first))

/* --- the head ------------------------------------------------------------------------------- */

#define CLADE_RBTREE_SHARDS         512u /* free lists of each kind */
#define CLADE_RBTREE_COUNTER_SHARDS 64u

/* Counters of events since the tree was created or cleared; the first four since it was built. */
#define CLADE_RBTREE_SPLITS     0
#define CLADE_RBTREE_PROMOTIONS 1
#define CLADE_RBTREE_ROTATIONS  2
#define CLADE_RBTREE_MERGES     3
#define CLADE_RBTREE_RETRIES    4
#define CLADE_RBTREE_BUSY       5
#define CLADE_RBTREE_FULL       6
#define CLADE_RBTREE_COUNTERS   8

/* Words that items contend for have cache lines of their own. A word that is no clade_atomic_u32
 * changes only between kernels. */
typedef struct clade_rbtree_head {
    clade_object_head object;
    clade_u32 router_total; /* nodes in the pools, the sentinel too */
    clade_u32 leaf_total;
    clade_u32 routers_at; /* from the head on, in units of 16 bytes */
    clade_u32 leaves_at;
    clade_u32 slots; /* of the index; 0: the tree is not ranked, and has none of what follows */
    clade_u32 levels;
    clade_u32 level_at[CLADE_RBTREE_LEVELS_MAX]; /* each level's first node */
    clade_u32 nodes_at;  /* from the head on, in units of 16 bytes */
    clade_u32 places_at; /* two words for each leaf */
    clade_u32 firsts_at; /* for each slot the index + 1 of the first leaf there: a hint */
    clade_u32 reserved[9];
    clade_atomic_u32 routers_used; /* of the pool, ever; those given back are on the free lists */
    clade_u32 pad0[31];
    clade_atomic_u32 leaves_used;
    clade_u32 pad1[31];
    clade_atomic_u32 unbalanced; /* red nodes left below red ones because a bound was reached */
    clade_atomic_u32 leaked;     /* nodes that no free list took because a bound was reached */
    clade_u32 pad2[30];
    /* Heads of stacks of free nodes: (index + 1) << 1, plus 1 while a pop is under way. */
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
    X(clade_rbtree_head, slots)         \
    X(clade_rbtree_head, levels)        \
    X(clade_rbtree_head, level_at)      \
    X(clade_rbtree_head, nodes_at)      \
    X(clade_rbtree_head, places_at)     \
    X(clade_rbtree_head, firsts_at)     \
    X(clade_rbtree_head, routers_used)  \
    X(clade_rbtree_head, leaves_used)   \
    X(clade_rbtree_head, unbalanced)    \
    X(clade_rbtree_head, leaked)        \
    X(clade_rbtree_head, free_routers)  \
    X(clade_rbtree_head, free_leaves)   \
    X(clade_rbtree_head, counters)

CLADE_STATIC_ASSERT(rbtree_head_size, sizeof(clade_rbtree_head) == 512 + 2 * 4 * 512 + 4 * 64 * 8);

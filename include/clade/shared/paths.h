/* SPDX-License-Identifier: Apache-2.0 */
/* Layout of a graph's buffer and of a path finder's. docs/inside/paths.md says who writes what. */
#pragma once

#include "clade/shared/object.h"

/* What lengths are: sums of 32-bit integers in 32 or in 64 bits, or sums of floats. */
#define CLADE_PATHS_U32 0u
#define CLADE_PATHS_F32 1u
#define CLADE_PATHS_U64 2u

#define CLADE_GRAPH_KIND        CLADE_KIND('g', 'r', 'p', 'h')
#define CLADE_GRAPH_SHAPE(type) CLADE_SHAPE(CLADE_SHAPE_OF_GRAPH, type) /* U32 or F32 */
#define CLADE_PATHS_KIND        CLADE_KIND('p', 'a', 't', 'h')
#define CLADE_PATHS_SHAPE(type) CLADE_SHAPE(CLADE_SHAPE_OF_PATHS, type)

/* Items go through a node's arcs in steps. A step is at most a group's items, times the arcs that
 * an item looks at together. With so many arcs the step beyond the last one does not wrap. */
#define CLADE_GRAPH_NODES_MAX 0x7fffffffu
#define CLADE_GRAPH_ARCS_MAX  0xfffeffffu
#define CLADE_GRAPH_BINS      256u

/* A graph: this head; offsets[nodes + 1], the arcs of node u are offsets[u] .. offsets[u + 1] - 1;
 * then, from the next multiple of 8 bytes on, arcs of two words: target and weight. All is constant
 * after creation, which writes it: first the words, then the arcs. */
typedef struct clade_graph_head {
    clade_object_head object;
    clade_u32 nodes;
    clade_u32 arcs;
    clade_atomic_u32 bad_offset; /* creation: the least node whose offsets fall, else ~0 */
    clade_atomic_u32 bad_target; /* creation: the least arc whose target is no node, else ~0 */
    clade_atomic_u32 bad_weight; /* creation: the least arc whose weight is none, else ~0 */
    clade_u32 reserved0[3];
    clade_atomic_u32 bins[CLADE_GRAPH_BINS]; /* creation: weights by their size, see graph.clh */
} clade_graph_head;

CLADE_STATIC_ASSERT(graph_head_size, sizeof(clade_graph_head) == 64 + 4 * CLADE_GRAPH_BINS);

/* Where arcs begin, in words of 4 bytes from the head's end. */
#define CLADE_GRAPH_ARCS_AT(nodes) (((nodes) + 2u) / 2u * 2u)

/* The ring: one row of entries for each of the buckets that come next. */
#define CLADE_PATHS_RING 32u
#define CLADE_PATHS_NONE 0xffffffffu /* no bucket, no node */

/* What the next round of a search does. */
#define CLADE_PATHS_IDLE    0u
#define CLADE_PATHS_EXPAND  1u /* entries of the near queue and of some buckets */
#define CLADE_PATHS_SPREAD  2u /* entries of the far pile go where they belong by now */
#define CLADE_PATHS_REBUILD 3u /* all entries are made anew from the labels */
#define CLADE_PATHS_DONE    4u
#define CLADE_PATHS_HEAVY   5u /* of many groups: pieces of nodes with many arcs */
#define CLADE_PATHS_LOOK_AT 6u /* of many groups: nobody pushes, and all look at the target */

/* One search. Between two launches all words lie here; a launch keeps them in local memory. */
typedef struct clade_paths_slot {
    clade_u32 step;
    clade_u32 bucket;  /* the greatest whose entries were taken */
    clade_u32 window;  /* the first bucket that is too late for the ring */
    clade_u32 near_at; /* which near queue this round reads; the other is written */
    clade_u32 far_at;  /* the same for the far pile */
    clade_u32 target;  /* how many targets are settled, in their order */
    clade_u32 rounds;
    clade_u32 rebuilds;
    clade_u32 settled;          /* when it is done: labels in buckets below are final */
    clade_u32 row;              /* of a table: which source it is about */
    clade_u32 target_seen;      /* of many groups: target + 1 when target_bucket is known, else 0 */
    clade_atomic_u32 expanded;  /* nodes, counted each time */
    clade_atomic_u32 overflow;  /* 1: the length of some path does not fit */
    clade_atomic_u32 lost;      /* the least bucket of an entry that found no room */
    clade_atomic_u32 far_least; /* the least bucket in the far pile that is written */
    clade_atomic_u32 ring_used; /* bit b % RING: there are entries of bucket b */
    clade_atomic_u32 heavy;     /* of many groups: pieces of nodes that wait */
    clade_atomic_u32
        target_bucket; /* of many groups: where the target's label is, NONE: it has none */
    clade_u32 reserved1;
    clade_atomic_u32 near_count[2];
    clade_atomic_u32 far_count[2];
    clade_atomic_u32 ring_count[CLADE_PATHS_RING];
    clade_u32 reserved2[9];
} clade_paths_slot;

CLADE_STATIC_ASSERT(paths_slot_size, sizeof(clade_paths_slot) == 256);

/* Words that groups share which do one search together. First a clade_paths_slot: the search as one
 * group leaves it. Then words of the launch; then three meetings, which the rounds use in turns. A
 * meeting has what its round added: to ring, near queue, far pile, heavy pieces. */
#define CLADE_PATHS_PENDING       64u /* 1 + the meeting whose sums the slot lacks; 0: none */
#define CLADE_PATHS_EXPANDED      65u /* nodes expanded in this launch, without those in the slot */
#define CLADE_PATHS_OVERFLOW      66u
#define CLADE_PATHS_MEETINGS      96u
#define CLADE_PATHS_MEETING_WORDS 96u
#define CLADE_PATHS_ARRIVED       0u  /* groups that did their share; the top bit: it is given up */
#define CLADE_PATHS_ADDED         32u /* entries for each bucket of the ring, then: */
#define CLADE_PATHS_ADDED_NEAR    32u
#define CLADE_PATHS_ADDED_FAR     33u
#define CLADE_PATHS_ADDED_HEAVY   34u
#define CLADE_PATHS_DESTINATIONS  35u
#define CLADE_PATHS_LEAST_LOST    (CLADE_PATHS_ADDED + 35u)
#define CLADE_PATHS_LEAST_FAR     (CLADE_PATHS_ADDED + 36u)
#define CLADE_PATHS_LEAST_TARGET  (CLADE_PATHS_ADDED + 37u)
#define CLADE_PATHS_SHARED_WORDS  (CLADE_PATHS_MEETINGS + 3u * CLADE_PATHS_MEETING_WORDS)

/* A path finder: this head, then `slots` pieces of 64 * slot_lines bytes. A piece has a
 * clade_paths_slot, then arrays of lengths (L, 4 or 8 bytes) and of nodes:
 *   L label[nodes], done[nodes], near[2][near_room], far[2][far_room], ring[RING][ring_room];
 *   u32 near[2][near_room], far[2][far_room], ring[RING][ring_room]; predecessor[nodes]
 * Where many groups do one search together, the words that they share follow, and heavy_room pairs
 * of a node and an arc. */
typedef struct clade_paths_head {
    clade_object_head object;
    clade_u32 nodes;
    clade_u32 slots;
    clade_u32 slot_lines;
    clade_u32 near_room;
    clade_u32 far_room;
    clade_u32 ring_room;
    clade_atomic_u32 next_row; /* of a table: the next source that no group has taken */
    clade_atomic_u32 left; /* predecessors: nodes without one; a table: rows that are not done */
    float scale;           /* buckets for a unit of length */
    clade_u32
        shared_at; /* the shared words, in lines of 64 bytes from the head; 0: there are none */
    clade_u32 heavy_room;
    clade_u32 reserved0[13];
} clade_paths_head;

#define CLADE_PATHS_LAYOUT(X)          \
    X(clade_graph_head, object)        \
    X(clade_graph_head, nodes)         \
    X(clade_graph_head, arcs)          \
    X(clade_graph_head, bad_offset)    \
    X(clade_graph_head, bad_target)    \
    X(clade_graph_head, bad_weight)    \
    X(clade_graph_head, bins)          \
    X(clade_paths_slot, step)          \
    X(clade_paths_slot, bucket)        \
    X(clade_paths_slot, window)        \
    X(clade_paths_slot, near_at)       \
    X(clade_paths_slot, far_at)        \
    X(clade_paths_slot, target)        \
    X(clade_paths_slot, rounds)        \
    X(clade_paths_slot, rebuilds)      \
    X(clade_paths_slot, settled)       \
    X(clade_paths_slot, row)           \
    X(clade_paths_slot, target_seen)   \
    X(clade_paths_slot, expanded)      \
    X(clade_paths_slot, overflow)      \
    X(clade_paths_slot, lost)          \
    X(clade_paths_slot, far_least)     \
    X(clade_paths_slot, ring_used)     \
    X(clade_paths_slot, heavy)         \
    X(clade_paths_slot, target_bucket) \
    X(clade_paths_slot, near_count)    \
    X(clade_paths_slot, far_count)     \
    X(clade_paths_slot, ring_count)    \
    X(clade_paths_head, object)        \
    X(clade_paths_head, nodes)         \
    X(clade_paths_head, slots)         \
    X(clade_paths_head, slot_lines)    \
    X(clade_paths_head, near_room)     \
    X(clade_paths_head, far_room)      \
    X(clade_paths_head, ring_room)     \
    X(clade_paths_head, next_row)      \
    X(clade_paths_head, left)          \
    X(clade_paths_head, scale)         \
    X(clade_paths_head, shared_at)     \
    X(clade_paths_head, heavy_room)

CLADE_STATIC_ASSERT(paths_head_size, sizeof(clade_paths_head) == 128);

/* SPDX-License-Identifier: Apache-2.0 */
/* The layout of a heap's buffer. docs/inside/heap.md says who may change each word, and when.
 */
#pragma once

#include "clade/shared/object.h"
#include "clade/shared/types.h"

#define CLADE_HEAP_KIND CLADE_KIND('h', 'e', 'a', 'p')

/* The engine: how a heap works inside. */
#define CLADE_HEAP_AUTO      0 /* clade_heap_create() chooses what suits */
#define CLADE_HEAP_TOP_DOWN  1 /* the paper's heap; inserts go from the root down */
#define CLADE_HEAP_BOTTOM_UP 2 /* the paper's heap; inserts of whole batches go from the leaf up */
#define CLADE_HEAP_FRONT     3 /* the front engine: a sorted front over unsorted leaves */

/* The default batch. A GPU has costs for each batch, a CPU for each level of the heap. The batch is
 * smaller where five regions of `element` bytes a key would not fit into local memory, so that pops
 * stay on the chip. (For the front engine the host chooses, and looks at the capacity as well.) */
#define CLADE_HEAP_BATCH_FITS(batch, local, element) (5ul * (batch) * (element) + 1024ul <= (local))
#define CLADE_HEAP_BATCH_DEFAULT(cpu, local, element)                   \
    (!(cpu) && CLADE_HEAP_BATCH_FITS(2048, (local), (element)) ? 2048   \
     : CLADE_HEAP_BATCH_FITS(1024, (local), (element))         ? 1024   \
     : CLADE_HEAP_BATCH_FITS(512, (local), (element))          ? 512    \
     : CLADE_HEAP_BATCH_FITS(256, (local), (element))          ? 256    \
     : CLADE_HEAP_BATCH_FITS(128, (local), (element))          ? 128    \
                                                               : 64)
#define CLADE_HEAP_BATCH_MIN 4u
#define CLADE_HEAP_BATCH_MAX 65536u
#define CLADE_HEAP_NODES_MAX 0x7ffffffeu
#define CLADE_HEAP_HEAPS_MAX 0x1000000u /* heaps of one object */

/* States of a node's lock. AVAIL, INUSE, TARGET and MARKED are those of Chen et al. EMPTY (never
 * locked) and HANDED (their second use of TARGET) have names of their own, so that what a state
 * means does not depend on who looks. */
#define CLADE_HEAP_EMPTY  0u /* after the last node */
#define CLADE_HEAP_AVAIL  1u /* filled, unlocked */
#define CLADE_HEAP_INUSE  2u /* filled, locked */
#define CLADE_HEAP_TARGET 3u /* promised to an insert that is on its way */
#define CLADE_HEAP_MARKED 4u /* promised as with TARGET, and a pop waits for that insert's keys */
#define CLADE_HEAP_HANDED 5u /* the insert left its keys here for that pop */

/* States of the heap lock. */
#define CLADE_HEAP_FREE 0u
#define CLADE_HEAP_HELD 1u

/* Which wait gave up in the middle of an operation: the values of `repair`. */
#define CLADE_HEAP_REPAIR_WALK   1u /* an insert's, for a node on its way down */
#define CLADE_HEAP_REPAIR_CLIMB  2u /* a bottom-up insert's, for its parent or its first lock */
#define CLADE_HEAP_REPAIR_HANDED 3u /* a pop's, with keys handed over to it */
#define CLADE_HEAP_REPAIR_SIFT   4u /* a pop's, for children below the root */

/* The shape: all that a program and a heap must agree on. `leaf` is 0 except for CLADE_HEAP_FRONT.
 * There a batch is at most half a leaf, 2048, and a leaf is a multiple of 256, so their bits do not
 * overlap. */
#define CLADE_HEAP_SHAPE(key, value, order, engine, batch, leaf)                              \
    CLADE_SHAPE(CLADE_SHAPE_OF_HEAP,                                                          \
                (clade_u32)(key) | (clade_u32)(value) << 3 | (clade_u32)(order) << 6 |        \
                    (clade_u32)(engine) << 7 | (clade_u32)(batch) << 9 | (clade_u32)(leaf) << 13)

#define CLADE_HEAP_NO_NAN 0xffffffffu

/* A 64-bit count is two words, the low one first, because not every device has 64-bit atomics. */
typedef struct clade_heap_head {
    clade_object_head object;
    clade_u32 nodes;       /* constant: node numbers go from 1 to this */
    clade_u32 capacity[2]; /* constant: keys */
    clade_u32 reserved0[21];

    /* One line of the device's cache: the heap lock and what it guards. */
    clade_atomic_u32 lock;   /* FREE or HELD */
    clade_atomic_u32 repair; /* not 0: REPAIR_*, order is not kept */
    clade_atomic_u32 count;  /* number of the last node that is filled or promised */
    clade_atomic_u32 root;   /* keys in node 1, right-aligned; changes while lock and node 1 are
                              * held */
    clade_atomic_u32 buffer; /* keys in the buffer */
    clade_u32 inserted[2];   /* keys that came since creation or clear */
    clade_u32 popped[2];     /* keys that left */
    clade_u32 reserved1[23];

    /* Statistics, changed by atomic additions only. */
    clade_atomic_u32 inserts[2]; /* batches */
    clade_atomic_u32 pops[2];    /* batches */
    clade_atomic_u32 refused[2];
    clade_atomic_u32 retries[2];
    clade_atomic_u32 cooperations[2];
    clade_u32 reserved2[22];

    /* The host's call that is running. Its first kernel writes these words. */
    clade_atomic_u32 verdict; /* a status that tells the call's kernels what to do */
    clade_atomic_u32 ticket;  /* next batch of the call */
    clade_atomic_u32 nan;     /* lowest place of a NaN in the keys, or CLADE_HEAP_NO_NAN */
    clade_u32 base[2];        /* `popped` when the call began */
    clade_u32 found;          /* clade_heap_peek(), CLADE_HEAP_FRONT: 1 when there is a first key */
    clade_u32 first_key[2];   /* its image */
    clade_u32 first_value[2]; /* and its value */
    clade_u32 reserved3[22];
} clade_heap_head;

/* A node's lock, and what may be read without it. It has 32 bytes: one memory sector of a GPU. */
typedef struct clade_heap_node {
    clade_atomic_u32 state;
    clade_atomic_u32 last[2]; /* image of its last key; exact for who holds the lock, else a hint */
    clade_u32 reserved[5];
} clade_heap_node;

/* The buffer has the head, then nodes 0 .. `nodes`, then slots 0 .. `nodes` of keys, then as many
 * slots of values. Node 0 is unused; slot 0 is the buffer of less than a batch. */
#define CLADE_HEAP_ALIGN(bytes) (((clade_u64)(bytes) + 127u) & ~(clade_u64)127u)
#define CLADE_HEAP_NODES_AT     512u
#define CLADE_HEAP_KEYS_AT(nodes) \
    CLADE_HEAP_ALIGN(CLADE_HEAP_NODES_AT + ((clade_u64)(nodes) + 1u) * 32u)
#define CLADE_HEAP_SLOTS_BYTES(nodes, batch, element_bytes) \
    CLADE_HEAP_ALIGN(((clade_u64)(nodes) + 1u) * (batch) * (element_bytes))
#define CLADE_HEAP_VALUES_AT(nodes, batch, key_bytes) \
    (CLADE_HEAP_KEYS_AT(nodes) + CLADE_HEAP_SLOTS_BYTES(nodes, batch, key_bytes))

/* The bytes from one heap of an object to the next: a multiple at which a sub-buffer may begin on
 * all devices that are known. */
#define CLADE_HEAP_STRIDE(nodes, batch, key_bytes, value_bytes)   \
    ((CLADE_HEAP_VALUES_AT(nodes, batch, key_bytes) +             \
      CLADE_HEAP_SLOTS_BYTES(nodes, batch, value_bytes) + 511u) & \
     ~(clade_u64)511u)

/* A scratch in local memory has several regions, each for a batch, and these words for the group.
 * With five regions all of an operation stays on the chip. With three, pops go through global
 * memory. */
#define CLADE_HEAP_SCRATCH_WORDS 32u

/* What a launch of clade_heap_step does. */
#define CLADE_HEAP_STEP_OPEN   1u
#define CLADE_HEAP_STEP_WORK   2u
#define CLADE_HEAP_STEP_CLOSE  4u
#define CLADE_HEAP_STEP_POP    8u  /* of a call that pops; otherwise, of one that inserts */
#define CLADE_HEAP_STEP_SORTED 16u /* a sort's plan says where the keys of an insert are */

#define CLADE_HEAP_LAYOUT(X)     \
    X(clade_heap_head, nodes)    \
    X(clade_heap_head, capacity) \
    X(clade_heap_head, lock)     \
    X(clade_heap_head, repair)   \
    X(clade_heap_head, count)    \
    X(clade_heap_head, root)     \
    X(clade_heap_head, buffer)   \
    X(clade_heap_head, inserted) \
    X(clade_heap_head, popped)   \
    X(clade_heap_head, inserts)  \
    X(clade_heap_head, refused)  \
    X(clade_heap_head, verdict)  \
    X(clade_heap_head, ticket)   \
    X(clade_heap_head, base)     \
    X(clade_heap_head, found)    \
    X(clade_heap_node, state)    \
    X(clade_heap_node, last)

CLADE_STATIC_ASSERT(heap_head_size, sizeof(clade_heap_head) == CLADE_HEAP_NODES_AT);
CLADE_STATIC_ASSERT(heap_node_size, sizeof(clade_heap_node) == 32);

/* SPDX-License-Identifier: Apache-2.0 */
/* Layout of a heap's buffer. docs/inside/heap.md says who may change each word, and when. */
#pragma once

#include "clade/shared/object.h"
#include "clade/shared/types.h"

#define CLADE_HEAP_KIND CLADE_KIND('h', 'e', 'a', 'p')

/* What is behind the heap. */
#define CLADE_HEAP_AUTO      0 /* what suits: clade_heap_create() chooses */
#define CLADE_HEAP_TOP_DOWN  1 /* the paper's heap, inserts from the root down */
#define CLADE_HEAP_BOTTOM_UP 2 /* the same, inserts of whole batches from the leaf up */
#define CLADE_HEAP_FRONT     3 /* a sorted front over unsorted leaves */

/* Keys a batch when nobody says: GPUs pay per batch, CPUs per level. Fewer where five regions of
 * `element` bytes a key would not fit local memory: pops then stay on the chip. (Of
 * CLADE_HEAP_FRONT the host chooses, by the capacity too.) */
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

/* States of a node's lock. Chen et al. have AVAIL, INUSE, TARGET and MARKED; EMPTY (never locked)
 * and HANDED (their second use of TARGET) get names of their own, so that no transition depends
 * on who looks. */
#define CLADE_HEAP_EMPTY  0u /* beyond the last node */
#define CLADE_HEAP_AVAIL  1u /* filled, unlocked */
#define CLADE_HEAP_INUSE  2u /* filled, locked */
#define CLADE_HEAP_TARGET 3u /* promised to an insert that is on its way */
#define CLADE_HEAP_MARKED 4u /* as TARGET, and a pop waits for that insert's keys */
#define CLADE_HEAP_HANDED 5u /* the insert left its keys here for that pop */

/* States of the heap lock. */
#define CLADE_HEAP_FREE 0u
#define CLADE_HEAP_HELD 1u

/* Which wait gave up in mid-operation, as `repair` keeps it. */
#define CLADE_HEAP_REPAIR_WALK   1u /* an insert's, for a node on its way down */
#define CLADE_HEAP_REPAIR_CLIMB  2u /* a bottom-up insert's, for its parent or its first lock */
#define CLADE_HEAP_REPAIR_HANDED 3u /* a pop's, with keys handed over to it */
#define CLADE_HEAP_REPAIR_SIFT   4u /* a pop's, for children below the root */

/* All that a program must agree on with the heap that it is given. `leaf`: of CLADE_HEAP_FRONT, else
 * 0; its batches are at most half a leaf, 2048, and leaves multiples of 256, so their bits are apart. */
#define CLADE_HEAP_SHAPE(key, value, order, engine, batch, leaf)                              \
    CLADE_SHAPE(CLADE_SHAPE_OF_HEAP,                                                          \
                (clade_u32)(key) | (clade_u32)(value) << 3 | (clade_u32)(order) << 6 |        \
                    (clade_u32)(engine) << 7 | (clade_u32)(batch) << 9 | (clade_u32)(leaf) << 13)

#define CLADE_HEAP_NO_NAN 0xffffffffu

/* 64-bit counts are two words, `low` first: not every device has 64-bit atomics. */
typedef struct clade_heap_head {
    clade_object_head object;
    clade_u32 nodes;       /* constant: node numbers go from 1 to this */
    clade_u32 capacity[2]; /* constant: keys */
    clade_u32 reserved0[21];

    /* One line of the device's cache: the heap lock and what it guards. */
    clade_atomic_u32 lock;   /* FREE or HELD */
    clade_atomic_u32 repair; /* not 0: REPAIR_*, order is not kept */
    clade_atomic_u32 count;  /* number of the last node that is filled or promised */
    clade_atomic_u32 root;   /* keys in node 1, right-aligned; changes under lock and node 1 */
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

    /* The host API's call that is running: written by its first kernel. */
    clade_atomic_u32 verdict; /* a status: what the call's kernels are to do */
    clade_atomic_u32 ticket;  /* next batch of the call */
    clade_atomic_u32 nan;     /* lowest place of a NaN in the keys, or CLADE_HEAP_NO_NAN */
    clade_u32 base[2];        /* `popped` when the call began */
    clade_u32 found;          /* clade_heap_peek(), CLADE_HEAP_FRONT: 1 when there is a first key, */
    clade_u32 first_key[2];   /* which is this image, */
    clade_u32 first_value[2]; /* and its value */
    clade_u32 reserved3[22];
} clade_heap_head;

/* One node's lock and what may be looked at without it. 32 bytes: one memory sector on GPUs. */
typedef struct clade_heap_node {
    clade_atomic_u32 state;
    clade_atomic_u32 last[2]; /* image of its last key; exact under the lock, a hint without */
    clade_u32 reserved[5];
} clade_heap_node;

/* The buffer: head, nodes 0 (unused) .. nodes, then slots 0 (the partial buffer) .. nodes of keys,
 * then as many of values. */
#define CLADE_HEAP_ALIGN(bytes) (((clade_u64)(bytes) + 127u) & ~(clade_u64)127u)
#define CLADE_HEAP_NODES_AT     512u
#define CLADE_HEAP_KEYS_AT(nodes) \
    CLADE_HEAP_ALIGN(CLADE_HEAP_NODES_AT + ((clade_u64)(nodes) + 1u) * 32u)
#define CLADE_HEAP_SLOTS_BYTES(nodes, batch, element_bytes) \
    CLADE_HEAP_ALIGN(((clade_u64)(nodes) + 1u) * (batch) * (element_bytes))
#define CLADE_HEAP_VALUES_AT(nodes, batch, key_bytes) \
    (CLADE_HEAP_KEYS_AT(nodes) + CLADE_HEAP_SLOTS_BYTES(nodes, batch, key_bytes))

/* From one heap of an object to the next: where a sub-buffer may begin on any device that is known.
 */
#define CLADE_HEAP_STRIDE(nodes, batch, key_bytes, value_bytes)   \
    ((CLADE_HEAP_VALUES_AT(nodes, batch, key_bytes) +             \
      CLADE_HEAP_SLOTS_BYTES(nodes, batch, value_bytes) + 511u) & \
     ~(clade_u64)511u)

/* Local memory of a scratch: `regions` areas of a batch each, and words for the group. Five
 * regions keep all of an operation on the chip; three make pops pass through global memory. */
#define CLADE_HEAP_SCRATCH_WORDS 32u

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

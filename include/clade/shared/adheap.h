/* SPDX-License-Identifier: Apache-2.0 */
/* The layout of an object with many d-ary heaps. */
#pragma once

#include "clade/shared/object.h"
#include "clade/shared/types.h"

#define CLADE_ADHEAP_KIND CLADE_KIND('A', 'D', 'H', 'P')

/* The bridge: how a walk from the root writes what it moved. */
#define CLADE_ADHEAP_BRIDGE_AUTO      0 /* clade_adheap_create() chooses what suits */
#define CLADE_ADHEAP_BRIDGE_NONE      1 /* a store for each level at once: the plain d-heap */
#define CLADE_ADHEAP_BRIDGE_REGISTERS 2 /* lane i keeps level i; one scattered store at the end */
#define CLADE_ADHEAP_BRIDGE_LOCAL     3 /* in local memory; one scattered store at the end */
#define CLADE_ADHEAP_BRIDGE_DUMP      4 /* a dump to the heap's head; one item writes it back */
#define CLADE_ADHEAP_BRIDGE_HOST      5 /* a log in the heap's head; a host thread writes it back */

/* The object has this head, then `stride` key words for each heap, then `stride` 32-bit values for
 * each heap. With CLADE_ADHEAP_BRIDGE_HOST a slot for each group follows, from line `calls` on.
 *
 * A key word has as many bits as a key, 32 or 64. A heap has CLADE_ADHEAP_ROOT key words of head,
 * and then its keys as order words (docs/inside/adheap.md). So node 0 is key word
 * CLADE_ADHEAP_ROOT. The children of node i are the `arity` nodes from arity * i + 1 on, and start
 * at a multiple of `arity` words. */
typedef struct clade_adheap_head {
    clade_object_head object;
    clade_u32 heaps;
    clade_u32 arity;    /* 8, 16, 32 or 64 */
    clade_u32 capacity; /* keys a heap */
    clade_u32 stride;   /* key words a heap; a multiple of 64 */
    clade_u32 key_type; /* CLADE_I32 .. CLADE_F64 */
    clade_u32 order;
    clade_u32 keep;     /* 1: the root is the last of the keys in `order`, not the first */
    clade_u32 values;   /* 1: each key has a 32-bit value */
    clade_u32 calls;    /* the first line of the slots, or 0 */
    clade_u32 patience; /* polls for which a kernel waits for the host */
    clade_u32 slots;    /* how many there are; groups beyond them ask nobody */
    clade_u32 reserved[45];
} clade_adheap_head;

/* The shape: all that a program and an object must agree on. `is_host` is 1 with
 * CLADE_ADHEAP_BRIDGE_HOST. The other bridges leave nothing in the object and need nothing of it.
 */
#define CLADE_ADHEAP_SHAPE(arity, key, order, keep, values, is_host)                              \
    CLADE_SHAPE(CLADE_SHAPE_OF_ADHEAP,                                                            \
                (clade_u32)(arity) | (clade_u32)(key) << 7 | (clade_u32)(order) << 10 |           \
                    (clade_u32)(keep) << 11 | (clade_u32)(values) << 12 | (clade_u32)(is_host) << 13)

#define CLADE_ADHEAP_HEAD_WORDS 64u /* of the object */
#define CLADE_ADHEAP_ROOT       63u /* words of a heap before its root */

/* The 32-bit words of a heap's head. They belong to the group or sub-group that works on the heap
 * in a launch. With CLADE_ADHEAP_BRIDGE_HOST the log and its counter go to the host and back
 * (cl/clade/adheap/bridge.clh). */
#define CLADE_ADHEAP_BRIDGE    0u /* how many entries the log has; 0 between operations */
#define CLADE_ADHEAP_LOG       1u /* the entries: node and word; with _BRIDGE_HOST the value, too */
#define CLADE_ADHEAP_SIZE      44u
#define CLADE_ADHEAP_PICK      45u /* 1: the feed that runs now selects */
#define CLADE_ADHEAP_CUT       46u /* 1: a call was cut off; the heap is refused until its repair */
#define CLADE_ADHEAP_WALKS     48u /* counts, when the kernels were built to count: walks ... */
#define CLADE_ADHEAP_LOADS     49u /* ... sets of children loaded ... */
#define CLADE_ADHEAP_MOVES     50u /* ... levels moved ... */
#define CLADE_ADHEAP_PLAIN     51u /* ... transactions of a plain d-heap ... */
#define CLADE_ADHEAP_BRIDGED   52u /* ... of one with a bridge, up to its dump ... */
#define CLADE_ADHEAP_SCATTERED 53u /* ... and words that are then written back */
#define CLADE_ADHEAP_LOG_WIDE \
    64u /* in place of LOG for keys of 64 bits: their head is twice as long */

/* The 32-bit words of a group's slot: the kernel's call to the host, and, on a line of its own, the
 * host's call to the kernel. */
#define CLADE_ADHEAP_SLOT_WORDS  64u
#define CLADE_ADHEAP_SLOT_STATE  0u /* IDLE, ASKED or TAKEN */
#define CLADE_ADHEAP_SLOT_HEAP   1u
#define CLADE_ADHEAP_SLOT_ALONE  2u  /* 1: the host once did not answer; nobody asks it again */
#define CLADE_ADHEAP_SLOT_DOOR   32u /* GONE, READY, CALLED, RUNNING, ANSWERED, LEFT or STOP */
#define CLADE_ADHEAP_SLOT_WHAT   33u /* an operation; what it takes and gives follows */
#define CLADE_ADHEAP_SLOT_WHERE  34u /* heap */
#define CLADE_ADHEAP_SLOT_NODE   35u
#define CLADE_ADHEAP_SLOT_KEY    36u /* two words */
#define CLADE_ADHEAP_SLOT_VALUE  38u
#define CLADE_ADHEAP_SLOT_STATUS 39u

/* What the host asks of a resident kernel: clade_adheap_call.what. */
#define CLADE_ADHEAP_CALL_INSERT 0
#define CLADE_ADHEAP_CALL_POP    1 /* fills key and value in */
#define CLADE_ADHEAP_CALL_PEEK   2 /* fills key and value in */
#define CLADE_ADHEAP_CALL_UPDATE 3

#define CLADE_ADHEAP_IDLE  0u
#define CLADE_ADHEAP_ASKED 1u
#define CLADE_ADHEAP_TAKEN 2u

#define CLADE_ADHEAP_GONE     0u /* no kernel is there */
#define CLADE_ADHEAP_READY    1u /* one waits for a call */
#define CLADE_ADHEAP_CALLED   2u
#define CLADE_ADHEAP_ANSWERED 3u
#define CLADE_ADHEAP_LEFT     4u /* answered, and gone */
#define CLADE_ADHEAP_STOP     5u /* the host wants it to end */
#define CLADE_ADHEAP_RUNNING  6u /* the kernel took the call */

#define CLADE_ADHEAP_LEVELS     12u /* the most, with 8 children and 2^32 words */
#define CLADE_ADHEAP_PATH_WORDS (3u * CLADE_ADHEAP_LEVELS)
#define CLADE_ADHEAP_WIDTH      32u /* words a transaction: one line of 128 bytes */

#define CLADE_ADHEAP_LAYOUT(X)     \
    X(clade_adheap_head, heaps)    \
    X(clade_adheap_head, arity)    \
    X(clade_adheap_head, capacity) \
    X(clade_adheap_head, stride)   \
    X(clade_adheap_head, key_type) \
    X(clade_adheap_head, order)    \
    X(clade_adheap_head, keep)     \
    X(clade_adheap_head, values)   \
    X(clade_adheap_head, calls)    \
    X(clade_adheap_head, patience) \
    X(clade_adheap_head, slots)

CLADE_STATIC_ASSERT(adheap_head_size, sizeof(clade_adheap_head) == CLADE_ADHEAP_HEAD_WORDS * 4);

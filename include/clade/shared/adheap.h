/* SPDX-License-Identifier: Apache-2.0 */
/* The layout of an object of many d-ary heaps. */
#pragma once

#include "clade/shared/object.h"
#include "clade/shared/types.h"

#define CLADE_ADHEAP_KIND CLADE_KIND('A', 'D', 'H', 'P')

/* How a walk from the root writes what it moved. */
#define CLADE_ADHEAP_BRIDGE_AUTO      0
#define CLADE_ADHEAP_BRIDGE_NONE      1 /* a store a level, as it goes: the plain d-heap */
#define CLADE_ADHEAP_BRIDGE_REGISTERS 2 /* lane i keeps level i; one scattered store at the end */
#define CLADE_ADHEAP_BRIDGE_LOCAL     3 /* the same with local memory */
#define CLADE_ADHEAP_BRIDGE_DUMP      4 /* dumped to the heap's head; one item writes it back */

/* The object: this head, then heap after heap of `stride` words, then as many for the values.
 * A heap: CLADE_ADHEAP_ROOT words of its own head, then its keys as order words (docs/adheap.md),
 * so that node 0 is word CLADE_ADHEAP_ROOT and the children of any node, `arity` of them from
 * node arity * i + 1 on, start at a multiple of `arity` words. */
typedef struct clade_adheap_head {
    clade_object_head object;
    clade_u32 heaps;
    clade_u32 arity;    /* 8, 16, 32 or 64 */
    clade_u32 capacity; /* keys a heap */
    clade_u32 stride;   /* words a heap; a multiple of 64 */
    clade_u32 key;      /* CLADE_I32, _U32 or _F32 */
    clade_u32 order;
    clade_u32 keep;   /* 1: the root is the last of the keys in `order`, not the first */
    clade_u32 values; /* 1: each key has a 32-bit value */
    clade_u32 reserved[48];
} clade_adheap_head;

#define CLADE_ADHEAP_HEAD_WORDS 64u /* of the object */
#define CLADE_ADHEAP_ROOT       63u /* words of a heap before its root */

/* The words of a heap's head. All belong to whoever works on the heap in a launch. */
#define CLADE_ADHEAP_BRIDGE 0u /* pairs dumped; then the pairs: node, word. 0 between operations \
                                */
#define CLADE_ADHEAP_SIZE    32u
#define CLADE_ADHEAP_WALKS   40u /* counts, when the kernels were built to count: walks ... */
#define CLADE_ADHEAP_LOADS   41u /* ... sets of children loaded ... */
#define CLADE_ADHEAP_MOVES   42u /* ... levels moved ... */
#define CLADE_ADHEAP_PLAIN   43u /* ... transactions of a plain d-heap ... */
#define CLADE_ADHEAP_BRIDGED 44u /* ... and of one with a bridge */

#define CLADE_ADHEAP_LEVELS 12u /* the most, with 8 children and 2^32 words */
#define CLADE_ADHEAP_WIDTH  32u /* words a transaction: one line of 128 bytes */

#define CLADE_ADHEAP_LAYOUT(X)     \
    X(clade_adheap_head, heaps)    \
    X(clade_adheap_head, arity)    \
    X(clade_adheap_head, capacity) \
    X(clade_adheap_head, stride)   \
    X(clade_adheap_head, key)      \
    X(clade_adheap_head, order)    \
    X(clade_adheap_head, keep)     \
    X(clade_adheap_head, values)

CLADE_STATIC_ASSERT(adheap_head_size, sizeof(clade_adheap_head) == CLADE_ADHEAP_HEAD_WORDS * 4);

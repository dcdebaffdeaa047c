/* SPDX-License-Identifier: Apache-2.0 */
/* Layout of a queue's buffer. docs/inside/queue.md says who may change each word, and when. */
#pragma once

#include "clade/shared/object.h"

#define CLADE_QUEUE_KIND CLADE_KIND('f', 'i', 'f', 'o')
#define CLADE_QUEUE_SHAPE CLADE_SHAPE(CLADE_SHAPE_OF_QUEUE, 0u) /* programs choose nothing */

#define CLADE_QUEUE_CAPACITY_MAX (1u << 28) /* and a power of two */
#define CLADE_QUEUE_VALUE_MAX    0x3fffffffu

/* A slot: EMPTY and the round in which it is to be filled next; or a value, and the round's lowest
 * bit. A position's round is how often the ring was gone round before it. */
#define CLADE_QUEUE_EMPTY 0x80000000u
#define CLADE_QUEUE_ODD   0x40000000u

typedef struct clade_queue_head {
    clade_object_head object;
    clade_u32 shift; /* constant: log2 of the slots */
    clade_u32 reserved0[23];

    clade_atomic_u32 head; /* position of the oldest value; wraps */
    clade_u32 reserved1[31];

    clade_atomic_u32 tail; /* of the next one to be put; wraps. At most one behind the truth */
    clade_u32 reserved2[31];

    /* A host's call, from its first launch to its last: */
    clade_atomic_u32 from;      /* the position of its first value */
    clade_atomic_u32 count;     /* how many it puts or takes */
    clade_atomic_u32 too_large; /* number of the last append with a value that is too large */
    clade_u32 reserved3[29];
    /* then the slots */
} clade_queue_head;

#define CLADE_QUEUE_LAYOUT(X)  \
    X(clade_queue_head, shift) \
    X(clade_queue_head, head)  \
    X(clade_queue_head, tail)  \
    X(clade_queue_head, from)  \
    X(clade_queue_head, count) \
    X(clade_queue_head, too_large)

CLADE_STATIC_ASSERT(queue_head_size, sizeof(clade_queue_head) == 512);

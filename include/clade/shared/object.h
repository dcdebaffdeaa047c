/* SPDX-License-Identifier: Apache-2.0 */
/* What every object's buffer starts with. */
#pragma once

#include "clade/shared/base.h"
#include "clade/shared/status.h"

/* Kinds of object, stored in `kind`: four letters, so that a dump can be told by eye. */
#define CLADE_KIND(a, b, c, d) \
    ((clade_u32)(a) | (clade_u32)(b) << 8 | (clade_u32)(c) << 16 | (clade_u32)(d) << 24)

#define CLADE_OBJECT_LAYOUT_VERSION 1u

/* The shape: all that a program must agree on with the object that it is handed, in one word of its
 * head. Host and program make it with the same macro, CLADE_..._SHAPE() beside the structure's
 * layout; operations in kernels compare the two before anything else, and with another object answer
 * CLADE_E_ARG. The top bits are the structure, so that no object fits another structure's program,
 * and a buffer of zeros fits none; the other 28 are the structure's. */
#define CLADE_SHAPE(structure, own) ((clade_u32)(structure) << 28 | (clade_u32)(own))
#define CLADE_SHAPE_OF_KMA          1u
#define CLADE_SHAPE_OF_HEAP         2u
#define CLADE_SHAPE_OF_ADHEAP       3u
#define CLADE_SHAPE_OF_RBTREE       4u
#define CLADE_SHAPE_OF_LIST         5u
#define CLADE_SHAPE_OF_DLIST        6u
#define CLADE_SHAPE_OF_SEMILIST     7u
#define CLADE_SHAPE_OF_QUEUE        8u
#define CLADE_SHAPE_OF_ARRAYLIST    9u

/* The first 32 bytes of an object. All words but the two errors are constant after creation.
 * `first_error` goes from CLADE_OK to a status once, by compare-and-swap, between two reads by the
 * host; whoever wins then writes `first_error_item`. The host clears both when it reads them. */
typedef struct clade_object_head {
    clade_u32 kind;
    clade_u32 layout_version;
    clade_u32 bytes_low; /* size of the whole buffer */
    clade_u32 bytes_high;
    clade_atomic_u32 first_error;      /* a status, as its 32 bits */
    clade_atomic_u32 first_error_item; /* which item or batch met it */
    clade_u32 shape;                   /* CLADE_SHAPE() */
    clade_u32 reserved0;
} clade_object_head;

#define CLADE_OBJECT_HEAD_LAYOUT(X)      \
    X(clade_object_head, kind)           \
    X(clade_object_head, layout_version) \
    X(clade_object_head, bytes_low)      \
    X(clade_object_head, bytes_high)     \
    X(clade_object_head, first_error)    \
    X(clade_object_head, first_error_item) \
    X(clade_object_head, shape)

CLADE_STATIC_ASSERT(object_head_size, sizeof(clade_object_head) == 32);

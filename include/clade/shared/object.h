/* SPDX-License-Identifier: Apache-2.0 */
/* The head that every object's buffer starts with. */
#pragma once

#include "clade/shared/base.h"
#include "clade/shared/status.h"

/* The kind of an object, four letters in the word `kind`, so that people can tell it in a dump. */
#define CLADE_KIND(a, b, c, d) \
    ((clade_u32)(a) | (clade_u32)(b) << 8 | (clade_u32)(c) << 16 | (clade_u32)(d) << 24)

#define CLADE_OBJECT_LAYOUT_VERSION 2u /* 1: before version 0.2 */

/* The shape: one word that says all that a program and an object must agree on, such as types and
 * sizes. Host and program make it with the same macro, CLADE_..._SHAPE() beside the structure's
 * layout. An operation in a kernel first compares its own shape with the object's, and returns
 * CLADE_E_ARG if they differ. The top 4 bits tell the structure, so no object fits a program for
 * another structure, and a buffer of zeros fits none. The other 28 bits are the structure's own. */
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
#define CLADE_SHAPE_OF_GRAPH        10u
#define CLADE_SHAPE_OF_PATHS        11u
#define CLADE_SHAPE_OF_HASHMAP      12u

/* The first 32 bytes of an object. All words but the two errors are constant after creation. The
 * first item that meets an error changes `first_error` from CLADE_OK to its status, by
 * compare-and-swap, and then writes `first_error_item`. The host clears both when it reads them. */
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

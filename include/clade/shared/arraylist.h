/* SPDX-License-Identifier: Apache-2.0 */
/* The layout of an array list. Its segments are blocks of an allocator (clade/shared/kma.h).
 * docs/inside/arraylist.md says who may change each word, and when. */
#pragma once

#include "clade/shared/object.h"

#define CLADE_ARRAYLIST_KIND CLADE_KIND('a', 'r', 'r', 'l')
/* A program chooses nothing, so all have one shape. */
#define CLADE_ARRAYLIST_SHAPE CLADE_SHAPE(CLADE_SHAPE_OF_ARRAYLIST, 0u)

#define CLADE_ARRAYLIST_SEGMENTS     32u
#define CLADE_ARRAYLIST_CAPACITY_MAX (1u << 30)
#define CLADE_ARRAYLIST_ELEMENT_MAX  1024u       /* bytes */
#define CLADE_ARRAYLIST_REFUSED      0xffffffffu /* in `base`: a host's append got no room */
#define CLADE_ARRAYLIST_MAKING       0xffffffffu /* in a segment's word: an item is asking for its
                                                  * block */
/* The words of local memory that clade_arraylist_append_wg() needs in a group of so many items. */
#define CLADE_ARRAYLIST_SCRATCH(items) (2u * (items))

typedef struct clade_arraylist_head {
    clade_object_head object;
    clade_u32 words;    /* constant: the words of an element */
    clade_u32 shift;    /* constant: segments 0 and 1 have 2^shift elements, each later one twice
                         * as many as the one before */
    clade_u32 capacity; /* constant: the most elements */
    clade_atomic_u32 base; /* the first index of a host's append */
    clade_u32 reserved0[20];

    clade_atomic_u32 size; /* how many elements; it only grows within a launch */
    clade_u32 reserved1[31];

    clade_atomic_u32 segments[CLADE_ARRAYLIST_SEGMENTS]; /* refs; nil, MAKING, then a block */
} clade_arraylist_head;

#define CLADE_ARRAYLIST_LAYOUT(X)     \
    X(clade_arraylist_head, words)    \
    X(clade_arraylist_head, shift)    \
    X(clade_arraylist_head, capacity) \
    X(clade_arraylist_head, base)     \
    X(clade_arraylist_head, size)     \
    X(clade_arraylist_head, segments)

CLADE_STATIC_ASSERT(arraylist_head_size, sizeof(clade_arraylist_head) == 384);

/* The index of a segment's first element. */
static inline clade_u32 clade_arraylist_first(clade_u32 shift, clade_u32 segment)
{
    return segment == 0u ? 0u : 1u << (shift + segment - 1u);
}

/* How many elements a segment has. */
static inline clade_u32 clade_arraylist_elements(clade_u32 shift, clade_u32 segment)
{
    return segment == 0u ? 1u << shift : 1u << (shift + segment - 1u);
}

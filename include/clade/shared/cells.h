/* SPDX-License-Identifier: Apache-2.0 */
/* The pool of cells of a list: an array with the refs of the free cells. The array is shared out to
 * several counters, called stripes, so that items that take a cell do not all meet at one word.
 * cl/clade/base/cells.clh takes cells. Reclaiming writes the array anew. */
#pragma once

#include "clade/shared/base.h"

#define CLADE_CELLS_STRIPES 32u

/* A stripe's counter, on a cache line of its own. `taken` counts the entries of its part of the
 * array that were handed out. Each item that found the part empty may have raised it by one more.
 */
typedef struct clade_cells_stripe {
    clade_atomic_u32 taken;
    clade_atomic_u32 insert_collisions; /* failed compare-and-swaps of inserts */
    clade_atomic_u32 erase_collisions;  /* and of erasures */
    clade_u32 reserved[29];
} clade_cells_stripe;

#define CLADE_CELLS_LAYOUT(X)                \
    X(clade_cells_stripe, taken)             \
    X(clade_cells_stripe, insert_collisions) \
    X(clade_cells_stripe, erase_collisions)

CLADE_STATIC_ASSERT(cells_stripe_size, sizeof(clade_cells_stripe) == 128);

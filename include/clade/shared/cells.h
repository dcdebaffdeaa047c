/* SPDX-License-Identifier: Apache-2.0 */
/* Cells of an object's own pool: an array of refs of free cells, dealt to counters, so that not
 * everybody who takes one meets at one word. cl/clade/base/cells.clh takes them; the host's reclaiming
 * makes the array anew. */
#pragma once

#include "clade/shared/base.h"

#define CLADE_CELLS_STRIPES 32u

/* A counter on a line of its own. `taken`: entries of this stripe of the free array that were
 * handed out; it may run past the end by one an item that found it empty. */
typedef struct clade_cells_stripe {
    clade_atomic_u32 taken;
    clade_atomic_u32 insert_collisions; /* failed compare-and-swaps */
    clade_atomic_u32 erase_collisions;
    clade_u32 reserved[29];
} clade_cells_stripe;

#define CLADE_CELLS_LAYOUT(X)                \
    X(clade_cells_stripe, taken)             \
    X(clade_cells_stripe, insert_collisions) \
    X(clade_cells_stripe, erase_collisions)

CLADE_STATIC_ASSERT(cells_stripe_size, sizeof(clade_cells_stripe) == 128);

/* SPDX-License-Identifier: Apache-2.0 */
/* Reclaiming, by the list's own kernels: they go over all cells that the head names. */
#define CLADE_SPIN_LIMIT 5000u
#include "host/device.h"

#include "clade/atomic.clh"

/* Groups of one item, on one thread: local memory is static, whose ends the sanitizer sees. */
#undef __kernel
#define __kernel static
#undef __local
#define __local                static
#define CLADE_DLIST_VALUE_BITS 64
#include "kernels/dlist.cl"
#undef min
#undef max

#include "dlist/fuzz.h"
#include "fuzz/use.h"

void use_dlist_reclaim(void *memory)
{
    clade_dlist_head *list = memory;
    const uint cells = list->capacity > CLADE_CELLS_STRIPES ? list->capacity : CLADE_CELLS_STRIPES;
    USE_EVERY_CELL(cells, clade_dlist_shorten(list));
    USE_EVERY_CELL(cells, clade_dlist_relink(list));
    USE_EVERY_CELL(cells, clade_dlist_sweep(list, 1u));
}

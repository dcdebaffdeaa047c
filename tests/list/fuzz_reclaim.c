/* SPDX-License-Identifier: Apache-2.0 */
/* Reclaiming, by the list's own kernels: they go over all cells that the head names. */
#define CLADE_SPIN_LIMIT 5000u
#include "host/device.h"

#include "clade/atomic.clh"

/* Groups of one item, on one thread: local memory is static, whose ends the sanitizer sees. */
#undef __kernel
#define __kernel static
#undef __local
#define __local               static
#define CLADE_LIST_VALUE_BITS 32
#include "kernels/list.cl"
#undef min
#undef max

#include "fuzz/use.h"
#include "list/fuzz.h"

void use_map_reclaim(void *memory)
{
    clade_list_head *list = memory;
    const uint cells = list->capacity > CLADE_CELLS_STRIPES ? list->capacity : CLADE_CELLS_STRIPES;
    USE_EVERY_CELL(cells, clade_list_skip(list, memory));
    USE_EVERY_CELL(cells, clade_list_relink(list, memory));
    USE_EVERY_CELL(cells, clade_list_sweep(list, memory, list->index_at));
    USE_EVERY_CELL(cells, clade_list_count(list, memory));
}

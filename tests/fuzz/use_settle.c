/* SPDX-License-Identifier: Apache-2.0 */
/* Reclaiming, by the lists' own kernels: they go over all cells that the head names. */
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
#define CLADE_DLIST_VALUE_BITS 64
#define is_erased              is_erased_from_dlist
#define free_cell              free_cell_of_dlist
#include "kernels/dlist.cl"
#undef min
#undef max

#include "fuzz/use.h"

#define FOR_EVERY_CELL(cells, call)                                                        \
    do {                                                                                   \
        shim_self = (struct shim_item) { .local_size = 1, .groups = (cells) + 1u };        \
        for (; shim_self.global_id <= (cells); shim_self.group_id = ++shim_self.global_id) \
            call;                                                                          \
        shim_self = (struct shim_item) { 0 };                                              \
    } while (0)

void use_map_reclaim(void *memory)
{
    clade_list_head *list = memory;
    const uint cells = list->capacity > CLADE_CELLS_STRIPES ? list->capacity : CLADE_CELLS_STRIPES;
    FOR_EVERY_CELL(cells, clade_list_skip(list, memory));
    FOR_EVERY_CELL(cells, clade_list_relink(list, memory));
    FOR_EVERY_CELL(cells, clade_list_sweep(list, memory, list->index_at));
    FOR_EVERY_CELL(cells, clade_list_count(list, memory));
}

void use_dlist_reclaim(void *memory)
{
    clade_dlist_head *list = memory;
    const uint cells = list->capacity > CLADE_CELLS_STRIPES ? list->capacity : CLADE_CELLS_STRIPES;
    FOR_EVERY_CELL(cells, clade_dlist_shorten(list));
    FOR_EVERY_CELL(cells, clade_dlist_relink(list));
    FOR_EVERY_CELL(cells, clade_dlist_sweep(list, 1u));
}

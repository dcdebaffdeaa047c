/* SPDX-License-Identifier: Apache-2.0 */
/* Pools of cells: their free array, as the host checks it. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "clade/error.h"
#include "clade/shared/cells.h"

/* The array of free cells of an object, and how the object's copy is asked about a cell. */
struct cladei_free_array {
    const uint32_t *entries;
    uint32_t count, capacity;
    const clade_cells_stripe *stripes;
    bool (*is_free)(const void *image, clade_ref cell); /* its words say so */
    bool (*meet)(void *image, clade_ref cell); /* notes it; false: it is in use, or was met */
};
/* Entries that were not handed out are free cells, each there once. */
clade_status cladei_free_array_check(const struct cladei_free_array *array, void *image);

/* What the stripes of a pool count, over all of them. `free`: entries of a free array of `entries`
 * that were not handed out. */
struct cladei_cells_counts {
    uint64_t free, insert_collisions, erase_collisions;
};
struct cladei_cells_counts cladei_cells_count(const clade_cells_stripe *stripes, uint32_t entries);

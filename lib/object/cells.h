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

/* What the host knows of a pool, and of the list that it is for, without asking the device. Kernels
 * of users change more than this: after them comes a reclaim that starts from
 * cladei_cells_are_unknown(). */
struct cladei_cells_known {
    uint64_t capacity;
    uint64_t changes;    /* operations enqueued since the last reclaim that may change the list */
    uint64_t free_least; /* cells that are free now, at least */
    uint64_t live_most;  /* nodes that are in the list now, at most */
    bool needs_reclaim; /* a call was cut short by a failure: a reclaim must come before all else */
};
/* Right after a reclaim, or a clear, of a list with so many nodes at most. */
void cladei_cells_are_clean(struct cladei_cells_known *known, uint64_t live_most);
void cladei_cells_are_unknown(struct cladei_cells_known *known);
/* Before `count` operations, each of which may take a cell. */
void cladei_cells_expect(struct cladei_cells_known *known, uint64_t count);
/* With the number of nodes as of the last reclaim or count. What is known for sure spares the next
 * calls reclaiming. */
void cladei_cells_learn(struct cladei_cells_known *known, uint64_t live);
/* How long runs of erased nodes may be that a reclaim meets: no longer than the changes; but if a
 * kernel of the user erased more, a longer one is only slow. Not so where the driver leaves long
 * loops. */
uint64_t cladei_cells_longest_run(const struct cladei_cells_known *known, uint32_t loop_limit);

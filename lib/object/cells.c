/* SPDX-License-Identifier: Apache-2.0 */
/* Pools of cells as the host reads them: see clade/shared/cells.h. */
#include "object/cells.h"
#include "base/error.h"

clade_status cladei_free_array_check(const struct cladei_free_array *array, void *image)
{
    clade_status status = CLADE_OK;
    CLADE_REQUIRE(array->count <= array->capacity, CLADE_E_CORRUPT,
                  "the free array has %u entries; there are %u cells", array->count,
                  array->capacity);
    for (uint32_t i = 0; i < array->count; i++) {
        if (i / CLADE_CELLS_STRIPES < array->stripes[i % CLADE_CELLS_STRIPES].taken)
            continue;
        const clade_ref cell = array->entries[i];
        CLADE_REQUIRE(cell != CLADE_NIL && cell <= array->capacity, CLADE_E_CORRUPT,
                      "entry %u of the free array is %u; there are %u cells", i, cell,
                      array->capacity);
        CLADE_REQUIRE(array->meet(image, cell), CLADE_E_CORRUPT,
                      "cell %u is in the free array, and in the list or there twice", cell);
        CLADE_REQUIRE(array->is_free(image, cell), CLADE_E_CORRUPT,
                      "cell %u is in the free array but not free", cell);
    }
fail:
    return status;
}

struct cladei_cells_counts cladei_cells_count(const clade_cells_stripe *stripes, uint32_t entries)
{
    struct cladei_cells_counts counts = { 0 };
    for (uint32_t i = 0; i < CLADE_CELLS_STRIPES; i++) {
        const uint64_t dealt = entries > i ? (entries - i - 1) / CLADE_CELLS_STRIPES + 1 : 0;
        counts.free += dealt > stripes[i].taken ? dealt - stripes[i].taken : 0;
        counts.insert_collisions += stripes[i].insert_collisions;
        counts.erase_collisions += stripes[i].erase_collisions;
    }
    return counts;
}

void cladei_cells_are_clean(struct cladei_cells_known *known, uint64_t live_most)
{
    known->changes = 0;
    known->live_most = live_most;
    known->free_least = known->capacity - live_most;
    known->needs_reclaim = false;
}

void cladei_cells_are_unknown(struct cladei_cells_known *known)
{
    known->changes = known->live_most = known->capacity;
}

void cladei_cells_expect(struct cladei_cells_known *known, uint64_t count)
{
    const uint64_t more = known->capacity - known->live_most;
    known->changes += count;
    known->free_least -= known->free_least < count ? known->free_least : count;
    known->live_most += more < count ? more : count;
}

/* No more cells were taken since the last reclaim than there were changes. */
void cladei_cells_learn(struct cladei_cells_known *known, uint64_t live)
{
    const uint64_t most = live + known->changes;
    if (known->live_most > most)
        known->live_most = most;
    if (most < known->capacity && known->free_least < known->capacity - most)
        known->free_least = known->capacity - most;
}

uint64_t cladei_cells_longest_run(const struct cladei_cells_known *known, uint32_t loop_limit)
{
    return known->changes < known->capacity && loop_limit == 0 ? known->changes : known->capacity;
}

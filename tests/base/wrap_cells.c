/* SPDX-License-Identifier: Apache-2.0 */
/* The counters of a pool of cells (clade/base/cells.clh) at and beyond their ends: `taken` is at
 * most an item's addition for each that asks at once, but a word that a file brought may be
 * anything. A stripe that is past its end deals nothing, whatever 32 times the word is in 32 bits;
 * the other stripes deal all of theirs, each once. */
#include "host/device.h"

#include <stdio.h>

#include "clade/base/cells.clh"

enum { THREADS = 4, MOST = 100 };

static const uint counts[] = { 0, 1, 31, 32, 33, 64, MOST };
/* Where 32 * taken is 0, or just before and behind it; and the word's own end. */
static const uint starts[] = { MOST,       (1u << 27) - 1u, 1u << 27,    (1u << 27) + 1u,
                               1u << 28,   (1u << 31) - 1u, 0x80000000u, 0xffffff00u,
                               0xfffffffdu };

struct job {
    clade_cells_stripe stripes[CLADE_CELLS_STRIPES];
    clade_atomic_u32 free_cells[MOST];
    uint count;
    clade_atomic_u32 met[MOST + 1], nils;
};

/* Until the pool has said no twice: two more than fit. */
static void take_all(void *argument, void *local)
{
    struct job *job = argument;
    (void)local;
    for (uint refused = 0; refused < 2;) {
        const clade_ref cell = clade_cells_take_wi(job->stripes, job->free_cells, job->count);
        refused += cell == CLADE_NIL;
        clade_add_relaxed(cell == CLADE_NIL ? &job->nils : &job->met[cell], 1u);
    }
}

/* Stripes that `past` names begin at `start`. */
static int try_one(uint count, uint start, uint past)
{
    static struct job job;
    int wrong = 0;
    job = (struct job) { .count = count };
    for (uint i = 0; i < MOST; i++)
        job.free_cells[i] = i + 1u;
    for (uint s = 0; s < CLADE_CELLS_STRIPES; s++)
        job.stripes[s].taken = past >> s & 1u ? start : 0u;
    shim_launch(take_all, &job, THREADS, 1, 0);
    for (uint i = 0; i < count; i++) {
        const uint wanted = past >> (i % CLADE_CELLS_STRIPES) & 1u ? 0u : 1u;
        wrong += job.met[i + 1] != wanted;
    }
    for (uint i = count; i < MOST; i++) /* beyond the array */
        wrong += job.met[i + 1] != 0;
    for (uint s = 0; s < CLADE_CELLS_STRIPES; s++)
        wrong += (past >> s & 1u) && job.stripes[s].taken != start;
    wrong += job.nils != 2u * THREADS;
    if (wrong)
        printf("%u cells, taken %#x of the stripes %#x: %d wrong\n", count, start, past, wrong);
    return wrong;
}

/* Groups take turns in the stripes, however many there are. */
static int wrong_own(void)
{
    static clade_cells_stripe stripes[CLADE_CELLS_STRIPES];
    int wrong = 0;
    for (uint group = 0; group < 3u << 16; group += 4099) {
        shim_self = (struct shim_item) { .local_size = 1, .group_id = group, .groups = group + 1u };
        wrong += clade_cells_own(stripes) != &stripes[group % CLADE_CELLS_STRIPES];
    }
    return wrong;
}

/* Collisions are counted for the reader alone: they wrap, and nothing stands on them. */
int main(void)
{
    static const uint pasts[] = { 0u, 1u, 0x80000000u, 0x55555555u, 0xffffffffu };
    int wrong = wrong_own();
    for (uint c = 0; c < sizeof counts / sizeof counts[0]; c++)
        for (uint s = 0; s < sizeof starts / sizeof starts[0]; s++)
            for (uint p = 0; p < sizeof pasts / sizeof pasts[0]; p++)
                wrong += try_one(counts[c], starts[s], pasts[p]);
    printf("cells: %d wrong\n", wrong);
    return wrong != 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* kma.clh: cells of one superblock that both threads look into first. A block is written plainly by
 * who has it, so that two owners at once, or one after the other without order, are a race. A claim
 * takes the lowest free cell; so it gets the one that another thread frees, if it sees that.
 *
 * The memory that all begin with is in genmc_kma_image.h, which genmc_image writes.
 *
 * @world give_beside_take: a free beside a claim, which may get that cell
 * @world both_take: a claim each
 * @world take_and_give: a claim and a free each
 * @world both_give_and_take: a free and a claim each
 * @needs cladei_kma_claim_fast or_acquire give_beside_take
 * @needs cladei_kma_free_cells and_release give_beside_take */
#include "genmc/device.h"

#undef get_group_id
#undef get_global_id
#define get_group_id(d)  ((size_t)0) /* where a claim begins to look */
#define get_global_id(d) ((size_t)0)

#include "clade/kma.clh"

#include "genmc_kma_image.h"

#include <assert.h>

static union memory {
    clade_kma_head head;
    uint words[KMA_WORDS];
} memory __attribute__((aligned(CLADE_KMA_PAGE_BYTES))) = { .words = { KMA_IMAGE } };

#define kma (&memory.head)

static clade_ref taken[4]; /* what each thread has at the end */

static inline uint *block(clade_ref ref)
{
    return (uint *)clade_kma_ptr(kma, ref);
}

static inline clade_ref take(uint me)
{
    const clade_ref ref = clade_kma_malloc_wi(kma, KMA_BLOCK);
    assert(ref != CLADE_NIL);
    *block(ref) = me;
    return ref;
}

static inline void give(uint me, clade_ref ref)
{
    assert(*block(ref) == me);
    *block(ref) = 99;
    clade_kma_free_wi(kma, ref);
}

static inline void begin(void)
{
    *block(KMA_FIRST) = 0; /* the first cell is thread 0's, the second thread 1's */
    *block(KMA_SECOND) = 1;
}

static inline void end(void)
{
    for (uint i = 0; i < 4; i++) {
        for (uint k = 0; k < i; k++)
            assert(taken[i] == CLADE_NIL || taken[i] != taken[k]);
        if (taken[i] != CLADE_NIL)
            assert(*block(taken[i]) == i);
    }
    assert(kma->bad_frees == 0);
}

/* --- worlds ----------------------------------------------------------------------------------- */

static inline void give_beside_take(uint me)
{
    if (me == 0)
        give(me, KMA_FIRST);
    else
        taken[me] = take(me);
}

static inline void both_take(uint me)
{
    taken[me] = take(me);
}

static inline void take_and_give(uint me)
{
    give(me, take(me));
}

static inline void both_give_and_take(uint me)
{
    give(me, me == 0 ? KMA_FIRST : KMA_SECOND);
    taken[me] = take(me);
}

#include "genmc/world.h"

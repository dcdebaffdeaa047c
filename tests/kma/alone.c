/* SPDX-License-Identifier: Apache-2.0 */
/* The allocator: how each public device function is called alone (tests/alone/alone.h). room:
 * blocks, 64 for each call that ends one. */
#include "alone/alone.h"

static const struct call kma_calls[] = {
    { "clade_kma_malloc_wi", "said = clade_kma_malloc_wi(O, 24u + item);", BY_ZERO },
    { "clade_kma_malloc_aligned_wi", "said = clade_kma_malloc_aligned_wi(O, 24u, 64u);", BY_ZERO },
    { "clade_kma_calloc_wi", "said = clade_kma_calloc_wi(O, 3u, 8u);", BY_ZERO },
    { "clade_kma_malloc_sg", "said = clade_kma_malloc_sg(O, 24u);", BY_ZERO },
    { "clade_kma_malloc_wg",
      "__local uint local_[CLADE_KMA_WG_WORDS(64u)]; said = clade_kma_malloc_wg(O, 24u, local_);",
      BY_ZERO },
    { "clade_kma_size_wi", "said = (uint)clade_kma_size_wi(O, (uint)room[item]);", BY_ZERO },
    { "clade_kma_realloc_wi", "said = clade_kma_realloc_wi(O, (uint)room[64u + item], 400u);",
      BY_ZERO },
    { "clade_kma_free_wi", "clade_kma_free_wi(O, (uint)room[128u + item]);", BY_ZERO },
    { "clade_kma_free_sg", "clade_kma_free_sg(O, (uint)room[192u + item]);", BY_ZERO },
    { "clade_kma_free_wg",
      "__local uint local_[CLADE_KMA_WG_WORDS(64u)]; "
      "clade_kma_free_wg(O, (uint)room[256u + item], local_);",
      BY_ZERO },
};

static clade_status open_kma(struct world *w, const struct kind *k)
{
    uint32_t refs[5 * FILLED];
    TRY(alone_make_kma(w, (int)k->other));
    TRY(clade_kma_malloc(w->own_kma, clade_no_array(), 100, clade_host(refs), 5 * FILLED, NULL));
    for (int i = 0; i < 5 * FILLED; i++)
        w->room[i] = refs[i];
    w->object = w->kma;
    w->kma = NULL;
    alone_options(w, clade_kma_options(w->own_kma));
    w->shape = CLADE_KMA_OBJECT_SHAPE(k->other);
    alone_wrong(w, CLADE_KMA_OBJECT_SHAPE(k->other ^ 1));
    return CLADE_OK;
}

#define ALLOCATOR "#define OBJECT clade_kma_head\n#include \"clade/kma.clh\"\n"

const struct kind kma_alone[] = {
    KIND("kma", ALLOCATOR, kma, open_kma, 0, 0, 0),
    KIND("kma-debug", ALLOCATOR, kma, open_kma, 0, 0, 1),
    { 0 },
};

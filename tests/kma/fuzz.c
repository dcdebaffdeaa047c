/* SPDX-License-Identifier: Apache-2.0 */
/* The allocator in fuzz_use.c: how large, an empty one, what loading does (tests/fuzz/kinds.h). */
#include "fuzz/kinds.h"

#include <stdlib.h>
#include <string.h>

#include "kma/fuzz.h"
#include "kma/kma.h"

enum { PAGES = 12 };

static clade_kma_head kma_of(void)
{
    const clade_caps caps = { .compute_units = 2, .is_cpu = 1 };
    clade_kma_head constants;
    cladei_kma_lay_out(&constants, PAGES, &caps, 0, 0);
    return cladei_kma_first_head(&constants);
}

static size_t kma_bytes(unsigned variant)
{
    (void)variant;
    return (size_t)PAGES * CLADE_KMA_PAGE_BYTES;
}

static size_t kma_patched(unsigned variant)
{
    (void)variant;
    return (size_t)kma_of().first_page * CLADE_KMA_PAGE_BYTES;
}

static void kma_empty(unsigned variant, uint32_t *words)
{
    const clade_kma_head head = kma_of();
    const struct cladei_object object = { .kind = CLADE_KMA_KIND,
                                          .bytes = kma_bytes(variant),
                                          .shape = head.object.shape };
    const clade_object_head common = cladei_object_head(&object);
    memcpy(words, &head, sizeof head);
    memcpy(words, &common, sizeof common);
    memset(words + sizeof head / 4, 0, kma_patched(variant) - sizeof head);
    memset(words + head.cells_at, 0xff, (size_t)head.pages * 32 * 4);
    cladei_kma_first_tree(&head, words + head.tree_at + CLADE_KMA_PAGE_TREE(0) * head.tree_words);
    use_kma_make_ready(words);
}

static clade_status kma_load(unsigned variant, uint32_t *words)
{
    struct cladei_kma_image image = { .words = words };
    memcpy(&image.head, words, sizeof image.head);
    /* What load() asks before it knows how large the bookkeeping is. */
    if (!cladei_kma_head_is_sound(&image.head, kma_bytes(variant), false))
        return CLADE_E_CORRUPT;
    return cladei_kma_adopt(&image, kma_bytes(variant), false);
}

static void kma_use(unsigned variant, void *object, uint32_t seed, uint32_t steps)
{
    use_kma(object, (uint32_t)kma_patched(variant), seed, steps);
}

const struct fuzz_kind kma_fuzz[] = {
    { 1, kma_bytes, kma_empty, kma_load, kma_use, kma_patched },
    { 0 },
};

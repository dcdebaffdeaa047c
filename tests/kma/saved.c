/* SPDX-License-Identifier: Apache-2.0 */
/* Files: the allocator (tests/saved/saved.h). */
#include "saved/saved.h"

#include <clade/kma.h>
#include <clade/shared/kma.h>

static void save(clade_context *context, const char *path)
{
    clade_kma *kma = NULL;
    uint32_t refs[40];
    assert_ok(clade_kma_create(&kma, context, &(clade_kma_params) { .bytes = 1 << 20 }));
    assert_ok(clade_kma_malloc(kma, clade_no_array(), 1000, clade_host(refs), 40, NULL));
    assert_ok(clade_kma_free(kma, clade_host(refs), 20, NULL));
    assert_ok(clade_kma_save(kma, path));
    clade_kma_destroy(&kma);
}
LOADS(kma)

static const struct saved_word impossible[] = {
    { "bytes", 0, 1 },
    { "debug", 2, 2 },
    { 0 },
};
const struct saved kma_saved[] = {
    { "kma", 16, CLADE_KMA_OBJECT_SHAPE(0), save, load, impossible, { "size", 0, 1u << 28 } },
    { 0 },
};

/* SPDX-License-Identifier: Apache-2.0 */
/* A saved object, whatever it holds, is refused or lies inside its file; and what a saved allocator
 * holds is refused or sound, without a step outside its bookkeeping. The checksum hides most of
 * that from a search, so each input is tried with the right one, too. */
#include <stdlib.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "clade/shared/queue.h"
#include "clade/shared/semilist.h"
#include "kma/kma.h"
#include "object/saved.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { HEAD = 40, CHECKSUM_AT = 32, PAGES_LEAST = 8, PAGES_MOST = 64 };

/* The first kind is nobody's. */
static const struct {
    uint32_t kind, params;
} kinds[] = {
    { CLADE_KIND('t', 'e', 's', 't'), 8 },
    { CLADE_KMA_KIND, 16 },
    { CLADE_SEMILIST_KIND, 16 },
    { CLADE_QUEUE_KIND, 8 },
};

/* Of a size that clade_kma_load() lets pass. The file may end behind the bookkeeping: all of the
 * rest is blocks, which nobody looks at. */
static void look_at_allocator(const struct cladei_saved *saved)
{
    uint64_t bytes;
    struct cladei_kma_image image;
    memcpy(&bytes, saved->params, sizeof bytes);
    if (saved->payload_bytes < sizeof image.head || bytes % CLADE_KMA_PAGE_BYTES != 0 ||
        bytes < (uint64_t)PAGES_LEAST * CLADE_KMA_PAGE_BYTES ||
        bytes > (uint64_t)PAGES_MOST * CLADE_KMA_PAGE_BYTES)
        return;
    memcpy(&image.head, saved->payload, sizeof image.head);
    if (!cladei_kma_head_is_sound(&image.head, bytes, image.head.debug != 0))
        return;
    const size_t room = (size_t)image.head.first_page * CLADE_KMA_PAGE_BYTES;
    image.words = calloc(1, room);
    if (!image.words)
        return;
    memcpy(image.words, saved->payload,
           saved->payload_bytes < room ? (size_t)saved->payload_bytes : room);
    const clade_status status = cladei_kma_adopt(&image, bytes, image.head.debug == 1);
    if (status != CLADE_OK && status != CLADE_E_CORRUPT)
        abort();
    free(image.words);
}

static void try_all(struct cladei_saved *saved)
{
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        if (cladei_saved_parse(saved, "input", kinds[i].kind, kinds[i].params) != CLADE_OK)
            continue;
        const char *payload = saved->payload, *params = saved->params;
        if (params < saved->bytes || payload != params + kinds[i].params ||
            payload + saved->payload_bytes != saved->bytes + saved->size)
            abort();
        if (kinds[i].kind == CLADE_KMA_KIND)
            look_at_allocator(saved);
    }
}

/* As the library computes it, for each kind that the head may name. */
static void mend_checksum(struct cladei_saved *saved)
{
    uint32_t params;
    memcpy(&params, saved->bytes + 16, sizeof params);
    if (saved->size < HEAD || params > saved->size - HEAD)
        return;
    const char *at = saved->bytes + HEAD;
    const uint64_t checksum =
        XXH3_64bits_withSeed(at + params, saved->size - HEAD - params, XXH3_64bits(at, params));
    memcpy(saved->bytes + CHECKSUM_AT, &checksum, sizeof checksum);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct cladei_saved saved = { .bytes = malloc(size ? size : 1), .size = size };
    if (!saved.bytes)
        return 0;
    if (size > 0)
        memcpy(saved.bytes, data, size);
    try_all(&saved);
    if (size >= HEAD) {
        mend_checksum(&saved);
        try_all(&saved);
    }
    cladei_saved_close(&saved);
    return 0;
}

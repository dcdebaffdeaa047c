/* SPDX-License-Identifier: Apache-2.0 */
/* The host's view of an allocator whose device functions run on threads (host_kma.c): a file of its
 * own, since the shared headers mean something else there. */
#include <stdlib.h>
#include <string.h>

#include "../../lib/kma_internal.h"

#include "host_kma.h"

/* Head and room for all; the bookkeeping behind the head is garbage, as a new buffer's is. */
void *host_kma_new(uint32_t pages, uint32_t units, int debug)
{
    const clade_caps caps = { .compute_units = units, .is_cpu = 1 };
    clade_kma_head constants;
    cladei_kma_lay_out(&constants, pages, &caps, debug, 0);
    const clade_kma_head head = cladei_kma_first_head(&constants);
    char *memory = aligned_alloc(CLADE_KMA_PAGE_BYTES, (size_t)pages * CLADE_KMA_PAGE_BYTES);
    if (memory && head.first_page < pages) {
        memset(memory, 0xa5, (size_t)head.first_page * CLADE_KMA_PAGE_BYTES);
        memcpy(memory, &head, sizeof head);
    }
    return memory;
}

uint32_t host_kma_bookkeeping_words(const void *memory)
{
    return ((const clade_kma_head *)memory)->first_page * (CLADE_KMA_PAGE_BYTES / 4);
}

const char *host_kma_verify(void *memory, const uint32_t *live, uint64_t count)
{
    struct cladei_kma_image image = { .words = memory };
    memcpy(&image.head, memory, sizeof image.head);
    return cladei_kma_verify(&image, live, count) == CLADE_OK ? NULL : clade_error_last()->message;
}

bool host_kma_has_short_group(const void *memory)
{
    const clade_kma_head *head = memory;
    for (uint32_t page = head->first_page; page < head->pages; page++)
        if (CLADE_KMA_INFO_CELLS(((const uint32_t *)memory)[head->info_at + page]) % 32 != 0)
            return true;
    return false;
}

uint32_t host_kma_bad_frees(const void *memory)
{
    return ((const clade_kma_head *)memory)->bad_frees;
}

uint32_t host_kma_fault(const void *memory)
{
    return ((const clade_kma_head *)memory)->fault;
}

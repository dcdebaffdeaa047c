/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the C text of a small allocator's memory, as genmc_kma.c begins with it: one superblock,
 * which a part hint shows, with its first two cells taken. It is made here by the same device
 * functions, since GenMC would take a minute for what they write. */
#include "host/device.h"

#include <stdio.h>
#include <stdlib.h>

#include "kma/host_kma.h"

#include "clade/kma.clh"

enum { PAGES = 8, BLOCK = 512, RUN = 4 };

static void print_words(const uint *words, uint count)
{
    printf("#define KMA_WORDS %uu\n#define KMA_IMAGE", count);
    for (uint i = 0; i < count;) {
        uint n = 1;
        while (i + n < count && words[i + n] == words[i])
            n++;
        if (words[i] != 0)
            printf(" \\\n    [%u ... %u] = 0x%xu,", i, i + n - 1, words[i]);
        i += n;
    }
    printf("\n");
}

int main(void)
{
    __global clade_kma_head *const kma = host_kma_new(PAGES, 1, 0);
    if (!kma)
        return 1;
    host_kma_clear((void *)kma);
    const clade_ref first = clade_kma_malloc_wi(kma, BLOCK),
                    second = clade_kma_malloc_wi(kma, BLOCK);
    const uint live[] = { first, second };
    const char *const why = host_kma_verify((void *)kma, live, 2);
    if (why || first == CLADE_NIL || second == CLADE_NIL) {
        fprintf(stderr, "kma_image: %s\n", why ? why : "no room");
        return 1;
    }
    printf("/* Made by kma_image.c. */\n#define KMA_BLOCK %uu\n", BLOCK);
    printf("#define KMA_FIRST %uu\n#define KMA_SECOND %uu\n", first, second);
    print_words((const uint *)kma, PAGES * CLADE_KMA_PAGE_BYTES / 4u);
    free((void *)kma);
    return 0;
}

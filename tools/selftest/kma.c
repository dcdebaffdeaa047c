/* SPDX-License-Identifier: Apache-2.0 */
/* The allocator's part of `clade selftest`: blocks of all sizes are had, none lies in another, and
 * all of the heap comes back, for other sizes too. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "selftest/selftest.h"

enum { BLOCKS = 20000, HEAP = 32 << 20 };

/* clade_kma_check() tells whether blocks overlap: two would share a ref or a cell. */
static bool run_kma(clade_kma *kma, uint64_t *sizes, uint32_t *refs)
{
    clade_kma_stats stats = { 0 };
    for (uint32_t turn = 0; turn < 3; turn++) {
        for (uint32_t i = 0; i < BLOCKS; i++)
            sizes[i] = 1 + (i * 2654435761u >> turn) % (i % 16 == 0 ? 4096 : 500);
        if (!selftest_fine("kma", clade_kma_malloc(kma, clade_host(sizes), 0, clade_host(refs),
                                                   BLOCKS, NULL)) ||
            !selftest_fine("kma", clade_kma_check(kma, refs, BLOCKS)) ||
            !selftest_fine("kma", clade_kma_free(kma, clade_host(refs), BLOCKS, NULL)) ||
            !selftest_fine("kma", clade_kma_check(kma, refs, 0)))
            return false;
    }
    if (!selftest_fine("kma", clade_kma_stats_read(kma, &stats)))
        return false;
    if (stats.refused != 0 || stats.bad_frees != 0)
        printf("  kma: %" PRIu64 " requests were refused, %" PRIu64 " frees were bad\n",
               stats.refused, stats.bad_frees);
    return stats.refused == 0 && stats.bad_frees == 0;
}

bool selftest_kma(clade_context *context)
{
    uint64_t *sizes = malloc(BLOCKS * sizeof *sizes);
    uint32_t *refs = malloc(BLOCKS * sizeof *refs);
    clade_kma *kma = NULL;
    bool right = sizes && refs &&
                 selftest_fine("kma", clade_kma_create(&kma, context,
                                                       &(clade_kma_params) { .bytes = HEAP })) &&
                 run_kma(kma, sizes, refs);
    clade_kma_destroy(&kma);
    free(sizes);
    free(refs);
    return right;
}

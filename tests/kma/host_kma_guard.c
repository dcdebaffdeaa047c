/* SPDX-License-Identifier: Apache-2.0 */
/* Debug mode: a ref whose guard somebody wrote where no cell is. Behind the last cell of a
 * superblock units may be left; a cell that began there would end in what follows. */
#include "host/device.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kma/host_kma.h"

#undef __kernel
#define __kernel static
/* The kernels are named as the host's functions, which are linked too. */
#define clade_kma_malloc kernel_malloc
#define clade_kma_free   kernel_free
#include "kernels/kma.cl"

#include "kma/host_kma_start.h"

enum { PAGES = 64, UNITS = 2 };

static void init(__global clade_kma_head *kma)
{
    shim_self = (struct shim_item) { .local_size = 1, .groups = 1 };
    host_kma_start(kma);
}

/* Frees what would begin behind the last cell of the block's superblock: 1 where that is refused
 * and nothing behind the superblock changes, 0 where no such cell fits, -1 else. */
static int free_behind_last_cell(char *memory, clade_ref block)
{
    clade_kma_head *kma = (void *)memory;
    const uint page = (block - 1u) / CLADE_KMA_PAGE_UNITS, info = cladei_kma_info(kma, page);
    const uint units = clade_kma_class_units(CLADE_KMA_INFO_KIND(info) - 1u);
    const uint sb = page - CLADE_KMA_INFO_INDEX(info), end = sb + CLADE_KMA_INFO_PAGES(info);
    const uint unit = sb * CLADE_KMA_PAGE_UNITS + CLADE_KMA_INFO_CELLS(info) * units;
    if (CLADE_KMA_INFO_KIND(info) == CLADE_KMA_BIG || unit + 2u > end * CLADE_KMA_PAGE_UNITS ||
        end == PAGES)
        return 0;
    const clade_ref ref = unit + 2u;
    const size_t from = (size_t)end * CLADE_KMA_PAGE_BYTES;
    const size_t bytes = (size_t)PAGES * CLADE_KMA_PAGE_BYTES - from;
    const cladei_kma_guard guard = { .mark = CLADE_KMA_DEBUG_LIVE ^ ref, .size_low = 65536 };
    char *kept = malloc(bytes);
    memcpy(memory + (size_t)unit * CLADE_KMA_UNIT_BYTES, &guard, sizeof guard);
    memcpy(kept, memory + from, bytes);
    const uint before = host_kma_bad_frees(memory);
    clade_kma_free_wi(kma, ref);
    const bool same = memcmp(kept, memory + from, bytes) == 0;
    free(kept);
    if (!same || host_kma_bad_frees(memory) != before + 1u) {
        printf("a cell of %u units at unit %u, in pages %u to %u: %s\n", units, unit, sb, end - 1,
               same ? "it was freed" : "what follows was written to");
        return -1;
    }
    return 1;
}

/* Refs that are no block's have no bytes; where they lead to nothing is read, and nothing is copied
 * from there. How many were taken for blocks. */
static int measure_no_blocks(char *memory)
{
    clade_kma_head *kma = (void *)memory;
    const clade_ref block = clade_kma_malloc_wi(kma, 100u), freed = clade_kma_malloc_wi(kma, 500u);
    clade_kma_free_wi(kma, freed);
    const clade_ref none[] = { 1u,
                               block + 1u,
                               freed,
                               PAGES * CLADE_KMA_PAGE_UNITS,
                               PAGES * CLADE_KMA_PAGE_UNITS + 1u,
                               0x7fffffffu,
                               0xffffffffu };
    int failed = clade_kma_size_wi(kma, block) != 100u;
    for (uint i = 0; i < sizeof none / sizeof none[0]; i++) {
        failed += clade_kma_size_wi(kma, none[i]) != 0u;
        clade_kma_free_wi(kma, clade_kma_realloc_wi(kma, none[i], 200u));
    }
    clade_kma_free_wi(kma, block);
    return failed;
}

/* Blocks of 2 GiB and of 4 GiB, most of which nobody touches: their bytes are known, the end of
 * each is guarded, and what is written behind it is told. How much of that is wrong. */
static int guard_large_blocks(void)
{
    enum { HEAP = (4 << 16) + 8192 }; /* pages */
    static const ulong sizes[] = { (2ul << 30) - 40u, 2ul << 30, (4ul << 30) - 4u,
                                   (4ul << 30) + 20u };
    char *memory = host_kma_new_nowhere(HEAP, UNITS, 1);
    clade_kma_head *kma = (void *)memory;
    int failed = 0;
    if (!memory)
        return 1;
    init(kma);
    for (uint i = 0; i < 2 * sizeof sizes / sizeof sizes[0]; i++) {
        const ulong bytes = sizes[i / 2];
        const clade_ref block = clade_kma_malloc_wi(kma, bytes);
        failed += clade_kma_size_wi(kma, block) != bytes;
        if (block == CLADE_NIL)
            continue;
        uchar *end = (uchar *)clade_kma_ptr(kma, block) + bytes;
        failed += end[0] != CLADE_KMA_DEBUG_CANARY;
        end[0] ^= i % 2;
        clade_kma_free_wi(kma, block);
        failed += kma->fault != (i % 2 ? CLADE_KMA_FAULT_OVERRUN : CLADE_KMA_FAULT_NONE);
        kma->fault = CLADE_KMA_FAULT_NONE;
    }
    host_kma_end_nowhere(memory, HEAP);
    return failed;
}

/* Behind a block, aligned or not, all is guarded up to the end of its cell or of its pages: the
 * byte behind it, one in the middle and the last one. How much of that is wrong. */
static int guard_to_the_end(char *memory)
{
    static const ulong sizes[] = { 1, 15, 16, 17, 100, 600, 4000, 16368, 16369, 40000 };
    clade_kma_head *kma = (void *)memory;
    int failed = 0;
    kma->fault = CLADE_KMA_FAULT_NONE; /* frees of no blocks came before */
    for (uint i = 0; i < 8 * sizeof sizes / sizeof sizes[0]; i++) {
        const ulong bytes = sizes[i / 8];
        const clade_ref block = clade_kma_malloc_aligned_wi(kma, bytes, i / 4 % 2 ? 256u : 16u);
        uint start = 0;
        const uint units = block ? cladei_kma_around(kma, block - 2u, &start) : 0;
        if (units == 0) {
            failed++;
            continue;
        }
        uchar *const end = (uchar *)memory + (start + units) * CLADE_KMA_UNIT_BYTES;
        uchar *const begin = (uchar *)clade_kma_ptr(kma, block) + bytes;
        uchar *const at = i % 4 == 0 ? begin : i % 4 == 1 ? begin + (end - begin) / 2 : end - 1;
        failed += begin >= end;
        *at ^= i % 4 < 3;
        clade_kma_free_wi(kma, block);
        failed += kma->fault != (i % 4 < 3 ? CLADE_KMA_FAULT_OVERRUN : CLADE_KMA_FAULT_NONE);
        kma->fault = CLADE_KMA_FAULT_NONE;
    }
    return failed;
}

int main(void)
{
    char *memory = host_kma_new(PAGES, UNITS, 1);
    int tried = 0, failed = 0;
    init((void *)memory);
    failed += measure_no_blocks(memory);
    for (uint bytes = 1; bytes <= 4000; bytes += 16) {
        const clade_ref block = clade_kma_malloc_wi((void *)memory, bytes);
        const int result = block ? free_behind_last_cell(memory, block) : 0;
        tried += result != 0;
        failed += result < 0;
        clade_kma_free_wi((void *)memory, block);
    }
    failed += guard_to_the_end(memory);
    failed += guard_large_blocks();
    printf("kma guards: %d tried, %d failed\n", tried, failed);
    free(memory);
    return failed != 0 || tried == 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* The front engine's bulk calls by groups of one item and of several (-DGROUP=), on lanes, launched
 * as the host does: keys of many laws are inserted into an empty heap and popped in some calls, and
 * after each the library's own check looks at the heap. Of what an insert builds every word of
 * directories and leaves is known. Every key comes in order, with its value. What the device must
 * refuse it leaves as it was. Arrays are of exactly the host's sizes. */
#include "host/device.h"

#include <stdio.h>
#include <stdlib.h>

#ifndef KEY
#define KEY CLADE_I32
#endif
#ifndef TILE /* keys of one; with more than a leaf has a segment may be one tile */
#define TILE 64
#endif
#define CLADE_HEAP_KEY_TYPE   KEY
#define CLADE_HEAP_VALUE_TYPE CLADE_U32
#define CLADE_HEAP_LEAF       256
#define CLADE_HEAP_BATCH      16
#define CLADEI_BULK_GROUP     GROUP
#define CLADEI_BULK_TILE      TILE
#define CLADEI_BULK_BINS      64
#define CLADEI_BULK_CROWD     6u
#undef __kernel
#define __kernel static
#include "kernels/heap_front_build.cl"
#include "kernels/heap_front_take.cl"
#undef min
#undef max

#include "heap/bulk/full.h"
#include "heap/bulk/pools.h"
#include "heap/bulk/refused.h"
#include "heap/bulk/shapes.h"

#ifndef KINDS /* of keys that are inserted; the first ones */
#define KINDS 10u
#endif
#define IS_LONG (KINDS > 2u) /* whether there is time for large heaps */

int main(void)
{
    setbuf(stdout, NULL); /* what was wrong before a fault */
    host_front_key_type = KEY;
    begin_heap();
    for (uint kind = 0; kind < KINDS; kind++) {
        run(kind, 600 + 31 * kind, 260);
        if (IS_LONG)
            run(kind, 2600 + 7 * kind, 300 + 100 * kind);
    }
    for (uint count = 1; count < 300; count += count < 3 ? 1 : 91)
        run(count % 3u, count, 40);
    run(9, 4 * (5 * 64 + 1), 300); /* a tile of one key, or segments of one tile */
    /* Entries that share a leaf until it would be split soon, full leaves, full chains. */
    for (uint full = CLADEI_BULK_FULL, i = 0; i < 3; full = CLADE_HEAP_LEAF << i++)
        for (uint count = full; count < full + 2; count++)
            run(1, count, 40);
    run(9, 4 * (5 * 64 - 1), 300);
    run(5, 520, 100); /* leaves of two keys each */
    run(LOW, 700, 300);
    for (uint kind = 0; kind < 2 && IS_LONG; kind++) {
        overfull(kind, 40000);
        if (GROUP == 1) /* others would take seconds */
            as_many_as_fit(kind);
    }
    if (IS_LONG) {
        overfull(DEEP, 85 * 300);
        run(FULL, 16 * 270, 3000);
        run(ONE, 16 * 270, 3000);
    }
    run(0, 703, 300); /* the last tile lacks one key */
    few_leaves();
    a_group_beside_fails();
    just_enough();
    free(job.heap);
    begin_heap();
    pop_by_leaves();
    pop_a_chain();
    pop_beside_old_records();
    free(job.heap);
    begin_heap();
    refusals();
    free(job.heap);
    begin_heap();
    pop_after_a_piece();
    free(job.heap);
    begin_heap();
    pop_pieces();
    free(job.heap);
    pools();
    printf("bulk calls: %u wrong\n", wrong);
    return wrong != 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* An insert, all that it builds, and pops of all. */
#pragma once

#include "heap/bulk/built.h"
#include "heap/bulk/popped.h"

static void run(uint kind, uint count, uint step)
{
    image *sorted = sorted_keys(kind, count);
    for (uint turn = 0; turn < 2; turn++) { /* a heap that was emptied is as new */
        const uint inserts = head()->inserts[0];
        uint *stamps = read_stamps();
        begin_call();
        spoil_root();
        expect(insert(kind, count), "an insert does not go the bulk way", kind, count);
        expect(head()->inserts[0] - inserts == (count + CLADE_HEAP_BATCH - 1u) / CLADE_HEAP_BATCH,
               "inserts that are counted", kind, count);
        check_heap("after an insert", kind, count);
        check_root(kept, stamps);
        check_built(sorted, count, stamps);
        free(stamps);
        leaves_made = built.leaf_count;
        pop_all(kind, sorted, count, step);
    }
    free(sorted);
}

/* An insert, what it builds, and a pop of all; false: it does not go the bulk way. */
static bool goes_through(uint kind, uint count)
{
    image *sorted = sorted_keys(kind, count);
    uint *stamps = read_stamps();
    begin_call();
    const bool goes = insert(kind, count);
    if (goes) {
        check_built(sorted, count, stamps);
        job.keys = room((FIRST + count) * sizeof(image));
        job.values = room((FIRST - 1 + count) * sizeof(uint));
        begin_call();
        expect(begin_pop(count), "a pop of all", kind, count);
        for (uint i = 0; i < count; i++)
            expect(CLADEI_BULK_ENCODE(job.keys[FIRST + i]) == sorted[i], "a key of all", kind, i);
        free(job.keys);
        free(job.values);
    }
    free(stamps);
    free(sorted);
    return goes;
}

/* SPDX-License-Identifier: Apache-2.0 */
#define CLADE_HEAP            jobs /* a prefix: a kernel may use several heaps */
#define CLADE_HEAP_KEY_TYPE   CLADE_U32
#define CLADE_HEAP_VALUE_TYPE CLADE_U32
#define CLADE_HEAP_BATCH      64
#include "clade/heap.clh"

/* Take the most urgent jobs, do them, and put back those that are not done, a little later. */
__kernel void work(__global void *heap, __global uint *left)
{
    __local jobs_scratch scratch;
    __local uint words[128];
    uint lid = (uint)get_local_id(0), due = 0, job = 0, again = 0, got, count;

    jobs_pop_wg(heap, &scratch, min(64u, (uint)get_local_size(0)), &got);
    if (lid < got) {
        due = jobs_key_wi(&scratch, lid);
        job = jobs_value_wi(&scratch, lid);
        again = --left[job] > 0;
    }
    uint place = clade_scan_wg(again, words, &count);
    if (again)
        jobs_set_wi(&scratch, place, due + 10u, job);
    if (count > 0)
        jobs_insert_wg(heap, &scratch, count);
}

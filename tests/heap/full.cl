/* SPDX-License-Identifier: Apache-2.0 */
#include "clade/heap.clh"
#include "refusals/refusals.clh"

/* A group's n keys of its own, tried again while it must wait. */
static clade_i32 refusals_put(__global void *heap, __local clade_heap_scratch *s, uint key, uint n)
{
    clade_i32 status = CLADE_E_BUSY;
    for (uint tries = 0; tries < 64u && status == CLADE_E_BUSY; tries++) {
        for (uint i = (uint)get_local_id(0); i < n; i += (uint)get_local_size(0))
            clade_heap_set_bits_wi(s, i, key * 7u + i, 0);
        status = clade_heap_insert_wg(heap, s, n);
    }
    return status;
}

/* Each group puts batches of 1 to `most` keys; one that is refused is halved until it is of one. */
__kernel void refusals_insert(__global void *heap, __global clade_atomic_u32 *tally, uint each,
                              uint most)
{
    __local clade_heap_scratch s;
    uint group = (uint)get_group_id(0);
    for (uint i = 0; i < each; i++) {
        uint n = 1u + (group * 5u + i * 3u) % most;
        for (; n > 0u; n /= 2u) {
            clade_i32 status = refusals_put(heap, &s, group * each + i, n);
            if (get_local_id(0) == 0u)
                tally_wi(tally, status, n);
            n = status == CLADE_E_FULL ? n : 0u;
            clade_barrier();
        }
    }
}

/* Each group puts a batch and takes one, round and round. */
__kernel void refusals_churn(__global void *heap, __global clade_atomic_u32 *tally, uint each,
                             uint most)
{
    __local clade_heap_scratch s;
    for (uint i = 0; i < each; i++) {
        uint n = 1u + ((uint)get_group_id(0) * 3u + i * 5u) % most, got;
        refusals_put(heap, &s, i, n);
        clade_heap_pop_wg(heap, &s, 1u + i % most, &got);
        clade_barrier();
    }
    (void)tally;
}

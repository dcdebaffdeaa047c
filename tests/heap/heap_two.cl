/* SPDX-License-Identifier: Apache-2.0 */
/* Two heaps of different types in one kernel: words that go into one by their number, greatest
 * first, come out and go into the other as doubled 64-bit keys, least first. */

#define CLADE_HEAP            words
#define CLADE_HEAP_KEY_TYPE   CLADE_U32
#define CLADE_HEAP_VALUE_TYPE CLADE_F32
#define CLADE_HEAP_ORDER      CLADE_MAX
#define CLADE_HEAP_BATCH      32
#include "clade/heap.clh"

#define CLADE_HEAP            longs
#define CLADE_HEAP_KEY_TYPE   CLADE_I64
#define CLADE_HEAP_VALUE_TYPE CLADE_NONE
#define CLADE_HEAP_ENGINE     CLADE_HEAP_BOTTOM_UP
#define CLADE_HEAP_BATCH      16
#include "clade/heap.clh"

__kernel void heap_two(__global void *first, __global void *second, __global uint *in, uint count,
                       __global int *failures)
{
    __local words_scratch ws;
    __local longs_scratch ls;
    uint lid = (uint)get_local_id(0), size = (uint)get_local_size(0), got = 0;
    for (uint at = 0; at < count; at += words_batch) {
        uint n = min(count - at, (uint)words_batch);
        for (uint i = lid; i < n; i += size)
            words_set_wi(&ws, i, in[at + i], (float)in[at + i]);
        if (words_insert_wg(first, &ws, n) != CLADE_OK && lid == 0)
            failures[0]++;
    }
    for (uint at = 0; at < count; at += longs_batch) {
        clade_i32 status = words_pop_wg(first, &ws, longs_batch, &got);
        for (uint i = lid; i < got; i += size) {
            if (words_value_wi(&ws, i) != (float)words_key_wi(&ws, i))
                failures[1]++;
            longs_set_wi(&ls, i, -2l * (long)words_key_wi(&ws, i));
        }
        if ((status != CLADE_OK || longs_insert_wg(second, &ls, got) != CLADE_OK) && lid == 0)
            failures[2]++;
    }
    /* A heap of another shape is refused. */
    if (longs_insert_wg(first, &ls, 1u) != CLADE_E_ARG && lid == 0)
        failures[3]++;
}

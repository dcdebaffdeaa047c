/* SPDX-License-Identifier: Apache-2.0 */
/* Selection with one group a row; launched by lib/kselect/kselect.c.
 *
 * What the library can ask for (`cladec --check`): all types on one shape for GPUs and on that for
 * CPUs; then rows read once, of all sizes, and long rows.
 * Check: CLADE_KSELECT_GROUP=256 CLADE_KSELECT_ITEMS=16 CLADE_KSELECT_DIGIT=8 CLADE_KSELECT_RANKED=256 CLADE_KSELECT_ONCE=1 CLADE_KSELECT_CODED=0,1 CLADE_KSELECT_KEY=1..3 CLADE_KSELECT_ORDER=0,1 CLADE_KSELECT_INDICES=0,1
 * Check: CLADE_KSELECT_GROUP=1 CLADE_KSELECT_ITEMS=128 CLADE_KSELECT_DIGIT=8 CLADE_KSELECT_RANKED=256 CLADE_KSELECT_CODED=0,1 CLADE_KSELECT_KEY=1..3 CLADE_KSELECT_ORDER=0,1 CLADE_KSELECT_INDICES=0,1
 * Check: CLADE_KSELECT_GROUP=1 CLADE_KSELECT_ITEMS=128 CLADE_KSELECT_DIGIT=8 CLADE_KSELECT_RANKED=2048 CLADE_KSELECT_KEY=1,4,7 CLADE_KSELECT_LOWEST=0,1 CLADE_KSELECT_INDICES=0,1
 * Check: CLADE_KSELECT_GROUP=1 CLADE_KSELECT_ITEMS=128 CLADE_KSELECT_DIGIT=8 CLADE_KSELECT_RANKED=65536 CLADE_KSELECT_LIKELY=1 CLADE_KSELECT_KEY=1,4,7 CLADE_KSELECT_EACH=0,1 CLADE_KSELECT_INDICES=0,1
 * Check: CLADE_KSELECT_GROUP=32,256,1024 CLADE_KSELECT_ITEMS=1,2,4,8,16,32 CLADE_KSELECT_DIGIT=8 CLADE_KSELECT_RANKED=64 CLADE_KSELECT_ONCE=1
 * Check: CLADE_KSELECT_GROUP=128,256,1024 CLADE_KSELECT_ITEMS=16 CLADE_KSELECT_DIGIT=11 CLADE_KSELECT_RANKED=1024 CLADE_KSELECT_CODED=0,1 CLADE_KSELECT_INDICES=0,1
 * Check: CLADE_KSELECT_GROUP=1,256 CLADE_KSELECT_ITEMS=16 CLADE_KSELECT_DIGIT=8 CLADE_KSELECT_RANKED=256 CLADE_KSELECT_ONCE=0,1 CLADE_KSELECT_KEY=4..8 CLADE_KSELECT_ORDER=0,1 CLADE_KSELECT_INDICES=1
 * Check: CLADE_KSELECT_GROUP=1,256 CLADE_KSELECT_ITEMS=16 CLADE_KSELECT_DIGIT=8 CLADE_KSELECT_RANKED=256 CLADE_KSELECT_ONCE=0,1 CLADE_KSELECT_KEY=1,4 CLADE_KSELECT_LOWEST=0,1 CLADE_KSELECT_EACH=0,1 CLADE_KSELECT_INDICES=0,1
 * Check: CLADE_KSELECT_GROUP=1,32 CLADE_KSELECT_ITEMS=2 CLADE_KSELECT_DIGIT=8 CLADE_KSELECT_RANKED=64 CLADE_KSELECT_SHORT=1 CLADE_KSELECT_KEY=1,4,7 CLADE_KSELECT_EACH=0,1 CLADE_KSELECT_INDICES=0,1
 * Check sm_90: CLADE_KSELECT_GROUP=256 CLADE_KSELECT_ITEMS=16 CLADE_KSELECT_DIGIT=8 CLADE_KSELECT_RANKED=256 CLADE_KSELECT_ONCE=0,1 CLADE_SG_REDUX=1
 */

#include "clade/kselect.clh"
#include "clade/kselect/span.clh"

/* Row r's keys start at keys[keys_first] and its span's first, its results at
 * out[out_first + r * stride]. A group a row; groups of one item take rows in turns. */
__kernel CLADE_KSELECT_SIZED void
clade_kselect_rows(__global const clade_kselect_raw *keys, ulong keys_first,
                   __global clade_kselect_raw *out, ulong out_first, __global uint *indices,
                   ulong indices_first, ulong stride, __global const clade_kselect_span *spans,
                   uint length, uint k, uint rows)
{
    CLADE_LOCAL clade_kselect_local local_memory;
#if CLADE_KSELECT_GROUP == 1
    for (uint row = (uint)get_group_id(0); row < rows; row += (uint)get_num_groups(0)) {
#else
    {
        const uint row = (uint)get_group_id(0);
        (void)rows;
#endif
        const clade_kselect_span span = clade_kselect_span_wi(spans, row, length, k);
        clade_kselect_out to;
        to.keys = out + out_first + row * stride;
        to.indices = indices + indices_first + row * stride;
        if (!CLADE_KSELECT_EACH || span.k > 0) /* the whole group */
            clade_kselect_wg(&local_memory, keys + keys_first + span.first, span.length, span.k,
                             to);
    }
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Selection with one group a row; launched by lib/kselect/kselect.c.
 *
 * What the library can ask for (`cladec --check`): all types on one shape for GPUs and on that for
 * CPUs; then rows read once, of all sizes, and long rows.
 * Check: CLADE_KSELECT_GROUP=256 CLADE_KSELECT_ITEMS=16 CLADE_KSELECT_DIGIT=8 CLADE_KSELECT_RANKED=256 CLADE_KSELECT_ONCE=1 CLADE_KSELECT_CODED=0,1 CLADE_KSELECT_KEY=1..3 CLADE_KSELECT_ORDER=0,1 CLADE_KSELECT_INDICES=0,1
 * Check: CLADE_KSELECT_GROUP=1 CLADE_KSELECT_ITEMS=128 CLADE_KSELECT_DIGIT=10 CLADE_KSELECT_RANKED=256 CLADE_KSELECT_CODED=0,1 CLADE_KSELECT_KEY=1..3 CLADE_KSELECT_ORDER=0,1 CLADE_KSELECT_INDICES=0,1
 * Check: CLADE_KSELECT_GROUP=32,256,1024 CLADE_KSELECT_ITEMS=1,2,4,8,16,32 CLADE_KSELECT_DIGIT=8 CLADE_KSELECT_RANKED=64 CLADE_KSELECT_ONCE=1
 * Check: CLADE_KSELECT_GROUP=128,256,1024 CLADE_KSELECT_ITEMS=16 CLADE_KSELECT_DIGIT=11 CLADE_KSELECT_RANKED=1024 CLADE_KSELECT_CODED=0,1 CLADE_KSELECT_INDICES=0,1
 * Check sm_90: CLADE_KSELECT_GROUP=256 CLADE_KSELECT_ITEMS=16 CLADE_KSELECT_DIGIT=8 CLADE_KSELECT_RANKED=256 CLADE_KSELECT_ONCE=0,1 CLADE_SG_REDUX=1
 */

#include "clade/kselect.clh"

/* Row r's keys start at keys[keys_first + r * length], its results at out[out_first + r * stride].
 * A group a row; groups of one item take rows in turns. */
__kernel CLADE_KSELECT_SIZED void clade_kselect_rows(__global const uint *keys, ulong keys_first,
                                                     __global uint *out, ulong out_first,
                                                     __global uint *indices, ulong indices_first,
                                                     ulong stride, uint length, uint k, uint rows)
{
    __local clade_kselect_local local_memory;
#if CLADE_KSELECT_GROUP == 1
    for (uint row = (uint)get_group_id(0); row < rows; row += (uint)get_num_groups(0)) {
#else
    {
        const uint row = (uint)get_group_id(0);
        (void)rows;
#endif
        clade_kselect_out to;
        to.keys = out + out_first + row * stride;
        to.indices = indices + indices_first + row * stride;
        clade_kselect_wg(&local_memory, keys + keys_first + (ulong)row * length, length, k, to);
    }
}

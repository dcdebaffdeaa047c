/* SPDX-License-Identifier: Apache-2.0 */
/* Selection with one group a row; launched by lib/kselect.c. */

#include "clade/kselect.clh"

/* Row r's keys start at keys[keys_first + r * length], its results at out[out_first + r * stride].
 * A group a row; groups of one item take rows in turns. */
__kernel CLADE_KSELECT_SIZED void clade_kselect_rows(__global const uint *keys, ulong keys_first, __global uint *out,
                                 ulong out_first, __global uint *indices, ulong indices_first,
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

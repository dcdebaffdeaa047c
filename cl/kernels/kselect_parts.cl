/* SPDX-License-Identifier: Apache-2.0 */
/* Selection of few long rows on CPUs, where groups of one item share a row; launched by
 * lib/kselect/parts.c. No group waits for another: the last one that is done with its part of the
 * row goes on with all of them.
 *
 * A row's two counters are 0 between launches (clade_kselect_meeting); all else is a part's own
 * until its group is done.
 *
 * What the library can ask for (`cladec --check`).
 * Check: CLADE_KSELECT_GROUP=1 CLADE_KSELECT_ITEMS=128 CLADE_KSELECT_DIGIT=8 CLADE_KSELECT_RANKED=65536 CLADE_KSELECT_LIKELY=1 CLADE_KSELECT_KEY=1,4,7 CLADE_KSELECT_CODED=0,1 CLADE_KSELECT_LOWEST=0,1 CLADE_KSELECT_INDICES=0,1
 */

/* What it is for, where a compiler is given no options. */
#ifndef CLADE_KSELECT_GROUP
#define CLADE_KSELECT_GROUP  1
#define CLADE_KSELECT_LIKELY 1
#endif

#include "clade/kselect.clh"
#include "clade/kselect/parts.clh"

/* `count` groups a row. */
__kernel CLADE_KSELECT_SIZED void
clade_kselect_parts(__global const clade_kselect_raw *keys, ulong keys_first,
                    __global clade_kselect_part *parts, __global clade_kselect_meeting *meetings,
                    __global uint *collected, __global clade_kselect_raw *out, ulong out_first,
                    __global uint *indices, ulong indices_first, ulong stride, uint length, uint k,
                    uint count)
{
    CLADE_LOCAL clade_kselect_local local_memory;
    const uint row = (uint)get_group_id(0) / count, part = (uint)get_group_id(0) - row * count;
    clade_kselect_parted to;
    clade_kselect_out out_;
    out_.keys = out + out_first + row * stride;
    out_.indices = indices + indices_first + row * stride;
    to.parts = parts + (ulong)row * count;
    to.meeting = &meetings[row];
    to.collected = collected + (ulong)row * count * CLADE_KSELECT_PART_WORDS;
    to.count = count;
    clade_kselect_part_wi(&local_memory, keys + keys_first + (ulong)row * length, length, k, part,
                          to, out_);
}

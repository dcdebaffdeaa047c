/* SPDX-License-Identifier: Apache-2.0 */
/* Rows that differ: the spans that the other kernels of selection work by. Launched by
 * lib/kselect/each.c, before them. */

#include "clade/atomic.clh"
#include "clade/shared/kselect.h"
#include "clade/shared/status.h"

/* Row r has the keys offsets[r] .. offsets[r + 1] - 1, counted from `base`, or `length` keys when
 * there are no offsets; and ks[r] results at most, or k. A row that is no stretch of the `room`
 * keys, is longer than `length`, or has more than k results, is refused: nothing of it is
 * selected. */
__kernel void clade_kselect_spans(__global clade_kselect_span *spans, __global const ulong *offsets,
                                  ulong offsets_first, __global const uint *ks, ulong ks_first,
                                  __global int *statuses, ulong statuses_first, uint given,
                                  ulong base, ulong room, uint length, uint k, uint rows)
{
    for (uint row = (uint)get_global_id(0); row < rows; row += (uint)get_global_size(0)) {
        clade_kselect_span span;
        ulong first = (ulong)row * length, end = first + length;
        uint wanted = k;
        if ((given & CLADE_KSELECT_GIVEN_OFFSETS) != 0) {
            first = offsets[offsets_first + row] - base;
            end = offsets[offsets_first + row + 1] - base;
        }
        if ((given & CLADE_KSELECT_GIVEN_KS) != 0)
            wanted = ks[ks_first + row];
        /* A beginning near 2^64 and an end near 0 are as few apart as the keys of a short row. */
        const int fits = first <= end && end <= room && end - first <= length && wanted <= k;
        span.first = fits ? first : 0;
        span.length = (uint)(end - first); /* none, if it does not fit */
#ifdef CLADE_PLANT_KSELECT_SPAN
        span.length -= span.length > 1 ? 1 : 0;
#endif
        span.k = fits ? min(wanted, span.length) : 0;
        if (span.k == 0) /* nobody searches such a row */
            span.length = 0;
        spans[row] = span;
        if ((given & CLADE_KSELECT_GIVEN_STATUSES) != 0)
            statuses[statuses_first + row] = fits ? CLADE_OK : CLADE_E_ARG;
    }
}

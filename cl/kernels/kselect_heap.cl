/* SPDX-License-Identifier: Apache-2.0 */
/* Results of a selection as d-ary heaps; launched by lib/kselect/sort.c. Before: words, in no
 * order, in the place of the keys. After: keys in heap order, the last of the row's results at the
 * root, with their indices beside them: what a k-set of an ad-heap holds. A group a row, in
 * turns. */

#ifndef CLADE_KSELECT_KEY
#define CLADE_KSELECT_KEY     1 /* CLADE_I32 */
#define CLADE_KSELECT_ORDER   0
#define CLADE_KSELECT_INDICES 1
#endif
#define CLADE_ADHEAP_KEY    CLADE_KSELECT_KEY
#define CLADE_ADHEAP_ORDER  CLADE_KSELECT_ORDER
#define CLADE_ADHEAP_KEEP   1
#define CLADE_ADHEAP_VALUES CLADE_KSELECT_INDICES
#include "clade/adheap.clh"
#include "clade/adheap/work_group.clh"
#include "clade/shared/kselect.h"
#include "clade/kselect/span.clh"

__kernel void clade_kselect_heap(__global uint *keys, ulong keys_first, __global uint *indices,
                                 ulong indices_first, ulong stride,
                                 __global const clade_kselect_span *spans, uint k, uint rows)
{
    CLADE_LOCAL uint path[1];
    const uint lid = (uint)get_local_id(0), items = (uint)get_local_size(0);
    clade_adheap_one h;
    h.path = path; /* nobody looks */
    h.head = keys;
    h.slot = 0;
    h.heap = 0;
    h.capacity = k;
    h.patience = 0;
    for (uint row = (uint)get_group_id(0); row < rows; row += (uint)get_num_groups(0)) {
        h.words = keys + keys_first + row * stride;
        h.values = indices + indices_first + row * stride;
        const uint count = clade_kselect_span_wi(spans, row, k, k).k;
        for (uint i = lid; i < count; i += items)
            h.words[i] = ~h.words[i];
        clade_barrier();
        clade_adheap_heapify_wg(&h, count);
        clade_barrier();
        for (uint i = lid; i < count; i += items)
            h.words[i] = clade_adheap_decode_wi(h.words[i]);
    }
}

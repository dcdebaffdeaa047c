/* SPDX-License-Identifier: Apache-2.0 */
#define CLADE_ADHEAP_KEY    CLADE_U32
#define CLADE_ADHEAP_VALUES 0
#include "clade/adheap.clh"

/* One work-group a heap, and one sub-group a work-group: the smallest key is doubled. */
__kernel void double_the_smallest(__global clade_adheap_head *heaps)
{
    const clade_adheap_one heap = clade_adheap_open_wi(heaps, (uint)get_group_id(0), 0);
    uint key, value;
    if (clade_adheap_peek_sg(&heap, &key, &value) == CLADE_OK)
        clade_adheap_update_sg(&heap, 0, 2 * key, 0); /* node 0 is the root */
}

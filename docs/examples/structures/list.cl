/* SPDX-License-Identifier: Apache-2.0 */
#define CLADE_LIST       seen /* a prefix: a kernel may use several lists */
#define CLADE_LIST_KEY   32
#define CLADE_LIST_VALUE 32
#include "clade/list.clh"

/* Of all work-items with the same key the first one to come enters it, with its own number. */
__kernel void enter(__global clade_list_head *list, __global const uint *keys,
                    __global int *statuses)
{
    uint item = (uint)get_global_id(0);
    statuses[item] = seen_insert_wi(list, keys[item], item); /* CLADE_LIST_PRESENT: it is there */
}

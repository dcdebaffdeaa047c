/* SPDX-License-Identifier: Apache-2.0 */
/* `clade bench list`: operations on an unordered list by as many work-items as are asked for. */

#define CLADE_LIST       clade_list
#define CLADE_LIST_KEY   32
#define CLADE_LIST_VALUE 0
#include "clade/list.clh"

/* Item g does the operations g, g + items, and so on: CLADE_LIST_INSERT_AFTER or _ERASE. */
__kernel void clade_bench_list(__global clade_list_head *list, __global const uint *ops,
                               __global const uint *values, __global const uint *targets,
                               __global int *statuses, uint count)
{
    for (uint i = (uint)get_global_id(0); i < count; i += (uint)get_global_size(0))
        statuses[i] = ops[i] == CLADE_LIST_ERASE
                          ? clade_list_erase_value_wi(list, values[i])
                          : clade_list_insert_after_wi(list, targets[i], values[i]);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* `clade bench hashmap`, the table of mixed operations: finds and updates of given keys in one
 * launch. */
#define CLADE_HASHMAP_KEY_TYPE   CLADE_U32
#define CLADE_HASHMAP_VALUE_TYPE CLADE_U32
#include "clade/hashmap.clh"

/* `what` 0: each item finds its key; 1: adds one to the key's value; 2: every second item does.
 * Gives the value, or ~0 where something failed. */
__kernel void clade_bench_hashmap(__global clade_hashmap_head *map, __global const uint *keys,
                                  __global uint *out, uint count, uint what)
{
    const uint i = (uint)get_global_id(0);
    uint value = 0;
    int status;
    if (i >= count)
        return;
    if (what == 1u || (what == 2u && (i & 1u) != 0u))
        status = clade_hashmap_update_wi(map, keys[i], 1u, CLADE_HASHMAP_PLUS, &value);
    else
        status = clade_hashmap_find_wi(map, keys[i], &value);
    out[i] = status < 0 ? ~0u : value;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* `clade bench rbtree`: mixes that the host's calls do not have. `wrong` counts what came out
 * wrong. */

#include "clade/rbtree.clh"

/* Even items erase changed[i / 2] (or insert it), odd ones find stay[i / 2]. */
__kernel void clade_bench_rbtree_mix(__global clade_rbtree_head *tree, __global const uint *changed,
                                     __global const uint *stay, uint is_erase, uint count,
                                     __global clade_atomic_u32 *wrong)
{
    const uint i = (uint)get_global_id(0);
    if (i >= count)
        return;
    const bool finds = (i & 1u) != 0;
    const uint key = finds ? stay[i / 2u] : changed[i / 2u];
    uint value = key;
    const int status = finds      ? clade_rbtree_find_wi(tree, key, &value)
                       : is_erase ? clade_rbtree_erase_wi(tree, key, &value)
                                  : clade_rbtree_insert_wi(tree, key, key);
    if (status != CLADE_OK || value != key)
        clade_add_relaxed(wrong, 1u);
}

/* Finds as beside writers. */
__kernel void clade_bench_rbtree_find(__global clade_rbtree_head *tree, __global const uint *keys,
                                      uint count, __global clade_atomic_u32 *wrong)
{
    const uint i = (uint)get_global_id(0);
    if (i >= count)
        return;
    uint value = 0;
    if (clade_rbtree_find_wi(tree, keys[i], &value) != CLADE_OK || value != keys[i])
        clade_add_relaxed(wrong, 1u);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels of tests/bench/bench_rbtree.c: mixes that the host's calls do not have. */

#include "clade/rbtree.clh"

/* Distinct keys that look random: a bijection of 32 bits. */
static inline uint key_of(uint i)
{
    i ^= i >> 16;
    i *= 0x7feb352du;
    i ^= i >> 15;
    i *= 0x846ca68bu;
    return i ^ i >> 16;
}

__kernel void bench_keys(__global uint *keys, uint first, uint step)
{
    keys[get_global_id(0)] = step ? (first + (uint)get_global_id(0)) * step
                                  : key_of(first + (uint)get_global_id(0));
}

/* Even items insert key first + i (or erase it), odd ones find keys that stay. `wrong` counts what
 * came out wrong. */
__kernel void bench_mix(__global clade_rbtree_head *tree, uint first, uint erase, uint stay,
                        __global clade_atomic_u32 *wrong)
{
    uint i = (uint)get_global_id(0), value = 0;
    uint key = key_of((i & 1u) ? key_of(i) % stay : first + i / 2u);
    int status = (i & 1u) ? clade_rbtree_find_wi(tree, key, &value)
                 : erase  ? clade_rbtree_erase_wi(tree, key, &value)
                          : clade_rbtree_insert_wi(tree, key, key);
    if (status != CLADE_OK || ((i & 1u) && value != key))
        clade_add_relaxed(wrong, 1u);
}

/* Finds that could run beside writers. */
__kernel void bench_find(__global clade_rbtree_head *tree, uint first, __global clade_atomic_u32 *wrong)
{
    uint key = key_of(first + (uint)get_global_id(0)), value = 0;
    int status = clade_rbtree_find_wi(tree, key, &value);
    if (status != CLADE_OK || value != key)
        clade_add_relaxed(wrong, 1u);
}

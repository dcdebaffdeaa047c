/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels of tests/rbtree/test_rbtree_rank.c: ranks beside items that insert and erase. */

#include "clade/rbtree.clh"

static inline uint mixed(uint x)
{
    x ^= x >> 16;
    x *= 0x7feb352du;
    x ^= x >> 15;
    x *= 0x846ca68bu;
    return x ^ x >> 16;
}

/* Fixed keys are the multiples of 64, up to 64 * (fixed - 1). Moving ones are 4 * m + 2. */
static inline uint fixed_below(uint key, uint fixed)
{
    return min(key / 64u + ((key & 63u) ? 1u : 0u), fixed);
}

static inline uint moving_below(uint key, uint moving)
{
    return min((key + 1u) / 4u, moving);
}

static inline bool within(uint rank, uint key, uint fixed, uint moving)
{
    const uint least = fixed_below(key, fixed);
    return rank >= least && rank <= least + moving_below(key, moving);
}

/* Every second item inserts its keys and erases them, in turns, and must always find its own
 * last change in the rank. The others ask for ranks, and for the keys of ranks. */
__kernel void rank_beside(__global clade_rbtree_head *tree, uint fixed, uint keys, uint steps,
                          uint seed, __global clade_atomic_u32 *wrong)
{
    const uint i = (uint)get_global_id(0), writers = (uint)get_global_size(0) / 2u;
    const uint moving = writers * keys;
    uint bad = 0, busy = 0;
    for (uint step = 0; step < steps; step++) {
        const uint r = mixed(seed ^ mixed(i * 65537u + step));
        uint key = r % (moving * 4u + 100u), rank = 0, value = 0;
        int status;
        if (i < writers) {
            key = (i * keys + step % keys) * 4u + 2u;
            status = (step / keys & 1u) ? clade_rbtree_erase_wi(tree, key, &value)
                                        : clade_rbtree_insert_wi(tree, key, ~key);
            bad += status != CLADE_OK && status != CLADE_E_BUSY;
        } else if (r >> 31) {
            status = clade_rbtree_rank_wi(tree, key, &rank);
            bad +=
                status != CLADE_E_BUSY && (status != CLADE_OK || !within(rank, key, fixed, moving));
        } else {
            rank = (r >> 8) % (fixed + moving / 4u);
            status = clade_rbtree_select_wi(tree, rank, &key, &value);
            bad += status == CLADE_OK && (value != ~key || !within(rank, key, fixed, moving));
            bad += status == CLADE_E_NOT_FOUND && rank < fixed;
            bad += status != CLADE_OK && status != CLADE_E_NOT_FOUND && status != CLADE_E_BUSY;
        }
        busy += status == CLADE_E_BUSY;
    }
    clade_add_relaxed(&wrong[0], bad);
    clade_add_relaxed(&wrong[1], busy);
}

/* One item alone: every change is seen at once, exactly. */
__kernel void rank_alone(__global clade_rbtree_head *tree, uint fixed, uint keys, uint seed,
                         __global clade_atomic_u32 *wrong)
{
    uint bad = 0, rank, key, value;
    if (get_global_id(0) != 0)
        return;
    for (uint step = 0; step < 2u * keys; step++) {
        const uint at = step % keys * 5u % keys, mine = at * 4u + 2u; /* keys is prime to 5 */
        bad += (step < keys ? clade_rbtree_insert_wi(tree, mine, ~mine)
                            : clade_rbtree_erase_wi(tree, mine, &value)) != CLADE_OK;
        const uint below =
            fixed_below(0xffffffffu, fixed) + (step < keys ? step + 1u : 2u * keys - step - 1u);
        bad += clade_rbtree_rank_wi(tree, 0xffffffffu, &rank) != CLADE_OK || rank != below;
        bad += clade_rbtree_select_wi(tree, below, &key, &value) != CLADE_E_NOT_FOUND;
        bad += below > 0u && (clade_rbtree_select_wi(tree, mixed(seed ^ step) % below, &key,
                                                     &value) != CLADE_OK ||
                              clade_rbtree_rank_wi(tree, key, &rank) != CLADE_OK ||
                              rank != mixed(seed ^ step) % below);
    }
    clade_add_relaxed(&wrong[0], bad);
}

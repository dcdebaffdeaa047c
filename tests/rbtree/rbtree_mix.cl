/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels of tests/rbtree/test_rbtree_mix.c: operations of all kinds at once. Keys are 32 bits. */

#include "clade/rbtree.clh"

static inline uint mixed(uint x)
{
    x ^= x >> 16;
    x *= 0x7feb352du;
    x ^= x >> 15;
    x *= 0x846ca68bu;
    return x ^ x >> 16;
}

/* Every item works on keys of its own, which lie between those of the others: key number k of item
 * i is k * items + i, times 4. What it gets back must therefore be what a map would give it alone,
 * though all share leaves. Item i keeps the last value put under its k-th key in known[]; wrong
 * answers are counted, and the first one's place is kept. Keys * 4 + 1 are permanent ones. */
__kernel void mix_own(__global clade_rbtree_head *tree, __global uint *known, uint keys, uint steps,
                      uint seed, __global clade_atomic_u32 *wrong)
{
    const uint i = (uint)get_global_id(0), items = (uint)get_global_size(0);
    uint bad = 0, busy = 0;
    for (uint step = 0; step < steps; step++) {
        const uint r = mixed(seed ^ mixed(i * 65537u + step));
        const uint place = (r >> 8) % keys * items + i, key = place * 4u;
        const uint old = known[place], fresh = r | 1u;
        uint value = 0, other = key;
        int status;
        switch (r & 7u) {
        case 0:
        case 1:
        case 2: /* insert twice as often as assign */
            status = clade_rbtree_insert_or_put_wi(tree, key, fresh, (r & 7u) == 2u);
            bad += status != (old ? CLADE_RBTREE_PRESENT : CLADE_OK) && status != CLADE_E_BUSY;
            if (status == CLADE_OK || (status == CLADE_RBTREE_PRESENT && (r & 7u) == 2u))
                known[place] = fresh;
            break;
        case 3:
        case 4:
            status = clade_rbtree_erase_wi(tree, key, &value);
            bad += status != (old ? CLADE_OK : CLADE_E_NOT_FOUND) && status != CLADE_E_BUSY;
            bad += status == CLADE_OK && value != old;
            if (status == CLADE_OK)
                known[place] = 0;
            break;
        case 5: /* the next key from ours on is ours when it is there, else the permanent one */
            status = clade_rbtree_lower_bound_wi(tree, &other, &value);
            bad += status != CLADE_E_BUSY &&
                   (status != CLADE_OK || other != (old ? key : key | 1u) ||
                    value != (old ? old : ~(key | 1u)));
            break;
        default: /* our key, or the permanent one beside it */
            status = clade_rbtree_find_wi(tree, key | (r & 1u), &value);
            other = (r & 1u) ? ~(key | 1u) : old;
            bad += status != (other ? CLADE_OK : CLADE_E_NOT_FOUND) && status != CLADE_E_BUSY;
            bad += status == CLADE_OK && value != other;
            break;
        }
        busy += status == CLADE_E_BUSY;
    }
    if (bad > 0)
        clade_add_relaxed(&wrong[0], bad);
    if (busy > 0)
        clade_add_relaxed(&wrong[1], busy);
}

/* All items work on the same few keys: for each key, inserts that took effect less erases that did
 * is 0 or 1 and says whether it is there in the end. */
__kernel void mix_shared(__global clade_rbtree_head *tree, __global clade_atomic_u32 *balance,
                         uint keys, uint steps, uint seed, __global clade_atomic_u32 *wrong)
{
    const uint i = (uint)get_global_id(0);
    uint bad = 0, busy = 0;
    for (uint step = 0; step < steps; step++) {
        const uint r = mixed(seed ^ mixed(i * 65537u + step));
        const uint key = (r >> 8) % keys;
        uint value = 0;
        int status;
        if (r & 1u) {
            status = clade_rbtree_insert_wi(tree, key, ~key);
            bad += status != CLADE_OK && status != CLADE_RBTREE_PRESENT && status != CLADE_E_BUSY;
            if (status == CLADE_OK)
                clade_add_relaxed(&balance[key], 1u);
        } else {
            status = clade_rbtree_erase_wi(tree, key, &value);
            bad += status != CLADE_OK && status != CLADE_E_NOT_FOUND && status != CLADE_E_BUSY;
            bad += status == CLADE_OK && value != ~key;
            if (status == CLADE_OK)
                clade_sub_relaxed(&balance[key], 1u);
        }
        busy += status == CLADE_E_BUSY;
    }
    if (bad > 0)
        clade_add_relaxed(&wrong[0], bad);
    if (busy > 0)
        clade_add_relaxed(&wrong[1], busy);
}

/* Endless insert and erase: item i keeps a window of `live` keys that moves upwards, so that every
 * leaf and router is given back and taken again many times in one launch. Statuses must be OK. */
__kernel void mix_window(__global clade_rbtree_head *tree, uint live, uint steps,
                         __global clade_atomic_u32 *wrong)
{
    const uint i = (uint)get_global_id(0), span = steps + live;
    uint bad = 0;
    for (uint step = 0; step < span; step++) {
        uint value = 0, key = i * span + step;
        if (step < steps && clade_rbtree_insert_wi(tree, key, ~key) != CLADE_OK)
            bad++;
        key -= live;
        if (step >= live &&
            (clade_rbtree_erase_wi(tree, key, &value) != CLADE_OK || value != ~key))
            bad++;
    }
    if (bad > 0)
        clade_add_relaxed(&wrong[0], bad);
}

/* Half the items insert and erase keys 4 * j + 2, a quarter walks ranges over the permanent keys
 * 4 * j + 1, and a quarter walks them downwards: each walk must ascend, or descend, tell each
 * permanent key of its interval, and nothing foreign. */
__kernel void mix_range(__global clade_rbtree_head *tree, __global uint *rows, uint permanent,
                        uint steps, uint seed, __global clade_atomic_u32 *wrong)
{
    const uint i = (uint)get_global_id(0);
    __global uint *row = rows + i * 64u;
    uint bad = 0, busy = 0;
    for (uint step = 0; step < steps; step++) {
        const uint j = mixed(seed ^ mixed(i * 65537u + step)) % (permanent - 16u);
        uint value = 0, count = 0, fixed = 0;
        if (i & 1u) {
            if (step & 1u)
                clade_rbtree_erase_wi(tree, j * 4u + 2u, &value);
            else
                clade_rbtree_insert_wi(tree, j * 4u + 2u, j);
            continue;
        }
        const uint low = j * 4u, high = (j + 15u) * 4u + 3u, down = i & 2u;
        const int status = down ? clade_rbtree_range_down_wi(tree, low, high, 40u, row, 0, &count)
                                : clade_rbtree_range_wi(tree, low, high, 40u, row, 0, &count);
        busy += status == CLADE_E_BUSY;
        bad += status != CLADE_OK && status != CLADE_E_BUSY;
        for (uint k = 0; k < count; k++) {
            bad += k > 0 && (down ? row[k] >= row[k - 1u] : row[k] <= row[k - 1u]);
            bad += row[k] < low || row[k] > high;
            bad += (row[k] & 3u) != 1u && (row[k] & 3u) != 2u;
            fixed += (row[k] & 3u) == 1u;
        }
        bad += status == CLADE_OK && fixed != 16u;
    }
    if (bad > 0)
        clade_add_relaxed(&wrong[0], bad);
    if (busy > 0)
        clade_add_relaxed(&wrong[1], busy);
}

/* One item looks into the protocol: results[0] is 1 when a reader sees that its leaf was changed
 * behind its back, results[1] when a node is claimed locked, the second time too. */
__kernel void look_inside(__global clade_rbtree_head *tree, __global uint *results)
{
    const clade_rbtree_pools t = clade_rbtree_open(tree);
    uint parent, grand;
    int status = CLADE_OK;
    clade_rbtree_insert_wi(tree, 1000u, 1u);
    __global clade_rbtree_leaf *leaf =
        clade_rbtree_leaf_at(t, clade_rbtree_descend(t, 1000u, &parent, &grand));
    const clade_rbtree_look look = clade_rbtree_look_for(leaf, 1000u);
    const bool before = clade_rbtree_still(leaf, look);
    clade_rbtree_put_wi(tree, 1000u, 2u);
    results[0] = before && !clade_rbtree_still(leaf, look) ? 1u : 0u;
    uint locked = 1;
    for (uint i = 0; i < 2; i++) {
        const uint router = clade_rbtree_claim(t, false, cladei_rbtree_shard(cladei_rbtree_spread()), &status);
        const uint meta = clade_load_relaxed(&t.routers[router].meta);
        if (cladei_rbtree_lock(&t.routers[router].meta, meta))
            locked = 0;
        clade_rbtree_unclaim(t, router, false);
    }
    results[1] = locked;
}

/* Histories of few keys, for a checker (tests/list/list_lin.h has the record and what `op` means): each
 * call with a ticket of a common clock before and after. kind 0: insert, erase, find. kind 1: assign,
 * find. */
typedef struct mix_record {
    uint invoked, responded;
    uint op, key, operand;
    int status;
    uint value;
    uint reserved;
} mix_record;

#define INSERT 0u
#define ASSIGN 1u
#define ERASE  2u
#define FIND   3u
#define GET    4u

__kernel void mix_history(__global clade_rbtree_head *tree, __global clade_atomic_u32 *clock,
                          __global mix_record *records, uint kind, uint keys, uint ops, uint seed)
{
    const uint item = (uint)get_global_id(0);
    for (uint i = 0; i < ops; i++) {
        const uint r = mixed(seed ^ mixed(item * 65537u + i)), pick = r & 3u;
        mix_record m = { .key = (r >> 8) % keys + 1u, .operand = item * ops + i + 1u };
        uint value = m.operand;
        m.op = kind == 1u ? (pick < 2u ? ASSIGN : GET)
                          : pick == 0u ? INSERT : pick == 1u ? ERASE : FIND;
        m.invoked = clade_add_acq_rel(clock, 1u);
        if (m.op <= ASSIGN)
            m.status = clade_rbtree_insert_or_put_wi(tree, m.key, m.operand, m.op);
        else if (m.op == ERASE)
            m.status = clade_rbtree_erase_wi(tree, m.key, &value);
        else
            m.status = clade_rbtree_find_wi(tree, m.key, &value);
        m.responded = clade_add_acq_rel(clock, 1u);
        m.value = value;
        records[item * ops + i] = m;
    }
}

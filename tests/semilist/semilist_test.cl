/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels of tests/semilist/test_semilist.c. */
#include "clade/semilist/work_group.clh"

#include "semilist/semilist_history.clh"

__kernel void semi_history(__global clade_semilist_head *list, __global clade_kma_head *kma,
                           __global clade_atomic_u32 *clock, __global semi_record *records,
                           uint keys, uint ops, uint appends, uint seed, uint items)
{
    if (get_global_id(0) < items)
        semi_item(list, kma, clock, records, keys, ops, appends, seed);
}

/* Every item whose number is no multiple of `skip` appends its number, `rounds` times. */
__kernel void semi_append_wg(__global clade_semilist_head *list, __global clade_kma_head *kma,
                          __global uint *nodes, __global int *statuses, uint skip, uint rounds,
                          __local uint *scratch)
{
    uint items = (uint)get_global_size(0);
    for (uint i = 0; i < rounds; i++) {
        uint number = i * items + (uint)get_global_id(0), wants = number % skip != 0u ? 1u : 0u;
        clade_ref node;
        statuses[number] =
            clade_semilist_append_wg(list, kma, wants, number / 7u, number, &node, scratch);
        nodes[number] = node;
    }
}

/* Item 0 of each group iterates and writes what it meets; the others erase the nodes of `victims`
 * and append as many. */
__kernel void semi_iterate(__global clade_semilist_head *list, __global clade_kma_head *kma,
                           __global uint *met, uint room, __global uint *met_count,
                           __global const uint *victims, uint victim_count, __global int *failed)
{
    uint group = (uint)get_group_id(0), met_here = 0, most = room;
    if (get_local_id(0) == 0u) {
        clade_ref node = clade_semilist_next_wi(list, kma, CLADE_NIL);
        while (node != CLADE_NIL && met_here < most) {
            met[group * room + met_here] = clade_semilist_value_wi(kma, node);
            met_here++;
            node = clade_semilist_next_wi(list, kma, node);
        }
        met_count[group] = met_here;
    } else {
        uint workers = ((uint)get_local_size(0) - 1u) * (uint)get_num_groups(0);
        uint worker = group * ((uint)get_local_size(0) - 1u) + (uint)get_local_id(0) - 1u;
        for (uint i = worker; i < victim_count; i += workers) {
            clade_ref node;
            if (clade_semilist_erase_at_wi(list, kma, victims[i]) != CLADE_OK)
                *failed = 1;
            if (clade_semilist_append_wi(list, kma, 1000000u, 1000000u + i, &node) != CLADE_OK)
                *failed = 2;
        }
    }
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels that make one rank's part of a graph: targets, which come as numbers among the nodes of
 * all ranks, become numbers of the part; launched by lib/mpi/number.c.
 *
 * The rank's own nodes come first in the part; then its ghosts, in the order of their numbers.
 */
#include "clade/atomic.clh"

/* A bit for each node of another rank to which an arc leads; and the first arc to no node. */
__kernel void clade_mpi_graph_mark(__global const uint *targets, uint arcs, uint first, uint own,
                                   uint all, __global uint *bits, __global uint *bad)
{
    const ulong arc = get_global_id(0);
    if (arc >= arcs)
        return;
    const uint target = targets[arc], bit = 1u << target % 32u;
    if (target >= all) {
        (void)clade_min_relaxed((clade_global_word)bad, (uint)arc);
        return;
    }
    if (target - first < own)
        return;
    clade_global_word word = (clade_global_word)&bits[target / 32u];
    if ((clade_load_relaxed(word) & bit) == 0u) /* many arcs lead to few ghosts */
        (void)clade_or_relaxed(word, bit);
}

/* `before` is how many bits are set before each word. */
__kernel void clade_mpi_graph_number(__global uint *targets, uint arcs, uint first, uint own,
                                     __global const uint *bits, __global const uint *before)
{
    const ulong arc = get_global_id(0);
    if (arc >= arcs)
        return;
    const uint target = targets[arc], below = (1u << target % 32u) - 1u;
    targets[arc] = target - first < own
                       ? target - first
                       : own + before[target / 32u] + popcount(bits[target / 32u] & below);
}

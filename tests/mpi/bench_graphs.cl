/* SPDX-License-Identifier: Apache-2.0 */
/* What mpi_bench_paths does with graphs on the device: each rank makes its rows of a grid, and
 * looks at all its nodes and arcs when a search is done. */

/* --- grids: node y * side + x; four arcs, fewer at the border ----------------------------------
 */

/* How many arcs leave the nodes before this one. */
static inline ulong arcs_before(ulong node, ulong side, ulong nodes)
{
    const ulong at_top = min(node, side), left = (node + side - 1) / side, right = node / side;
    const ulong at_bottom = node > nodes - side ? node - (nodes - side) : 0;
    return 4 * node - at_top - left - right - at_bottom;
}

/* 1 .. 1000, and the same both ways. */
static inline uint weight_of(ulong a, ulong b)
{
    ulong z = min(a, b) * 0x9e3779b97f4a7c15ul + max(a, b);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ul;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebul;
    return 1u + (uint)((z ^ (z >> 31)) % 1000ul);
}

/* The nodes from `first` on, `count` of them. */
__kernel void make_grid(__global uint *offsets, __global uint *targets, __global uint *weights,
                        ulong side, ulong nodes, ulong first, ulong count)
{
    const ulong before = arcs_before(first, side, nodes);
    for (ulong i = get_global_id(0); i <= count; i += get_global_size(0)) {
        const ulong node = first + i, x = node % side;
        const ulong to[4] = { node - side, node - 1, node + 1, node + side };
        const bool there[4] = { node >= side, x > 0, x + 1 < side, node + side < nodes };
        ulong arc = arcs_before(node, side, nodes) - before;
        offsets[i] = (uint)arc;
        for (int s = 0; s < 4 && i < count; s++)
            if (there[s]) {
                targets[arc] = (uint)to[s];
                weights[arc++] = weight_of(node, to[s]);
            }
    }
}

/* --- rules, as Graph500 has them ---------------------------------------------------------------
 *
 * The graph has each arc both ways, and all weights are above 0. So if the source alone has length
 * 0, each other node that was reached has its length by an arc from its predecessor, and no arc
 * could lower a length or reach a node that was not reached, then all lengths are those of shortest
 * paths. */
enum { REACHED, LENGTHS, LOWERED, UNTRUE, SUMS };

/* Whether an arc of the node leads to its predecessor and explains its length. */
static inline bool has_arc(__global const uint *targets, __global const uint *weights, uint begin,
                           uint end, __global const uint *lengths, uint before, uint length)
{
    for (uint arc = begin; arc < end; arc++)
        if (targets[arc] == before && (ulong)lengths[before] + weights[arc] == length)
            return true;
    return false;
}

/* `lengths` are of all nodes of all ranks, `before` of this rank's. sums[kind * items + item]. */
__kernel void look(__global const uint *offsets, __global const uint *targets,
                   __global const uint *weights, __global const uint *lengths,
                   __global const uint *before, ulong first, ulong count, ulong nodes, uint source,
                   __global ulong *sums)
{
    const uint none = 0xffffffffu;
    ulong own[SUMS] = { 0, 0, 0, 0 };
    for (ulong i = get_global_id(0); i < count; i += get_global_size(0)) {
        const uint node = (uint)(first + i), length = lengths[first + i];
        const uint begin = offsets[i], end = offsets[i + 1];
        if (length == none) {
            own[UNTRUE] += before[i] != none;
            continue;
        }
        own[REACHED]++;
        own[LENGTHS] += length;
        for (uint arc = begin; arc < end; arc++)
            own[LOWERED] += lengths[targets[arc]] > (ulong)length + weights[arc];
        if (node == source)
            own[UNTRUE] += length != 0 || before[i] != none;
        else
            own[UNTRUE] += before[i] >= nodes ||
                           !has_arc(targets, weights, begin, end, lengths, before[i], length);
    }
    for (int kind = 0; kind < SUMS; kind++)
        sums[kind * get_global_size(0) + get_global_id(0)] = own[kind];
}

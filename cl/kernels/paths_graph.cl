/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels that make a graph of three arrays; launched by lib/paths/graph.c. */
#include "clade/base/object.clh"
#include "clade/shared/paths.h"

__kernel void clade_graph_offsets(__global clade_graph_head *graph, __global const uint *offsets,
                                  ulong first)
{
    __global uint *to = (__global uint *)graph + sizeof(clade_graph_head) / 4u;
    const uint node = (uint)get_global_id(0);
    uint offset;
    if (node > graph->nodes)
        return;
    offset = offsets[first + node];
    to[node] = offset;
    if ((node == 0 && offset != 0) || (node == graph->nodes && offset != graph->arcs) ||
        (node > 0 && offsets[first + node - 1u] > offset))
        clade_min_relaxed(&graph->bad_offset, node);
}

/* Bins of weights: by the bits they have, or by a float's exponent; zeros are in bin 0. */
static inline uint clade_graph_bin(uint weight, uint is_float)
{
    if (is_float != 0u)
        return weight >> 23;
    return 32u - clz(weight);
}

/* A float weight is not negative and not infinite; -0 becomes 0. */
static inline bool clade_graph_is_weight(uint weight, uint is_float)
{
    return is_float == 0u || weight < 0x7f800000u;
}

/* The items stride over the arcs: a bin that all weights share is added to once a group. */
__kernel void clade_graph_arcs(__global clade_graph_head *graph, __global const uint *targets,
                               ulong first_target, __global const uint *weights, ulong first_weight,
                               uint given, uint is_float, uint one)
{
    CLADE_LOCAL clade_atomic_u32 bins[CLADE_GRAPH_BINS];
    __global uint *words = (__global uint *)graph + sizeof(clade_graph_head) / 4u;
    __global uint2 *to = (__global uint2 *)(words + CLADE_GRAPH_ARCS_AT(graph->nodes));
    const uint lid = (uint)get_local_id(0), size = (uint)get_local_size(0);
    for (uint i = lid; i < CLADE_GRAPH_BINS; i += size)
        clade_store_local(&bins[i], 0u);
    clade_barrier_local();
    for (ulong arc = get_global_id(0); arc < graph->arcs; arc += get_global_size(0)) {
        uint target = targets[first_target + arc];
        uint weight = given != 0u ? weights[first_weight + arc] : one;
        if (is_float != 0u && weight == 0x80000000u)
            weight = 0;
        if (target >= graph->nodes)
            clade_min_relaxed(&graph->bad_target, (uint)arc);
        if (!clade_graph_is_weight(weight, is_float))
            clade_min_relaxed(&graph->bad_weight, (uint)arc);
        else
            clade_add_local(&bins[clade_graph_bin(weight, is_float)], 1u);
        to[arc].x = target;
        to[arc].y = weight;
    }
    clade_barrier_local();
    for (uint i = lid; i < CLADE_GRAPH_BINS; i += size)
        if (clade_load_local(&bins[i]) != 0u)
            clade_add_relaxed(&graph->bins[i], clade_load_local(&bins[i]));
}

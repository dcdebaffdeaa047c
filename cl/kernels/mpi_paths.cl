/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels behind clade_mpi_paths_*: one rank's part of a search; launched by lib/mpi/.
 *
 * A part is a graph of the rank's own nodes, of a ghost for each node of another rank to which an
 * arc leads, and of one node more: the bound. No arc leaves a ghost. The bound has no arcs, and its
 * length is how far the next part of the search goes, since it is the search's target.
 *
 * What the library can ask for (`cladec --check`); libclc has no 64-bit atomics for NVIDIA.
 * Check: CLADE_PATHS_LENGTH=0,1
 * Check spirv64: CLADE_PATHS_LENGTH=2
 */
#include "clade/paths.clh"

/* The rank of a ghost: the last whose first ghost is not after it. */
static inline uint clade_mpi_owner(__global const uint *first, uint ranks, uint ghost)
{
    uint low = 0, high = ranks;
    while (high - low > 1u) {
        const uint middle = low + (high - low) / 2u;
        if (first[middle] <= ghost)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* A place among those of the ghost's owner, where something for it is written. */
static inline uint clade_mpi_place(__global const uint *first, uint ranks, uint ghost,
                                   __global uint *counts)
{
    const uint rank = clade_mpi_owner(first, ranks, ghost);
    return first[rank] + clade_add_relaxed((clade_global_word)&counts[rank], 1u);
}

/* Lengths that other ranks found; or of sources, whose length is 0. */
__kernel void clade_mpi_paths_lower(__global clade_paths_head *paths, __global const uint *nodes,
                                    __global const cladei_length *lengths, uint count,
                                    uint has_lengths)
{
    const ulong i = get_global_id(0);
    if (i < count)
        (void)clade_paths_lower_wi(paths, 0, nodes[i], has_lengths != 0u ? lengths[i] : 0);
}

/* How far the next part goes; the bound itself does not wait. And what is counted after it begins
 * anew. One item. */
__kernel void clade_mpi_paths_bound(__global clade_paths_head *paths,
                                    __global const clade_graph_head *graph, ulong bound,
                                    __global uint *counts, uint ranks,
                                    __global cladei_length *least)
{
    cladei_paths_piece p;
    cladei_paths_open(&p, paths, graph, 0);
    __global cladei_length *label = (__global cladei_length *)cladei_paths_after_slot(p.slot);
    label[p.nodes - 1u] = p.done[p.nodes - 1u] = (cladei_length)bound;
    for (uint rank = 0; rank < ranks; rank++)
        counts[rank] = 0;
    least[0] = CLADEI_LENGTH_NONE;
}

/* Nothing was sent yet. */
__kernel void clade_mpi_paths_unsent(__global cladei_length *sent, uint ghosts)
{
    const ulong ghost = get_global_id(0);
    if (ghost < ghosts)
        sent[ghost] = CLADEI_LENGTH_NONE;
}

/* What the part found for other ranks, up to the bound; and the least length that still waits, or
 * waits there from now on. */
__kernel void clade_mpi_paths_look(__global clade_paths_head *paths,
                                   __global const clade_graph_head *graph, uint own,
                                   __global const uint *first, uint ranks,
                                   __global const uint *there, ulong bound,
                                   __global cladei_length *sent, __global uint *counts,
                                   __global uint *out_nodes, __global cladei_length *out_lengths,
                                   volatile __global cladei_length_word *least)
{
    cladei_paths_piece p;
    cladei_paths_open(&p, paths, graph, 0);
    const ulong node = get_global_id(0);
    if (node >= p.nodes - 1u)
        return;
    const cladei_length length = cladei_length_load(p.label + node);
    const ulong ghost = node - own;
    if (length >= (node < own ? p.done[node] : sent[ghost]))
        return;
    if (length < cladei_length_load(least))
        (void)cladei_length_min(least, length);
    if (node < own || length > (cladei_length)bound)
        return;
    sent[ghost] = length;
    const uint at = clade_mpi_place(first, ranks, (uint)ghost, counts);
    out_nodes[at] = there[ghost];
    out_lengths[at] = length;
}

/* --- predecessors: see cl/kernels/paths_tree.cl ---------------------------------------------- */

__kernel void clade_mpi_paths_tree_begin(__global uint *predecessors, __global uint *levels,
                                         uint own, uint ghosts)
{
    const ulong node = get_global_id(0);
    if (node < (ulong)own + ghosts)
        predecessors[node] = CLADE_PATHS_NONE;
    if (node < own)
        levels[node] = CLADE_PATHS_NONE;
}

__kernel void clade_mpi_paths_tree_roots(__global uint *levels, __global const uint *sources,
                                         uint count)
{
    const ulong i = get_global_id(0);
    if (i < count)
        levels[sources[i]] = 0;
}

/* Each own node offers itself, by its number among all, to its targets; the least wins. A ghost's
 * length may be greater than its owner knows: the owner looks. */
__kernel void clade_mpi_paths_tree_offer(__global clade_paths_head *paths,
                                         __global const clade_graph_head *graph, uint own,
                                         uint base, uint level, __global uint *predecessors,
                                         __global const uint *levels)
{
    cladei_paths_piece p;
    cladei_paths_open(&p, paths, graph, 0);
    const cladei_paths_walk walk = cladei_paths_walk_of(&p, graph, get_global_id(0));
    if (!walk.is_there || walk.node >= own)
        return;
    const cladei_length length = cladei_length_load(p.label + walk.node);
    if (length == CLADEI_LENGTH_NONE || (level > 0u && levels[walk.node] != level - 1u))
        return;
    for (uint arc = walk.arc; arc < walk.end; arc++) {
        const uint2 to = p.arcs[arc];
        const cladei_length its = cladei_length_load(p.label + to.x);
        const bool is_level = level == 0u ? length < its : length == its;
        const bool is_open = to.x >= own || levels[to.x] == CLADE_PATHS_NONE;
        if (is_level && is_open && its != CLADEI_LENGTH_NONE &&
            its == cladei_length_sum(length, to.y))
            (void)clade_min_relaxed((clade_global_word)&predecessors[to.x], base + walk.node);
    }
}

/* What is offered to ghosts, for their owners: the offer, and the ghost's length. The ghost's offer
 * is gone. */
__kernel void clade_mpi_paths_tree_look(__global clade_paths_head *paths,
                                        __global const clade_graph_head *graph, uint own,
                                        uint ghosts, __global const uint *first, uint ranks,
                                        __global const uint *there, __global uint *predecessors,
                                        __global uint *counts, __global uint *out_nodes,
                                        __global uint *out_offers,
                                        __global cladei_length *out_lengths)
{
    cladei_paths_piece p;
    cladei_paths_open(&p, paths, graph, 0);
    const ulong ghost = get_global_id(0), node = own + ghost;
    if (ghost >= ghosts || predecessors[node] == CLADE_PATHS_NONE)
        return;
    const uint at = clade_mpi_place(first, ranks, (uint)ghost, counts);
    out_nodes[at] = there[ghost];
    out_offers[at] = predecessors[node];
    out_lengths[at] = cladei_length_load(p.label + node);
    predecessors[node] = CLADE_PATHS_NONE;
}

__kernel void clade_mpi_paths_tree_take(__global clade_paths_head *paths,
                                        __global const clade_graph_head *graph,
                                        __global const uint *nodes, __global const uint *offers,
                                        __global const cladei_length *lengths, uint count,
                                        __global uint *predecessors, __global const uint *levels)
{
    cladei_paths_piece p;
    cladei_paths_open(&p, paths, graph, 0);
    const ulong i = get_global_id(0);
    if (i < count && levels[nodes[i]] == CLADE_PATHS_NONE &&
        cladei_length_load(p.label + nodes[i]) == lengths[i])
        (void)clade_min_relaxed((clade_global_word)&predecessors[nodes[i]], offers[i]);
}

/* Own nodes that have a predecessor now are of this level; those without are counted. */
__kernel void clade_mpi_paths_tree_close(__global clade_paths_head *paths,
                                         __global const clade_graph_head *graph, uint own,
                                         uint level, __global const uint *predecessors,
                                         __global uint *levels, __global uint *left)
{
    cladei_paths_piece p;
    cladei_paths_open(&p, paths, graph, 0);
    const ulong node = get_global_id(0);
    if (node >= own || levels[node] != CLADE_PATHS_NONE ||
        cladei_length_load(p.label + node) == CLADEI_LENGTH_NONE)
        return;
    if (predecessors[node] != CLADE_PATHS_NONE)
        levels[node] = level;
    else
        (void)clade_add_relaxed((clade_global_word)left, 1u);
}

/* --- lengths that do not fit: see cl/clade/paths/lack.clh ------------------------------------- */

/* Ghosts without a length to which an arc of a node leads that has one are marked, for their owners
 * to look; an own node of that kind is counted. */
__kernel void clade_mpi_paths_lack(__global clade_paths_head *paths,
                                   __global const clade_graph_head *graph, uint own,
                                   __global uint *predecessors, __global uint *left)
{
    cladei_paths_piece p;
    cladei_paths_open(&p, paths, graph, 0);
    const cladei_paths_walk walk = cladei_paths_walk_of(&p, graph, get_global_id(0));
    if (!walk.is_there || walk.node >= own ||
        cladei_length_load(p.label + walk.node) == CLADEI_LENGTH_NONE)
        return;
    for (uint arc = walk.arc; arc < walk.end; arc++) {
        const uint to = p.arcs[arc].x;
        if (cladei_length_load(p.label + to) != CLADEI_LENGTH_NONE)
            continue;
        if (to >= own)
            (void)clade_min_relaxed((clade_global_word)&predecessors[to], 0u);
        else
            (void)clade_add_relaxed((clade_global_word)left, 1u);
    }
}

/* Whether nodes of this rank that other ranks asked for have no length. */
__kernel void clade_mpi_paths_lack_take(__global clade_paths_head *paths,
                                        __global const clade_graph_head *graph,
                                        __global const uint *nodes, uint count, __global uint *left)
{
    cladei_paths_piece p;
    cladei_paths_open(&p, paths, graph, 0);
    const ulong i = get_global_id(0);
    if (i < count && cladei_length_load(p.label + nodes[i]) == CLADEI_LENGTH_NONE)
        (void)clade_add_relaxed((clade_global_word)left, 1u);
}

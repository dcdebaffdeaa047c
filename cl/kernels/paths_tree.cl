/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels that make a tree of the predecessors; launched by lib/paths/tree.c after a search.
 *
 * A node's predecessor is one from which an arc leads to it that adds up to its length. Where it
 * has a smaller length than the node, no circle can come of it. What is left (arcs of weight 0,
 * floats too small to change a sum) goes by levels: a predecessor is of a level before.
 *
 * What the library can ask for (`cladec --check`); libclc has no 64-bit atomics for NVIDIA.
 * Check: CLADE_PATHS_LENGTH=0,1
 * Check spirv64: CLADE_PATHS_LENGTH=2
 */
#include "clade/paths.clh"

/* While the tree is made, `done` has each node's level; after the search nobody else wants it. */
__kernel void clade_paths_tree_begin(__global clade_paths_head *paths,
                                     __global const clade_graph_head *graph)
{
    cladei_paths_piece p;
    cladei_paths_open(&p, paths, graph, 0);
    const ulong node = get_global_id(0);
    if (node >= p.nodes)
        return;
    p.predecessor[node] = CLADE_PATHS_NONE;
    p.done[node] = CLADEI_LENGTH_NONE;
}

/* Sources are of level 0. */
__kernel void clade_paths_tree_roots(__global clade_paths_head *paths,
                                     __global const clade_graph_head *graph,
                                     __global const uint *sources, ulong first, ulong count)
{
    cladei_paths_piece p;
    cladei_paths_open(&p, paths, graph, 0);
    const ulong i = get_global_id(0);
    if (i < count)
        p.done[sources[first + i]] = 0;
}

/* Offer each node as a predecessor to its targets; the least wins. Level 0: to those with a greater
 * length. Later levels: to those with the same length, by nodes of the level before. */
__kernel void clade_paths_tree_offer(__global clade_paths_head *paths,
                                     __global const clade_graph_head *graph, uint level)
{
    cladei_paths_piece p;
    cladei_paths_open(&p, paths, graph, 0);
    const cladei_paths_walk walk = cladei_paths_walk_of(&p, graph, get_global_id(0));
    const cladei_length length = clade_paths_length_wi(paths, 0, walk.node);
    if (!walk.is_there || length == CLADEI_LENGTH_NONE ||
        (level > 0u && p.done[walk.node] != level - 1u))
        return;
    for (uint arc = walk.arc; arc < walk.end; arc++) {
        const uint2 to = p.arcs[arc];
        const cladei_length its = clade_paths_length_wi(paths, 0, to.x);
        const bool is_level = level == 0u ? length < its : length == its;
        if (is_level && its != CLADEI_LENGTH_NONE && its == cladei_length_sum(length, to.y) &&
            p.done[to.x] == CLADEI_LENGTH_NONE)
            clade_min_relaxed((clade_global_word)&p.predecessor[to.x], walk.node);
    }
}

/* Nodes that have a predecessor now are of this level; those without are counted. */
__kernel void clade_paths_tree_close(__global clade_paths_head *paths,
                                     __global const clade_graph_head *graph, uint level)
{
    cladei_paths_piece p;
    cladei_paths_open(&p, paths, graph, 0);
    const ulong node = get_global_id(0);
    if (node >= p.nodes || p.done[node] != CLADEI_LENGTH_NONE ||
        clade_paths_length_wi(paths, 0, (uint)node) == CLADEI_LENGTH_NONE)
        return;
    if (p.predecessor[node] != CLADE_PATHS_NONE)
        p.done[node] = level;
    else
        clade_add_relaxed(&paths->left, 1u);
}

__kernel void clade_paths_tree_read(__global clade_paths_head *paths,
                                    __global const clade_graph_head *graph,
                                    __global uint *predecessors, ulong first)
{
    cladei_paths_piece p;
    cladei_paths_open(&p, paths, graph, 0);
    const ulong node = get_global_id(0);
    if (node < p.nodes)
        predecessors[first + node] = p.predecessor[node];
}

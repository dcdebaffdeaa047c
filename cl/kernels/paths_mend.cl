/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels for drivers that leave long loops (clade_caps.loop_limit); launched by lib/paths/mend.c.
 *
 * When a launch was cut so, entries are lost, or a node was left in the midst of its arcs. Labels
 * are lengths of paths all the same: they only fell. So the arcs tell what was left out, and the
 * search goes on from the labels.
 *
 * What the library can ask for (`cladec --check`); libclc has no 64-bit atomics for NVIDIA.
 * Check: CLADE_PATHS_LENGTH=0,1
 * Check spirv64: CLADE_PATHS_LENGTH=2
 */
#include "clade/paths.clh"

/* An arc that would lower a label, of a node whose own is final: the node waits again, and is
 * counted. An item for each arc: no loop here is long. */
__kernel void clade_paths_mend(__global clade_paths_head *paths,
                               __global const clade_graph_head *graph,
                               __global const cladei_length *bounds, ulong first_bound,
                               uint has_bounds, ulong cutoff)
{
    cladei_paths_piece p;
    cladei_paths_open(&p, paths, graph, 0);
    const ulong arc = get_global_id(0);
    cladei_length length, sum;
    uint node;
    if (arc >= graph->arcs)
        return;
    p.bounds = has_bounds != 0u ? bounds + first_bound : 0;
    node = cladei_paths_tail(&p, arc);
    length = cladei_length_load(p.label + node);
    if (length == CLADEI_LENGTH_NONE || cladei_paths_bucket(&p, node, length) >= p.slot->settled)
        return;
    sum = cladei_length_sum(length, p.arcs[arc].y);
    if (sum > (cladei_length)cutoff || cladei_length_load(p.label + p.arcs[arc].x) <= sum)
        return;
    p.done[node] = CLADEI_LENGTH_NONE;
    clade_add_relaxed(&paths->left, 1u);
}

/* The search goes on from the labels: which nodes wait is found anew. */
__kernel void clade_paths_again(__global clade_paths_head *paths,
                                __global const clade_graph_head *graph)
{
    cladei_paths_piece p;
    cladei_paths_open(&p, paths, graph, 0);
    if (get_global_id(0) != 0)
        return;
    const uint rounds = p.slot->rounds, rebuilds = p.slot->rebuilds;
    const uint expanded = clade_load_relaxed(&p.slot->expanded);
    const uint overflow = clade_load_relaxed(&p.slot->overflow);
    cladei_paths_begin_words_wi(p.slot);
    p.slot->rounds = rounds;
    p.slot->rebuilds = rebuilds;
    clade_store_relaxed(&p.slot->expanded, expanded);
    clade_store_relaxed(&p.slot->overflow, overflow);
    clade_store_relaxed(&p.slot->lost, 0u);
}

/* All nodes wait again: with a greater cutoff, arcs that were gone through lead farther. */
__kernel void clade_paths_again_all(__global clade_paths_head *paths,
                                    __global const clade_graph_head *graph)
{
    cladei_paths_piece p;
    cladei_paths_open(&p, paths, graph, 0);
    const ulong node = get_global_id(0);
    if (node < p.nodes)
        p.done[node] = CLADEI_LENGTH_NONE;
}

/* Rows of a table, in which all bits were 1 before: arcs that would lower a length are counted, and
 * sources without theirs. So what was not written shows, too: a way from the source comes to it. If
 * nothing is left, an arc to a node without a length is one whose sum does not fit. An item for
 * each arc of each row. */
__kernel void clade_paths_rows_look(__global clade_paths_head *paths,
                                    __global const clade_graph_head *graph,
                                    __global const uint *sources, ulong first,
                                    __global const cladei_length *rows, ulong first_row,
                                    ulong count)
{
    cladei_paths_piece p;
    cladei_paths_open(&p, paths, graph, 0);
    const ulong i = get_global_id(0), row = i / graph->arcs, arc = i % graph->arcs;
    if (row >= count)
        return;
    const ulong at = first_row + row * p.nodes;
    const uint source = sources[first + row];
    if (arc == 0ul && source < p.nodes && rows[at + source] != 0)
        clade_add_relaxed(&paths->left, 1u);
    const cladei_length length = rows[at + cladei_paths_tail(&p, arc)];
    const cladei_length its = rows[at + p.arcs[arc].x];
    if (length != CLADEI_LENGTH_NONE && cladei_length_sum(length, p.arcs[arc].y) < its)
        clade_add_relaxed(&paths->left, 1u);
    else if (length != CLADEI_LENGTH_NONE && its == CLADEI_LENGTH_NONE)
        cladei_object_note_wi(&paths->object, CLADE_E_FULL, row);
}

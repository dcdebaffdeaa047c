/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels behind clade_paths_*; launched by lib/paths/.
 *
 * What the library can ask for (`cladec --check`); libclc has no 64-bit atomics for NVIDIA.
 * Check: CLADE_PATHS_LENGTH=0,1
 * Check spirv64: CLADE_PATHS_LENGTH=2
 */
#include "clade/paths.clh"

/* Labels and words of slot 0, by many groups: one would take long over a large graph. */
__kernel void clade_paths_begin(__global clade_paths_head *paths,
                                __global const clade_graph_head *graph)
{
    cladei_paths_piece p;
    cladei_paths_open(&p, paths, graph, 0);
    __global cladei_length *label = (__global cladei_length *)cladei_paths_after_slot(p.slot);
    for (ulong node = get_global_id(0); node < p.nodes; node += get_global_size(0))
        label[node] = p.done[node] = CLADEI_LENGTH_NONE;
    if (get_global_id(0) == 0)
        cladei_paths_begin_words_wi(p.slot);
}

/* A source, or a target, that is no node: the search does nothing. */
__kernel void clade_paths_sources(__global clade_paths_head *paths,
                                  __global const clade_graph_head *graph,
                                  __global const uint *sources, ulong first, ulong count,
                                  __global const uint *targets, ulong first_target,
                                  ulong target_count)
{
    cladei_paths_piece p;
    cladei_paths_open(&p, paths, graph, 0);
    const ulong i = get_global_id(0);
    if (i < count) {
        if (sources[first + i] < p.nodes)
            cladei_paths_source_wi(&p, sources[first + i]);
        else
            cladei_object_note_wi(&paths->object, CLADE_E_ARG, i);
    }
    if (i < target_count && targets[first_target + i] >= p.nodes)
        cladei_object_note_wi(&paths->object, CLADE_E_ARG, count + i);
}

/* One group goes on with the search in slot 0. */
__kernel void clade_paths_go(__global clade_paths_head *paths,
                             __global const clade_graph_head *graph, __global const uint *targets,
                             ulong first, ulong count, __global const cladei_length *bounds,
                             ulong first_bound, uint has_bounds, ulong cutoff, uint rounds)
{
    CLADE_LOCAL clade_paths_scratch scratch;
    cladei_paths_piece p;
    cladei_paths_open(&p, paths, graph, 0);
    const cladei_paths_targets its = { targets + first, (uint)count };
    p.bounds = has_bounds != 0u ? bounds + first_bound : 0;
    p.cutoff = (cladei_length)cutoff;
    (void)cladei_paths_go_wg(&scratch, &p, &its, rounds);
}

/* Labels in buckets that were not reached are not final: they are taken back. */
__kernel void clade_paths_forget(__global clade_paths_head *paths,
                                 __global const clade_graph_head *graph,
                                 __global const cladei_length *bounds, ulong first_bound,
                                 uint has_bounds)
{
    cladei_paths_piece p;
    cladei_paths_open(&p, paths, graph, 0);
    __global cladei_length *label = (__global cladei_length *)cladei_paths_after_slot(p.slot);
    const ulong node = get_global_id(0);
    p.bounds = has_bounds != 0u ? bounds + first_bound : 0;
    if (node < p.nodes && label[node] != CLADEI_LENGTH_NONE &&
        cladei_paths_bucket(&p, (uint)node, label[node]) >= p.slot->settled)
        label[node] = CLADEI_LENGTH_NONE;
}

/* Whether some node lacks its length: then `left` is not 0. */
__kernel void clade_paths_lack(__global clade_paths_head *paths,
                               __global const clade_graph_head *graph)
{
    cladei_paths_piece p;
    cladei_paths_open(&p, paths, graph, 0);
    const cladei_paths_walk walk = cladei_paths_walk_of(&p, graph, get_global_id(0));
    if (walk.is_there && cladei_paths_arcs_lack_wi(&p, walk.node, walk.arc, walk.end))
        clade_store_relaxed(&paths->left, 1u);
}

/* All lengths of slot 0. */
__kernel void clade_paths_lengths(__global clade_paths_head *paths, __global cladei_length *lengths,
                                  ulong first)
{
    const ulong node = get_global_id(0);
    if (node < paths->nodes)
        lengths[first + node] = clade_paths_length_wi(paths, 0, (uint)node);
}

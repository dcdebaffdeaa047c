/* SPDX-License-Identifier: Apache-2.0 */
#include "clade/paths.clh"

/* Each group searches from one source: how far is the farthest node that it reaches? */
__kernel void farthest(__global clade_paths_head *paths, __global const clade_graph_head *graph,
                       __global const uint *sources, __global uint *out)
{
    __local clade_paths_scratch scratch;
    uint slot = (uint)get_group_id(0), most = 0;
    int status = clade_paths_run_wg(paths, graph, slot, sources[slot], UINT_MAX, &scratch);
    for (uint node = 0; node < graph->nodes && get_local_id(0) == 0; node++) {
        uint length = clade_paths_length_wi(paths, slot, node);
        most = length == UINT_MAX ? most : max(most, length); /* UINT_MAX: not reached */
    }
    if (get_local_id(0) == 0)
        out[slot] = status == CLADE_OK ? most : UINT_MAX;
}

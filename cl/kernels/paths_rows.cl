/* SPDX-License-Identifier: Apache-2.0 */
/* The kernels behind clade_paths_table(); launched by lib/paths/search.c.
 *
 * What the library can ask for (`cladec --check`); libclc has no 64-bit atomics for NVIDIA.
 * Check: CLADE_PATHS_LENGTH=0,1
 * Check spirv64: CLADE_PATHS_LENGTH=2
 */
#include "clade/paths.clh"

/* No slot has a search; `count` rows are left. */
__kernel void clade_paths_rows_begin(__global clade_paths_head *paths, ulong count)
{
    const uint slot = (uint)get_global_id(0);
    if (slot < paths->slots)
        cladei_paths_slot(paths, slot)->step = CLADE_PATHS_IDLE;
    if (slot == 0u) {
        clade_store_relaxed(&paths->next_row, 0u);
        clade_store_relaxed(&paths->left, (uint)count);
    }
}

/* Each group does one source after the other, in its own slot, and writes a row of lengths for
 * each. A group that has used its rounds leaves its search as it is; the next launch goes on. */
__kernel void clade_paths_rows(__global clade_paths_head *paths,
                               __global const clade_graph_head *graph, __global const uint *sources,
                               ulong first, ulong count, __global cladei_length *rows,
                               ulong first_row, uint rounds)
{
    __local clade_paths_scratch scratch;
    __local uint taken;
    const cladei_paths_targets none = { 0, 0 };
    const uint id = (uint)get_local_id(0), size = (uint)get_local_size(0);
    cladei_paths_piece p;
    cladei_paths_open(&p, paths, graph, (uint)get_group_id(0));
    __global const cladei_length *label =
        (__global const cladei_length *)cladei_paths_after_slot(p.slot);
    for (;;) {
        uint row;
        if (p.slot->step == CLADE_PATHS_IDLE) {
            if (id == 0)
                taken = clade_add_relaxed(&paths->next_row, 1u);
            clade_barrier();
            row = taken;
            clade_barrier();
            if (row >= count)
                return;
            cladei_paths_begin_wg(&p, paths->scale);
            if (id == 0) {
                p.slot->row = row;
                if (sources[first + row] < p.nodes)
                    cladei_paths_source_wi(&p, sources[first + row]);
                else
                    cladei_object_note_wi(&paths->object, CLADE_E_ARG, row);
            }
            clade_barrier();
            p.scale = p.slot->scale;
        }
        if (!cladei_paths_go_wg(&scratch, &p, &none, rounds))
            return;
        row = p.slot->row;
        if (clade_load_local(&scratch.slot.overflow) != 0u && id == 0)
            cladei_object_note_wi(&paths->object, CLADE_E_FULL, row);
        for (uint node = id; node < p.nodes; node += size)
            rows[first_row + (ulong)row * p.nodes + node] = label[node];
        clade_barrier();
        if (id == 0) {
            p.slot->step = CLADE_PATHS_IDLE;
            clade_sub_relaxed(&paths->left, 1u);
        }
        clade_barrier();
    }
}

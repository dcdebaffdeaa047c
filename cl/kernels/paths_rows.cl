/* SPDX-License-Identifier: Apache-2.0 */
/* The kernels behind clade_paths_table(); launched by lib/paths/search.c.
 *
 * What the library can ask for (`cladec --check`); libclc has no 64-bit atomics for NVIDIA.
 * Check: CLADE_PATHS_LENGTH=0,1
 * Check spirv64: CLADE_PATHS_LENGTH=2
 */
#include "clade/paths.clh"

/* No slot has a search; `count` rows are left. Sources that are no nodes are noted here, before a
 * row may lack a length. An item for each source, and one for each slot. */
__kernel void clade_paths_rows_begin(__global clade_paths_head *paths, __global const uint *sources,
                                     ulong first, ulong count)
{
    const ulong i = get_global_id(0);
    if (i < paths->slots)
        cladei_paths_slot(paths, (uint)i)->step = CLADE_PATHS_IDLE;
    if (i < count && sources[first + i] >= paths->nodes)
        cladei_object_note_wi(&paths->object, CLADE_E_ARG, i);
    if (i == 0ul) {
        clade_store_relaxed(&paths->next_row, 0u);
        clade_store_relaxed(&paths->left, (uint)count);
    }
}

/* A search begins in the slot, if a source is left. All items of the group, once a launch, when
 * they have looked at the slot; the same for all. */
static inline bool cladei_paths_row_begins(__global clade_paths_head *paths,
                                           const cladei_paths_piece *p,
                                           __global const uint *sources, ulong count,
                                           __local uint *taken)
{
    uint row;
    if (get_local_id(0) == 0)
        *taken = clade_add_relaxed(&paths->next_row, 1u);
    clade_barrier();
    row = *taken;
    if (row < count) {
        cladei_paths_begin_wg(p);
        if (get_local_id(0) == 0) {
            p->slot->row = row;
            if (sources[row] < p->nodes)
                cladei_paths_source_wi(p, sources[row]);
        }
        /* Else PoCL 3.1 copies the loops that follow into the branch, without an end, for groups of
         * 2 to 5 items. */
        clade_barrier();
    }
    return row < count;
}

/* The search is done: its row is written, and the slot is free. All items of the group. */
static inline void cladei_paths_row_ends(__global clade_paths_head *paths,
                                         const cladei_paths_piece *p, cladei_paths_local s,
                                         __global cladei_length *rows)
{
    const ulong row = s->slot.row;
#ifdef CLADE_LOOPS_ARE_LEFT /* clade_paths_rows_look() says so */
    const bool lacks = false;
#else
    const bool lacks = cladei_paths_lacks_wg(s, p);
#endif
    for (uint node = (uint)get_local_id(0); node < p->nodes; node += (uint)get_local_size(0))
        rows[row * p->nodes + node] = cladei_length_load(p->label + node);
    if (get_local_id(0) == 0) {
        if (lacks)
            cladei_object_note_wi(&paths->object, CLADE_E_FULL, row);
        p->slot->step = CLADE_PATHS_IDLE;
        clade_sub_relaxed(&paths->left, 1u);
    }
}

/* Each group takes a source, when its slot is free, and searches for at most `rounds` rounds; the
 * next launch goes on. */
__kernel void clade_paths_rows(__global clade_paths_head *paths,
                               __global const clade_graph_head *graph, __global const uint *sources,
                               ulong first, ulong count, __global cladei_length *rows,
                               ulong first_row, uint rounds)
{
    CLADE_LOCAL clade_paths_scratch scratch;
    CLADE_LOCAL uint taken;
    const cladei_paths_targets none = { 0, 0 };
    cladei_paths_piece p;
    bool is_there;
    cladei_paths_open(&p, paths, graph, (uint)get_group_id(0));
    is_there = p.slot->step != CLADE_PATHS_IDLE;
    if (!is_there)
        is_there = cladei_paths_row_begins(paths, &p, sources + first, count, &taken);
    if (is_there && cladei_paths_go_wg(&scratch, &p, &none, rounds))
        cladei_paths_row_ends(paths, &p, &scratch, rows + first_row);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* The kernels behind clade_paths_run() where many groups do one search; launched by
 * lib/paths/many.c.
 *
 * What the library can ask for (`cladec --check`); libclc has no 64-bit atomics for NVIDIA.
 * Check: CLADE_PATHS_LENGTH=0,1 CLADE_PATHS_DENSE=0,1
 * Check spirv64: CLADE_PATHS_LENGTH=2 CLADE_PATHS_DENSE=0,1
 */
#include "clade/paths/many.clh"

static inline clade_global_word clade_paths_words(__global clade_paths_head *paths)
{
    return (clade_global_word)((__global clade_u32 *)paths + (ulong)paths->shared_at * 16u);
}

/* The groups go on with the search in slot 0. `meets` 0: for one round, after which nobody waits
 * for anybody. */
__kernel void clade_paths_many(__global clade_paths_head *paths,
                               __global const clade_graph_head *graph, __global const uint *targets,
                               ulong first, ulong count, __global const cladei_length *bounds,
                               ulong first_bound, uint has_bounds, ulong cutoff, uint rounds,
                               uint meets)
{
    CLADE_LOCAL clade_paths_scratch scratch;
    CLADE_LOCAL clade_paths_gathered gathered;
    cladei_paths_piece p;
    cladei_paths_open(&p, paths, graph, 0);
    const cladei_paths_targets its = { targets + first, (uint)count };
    cladei_paths_all all = { clade_paths_words(paths), (uint)get_group_id(0),
                             (uint)get_num_groups(0), 0 };
    p.bounds = has_bounds != 0u ? bounds + first_bound : 0;
    p.cutoff = (cladei_length)cutoff;
    p.heavy = (__global uint2 *)((__global uint *)all.words + CLADE_PATHS_SHARED_WORDS);
    cladei_paths_go_many(&scratch, &gathered, &p, &its, &all, rounds, meets != 0u);
}

/* After a launch, and before the first one: the search's words are whole again in slot 0, and the
 * shared words are as a launch wants them. One group. */
__kernel void clade_paths_fold(__global clade_paths_head *paths,
                               __global const clade_graph_head *graph, uint is_first)
{
    CLADE_LOCAL clade_paths_scratch scratch;
    cladei_paths_piece p;
    const clade_global_word words = clade_paths_words(paths);
    uint pending;
    cladei_paths_open(&p, paths, graph, 0);
    if (is_first == 0u) {
        cladei_paths_bring_wi(&scratch, (__global clade_paths_slot *)words);
        clade_barrier();
        pending = clade_load_relaxed(words + CLADE_PATHS_PENDING);
        if (pending != 0u && CLADE_SOUND(PATHS_FORGETS_SUMS))
            cladei_paths_absorb_wi(&scratch, &p,
                                   words + CLADE_PATHS_MEETINGS +
                                       (pending - 1u) * CLADE_PATHS_MEETING_WORDS);
        if (get_local_id(0) == 0) {
            clade_add_local(&scratch.slot.expanded,
                            clade_load_relaxed(words + CLADE_PATHS_EXPANDED));
            clade_or_local(&scratch.slot.overflow,
                           clade_load_relaxed(words + CLADE_PATHS_OVERFLOW));
        }
        clade_barrier();
        cladei_paths_leave_wi(&scratch, p.slot);
    }
    for (uint turn = 0; turn < 3u; turn++)
        cladei_paths_empty_wg(words + CLADE_PATHS_MEETINGS + turn * CLADE_PATHS_MEETING_WORDS);
    if (get_local_id(0) == 0) {
        clade_store_relaxed(words + CLADE_PATHS_PENDING, 0u);
        clade_store_relaxed(words + CLADE_PATHS_EXPANDED, 0u);
        clade_store_relaxed(words + CLADE_PATHS_OVERFLOW, 0u);
    }
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Selection with several groups a row: one digit a pair of launches, so that no group waits for
 * another. Launched by lib/kselect/kselect.c in the order start, (count, scan) for each digit,
 * place, finish. A row whose cut is found early makes the rest of its digits' launches return at
 * once.
 *
 * Between launches everything is ordered; within one, groups meet in relaxed adds alone: on
 * `bins` (count), on a row's two counters (place).
 *
 * What the library can ask for (`cladec --check`): the shapes for GPUs and for CPUs.
 * Check: CLADE_KSELECT_GROUP=256 CLADE_KSELECT_ITEMS=16 CLADE_KSELECT_DIGIT=11 CLADE_KSELECT_CODED=0,1 CLADE_KSELECT_KEY=1..3 CLADE_KSELECT_ORDER=0,1 CLADE_KSELECT_INDICES=0,1
 * Check: CLADE_KSELECT_GROUP=1 CLADE_KSELECT_ITEMS=256 CLADE_KSELECT_DIGIT=11 CLADE_KSELECT_CODED=0,1 CLADE_KSELECT_KEY=1..3 CLADE_KSELECT_ORDER=0,1 CLADE_KSELECT_INDICES=0,1
 * Check: CLADE_KSELECT_GROUP=1,256 CLADE_KSELECT_ITEMS=16 CLADE_KSELECT_DIGIT=11 CLADE_KSELECT_KEY=1,4,7 CLADE_KSELECT_LOWEST=0,1 CLADE_KSELECT_EACH=0,1 CLADE_KSELECT_INDICES=1
 */

#include "clade/kselect.clh"
#include "clade/kselect/span.clh"

/* Part p of a row's 2^parts_log takes tiles p, p + 2^parts_log, ... */
CLADE_INLINE uint clade_kselect_row_wi(uint parts_log)
{
    return (uint)get_group_id(0) >> parts_log;
}

CLADE_INLINE uint clade_kselect_part_wi(uint parts_log)
{
    return (uint)get_group_id(0) & ((1u << parts_log) - 1u);
}

/* The cut of a row between launches: an item writes it, and in the next launch all read it. */
CLADE_INLINE void clade_kselect_leave_wi(__global clade_kselect_row *row, clade_kselect_cut cut)
{
    row->prefix = cut.prefix;
    row->shift = cut.shift;
    row->need = cut.need;
    row->count = cut.count;
#if CLADE_KSELECT_LOWEST
    row->at = cut.at;
    row->at_shift = cut.at_shift;
#endif
}

CLADE_INLINE clade_kselect_cut clade_kselect_left_wi(__global const clade_kselect_row *row)
{
    clade_kselect_cut cut;
    cut.prefix = (clade_kselect_word)row->prefix;
    cut.shift = row->shift;
    cut.need = row->need;
    cut.count = row->count;
#if CLADE_KSELECT_LOWEST
    cut.at = row->at;
    cut.at_shift = row->at_shift;
#endif
    return cut;
}

/* A group a row. */
__kernel CLADE_KSELECT_SIZED void clade_kselect_start(__global clade_kselect_row *state,
                                                      __global clade_atomic_u32 *bins,
                                                      __global const clade_kselect_span *spans,
                                                      uint length, uint k)
{
    const uint row = (uint)get_group_id(0), lid = (uint)get_local_id(0);
    for (uint i = lid; i < CLADE_KSELECT_BINS; i += CLADE_KSELECT_GROUP)
        clade_store_relaxed(&bins[(ulong)row * CLADE_KSELECT_BINS + i], 0u);
    if (lid == 0) {
        const clade_kselect_span span = clade_kselect_span_wi(spans, row, length, k);
        clade_kselect_leave_wi(&state[row], clade_kselect_start_wi(span.length, span.k));
        clade_store_relaxed(&state[row].before, 0u);
        clade_store_relaxed(&state[row].members, 0u);
    }
}

__kernel CLADE_KSELECT_SIZED void
clade_kselect_count(__global const clade_kselect_raw *keys, ulong keys_first,
                    __global const clade_kselect_row *state, __global clade_atomic_u32 *bins,
                    __global const clade_kselect_span *spans, uint length, uint k, uint parts_log)
{
    __local clade_kselect_local s;
    const uint row = clade_kselect_row_wi(parts_log), part = clade_kselect_part_wi(parts_log);
    const clade_kselect_cut cut = clade_kselect_left_wi(&state[row]);
    if (clade_kselect_is_cut_wi(cut, CLADE_KSELECT_RANKED))
        return; /* the whole group: a launch does not change the cut */
    const clade_kselect_span span = clade_kselect_span_wi(spans, row, length, k);
    __global const clade_kselect_raw *from = keys + keys_first + span.first;
    clade_kselect_word words[CLADE_KSELECT_ITEMS];
    clade_kselect_clear_wi(&s);
    clade_kselect_sync();
    for (ulong tile = (ulong)part * CLADE_KSELECT_TILE; tile < span.length;
         tile += (ulong)CLADE_KSELECT_TILE << parts_log) {
        clade_kselect_load_wi(words, from, (uint)tile, span.length);
        clade_kselect_count_wi(&s, words, (uint)tile, span.length, cut);
    }
    clade_kselect_sync();
    for (uint i = (uint)get_local_id(0); i < CLADE_KSELECT_BINS; i += CLADE_KSELECT_GROUP) {
        const uint count = clade_kselect_get(&s.bins[i]);
        if (count > 0)
            clade_add_relaxed(&bins[(ulong)row * CLADE_KSELECT_BINS + i], count);
    }
}

/* A group a row. */
__kernel CLADE_KSELECT_SIZED void clade_kselect_scan(__global clade_kselect_row *state,
                                                     __global clade_atomic_u32 *bins)
{
    __local clade_kselect_local s;
    const uint row = (uint)get_group_id(0), lid = (uint)get_local_id(0);
    const clade_kselect_cut cut = clade_kselect_left_wi(&state[row]);
    if (clade_kselect_is_cut_wi(cut, CLADE_KSELECT_RANKED))
        return; /* the whole group: only item 0 writes the cut, after the barriers below */
    for (uint i = lid; i < CLADE_KSELECT_BINS; i += CLADE_KSELECT_GROUP) {
        __global clade_atomic_u32 *bin = &bins[(ulong)row * CLADE_KSELECT_BINS + i];
        clade_kselect_set(&s.bins[i], clade_load_relaxed(bin));
        clade_store_relaxed(bin, 0u);
    }
    clade_kselect_sync();
    if (clade_sg_index() == 0u)
        clade_kselect_scan_sg(&s, cut, cut);
    clade_kselect_sync();
    if (lid == 0)
        clade_kselect_leave_wi(&state[row], s.cut);
}

/* Claim `count` places by a row's counter, for the sub-group. */
CLADE_INLINE uint clade_kselect_claim_sg(__global clade_atomic_u32 *counter, uint count)
{
    uint place = 0;
    if (count > 0 && clade_sg_lane() == 0)
        place = clade_add_relaxed(counter, count);
    return clade_sg_shuffle(place, 0u);
}

/* A tile's words that lie before the bin (members == 0) or in it. */
CLADE_INLINE void clade_kselect_share_sg(__local clade_kselect_local *s,
                                         const clade_kselect_word *words, uint tile, uint length,
                                         uint k, clade_kselect_cut cut, int members,
                                         __global clade_atomic_u32 *counter, clade_kselect_out out)
{
    const uint first = members ? k - cut.need : 0, end = members ? k : k - cut.need;
#if CLADE_KSELECT_GROUP == 1
    const uint count = clade_kselect_stage_wi(s, words, tile, length, cut, members);
    const uint place = clade_kselect_claim_sg(counter, count);
    clade_kselect_unstage_wi(s, first + place, end, count, out);
#else
    const uint count = clade_kselect_tally_sg(words, tile, length, cut, members);
    const uint place = clade_kselect_claim_sg(counter, count);
    if (count > 0)
        clade_kselect_place_sg(words, tile, length, cut, members, first + place, end, out);
    (void)s;
#endif
}

/* Members wait for their ranking in `collected`: for each row CLADE_KSELECT_RANKED words, then as
 * many indices. */
CLADE_INLINE __global uint *clade_kselect_collected_wi(__global uint *collected, uint row)
{
    return collected + (ulong)row * (1u + CLADE_KSELECT_BITS / 32u) * CLADE_KSELECT_RANKED;
}

__kernel CLADE_KSELECT_SIZED void
clade_kselect_place(__global const clade_kselect_raw *keys, ulong keys_first,
                    __global clade_kselect_row *state, __global uint *collected,
                    __global clade_kselect_raw *out, ulong out_first, __global uint *indices,
                    ulong indices_first, ulong stride, __global const clade_kselect_span *spans,
                    uint length, uint k, uint parts_log)
{
    __local clade_kselect_local s;
    const uint row = clade_kselect_row_wi(parts_log), part = clade_kselect_part_wi(parts_log);
    const clade_kselect_cut cut = clade_kselect_left_wi(&state[row]);
    const int ranked = clade_kselect_is_ranked_wi(cut, CLADE_KSELECT_RANKED);
    const clade_kselect_span span = clade_kselect_span_wi(spans, row, length, k);
    __global const clade_kselect_raw *from = keys + keys_first + span.first;
    __global clade_kselect_word *mine =
        (__global clade_kselect_word *)clade_kselect_collected_wi(collected, row);
    __global uint *mine_at = (__global uint *)(mine + CLADE_KSELECT_RANKED);
    clade_kselect_out to;
    to.keys = out + out_first + row * stride;
    to.indices = indices + indices_first + row * stride;
    clade_kselect_word words[CLADE_KSELECT_ITEMS];
    for (ulong tile = (ulong)part * CLADE_KSELECT_TILE; tile < span.length;
         tile += (ulong)CLADE_KSELECT_TILE << parts_log) {
        clade_kselect_load_wi(words, from, (uint)tile, span.length);
        if (span.k > cut.need)
            clade_kselect_share_sg(&s, words, (uint)tile, span.length, span.k, cut, 0,
                                   &state[row].before, to);
        if (!ranked) {
            clade_kselect_share_sg(&s, words, (uint)tile, span.length, span.k, cut, 1,
                                   &state[row].members, to);
            continue;
        }
#if CLADE_KSELECT_GROUP == 1
        if (!clade_kselect_has_member_wi(words, cut))
            continue;
#endif
        CLADE_KSELECT_UNROLL
        for (uint i = 0; i < CLADE_KSELECT_ITEMS; i++) {
            const uint at = clade_kselect_at_wi((uint)tile, i);
            if (at < span.length && clade_kselect_is_member_wi(words[i], at, cut)) {
                const uint slot = clade_add_relaxed(&state[row].members, 1u);
                mine[slot] = words[i];
                mine_at[slot] = at;
            }
        }
    }
}

/* A group a row: rank what was collected. */
__kernel CLADE_KSELECT_SIZED void
clade_kselect_finish(__global const clade_kselect_row *state, __global uint *collected,
                     __global clade_kselect_raw *out, ulong out_first, __global uint *indices,
                     ulong indices_first, ulong stride, __global const clade_kselect_span *spans,
                     uint length, uint k)
{
    __local clade_kselect_local s;
    const uint row = (uint)get_group_id(0);
    const clade_kselect_cut cut = clade_kselect_left_wi(&state[row]);
    if (!clade_kselect_is_ranked_wi(cut, CLADE_KSELECT_RANKED))
        return; /* the whole group */
    const clade_kselect_span span = clade_kselect_span_wi(spans, row, length, k);
    __global const clade_kselect_word *mine =
        (__global const clade_kselect_word *)clade_kselect_collected_wi(collected, row);
    __global const uint *mine_at = (__global const uint *)(mine + CLADE_KSELECT_RANKED);
    for (uint i = (uint)get_local_id(0); i < cut.count; i += CLADE_KSELECT_GROUP) {
        s.word[i] = mine[i];
        s.index[i] = mine_at[i];
    }
    clade_kselect_sync();
    clade_kselect_out to;
    to.keys = out + out_first + row * stride;
    to.indices = indices + indices_first + row * stride;
    clade_kselect_rank_wi(&s, cut, span.k, to);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* The first key of each row, k = 1: one look, in which several groups share a row. No histogram is
 * needed, and nothing is read twice. Of equal keys the one with the lowest index is taken. Launched
 * by lib/kselect/first.c in the order look, end; groups meet nowhere. On CPUs short rows are not
 * shared: alone.
 *
 * What the library can ask for (`cladec --check`).
 * Check: CLADE_KSELECT_GROUP=1,256 CLADE_KSELECT_ITEMS=16 CLADE_KSELECT_KEY=1..8 CLADE_KSELECT_ORDER=0,1 CLADE_KSELECT_INDICES=1
 * Check: CLADE_KSELECT_GROUP=1,256 CLADE_KSELECT_ITEMS=16 CLADE_KSELECT_KEY=1,4,7 CLADE_KSELECT_EACH=0,1 CLADE_KSELECT_INDICES=0,1
 */

#include "clade/kselect.clh"
#include "clade/kselect/span.clh"

/* The first of some keys; of none, CLADE_KSELECT_NOWHERE. */
typedef struct clade_kselect_best {
    clade_kselect_word word;
    clade_u32 at;
} clade_kselect_best;
#define CLADE_KSELECT_NOWHERE 0xffffffffu /* no row has so many keys */

CLADE_INLINE clade_kselect_best clade_kselect_none_wi(void)
{
    clade_kselect_best none;
    none.word = CLADE_KSELECT_LAST;
    none.at = CLADE_KSELECT_NOWHERE;
    return none;
}

CLADE_INLINE clade_kselect_best clade_kselect_better_wi(clade_kselect_best a, clade_kselect_best b)
{
    const int is_b = b.word < a.word || (b.word == a.word && b.at < a.at);
    clade_kselect_best best;
    best.word = is_b ? b.word : a.word;
    best.at = is_b ? b.at : a.at;
    return best;
}

/* The best of the group's items, for all of them. */
CLADE_INLINE clade_kselect_best clade_kselect_best_wg(__local clade_kselect_best *all,
                                                      clade_kselect_best mine)
{
#if CLADE_KSELECT_GROUP > 1
    const uint lid = (uint)get_local_id(0);
    all[lid] = mine;
    clade_barrier_local();
    for (uint half_ = CLADE_KSELECT_GROUP / 2; half_ > 0; half_ /= 2) {
        if (lid < half_)
            all[lid] = clade_kselect_better_wi(all[lid], all[lid + half_]);
        clade_barrier_local();
    }
    mine = all[0];
#else
    (void)all;
#endif
    return mine;
}

#if CLADE_KSELECT_GROUP == 1
/* The better of `best` and the keys begin .. end - 1, all of which come after it in the row. The
 * least word is found without a branch, so by vectors; its place is looked for if it is needed. */
CLADE_INLINE clade_kselect_best clade_kselect_better_of_wi(__global const clade_kselect_raw *from,
                                                           uint begin, uint end,
                                                           clade_kselect_best best)
{
    clade_kselect_word least = CLADE_KSELECT_LAST;
    for (uint i = begin; i < end; i++) {
        const clade_kselect_word word = CLADE_KSELECT_WORD(from, i);
        least = word < least ? word : least;
    }
    if (least < best.word || best.at == CLADE_KSELECT_NOWHERE) {
        best.word = least;
        best.at = begin;
#if CLADE_KSELECT_INDICES
        while (CLADE_KSELECT_WORD(from, best.at) != least)
            best.at++;
#endif
    }
    return best;
}
#endif

/* Part p of a row's 2^parts_log takes tiles p, p + 2^parts_log, ... and leaves the best of them:
 * its word in words[], its index in ats[]. */
__kernel CLADE_KSELECT_SIZED void clade_kselect_look(__global const clade_kselect_raw *keys,
                                                     ulong keys_first, __global ulong *words,
                                                     __global uint *ats,
                                                     __global const clade_kselect_span *spans,
                                                     uint length, uint parts_log)
{
    CLADE_LOCAL clade_kselect_best all[CLADE_KSELECT_GROUP];
    const uint row = (uint)get_group_id(0) >> parts_log;
    const uint part = (uint)get_group_id(0) & ((1u << parts_log) - 1u);
    const clade_kselect_span span = clade_kselect_span_wi(spans, row, length, 1u);
    __global const clade_kselect_raw *from = keys + keys_first + span.first;
    clade_kselect_best best = clade_kselect_none_wi();
#if CLADE_KSELECT_GROUP > 1
    clade_kselect_word loaded[CLADE_KSELECT_ITEMS];
#endif
    for (ulong tile = (ulong)part * CLADE_KSELECT_TILE; tile < span.length;
         tile += (ulong)CLADE_KSELECT_TILE << parts_log) {
#if CLADE_KSELECT_GROUP == 1
        best = clade_kselect_better_of_wi(
            from, (uint)tile, (uint)min(tile + CLADE_KSELECT_TILE, (ulong)span.length), best);
#else
        clade_kselect_load_wi(loaded, from, (uint)tile, span.length);
        CLADE_KSELECT_UNROLL
        for (uint i = 0; i < CLADE_KSELECT_ITEMS; i++) {
            clade_kselect_best next;
            next.word = loaded[i];
            next.at = clade_kselect_at_wi((uint)tile, i);
            if (next.at < span.length)
                best = clade_kselect_better_wi(best, next);
        }
#endif
    }
    best = clade_kselect_best_wg(all, best);
    if (get_local_id(0) == 0) {
        words[get_group_id(0)] = best.word;
        ats[get_group_id(0)] = best.at;
    }
}

/* A group a row: the best of its parts. A row of no keys has no result. */
__kernel CLADE_KSELECT_SIZED void clade_kselect_end(__global const ulong *words,
                                                    __global const uint *ats,
                                                    __global clade_kselect_raw *out,
                                                    ulong out_first, __global uint *indices,
                                                    ulong indices_first, uint parts_log)
{
    CLADE_LOCAL clade_kselect_best all[CLADE_KSELECT_GROUP];
    const uint row = (uint)get_group_id(0);
    clade_kselect_best best = clade_kselect_none_wi();
    for (uint part = (uint)get_local_id(0); part < 1u << parts_log; part += CLADE_KSELECT_GROUP) {
        clade_kselect_best next;
        next.word = (clade_kselect_word)words[((size_t)row << parts_log) + part];
        next.at = ats[((size_t)row << parts_log) + part];
        best = clade_kselect_better_wi(best, next);
    }
    best = clade_kselect_best_wg(all, best);
    if (get_local_id(0) == 0 && best.at != CLADE_KSELECT_NOWHERE) {
        clade_kselect_out to;
        to.keys = out + out_first;
        to.indices = indices + indices_first;
        clade_kselect_put_wi(to, row, best.word, best.at);
    }
}

#if CLADE_KSELECT_GROUP == 1
/* A group a row, which nobody shares: look and end in one launch. Groups take rows in turns. */
__kernel CLADE_KSELECT_SIZED void
clade_kselect_alone(__global const clade_kselect_raw *keys, ulong keys_first,
                    __global clade_kselect_raw *out, ulong out_first, __global uint *indices,
                    ulong indices_first, __global const clade_kselect_span *spans, uint length,
                    uint rows)
{
    clade_kselect_out to;
    to.keys = out + out_first;
    to.indices = indices + indices_first;
    for (uint row = (uint)get_group_id(0); row < rows; row += (uint)get_num_groups(0)) {
        const clade_kselect_span span = clade_kselect_span_wi(spans, row, length, 1u);
        __global const clade_kselect_raw *from = keys + keys_first + span.first;
        clade_kselect_best best = clade_kselect_none_wi();
        for (uint tile = 0; tile < span.length; tile += min(CLADE_KSELECT_TILE, span.length - tile))
            best = clade_kselect_better_of_wi(
                from, tile, tile + min(CLADE_KSELECT_TILE, span.length - tile), best);
        if (best.at != CLADE_KSELECT_NOWHERE)
            clade_kselect_put_wi(to, row, best.word, best.at);
    }
}
#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Sorted results of a selection; launched by lib/kselect/sort.c. Before: words, in no order, in
 * the place of the keys. After: keys in order, with their indices beside them.
 *
 * What the library can ask for (`cladec --check`).
 * Check: CLADE_ROWSORT_GROUP=1,256 CLADE_ROWSORT_INDICES=0,1 CLADE_KSELECT_KEY=1..3 CLADE_KSELECT_ORDER=0,1
 * Check: CLADE_ROWSORT_GROUP=2,4,8,16,32,64,128,512 CLADE_ROWSORT_INDICES=0,1
 * Check: CLADE_ROWSORT_GROUP=1,256 CLADE_ROWSORT_INDICES=0,1 CLADE_ROWSORT_WIDE=1 CLADE_KSELECT_KEY=4..6 CLADE_KSELECT_EACH=0,1
 * Check: CLADE_ROWSORT_GROUP=1,256 CLADE_ROWSORT_INDICES=0,1 CLADE_KSELECT_KEY=1,7,8 CLADE_KSELECT_EACH=0,1
 */

#include "clade/base/order.clh"
#include "clade/base/rowsort.clh"
#include "clade/shared/kselect.h"

#ifndef CLADE_KSELECT_KEY
#define CLADE_KSELECT_KEY CLADE_I32
#endif
#ifndef CLADE_KSELECT_ORDER
#define CLADE_KSELECT_ORDER CLADE_MIN
#endif

#include "clade/kselect/word.clh"
#include "clade/kselect/span.clh"

/* The words that stand in the place of a row's keys are read and sorted as they are. */
CLADE_INLINE clade_rowsort_element clade_kselect_element_wi(__global const clade_kselect_raw *keys,
                                                            __global const uint *indices,
                                                            ulong key_at, ulong index_at)
{
    return clade_rowsort_pack(clade_kselect_coded_wi(keys[key_at]),
                              CLADE_ROWSORT_INDICES ? indices[index_at] : 0u);
}

/* Write one element of a result as key and index. */
CLADE_INLINE void clade_kselect_result_wi(__global clade_kselect_raw *keys, __global uint *indices,
                                          ulong key_at, ulong index_at,
                                          clade_rowsort_element element)
{
    keys[key_at] = clade_kselect_decode_wi(clade_rowsort_word(element));
#if CLADE_ROWSORT_INDICES
    indices[index_at] = clade_rowsort_index(element);
#else
    (void)indices;
    (void)index_at;
#endif
}

#if CLADE_ROWSORT_GROUP > 1

/* A group a block of a row: `blocks` blocks each. With one block the row is done; with more, the
 * sorted blocks go to `scratch`, row after row. */
__kernel CLADE_ROWSORT_SIZED void
clade_kselect_sort(__global clade_kselect_raw *keys, ulong keys_first, __global uint *indices,
                   ulong indices_first, ulong stride, __global const clade_kselect_span *spans,
                   uint k, uint blocks, __global clade_rowsort_element *scratch)
{
    __local clade_rowsort_element block[CLADE_ROWSORT_ROOM];
    const uint row = (uint)get_group_id(0) / blocks, lid = (uint)get_local_id(0);
    const uint first = ((uint)get_group_id(0) - row * blocks) * CLADE_ROWSORT_BLOCK;
    const ulong keys_row = keys_first + row * stride, indices_row = indices_first + row * stride;
    const uint count = clade_kselect_span_wi(spans, row, k, k).k;
    clade_rowsort_element e[CLADE_ROWSORT_SHARE];
    _Pragma("unroll")
    for (uint r = 0; r < CLADE_ROWSORT_SHARE; r++) {
        const uint at = first + r * CLADE_ROWSORT_GROUP + lid;
        e[r] = clade_rowsort_pad();
        if (at < count)
            e[r] = clade_kselect_element_wi(keys, indices, keys_row + at, indices_row + at);
    }
    clade_rowsort_block_wg(e, block);
    clade_rowsort_put_wi(block, e);
    clade_barrier(); /* global memory too: the group read what it is about to write */
    for (uint i = lid; i < CLADE_ROWSORT_BLOCK && first + i < count; i += CLADE_ROWSORT_GROUP) {
        const clade_rowsort_element next = block[CLADE_ROWSORT_PLACE(i)];
        if (blocks == 1)
            clade_kselect_result_wi(keys, indices, keys_row + i, indices_row + i, next);
        else
            scratch[(ulong)row * k + first + i] = next;
    }
}

/* Merge pairs of sorted runs of `run` elements from `from` to `to`, or, the last time (`last`), to
 * the result. A group a block of outputs; `run` is a multiple of the block. */
__kernel CLADE_ROWSORT_SIZED void
clade_kselect_merge(__global const clade_rowsort_element *from, __global clade_rowsort_element *to,
                    __global clade_kselect_raw *keys, ulong keys_first, __global uint *indices,
                    ulong indices_first, ulong stride, __global const clade_kselect_span *spans,
                    uint k, uint blocks, uint run, uint last)
{
    __local clade_rowsort_element parts[CLADE_ROWSORT_ROOM];
    __local uint split[2];
    const uint row = (uint)get_group_id(0) / blocks, lid = (uint)get_local_id(0);
    const uint first = ((uint)get_group_id(0) - row * blocks) * CLADE_ROWSORT_BLOCK;
    const uint pair = first / (2u * run) * (2u * run);
    const uint count = clade_kselect_span_wi(spans, row, k, k).k;
    if (first >= count) /* the whole group: a row may have fewer results than others */
        return;
    const uint a_count = min(run, count - pair), b_count = min(run, count - pair - a_count);
    __global const clade_rowsort_element *a = from + (ulong)row * k + pair, *b = a + a_count;
    const uint place = first - pair;
    const uint end = min(place + CLADE_ROWSORT_BLOCK, a_count + b_count);
    if (lid < 2)
        split[lid] = clade_rowsort_split_wi(a, a_count, b, b_count, lid == 0 ? place : end);
    clade_barrier_local();
    const uint a_from = split[0], a_here = split[1] - a_from;
    const uint b_from = place - a_from, b_here = end - place - a_here;
    for (uint i = lid; i < a_here + b_here; i += CLADE_ROWSORT_GROUP)
        parts[CLADE_ROWSORT_PLACE(i)] = i < a_here ? a[a_from + i] : b[b_from + i - a_here];
    clade_barrier_local();
    clade_rowsort_element e[CLADE_ROWSORT_SHARE];
    clade_rowsort_merge_wi(e, parts, 0u, a_here, a_here, b_here, lid * CLADE_ROWSORT_SHARE);
    clade_barrier_local();
    clade_rowsort_put_wi(parts, e);
    clade_barrier_local();
    for (uint i = lid; i < CLADE_ROWSORT_BLOCK && first + i < count; i += CLADE_ROWSORT_GROUP) {
        const clade_rowsort_element next = parts[CLADE_ROWSORT_PLACE(i)];
        if (last != 0)
            clade_kselect_result_wi(keys, indices, keys_first + row * stride + first + i,
                                    indices_first + row * stride + first + i, next);
        else
            to[(ulong)row * k + first + i] = next;
    }
}

#else

/* Rows are taken in turns; each group has 2 * k elements of scratch. */
__kernel CLADE_ROWSORT_SIZED void
clade_kselect_sort(__global clade_kselect_raw *keys, ulong keys_first, __global uint *indices,
                   ulong indices_first, ulong stride, __global const clade_kselect_span *spans,
                   uint k, uint rows, __global clade_rowsort_element *scratch)
{
    __local uint bins[CLADE_ROWSORT_BINS];
    __global clade_rowsort_element *a = scratch + get_group_id(0) * (ulong)2 * k, *b = a + k;
    for (uint row = (uint)get_group_id(0); row < rows; row += (uint)get_num_groups(0)) {
        const ulong keys_row = keys_first + row * stride;
        const ulong indices_row = indices_first + row * stride;
        const uint count = clade_kselect_span_wi(spans, row, k, k).k;
        for (uint i = 0; i < count; i++)
            a[i] = clade_kselect_element_wi(keys, indices, keys_row + i, indices_row + i);
        __global const clade_rowsort_element *sorted = clade_rowsort_wi(a, b, count, bins);
        for (uint i = 0; i < count; i++)
            clade_kselect_result_wi(keys, indices, keys_row + i, indices_row + i, sorted[i]);
    }
}

#endif

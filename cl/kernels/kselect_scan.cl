/* SPDX-License-Identifier: Apache-2.0 */
/* Selection by one look at a row, for few results of many keys; launched by lib/kselect/scan.c. A
 * sub-group a row, in turns, with a heap of the k first keys so far in local memory: nearly all
 * keys come after its root and cost a comparison. The rarer the better: k ln(length / k) keys do
 * not. */

#ifndef CLADE_KSELECT_KEY
#define CLADE_KSELECT_KEY     1 /* CLADE_I32 */
#define CLADE_KSELECT_ORDER   0
#define CLADE_KSELECT_INDICES 1
#define CLADE_KSELECT_CODED   0
#endif
#define CLADE_ADHEAP_KEY         CLADE_KSELECT_KEY
#define CLADE_ADHEAP_ORDER       CLADE_KSELECT_ORDER
#define CLADE_ADHEAP_KEEP        1
#define CLADE_ADHEAP_VALUES      CLADE_KSELECT_INDICES
#define CLADE_ADHEAP_BRIDGE_MODE 1 /* none: stores to local memory are near */
#define CLADE_ADHEAP_ON_CHIP     1
#include "clade/adheap.clh"

/* One item scans each row on CPUs. A row that mostly descends is read from its end, where each key
 * would come before all that were read. */
#define CLADE_KSELECT_BACKWARDS (CLADE_CPU && CLADE_SG == 1u)
#define CLADE_KSELECT_TREND     16u /* keys that tell it */
#ifndef CLADE_KSELECT_PASSES
#define CLADE_KSELECT_PASSES 0 /* 1: blocks of keys are passed over; it costs where few are */
#endif
#ifndef CLADE_KSELECT_BLOCK
#define CLADE_KSELECT_BLOCK 64u
#endif

#if CLADE_KSELECT_BACKWARDS
/* Where a row begins, and the step to its next key: 1, or from its end -1. Signed and 64 bits, so
 * that a pointer can go such steps: with an index a key takes a quarter longer. */
typedef struct clade_kselect_way {
    clade_i64 begin, step;
} clade_kselect_way;

CLADE_INLINE clade_kselect_way clade_kselect_way_wi(__global const uint *row, uint length)
{
    const uint apart = (length - 1u) / (CLADE_KSELECT_TREND - 1u);
    clade_kselect_way way;
    uint better = 0;
    for (uint i = 1; i < CLADE_KSELECT_TREND; i++)
        better +=
            clade_adheap_encode_wi(row[i * apart]) > clade_adheap_encode_wi(row[(i - 1u) * apart])
                ? 1u
                : 0u;
    way.begin = better > 3u * CLADE_KSELECT_TREND / 4u ? (clade_i64)length - 1 : 0;
    way.step = way.begin > 0 ? -1 : 1;
    return way;
}
#define CLADE_KSELECT_PLACE(way, i) ((way).begin + (clade_i64)(i) * (way).step)

/* The greatest word of a block's keys. No branch: vectors. */
CLADE_INLINE uint clade_kselect_greatest_wi(__global const uint *keys)
{
    uint greatest = 0;
    for (uint i = 0; i < CLADE_KSELECT_BLOCK; i++)
        greatest = max(greatest, clade_adheap_encode_wi(keys[i]));
    return greatest;
}

/* The keys after the first k, to a full heap. Of random keys less than half of the blocks after
 * `busy` keys have one that comes before the heap's root: others are passed over. */
CLADE_INLINE void clade_kselect_rest_wi(const clade_adheap_one *h, __global const uint *row,
                                        clade_kselect_way way, uint length)
{
    const ulong many = 2ul * CLADE_KSELECT_BLOCK * h->capacity;
    const uint busy = CLADE_KSELECT_PASSES ? (uint)min(many, (ulong)length) : length;
    __global const uint *at = row + CLADE_KSELECT_PLACE(way, h->capacity - 1u);
    uint root = h->words[0];
    for (uint i = h->capacity, end; i < length; i = end) {
        end = i < busy ? busy : min(length, i + CLADE_KSELECT_BLOCK);
        __global const uint *const last = row + CLADE_KSELECT_PLACE(way, end - 1u);
        if (i >= busy && end - i == CLADE_KSELECT_BLOCK &&
            clade_kselect_greatest_wi(way.step > 0 ? at + 1 : last) <= root)
            at = last;
        while (at != last) {
            at += way.step;
            const uint word = clade_adheap_encode_wi(*at);
            if (word > root) {
                clade_adheap_sink_sg(h, 0u, h->capacity, word, (uint)(at - row));
                root = h->words[0];
            }
        }
    }
}
#else
typedef uint clade_kselect_way;
#define CLADE_KSELECT_PLACE(way, i) (i)
#endif

/* The row's first k keys as they are, from the deepest parents up a heap. */
CLADE_INLINE void clade_kselect_fill_sg(const clade_adheap_one *h, __global const uint *row,
                                        clade_kselect_way way, uint k)
{
    clade_sg_barrier();
    for (uint i = clade_sg_lane(); i < k; i += CLADE_SG) {
        const uint at = (uint)CLADE_KSELECT_PLACE(way, i);
        clade_adheap_set_wi(h, i, clade_adheap_encode_wi(row[at]), at);
    }
    clade_sg_barrier();
    uint node = k > 1 ? (k - 2) / CLADE_ADHEAP_ARITY + 1 : 0;
    while (node > 0) {
        node--;
        const uint word = h->words[node], value = clade_adheap_value_wi(h, node);
        clade_sg_barrier();
        clade_adheap_sink_sg(h, node, k, word, value);
    }
    (void)way;
}

/* The row's k first keys. */
CLADE_INLINE void clade_kselect_heap_sg(const clade_adheap_one *h, __global const uint *row,
                                        uint length)
{
#if CLADE_KSELECT_BACKWARDS
    const clade_kselect_way way = clade_kselect_way_wi(row, length);
    clade_kselect_fill_sg(h, row, way, h->capacity);
    clade_kselect_rest_wi(h, row, way, length);
#else
    clade_kselect_fill_sg(h, row, 0u, h->capacity);
    clade_adheap_replace_sg(h, row, h->capacity, length, row, 0, 0, 0);
#endif
}

/* `heaps`: for each sub-group k words, and with indices k more. */
__kernel void clade_kselect_scan_rows(__global const uint *keys, ulong keys_first,
                                      __global uint *out, ulong out_first, __global uint *indices,
                                      ulong indices_first, ulong stride, uint length, uint k,
                                      uint rows, __local uint *heaps)
{
    const uint per_group = ((uint)get_local_size(0) + CLADE_SG - 1u) / CLADE_SG;
    clade_adheap_one h;
    h.head = heaps; /* nobody looks */
    h.words = heaps + clade_sg_index() * k * (1u + CLADE_KSELECT_INDICES);
    h.values = h.words + k;
    h.path = heaps;
    h.slot = 0;
    h.heap = 0;
    h.capacity = k;
    h.patience = 0;
    for (uint row = (uint)get_group_id(0) * per_group + clade_sg_index(); row < rows;
         row += (uint)get_num_groups(0) * per_group) {
        __global const uint *from = keys + keys_first + (ulong)row * length;
        clade_kselect_heap_sg(&h, from, length);
        for (uint i = clade_sg_lane(); i < k; i += CLADE_SG) {
            const uint word = h.words[i];
            out[out_first + row * stride + i] =
                CLADE_KSELECT_CODED ? ~word : clade_adheap_decode_wi(word);
#if CLADE_KSELECT_INDICES
            indices[indices_first + row * stride + i] = h.values[i];
#endif
        }
    }
    (void)indices;
    (void)indices_first;
}

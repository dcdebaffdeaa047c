/* SPDX-License-Identifier: Apache-2.0 */
/* Feeding k-sets by whichever way costs less; launched by lib/adheap/feed.c, sift before pick.
 *
 * sift: a sub-group a heap counts the keys that come after the root. Few of them sink, one after
 * the other; for many it leaves a mark, but none on a heap that is refused. pick: a group takes
 * each marked heap, selects from its keys and the fed ones together, and makes a heap of what was
 * selected. Launches order the two; the mark is a plain word of the heap's head. */

#include "clade/adheap.clh"
#include "clade/adheap/work_group.clh"

/* A row: the heap's keys, then those fed to it, inverted, since a feed keeps the last words. */
typedef struct clade_adheap_row {
    __global const clade_u32 *words;
    __global const clade_u32 *raws;
    clade_u32 size;
} clade_adheap_row;
CLADE_INLINE clade_u32 clade_adheap_row_wi(clade_adheap_row row, clade_u32 at)
{
    return ~(at < row.size ? row.words[at] : clade_adheap_encode_wi(row.raws[at - row.size]));
}
#define CLADE_KSELECT_SOURCE        clade_adheap_row
#define CLADE_KSELECT_WORD(row, at) clade_adheap_row_wi((row), (at))
#define CLADE_KSELECT_CODED         1
#define CLADE_KSELECT_INDICES       1
#include "clade/kselect.clh"

/* `limit`: how many keys may sink. */
__kernel void clade_adheap_sift(__global clade_adheap_head *object, __global const uint *keys,
                                ulong keys_first, __global const uint *values, ulong values_first,
                                uint each, uint has_values, uint first_value, uint sorted,
                                uint limit)
{
    CLADE_LOCAL uint paths[CLADE_ADHEAP_GROUP_PATH_WORDS];
    __local uint *path = clade_adheap_path_wi(paths);
    const uint per_group = ((uint)get_local_size(0) + CLADE_SG - 1u) / CLADE_SG;
    for (uint heap = (uint)get_group_id(0) * per_group + clade_sg_index(); heap < object->heaps;
         heap += (uint)get_num_groups(0) * per_group) {
        const clade_adheap_one h = clade_adheap_open_wi(object, heap, path);
        const ulong at = (ulong)heap * each;
        const int cut = clade_adheap_is_cut_wi(&h); /* refused, by the feed below: no selection */
        const int full = clade_adheap_size_wi(&h) == h.capacity;
        uint many = each; /* at most; not counted when even so many may sink */
        if (full && each > limit)
            many = clade_adheap_candidates_sg(&h, keys + keys_first + at, each, limit);
        const int pick = !cut && many > limit;
        if (clade_sg_lane() == 0)
            h.head[CLADE_ADHEAP_PICK] = pick ? 1 : 0;
        if (!pick)
            cladei_adheap_report_wi(object, heap,
                                    clade_adheap_feed_sg(&h, keys + keys_first + at, each,
                                                         values + values_first + at, first_value,
                                                         has_values != 0, sorted != 0));
    }
}

/* What was selected, with the values of its keys in place of their numbers, goes to the heap. */
CLADE_INLINE void clade_adheap_settle_wg(const clade_adheap_one *h, __global uint *words,
                                         __global uint *at, uint size, uint count,
                                         __global const uint *values, uint first_value,
                                         int has_values)
{
    const uint lid = (uint)get_local_id(0), items = (uint)get_local_size(0);
    clade_barrier();
    for (uint i = lid; CLADE_ADHEAP_VALUES && i < count; i += items) {
#ifdef CLADE_PLANT_ADHEAP_PICK
        const uint from = at[i], fed = from;
#else
        const uint from = at[i], fed = from - size;
#endif
        at[i] = from < size  ? clade_adheap_value_wi(h, from)
                : has_values ? values[fed]
                             : first_value + fed;
    }
    clade_barrier(); /* the heap's values were read */
    for (uint i = lid; i < count; i += items)
        clade_adheap_set_wi(h, i, ~words[i], at[i]);
    if (lid == 0)
        h->head[CLADE_ADHEAP_SIZE] = count;
    clade_barrier();
    clade_adheap_heapify_wg(h, count);
}

/* A group a heap, in turns; each has 2 * capacity words of scratch. */
__kernel CLADE_KSELECT_SIZED void clade_adheap_pick(__global clade_adheap_head *object,
                                                    __global const uint *keys, ulong keys_first,
                                                    __global const uint *values, ulong values_first,
                                                    uint each, uint has_values, uint first_value,
                                                    __global uint *scratch)
{
    CLADE_LOCAL clade_kselect_local s;
    CLADE_LOCAL uint paths[CLADE_ADHEAP_GROUP_PATH_WORDS];
    __local uint *path = clade_adheap_path_wi(paths);
    clade_kselect_out out;
    out.keys = scratch + (size_t)get_group_id(0) * 2u * object->capacity;
    out.indices = out.keys + object->capacity;
    for (uint heap = (uint)get_group_id(0); heap < object->heaps; heap += (uint)get_num_groups(0)) {
        const clade_adheap_one h = clade_adheap_open_wi(object, heap, path);
        const ulong first = (ulong)heap * each;
        const uint size = clade_adheap_size_wi(&h);
        if (h.head[CLADE_ADHEAP_PICK] == 0) /* the whole group */
            continue;
        clade_adheap_row row;
        row.words = h.words;
        row.raws = keys + keys_first + first;
        row.size = size;
        const uint count = min(size + each, h.capacity);
        clade_kselect_wg(&s, row, size + each, count, out);
        clade_adheap_settle_wg(&h, out.keys, out.indices, size, count,
                               values + values_first + first, first_value, has_values != 0);
    }
}

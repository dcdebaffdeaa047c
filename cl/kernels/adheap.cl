/* SPDX-License-Identifier: Apache-2.0 */
/* Operations on all heaps of an object at once; launched by lib/adheap/adheap.c. Arrays are
 * heap-major: heap h's stretch is elements h * each .. h * each + each - 1. A sub-group a heap, in
 * turns.
 *
 * What the library can ask for (`cladec --check`): all types and orders with the usual bridge; all
 * bridges, counting or not; reductions in one instruction, which NVIDIA's newer processors have.
 * Check: CLADE_ADHEAP_ARITY=8,16,32,64 CLADE_ADHEAP_KEY=1..3 CLADE_ADHEAP_ORDER=0,1 CLADE_ADHEAP_KEEP=0,1 CLADE_ADHEAP_VALUES=0,1 CLADE_SG_REDUX=0
 * Check: CLADE_ADHEAP_ARITY=8,16,32,64 CLADE_ADHEAP_KEY=2 CLADE_ADHEAP_VALUES=0,1 CLADE_ADHEAP_COUNT=0,1 CLADE_ADHEAP_BRIDGE_MODE=1..5
 * Check sm_90: CLADE_ADHEAP_ARITY=8,16,32,64 CLADE_ADHEAP_KEY=1..3 CLADE_ADHEAP_VALUES=0,1 CLADE_SG_REDUX=1
 */

#include "clade/adheap.clh"
#include "clade/adheap/work_group.clh"
#include "clade/base/object.clh"

/* One stretch of operations is walked by each heap's sub-group. */
#define FOR_EACH_HEAP(object)                                                                    \
    CLADE_LOCAL uint paths[CLADE_ADHEAP_GROUP_PATH_WORDS];                                       \
    __local uint *path = clade_adheap_path_wi(paths);                                            \
    const uint per_group = ((uint)get_local_size(0) + CLADE_SG - 1u) / CLADE_SG;                 \
    for (uint heap = (uint)get_group_id(0) * per_group + clade_sg_index(); heap < object->heaps; \
         heap += (uint)get_num_groups(0) * per_group)

static inline void clade_adheap_status_wi(__global clade_adheap_head *object, uint heap,
                                          __global int *statuses, ulong at, int status)
{
    if (statuses && clade_sg_lane() == 0)
        statuses[at] = status;
    if (status == CLADE_E_BUSY)
        cladei_adheap_report_wi(object, heap, status);
}

/* Make all heaps empty; the first launch of an object. */
__kernel void clade_adheap_clear(__global clade_adheap_head *object)
{
    FOR_EACH_HEAP (object) {
        const clade_adheap_one h = clade_adheap_open_wi(object, heap, path);
        for (uint i = clade_sg_lane(); i < CLADE_ADHEAP_ROOT; i += CLADE_SG)
            h.head[i] = 0;
    }
}

__kernel void clade_adheap_insert(__global clade_adheap_head *object,
                                  __global const clade_adheap_word *keys, ulong keys_first,
                                  __global const uint *values, ulong values_first,
                                  __global int *statuses, ulong statuses_first, uint each)
{
    FOR_EACH_HEAP (object) {
        const clade_adheap_one h = clade_adheap_open_wi(object, heap, path);
        const ulong at = (ulong)heap * each;
        for (uint i = 0; i < each; i++)
            clade_adheap_status_wi(
                object, heap, statuses, statuses_first + at + i,
                clade_adheap_insert_sg(&h, keys[keys_first + at + i],
                                       CLADE_ADHEAP_VALUES ? values[values_first + at + i] : 0));
    }
}

/* Where a heap runs empty the rest of its stretch is left as it was. */
__kernel void clade_adheap_pop(__global clade_adheap_head *object, __global clade_adheap_word *keys,
                               ulong keys_first, __global uint *values, ulong values_first,
                               __global int *statuses, ulong statuses_first, uint each, uint peek)
{
    FOR_EACH_HEAP (object) {
        const clade_adheap_one h = clade_adheap_open_wi(object, heap, path);
        const ulong at = (ulong)heap * each;
        for (uint i = 0; i < each; i++) {
            clade_adheap_word raw = 0;
            uint value = 0;
            const int status = peek != 0 ? clade_adheap_peek_sg(&h, &raw, &value)
                                         : clade_adheap_pop_sg(&h, &raw, &value);
            if (status == CLADE_OK && clade_sg_lane() == 0) {
                keys[keys_first + at + i] = raw;
                if (CLADE_ADHEAP_VALUES)
                    values[values_first + at + i] = value;
            }
            clade_adheap_status_wi(object, heap, statuses, statuses_first + at + i, status);
        }
    }
}

__kernel void clade_adheap_update(__global clade_adheap_head *object, __global const uint *nodes,
                                  ulong nodes_first, __global const clade_adheap_word *keys,
                                  ulong keys_first, __global const uint *values, ulong values_first,
                                  __global int *statuses, ulong statuses_first, uint each)
{
    FOR_EACH_HEAP (object) {
        const clade_adheap_one h = clade_adheap_open_wi(object, heap, path);
        const ulong at = (ulong)heap * each;
        for (uint i = 0; i < each; i++)
            clade_adheap_status_wi(
                object, heap, statuses, statuses_first + at + i,
                clade_adheap_update_sg(&h, nodes[nodes_first + at + i], keys[keys_first + at + i],
                                       CLADE_ADHEAP_VALUES ? values[values_first + at + i] : 0));
    }
}

/* Values: given, or the key's place in its stretch counted from first_value on. */
__kernel void clade_adheap_feed(__global clade_adheap_head *object,
                                __global const clade_adheap_word *keys, ulong keys_first,
                                __global const uint *values, ulong values_first, uint each,
                                uint has_values, uint first_value, uint sorted)
{
    FOR_EACH_HEAP (object) {
        const clade_adheap_one h = clade_adheap_open_wi(object, heap, path);
        const ulong at = (ulong)heap * each;
        cladei_adheap_report_wi(object, heap,
                                clade_adheap_feed_sg(&h, keys + keys_first + at, each,
                                                     values + values_first + at, first_value,
                                                     has_values != 0, sorted != 0));
    }
}

/* What a group works on together it writes back itself (clade_adheap_sink_level_wg()). */
#define FOR_EACH_GROUPS_HEAP(object)                       \
    CLADE_LOCAL uint paths[CLADE_ADHEAP_GROUP_PATH_WORDS]; \
    __local uint *path = clade_adheap_path_wi(paths);      \
    for (uint heap = (uint)get_group_id(0); heap < object->heaps; heap += (uint)get_num_groups(0))

/* A group a heap, in turns; `each` <= capacity. */
__kernel void clade_adheap_build(__global clade_adheap_head *object,
                                 __global const clade_adheap_word *keys, ulong keys_first,
                                 __global const uint *values, ulong values_first, uint each)
{
    FOR_EACH_GROUPS_HEAP (object) {
        const clade_adheap_one h = clade_adheap_open_wi(object, heap, path);
        const ulong at = (ulong)heap * each;
        for (uint i = (uint)get_local_id(0); i < each; i += (uint)get_local_size(0))
            clade_adheap_set_wi(&h, i, clade_adheap_encode_wi(keys[keys_first + at + i]),
                                CLADE_ADHEAP_VALUES ? values[values_first + at + i] : 0);
        if (get_local_id(0) == 0) {
            h.head[CLADE_ADHEAP_SIZE] = each;
            h.head[CLADE_ADHEAP_BRIDGE] = 0; /* a log of what was there is of no use */
            h.head[CLADE_ADHEAP_CUT] = 0;
        }
        clade_barrier();
#ifdef CLADE_PLANT_ADHEAP_HEAPIFY
        clade_adheap_heapify_wg(&h, each / 2u);
#else
        clade_adheap_heapify_wg(&h, each);
#endif
    }
}

/* A group a heap, in turns. Keys that had no room get CLADE_E_FULL. */
__kernel void clade_adheap_merge(__global clade_adheap_head *object,
                                 __global const clade_adheap_word *keys, ulong keys_first,
                                 __global const uint *values, ulong values_first,
                                 __global int *statuses, ulong statuses_first, uint each)
{
    FOR_EACH_GROUPS_HEAP (object) {
        const clade_adheap_one h = clade_adheap_open_wi(object, heap, path);
        const ulong at = (ulong)heap * each;
        const int cut = clade_adheap_is_cut_wi(&h);
        uint fits = 0;
        if (cut)
            cladei_adheap_report_wi(object, heap, CLADE_E_BUSY);
        if (!cut) /* the whole group */
            fits =
                clade_adheap_merge_wg(&h, keys + keys_first + at, values + values_first + at, each);
        for (uint i = (uint)get_local_id(0); statuses && i < each; i += (uint)get_local_size(0))
            statuses[statuses_first + at + i] = i < fits ? CLADE_OK
                                                : cut    ? CLADE_E_BUSY
                                                         : CLADE_E_FULL;
    }
}

/* The size of each heap. */
__kernel void clade_adheap_sizes(__global clade_adheap_head *object, __global uint *sizes,
                                 ulong sizes_first)
{
    FOR_EACH_HEAP (object) {
        const clade_adheap_one h = clade_adheap_open_wi(object, heap, path);
        if (clade_sg_lane() == 0)
            sizes[sizes_first + heap] = clade_adheap_size_wi(&h);
    }
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels behind clade_semilist_*; launched by lib/semilist/semilist.c. */

#include "clade/base/object.clh"
#include "clade/semilist/work_group.clh"

/* Which kernels: 1 those that ask the allocator, 2 those that do not; 0 all. */
#ifndef CLADE_PART
#define CLADE_PART 0
#endif

#if CLADE_PART != 2

/* --- operations ----------------------------------------------------------------------------- */

/* One operation: its node and value in and out. */
static inline clade_i32 apply(__global clade_semilist_head *list, __global clade_kma_head *kma,
                              uint op, uint key, uint *value, clade_ref *node)
{
    if (op == CLADE_SEMILIST_APPEND)
        return clade_semilist_append_wi(list, kma, key, *value, node);
    if (op == CLADE_SEMILIST_FIND)
        return clade_semilist_find_wi(list, kma, key, value, node);
    if (op == CLADE_SEMILIST_ERASE)
        return clade_semilist_erase_wi(list, kma, key, value, node);
    if (op != CLADE_SEMILIST_ERASE_AT)
        return CLADE_E_ARG;
    if (clade_semilist_has_wi(list, kma, *node) == 0u)
        return CLADE_E_NOT_FOUND;
    return clade_semilist_erase_at_wi(list, kma, *node);
}

/* One work-item an operation. `op`: of all, when `ops` is not given (bit 0 of `given`); keys: bit
 * 1; values: bit 2; nodes: bit 3; statuses: bit 4. */
__kernel void clade_semilist_apply(__global clade_semilist_head *list, __global clade_kma_head *kma,
                                   uint op, uint given, __global const uint *ops, ulong ops_first,
                                   __global const uint *keys, ulong keys_first,
                                   __global uint *values, ulong values_first, __global uint *nodes,
                                   ulong nodes_first, __global clade_i32 *statuses,
                                   ulong statuses_first, ulong count)
{
    ulong i = get_global_id(0);
    if (i >= count)
        return;
    if ((given & 1u) != 0u)
        op = ops[ops_first + i];
    uint key = (given & 2u) != 0u ? keys[keys_first + i] : 0u;
    uint value = op == CLADE_SEMILIST_APPEND && (given & 4u) != 0u ? values[values_first + i] : 0u;
    clade_ref node =
        op == CLADE_SEMILIST_ERASE_AT && (given & 8u) != 0u ? nodes[nodes_first + i] : CLADE_NIL;
    clade_i32 status = apply(list, kma, op, key, &value, &node);
    if ((given & 4u) != 0u && (op == CLADE_SEMILIST_FIND || op == CLADE_SEMILIST_ERASE))
        values[values_first + i] = value;
    if ((given & 8u) != 0u && op != CLADE_SEMILIST_ERASE_AT)
        nodes[nodes_first + i] = node;
    if ((given & 16u) != 0u)
        statuses[statuses_first + i] = status;
    else if (status != CLADE_OK && status != CLADE_E_NOT_FOUND)
        cladei_object_note_wi(&list->object, status, i);
}

/* --- appending many, in two launches of their own: all or none -------------------------------- */

/* Nodes that nobody else sees yet, in places above the tail. `turn` numbers the host's appends. */
__kernel void clade_semilist_append_fill(__global clade_semilist_head *list,
                                         __global clade_kma_head *kma, uint turn, uint given,
                                         __global const uint *keys, ulong keys_first,
                                         __global const uint *values, ulong values_first,
                                         ulong count)
{
    ulong i = get_global_id(0);
    uint base = clade_load_relaxed(&list->tail);
    clade_ref node = CLADE_NIL;
    if (i >= count)
        return;
    if (i == 0u)
        clade_store_relaxed(&list->base, base);
    if (count <= list->capacity - base)
        node = cladei_semilist_make_wi(kma, keys[keys_first + i],
                                       (given & 4u) != 0u ? values[values_first + i] : 0u);
    /* A node that no link can name is given back with the others, by the next launch. */
    if (node == CLADE_NIL || !cladei_semilist_may_link(node)) {
        clade_store_relaxed(&list->short_of, turn);
        if (count > list->capacity - base)
            return;
    } else {
        cladei_semilist_node(kma, node)->place = base + (uint)i;
    }
    clade_store_relaxed(cladei_semilist_place(list, base + (uint)i), node);
}

/* What makes them nodes of the list; or, when one of them is missing or the host takes the append
 * back (`turn` 0), gives them back. */
__kernel void clade_semilist_append_link(__global clade_semilist_head *list,
                                         __global clade_kma_head *kma, uint turn, uint given,
                                         __global uint *nodes, ulong nodes_first, ulong count)
{
    ulong i = get_global_id(0);
    uint base = clade_load_relaxed(&list->base), refused = clade_load_relaxed(&list->short_of);
    clade_ref node = CLADE_NIL;
    if (i >= count)
        return;
    if (count <= list->capacity - base)
        node = clade_load_relaxed(cladei_semilist_place(list, base + (uint)i));
    if (turn == 0u || refused == turn) {
        CLADE_SEMILIST_FREE(kma, node);
        node = CLADE_NIL;
        if (i == 0u && turn != 0u)
            cladei_object_note_wi(&list->object, CLADE_E_FULL, 0);
    } else if (i + 1u < count) {
        clade_ref next = clade_load_relaxed(cladei_semilist_place(list, base + (uint)i + 1u));
        clade_store_relaxed(cladei_semilist_link(list, kma, node),
                            next << CLADE_SEMILIST_REF_SHIFT);
    }
    if (i == 0u && node != CLADE_NIL) {
        clade_ref end =
            base == 0u ? CLADE_NIL : clade_load_relaxed(cladei_semilist_place(list, base - 1u));
        clade_or_relaxed(cladei_semilist_link(list, kma, end), node << CLADE_SEMILIST_REF_SHIFT);
        clade_store_relaxed(&list->tail, base + (uint)count);
    }
    if ((given & 8u) != 0u)
        nodes[nodes_first + i] = node;
}

/* --- reclaiming, its last step ---------------------------------------------------------------- */

/* Erased nodes go back to the allocator, live ones are linked to each other, and the other array is
 * in use. The launches before changed nothing that the list is made of. `total` 0 of clearing,
 * which comes from a scan of no sums: all nodes go. */
__kernel void clade_semilist_reclaimed(__global clade_semilist_head *list,
                                       __global clade_kma_head *kma)
{
    ulong i = get_global_id(0);
    uint total = clade_load_relaxed(&list->total), base = clade_load_relaxed(&list->base);
    uint old_at = clade_load_relaxed(&list->old_at), new_at = clade_load_relaxed(&list->new_at);
    clade_global_word places = (clade_global_word)list + old_at;
    clade_global_word at = (clade_global_word)list + new_at;
    if (i < base) {
        clade_ref node = clade_load_relaxed(places + i);
        /* The link of a live node may have been changed already by the item below: not its mark. */
        if (node != CLADE_NIL &&
            (total == 0u || (clade_load_relaxed(cladei_semilist_link(list, kma, node)) &
                             CLADE_SEMILIST_ERASED) != 0u))
            CLADE_SEMILIST_FREE(kma, node);
    }
    if (i < total) {
        clade_ref node = clade_load_relaxed(at + i);
        clade_ref next = i + 1u < total ? clade_load_relaxed(at + i + 1u) : CLADE_NIL;
        clade_store_relaxed(cladei_semilist_link(list, kma, node),
                            next << CLADE_SEMILIST_REF_SHIFT);
        cladei_semilist_node(kma, node)->place = (uint)i;
    }
    if (i == 0u) {
        clade_store_relaxed(&list->first,
                            total == 0u ? 0u : clade_load_relaxed(at) << CLADE_SEMILIST_REF_SHIFT);
        list->places_at = new_at;
        list->other_at = old_at;
        clade_store_relaxed(&list->tail, total);
        clade_store_relaxed(&list->begun, 0u);
        clade_store_relaxed(&list->done, 0u);
    }
}

#endif
#if CLADE_PART != 1

/* --- reclaiming, the steps before ------------------------------------------------------------- */

/* The node of a place, and whether it is live; nil beyond the last. */
static inline clade_ref look(__global clade_semilist_head *list, __global clade_kma_head *kma,
                             ulong place, uint *is_live)
{
    *is_live = 0u;
    if (place >= clade_load_relaxed(&list->tail))
        return CLADE_NIL;
    clade_ref node = clade_load_relaxed(cladei_semilist_place(list, (uint)place));
    if (node != CLADE_NIL)
        *is_live = (clade_load_relaxed(cladei_semilist_link(list, kma, node)) &
                    CLADE_SEMILIST_ERASED) == 0u
                       ? 1u
                       : 0u;
    return node;
}

/* Live nodes of each group's places. */
__kernel void clade_semilist_sum(__global clade_semilist_head *list, __global clade_kma_head *kma,
                                 __local uint *words)
{
    uint is_live, sum;
    look(list, kma, get_global_id(0), &is_live);
    sum = clade_reduce_add_wg(is_live, words);
    if (get_local_id(0) == 0)
        clade_store_relaxed((clade_global_word)list + (list->sums_at + (uint)get_group_id(0)), sum);
}

/* One group: sums become the places that the groups' nodes start at. What the last launch changes
 * it reads from words written here. */
__kernel void clade_semilist_scan(__global clade_semilist_head *list, uint groups,
                                  __local uint *words)
{
    uint lid = (uint)get_local_id(0), size = (uint)get_local_size(0), carried = 0u, total;
    uint rounds = (groups + size - 1u) / size;
    for (uint round = 0; round < rounds; round++) {
        uint i = round * size + lid;
        clade_global_word at = (clade_global_word)list + (list->sums_at + (i < groups ? i : 0u));
        uint value = i < groups ? clade_load_relaxed(at) : 0u;
        uint before = clade_scan_wg(value, words, &total);
        if (i < groups)
            clade_store_relaxed(at, carried + before);
        carried += total;
    }
    if (lid == 0u) {
        clade_store_relaxed(&list->total, carried);
        clade_store_relaxed(&list->base, clade_load_relaxed(&list->tail));
        clade_store_relaxed(&list->old_at, list->places_at);
        clade_store_relaxed(&list->new_at, list->other_at);
    }
}

/* Live nodes to their new places, in the array that is not in use. */
__kernel void clade_semilist_move(__global clade_semilist_head *list, __global clade_kma_head *kma,
                                  __local uint *words)
{
    uint is_live, total;
    clade_ref node = look(list, kma, get_global_id(0), &is_live);
    uint rank = clade_scan_wg(is_live, words, &total);
    rank += clade_load_relaxed((clade_global_word)list + (list->sums_at + (uint)get_group_id(0)));
    if (is_live != 0u)
        clade_store_relaxed((clade_global_word)list + (list->other_at + rank), node);
}

/* --- reading --------------------------------------------------------------------------------- */

/* What each place holds, for the host. Refs that lead nowhere are followed nowhere. */
__kernel void clade_semilist_gather(__global clade_semilist_head *list,
                                    __global clade_kma_head *kma,
                                    __global clade_semilist_record *records, uint from, uint count)
{
    uint i = (uint)get_global_id(0);
    clade_semilist_record record = { 0, 0, 0, 0, 0xffffffffu, 0xffffffffu };
    if (i >= count)
        return;
    record.ref = clade_load_relaxed(cladei_semilist_place(list, from + i));
    if (cladei_kma_reaches(kma, record.ref)) {
        __global clade_semilist_node *node = cladei_semilist_node(kma, record.ref);
        record.link = clade_load_relaxed((clade_global_word)&node->link);
        record.key_ = node->key_;
        record.value_ = node->value_;
        record.place = node->place;
        clade_ref next = record.link >> CLADE_SEMILIST_REF_SHIFT;
        if (cladei_kma_reaches(kma, next))
            record.next_place = cladei_semilist_node(kma, next)->place;
    }
    records[i] = record;
}

#endif

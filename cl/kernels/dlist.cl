/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels behind clade_dlist_*; launched by lib/dlist/dlist.c.
 *
 * Check: CLADE_DLIST_VALUE_BITS=32,64
 */

#include "clade/dlist.clh"
#include "clade/base/object.clh"

#ifndef CLADE_DLIST_VALUE_BITS
#define CLADE_DLIST_VALUE_BITS 32
#endif
#if CLADE_DLIST_VALUE_BITS == 64
#define VALUE ulong
#else
#define VALUE uint
#endif

/* `node`: the new node, or the neighbour. */
static inline clade_i32 apply_one(__global clade_dlist_head *list, uint op, clade_ref target,
                                  ulong *value, clade_ref *node)
{
    switch (op) {
    case CLADE_DLIST_INSERT_AFTER:
        return clade_dlist_insert_after_wi(list, target, *value, node);
    case CLADE_DLIST_INSERT_BEFORE:
        return clade_dlist_insert_before_wi(list, target, *value, node);
    case CLADE_DLIST_ERASE:
        return clade_dlist_erase_wi(list, target, value);
    case CLADE_DLIST_NEXT:
        return clade_dlist_next_wi(list, target, node);
    case CLADE_DLIST_PREV:
        return clade_dlist_prev_wi(list, target, node);
    case CLADE_DLIST_GET:
        return clade_dlist_get_wi(list, target, value);
    default:
        return CLADE_E_ARG;
    }
}

/* One work-item an operation. `op`: of all, when `ops` is not given (has bit 0). `values` (bit 1):
 * read by inserts, written by erasures and get. `nodes` (bit 2), `statuses` (bit 3). */
__kernel void clade_dlist_apply(__global clade_dlist_head *list, uint op, uint given,
                                __global const uint *ops, ulong ops_first,
                                __global const uint *targets, ulong targets_first,
                                __global VALUE *values, ulong values_first, __global uint *nodes,
                                ulong nodes_first, __global int *statuses, ulong statuses_first,
                                ulong count)
{
    ulong i = get_global_id(0);
    if (i >= count)
        return;
    uint what = given & 1u ? ops[ops_first + i] : op;
    ulong value = given & 2u && what <= CLADE_DLIST_INSERT_BEFORE ? values[values_first + i] : 0;
    clade_ref node = CLADE_NIL;
    clade_i32 status = apply_one(list, what, targets[targets_first + i], &value, &node);
    if (given & 2u && status == CLADE_OK && (what == CLADE_DLIST_ERASE || what == CLADE_DLIST_GET))
        values[values_first + i] = (VALUE)value;
    if (given & 4u)
        nodes[nodes_first + i] = node;
    if (given & 8u)
        statuses[statuses_first + i] = status;
    else if (status < 0 && status != CLADE_E_NOT_FOUND)
        cladei_object_note_wi(&list->object, status, i);
}

/* --- appending many: right after a reclaim, nobody else at work ------------------------------- */

/* How many there are cells for. Right after a reclaim, entries of the free array from 0 on are
 * free. */
static inline uint append_total(__global clade_dlist_head *list, ulong count)
{
    return (uint)min(count, (ulong)clade_load_relaxed(&list->free_count));
}

static inline clade_ref free_cell(__global clade_dlist_head *list, uint i)
{
    return clade_load_relaxed((clade_global_word)list + (list->free_at + i));
}

/* A chain of all, its ends linked to what was the last node and to the end, and its cells taken. Up
 * to the next launch its nodes are marked as erased: should that never come, none is in the list,
 * and reclaiming takes them back. At least as many items as stripes. */
__kernel void clade_dlist_append_fill(__global clade_dlist_head *list, __global const VALUE *values,
                                      ulong values_first, __global uint *nodes, ulong nodes_first,
                                      __global int *statuses, ulong statuses_first, uint given,
                                      ulong count)
{
    ulong i = get_global_id(0);
    uint total = append_total(list, count);
    clade_ref node = CLADE_NIL;
    if (i < CLADE_CELLS_STRIPES && total > i)
        clade_store_relaxed(&list->stripes[i].taken,
                            (total - (uint)i - 1u) / CLADE_CELLS_STRIPES + 1u);
    if (i >= count)
        return;
    if (i < total) {
        uint at = (uint)i;
        ulong value = values[values_first + i];
        clade_ref next = at + 1u < total ? free_cell(list, at + 1u) : CLADE_NIL;
        node = free_cell(list, at);
        clade_store_relaxed(clade_dlist_word(list, node, CLADE_DLIST_WORD_VALUE), (uint)value);
        clade_store_relaxed(clade_dlist_word(list, node, CLADE_DLIST_WORD_VALUE + 1u),
                            (uint)(value >> 32));
        clade_store_relaxed(clade_dlist_link(list, node),
                            next << CLADE_DLIST_REF_SHIFT | CLADE_DLIST_ERASED);
        clade_store_relaxed(clade_dlist_back(list, node),
                            at > 0u ? free_cell(list, at - 1u) : clade_load_relaxed(&list->last));
    }
    if (given & 4u)
        nodes[nodes_first + i] = node;
    if (given & 8u)
        statuses[statuses_first + i] = node == CLADE_NIL ? CLADE_E_FULL : CLADE_OK;
    else if (node == CLADE_NIL)
        cladei_object_note_wi(&list->object, CLADE_E_FULL, i);
}

/* The chain enters the list. */
__kernel void clade_dlist_append_link(__global clade_dlist_head *list, ulong count)
{
    ulong i = get_global_id(0);
    uint total = append_total(list, count);
    if (i < total)
        clade_and_relaxed(clade_dlist_link(list, free_cell(list, (uint)i)), ~CLADE_DLIST_ERASED);
    if (i == 0 && total > 0u) {
        clade_ref last = clade_load_relaxed(&list->last);
        clade_store_relaxed(clade_dlist_link(list, last), free_cell(list, 0u)
                                                              << CLADE_DLIST_REF_SHIFT);
        clade_store_relaxed(&list->last, free_cell(list, total - 1u));
    }
}

/* --- reclaiming: launches in which nobody else is at work ------------------------------------- */

static inline uint is_erased(uint link)
{
    return link & CLADE_DLIST_ERASED;
}

/* Make a list empty. */
__kernel void clade_dlist_clear(__global clade_dlist_head *list)
{
    uint i = (uint)get_global_id(0);
    if (i < list->capacity) {
        clade_store_relaxed(clade_dlist_link(list, i + 1u), CLADE_DLIST_CELL_FREE);
        clade_store_relaxed(clade_dlist_back(list, i + 1u), CLADE_NIL);
        clade_store_relaxed((clade_global_word)list + (list->free_at + i), i + 1u);
    }
    if (i < CLADE_CELLS_STRIPES) {
        clade_store_relaxed(&list->stripes[i].taken, 0u);
        clade_store_relaxed(&list->stripes[i].insert_collisions, 0u);
        clade_store_relaxed(&list->stripes[i].erase_collisions, 0u);
    }
    if (i == 0) {
        clade_store_relaxed(&list->first, 0u);
        clade_store_relaxed(&list->last, CLADE_NIL);
        clade_store_relaxed(&list->planted, CLADE_NIL);
        clade_store_relaxed(&list->live, 0u);
        clade_store_relaxed(&list->free_count, list->capacity);
    }
}

/* Shorten runs of erased nodes: each is led past the erased nodes behind it, up to SKIP_HOPS
 * links, which others lead further meanwhile. Whatever mixture of old and new links an item sees,
 * what it skips is erased. A launch leaves runs at most 1 / (SKIP_HOPS + 1) as long. */
__kernel void clade_dlist_shorten(__global clade_dlist_head *list)
{
    uint i = (uint)get_global_id(0);
    if (i >= list->capacity)
        return;
    clade_global_word own = clade_dlist_link(list, i + 1u);
    uint link = clade_load_relaxed(own), changed = 0;
    if (link == CLADE_DLIST_CELL_FREE || !is_erased(link))
        return;
    for (uint hops = 0; hops < CLADE_DLIST_SKIP_HOPS && link >> CLADE_DLIST_REF_SHIFT != CLADE_NIL;
         hops++) {
        uint next = clade_load_relaxed(clade_dlist_link(list, link >> CLADE_DLIST_REF_SHIFT));
        if (!is_erased(next))
            break;
        link = next;
        changed = 1;
    }
    if (changed)
        clade_store_relaxed(own, link);
}

/* Every live node, and the end, is linked to the next live one, and that one back to it. Then the
 * counts start afresh. */
__kernel void clade_dlist_relink(__global clade_dlist_head *list)
{
    uint i = (uint)get_global_id(0);
    if (i <= list->capacity) { /* i = 0 is the end: the nil ref */
        clade_global_word own = clade_dlist_link(list, i);
        uint link = clade_load_relaxed(own);
        if (!is_erased(link)) {
            clade_ref node = link >> CLADE_DLIST_REF_SHIFT;
            for (uint hops = 0; hops < list->capacity && node != CLADE_NIL; hops++) {
                uint next = clade_load_relaxed(clade_dlist_link(list, node));
                if (!is_erased(next))
                    break;
                node = next >> CLADE_DLIST_REF_SHIFT;
            }
            if (node != link >> CLADE_DLIST_REF_SHIFT)
                clade_store_relaxed(own, node << CLADE_DLIST_REF_SHIFT);
            clade_store_relaxed(clade_dlist_back(list, node), i);
        }
    }
    if (i < CLADE_CELLS_STRIPES)
        clade_store_relaxed(&list->stripes[i].taken, 0u);
    if (i == 0) {
        clade_store_relaxed(&list->planted, CLADE_NIL);
        clade_store_relaxed(&list->free_count, 0u);
        clade_store_relaxed(&list->live, 0u);
    }
}

/* Erased and free cells become the free array; the live ones are counted. `frees`: 0 to count
 * alone. */
__kernel void clade_dlist_sweep(__global clade_dlist_head *list, uint frees)
{
    CLADE_LOCAL clade_atomic_u32 counts[2]; /* free, live */
    CLADE_LOCAL uint base;
    uint i = (uint)get_global_id(0), lid = (uint)get_local_id(0), rank = 0, is_free = 0;
    if (lid == 0) {
        clade_store_local(&counts[0], 0u);
        clade_store_local(&counts[1], 0u);
    }
    clade_barrier();
    if (i < list->capacity) {
        is_free = is_erased(clade_load_relaxed(clade_dlist_link(list, i + 1u)));
        rank = clade_add_local(&counts[is_free ? 0 : 1], 1u);
    }
    clade_barrier();
    if (lid == 0) {
        if (frees)
            base = clade_add_relaxed(&list->free_count, clade_load_local(&counts[0]));
        clade_add_relaxed(&list->live, clade_load_local(&counts[1]));
    }
    clade_barrier();
    if (is_free && frees) {
        clade_store_relaxed((clade_global_word)list + (list->free_at + base + rank), i + 1u);
        clade_store_relaxed(clade_dlist_link(list, i + 1u), CLADE_DLIST_CELL_FREE);
    }
}

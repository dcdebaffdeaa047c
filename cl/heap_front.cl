/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels behind clade_heap_* for heaps whose engine is CLADE_HEAP_FRONT: as cl/heap.cl has them
 * for the other engines.
 *
 * Check: CLADE_HEAP_KEY_TYPE=1..6 CLADE_HEAP_VALUE_TYPE=0,2,5 CLADE_HEAP_ORDER=0,1
 * Check: CLADE_HEAP_KEY_TYPE=2 CLADE_HEAP_LEAF=256,512,1024 CLADE_GROUP_SIZE=1,256,1024
 */

#include "clade/heap_front.clh"
#include "clade/object.clh"

/* A call's batches are tried again this often when a wait gives up. */
#define CLADE_HEAP_TRIES 64u

/* Batches that a group takes in one launch. Bounded where the driver leaves long loops: the host
 * then launches again. */
#ifndef CLADE_HEAP_ROUNDS
#define CLADE_HEAP_ROUNDS 0xffffffffu
#endif

/* The host's group size is fixed when the kernels are built: NVIDIA's compiler would otherwise
 * spend so many registers that only small groups can run. */
#if defined(CLADE_GROUP_SIZE)
#define CLADE_HEAP_GROUP __attribute__((reqd_work_group_size(CLADE_GROUP_SIZE, 1, 1)))
#else
#define CLADE_HEAP_GROUP
#endif

/* What a quiescent front has handed out since creation or clear. */
CLADE_TEAM_FUNCTION ulong clade_heap_handed_out(__global void *heap)
{
    clade_front_words words = (clade_front_words)heap;
    uint word = clade_load_relaxed(words + CLADE_FRONT_W_WORD);
    clade_front_words e = clade_front_at(words, CLADE_FRONT_C_EPOCHS) +
                          (word >> CLADE_FRONT_TAG_SHIFT) * CLADE_FRONT_E_WORDS;
    ulong rank = clade_load_relaxed(e + CLADE_FRONT_E_RANK) |
                 (ulong)clade_load_relaxed(e + CLADE_FRONT_E_RANK + 1) << 32;
    return rank + clade_load_relaxed(e + CLADE_FRONT_E_COUNT) - (word & CLADE_FRONT_LEFT_MASK);
}

/* The host writes an empty front; here for the same set of kernels in all engines. */
__kernel void clade_heap_empty(__global void *heap, uint heaps)
{
    (void)heap, (void)heaps;
}

/* One item: open a call. `coming`: keys to be inserted, 0 for a delete. */
__kernel void clade_heap_begin(__global void *heap, ulong coming)
{
    __global clade_heap_head *head = (__global clade_heap_head *)heap;
    ulong capacity = (ulong)head->capacity[1] << 32 | head->capacity[0];
    ulong handed_out = clade_heap_handed_out(heap);
    clade_i32 verdict = CLADE_OK;
    if (coming > 0 && clade_heap_size_hint_wi(heap) + coming > capacity)
        verdict = CLADE_E_FULL;
    if (verdict != CLADE_OK) {
        cladei_object_note_wi(&head->object, verdict, 0u);
        cladei_heap_count_wi(head->refused, 1u);
    }
    clade_store_relaxed(&head->verdict, (uint)verdict);
    clade_store_relaxed(&head->ticket, 0u);
    clade_store_relaxed(&head->nan, CLADE_HEAP_NO_NAN);
    head->base[0] = (uint)handed_out;
    head->base[1] = (uint)(handed_out >> 32);
}

/* Any shape, for keys with NaNs: find the first one. */
__kernel void clade_heap_scan(__global void *heap, __global const clade_heap_image *keys,
                              ulong first, ulong count)
{
    __global clade_heap_head *head = (__global clade_heap_head *)heap;
    for (ulong i = get_global_id(0); i < count; i += get_global_size(0))
        if (clade_heap_is_nan_wi(keys[first + i]))
            clade_min_relaxed(&head->nan, (uint)min(i, (ulong)CLADE_HEAP_NO_NAN - 1));
}

/* Item 0's next batch of the call; past all when the call is refused. */
CLADE_TEAM_FUNCTION uint clade_heap_next_ticket(__global clade_heap_head *head)
{
    if (clade_load_relaxed(&head->verdict) != 0 ||
        clade_load_relaxed(&head->nan) != CLADE_HEAP_NO_NAN)
        return 0xffffffffu;
    return clade_add_relaxed(&head->ticket, 1u);
}

CLADE_HEAP_GROUP
__kernel void clade_heap_insert(__global void *heap, __global const clade_heap_image *keys,
                                ulong first, __global const clade_heap_stored *values,
                                ulong values_first, ulong count)
{
    __local clade_heap_scratch scratch;
    __local uint ticket;
    __global clade_heap_head *head = (__global clade_heap_head *)heap;
    ulong at = 0;
    for (uint round = 0; round < CLADE_HEAP_ROUNDS && at < count; round++) {
        clade_barrier_local();
        if (get_local_id(0) == 0)
            ticket = clade_heap_next_ticket(head);
        clade_barrier_local();
        at = (ulong)ticket * clade_heap_batch;
        uint n = at < count ? (uint)min(count - at, (ulong)clade_heap_batch) : 0;
        for (uint i = (uint)get_local_id(0); i < n; i += (uint)get_local_size(0))
            clade_heap_set_bits_wi(&scratch, i, keys[first + at + i],
                                   clade_heap_values ? values[values_first + at + i] : 0);
        clade_i32 status = n > 0 ? CLADE_E_BUSY : CLADE_OK;
        for (uint tries = 0; tries < CLADE_HEAP_TRIES && status == CLADE_E_BUSY; tries++) {
            status = clade_heap_insert_wg(heap, &scratch, n);
            n -= clade_heap_taken_wi(&scratch);
        }
        if (status != CLADE_OK && get_local_id(0) == 0) {
            cladei_object_note_wi(&head->object, status, ticket);
            clade_store_relaxed(&head->verdict, (uint)status);
        }
    }
}

CLADE_HEAP_GROUP
__kernel void clade_heap_delete(__global void *heap, __global clade_heap_image *keys, ulong first,
                                __global clade_heap_stored *values, ulong values_first, ulong count)
{
    __local clade_heap_scratch scratch;
    __local uint ticket;
    __global clade_heap_head *head = (__global clade_heap_head *)heap;
    const ulong base = (ulong)head->base[1] << 32 | head->base[0];
    ulong at = 0;
    for (uint round = 0; round < CLADE_HEAP_ROUNDS && at < count; round++) {
        clade_barrier_local();
        if (get_local_id(0) == 0)
            ticket = clade_heap_next_ticket(head);
        clade_barrier_local();
        at = (ulong)ticket * clade_heap_batch;
        uint n = at < count ? (uint)min(count - at, (ulong)clade_heap_batch) : 0, got = 0;
        clade_i32 status = n > 0 ? CLADE_E_BUSY : CLADE_OK;
        for (uint tries = 0; tries < CLADE_HEAP_TRIES && status == CLADE_E_BUSY && got == 0; tries++)
            status = clade_heap_delete_wg(heap, &scratch, n, &got);
        if (status != CLADE_OK && get_local_id(0) == 0) {
            cladei_object_note_wi(&head->object, status, ticket);
            clade_store_relaxed(&head->verdict, (uint)status);
        }
        ulong to = got > 0 ? clade_heap_rank_wi(&scratch) - base : 0;
        for (uint i = (uint)get_local_id(0); i < got; i += (uint)get_local_size(0)) {
            keys[first + to + i] = clade_heap_key_bits_wi(&scratch, i);
            if (clade_heap_values)
                values[values_first + to + i] = clade_heap_value_bits_wi(&scratch, i);
        }
        if (got < n)
            at = count; /* empty, or given up */
    }
}

/* One item: close a call. A delete's `got` receives the number of keys. */
__kernel void clade_heap_end(__global void *heap, __global ulong *got, ulong first, uint is_delete)
{
    __global clade_heap_head *head = (__global clade_heap_head *)heap;
    ulong handed_out = clade_heap_handed_out(heap);
    uint nan = clade_load_relaxed(&head->nan);
    head->deleted[0] = (uint)handed_out;
    head->deleted[1] = (uint)(handed_out >> 32);
    if (is_delete) {
        got[first] = handed_out - ((ulong)head->base[1] << 32 | head->base[0]);
    } else if (nan != CLADE_HEAP_NO_NAN) {
        cladei_object_note_wi(&head->object, CLADE_E_ARG, nan);
        cladei_heap_count_wi(head->refused, 1u);
    }
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels behind clade_heap_*: launched by lib/heap/, one call's kernels in a row.
 * CLADE_HEAP_PART: 1 those of all calls alone, 2 the one that inserts, 3 those that pop; 4 on a CPU
 * one kernel in place of all these that calls take; 0 all of them.
 *
 * What the library can ask for (`cladec --check`): every key, values by their width, both orders,
 * all engines; then groups and batches, or leaves, of the usual sizes.
 * Check: CLADE_HEAP_KEY_TYPE=1..6 CLADE_HEAP_VALUE_TYPE=0,2,5 CLADE_HEAP_ORDER=0,1 CLADE_HEAP_ENGINE=1,2,3
 * Check: CLADE_HEAP_KEY_TYPE=2 CLADE_HEAP_ENGINE=1,2 CLADE_HEAP_BATCH=64,1024 CLADE_GROUP_SIZE=1,64,256,1024
 * Check sm_* gfx*: CLADE_HEAP_KEY_TYPE=2 CLADE_HEAP_ENGINE=1,2 CLADE_HEAP_BATCH=2048 CLADE_GROUP_SIZE=1024
 * Check: CLADE_HEAP_KEY_TYPE=2 CLADE_HEAP_ENGINE=3 CLADE_HEAP_LEAF=512,1024 CLADE_GROUP_SIZE=1,256,1024
 * Check: CLADE_HEAP_KEY_TYPE=2 CLADE_HEAP_ENGINE=1,3 CLADE_HEAP_PART=1,2,3,4
 * Check: CLADE_HEAP_KEY_TYPE=2 CLADE_HEAP_ENGINE=3 CLADE_HEAP_BATCH=128 CLADE_HEAP_LEAF=256 CLADE_GROUP_SIZE=1,256,1024
 */

#ifndef CLADE_HEAP_PART
#define CLADE_HEAP_PART 0
#endif

#include "clade/shared/heap.h"
#if defined(CLADE_HEAP_ENGINE) && \
    CLADE_HEAP_ENGINE == CLADE_HEAP_FRONT /* which heap.clh undefines */
#define CLADE_HEAP_HAS_FIRST
#endif

#include "clade/heap.clh"
#include "clade/base/object.clh"

/* The host's group size is fixed when the kernels are built: NVIDIA's compiler would otherwise
 * spend so many registers that only small groups can run. */
#ifdef CLADE_GROUP_SIZE
#define CLADE_HEAP_GROUP __attribute__((reqd_work_group_size(CLADE_GROUP_SIZE, 1, 1)))
#else
#define CLADE_HEAP_GROUP
#endif

/* A call's batches are tried again this often when a wait gives up. */
#define CLADE_HEAP_TRIES 64u

/* Batches that a group takes in one launch. Bounded where the driver leaves long loops: the host
 * then launches again. */
#ifndef CLADE_HEAP_ROUNDS
#define CLADE_HEAP_ROUNDS 0xffffffffu
#endif

#if CLADE_HEAP_PART == 0 || CLADE_HEAP_PART == 1 || CLADE_HEAP_PART == 4
#include "clade/heap/open.clh"

/* No keys, all nodes EMPTY, which is 0, all counts 0. As plain words: nobody else is here. Item
 * `at` of `items`. */
static inline void clade_heap_empty_wi(__global void *heap, uint nodes, ulong at, ulong items)
{
    __global uint *words = (__global uint *)((__global uchar *)heap + CLADE_HEAP_NODES_AT);
    __global clade_heap_head *head = (__global clade_heap_head *)heap;
    __global uint *changing = (__global uint *)&head->lock; /* from there to the head's end */
    ulong count = (nodes + 1ul) * sizeof(clade_heap_node) / 4;
    for (ulong i = at; i < count; i += items)
        words[i] = 0;
    for (ulong i = at; i < (ulong)(words - changing); i += items)
        changing[i] = 0;
}

/* Any shape; of many heaps, for the host writes a single one: the `heaps` heaps from this one on
 * are empty, and know no error. The first one's constants are written; each of the others receives
 * them from groups of its own, `parts` of them. */
__kernel void clade_heap_empty(__global void *heap, uint heaps, uint parts)
{
    __global clade_heap_head *head = (__global clade_heap_head *)heap;
    __global const uint *constants = (__global const uint *)heap;
    const uint nodes = head->nodes;
    const uint count = (uint)((__global const uint *)&head->lock - constants);
    const uint error = (uint)((__global const uint *)&head->object.first_error - constants);
    const ulong items = (ulong)parts * get_local_size(0);
    for (ulong g = get_group_id(0); g < (heaps - 1ul) * parts; g += get_num_groups(0)) {
        __global uint *to = (__global uint *)clade_heap_at_wi(heap, 1u + (uint)(g / parts));
        const ulong at = g % parts * get_local_size(0) + get_local_id(0);
        for (ulong i = at; i < count; i += items)
            to[i] = i == error || i == error + 1u ? 0u : constants[i];
        clade_heap_empty_wi(to, nodes, at, items);
    }
    clade_heap_empty_wi(heap, nodes, get_global_id(0), get_global_size(0));
    if (get_global_id(0) == 0) {
        clade_store_relaxed(&head->object.first_error, 0u);
        clade_store_relaxed(&head->object.first_error_item, 0u);
    }
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

/* One item: close a call. A pop's `got` receives the number of keys. */
CLADE_TEAM_CALL void clade_heap_close_wi(__global void *heap, __global ulong *got, ulong first,
                                         uint is_pop)
{
    __global clade_heap_head *head = (__global clade_heap_head *)heap;
    const ulong popped = clade_heap_popped_wi(heap);
    const uint nan = clade_load_relaxed(&head->nan);
    head->popped[0] = (uint)popped; /* the front engine counts elsewhere */
    head->popped[1] = (uint)(popped >> 32);
    if (is_pop) {
        got[first] = popped - ((ulong)head->base[1] << 32 | head->base[0]);
    } else if (nan != CLADE_HEAP_NO_NAN) {
        cladei_object_note_wi(&head->object, CLADE_E_ARG, nan);
        cladei_heap_count_wi(head->refused, 1u);
    }
}

#if CLADE_HEAP_PART != 4
__kernel void clade_heap_begin(__global void *heap, ulong coming)
{
    clade_heap_open_wi(heap, coming);
}

__kernel void clade_heap_end(__global void *heap, __global ulong *got, ulong first, uint is_pop)
{
    clade_heap_close_wi(heap, got, first, is_pop);
}
#endif
#endif

#if CLADE_HEAP_PART != 1
/* Item 0's next batch of the call; past all when the call is refused. */
CLADE_TEAM_CALL uint clade_heap_next_ticket(__global clade_heap_head *head)
{
    if (clade_load_relaxed(&head->verdict) != 0 ||
        clade_load_relaxed(&head->nan) != CLADE_HEAP_NO_NAN)
        return 0xffffffffu;
    return clade_add_relaxed(&head->ticket, 1u);
}

/* Items of a group. Where the program says that there is one, compilers make vectors of its loops
 * over keys. */
#if CLADE_GROUP_SCALAR && defined(CLADE_GROUP_SIZE) && CLADE_GROUP_SIZE == 1
#define CLADE_HEAP_ITEMS 1u
#else
#define CLADE_HEAP_ITEMS ((uint)get_local_size(0))
#endif

/* A call's arrays, and the group's scratch. */
typedef struct clade_heap_work {
    __global clade_heap_image *keys;
    __global clade_heap_stored *values;
    ulong first, values_first; /* where they begin */
    __local clade_heap_scratch *scratch;
    bool has_images; /* the keys of an insert are images, as a sort leaves them */
} clade_heap_work;

/* The n keys from `at` on go to the scratch. Item `id` of `size`. */
CLADE_TEAM_CALL void clade_heap_bring(const clade_heap_work *w, ulong at, uint n, uint id,
                                      uint size)
{
    if (w->has_images) {
        for (uint i = id; i < n; i += size)
            clade_heap_set_bits_wi(w->scratch, i, clade_heap_decode(w->keys[w->first + at + i]),
                                   clade_heap_values ? w->values[w->values_first + at + i] : 0);
        return;
    }
    for (uint i = id; i < n; i += size)
        clade_heap_set_bits_wi(w->scratch, i, w->keys[w->first + at + i],
                               clade_heap_values ? w->values[w->values_first + at + i] : 0);
}

/* What a pop got goes to its place. Item `id` of `size`. */
CLADE_TEAM_CALL void clade_heap_give(const clade_heap_work *w, ulong base, uint got, uint id,
                                     uint size)
{
    const ulong to = got > 0 ? clade_heap_rank_wi(w->scratch) - base : 0;
    for (uint i = id; i < got; i += size) {
        w->keys[w->first + to + i] = clade_heap_key_bits_wi(w->scratch, i);
        if (clade_heap_values)
            w->values[w->values_first + to + i] = clade_heap_value_bits_wi(w->scratch, i);
    }
}

/* Groups take batches of the call until none is left. `is_pop`: a pop, otherwise an insert. */
CLADE_TEAM_FUNCTION void clade_heap_work_wg(__global void *heap, const clade_heap_work *w,
                                            ulong count, bool is_pop, __local uint *ticket)
{
    const uint id = (uint)get_local_id(0), size = CLADE_HEAP_ITEMS;
    __global clade_heap_head *head = (__global clade_heap_head *)heap;
    const ulong base = (ulong)head->base[1] << 32 | head->base[0];
    ulong at = 0;
    for (uint round = 0; round < CLADE_HEAP_ROUNDS && at < count; round++) {
        /* No barrier: all have read the last ticket. Its batch was not empty, so the heap's
         * function was called for it, and that begins and ends with one. */
        if (id == 0)
            *ticket = clade_heap_next_ticket(head);
        clade_barrier_local();
        at = (ulong)*ticket * clade_heap_batch;
        uint n = at < count ? (uint)min(count - at, (ulong)clade_heap_batch) : 0, got = 0;
        clade_i32 status = n > 0 ? CLADE_E_BUSY : CLADE_OK;
        if (!is_pop)
            clade_heap_bring(w, at, n, id, size);
        for (uint tries = 0; tries < CLADE_HEAP_TRIES && status == CLADE_E_BUSY && got == 0;
             tries++) {
            if (is_pop) {
                status = clade_heap_pop_wg(heap, w->scratch, n, &got);
            } else {
                status = clade_heap_insert_wg(heap, w->scratch, n);
                n -= clade_heap_taken_wi(w->scratch);
            }
        }
        if (status != CLADE_OK && id == 0) {
            cladei_object_note_wi(&head->object, status, *ticket);
            clade_store_relaxed(&head->verdict, (uint)status);
        }
        if (is_pop)
            clade_heap_give(w, base, got, id, size);
        if (is_pop && got < n)
            at = count; /* empty, or given up */
    }
}
#endif

#if CLADE_HEAP_PART == 0 || CLADE_HEAP_PART == 2
CLADE_HEAP_GROUP
__kernel void clade_heap_insert(__global void *heap, __global clade_heap_image *keys, ulong first,
                                __global clade_heap_stored *values, ulong values_first, ulong count)
{
    CLADE_LOCAL clade_heap_scratch scratch;
    CLADE_LOCAL uint ticket;
    const clade_heap_work w = { keys, values, first, values_first, &scratch, false };
    clade_heap_work_wg(heap, &w, count, false, &ticket);
}
#endif

#if CLADE_HEAP_PART == 0 || CLADE_HEAP_PART == 3
CLADE_HEAP_GROUP
__kernel void clade_heap_pop(__global void *heap, __global clade_heap_image *keys, ulong first,
                             __global clade_heap_stored *values, ulong values_first, ulong count)
{
    CLADE_LOCAL clade_heap_scratch scratch;
    CLADE_LOCAL uint ticket;
    const clade_heap_work w = { keys, values, first, values_first, &scratch, false };
    clade_heap_work_wg(heap, &w, count, true, &ticket);
}

#ifdef CLADE_HEAP_HAS_FIRST
/* One group, and no other work on the heap: what clade_heap_peek() tells. Elsewhere the host finds
 * it. */
CLADE_HEAP_GROUP
__kernel void clade_heap_first(__global void *heap)
{
    CLADE_LOCAL clade_heap_scratch scratch;
    __global clade_heap_head *head = (__global clade_heap_head *)heap;
    const bool found = clade_heap_first_wg(heap, &scratch);
    if (get_local_id(0) == 0) {
        const ulong key = found ? scratch.keys[0] : 0;
        const ulong value = found ? clade_heap_value_bits_wi(&scratch, 0) : 0;
        head->found = found;
        head->first_key[0] = (uint)key;
        head->first_key[1] = (uint)(key >> 32);
        head->first_value[0] = (uint)value;
        head->first_value[1] = (uint)(value >> 32);
    }
}
#endif
#endif

#if CLADE_HEAP_PART == 4
#include "clade/shared/heap_sorted.h"

/* Whatever a call does, one kernel a step: insert and pop have most in common, and PoCL compiles
 * both in the time of one and a fifth. One group may do several steps in one launch, which costs as
 * much time as a thousand keys. */
CLADE_HEAP_GROUP
__kernel void clade_heap_step(__global void *heap, __global clade_heap_image *keys, ulong first,
                              __global clade_heap_stored *values, ulong values_first, ulong count,
                              __global ulong *got, ulong got_first, uint step,
                              __global const uint *plan, __global clade_heap_image *keys_0,
                              __global clade_heap_stored *values_0,
                              __global clade_heap_image *keys_1,
                              __global clade_heap_stored *values_1)
{
    CLADE_LOCAL clade_heap_scratch scratch;
    CLADE_LOCAL uint ticket;
    clade_heap_work w = { keys, values, first, values_first, &scratch, false };
    const bool is_first = get_global_id(0) == 0, is_pop = (step & CLADE_HEAP_STEP_POP) != 0;
    if (is_first && (step & CLADE_HEAP_STEP_OPEN) != 0)
        clade_heap_open_wi(heap, is_pop ? 0 : count);
    clade_barrier(); /* the group reads what its item 0 opened */
    if ((step & CLADE_HEAP_STEP_SORTED) != 0 && plan[CLADE_SORTED_TO] != CLADE_SORTED_RAW) {
        w.keys = plan[CLADE_SORTED_TO] ? keys_1 : keys_0;
        w.values = plan[CLADE_SORTED_TO] ? values_1 : values_0;
        w.first = w.values_first = 0;
        w.has_images = true;
    }
    if ((step & CLADE_HEAP_STEP_WORK) != 0)
        clade_heap_work_wg(heap, &w, count, is_pop, &ticket);
    if (is_first && (step & CLADE_HEAP_STEP_CLOSE) != 0)
        clade_heap_close_wi(heap, got, got_first, is_pop);
}
#endif

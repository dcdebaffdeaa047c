/* SPDX-License-Identifier: Apache-2.0 */
/* A list on lanes, for the programs of its kernels: its memory, the kernels as functions for
 * launch(), its model, and what the list holds beside it. Include the kernels first. */
#pragma once

#include "edges/kernels.h"

enum {
    CAPACITY = 150,
    RANGE = 300, /* different keys */
    SLOTS = 512, /* of the hash index */
    HINTS = CLADE_LIST_HINTS_MAX(CAPACITY),
    MANY_HINTS = 1300, /* more than two blocks */
    FIRST = 5,
    GUARD = 0x5a5a5a5a,
    CELL = CLADE_LIST_WORDS(KEY_WORDS, CLADE_LIST_VALUE_BITS / 32u),
    NODE = KMA_NODES ? 1 : CELL, /* words of a cell in the list's own memory */
};

static clade_list_head *list;
static uint index_size, is_unordered, list_words;
static struct job {
    uint op, given, *ops, *values, *collisions, is_rest, from, to, run;
    KEY *keys, *targets;
    int *statuses;
    ulong count, stride;
} job;

/* Of an ordered list: which keys are inside, with which value. */
static uchar is_inside[RANGE];
static uint value_of[RANGE];
/* Of an unordered one: the sequence. */
#include "list/sequence.h"

static KEY key_of(uint k)
{
    return (KEY)(KEY_WORDS == 1u ? 3u * k + 1u : (ulong)(k / 7u) << 40 | (k % 7u) << 9 | 5u);
}

#include "list/kernels_blocks.h"

/* --- launches --------------------------------------------------------------------------------- */

AS_KERNEL(apply, clade_list_apply(list, kma, job.op, job.given, job.ops, FIRST, job.keys, FIRST - 1,
                                  is_unordered ? (void *)job.targets : (void *)job.values,
                                  FIRST - 2, job.statuses, FIRST - 3, job.collisions, FIRST - 4,
                                  job.count, job.stride, job.is_rest))
AS_KERNEL(front_fill, clade_list_insert_front_fill(list, kma, job.keys, FIRST - 1, job.statuses,
                                                   FIRST - 3, job.given & 4u, job.count))
AS_KERNEL(front_skip, clade_list_insert_front_skip(list, kma, job.count))
AS_KERNEL(front_link, clade_list_insert_front_link(list, kma, job.count))
AS_KERNEL(front_done, clade_list_insert_front_done(list, kma, job.count))
AS_KERNEL(clear, clade_list_clear(list, kma))
AS_KERNEL(skip, clade_list_skip(list, kma))
AS_KERNEL(relink, clade_list_relink(list, kma))
AS_KERNEL(sweep, clade_list_sweep(list, kma, job.to))
AS_KERNEL(sort, clade_list_sort(list, kma))
AS_KERNEL(merge, clade_list_merge(list, kma, job.from, job.to, job.run))
#if KMA_NODES
AS_KERNEL(gather, clade_list_gather(list, kma, job.ops))
#endif
AS_KERNEL(count_live, clade_list_count(list, kma))

/* --- a list ----------------------------------------------------------------------------------- */

static bool is_free_cell(clade_ref cell)
{
#if KMA_NODES
    return *clade_list_block(list, cell) == CLADE_NIL;
#else
    return *clade_list_link(list, cell) == CLADE_LIST_CELL_FREE;
#endif
}

/* What clearing leaves: each cell is free, the free array is in order, and nothing was counted. */
static void check_cleared(void)
{
    for (uint i = 0; i < list->capacity; i++)
        expect(((uint *)list)[list->free_at + i] == i + 1u && is_free_cell(i + 1u),
               "a cell of a new list", i, 0);
    for (uint i = 0; i < CLADE_CELLS_STRIPES; i++)
        expect(list->stripes[i].taken == 0 && list->stripes[i].insert_collisions == 0 &&
                   list->stripes[i].erase_collisions == 0,
               "a stripe of a new list", i, list->stripes[i].taken);
    for (uint slot = 0; slot < index_size && is_unordered; slot++)
        expect(((uint *)list)[list->index_at + slot] == CLADE_NIL, "a slot of a new list", slot, 0);
    expect(list->first == 0 && list->live == 0 && list->hint_count == 0 &&
               list->planted == CLADE_NIL && list->free_count == list->capacity &&
               list->hints_at == list->index_at,
           "a new list", list->first, list->free_count);
}

/* Head, cells, free array, spare words and the index, a guarded word behind each. */
static void make(uint unordered, uint slots, uint capacity, uint room_for_hints)
{
    const uint head_words = sizeof(clade_list_head) / 4,
               index_words = unordered ? slots : 2u * room_for_hints * HINT;
    list_words = head_words + capacity * (NODE + 2u) + 3u + index_words;
    list = room(list_words * 4ul);
    memset(list, 0x77, sizeof *list);
    list->object.shape =
        CLADE_LIST_SHAPE(unordered, KEY_WORDS, CLADE_LIST_VALUE_BITS / 32u, KMA_NODES);
    list->object.first_error = list->object.first_error_item = 0;
    list->capacity = capacity;
    list->nodes_at = head_words;
    list->free_at = list->nodes_at + capacity * NODE + 1u;
    list->spare_at = list->free_at + capacity + 1u;
    list->index_at = list->spare_at + capacity + 1u;
    list->index_size = index_size = slots;
    is_unordered = unordered;
#if KMA_NODES
    memset((uint *)list + list->nodes_at, 0, capacity * 4ul); /* as the host does */
#endif
    launch(clear, capacity > CLADE_CELLS_STRIPES ? capacity : CLADE_CELLS_STRIPES);
    memset(is_inside, 0, sizeof is_inside);
    length = 0;
    check_cleared();
}

static uint live_nodes(clade_ref *nodes);

/* Clearing gives back what is held. */
static void end(void)
{
    launch(clear, list->capacity > CLADE_CELLS_STRIPES ? list->capacity : CLADE_CELLS_STRIPES);
    clade_ref nodes[CAPACITY];
    expect(live_nodes(nodes) == 0 && list->free_count == list->capacity, "a list that was cleared",
           list->first, list->free_count);
#if KMA_NODES
    check_blocks(0);
#endif
    free(list);
}

static const uint *words(void)
{
    return (const uint *)list;
}

static void check_guards(void)
{
    expect(words()[list->free_at - 1u] == GUARD && words()[list->spare_at - 1u] == GUARD &&
               words()[list->index_at - 1u] == GUARD,
           "written between arrays", 0, 0);
}

static KEY key_in(clade_ref node)
{
    return clade_list_key(IT, node);
}

/* The nodes that links lead to and that are not erased, in their order. */
static uint live_nodes(clade_ref *nodes)
{
    uint n = 0, link = list->first;
    for (uint hops = 0; hops <= CAPACITY; hops++) {
        const clade_ref node = link >> CLADE_LIST_REF_SHIFT;
        if (node == CLADE_NIL || node > list->capacity)
            break;
        link = *clade_list_link(IT, node);
        if (!(link & CLADE_LIST_MARKS) && n < CAPACITY)
            nodes[n++] = node;
        expect(!(link & CLADE_LIST_PENDING), "a node is pending", node, link);
    }
    return n;
}

static uint model_nodes(uint *numbers)
{
    uint n = 0;
    for (uint k = 0; k < RANGE && !is_unordered; k++)
        if (is_inside[k])
            numbers[n++] = k;
    for (; is_unordered && n < length; n++)
        numbers[n] = sequence[n];
    return n;
}

static void check_content(const char *when)
{
    clade_ref nodes[CAPACITY];
    uint numbers[RANGE];
    const uint n = live_nodes(nodes), wanted = model_nodes(numbers);
    expect(n == wanted, when, n, wanted);
    for (uint i = 0; i < n && i < wanted; i++) {
        expect(key_in(nodes[i]) == key_of(numbers[i]), when, i, numbers[i]);
        expect(is_unordered || !CLADE_LIST_VALUE_BITS ||
                   clade_list_value(IT, nodes[i]) == value_of[numbers[i]],
               "a value in the list", i, numbers[i]);
    }
    check_guards();
}

/* What a reclaim leaves: nothing is erased, each cell is a node or free, the counts begin anew. */
static void check_settled(void)
{
    clade_ref nodes[CAPACITY];
    uchar seen[CAPACITY + 1] = { 0 };
    const uint n = live_nodes(nodes), *free_refs = words() + list->free_at;
    uint sampled = 0, entered = 0;
    for (uint i = 0; i < n; i++) {
        seen[nodes[i]] = 1;
        sampled += clade_list_is_sampled(nodes[i]) != 0;
    }
    expect(list->live == n && list->free_count == list->capacity - n && list->planted == CLADE_NIL,
           "counts after a reclaim", list->live, list->free_count);
    for (uint i = 0; i < list->free_count && i < list->capacity; i++) {
        const clade_ref cell = free_refs[i];
        expect(cell >= 1 && cell <= list->capacity && !seen[cell % (CAPACITY + 1)] &&
                   is_free_cell(cell % (CAPACITY + 1)),
               "a free cell", i, cell);
        seen[cell % (CAPACITY + 1)] = 1;
    }
    for (uint i = 0; i < CLADE_CELLS_STRIPES; i++)
        expect(list->stripes[i].taken == 0, "a stripe that dealt out", i, list->stripes[i].taken);
    const uint *index = words() + list->index_at;
    for (uint slot = 0; slot < index_size && is_unordered; slot++) {
        entered += index[slot] != CLADE_NIL;
        expect(index[slot] <= list->capacity, "a slot", slot, index[slot]);
    }
    expect(entered == (is_unordered && index_size ? n : 0), "nodes in the index", entered, n);
    if (is_unordered || index_size == 0)
        return;
    sampled = sampled < index_size ? sampled : index_size;
    expect(list->hint_count == sampled && list->hints_at == list->index_at, "shortcuts",
           list->hint_count, sampled);
    for (uint i = 0; i < sampled; i++) {
        const clade_ref node = index[i * HINT + KEY_WORDS];
        expect(node >= 1 && node <= list->capacity && seen[node % (CAPACITY + 1)] &&
                   clade_list_is_sampled(node) && clade_list_hint_key(index, i) == key_in(node),
               "a shortcut", i, node);
        expect(i == 0 || clade_list_hint_key(index, i - 1u) < clade_list_hint_key(index, i),
               "the shortcuts' order", i, node);
    }
    for (uint i = list->index_at + index_size * HINT; i < list_words; i++)
        expect(words()[i] == GUARD, "written behind the shortcuts", i, words()[i]);
}

static void reclaim_quietly(void)
{
    for (uint skips = draw(3); skips > 0; skips--)
        launch(skip, CAPACITY);
    launch(relink, CAPACITY + 1u);
    job.to = list->index_at;
    launch(sweep, CAPACITY);
    if (!is_unordered && index_size > 0) {
        const uint blocks = (index_size + CLADE_LIST_BLOCK - 1) / CLADE_LIST_BLOCK;
        launch(sort, blocks * GROUP);
    }
}

#if KMA_NODES
/* The words of each cell; those of a cell that has no block, and of one whose block lies just
 * beyond the allocator, are free. */
static void check_gathered(void)
{
    const uint last = HEAD_UNITS + BLOCKS, kept = *clade_list_block(list, list->capacity);
    for (uint beyond = 0; beyond < 2; beyond++) {
        if (beyond)
            *clade_list_block(list, list->capacity) = last + 1u;
        job.ops = room(list->capacity * CELL * 4ul);
        launch(gather, list->capacity);
        for (uint i = 0; i < list->capacity * CELL; i++) {
            const uint block = *clade_list_block(list, i / CELL + 1u);
            const uint *unit = (const uint *)kma + (size_t)(block - 1u) * 4u;
            expect(job.ops[i] ==
                       (block == CLADE_NIL || block > last ? CLADE_LIST_CELL_FREE : unit[i % CELL]),
                   "a word that is gathered", i, job.ops[i]);
        }
        free(job.ops);
    }
    *clade_list_block(list, list->capacity) = kept;
}
#endif

static void reclaim(void)
{
    reclaim_quietly();
    check_content("after a reclaim");
    check_settled();
#if KMA_NODES
    check_blocks(list->live);
    check_gathered();
#endif
    list->live = 0;
    launch(count_live, CAPACITY);
    uint numbers[RANGE];
    expect(list->live == model_nodes(numbers), "a count", list->live, 0);
}

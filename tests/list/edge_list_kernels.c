/* SPDX-License-Identifier: Apache-2.0 */
/* The lists' kernels by groups of one item and of several (-DGROUP=), on lanes, launched as the
 * host does: calls over arrays with each argument given and left out, in rounds and at once, counts
 * around a group's size; many at the front, more than there is room for; then reclaiming. The
 * elements of a call are such that their order does not matter, so a model knows every status,
 * value and link, the free cells, the shortcuts and the slots of the index. Arrays are of exactly
 * the size that is used. */
#include "host/device.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#undef __kernel
#define __kernel static
#ifndef KMA_NODES
#define KMA_NODES 0
#endif
#if KMA_NODES
static uint take_block(void *kma, uint bytes);
static void give_block(void *kma, uint block);
#define CLADE_LIST_MALLOC(kma, bytes) take_block((kma), (bytes))
#define CLADE_LIST_FREE(kma, block)   give_block((kma), (block))
#include "kernels/list_kma.cl"
#else
#include "kernels/list.cl"
#endif
#undef min
#undef max

#include "edges/edge.h"

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
static uint sequence[CAPACITY], length;

static KEY key_of(uint k)
{
    return (KEY)(KEY_WORDS == 1u ? 3u * k + 1u : (ulong)(k / 7u) << 40 | (k % 7u) << 9 | 5u);
}

static void *room(size_t bytes)
{
    void *memory = malloc(bytes + (bytes == 0));
    if (!memory)
        exit(1);
    memset(memory, 0x5a, bytes);
    return memory;
}

/* --- an allocator ----------------------------------------------------------------------------- */

#if KMA_NODES
/* Blocks of a unit each, behind the head and a unit that is nobody's. */
enum { HEAD_UNITS = sizeof(clade_kma_head) / CLADE_KMA_UNIT_BYTES + 2, BLOCKS = CAPACITY + 9 };
static clade_kma_head *kma;
static uchar is_held[BLOCKS];
static uint held, held_most, asked, refuse_every;

static void make_allocator(void)
{
    const size_t bytes = (HEAD_UNITS + BLOCKS) * CLADE_KMA_UNIT_BYTES;
    kma = room(bytes);
    kma->object.shape = CLADE_KMA_OBJECT_SHAPE(0);
    kma->object.bytes_low = (uint)bytes;
    kma->object.bytes_high = 0;
    held_most = BLOCKS;
}

static uint take_block(void *from, uint bytes)
{
    uint block = draw(BLOCKS);
    expect(from == kma && bytes == CELL * 4u, "a block is asked for", bytes, CELL);
    if (held == held_most || (refuse_every && ++asked % refuse_every == 0))
        return CLADE_NIL;
    while (is_held[block])
        block = (block + 1u) % BLOCKS;
    is_held[block] = 1;
    held++;
    return HEAD_UNITS + block + 1u;
}

static void give_block(void *to, uint ref)
{
    const uint block = ref - HEAD_UNITS - 1u;
    if (ref == CLADE_NIL)
        return;
    expect(to == kma && block < BLOCKS && is_held[block], "a block that is given back", ref, 0);
    if (block >= BLOCKS || !is_held[block])
        return;
    memset((char *)kma + (ref - 1u) * CLADE_KMA_UNIT_BYTES, 0xa5, CLADE_KMA_UNIT_BYTES);
    is_held[block] = 0;
    held--;
}

/* A unit has four words, and a cell may have fewer. */
static void check_blocks(uint wanted)
{
    expect(held == wanted, "blocks that are held", held, wanted);
    for (uint block = 0; block < BLOCKS; block++) {
        const uint *unit = (const uint *)((char *)kma + (HEAD_UNITS + block) * 16u);
        for (uint w = CELL; w < 4 && is_held[block]; w++)
            expect(unit[w] == GUARD || unit[w] == 0xa5a5a5a5, "written behind a block", block, w);
    }
}
#else
static uint *const kma = NULL;
#endif

/* --- launches --------------------------------------------------------------------------------- */

static void apply(void *argument, void *local)
{
    (void)argument;
    (void)local;
    clade_list_apply(list, kma, job.op, job.given, job.ops, FIRST, job.keys, FIRST - 1,
                     is_unordered ? (void *)job.targets : (void *)job.values, FIRST - 2,
                     job.statuses, FIRST - 3, job.collisions, FIRST - 4, job.count, job.stride,
                     job.is_rest);
}

static void front_fill(void *argument, void *local)
{
    (void)argument;
    (void)local;
    clade_list_insert_front_fill(list, kma, job.keys, FIRST - 1, job.statuses, FIRST - 3,
                                 job.given & 4u, job.count);
}

static void front_link(void *argument, void *local)
{
    (void)argument;
    (void)local;
    clade_list_insert_front_link(list, kma, job.count);
}

static void front_done(void *argument, void *local)
{
    (void)argument;
    (void)local;
    clade_list_insert_front_done(list, kma, job.count);
}

static void clear(void *argument, void *local)
{
    (void)argument;
    (void)local;
    clade_list_clear(list, kma);
}

static void skip(void *argument, void *local)
{
    (void)argument;
    (void)local;
    clade_list_skip(list, kma);
}

static void relink(void *argument, void *local)
{
    (void)argument;
    (void)local;
    clade_list_relink(list, kma);
}

static void sweep(void *argument, void *local)
{
    (void)argument;
    (void)local;
    clade_list_sweep(list, kma, job.to);
}

static void sort(void *argument, void *local)
{
    (void)argument;
    (void)local;
    clade_list_sort(list, kma);
}

static void merge(void *argument, void *local)
{
    (void)argument;
    (void)local;
    clade_list_merge(list, kma, job.from, job.to, job.run);
}

#if KMA_NODES
static void gather(void *argument, void *local)
{
    (void)argument;
    (void)local;
    clade_list_gather(list, kma, job.ops);
}
#endif

static void count_live(void *argument, void *local)
{
    (void)argument;
    (void)local;
    clade_list_count(list, kma);
}

static void launch(void (*kernel)(void *, void *), ulong items)
{
    if (items > 0)
        shim_launch(kernel, NULL, (items + GROUP - 1) / GROUP, GROUP, 1);
}

/* --- a list ----------------------------------------------------------------------------------- */

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

static bool is_free_cell(clade_ref cell)
{
#if KMA_NODES
    return *clade_list_block(list, cell) == CLADE_NIL;
#else
    return *clade_list_link(list, cell) == CLADE_LIST_CELL_FREE;
#endif
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
    expect(list->hint_count == sampled && list->hints_at == list->index_at, "shortcuts",
           list->hint_count, sampled);
    for (uint i = 0; i < sampled && i < index_size; i++) {
        const clade_ref node = index[i * HINT + KEY_WORDS];
        expect(node >= 1 && node <= list->capacity && seen[node % (CAPACITY + 1)] &&
                   clade_list_is_sampled(node) && clade_list_hint_key(index, i) == key_in(node),
               "a shortcut", i, node);
        expect(i == 0 || clade_list_hint_key(index, i - 1u) < clade_list_hint_key(index, i),
               "the shortcuts' order", i, node);
    }
    for (uint i = list->index_at + HINTS * HINT; i < list_words; i++)
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

/* --- calls ------------------------------------------------------------------------------------ */

static uint before_collisions;

static uint all_collisions(void)
{
    uint sum = 0;
    for (uint i = 0; i < CLADE_CELLS_STRIPES; i++)
        sum += list->stripes[i].insert_collisions + list->stripes[i].erase_collisions;
    return sum;
}

static void open_call(uint given, uint count)
{
    job.given = given;
    job.count = count;
    job.ops = room(4ul * (FIRST + (given & 1u ? count : 0)));
    job.keys = room(sizeof(KEY) * (FIRST - 1ul + count));
    job.values = room(4ul * (FIRST - 2ul + (given & 2u ? count : 0)));
    job.targets = room(sizeof(KEY) * (FIRST - 2ul + (given & 2u ? count : 0)));
    job.statuses = room(4ul * (FIRST - 3ul + (given & 4u ? count : 0)));
    job.collisions = room(4ul * (FIRST - 4ul + (given & 8u ? count : 0)));
    list->object.first_error = list->object.first_error_item = 0;
    before_collisions = all_collisions();
}

static void close_call(void)
{
    uint met = 0;
    for (uint i = 0; i < job.count && job.given & 8u; i++)
        met += job.collisions[FIRST - 4 + i];
    if (job.given & 8u)
        expect(met == all_collisions() - before_collisions && (met == 0 || GROUP > 1), "collisions",
               met, all_collisions() - before_collisions);
    expect(job.ops[FIRST - 1] == GUARD && (uint)job.keys[FIRST - 2] == GUARD &&
               job.values[FIRST - 3] == GUARD && (uint)job.targets[FIRST - 3] == GUARD &&
               job.statuses[FIRST - 4] == GUARD && job.collisions[FIRST - 5] == GUARD,
           "before an array", (uint)job.count, job.given);
    free(job.ops);
    free(job.keys);
    free(job.values);
    free(job.targets);
    free(job.statuses);
    free(job.collisions);
}

/* As the host does: at once, or first every so many elements. */
static void launch_rounds(ulong stride)
{
    job.stride = stride;
    job.is_rest = 0;
    launch(apply, (job.count + stride - 1) / stride);
    while (stride > 1) {
        stride /= CLADE_LIST_ROUND_FACTOR;
        job.stride = stride;
        job.is_rest = 1;
        const ulong larger = stride * CLADE_LIST_ROUND_FACTOR;
        reclaim_quietly();
        launch(apply, (job.count + stride - 1) / stride - (job.count + larger - 1) / larger);
    }
}

/* What a call says of an element: its status, or, where no array for it is given, the first one
 * that is an error. */
static void expect_status(uint i, int wanted)
{
    if (job.given & 4u)
        expect(job.statuses[FIRST - 3 + i] == wanted, "a status", (uint)job.statuses[FIRST - 3 + i],
               (uint)wanted);
}

static void expect_note(uint bad, int status)
{
    const bool is_noted = !(job.given & 4u) && bad < job.count;
    expect((int)list->object.first_error == (is_noted ? status : 0) &&
               list->object.first_error_item == (is_noted ? bad : 0),
           "the first error", list->object.first_error, list->object.first_error_item);
}

/* The call's elements are different keys, in any order. */
static void shuffle(uint *numbers)
{
    for (uint i = 0; i < RANGE; i++)
        numbers[i] = i;
    for (uint i = RANGE - 1; i > 0; i--) {
        const uint j = draw(i + 1), kept = numbers[i];
        numbers[i] = numbers[j];
        numbers[j] = kept;
    }
}

static uint inside_count(void)
{
    uint n = 0;
    for (uint k = 0; k < RANGE; k++)
        n += is_inside[k];
    return n;
}

/* The model's status of one operation, and the value that it gives. */
static int model_ordered(uint op, uint k, uint value, uint *got)
{
    const int there = is_inside[k];
    *got = CLADE_LIST_VALUE_BITS ? value_of[k] : 0;
    if (op == CLADE_LIST_INSERT || op == CLADE_LIST_PUT) {
        if (!there || op == CLADE_LIST_PUT)
            value_of[k] = value;
        is_inside[k] = 1;
        return there ? CLADE_LIST_PRESENT : CLADE_OK;
    }
    if (op == CLADE_LIST_ERASE)
        is_inside[k] = 0;
    return there ? CLADE_OK : CLADE_E_NOT_FOUND;
}

static void call_ordered(uint op, uint given, uint count, ulong stride)
{
    uint numbers[RANGE], bad = RANGE;
    shuffle(numbers);
    open_call(given, count);
    job.op = given & 1u ? 77u : op;
    for (uint i = 0; i < count; i++) {
        if (given & 1u)
            job.ops[FIRST + i] = (op + i) % 5u;
        if (given & 2u)
            job.values[FIRST - 2 + i] = 9000u + draw(1000);
        job.keys[FIRST - 1 + i] = key_of(numbers[i]);
    }
    if (given & 1u && count > 2)
        job.ops[FIRST + (bad = count / 2)] = CLADE_LIST_INSERT_AFTER + draw(2);
    if (op == CLADE_LIST_OP_COUNT)
        bad = 0;
    uint kept[RANGE];
    for (uint i = 0; i < count && given & 2u; i++)
        kept[i] = job.values[FIRST - 2 + i];
    launch_rounds(stride);
    for (uint i = 0; i < count; i++) {
        const uint what = given & 1u ? (op + i) % 5u : op, value = given & 2u ? kept[i] : 0;
        uint got = 0;
        if (i == bad || op == CLADE_LIST_OP_COUNT) {
            expect_status(i, CLADE_E_ARG);
            continue;
        }
        const int status = model_ordered(what, numbers[i], value, &got);
        expect_status(i, status);
        if (given & 2u)
            expect(job.values[FIRST - 2 + i] ==
                       (status == CLADE_OK && what >= CLADE_LIST_ERASE ? got : value),
                   "a value", what, job.values[FIRST - 2 + i]);
    }
    if (op != CLADE_LIST_OP_COUNT || count == 1)
        expect_note(bad, CLADE_E_ARG);
    check_content("after a call");
    close_call();
}

/* --- ordered ---------------------------------------------------------------------------------- */

/* So that there are cells for so many nodes more. */
static void make_room(uint count)
{
    while (inside_count() + count > CAPACITY) {
        call_ordered(CLADE_LIST_ERASE, 6u & (CLADE_LIST_VALUE_BITS ? ~0u : ~2u), CAPACITY, 1);
        reclaim();
    }
    reclaim();
}

static void ordered(uint hints)
{
    static const uint counts[] = { 0, 1, GROUP - 1, GROUP, GROUP + 1, 40, CAPACITY };
    static const uint all_given[] = { 15u, 6u, 12u, 4u, 3u, 0u, 9u };
    make(0, hints, CAPACITY, HINTS);
    reclaim();
    call_ordered(CLADE_LIST_INSERT, 15u & ~1u, CAPACITY, CLADE_LIST_ROUND_FACTOR);
    for (uint round = 0; round < (GROUP == 1 || KMA_NODES ? 2 : 5); round++)
        for (uint op = 0; op < 6; op++) {
            const uint count = counts[(op + 3 * round) % 7];
            const uint given = all_given[(op + round) % 7] & (CLADE_LIST_VALUE_BITS ? ~0u : ~2u);
            make_room(count);
            call_ordered(op < 5 || given & 1u ? op % 5u : CLADE_LIST_OP_COUNT, given, count,
                         count > 40 && round % 2 ? CLADE_LIST_ROUND_FACTOR : 1);
        }
    make_room(1);
    call_ordered(CLADE_LIST_OP_COUNT, 0u, 1, 1);
    make_room(0);
    end();
}

/* One cell too few, or one block: one insert is refused, and nothing else. */
static void overfull(uint cells)
{
    uint refused = 0;
    make(0, HINTS, cells, HINTS);
#if KMA_NODES
    held_most = 40;
#endif
    open_call(4u, 41);
    job.op = CLADE_LIST_INSERT;
    for (uint i = 0; i < 41; i++)
        job.keys[FIRST - 1 + i] = key_of(i);
    launch_rounds(1);
    for (uint i = 0; i < 41; i++) {
        refused += job.statuses[FIRST - 3 + i] == CLADE_E_FULL;
        is_inside[i] = job.statuses[FIRST - 3 + i] == CLADE_OK;
        value_of[i] = 0;
    }
    expect(refused == 1, "refused by a full list", refused, 1);
    check_content("a full list");
    close_call();
#if KMA_NODES
    reclaim();
    held_most = BLOCKS;
#endif
    end();
}

#if !KMA_NODES
/* Shortcuts with keys in any order, in three blocks: sorted each, then merged. */
static void many_hints(uint total)
{
    make(0, MANY_HINTS, CAPACITY, MANY_HINTS);
    uint *hints = (uint *)list + list->index_at;
    const uint other = list->index_at + MANY_HINTS * HINT;
    for (uint i = 0; i < total; i++) {
        const KEY key = key_of(i * 7919u % 4001u);
        hints[i * HINT] = (uint)key;
        hints[i * HINT + KEY_WORDS - 1u] = (uint)(KEY_WORDS == 2u ? (ulong)key >> 32 : key);
        hints[i * HINT + KEY_WORDS] = (uint)key ^ 0x5aa5u;
    }
    list->hint_count = total + (total == MANY_HINTS ? 5u : 0u); /* more than there is room for */
    launch(sort, (MANY_HINTS + CLADE_LIST_BLOCK - 1) / CLADE_LIST_BLOCK * GROUP);
    expect(list->hint_count == total, "shortcuts that fit", list->hint_count, total);
    for (uint i = 1; i < total; i++)
        expect(i % CLADE_LIST_BLOCK == 0 ||
                   clade_list_hint_key(hints, i - 1u) < clade_list_hint_key(hints, i),
               "a block's order", i, total);
    job.from = list->index_at;
    job.to = other;
    job.run = CLADE_LIST_BLOCK;
    launch(merge, MANY_HINTS);
    hints = (uint *)list + other;
    for (uint i = 0; i < total; i++) {
        const KEY key = clade_list_hint_key(hints, i);
        expect(i == 0 || clade_list_hint_key(hints, i - 1u) < key, "the order when merged", i,
               total);
        expect(hints[i * HINT + KEY_WORDS] == ((uint)key ^ 0x5aa5u), "a shortcut's node", i, total);
    }
    for (uint i = other + total * HINT; i < list_words; i++)
        expect(words()[i] == GUARD, "written behind what is merged", i, total);
    end();
}

#endif

/* --- unordered -------------------------------------------------------------------------------- */

static bool is_in_sequence(uint k)
{
    for (uint i = 0; i < length; i++)
        if (sequence[i] == k)
            return true;
    return false;
}

static uint place_in_sequence(uint k)
{
    uint at = 0;
    while (at < length && sequence[at] != k)
        at++;
    return at;
}

static void put_in(uint at, uint k)
{
    for (uint i = length++; i > at; i--)
        sequence[i] = sequence[i - 1];
    sequence[at] = k;
}

static void take_out(uint at)
{
    length--;
    for (uint i = at; i < length; i++)
        sequence[i] = sequence[i + 1];
}

/* Numbers that are inside, and such that are not; how many of each. */
static void split(uint *inside, uint *outside, uint *ins, uint *outs)
{
    uint numbers[RANGE];
    shuffle(numbers);
    *ins = *outs = 0;
    for (uint i = 0; i < RANGE; i++)
        if (is_in_sequence(numbers[i]))
            inside[(*ins)++] = numbers[i];
        else
            outside[(*outs)++] = numbers[i];
}

/* Items that go on at once come to the front in any order. */
static void follow_front(uint count)
{
    clade_ref nodes[CAPACITY];
    const uint n = live_nodes(nodes);
    for (uint i = 0; GROUP > 1 && i < count && i < n; i++) {
        uint at = i;
        while (at < count && key_of(sequence[at]) != key_in(nodes[i]))
            at++;
        expect(at < count, "a node at the front", i, count);
        if (at < count) {
            const uint kept = sequence[at];
            sequence[at] = sequence[i];
            sequence[i] = kept;
        }
    }
}

/* `op` 99: others by turns, of nodes that differ. Every fifth is about a node that is not there. */
static void call_unordered(uint op, uint given, uint count)
{
    static const uint mixed[] = { CLADE_LIST_ERASE, CLADE_LIST_CONTAINS, CLADE_LIST_INSERT_AFTER };
    uint inside[RANGE], outside[RANGE], ins, outs, bad = RANGE;
    int wanted[CAPACITY];
    reclaim();
    split(inside, outside, &ins, &outs);
    if (op != CLADE_LIST_INSERT && count > ins)
        count = ins;
    given |= op == 99u;
    open_call(given, count);
    job.op = op == 99u ? 3u : op;
    for (uint i = 0; i < count; i++) {
        const uint what = op == 99u ? mixed[i % 3u] : op;
        const bool absent = i % 5u == 4u,
                   inserts = what == CLADE_LIST_INSERT || what == CLADE_LIST_INSERT_AFTER;
        const uint own = absent ? outside[outs - 1u - i] : inside[i], fresh = outside[i];
        if (given & 1u)
            job.ops[FIRST + i] = what;
        if (given & 2u)
            job.targets[FIRST - 2 + i] = key_of(own);
        job.keys[FIRST - 1 + i] = key_of(inserts ? fresh : own);
        wanted[i] = what == CLADE_LIST_INSERT || !absent ? CLADE_OK : CLADE_E_NOT_FOUND;
        if (what == CLADE_LIST_PUT || what == CLADE_LIST_FIND ||
            (what == CLADE_LIST_INSERT_AFTER && !(given & 2u))) {
            wanted[i] = CLADE_E_ARG;
            bad = bad == RANGE ? i : bad;
        } else if (what == CLADE_LIST_INSERT) {
            put_in(0, fresh);
        } else if (what == CLADE_LIST_INSERT_AFTER && !absent) {
            put_in(place_in_sequence(own) + 1u, fresh);
        } else if (what == CLADE_LIST_ERASE && !absent) {
            take_out(place_in_sequence(own));
        }
    }
    launch_rounds(1);
    for (uint i = 0; i < count; i++)
        expect_status(i, wanted[i]);
    if (GROUP == 1 || bad >= count)
        expect_note(bad, CLADE_E_ARG);
    if (op == CLADE_LIST_INSERT)
        follow_front(count);
    check_content("after a call");
    close_call();
}

/* Many at the front, in their order; `is_left`: the last launch never comes, and nothing is in. */
static void call_front(uint given, uint count, bool is_left)
{
    uint inside[RANGE], outside[RANGE], ins, outs, taken = 0;
    clade_ref nodes[CAPACITY];
    reclaim();
    split(inside, outside, &ins, &outs);
    const uint free_cells = list->free_count;
    uint fits = count < free_cells ? count : free_cells;
#if KMA_NODES
    refuse_every = given & 4u ? 3u : 0u; /* in between */
    asked = 0;
    fits -= refuse_every ? fits / 3u : 0u;
#endif
    open_call(given, count);
    for (uint i = 0; i < count; i++)
        job.keys[FIRST - 1 + i] = key_of(outside[i]);
    launch(front_fill, count);
#if KMA_NODES
    refuse_every = 0;
#endif
    launch(front_link, count);
    check_content("before the last launch");
    if (!is_left)
        launch(front_done, count);
    const uint n = live_nodes(nodes);
    expect(is_left || n == length + fits, "nodes at the front", n, length + fits);
    for (uint i = 0; i < count && !is_left; i++) {
        const bool is_in = taken < fits && taken < n && key_in(nodes[taken]) == key_of(outside[i]);
        if (given & 4u)
            expect_status(i, is_in ? CLADE_OK : CLADE_E_FULL);
        else if (list->object.first_error_item == i && fits < count)
            expect(!is_in, "who is said to be refused", i, count);
        if (is_in)
            put_in(taken++, outside[i]);
    }
    expect(is_left || taken == fits, "new nodes in their order", taken, fits);
    expect((int)list->object.first_error == (fits < count && !(given & 4u) ? CLADE_E_FULL : 0),
           "the first error", list->object.first_error, fits);
    check_content("many at the front");
    close_call();
    reclaim();
}

static void unordered(uint slots)
{
    static const uint counts[] = { 0, 1, GROUP - 1, GROUP, GROUP + 1, 20 };
    make(1, slots, CAPACITY, 0);
    for (uint round = 0; round < (KMA_NODES ? 2 : 3); round++) {
        for (uint i = 0; i < 6; i++) {
            const uint count = counts[i];
            call_unordered(CLADE_LIST_INSERT, i % 2 ? 12u : 4u, count);
            call_unordered(CLADE_LIST_INSERT_AFTER, 14u, count);
            call_unordered(99u, round % 2 ? 14u : 6u, length < 60 ? length : 60);
            call_unordered(CLADE_LIST_CONTAINS, 12u, count);
            call_unordered(CLADE_LIST_ERASE, 8u, count);
            call_unordered(CLADE_LIST_ERASE, 13u, length - length / 2u);
            call_front(i % 2 ? 4u : 0u, count, round == 1);
        }
        call_unordered(CLADE_LIST_INSERT_AFTER, 4u, 3);
        call_unordered(CLADE_LIST_INSERT_AFTER, 0u, 1);
        call_unordered(CLADE_LIST_PUT, 2u, 1);
        call_unordered(CLADE_LIST_FIND, 6u, 4);
        call_front(4u, CAPACITY - length + round, false);
        call_unordered(CLADE_LIST_ERASE, 4u, length);
        call_front(0u, CAPACITY + 1 + round, round == 2);
        call_unordered(CLADE_LIST_ERASE, 4u, length);
    }
    end();
}

int main(void)
{
    setbuf(stdout, NULL); /* what was wrong before a fault */
    random_state = shim_seed();
#if KMA_NODES
    make_allocator();
#endif
    ordered(HINTS);
    overfull(40);
#if KMA_NODES
    overfull(41);
#else
    ordered(0);
    many_hints(0);
    many_hints(1);
    many_hints(CLADE_LIST_BLOCK + 1);
    many_hints(MANY_HINTS);
    unordered(SLOTS);
#endif
    unordered(0);
#if KMA_NODES
    free(kma);
#endif
    printf("the lists' kernels: %u wrong\n", wrong);
    return wrong != 0;
}

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

#include "list/kernels_unordered.h"

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
    shuffle(numbers, RANGE);
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
        const bool comes_out = what == CLADE_LIST_ERASE || what == CLADE_LIST_FIND;
        if (given & 2u)
            expect(job.values[FIRST - 2 + i] == (status == CLADE_OK && comes_out ? got : value),
                   "a value", what, job.values[FIRST - 2 + i]);
    }
    if (op != CLADE_LIST_OP_COUNT || count == 1)
        expect_note(bad, CLADE_E_ARG);
    check_content("after a call");
    close_call();
}

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
    if (hints == 0) /* from the head to the end of a full list */
        call_ordered(CLADE_LIST_CONTAINS, 4u, RANGE, 1);
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

/* Of more nodes than shortcuts have room for. */
static void few_hints(void)
{
    make(0, 2, CAPACITY, HINTS);
    call_ordered(CLADE_LIST_INSERT, 4u, CAPACITY, CLADE_LIST_ROUND_FACTOR);
    reclaim();
    expect(list->hint_count == 2, "shortcuts that have room", list->hint_count, 2);
    call_ordered(CLADE_LIST_CONTAINS, 4u, 40, 1);
    end();
}

#if !KMA_NODES
/* Runs of erased nodes between live ones, which nobody has led past yet: of seven nodes `live`
 * stay. The word behind the cells looks like the link of an erased node, too, and is nobody's. */
static void runs_between(uint live, bool skips)
{
    clade_ref nodes[CAPACITY];
    uint numbers[RANGE];
    make(0, HINTS, CAPACITY, HINTS);
    call_ordered(CLADE_LIST_INSERT, 4u, CAPACITY, CLADE_LIST_ROUND_FACTOR);
    reclaim();
    uint *const behind = (uint *)list + list->free_at - 1u;
    const uint n = live_nodes(nodes);
    model_nodes(numbers);
    for (uint i = 0; i < n; i++)
        if (draw(7) >= live) {
            *clade_list_link(list, nodes[i]) |= CLADE_LIST_ERASED;
            is_inside[numbers[i]] = 0;
        }
    const uint guard = *behind = nodes[0] << CLADE_LIST_REF_SHIFT | CLADE_LIST_ERASED;
    if (skips)
        launch(skip, CAPACITY);
    for (uint i = 0; i < n && skips; i++) {
        const uint link = *clade_list_link(list, nodes[i]);
        const clade_ref next = link >> CLADE_LIST_REF_SHIFT;
        expect(!(link & CLADE_LIST_ERASED) || next == CLADE_NIL ||
                   !(*clade_list_link(list, next) & CLADE_LIST_ERASED),
               "an erased node that leads to another one", i, next);
    }
    expect(*behind == guard, "behind the cells", *behind, guard);
    *behind = GUARD;
    check_content("with erased nodes in the chain");
    launch(relink, CAPACITY + 1u);
    check_content("without erased nodes in the chain");
    reclaim();
    end();
}
#endif

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

int main(void)
{
    setbuf(stdout, NULL); /* what was wrong before a fault */
    random_state = shim_seed();
#if KMA_NODES
    make_allocator();
#endif
    ordered(HINTS);
    few_hints();
    overfull(40);
#if KMA_NODES
    overfull(41);
#else
    ordered(0);
    for (uint live = 0; live < 4; live++) {
        runs_between(live, false);
        runs_between(live, true);
    }
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

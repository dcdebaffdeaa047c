/* SPDX-License-Identifier: Apache-2.0 */
/* What the programs of the tree's kernels share: a tree of -DLEAF_KEYS= in a leaf, with an index or
 * not
 * (-DRANKED=), its model, and the arrays of a call, of exactly the size that is used. Include the
 * kernels first. */
#pragma once

#include "clade/shared/busy.h"
#include "edges/kernels.h"
#include "rbtree/rbtree_memory.h"

enum {
    KEYS = 150,
    LEAVES = 120 / LEAF_KEYS,
    ROOM = LEAVES * LEAF_KEYS,
    MOST = 200,
    FIRST = 8,
    GUARD = 0x5a5a5a5a
};
enum { VALUES = CLADE_RBTREE_GIVEN_VALUES, STATUSES = CLADE_RBTREE_GIVEN_STATUSES };

static clade_rbtree_head *tree;
static uint is_there[KEYS], value_of[KEYS], size; /* the model */
static clade_atomic_u32 *busy;
static struct call {
    uint mode, has, again, count, limit, stride, *keys, *values, *found, *highs, *counts, *ranks;
    int *statuses;
} call;

/* Ascending; neighbours among them, and both ends. */
static uint key_of(uint i)
{
    return i < 6 ? i : i >= KEYS - 4 ? 0xffffffffu - (KEYS - 1 - i) : i * 0x01000000u + i % 3u;
}

static void make(void)
{
    const size_t bytes = (rbtree_memory_bytes(LEAVES, LEAF_KEYS) + 127) / 128 * 128;
    tree = aligned_alloc(128, bytes);
    busy = room(CLADE_BUSY_WORDS * 4ul);
    if (!tree)
        exit(1);
    memset(tree, 0, bytes);
    rbtree_memory_make(tree, LEAVES, LEAF_KEYS);
    memset(is_there, 0, sizeof is_there);
    size = 0;
}

/* Entries from the least key on. */
static uint entries(uint *numbers)
{
    uint n = 0;
    for (uint i = 0; i < KEYS; i++)
        if (is_there[i])
            numbers[n++] = i;
    return n;
}

static void check_content(const char *when)
{
    expect(rbtree_memory_leaves(tree, LEAVES, LEAF_KEYS) > 0, when, size, 0);
    for (uint i = 0; i < KEYS; i++) {
        uint value = 0;
        const int status = clade_rbtree_find_wi(tree, key_of(i), &value);
        expect(status == (is_there[i] ? CLADE_OK : CLADE_E_NOT_FOUND) &&
                   (!is_there[i] || value == value_of[i]),
               when, i, value);
    }
}

static void open_call(uint has, uint count, uint found)
{
    call = (struct call) { .has = has, .count = count, .stride = 1 };
    call.keys = room(4ul * (FIRST + count));
    call.values = room(4ul * (FIRST - 1 + (has & VALUES ? found : 0)));
    call.statuses = room(4ul * (FIRST - 2 + (has & STATUSES ? count : 0)));
    call.found = room(4ul * (FIRST - 3 + found));
    call.highs = room(4ul * (FIRST - 4 + count));
    call.counts = room(4ul * (FIRST - 5 + count));
    call.ranks = room(4ul * (FIRST - 6 + count));
    clade_store_relaxed(&busy[CLADE_BUSY_COUNT], 0u);
    clade_store_relaxed(&busy[CLADE_BUSY_FULL], 0u);
    for (uint i = 0; i < found && has & VALUES; i++)
        call.values[FIRST - 1 + i] = 1000u + draw(1u << 20);
}

static void close_call(int error)
{
    expect((int)tree->object.first_error == error, "the first error", tree->object.first_error,
           (uint)error);
    tree->object.first_error = tree->object.first_error_item = 0;
    expect(call.keys[FIRST - 1] == GUARD && call.values[FIRST - 2] == GUARD &&
               call.statuses[FIRST - 3] == GUARD && call.found[FIRST - 4] == GUARD &&
               call.counts[FIRST - 6] == GUARD && call.ranks[FIRST - 7] == GUARD,
           "before an array", call.count, call.has);
    free(call.keys);
    free(call.values);
    free(call.statuses);
    free(call.found);
    free(call.highs);
    free(call.counts);
    free(call.ranks);
}

static void expect_status(uint i, int wanted, const char *what)
{
    if (call.has & STATUSES)
        expect(call.statuses[FIRST - 2 + i] == wanted, what, i, (uint)call.statuses[FIRST - 2 + i]);
}

static uint rank_in(uint k)
{
    uint rank = 0;
    for (uint i = 0; i < k; i++)
        rank += is_there[i];
    return rank;
}

static void call_ranks(void (*of_keys)(void *, void *), void (*of_ranks)(void *, void *), uint has)
{
    uint numbers[KEYS];
    const uint n = entries(numbers);
    open_call(has, KEYS, KEYS);
    for (uint i = 0; i < KEYS; i++)
        call.keys[FIRST + i] = key_of(i);
    launch(of_keys, KEYS);
    for (uint i = 0; i < KEYS; i++)
        expect(call.ranks[FIRST - 6 + i] == rank_in(i), "a rank", i, call.ranks[FIRST - 6 + i]);
    for (uint i = 0; i < KEYS; i++)
        call.ranks[FIRST - 6 + i] = i;
    launch(of_ranks, KEYS);
    for (uint i = 0; i < KEYS; i++) {
        expect_status(i, i < n ? CLADE_OK : CLADE_E_NOT_FOUND, "a select");
        expect(call.found[FIRST - 3 + i] == (i < n ? key_of(numbers[i]) : 0), "a selected key", i,
               n);
        if (has & VALUES)
            expect(call.values[FIRST - 1 + i] == (i < n ? value_of[numbers[i]] : 0),
                   "a selected value", i, n);
    }
    close_call(0);
}

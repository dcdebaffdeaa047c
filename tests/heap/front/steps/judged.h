/* SPDX-License-Identifier: Apache-2.0 */
/* Calls, each compared with the model, and the heap's counts and bytes after them. */
#pragma once

#include "heap/front/steps/call.h"

static uint word(uint at)
{
    return clade_load_relaxed((clade_front_words)heap + at);
}

static void set(uint at, uint value)
{
    clade_store_relaxed((clade_front_words)heap + at, value);
}

/* `may_fail`: memory is out, or somebody is in the way for ever. */
static void insert(uint n, bool may_fail)
{
    const uint before = size;
    call.first_id = next_id;
    for (uint i = 0; i < n; i++) {
        key_of_id[next_id] = call.keys[i];
        is_in[next_id++] = 1;
    }
    make(INSERT, n);
    if (before + n > capacity) {
        fulls++;
        expect(call.status == CLADE_E_FULL && call.taken == 0, "more than fits is taken", n,
               before);
        expect(call.left == n, "keys that stay out", call.left, n);
    } else if (!may_fail) {
        expect(call.status == CLADE_OK, "an insert is refused", (uint)-call.status, before);
    }
    expect(call.taken <= n && (call.status != CLADE_OK || call.taken == n), "taken", call.taken, n);
    inserts += call.status == CLADE_OK;
    refused += call.status != CLADE_OK;
    if (before + n <= capacity || call.status == CLADE_OK) {
        for (uint i = 0; i < n; i++)
            put(call.keys[i]);
        for (uint i = 0; i < call.left; i++)
            drop(call.out[i]);
    }
    for (uint i = 0; i < call.left; i++) {
        const bool all = before + n > capacity; /* told at once: in the caller's order */
        expect(i == 0 || all || call.out[i] >= call.out[i - 1], "what stays out does not ascend", i,
               n);
        if (HAS_VALUES) {
            const uint id = call.ids[i];
            expect(id >= call.first_id && id < next_id && is_in[id] && key_of_id[id] == call.out[i],
                   "a value that stays out", id, i);
            is_in[id % MOST] = 0;
        }
    }
}

static void pop(uint n, bool may_fail)
{
    const uint all = n < size ? n : size;
    const uint refills = word(CLADE_FRONT_S_REFILLS);
    const bool owns = clade_heap_front_left_of(word(CLADE_FRONT_W_WORD)) < n && size > 0;
    make(POP, n);
    expect(may_fail || word(CLADE_FRONT_S_REFILLS) == refills + owns, "refills", owns, step_at);
    if (CLADE_FRONT_PIECES > BATCH) /* not so many nearly empty leaves */
        expect(call.status == CLADE_OK || call.taken == 0, "a pop that gave up has keys",
               call.taken, step_at);
    expect(call.taken == all || (may_fail && call.status == CLADE_E_BUSY && call.taken < all),
           "as many keys as were popped", call.taken, all);
    expect(call.status == CLADE_OK || (may_fail && call.status == CLADE_E_BUSY), "a pop's status",
           (uint)-call.status, n);
    expect(call.taken == 0 || call.rank == popped, "a rank", (uint)call.rank, (uint)popped);
    for (uint i = 0; i < call.taken && i < all; i++) {
        const uint id = call.ids[i] % MOST;
        expect(call.out[i] == inside[i], "a key that was popped", (uint)call.out[i],
               (uint)inside[i]);
        if (HAS_VALUES) {
            expect(is_in[id] && key_of_id[id] == call.out[i], "a value that was popped", id, i);
            is_in[id] = 0;
        }
    }
    const uint gone = call.taken < all ? call.taken : all;
    memmove(inside, inside + gone, (size - gone) * sizeof *inside);
    size -= gone;
    popped += gone;
    pops++;
}

static image block_0[LEAF / CLADE_FRONT_BLOCKS]; /* its keys: noise that stays */
static uint own_fronts;                          /* of a world: shown by these spills */

/* The front keeps `keep` of its keys at most; with 0 no key at all is its own any more. An insert
 * whose keys lie at or below the bound does that: so there is one, and no leaf is frozen beyond it,
 * for an insert takes those over first. */
static void spill(uint keep, bool may_fail)
{
    if (word(CLADE_FRONT_W_IS_AHEAD) != 0 || word(CLADE_FRONT_W_BOUNDED) == 0)
        return;
    make(SPILL, keep);
    if (!may_fail)
        expect(call.status == CLADE_OK, "a spill is refused", (uint)-call.status, keep);
    own_fronts++;
    if (call.status == CLADE_OK) {
        expect(call.taken <= keep, "keys that a spill leaves", call.taken, keep);
        expect(keep > 0 || word(CLADE_FRONT_W_BOUNDED) == 0, "keys are still the front's", 0, 0);
    }
}

/* Nothing may be another byte afterwards. */
static void *kept;
static void keep(void)
{
    memcpy(kept, heap, host_front_bytes(capacity, LEAF));
}

static void expect_kept(const char *what)
{
    expect(memcmp(kept, heap, host_front_bytes(capacity, LEAF)) == 0, what, step_at, world_at);
}

static void look(void)
{
    keep();
    lanes_order_nothing(0); /* it is for a heap that nobody else works on */
    make(LOOK, 0);
    lanes_order_nothing(1);
    expect((call.taken != 0) == (size > 0), "whether there is a first key", call.taken, size);
    if (size > 0) {
        const uint id = call.ids[0] % MOST;
        expect(call.out[0] == inside[0], "the first key", (uint)call.out[0], (uint)inside[0]);
        expect(!HAS_VALUES || (is_in[id] && key_of_id[id] == call.out[0]), "its value", id, 0);
    }
    expect_kept("a look changed something");
}

/* At rest, with nothing hidden. */
static void check(void)
{
    const char *said = host_front_check(heap, capacity, LEAF, size);
    if (said)
        fprintf(stderr, "%s\n", said);
    expect(!said, "an invariant, after step", step_at, world_at);
    expect(host_front_is_left(heap), "an operation began and did not end, step", step_at, world_at);
    expect(word(CLADE_FRONT_S_INSERTS) == inserts, "inserts", word(CLADE_FRONT_S_INSERTS), inserts);
    expect(word(CLADE_FRONT_S_POPS) == pops, "pops", word(CLADE_FRONT_S_POPS), pops);
    expect(word(CLADE_FRONT_S_REFUSED) == refused, "refused", word(CLADE_FRONT_S_REFUSED), refused);
    expect(word(CLADE_FRONT_S_REFILLS) + word(CLADE_FRONT_S_MERGES) + own_fronts == fronts,
           "fronts", word(CLADE_FRONT_S_MERGES), fronts);
    expect(word(CLADE_FRONT_S_SPLITS) == moved, "splits", word(CLADE_FRONT_S_SPLITS), moved);
    expect(memcmp(block_0, clade_heap_front_open_wi(heap).keys, sizeof block_0) == 0,
           "block 0, which is none, was written to", step_at, world_at);
    expect(clade_heap_size_hint_wi(heap) == size, "size", (uint)clade_heap_size_hint_wi(heap),
           size);
    expect(clade_heap_popped_wi(heap) == popped, "popped", (uint)clade_heap_popped_wi(heap),
           (uint)popped);
}

/* Too many keys, and a heap of another shape. */
static void refusals(void)
{
    keep();
    make(INSERT, BATCH + 1);
    expect(call.status == CLADE_E_ARG && call.taken == 0, "an insert of too many", call.taken, 0);
    make(POP, BATCH + 1);
    expect(call.status == CLADE_E_ARG && call.taken == 0, "a pop of too many", call.taken, 0);
    ((clade_heap_head *)heap)->object.shape ^= 1u;
    make(INSERT, 1);
    expect(call.status == CLADE_E_ARG && call.taken == 0, "an insert, another shape", call.taken,
           0);
    make(POP, 1);
    expect(call.status == CLADE_E_ARG && call.taken == 0, "a pop, another shape", call.taken, 0);
    make(LOOK, 0);
    expect(call.taken == 0, "a look, another shape", 0, 0);
    expect(clade_heap_size_hint_wi(heap) == 0 && clade_heap_popped_wi(heap) == 0,
           "counts, another shape", 0, 0);
    ((clade_heap_head *)heap)->object.shape ^= 1u;
    expect_kept("a call that is refused changed something");
}

/* SPDX-License-Identifier: Apache-2.0 */
/* A group that waits for the front engine's front, a wait at a time, with runs that it has made:
 * for one of the few slots, for the front or for an owner who joins it to a round, for the outcome
 * of a round; and an owner that waits for members. Somebody else writes one word between two looks
 * at it, the first, the last of a wait, or one behind it. Of each wait the test knows the answer,
 * each word of the heap afterwards, and the group's own words. The number of keys that are inside
 * changes so, too, while a batch is counted in. */
#define CLADE_SPIN_LIMIT      400u /* more than it lingers */
#define CLADE_HEAP_BATCH      16
#define CLADE_HEAP_LEAF       256
#define CLADE_HEAP_KEY_TYPE   CLADE_U32
#define CLADE_HEAP_VALUE_TYPE CLADE_U32
#define CLADE_LOCAL_BYTES     65536
#include "host/device.h"

#include "clade/atomic.clh"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "heap/front/host_comes.h"

/* The number of keys, which is added to, or changed by compare-and-swap. */
static struct {
    clade_global_word word;
    uint added; /* how often it was added to */
} counted;

static clade_u32 watched_add(clade_global_word word, clade_u32 value)
{
    if (word == counted.word) {
        come_before(word);
        counted.added++;
    }
    return clade_add_relaxed(word, value);
}

static clade_u32 watched_count(clade_global_word word, clade_u32 was, clade_u32 value)
{
    come_before(word);
    return clade_cas_relaxed(word, was, value);
}
#define clade_add_relaxed(word, value)      watched_add(word, value)
#define clade_cas_relaxed(word, was, value) watched_count(word, was, value)

#define CLADE_HEAP_ENGINE CLADE_HEAP_FRONT
#include "clade/heap.clh"

#include "heap/front/host_front.h"
#include "heap/front/host_noted.h"
#include "heap/front/host_units.h"

enum {
    LIMIT = CLADE_SPIN_LIMIT,
    CAPACITY = 4096,
    BATCH = 16,
    SLOTS = CLADE_FRONT_SLOTS,
    BOUND = 1000,
    NUMBER = 77,
    KEYS = 5,  /* of the group's batch */
    TAG = 3,   /* of the front's epoch */
    LEFT = 40, /* keys that its front has left */

    FREE_WORD = TAG << CLADE_FRONT_TAG_SHIFT | CLADE_FRONT_GUARD | LEFT,
    OWNED_WORD = TAG << CLADE_FRONT_TAG_SHIFT | (1u << 24) | LEFT
};

/* No look, the first ones, and those about the end of a wait and of a second one, give or take a
 * look. */
static const uint few_looks[] = { 0, 1, 2, LIMIT - 1, LIMIT + 1, 2 * LIMIT - 1, 2 * LIMIT + 2 };
enum { FEW = sizeof few_looks / sizeof few_looks[0] };

static uint offered = 9;

static uint slot_at(uint slot)
{
    return CLADE_FRONT_W_SLOT + slot * CLADE_FRONT_LINE;
}

/* Somebody writes `value` when the group looks at `at` for the time after `looks` others. */
static void later(uint at, uint looks, uint word, uint value)
{
    comes.at = h.head + at;
    comes.word = h.head + word;
    comes.value = value;
    comes.looks = looks;
}

/* What somebody else has written is there, and the next wait begins with nobody. */
static void expect_who_came(void)
{
    if (comes.word && !comes.at)
        expected[comes.word - h.head] = comes.value;
    comes.at = comes.word = NULL;
}

/* --- before it waits ------------------------------------------------------------------------- */

/* A run that nobody knows: of the words that its unit had before these are others. */
static void expect_run(uint run, uint blocks, const uint *list)
{
    clade_front_words l = clade_heap_front_leaf(h, run);
    uint *line = expected + (l - h.head);
    expect(run != 0, "a run", run);
    line[CLADE_FRONT_L_STAMP]++;
    line[CLADE_FRONT_L_COUNT] = CLADE_FRONT_FROZEN;
    line[CLADE_FRONT_L_OWN] = 1;
    for (uint b = 0; b < CLADE_FRONT_BLOCKS; b++) {
        expect((list[b] != 0) == (b < blocks), "a block of a run", b);
        for (uint k = 0; k < b && list[b] != 0; k++)
            expect(list[k] != list[b], "a block twice", b);
        line[CLADE_FRONT_L_BLOCK + b] = list[b];
    }
    expect(memcmp(line, (void *)l, CLADE_FRONT_LINE * sizeof *line) == 0, "words of a run", run);
}

/* Runs are made, and given back: then no other word is another. */
static void make_runs(uint blocks, bool spare)
{
    uint list[CLADE_FRONT_BLOCKS];
    s->spare.run = 77;
    note();
    const uint run = clade_heap_front_make_run_wg(h, s, blocks, list, spare);
    expect_run(run, blocks, list);
    expect((s->spare.run != 0) == spare, "a spare run", s->spare.run);
    if (spare)
        expect_run(s->spare.run, CLADE_FRONT_BLOCKS, s->spare.block);
    clade_heap_front_free_run_wi(h, run);
    if (spare)
        clade_heap_front_free_run_wi(h, s->spare.run);
    memcpy(expected + CLADE_FRONT_W_HINT, (void *)(h.head + CLADE_FRONT_W_HINT),
           3 * sizeof *expected); /* where units came back last */
    expect_heap("words of runs", blocks);
}

/* --- for a slot ------------------------------------------------------------------------------ */

/* Where the bound lies: below the batch's first key, at it, above it; or nowhere. Whether leaves
 * are frozen ahead. Gives whether the batch is overtaken. */
static bool place_bound(uint where, uint ahead)
{
    s->keys[0] = where == 3 ? 0 : BOUND + 1 - where;
    set(CLADE_FRONT_W_BOUND, BOUND);
    set(CLADE_FRONT_W_BOUNDED, where != 3);
    set(CLADE_FRONT_W_IS_AHEAD, ahead);
    return !ahead && (where == 0 || where == 3);
}

/* The slots in the mask `free` are free. After `looks` at `at` another one is, or the batch is
 * overtaken. `first`: the slot that it takes, NONE, or OVERTAKEN. */
enum { NONE = SLOTS, OVERTAKEN };

static void queue(uint group, uint free, uint first)
{
    for (uint at = 0; at < SLOTS; at++)
        set(slot_at(at), free >> at & 1u ? CLADE_FRONT_SLOT_FREE : 1 + at % 7u);
    s->slot = 99;
    shim_self.group_id = group;
    note();
    const clade_i32 status = clade_heap_front_queue_wi(h, s);
    shim_self.group_id = 0;
    expect(status == (first == OVERTAKEN ? CLADE_FRONT_NOTHING
                      : first == NONE    ? CLADE_E_BUSY
                                         : CLADE_OK),
           "queued", first);
    expect(s->slot == (first < SLOTS ? first + 1 : 99), "its slot", first);
    expect_who_came();
    if (first < SLOTS)
        expected[slot_at(first)] = CLADE_FRONT_SLOT_TAKEN;
    expect_heap("words of who queues", first);
}

static void queues(void)
{
    for (uint where = 0; where < 4; where++)
        for (uint ahead = 0; ahead < 2; ahead++) {
            const bool overtaken = place_bound(where, ahead);
            queue(0, 0, overtaken ? OVERTAKEN : NONE);
            for (uint at = 0; at < SLOTS; at++) { /* it begins at one of these or between them */
                const uint group = 7 * at + 3 * where, far = (group + at) % SLOTS;
                queue(group, 1u << far | 1u << (group + SLOTS - 1) % SLOTS,
                      overtaken ? OVERTAKEN : far);
            }
            queue(SLOTS + 5, 1u << 4, overtaken ? OVERTAKEN : 4);
        }
    (void)place_bound(2, 0);
    for (uint at = 0; at < SLOTS; at++) /* it is looked at once, or again */
        for (uint looks = 0; looks < 3; looks++) {
            later(slot_at(at), looks, slot_at(at), CLADE_FRONT_SLOT_FREE);
            queue(3 * SLOTS, 0, looks * SLOTS + at < LIMIT ? at : NONE);
        }
    for (uint i = 0; i < FEW; i++) {
        const uint looks = few_looks[i];
        (void)place_bound(2, 0);
        later(CLADE_FRONT_W_BOUNDED, looks, CLADE_FRONT_W_BOUNDED, 0);
        queue(0, 0, looks < LIMIT ? OVERTAKEN : NONE);
        (void)place_bound(2, 0); /* it has its slot by then, and waits no more */
        later(CLADE_FRONT_W_BOUNDED, looks + 1, CLADE_FRONT_W_BOUNDED, 0);
        queue(0, 1u, 0);
        (void)place_bound(0, 1);
        later(CLADE_FRONT_W_IS_AHEAD, looks, CLADE_FRONT_W_IS_AHEAD, 0);
        queue(0, 0, looks < LIMIT ? OVERTAKEN : NONE);
    }
}

/* --- for the front or a round ---------------------------------------------------------------- */

enum { BY_NONE, BY_FRONT, BY_ROUND, BY_OTHERS };

/* `by`: what the wait ends by. */
static void await(uint state, uint word, uint usual, uint by)
{
    const uint at = (state * 5 + usual) % SLOTS;
    const bool gone = by == BY_NONE || by == BY_OTHERS;
    set(CLADE_FRONT_W_WORD, word);
    set(CLADE_FRONT_W_USUAL, usual);
    set(CLADE_FRONT_W_OFFERED, offered);
    set(slot_at(at), state);
    s->slot = at + 1;
    note();
    const clade_front_wait wait = clade_heap_front_await_wi(h, s);
    expect(wait.status == (by == BY_ROUND   ? CLADE_FRONT_NOTHING
                           : by == BY_FRONT ? CLADE_OK
                                            : CLADE_E_BUSY),
           "the end of a wait", by);
    expect(wait.overtaken == (by == BY_OTHERS), "overtaken", state);
    expect(wait.word == (by == BY_FRONT ? FREE_WORD : 0), "the front's word", wait.word);
    expect(wait.claimed == (gone && state == CLADE_FRONT_SLOT_CLAIMED), "claimed", state);
    expect_who_came();
    if (by == BY_FRONT) {
        expected[CLADE_FRONT_W_WORD] = OWNED_WORD;
    } else if (gone && state == CLADE_FRONT_SLOT_READY) {
        expected[slot_at(at)] = CLADE_FRONT_SLOT_TAKEN;
        expected[CLADE_FRONT_W_OFFERED] = offered - 1;
    } else if (gone) {
        expected[slot_at(at)] = CLADE_FRONT_SLOT_GONE;
    }
    expect_heap("words of who waits", by);
    set(slot_at(at), CLADE_FRONT_SLOT_FREE);
}

/* What comes after so many looks. */
static void await_later(uint state, uint looks)
{
    const uint at = slot_at(state * 5 % SLOTS);
    (void)place_bound(2, 0);
    later(at, looks, at, CLADE_FRONT_SLOT_JOINED);
    await(state, OWNED_WORD, 0, looks < LIMIT ? BY_ROUND : BY_NONE);
    later(CLADE_FRONT_W_BOUNDED, looks, at, CLADE_FRONT_SLOT_JOINED); /* after the slot's look */
    await(state, OWNED_WORD, 0, looks < LIMIT ? BY_ROUND : BY_NONE);
    later(CLADE_FRONT_W_WORD, looks, CLADE_FRONT_W_WORD, FREE_WORD);
    await(state, OWNED_WORD, 0, looks < LIMIT ? BY_FRONT : BY_NONE);
    later(CLADE_FRONT_W_BOUNDED, looks, CLADE_FRONT_W_BOUNDED, 0);
    await(state, OWNED_WORD, 0, looks < LIMIT ? BY_OTHERS : BY_NONE);
    (void)place_bound(0, 1);
    later(CLADE_FRONT_W_IS_AHEAD, looks, CLADE_FRONT_W_IS_AHEAD, 0);
    await(state, OWNED_WORD, 0, looks < LIMIT ? BY_OTHERS : BY_NONE);
}

/* How long it looks at a front that is free: until it takes that, somebody else may. */
static void lingers(void)
{
    (void)place_bound(2, 0);
    for (offered = 0; offered < 10; offered += 1 + offered / 2)
        for (uint usual = 0; usual < 7; usual++) {
            const bool waits = usual > CLADE_FRONT_FEW && usual > offered;
            const uint looks = waits ? usual * CLADE_FRONT_LINGER : 0;
            later(CLADE_FRONT_W_WORD, looks, CLADE_FRONT_W_WORD, OWNED_WORD);
            await(CLADE_FRONT_SLOT_READY, FREE_WORD, usual, BY_NONE);
            later(CLADE_FRONT_W_WORD, looks + 1, CLADE_FRONT_W_WORD, OWNED_WORD);
            await(CLADE_FRONT_SLOT_READY, FREE_WORD, usual, BY_FRONT);
        }
}

static void awaits(void)
{
    static const uint states[] = { CLADE_FRONT_SLOT_READY, CLADE_FRONT_SLOT_CLAIMED,
                                   CLADE_FRONT_SLOT_JOINED, CLADE_FRONT_SLOT_IN,
                                   CLADE_FRONT_SLOT_OUT };
    for (uint i = 0; i < 5 * 4 * 2 * 2; i++) {
        const uint state = states[i % 5], word = i / 40 ? FREE_WORD : OWNED_WORD;
        const bool overtaken = place_bound(i / 5 % 4, i / 20 % 2);
        const uint by = state >= CLADE_FRONT_SLOT_JOINED ? BY_ROUND
                        : overtaken                      ? BY_OTHERS
                        : word == FREE_WORD              ? BY_FRONT
                                                         : BY_NONE;
        /* Where more took part in the last round than wait now, it lingers. */
        for (uint usual = 0; usual < 3; usual++)
            await(state, word, usual ? offered - 1 + usual : 0, by);
    }
    for (uint i = 0; i < FEW; i++) {
        await_later(CLADE_FRONT_SLOT_READY, few_looks[i]);
        await_later(CLADE_FRONT_SLOT_CLAIMED, few_looks[i]);
    }
    lingers();
}

/* An insert whose slot an owner has claimed when its wait ends: the runs are the round's by then,
 * and no unit of them goes back. */
static void leave_claimed(bool dense)
{
    enum { BLOCKS = CLADE_FRONT_W_FREE, LEAVES = CLADE_FRONT_W_FREE + CLADE_FRONT_LINE };
    const clade_front_words slot = h.head + slot_at(0);
    (void)place_bound(2, 0);
    for (uint i = 0; i < KEYS; i++) {
        s->keys[i] = BOUND - KEYS + i;
        s->order[i] = (ushort)i;
    }
    set(CLADE_FRONT_W_WORD, OWNED_WORD);
    set(CLADE_FRONT_W_DENSE, dense);
    set(CLADE_FRONT_W_OFFERED, offered);
    note();
    later(slot_at(0), 3, slot_at(0), CLADE_FRONT_SLOT_CLAIMED);
    expect(clade_heap_front_front_insert_wg(h, s, KEYS) == CLADE_E_BUSY && s->taken == 0 &&
               s->slot == 0,
           "an insert that was claimed", dense);
    expect_who_came();
    expect(clade_load_relaxed(slot) == CLADE_FRONT_SLOT_GONE, "its slot", dense);
    expect(clade_load_relaxed(h.head + LEAVES) == expected[LEAVES] - 1 - dense &&
               clade_load_relaxed(h.head + BLOCKS) ==
                   expected[BLOCKS] - 1 - dense * CLADE_FRONT_BLOCKS,
           "units that are the round's", dense);
    clade_heap_front_unclaim_wi(h, 0, clade_load_relaxed(slot + CLADE_FRONT_SLOT_RUN),
                                clade_load_relaxed(slot + CLADE_FRONT_SLOT_SPARE));
    expect(clade_load_relaxed(slot) == CLADE_FRONT_SLOT_FREE, "a slot that nobody waits in", dense);
    expect(clade_load_relaxed(h.head + CLADE_FRONT_W_OFFERED) == offered, "who waits", dense);
    expect(clade_load_relaxed(h.head + LEAVES) == expected[LEAVES] &&
               clade_load_relaxed(h.head + BLOCKS) == expected[BLOCKS],
           "units of a round that came to nothing", dense);
    set(slot_at(0), CLADE_FRONT_SLOT_FREE);
    set(CLADE_FRONT_W_DENSE, 0);
    seen++;
}

/* --- for the leaf that takes another's place -------------------------------------------------- */

/* The batch's keys from i on belong to a leaf that is moving. After so many looks at the entry the
 * next leaf is there, of `full` keys; the keys are the front's when that is DRAINED. */
static void follow(uint looks, uint next, uint full)
{
    enum { LEAF = 5, AT = 300, I = 3 };
    const uint entry = (uint)(h.entries - h.head) + AT, count = next >> 1;
    const bool comes_early = looks < CLADE_FRONT_FOLLOWS, is_below = next == CLADE_FRONT_DRAINED;
    const bool gets = comes_early && !is_below && full < 256;
    clade_heap_front_leaf_init_wi(h, LEAF, AT, 0, BOUND, 256);
    clade_store_relaxed(clade_heap_front_leaf(h, LEAF) + CLADE_FRONT_L_COUNT,
                        256 | CLADE_FRONT_SPLIT);
    if (!is_below)
        clade_heap_front_leaf_init_wi(h, count, AT, 0, BOUND, full);
    set(entry, LEAF << 1);
    later(entry, looks, entry, next);
    s->each.append.ref[I] = LEAF << 1;
    clade_store_local(&s->each.append.nearest, 0u);
    note();
    const uint base = clade_heap_front_follow_wi(h, s, I, KEYS);
    expect(base == (gets                      ? full
                    : comes_early && is_below ? 0x80000000u + CLADE_FRONT_BELOW
                                              : 0x80000000u + CLADE_FRONT_AGAIN),
           "slots that it gets", base);
    expect(s->each.append.ref[I] == (comes_early && !is_below ? next : LEAF << 1), "its leaf",
           looks);
    expect(clade_load_local(&s->each.append.nearest) == 1, "others are told", looks);
    expect_who_came();
    if (gets)
        expected[clade_heap_front_leaf(h, count) + CLADE_FRONT_L_COUNT - h.head] += KEYS;
    expect_heap("words of who follows", looks);
}

static void follows(void)
{
    for (uint looks = 0; looks < 2 * CLADE_FRONT_FOLLOWS; looks += 1 + looks / 4) {
        follow(looks, 9 << 1, looks);
        follow(looks, 9 << 1, 256);
        follow(looks, CLADE_FRONT_DRAINED, 0);
    }
}

/* A leaf that is full enough for a batch of one key to be pushed onto its chain, and that batch. */
static void crowd(clade_front_words l)
{
    clade_store_relaxed(l + CLADE_FRONT_L_SHIFT, 0);
    clade_store_relaxed(l + CLADE_FRONT_L_COUNT, 200);
    for (uint i = 0; i < KEYS; i++) {
        s->keys[i] = BOUND;
        s->order[i] = (ushort)i;
    }
}

/* A batch of one key is to be pushed onto the chain of the key's leaf, which is closed between the
 * look at it and the push: nothing is, and each unit is back. `looks` 0: it is closed already. */
static void push_late(uint looks)
{
    const uint leaf = clade_heap_front_walk_wi(h, BOUND).ref >> 1;
    clade_front_words l = clade_heap_front_leaf(h, leaf);
    const uint chain = (uint)(l - h.head) + CLADE_FRONT_L_CHAIN;
    const uint shift = clade_load_relaxed(l + CLADE_FRONT_L_SHIFT);
    crowd(l);
    s->now.push.leaf = 0;
    note();
    later(chain, looks, chain, CLADE_FRONT_CLOSED);
    expect(!clade_heap_front_push_wg(h, s, KEYS), "a batch on a chain that is closed", looks);
    expect_who_came();
    expect((s->now.push.onto == leaf) == (looks > 0), "whether it was wanted", looks);
    if (looks > 0) {
        clade_front_words fresh = clade_heap_front_leaf(h, s->now.push.leaf);
        memcpy(expected + (fresh - h.head), (void *)fresh, CLADE_FRONT_LINE * sizeof *expected);
        memcpy(expected + CLADE_FRONT_W_HINT, (void *)(h.head + CLADE_FRONT_W_HINT),
               3 * sizeof *expected); /* where units came back last */
    }
    expect_heap("words of who pushes", looks);
    clade_store_relaxed(l + CLADE_FRONT_L_SHIFT, shift);
    clade_store_relaxed(l + CLADE_FRONT_L_COUNT, 0);
    set(chain, 0);
}

/* Another leaf comes onto the chain between the last look at it and the push, which is behind that
 * one then. */
static void push_again(void)
{
    enum { OTHER = 11 };
    const uint leaf = clade_heap_front_walk_wi(h, BOUND).ref >> 1;
    clade_front_words l = clade_heap_front_leaf(h, leaf);
    const uint chain = (uint)(l - h.head) + CLADE_FRONT_L_CHAIN;
    const uint shift = clade_load_relaxed(l + CLADE_FRONT_L_SHIFT);
    crowd(l);
    later(chain, 2, chain, OTHER);
    expect(clade_heap_front_push_wg(h, s, KEYS), "a push that another one overtakes", 0);
    expect(!comes.at, "nobody came: this test sees nothing", 0);
    const uint fresh = s->now.push.leaf;
    expect(clade_load_relaxed(h.head + chain) == fresh, "the leaf that was pushed", fresh);
    expect(clade_load_relaxed(clade_heap_front_leaf(h, fresh) + CLADE_FRONT_L_CHAIN) == OTHER,
           "the one behind it", fresh);
    comes.at = comes.word = NULL;
    clade_heap_front_free_run_wi(h, fresh);
    clade_store_relaxed(l + CLADE_FRONT_L_SHIFT, shift);
    clade_store_relaxed(l + CLADE_FRONT_L_COUNT, 0);
    set(chain, 0);
    seen++;
}

/* A front's owner chains a leaf, and another one comes onto the chain between its look and its
 * compare-and-swap: both are on it, and it is CLOSED if it was. */
static void chain_again(uint closed)
{
    enum { LEAF = 5, FRESH = 9, OTHER = 11, DEEPER = 13 };
    clade_front_words l = clade_heap_front_leaf(h, LEAF), fresh = clade_heap_front_leaf(h, FRESH);
    const uint chain = (uint)(l - h.head) + CLADE_FRONT_L_CHAIN;
    const uint had = clade_load_relaxed(l + CLADE_FRONT_L_CHAIN);
    const uint fresh_had = clade_load_relaxed(fresh + CLADE_FRONT_L_CHAIN);
    set(chain, DEEPER | closed);
    later(chain, 1, chain, OTHER | closed);
    clade_heap_front_chain_wi(l, fresh, FRESH);
    expect(!comes.at, "nobody came: this test sees nothing", closed);
    expect(clade_load_relaxed(l + CLADE_FRONT_L_CHAIN) == (FRESH | closed),
           "the leaf that was chained", closed);
    expect(clade_load_relaxed(fresh + CLADE_FRONT_L_CHAIN) == OTHER, "the one behind it", closed);
    comes.at = comes.word = NULL;
    set(chain, had);
    clade_store_relaxed(fresh + CLADE_FRONT_L_CHAIN, fresh_had);
    seen++;
}

/* --- for a block ----------------------------------------------------------------------------- */

/* A leaf has `given` blocks, and then `ended` places that say VOID; its block b is wanted, and
 * `units` are left. `other`: what somebody else puts where the first empty place was, at look
 * number `looks` at it; 0: nobody. */
static void give(uint given, uint ended, uint b, uint units, uint other, uint looks)
{
    enum { LEAF = 5, BLOCK = 256 / CLADE_FRONT_BLOCKS, TOKENS = CLADE_FRONT_W_FREE };
    const uint at = (uint)(clade_heap_front_leaf(h, LEAF) - h.head);
    const uint blocks = at + CLADE_FRONT_L_BLOCK;
    const bool sees = other != 0 && looks == 0 && b > given;
    uint mine[CLADE_FRONT_BLOCKS], fresh = 0;
    for (uint i = 0; i < CLADE_FRONT_BLOCKS; i++)
        set(blocks + i, i < given ? 700 + i : i < given + ended ? CLADE_FRONT_VOID : 0);
    note();
    if (other != 0)
        later(blocks + given, looks, blocks + given, other);
    const uint got = clade_heap_front_ensure_wi(h, LEAF, b);
    expect(!comes.at, "nobody came: this test sees nothing", b);
    expect_who_came();
    for (uint i = min(b, given + ended + sees); i <= b; i++) {
        uint *word = expected + blocks + i;
        if (*word == 0 && ((i > 0 && word[-1] == CLADE_FRONT_VOID) || fresh == units)) {
            *word = CLADE_FRONT_VOID;
        } else if (*word == 0) {
            *word = mine[fresh++] = clade_load_relaxed(h.head + blocks + i);
            expect(*word != 0 && *word != CLADE_FRONT_VOID, "a block that is there to have", i);
            for (uint k = 0; k + 1 < fresh; k++)
                expect(mine[k] != *word, "a block twice", i);
        }
        if (*word == CLADE_FRONT_VOID)
            expected[at + CLADE_FRONT_L_LIMIT] = min(expected[at + CLADE_FRONT_L_LIMIT], i * BLOCK);
    }
    expect(got == expected[blocks + b], "the block that was wanted", b);
    expect(clade_load_relaxed(h.head + TOKENS) == expected[TOKENS] - fresh, "units that are left",
           b);
    for (uint i = 0; i < fresh && wrong == 0; i++)
        clade_front_free_wi(h.head, CLADE_FRONT_POOL_BLOCKS, mine[i]);
    memcpy(expected + CLADE_FRONT_W_HINT, (void *)(h.head + CLADE_FRONT_W_HINT),
           3 * sizeof *expected); /* where units came back last */
    expect_heap("words of a leaf and its blocks", b);
    for (uint i = 0; i < CLADE_FRONT_BLOCKS; i++)
        set(blocks + i, 0);
    set(at + CLADE_FRONT_L_LIMIT, 256);
}

static void gives(void)
{
    static const uint left[] = { 0, 1, 3, 20 }, before[] = { 0, 1, 2, 5, 15, 16 };
    for (uint u = 0; u < 4; u++) {
        const host_units hidden = host_units_hide((void *)h.head, CLADE_FRONT_POOL_BLOCKS, left[u]);
        for (uint i = 0; i < 6 * CLADE_FRONT_BLOCKS; i++) {
            const uint given = before[i % 6], b = i / 6;
            for (uint ended = 0; ended < 4 && given + ended <= CLADE_FRONT_BLOCKS; ended++)
                give(given, ended, b, left[u], 0, 0);
            for (uint looks = 0; given <= b && looks <= (b > given); looks++) {
                give(given, 0, b, left[u], 777, looks);
                give(given, 0, b, left[u], CLADE_FRONT_VOID, looks);
            }
        }
        host_units_show((void *)h.head, CLADE_FRONT_POOL_BLOCKS, hidden);
    }
}

/* --- for a leaf that is full ------------------------------------------------------------------ */

enum { FULL = 250, SPLITS = 5 }; /* the limit of leaf SPLITS, a leaf that ended early */

/* A group begins to split leaf SPLITS, whose words are the caller's. `keys`: how many it is told to
 * move, 0 for none. Its count is `count` then. */
static void split_begins(uint keys, uint count, const char *what)
{
    uint *line = expected + (clade_heap_front_leaf(h, SPLITS) - h.head);
    note();
    const clade_front_locked full = clade_heap_front_split_begin_wi(h, SPLITS);
    expect(!comes.at, "nobody came: this test sees nothing", count);
    expect_who_came();
    expect(full.leaf == (keys ? SPLITS : 0), what, count);
    expect(!keys || full.keys == keys, "keys of a leaf that is split", full.keys);
    line[CLADE_FRONT_L_COUNT] = count | (keys ? CLADE_FRONT_SPLIT : 0);
    line[CLADE_FRONT_L_LOCK] += keys != 0;
    expect_heap(what, count);
}

static clade_front_words full_leaf(uint shift, uint count, uint done)
{
    clade_front_words l = clade_heap_front_leaf(h, SPLITS);
    clade_heap_front_leaf_init_wi(h, SPLITS, 300, shift, BOUND, 0);
    clade_store_relaxed(l + CLADE_FRONT_L_LOCK, 0);
    clade_store_relaxed(l + CLADE_FRONT_L_LIMIT, FULL);
    clade_store_relaxed(l + CLADE_FRONT_L_COUNT, count);
    clade_store_relaxed(l + CLADE_FRONT_L_DONE, done);
    clade_store_relaxed(l + CLADE_FRONT_L_BLOCK, 9);
    return l;
}

/* Before it looks at the count, or between that and its compare-and-swap, somebody asks for a slot
 * in vain, freezes the leaf, or puts another one in its place. */
static void split_again(void)
{
    static const uint counts[] = { FULL - 1,
                                   FULL,
                                   FULL + 3,
                                   FULL | CLADE_FRONT_FROZEN,
                                   FULL | CLADE_FRONT_SPLIT,
                                   FULL | CLADE_FRONT_BEHIND };
    for (uint i = 0; i < 6; i++) {
        const uint count = (uint)(full_leaf(8, counts[i], FULL) - h.head) + CLADE_FRONT_L_COUNT;
        split_begins(i == 1 || i == 2 ? FULL : 0, counts[i], "a leaf to split");
        for (uint looks = 0; looks < 2; looks++) {
            (void)full_leaf(8, FULL, FULL);
            later(count, looks, count, counts[i]);
            split_begins(i == 1 || i == 2 ? FULL : 0, counts[i], "a leaf whose count has changed");
        }
    }
    clade_store_relaxed(full_leaf(8, FULL, FULL) + CLADE_FRONT_L_LOCK, 1);
    split_begins(0, FULL, "a leaf that is locked");
}

/* After so many looks at its limit all of its keys are there, or it turns out to end before. Who
 * takes a leaf of one key, which has a block, does not wait for them. */
static void split_waits(void)
{
    static const uint blocks[] = { 0, CLADE_FRONT_VOID };
    for (uint i = 0; i < FEW && few_looks[i] < LIMIT; i++) {
        const uint leaf = (uint)(full_leaf(8, FULL, FULL - 1) - h.head);
        const uint limit = leaf + CLADE_FRONT_L_LIMIT;
        later(limit, 1 + few_looks[i], leaf + CLADE_FRONT_L_DONE, FULL);
        split_begins(FULL, FULL, "a leaf whose keys come late");
        (void)full_leaf(8, FULL, FULL - 1);
        later(limit, 1 + few_looks[i], limit, FULL - 1);
        split_begins(FULL - 1, FULL, "a leaf that ends before");
    }
    (void)full_leaf(8, FULL, FULL - 1);
    split_begins(0, FULL, "a leaf whose keys do not come");
    (void)full_leaf(0, FULL, FULL - 1);
    split_begins(1, FULL, "a leaf of one key");
    for (uint i = 0; i < 2; i++) {
        clade_front_words l = full_leaf(0, FULL, FULL - 1);
        clade_store_relaxed(l + CLADE_FRONT_L_BLOCK, blocks[i]);
        split_begins(0, FULL, "a leaf of one key without a block");
    }
}

/* --- owning ---------------------------------------------------------------------------------- */

/* An owner finds `ahead` leaves frozen beyond the bound, of a key each, and its list has room for
 * `room` of them: it takes as many, in their order, and is not at work while others are left. */
static void catch_up(uint room, uint ahead)
{
    const clade_heap_front_heap kept = h;
    const uint taken = min(room, ahead), had = CLADE_FRONT_PIECES - room;
    h = clade_heap_front_open_wi(host_front_new(CAPACITY, 16, 256));
    for (uint i = 0; i < 16; i++)
        clade_heap_set_wi(s, i, i << 28 | i, i);
    expect(clade_heap_insert_wg((void *)h.head, s, 16) == CLADE_OK, "keys for leaves ahead", room);
    s->epoch = clade_front_enter_wi(h.head);
    if (ahead > 0)
        clade_heap_front_set_ahead_wi(h, (ahead << 28) - 1);
    s->front.ahead = ahead > 0;
    s->front.bounded = 0;
    s->list.pieces = s->list.total = had;
    for (uint p = 0; p < had; p++)
        s->list.end[p] = p + 1;
    expect(clade_heap_front_catch_up_wg(h, s) == (ahead > room ? CLADE_E_BUSY : CLADE_OK),
           "an owner that catches up", room);
    expect(s->list.pieces == had + taken && s->list.total == had + taken, "pieces taken over",
           room);
    for (uint i = 0; i < taken; i++)
        expect(s->list.end[had + i] == had + i + 1 &&
                   clade_heap_front_key_at(h, clade_heap_front_slot_at(h, s->list.run[had + i],
                                                                       s->list.start[had + i])) ==
                       (i << 28 | i),
               "a piece that was ahead", i);
    expect((clade_load_relaxed(h.head + CLADE_FRONT_W_IS_AHEAD) != 0) == (ahead > room),
           "leaves that are ahead still", room);
    expect(s->front.bounded == (taken > 0) && (taken == 0 || s->front.bound == (taken << 28) - 1),
           "the bound", room);
    free((void *)h.head);
    h = kept;
    seen++;
}

/* The group has the front. Of the next epoch's descriptor a reader is done after so many looks. */
static void own(uint state, uint looks, uint popped, uint busy)
{
    const uint at = 4, next = (uint)(h.epochs - h.head) + (TAG + 1) * CLADE_FRONT_E_WORDS;
    const uint epoch = (uint)(h.epochs - h.head) + TAG * CLADE_FRONT_E_WORDS, untouched = 7;
    const bool waits = looks >= LIMIT;
    (void)place_bound(2, busy);
    set(CLADE_FRONT_W_WORD, OWNED_WORD);
    set(CLADE_FRONT_W_OFFERED, offered);
    set(CLADE_FRONT_W_ROUND, NUMBER << 2 | CLADE_FRONT_ROUND_COMMITTED);
    set(CLADE_FRONT_W_ROUND_LEFT, busy);
    set(CLADE_FRONT_W_UNTOUCHED, untouched);
    set(epoch + CLADE_FRONT_E_COUNT, LEFT + popped);
    set(epoch + CLADE_FRONT_E_PIECES, 6);
    set(next + CLADE_FRONT_E_COUNT, 20);
    set(next + CLADE_FRONT_E_COPIED, 19);
    later(next + CLADE_FRONT_E_COPIED, looks, next + CLADE_FRONT_E_COPIED, 20);
    set(slot_at(at), state);
    s->slot = at + 1;
    note();
    const bool ready = state == CLADE_FRONT_SLOT_READY;
    const clade_i32 status = clade_heap_front_own_wi(h, s, FREE_WORD);
    expect(status == (!ready  ? CLADE_FRONT_NOTHING
                      : waits ? CLADE_E_BUSY
                              : CLADE_OK),
           "owning", state);
    expect_who_came();
    if (ready)
        expected[slot_at(at)] = CLADE_FRONT_SLOT_TAKEN;
    if (ready && waits)
        expected[CLADE_FRONT_W_OFFERED] = offered - 1;
    if (status != CLADE_OK)
        expected[CLADE_FRONT_W_WORD] = FREE_WORD;
    expected[CLADE_FRONT_W_UNTOUCHED] = popped ? 0 : untouched + 1;
    expect_heap("words of an owner", state);
    expect(s->front.keys == LEFT + popped && s->front.pieces == 6 && s->front.ahead == busy &&
               s->front.bound == BOUND && s->front.bounded == 1 && s->front.alone == (busy != 0) &&
               s->front.round == NUMBER,
           "what an owner knows", state);
    set(slot_at(at), CLADE_FRONT_SLOT_FREE);
    set(next + CLADE_FRONT_E_COPIED, 20);
    set(CLADE_FRONT_W_ROUND_LEFT, 0);
}

/* No pop has come for so many front inserts: when that is long, and that it stays within the word.
 */
static void grow(uint untouched)
{
    const uint epoch = (uint)(h.epochs - h.head) + TAG * CLADE_FRONT_E_WORDS;
    const uint now = untouched < 0xffff ? untouched + 1 : 0xffff;
    set(CLADE_FRONT_W_UNTOUCHED, untouched);
    set(epoch + CLADE_FRONT_E_COUNT, LEFT);
    set(slot_at(0), CLADE_FRONT_SLOT_READY);
    s->slot = 1;
    expect(clade_heap_front_own_wi(h, s, FREE_WORD) == CLADE_OK, "owning", untouched);
    expect(clade_load_relaxed(h.head + CLADE_FRONT_W_UNTOUCHED) == now, "untouched", untouched);
    expect(s->front.grows == (now >= CLADE_FRONT_GROWING), "grows", untouched);
    set(slot_at(0), CLADE_FRONT_SLOT_FREE);
}

/* --- the number of keys ---------------------------------------------------------------------- */

/* A batch of n keys, one of so many groups', is counted in at `size`. Before the first step that
 * changes the number another one's keys come, or go: then it is `now`. Where not every group has
 * room for some batches nothing is added that may be too much, for others would be refused. */
static void count_in(uint groups, uint n, uint size, uint now)
{
    const bool far = size + 4 * groups * BATCH < CAPACITY;
    const bool tries = far || size + n <= CAPACITY, in = tries && now + n <= CAPACITY;
    shim_self.groups = groups;
    set(CLADE_FRONT_W_SIZE, size);
    later(CLADE_FRONT_W_SIZE, 1, CLADE_FRONT_W_SIZE, now);
    counted.word = h.head + CLADE_FRONT_W_SIZE;
    counted.added = 0;
    note();
    expect(clade_heap_front_enter_size_wi(h, n) == in, "counted in", now);
    expect(far || counted.added == 0, "added where that may be too much", size);
    counted.word = comes.at = comes.word = NULL;
    shim_self.groups = 1;
    expected[CLADE_FRONT_W_SIZE] = (tries ? now : size) + (in ? n : 0);
    expect_heap("words of a count", now);
}

static void count_all(void)
{
    static const uint many[] = { 1, 5, 70 }; /* of the last there is never room enough */
    for (uint g = 0; g < 3; g++)
        for (uint n = 0; n <= BATCH; n += 4) {
            const uint near = 4 * many[g] * BATCH;
            const uint sizes[] = { 0,
                                   CAPACITY - near - 1,
                                   CAPACITY - near + 1,
                                   CAPACITY - n - 1,
                                   CAPACITY - n,
                                   CAPACITY - n + 1 };
            for (uint i = 0; i < 6; i++)
                for (uint k = 0; k < 4 && sizes[i] <= CAPACITY; k++)
                    count_in(many[g], n, sizes[i], k < 3 ? CAPACITY - n + k - 1 : sizes[i]);
        }
    set(CLADE_FRONT_W_SIZE, 0);
}

/* --- rounds ---------------------------------------------------------------------------------- */

/* A member has done its part of round NUMBER, whose word is `phase`. After so many looks at its
 * slot that is `state`. Only while the round is whole it waits for twice as many. */
static void learn(uint state, uint looks, uint phase)
{
    const uint at = 6, broken = NUMBER << 2 | CLADE_FRONT_ROUND_BROKEN;
    const bool is_open = phase == (NUMBER << 2 | CLADE_FRONT_ROUND_OPEN);
    const bool breaks = looks >= LIMIT && (is_open || phase == broken);
    const bool gives_up = breaks || looks >= 2 * LIMIT;
    const bool in = gives_up ? !breaks : state == CLADE_FRONT_SLOT_IN;
    set(CLADE_FRONT_W_ROUND, phase);
    set(slot_at(at), CLADE_FRONT_SLOT_JOINED);
    later(slot_at(at), looks, slot_at(at), state);
    s->slot = at + 1;
    s->taken = 0;
    s->now.round.number = NUMBER;
    s->batch.left = 0;
    s->spare.run = 17;
    s->spare.blocks = CLADE_FRONT_BLOCKS;
    s->spare.used = 0;
    note();
    const clade_i32 status = clade_heap_front_outcome_wi(h, s, KEYS);
    expect(status == (gives_up ? CLADE_E_BUSY : CLADE_OK), "the outcome", phase);
    expect(s->taken == (in ? KEYS : 0), "keys that are in", phase);
    expect(s->slot == (gives_up ? 0 : at + 1), "whose slot it is", phase);
    expect(s->batch.left == !in && s->spare.run == (in ? 17 : 0) &&
               s->spare.used == (in ? 0 : CLADE_FRONT_BLOCKS),
           "whose runs they are", phase);
    expect_who_came();
    if (gives_up)
        expected[slot_at(at)] = CLADE_FRONT_SLOT_GONE;
    if (breaks)
        expected[CLADE_FRONT_W_ROUND] = broken;
    if (in)
        expected[CLADE_FRONT_S_JOINED]++;
    expect_heap("words of a member", phase);
    set(slot_at(at), CLADE_FRONT_SLOT_FREE);
}

/* The owner of round NUMBER, of which `left` parts are not done, and after so many looks only its
 * own. */
static void commit(uint left, uint looks, uint phase)
{
    const bool is_open = phase == (NUMBER << 2 | CLADE_FRONT_ROUND_OPEN);
    const bool whole = left == 2 || looks < LIMIT;
    set(CLADE_FRONT_W_ROUND, phase);
    set(CLADE_FRONT_W_ROUND_LEFT, left);
    later(CLADE_FRONT_W_ROUND_LEFT, looks, CLADE_FRONT_W_ROUND_LEFT, 2);
    s->now.round.number = NUMBER;
    note();
    expect(clade_heap_front_commit_round_wi(h, s) == (is_open && whole), "committed", left);
    expect_who_came();
    if (is_open)
        expected[CLADE_FRONT_W_ROUND] =
            NUMBER << 2 | (whole ? CLADE_FRONT_ROUND_COMMITTED : CLADE_FRONT_ROUND_BROKEN);
    if (is_open && whole)
        expected[CLADE_FRONT_W_ROUND_LEFT] = 0;
    expect_heap("words of a round's owner", left);
    set(CLADE_FRONT_W_ROUND_LEFT, 0);
}

static void rounds(void)
{
    for (uint phase = NUMBER << 2; phase < (NUMBER + 2) << 2; phase++)
        for (uint i = 0; i < FEW; i++) {
            for (uint left = 1; left < 5; left++)
                commit(left, few_looks[i], phase);
            if ((phase & 3u) == 0)
                continue;
            learn(CLADE_FRONT_SLOT_IN, few_looks[i], phase);
            learn(CLADE_FRONT_SLOT_OUT, few_looks[i], phase);
        }
}

static void wait_for_everything(void *argument, void *local)
{
    (void)argument;
    s = local;
    h = clade_heap_front_open_wi(host_front_new(CAPACITY, 16, 256));
    bytes = host_front_head_bytes(CAPACITY, 256);
    expected = malloc(bytes);
    if (!expected)
        exit(1);
    for (uint i = 0; i < 2 * CLADE_FRONT_BLOCKS; i++)
        make_runs(1 + i / 2, i % 2);
    queues();
    awaits();
    for (uint state = CLADE_FRONT_SLOT_READY; state <= CLADE_FRONT_SLOT_OUT; state++)
        for (uint i = 0; i < 4 * FEW; i++)
            own(state, few_looks[i / 4], i % 2 * 3, i / 2 % 2);
    for (uint i = 0; i < 4; i++) {
        grow(CLADE_FRONT_GROWING - 3 + i);
        grow(0xfffd + i);
    }
    count_all();
    rounds();
    gives();
    for (uint i = 0; i < 25; i++)
        catch_up(i / 5, i % 5);
    leave_claimed(false);
    leave_claimed(true);
    follows();
    split_again();
    split_waits();
    push_late(0);
    push_late(1);
    push_again();
    chain_again(0);
    chain_again(CLADE_FRONT_CLOSED);
    free(expected);
    free((void *)h.head);
}

int main(void)
{
    alarm(100);
    shim_launch(wait_for_everything, NULL, 1, 1, sizeof(clade_heap_scratch));
    printf("%u waits, %u wrong\n", seen, wrong);
    return wrong != 0;
}

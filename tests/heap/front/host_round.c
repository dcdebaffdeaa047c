/* SPDX-License-Identifier: Apache-2.0 */
/* The front engine's rounds, a step alone. An owner claims all who wait, as many as a round has
 * room for, and leaves those waiting who have a key above the bound. A model says whether there is
 * a round then, and its plan; without one all wait on. What the owner writes when it opens a round
 * is its plan, word for word, and that is what each member reads; members that wait still are
 * joined, and each that is gone breaks the round and takes its part off it. */
#define CLADE_HEAP_BATCH      16
#define CLADE_HEAP_LEAF       256
#define CLADE_HEAP_KEY_TYPE   CLADE_U32
#define CLADE_HEAP_VALUE_TYPE CLADE_U32
#define CLADE_LOCAL_BYTES     65536
#include "host/device.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define CLADE_HEAP_ENGINE CLADE_HEAP_FRONT
#include "clade/heap.clh"

#include "heap/front/host_front.h"
#include "heap/front/host_units.h"

enum { CAPACITY = 1 << 14, MEMBERS = 5, RUNS = 7, WORD = 0x1357, LEFT = 11 };

static uint wrong;

static void expect(bool good, const char *what, uint at)
{
    if (!good && wrong++ < 8)
        fprintf(stderr, "%s %u\n", what, at);
}

/* What a member reads of a plan of that many members, in the place of noise, and no more; of the
 * owner's list LEFT keys are not handed out. */
static void join_round(clade_heap_front_heap h, __local clade_heap_scratch *s, uint members,
                       uint me, uint number, bool is_open)
{
    static clade_heap_front_round read;
    clade_front_words plan = h.head + CLADE_FRONT_W_PLAN;
    memset(&read, 0x5a, sizeof read);
    memset(&s->now, 0x5a, sizeof s->now);
    s->slot = members - me + 1;
    clade_heap_front_load_plan_wg(h, s);
    expect(clade_heap_front_load_blocks_wg(h, s) == is_open, "whether a round is open", number);
    read.number = number;
    read.members = members;
    read.me = me;
    read.word = WORD;
    read.pieces = 3;
    read.at = 100 - LEFT;
    read.left = LEFT;
    read.from = 21;
    read.old = 22;
    read.sum = 23;
    read.runs = RUNS;
    for (uint r = 0; r < CLADE_FRONT_OUTS; r++)
        read.run[r] = r < RUNS ? 300 + r : clade_load_relaxed(plan + CLADE_FRONT_P_OUTS + 1 + r);
    for (uint t = 0; t < RUNS * CLADE_FRONT_BLOCKS; t++)
        read.block[t] = 1000 + t;
    read.sooner[0] = 0;
    for (uint m = 0; m < CLADE_FRONT_MEMBERS; m++) {
        read.member[m] = (clade_front_member) { 50 + m, 60 + m, 70 + m, members - m };
        if (m >= members)
            memcpy(read.member + m, (void *)(plan + CLADE_FRONT_P_MEMBER + 4 * m),
                   sizeof read.member[m]);
        for (uint b = 0; b < CLADE_FRONT_RUN_BLOCKS && m < members; b++)
            read.batch[m * CLADE_FRONT_RUN_BLOCKS + b] = 2000 + m * 100 + b;
        if (m < members)
            read.sooner[m + 1] = read.sooner[m] + 50 + m;
    }
    read.slots =
        (ulong)256 / CLADE_FRONT_BLOCKS * ((const uint *)(void *)h.head)[CLADE_FRONT_C_COUNT];
    expect(memcmp(&read, &s->now.round, sizeof read) == 0, "what a member reads", me);
}

/* The blocks of the runs of a plan; and what an earlier plan has left in the words of members. */
static void place_blocks(clade_heap_front_heap h)
{
    for (uint m = 0; m < 4 * CLADE_FRONT_MEMBERS; m++)
        clade_store_relaxed(h.head + CLADE_FRONT_W_PLAN + CLADE_FRONT_P_MEMBER + m, 7);
    for (uint t = 0; t < RUNS * CLADE_FRONT_BLOCKS; t++)
        clade_store_relaxed(clade_heap_front_leaf(h, 300 + t / CLADE_FRONT_BLOCKS) +
                                CLADE_FRONT_L_BLOCK + t % CLADE_FRONT_BLOCKS,
                            1000 + t);
    for (uint m = 0; m < MEMBERS; m++)
        for (uint b = 0; b < CLADE_FRONT_BLOCKS; b++)
            clade_store_relaxed(clade_heap_front_leaf(h, 60 + m) + CLADE_FRONT_L_BLOCK + b,
                                2000 + m * 100 + b);
}

/* So many members, of which those in the mask `gone` wait no more. */
static void open_round(clade_heap_front_heap h, __local clade_heap_scratch *s, uint members,
                       uint gone)
{
    clade_front_words plan = h.head + CLADE_FRONT_W_PLAN;
    uint lost = 0;
    s->front.round = 40 + gone;
    s->front.pieces = 3;
    s->front.keys = 100;
    s->now.round.members = members;
    s->now.round.runs = RUNS;
    s->now.round.from = 21;
    s->now.round.old = 22;
    s->now.round.sum = 23;
    s->now.round.extra = 24;
    s->now.round.me = 99;
    for (uint r = 0; r < RUNS; r++)
        s->now.round.run[r] = 300 + r;
    for (uint m = 0; m < members; m++) {
        s->now.round.member[m] = (clade_front_member) {
            .keys = 50 + m, .run = 60 + m, .spare = 70 + m, .slot = members - m
        };
        clade_store_relaxed(clade_heap_front_slot(h, members - m),
                            gone >> m & 1u ? CLADE_FRONT_SLOT_GONE : CLADE_FRONT_SLOT_CLAIMED);
        lost += m > 0 ? gone >> m & 1u : 0;
    }
    clade_heap_front_open_round_wg(h, s, WORD, LEFT);
    const uint number = 41 + gone;
    const uint words[] = { number, members, WORD, 3, 100 - LEFT, LEFT, 21, 22, 23, RUNS };
    for (uint i = 0; i < sizeof words / sizeof *words; i++)
        expect(clade_load_relaxed(plan + i) == words[i], "a word of the plan", i);
    for (uint r = 0; r < RUNS; r++)
        expect(clade_load_relaxed(plan + CLADE_FRONT_P_OUTS + 1 + r) == 300 + r, "a run", r);
    expect(clade_load_relaxed(plan + CLADE_FRONT_P_EXTRA) == 24, "runs of no member", 24);
    for (uint m = 0; m < members; m++) {
        const clade_front_member member = clade_heap_front_read_member_wi(plan, m);
        const uint state = clade_load_relaxed(clade_heap_front_slot(h, members - m));
        expect(member.keys == 50 + m && member.run == 60 + m && member.spare == 70 + m &&
                   member.slot == members - m,
               "a member", m);
        expect(state == (gone >> m & 1u ? CLADE_FRONT_SLOT_GONE
                         : m > 0        ? CLADE_FRONT_SLOT_JOINED
                                        : CLADE_FRONT_SLOT_CLAIMED), /* the owner's own */
               "a member's slot", m);
    }
    expect(s->now.round.number == number && s->now.round.me == 0, "the owner's number", number);
    expect(clade_load_relaxed(h.head + CLADE_FRONT_W_ROUND) ==
               (number << 2 | (lost ? CLADE_FRONT_ROUND_BROKEN : CLADE_FRONT_ROUND_OPEN)),
           "open, or broken", gone);
    expect(clade_load_relaxed(h.head + CLADE_FRONT_W_ROUND_LEFT) == members + 1 - lost,
           "parts that are left", gone);
    for (uint me = 0; me < members; me++)
        join_round(h, s, members, me, number, lost == 0);
}

/* Slots with numbers in the mask `ready` wait, those in `high` with a key above the bound; the
 * owner has slot `own`. */
static void claim(clade_heap_front_heap h, __local clade_heap_scratch *s, uint own, uint ready,
                  uint high, uint n)
{
    enum { BOUND = 1000 };
    const uint most = CLADE_FRONT_MEMBERS - 1u;
    uint members = 1, keys = n, tried = 0;
    s->slot = own + 1;
    s->batch.run = 7;
    s->spare.run = 8;
    s->front.bound = BOUND;
    s->keys[n - 1] = 900;
    s->keys[0] = 3;
    for (uint at = 0; at < CLADE_FRONT_SLOTS; at++) {
        clade_front_words slot = clade_heap_front_slot(h, at);
        clade_store_relaxed(slot + CLADE_FRONT_SLOT_RUN, 100 + at);
        clade_store_relaxed(slot + CLADE_FRONT_SLOT_SPARE, 200 + at);
        clade_store_relaxed(slot + CLADE_FRONT_SLOT_COUNT, 1 + at % 16);
        clade_store_relaxed(slot + CLADE_FRONT_SLOT_LEAST, 10 + at);
        clade_store_relaxed(slot + CLADE_FRONT_SLOT_MOST, BOUND + (high >> at & 1u));
        clade_store_relaxed(slot, at == own          ? CLADE_FRONT_SLOT_TAKEN
                                  : ready >> at & 1u ? CLADE_FRONT_SLOT_READY
                                                     : at % 2u * CLADE_FRONT_SLOT_TAKEN);
    }
    clade_heap_front_claim_wg(h, s, n);
    clade_heap_front_round *round = &s->now.round;
    expect(round->member[0].keys == n && round->member[0].run == 7 && round->member[0].spare == 8 &&
               round->member[0].slot == own && round->least[0] == 3 &&
               round->most[0] == (n > 1 ? 900 : 3),
           "the owner as a member, of", ready);
    for (uint at = 0; at < CLADE_FRONT_SLOTS; at++) {
        const uint state = clade_load_relaxed(clade_heap_front_slot(h, at));
        const bool waits = at != own && ready >> at & 1u, wanted = waits && tried < most;
        tried += waits;
        if (!wanted || high >> at & 1u) {
            expect(state == (waits ? CLADE_FRONT_SLOT_READY
                                   : (at == own || at % 2u) * CLADE_FRONT_SLOT_TAKEN),
                   "a slot that is not claimed", at);
            continue;
        }
        const clade_front_member *member = round->member + members;
        expect(state == CLADE_FRONT_SLOT_CLAIMED, "a slot that waits is not claimed", at);
        expect(member->keys == 1 + at % 16 && member->run == 100 + at &&
                   member->spare == 200 + at && member->slot == at &&
                   round->least[members] == 10 + at && round->most[members] == BOUND,
               "a member that was claimed", at);
        members++;
        keys += 1 + at % 16;
    }
    expect(clade_load_local(&round->claimed) == members, "members", members);
    expect(clade_load_local(&round->keys) == keys, "keys of the members", keys);
    for (uint at = 0; at < CLADE_FRONT_SLOTS; at++)
        clade_store_relaxed(clade_heap_front_slot(h, at), CLADE_FRONT_SLOT_FREE);
}

static void claims(clade_heap_front_heap h, __local clade_heap_scratch *s)
{
    uint random = 1;
    claim(h, s, 0, 0, 0, 1);
    claim(h, s, 23, 0xffffffu, 0, 16);
    claim(h, s, 5, 0xffffffu, 0xffffffu, 16);
    for (uint t = 0; t < 60; t++) {
        random = random * 1664525u + 1013904223u;
        const uint ready = random >> 8;
        random = random * 1664525u + 1013904223u;
        claim(h, s, t % CLADE_FRONT_SLOTS, t % 2u ? ready : ready & random >> 8,
              random >> 4 & random >> 7 & ready, 1 + t % 16);
    }
}

/* A list as it was, a new one in its place, and what is noted of the old runs. Of words of lists
 * beyond their pieces nothing is asked. */
static void lists(__local clade_heap_scratch *s)
{
    for (uint pieces = 0; pieces <= CLADE_FRONT_PIECES; pieces += 1 + pieces / 3) {
        for (uint p = 0; p < CLADE_FRONT_PIECES; p++) {
            s->list.run[p] = 100 + p;
            s->list.start[p] = 3 * p;
            s->list.end[p] = 7 * p + 9;
        }
        s->list.pieces = pieces;
        s->list.total = 5 * pieces + 1;
        memset(&s->next, 0x5a, sizeof s->next);
        clade_heap_front_keep_wg(s);
        for (uint p = 0; p < CLADE_FRONT_PIECES; p++)
            expect(s->next.run[p] == 100 + p, "a run that is kept", p);
        memset(&s->next, 0x5a, sizeof s->next);
        expect(clade_heap_front_stay_wg(s) == 0, "keys that are in a list that stays", pieces);
        for (uint turn = 0; turn < 2; turn++) { /* in the next list; and in the list again */
            const clade_front_list *list = turn ? &s->list : &s->next;
            for (uint p = 0; p < pieces; p++)
                expect(list->run[p] == 100 + p && list->start[p] == 3 * p &&
                           list->end[p] == 7 * p + 9,
                       "a piece that stays", p);
            expect(list->pieces == pieces && list->total == 5 * pieces + 1, "a list that stays",
                   turn);
            if (turn)
                break;
            for (uint p = 0; p < CLADE_FRONT_PIECES; p++)
                s->list.run[p] = 900 + p;
            s->list.pieces = s->list.total = 0;
            clade_heap_front_turn_wg(s);
            for (uint p = 0; p < CLADE_FRONT_PIECES; p++)
                expect(s->next.run[p] == 900 + p, "an old run", p);
        }
    }
}

/* --- whether there is a round ----------------------------------------------------------------- */

enum { RUN = 400, BLOCK = 256 / CLADE_FRONT_BLOCKS, HIGHEST = 1000 }; /* the pieces' runs */

/* An owner's front, and who waits. */
typedef struct shape {
    uint pieces, length; /* of the front, each of so many keys, and GAP values wide */
    uint more;           /* keys that its count has and no piece */
    uint ready, spares;  /* masks of slots: who waits; who has a spare run */
    uint least, most;    /* the owner's key, and all others */
    bool grows;          /* the front only grows */
    uint short_of;       /* 1: one run's blocks are not there; 2: its leaf is not; 0: all is */
} shape;

enum { GAP = 5 };

/* A front in pieces: piece p has keys from p * GAP to p * GAP + GAP - 1. */
static void make_front(clade_heap_front_heap h, __local clade_heap_scratch *s, const shape *c)
{
    s->list.pieces = c->pieces;
    s->list.total = c->pieces * c->length + c->more;
    for (uint p = 0; p < c->pieces; p++) {
        const uint start = p % 7;
        s->list.run[p] = RUN + p;
        s->list.start[p] = start;
        s->list.end[p] = (p + 1) * c->length;
        for (uint b = 0; b < CLADE_FRONT_BLOCKS; b++)
            clade_store_relaxed(clade_heap_front_leaf(h, RUN + p) + CLADE_FRONT_L_BLOCK + b,
                                1 + p * CLADE_FRONT_BLOCKS + b);
        const size_t at = (size_t)(1 + p * CLADE_FRONT_BLOCKS) * BLOCK + start;
        for (uint i = 0; i < c->length; i++)
            h.keys[at + i] = p * GAP + (i + 1 == c->length ? GAP - 1 : 0);
    }
}

/* What a plan says, and whether there is one. */
static bool expected_plan(const shape *c, uint members, uint count, const uint *spares, uint have,
                          clade_heap_front_round *to)
{
    const uint total = c->pieces * c->length + c->more;
    uint before = 0, after = 0;
    for (uint p = 0; p < c->pieces && total > 256; p++) {
        const uint last = p * GAP + GAP - 1, first = c->length > 1 ? p * GAP : last;
        before += last <= c->least;
        after += last > c->least && first >= c->most;
    }
    to->from = before * c->length;
    to->old = (c->pieces - before - after) * c->length;
    to->sum = to->old + count;
    to->runs = (to->sum + 255) / 256;
    to->extra = to->runs > have ? to->runs - have : 0;
    for (uint r = 0; r < have; r++)
        to->run[r] = spares[r];
    return members > 1 && to->runs <= CLADE_FRONT_OUTS && (!c->grows || total + count <= 512) &&
           before + to->runs + after <= CLADE_FRONT_PIECES &&
           total + count <= CLADE_FRONT_LEFT_MAX / 2 && (to->extra == 0 || !c->short_of);
}

/* A round that was opened is as planned; runs that no member had are units of the pools. */
static void expect_round(clade_heap_front_heap h, const clade_heap_front_round *planned,
                         uint members, const uint *slots)
{
    const clade_front_words plan = h.head + CLADE_FRONT_W_PLAN;
    const uint words[] = { 6,
                           members,
                           WORD,
                           3,
                           100 - LEFT,
                           LEFT,
                           planned->from,
                           planned->old,
                           planned->sum,
                           planned->runs };
    for (uint i = 0; i < sizeof words / sizeof *words; i++)
        expect(clade_load_relaxed(plan + i) == words[i], "a word of a plan", i);
    expect(clade_load_relaxed(plan + CLADE_FRONT_P_EXTRA) == planned->extra, "extra runs",
           planned->extra);
    for (uint r = 0; r < planned->runs; r++) {
        const uint run = clade_load_relaxed(plan + CLADE_FRONT_P_OUTS + 1 + r);
        if (r < planned->runs - planned->extra) {
            expect(run == planned->run[r], "a spare run that is filled", r);
            continue;
        }
        const clade_front_words l = clade_heap_front_leaf(h, run);
        expect(run != 0 && clade_load_relaxed(l + CLADE_FRONT_L_OWN) == 1, "a run that is made", r);
        for (uint b = 0; b < CLADE_FRONT_BLOCKS; b++)
            expect(clade_load_relaxed(l + CLADE_FRONT_L_BLOCK + b) != 0, "its blocks", b);
        clade_heap_front_free_run_wi(h, run);
    }
    for (uint m = 0; m < members; m++) {
        const clade_front_member member = clade_heap_front_read_member_wi(plan, m);
        expect(member.slot == slots[m], "a member's slot in a plan", m);
    }
    expect(clade_load_relaxed(h.head + CLADE_FRONT_W_ROUND) == (6 << 2 | CLADE_FRONT_ROUND_OPEN) &&
               clade_load_relaxed(h.head + CLADE_FRONT_W_ROUND_LEFT) == members + 1,
           "a round that is open", members);
}

/* Those who wait become a round with the owner, who has slot 0 and one key, or wait on. */
static uint gather(clade_heap_front_heap h, __local clade_heap_scratch *s, const shape *c)
{
    enum { OFFERED = 50 };
    static clade_heap_front_round planned;
    static uint before[CLADE_FRONT_HEAD_WORDS];
    uint slots[CLADE_FRONT_MEMBERS] = { 0 }, spares[CLADE_FRONT_MEMBERS], members = 1, have = 0;
    uint others = 99, count = 1;
    const uint pool = c->short_of == 2 ? CLADE_FRONT_POOL_LEAVES : CLADE_FRONT_POOL_BLOCKS;
    host_units hidden = { 0 };
    if (c->short_of)
        hidden =
            host_units_hide((void *)h.head, pool, c->short_of == 2 ? 0 : CLADE_FRONT_BLOCKS - 1);
    s->slot = 1;
    s->batch.run = 7;
    s->spare.run = c->spares & 1u ? 8 : 0;
    s->front.bound = HIGHEST;
    s->front.grows = c->grows;
    s->front.round = 5;
    s->front.pieces = 3;
    s->front.keys = 100;
    s->keys[0] = c->least;
    if (c->spares & 1u)
        spares[have++] = 8;
    for (uint at = 0; at < CLADE_FRONT_SLOTS; at++) {
        const bool waits = at > 0 && c->ready >> at & 1u;
        clade_front_words slot = clade_heap_front_slot(h, at);
        clade_store_relaxed(slot + CLADE_FRONT_SLOT_RUN, 100 + at);
        clade_store_relaxed(slot + CLADE_FRONT_SLOT_SPARE, c->spares >> at & 1u ? 200 + at : 0);
        clade_store_relaxed(slot + CLADE_FRONT_SLOT_COUNT, 1 + at % 16);
        clade_store_relaxed(slot + CLADE_FRONT_SLOT_LEAST, c->most);
        clade_store_relaxed(slot + CLADE_FRONT_SLOT_MOST, c->most);
        clade_store_relaxed(slot, waits     ? CLADE_FRONT_SLOT_READY
                                  : at == 0 ? CLADE_FRONT_SLOT_TAKEN
                                            : CLADE_FRONT_SLOT_FREE);
        if (!waits || members == CLADE_FRONT_MEMBERS)
            continue;
        slots[members++] = at;
        count += 1 + at % 16;
        if (c->spares >> at & 1u && have < CLADE_FRONT_OUTS)
            spares[have++] = 200 + at;
    }
    make_front(h, s, c);
    clade_store_relaxed(h.head + CLADE_FRONT_W_OFFERED, OFFERED);
    clade_store_relaxed(h.head + CLADE_FRONT_W_USUAL, 99);
    clade_store_relaxed(h.head + CLADE_FRONT_W_ROUND, 5 << 2 | CLADE_FRONT_ROUND_COMMITTED);
    clade_store_relaxed(h.head + CLADE_FRONT_W_ROUND_LEFT, 0);
    memcpy(before, (void *)h.head, sizeof before);
    shape own = *c;
    own.most = members > 1 ? c->most : c->least;
    const bool good = expected_plan(&own, members, count, spares, have, &planned);
    expect(clade_heap_front_gather_wg(h, s, 1, WORD, LEFT, &others) == good, "whether a round is",
           good);
    expect(others == members, "how many it had or would have had", others);
    expect(clade_load_relaxed(h.head + CLADE_FRONT_W_OFFERED) == OFFERED - (good ? members : 1),
           "how many wait", members);
    expect(clade_load_relaxed(h.head + CLADE_FRONT_W_USUAL) == (c->grows ? 1 : members),
           "how many are usual", members);
    for (uint at = 0, m = 1; at < CLADE_FRONT_SLOTS; at++) {
        const bool is_member = m < members && slots[m] == at;
        m += is_member;
        expect(clade_load_relaxed(clade_heap_front_slot(h, at)) ==
                   (at == 0               ? CLADE_FRONT_SLOT_TAKEN
                    : is_member && good   ? CLADE_FRONT_SLOT_JOINED
                    : c->ready >> at & 1u ? CLADE_FRONT_SLOT_READY
                                          : CLADE_FRONT_SLOT_FREE),
               "a slot afterwards", at);
        clade_store_relaxed(clade_heap_front_slot(h, at), CLADE_FRONT_SLOT_FREE);
    }
    if (good) {
        expect_round(h, &planned, members, slots);
    } else {
        before[CLADE_FRONT_W_OFFERED] = OFFERED - 1;
        before[CLADE_FRONT_W_USUAL] = c->grows ? 1 : members;
        for (uint at = 1; at < CLADE_FRONT_SLOTS; at++) /* these are free again */
            before[CLADE_FRONT_W_SLOT + at * CLADE_FRONT_LINE] = CLADE_FRONT_SLOT_FREE;
        before[CLADE_FRONT_W_SLOT] = CLADE_FRONT_SLOT_FREE;
        expect(memcmp(before, (void *)h.head, sizeof before) == 0, "words without a round",
               members);
    }
    if (c->short_of)
        host_units_show((void *)h.head, pool, hidden);
    return good;
}

/* Each reason against a round by itself, and the last front or batch before it is one; then many by
 * chance. */
static void gathers(clade_heap_front_heap h, __local clade_heap_scratch *s)
{
    enum { TWO = 3, ALL = 0xffffff };
    uint good = 0, all = 0, random = 1;
    /* Two members have 1 + 2 keys. */
    const shape known[] = {
        { .pieces = 3, .length = 5, .ready = 0 }, /* nobody waits */
        { .pieces = 3, .length = 5, .ready = TWO, .spares = TWO },
        { .pieces = 16, .length = 253, .ready = TWO, .spares = ALL, .most = 900 },
        { .pieces = 17, .length = 241, .ready = TWO, .spares = ALL, .most = 900 },
        { .pieces = 17, .length = 240, .ready = TWO, .spares = 1, .most = 900 },
        { .pieces = 1, .length = 244, .ready = TWO, .spares = ALL, .more = 265, .grows = 1 },
        { .pieces = 1, .length = 244, .ready = TWO, .spares = ALL, .more = 266, .grows = 1 },
        { .pieces = 1, .length = 244, .ready = TWO, .spares = ALL, .more = 266 },
        { .pieces = 160, .length = 2, .ready = TWO, .spares = ALL, .least = 7, .most = 8 },
        { .pieces = 160, .length = 2, .ready = TWO, .spares = ALL, .least = 4, .most = 5 },
        { .pieces = 159, .length = 2, .ready = TWO, .spares = ALL, .least = 4, .most = 5 },
        { .pieces = 2, .length = 9, .ready = TWO, .spares = ALL, .more = (1u << 21) - 21 },
        { .pieces = 2, .length = 9, .ready = TWO, .spares = ALL, .more = (1u << 21) - 20 },
        { .pieces = 4, .length = 200, .ready = TWO, .spares = 1, .most = 900 },
        { .pieces = 4, .length = 200, .ready = TWO, .spares = 1, .most = 900, .short_of = 1 },
        { .pieces = 4, .length = 200, .ready = ALL, .spares = ALL, .most = 900, .short_of = 1 },
        { .pieces = 4, .length = 200, .ready = TWO, .spares = 1, .most = 900, .short_of = 2 },
        { .pieces = 4, .length = 200, .ready = ALL, .spares = TWO, .most = 900, .short_of = 2 },
        { .pieces = 2, .length = 128, .ready = TWO, .spares = ALL, .least = 1, .most = 2 },
        { .pieces = 2, .length = 129, .ready = TWO, .spares = ALL, .least = 1, .most = 2 },
    };
    static const char is_round[] = "01101101101101010011";
    for (uint i = 0; i < sizeof known / sizeof *known; i++)
        expect(gather(h, s, known + i) == (is_round[i] == '1'), "a round or none", i);
    for (uint t = 0; t < 300; t++) {
        uint r[8];
        for (uint i = 0; i < 8; i++) {
            random = random * 1664525u + 1013904223u;
            r[i] = random >> 8;
        }
        const shape c = { .pieces = t % 4 ? r[0] % 40 : r[0] % (CLADE_FRONT_PIECES + 1),
                          .length = 1 + (t % 3 ? r[1] % 30 : r[1] % 240),
                          .ready = t % 5 ? r[2] : r[2] & r[3],
                          .grows = t % 7 == 0,
                          .least = r[4] % 200,
                          .most = r[4] % 200 + r[5] % (1 + t),
                          .spares = t % 2 ? r[6] : r[6] & r[7] & r[0] >> 3,
                          .short_of = t % 11 < 3 ? t % 11 : 0 };
        good += gather(h, s, &c);
        all++;
    }
    expect(good > all / 4 && good < all, "rounds of many, by chance", good);
}

static void rounds(void *argument, void *local)
{
    void *heap = host_front_new(CAPACITY, 16, 256);
    (void)argument;
    if (!heap)
        exit(1);
    const clade_heap_front_heap h = clade_heap_front_open_wi(heap);
    lists(local);
    claims(h, local);
    gathers(h, local);
    place_blocks(h);
    for (uint members = 1; members <= MEMBERS; members++)
        for (uint gone = 0; gone < 1u << members; gone += 2) /* the first is the owner's */
            open_round(h, local, members, gone);
    free(heap);
}

int main(void)
{
    alarm(100);
    host_front_value_type = CLADE_U32;
    shim_launch(rounds, NULL, 1, 1, sizeof(clade_heap_scratch));
    printf("%u wrong\n", wrong);
    return wrong != 0;
}

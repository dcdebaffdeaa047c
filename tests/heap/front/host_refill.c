/* SPDX-License-Identifier: Apache-2.0 */
/* The front engine's owner takes over leaves, a step alone: a leaf by force, a leaf of a chain, the
 * ring's leaves as they are looked at and judged. Somebody else writes one word between two looks
 * at it: the first ones, the last of a wait, or one behind it. Of each step a model knows the
 * answer and each word of the heap afterwards. */
#define CLADE_SPIN_LIMIT      40u
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

static clade_u32 watched_acquire(clade_global_word word)
{
    come_before(word);
    return clade_load_acquire(word);
}
#define clade_load_acquire(word) watched_acquire(word)

#define CLADE_HEAP_ENGINE CLADE_HEAP_FRONT
#include "clade/heap.clh"

#include "heap/front/host_front.h"
#include "heap/front/host_noted.h"

enum { LIMIT = CLADE_SPIN_LIMIT, CAPACITY = 4096, LEAF = 5, UP = 300, LOW = 0x300 };
#define LAST_KEY 0xffffffffu
static const uint flags[] = { 0, CLADE_FRONT_FROZEN, CLADE_FRONT_SPLIT, CLADE_FRONT_BEHIND };

static uint word(uint at)
{
    return clade_load_relaxed(h.head + at);
}

/* Somebody writes `value` to `at` before the group looks at `looked_at` for the time after `looks`
 * others. */
static void later(clade_front_words looked_at, uint looks, clade_front_words at, uint value)
{
    comes.at = looked_at;
    comes.word = at;
    comes.value = value;
    comes.looks = looks;
}

/* --- what is frozen ahead --------------------------------------------------------------------- */

static void ahead(void)
{
    enum { KEY = 50 };
    for (uint i = 0; i < 6; i++) {
        const uint was = i / 3, most = KEY - 1 + i % 3;
        set(CLADE_FRONT_W_IS_AHEAD, was);
        set(CLADE_FRONT_W_AHEAD, most);
        note();
        clade_heap_front_set_ahead_wi(h, KEY);
        expected[CLADE_FRONT_W_IS_AHEAD] = 1;
        expected[CLADE_FRONT_W_AHEAD] = was && most > KEY ? most : KEY;
        expect_heap("leaves are frozen up to a key", i);
    }
    set(CLADE_FRONT_W_IS_AHEAD, 0);
}

/* --- a leaf by force -------------------------------------------------------------------------- */

typedef struct leaf {
    uint shift, count, limit, done, sorted;
} leaf;

static clade_front_words place(leaf now)
{
    clade_front_words l = clade_heap_front_leaf(h, LEAF);
    clade_heap_front_leaf_init_wi(h, LEAF, UP, now.shift, LOW, 0);
    clade_heap_front_opened_wi(h, LEAF, now.shift);
    clade_store_relaxed(l + CLADE_FRONT_L_COUNT, now.count);
    clade_store_relaxed(l + CLADE_FRONT_L_LIMIT, now.limit);
    clade_store_relaxed(l + CLADE_FRONT_L_DONE, now.done);
    clade_store_relaxed(l + CLADE_FRONT_L_SORTED, now.sorted);
    return l;
}

/* The leaf that was placed is forced; it is `then` when its owner goes on, and locked, unless its
 * keys or its lock did not come. */
static void force(leaf then, bool comes_true, const char *what)
{
    uint *line = expected + (clade_heap_front_leaf(h, LEAF) - h.head);
    const bool waits = comes.at != NULL;
    const uint keys = min(then.count & CLADE_FRONT_COUNT_MASK, then.limit);
    const bool moving = then.count & CLADE_FRONT_ELSEWHERE;
    note();
    const clade_front_forced forced = clade_heap_front_force_begin_wi(h, LEAF);
    expect(!waits || !comes.at || !comes_true, "nobody came: this test sees nothing", then.count);
    comes.at = NULL;
    expect(forced.status == (moving       ? CLADE_FRONT_NOTHING
                             : comes_true ? CLADE_OK
                                          : CLADE_E_BUSY),
           what, then.count);
    if (forced.status == CLADE_OK)
        expect(forced.keys == keys &&
                   (forced.unsorted != 0) == (then.sorted != keys && then.shift != 0),
               what, forced.keys);
    line[CLADE_FRONT_L_COUNT] = then.count | (moving ? 0 : CLADE_FRONT_FROZEN);
    line[CLADE_FRONT_L_LIMIT] = then.limit;
    line[CLADE_FRONT_L_DONE] = then.done;
    if (!moving && comes_true)
        line[CLADE_FRONT_L_LOCK] = 1;
    expect_heap(what, then.count);
}

static void forces(void)
{
    static const uint counts[] = { 0, 1, 7, 256, 260 }, limits[] = { 0, 5, 256 };
    static const uint shifts[] = { 0, 1, 8 };
    for (uint i = 0; i < 5 * 4 * 3 * 3 * 3; i++) {
        leaf now = { shifts[i % 3], counts[i / 3 % 5] | flags[i / 15 % 4], limits[i / 60 % 3], 0,
                     0 };
        const uint keys = min(now.count & CLADE_FRONT_COUNT_MASK, now.limit);
        now.done = keys;
        now.sorted = keys + i / 180 - 1;
        (void)place(now);
        force(now, true, "a leaf that is forced");
        now.done = keys + 1;
        (void)place(now);
        force(now, false, "a leaf whose keys do not come");
    }
}

/* Its count has changed before the owner looks at it, or between that and its compare-and-swap. */
static void force_again(void)
{
    for (uint looks = 0; looks < 2; looks++)
        for (uint f = 0; f < 4; f++) {
            leaf now = { 8, 7, 256, 9, 0 };
            clade_front_words l = place(now);
            now.count = 9 | flags[f];
            later(l + CLADE_FRONT_L_COUNT, looks, l + CLADE_FRONT_L_COUNT, now.count);
            force(now, true, "a leaf whose count has changed");
        }
}

/* It is locked, or some keys are missing, for so many looks. A leaf that was frozen before has too
 * many for so long; by one's own count one goes. */
static void force_waits(void)
{
    static const uint few_looks[] = { 0, 1, 2, LIMIT - 1, LIMIT };
    for (uint i = 0; i < 5; i++) {
        const uint looks = few_looks[i];
        const bool in_time = looks < LIMIT;
        leaf now = { 8, 7, 256, 7, 0 };
        clade_front_words l = place(now);
        clade_store_relaxed(l + CLADE_FRONT_L_LOCK, 1u);
        later(l + CLADE_FRONT_L_LOCK, looks, l + CLADE_FRONT_L_LOCK, 0u);
        force(now, in_time, "a leaf that is locked");
        clade_store_relaxed(l + CLADE_FRONT_L_LOCK, 0u);

        now.done = in_time ? 7 : 6;
        l = place((leaf) { 8, 7, 256, 6, 0 });
        later(l + CLADE_FRONT_L_DONE, looks, l + CLADE_FRONT_L_DONE, 7);
        force(now, in_time, "a leaf whose keys come late");

        now = (leaf) { 8, 7, in_time ? 6 : 256, 6, 0 };
        l = place((leaf) { 8, 7, 256, 6, 0 });
        later(l + CLADE_FRONT_L_LIMIT, looks, l + CLADE_FRONT_L_LIMIT, 6);
        force(now, in_time, "a leaf that ends before");

        now = (leaf) { 8, (in_time ? 7 : 9) | CLADE_FRONT_FROZEN, 256, 7, 0 };
        l = place((leaf) { 8, 9 | CLADE_FRONT_FROZEN, 256, 7, 0 });
        later(l + CLADE_FRONT_L_COUNT, looks + 1, l + CLADE_FRONT_L_COUNT, now.count);
        force(now, in_time, "a leaf that was frozen before");
    }
    clade_front_words l = place((leaf) { 8, 7, 256, 7, 7 });
    later(l + CLADE_FRONT_L_LOCK, 0, l + CLADE_FRONT_L_COUNT, 9 | CLADE_FRONT_FROZEN);
    note();
    const clade_front_forced forced = clade_heap_front_force_begin_wi(h, LEAF);
    expect(forced.status == CLADE_OK && forced.keys == 7 && !forced.unsorted,
           "a leaf that somebody adds to after it was frozen", forced.keys);
}

/* --- a leaf of a chain ------------------------------------------------------------------------ */

/* Of the leaf as it is placed nobody reserves slots any more: it has `keys`. */
static void end_member(leaf now, uint keys, const char *what)
{
    clade_front_words l = clade_heap_front_leaf(h, LEAF);
    uint *line = expected + (l - h.head);
    const uint slots = now.count & CLADE_FRONT_COUNT_MASK;
    note();
    expect(clade_heap_front_end_member_wi(l) == keys, what, now.count);
    comes.at = NULL;
    line[CLADE_FRONT_L_COUNT] = now.count | CLADE_FRONT_SPLIT;
    line[CLADE_FRONT_L_LIMIT] = now.count & CLADE_FRONT_SPLIT ? now.limit : min(now.limit, slots);
    line[CLADE_FRONT_L_DONE] = clade_load_relaxed(l + CLADE_FRONT_L_DONE);
    expect_heap(what, now.count);
}

/* Full or not, ended by somebody else or not; its last key comes after so many looks. */
static void end_members(void)
{
    static const uint counts[] = { 0, 7, 256, 258 }, limits[] = { 5, 256 };
    static const uint few_looks[] = { 0, 1, 2, LIMIT, LIMIT + 1 };
    for (uint i = 0; i < 4 * 2 * 4; i++) {
        const uint mark = i & 1u ? CLADE_FRONT_BEHIND : 0, end = i & 2u ? CLADE_FRONT_SPLIT : 0;
        leaf now = { 0, counts[i / 4 % 4] | mark | end, limits[i / 16], 0, 0 };
        const uint slots = now.count & CLADE_FRONT_COUNT_MASK;
        const uint keys = end ? now.limit : min(now.limit, slots);
        for (uint looks = 0; looks < 5; looks++) {
            now.done = keys - 1;
            clade_front_words done = place(now) + CLADE_FRONT_L_DONE;
            later(done, few_looks[looks], done, keys);
            end_member(now, few_looks[looks] <= LIMIT ? keys : CLADE_FRONT_NONE,
                       "a leaf of a chain");
        }
        now.done = keys;
        (void)place(now);
        end_member(now, keys, "a leaf of a chain that is whole");
    }
}

/* A chain of `n` leaves of two keys each behind LEAF, the list of pieces with room for `room`; a
 * key of leaf `late` of them does not come, and before look number `looks` at the chain another
 * leaf is pushed onto it. */
static void unchain(uint n, uint room, uint late, bool closed, uint looks)
{
    enum { FIRST = 10, PUSHED = 9, TWO = 2, HAD = 4 };
    const uint most = min(min(n, room), (uint)CLADE_FRONT_UNCHAIN), taken = min(most, late);
    const uint flag = closed ? CLADE_FRONT_CLOSED : 0, rest = taken < n ? FIRST + taken : 0;
    const bool pushed = looks < 2;
    clade_front_words chain = place((leaf) { 0, 0, 256, 0, 0 }) + CLADE_FRONT_L_CHAIN;
    clade_store_relaxed(chain, FIRST | flag);
    for (uint i = 0; i < n; i++) {
        clade_front_words l = clade_heap_front_leaf(h, FIRST + i);
        clade_heap_front_leaf_init_wi(h, FIRST + i, UP, 0, LOW, 0);
        clade_store_relaxed(l + CLADE_FRONT_L_COUNT, TWO | CLADE_FRONT_SPLIT);
        clade_store_relaxed(l + CLADE_FRONT_L_LIMIT, TWO);
        clade_store_relaxed(l + CLADE_FRONT_L_DONE, TWO - (i == late));
        clade_store_relaxed(l + CLADE_FRONT_L_CHAIN, i + 1 < n ? FIRST + i + 1 : 0);
        clade_store_relaxed(l + CLADE_FRONT_L_LEFT, 99);
    }
    clade_heap_front_leaf_init_wi(h, PUSHED, UP, 0, LOW, 0);
    clade_store_relaxed(clade_heap_front_leaf(h, PUSHED) + CLADE_FRONT_L_CHAIN, FIRST);
    s->list.pieces = CLADE_FRONT_PIECES - room;
    s->list.total = HAD;
    memset(&s->now, 0x5a, sizeof s->now);
    if (pushed)
        later(chain, 1 + looks, chain, PUSHED | flag);
    note();
    const clade_i32 status = clade_heap_front_unchain_wg(h, s, LEAF);
    expect(!comes.at || taken == 0, "nobody came: this test sees nothing", n);
    const bool came = pushed && !comes.at;
    comes.at = NULL;
    expect(status == (taken == 0 && most > 0 ? CLADE_E_BUSY : CLADE_OK), "a chain is taken from",
           n);
    expect(s->list.pieces == CLADE_FRONT_PIECES - room + taken &&
               s->list.total == HAD + TWO * taken,
           "keys that were taken off a chain", n);
    for (uint i = 0; i < taken; i++) {
        const uint p = CLADE_FRONT_PIECES - room + i;
        expect(s->list.run[p] == FIRST + i && s->list.start[p] == 0 &&
                   s->list.end[p] == HAD + TWO * (i + 1),
               "a piece that was on a chain", i);
        expected[clade_heap_front_leaf(h, FIRST + i) + CLADE_FRONT_L_LEFT - h.head] = TWO;
    }
    expected[chain - h.head] = came ? PUSHED | flag : rest | flag;
    if (came)
        expected[clade_heap_front_leaf(h, PUSHED) + CLADE_FRONT_L_CHAIN - h.head] = rest;
    expect_heap("words of a chain", n);
}

static void unchains(void)
{
    for (uint n = 1; n < 5; n++)
        for (uint late = 0; late <= n; late++)
            for (uint i = 0; i < 3 * 2 * 2; i++)
                unchain(n, i & 1u ? 9 : 2, late, i & 2u, i / 4);
    unchain(140, CLADE_FRONT_PIECES, 200, false, 2);
    clade_front_words l = place((leaf) { 0, CLADE_FRONT_SPLIT, 256, 0, 0 });
    clade_store_relaxed(l + CLADE_FRONT_L_CHAIN, 10);
    s->list.pieces = 3;
    note();
    expect(clade_heap_front_unchain_wg(h, s, LEAF) == CLADE_FRONT_NOTHING, "a leaf that moves", 0);
    expect_heap("words of a leaf that moves", 0);
    (void)place((leaf) { 0, 0, 256, 0, 0 });
    clade_store_relaxed(l + CLADE_FRONT_L_LOCK, 1);
    note();
    expect(clade_heap_front_unchain_wg(h, s, LEAF) == CLADE_E_BUSY, "a leaf that is locked", 0);
    expect_heap("words of a leaf that is locked", 0);
}

/* --- the ring's leaves ------------------------------------------------------------------------ */

/* The ring's place `head` + `i` has the leaf as it is placed, of which somebody may have made
 * another one. Somebody may have its lock: who sorts it is not waited for, who opens it is. */
static void inspect(uint head, uint i, leaf now, uint chain, uint newer, uint lock)
{
    clade_front_words l = place(now);
    uint *line = expected + (l - h.head);
    clade_front_words slot = h.ring + (head + i) % CLADE_FRONT_RING * 2u;
    const bool same = !newer && !(now.count & ~CLADE_FRONT_COUNT_MASK);
    bool whole = same && now.done == now.count && now.count <= now.limit &&
                 (now.sorted == now.count || now.shift == 0) && lock != CLADE_FRONT_OPENING;
    clade_heap_front_refill *refill = &s->now.refill;
    clade_store_relaxed(l + CLADE_FRONT_L_CHAIN, chain);
    clade_store_relaxed(l + CLADE_FRONT_L_LOCK, lock);
    clade_store_relaxed(slot, LEAF);
    clade_store_relaxed(slot + 1, clade_load_relaxed(l + CLADE_FRONT_L_STAMP) - newer);
    memset(refill, 0x5a, sizeof *refill);
    note();
    clade_heap_front_inspect_wi(h, s, head, i);
    if (whole && now.shift == 0) {
        line[CLADE_FRONT_L_CHAIN] = chain ? chain : CLADE_FRONT_CLOSED;
        whole = (chain & ~CLADE_FRONT_CLOSED) == 0;
    }
    expect(refill->leaf[i] == LEAF && refill->keys[i] == now.count && refill->low[i] == LOW &&
               refill->high[i] == LOW + (1u << now.shift) - 1,
           "what is noted of a leaf of the ring", i);
    expect(refill->good[i] == (!same ? 0 : whole ? 2 : 1), "whether it can be taken", now.count);
    expect_heap("words of a leaf that was looked at", now.count);
    clade_store_relaxed(slot, 0u);
}

static void inspects(void)
{
    static const uint chains[] = { 0, CLADE_FRONT_CLOSED, 9, 9 | CLADE_FRONT_CLOSED };
    static const uint shifts[] = { 0, 1, 4 };
    for (uint i = 0; i < 4 * 3 * 3 * 3 * 3; i++) {
        const uint count = 7 | flags[i % 4];
        const leaf now = { shifts[i / 4 % 3], count, 6 + i / 12 % 3, count + i / 36 % 3 - 1,
                           count + i / 108 - 1 };
        for (uint c = 0; c < 3 * 8; c++)
            inspect(i * 977u, i % 16, now, chains[c / 2 % 4], c % 2, c / 8);
    }
}

/* Leaf i of a window of ranges of ten keys each, behind the bound or from the first key on, but for
 * one leaf whose range begins elsewhere or which is not good. */
static void judge(uint n, bool bounded, uint odd, uint good)
{
    clade_heap_front_refill *refill = &s->now.refill;
    enum { HEAD = 3, TAIL = 99 };
    const uint first = bounded ? LOW : 0;
    memset(refill, 0x5a, sizeof *refill);
    s->front.bounded = bounded;
    s->front.bound = LOW - 1;
    for (uint i = 0; i < n; i++) {
        refill->low[i] = first + 10 * i + (i == odd && good > 2);
        refill->high[i] = first + 10 * i + 9;
        refill->good[i] = i == odd && good < 2 ? good : 2;
    }
    set(CLADE_FRONT_W_RING_HEAD, HEAD);
    set(CLADE_FRONT_W_RING_TAIL, TAIL);
    set(CLADE_FRONT_W_RING_STALE, 0);
    clade_store_local(&refill->whole, n);
    note();
    clade_heap_front_judge_wg(h, s, n);
    const bool stale = odd == 0 && n > 0 && good != 1 && good != 2;
    expect(clade_load_local(&refill->whole) == (good != 2 ? min(odd, n) : n),
           "how many leaves of the ring can be taken", n);
    if (stale) {
        expected[CLADE_FRONT_W_RING_HEAD] = TAIL;
        expected[CLADE_FRONT_W_RING_STALE] = 1;
    }
    expect_heap("words of the ring", n);
}

/* After the last key none follows, though the first one would. */
static void judge_last(void)
{
    s->front.bounded = 1;
    s->front.bound = LAST_KEY;
    s->now.refill.low[0] = 0;
    expect(!clade_heap_front_follows(s, 0), "a leaf follows the last key", 0);
    s->now.refill.high[0] = LAST_KEY;
    s->now.refill.low[1] = 0;
    expect(!clade_heap_front_follows(s, 1), "a leaf follows the last key", 1);
    s->front.bounded = 0;
    expect(clade_heap_front_follows(s, 0), "the first leaf, with no bound", 0);
    s->now.refill.high[0] = s->front.bound = 8;
    expect(!clade_heap_front_follows(s, 1), "a leaf that begins before", 1);
}

static void judges(void)
{
    for (uint n = 0; n < 5; n++)
        for (uint i = 0; i < 2 * 5 * 4; i++)
            judge(n, i & 1u, i / 2 % 5, i / 10);
    judge_last();
    set(CLADE_FRONT_W_RING_HEAD, 0);
    set(CLADE_FRONT_W_RING_TAIL, 0);
}

/* --- leaves that are adopted ------------------------------------------------------------------ */

/* `n` frozen leaves of a few keys each, or none, whose entries lie in directories 1, 2 and so on
 * one after the other, become pieces behind `had` others. */
static void adopt(uint n, uint had, uint random)
{
    enum { FIRST = 10, HEAD = 3, OLD = 5 };
    const clade_heap_front_heap kept = h;
    clade_heap_front_refill *refill = &s->now.refill;
    uint pieces = had, total = OLD;
    h = clade_heap_front_open_wi(host_front_new(CAPACITY, 16, 256));
    memset(&s->list, 0x5a, sizeof s->list);
    memset(refill, 0x5a, sizeof *refill);
    s->list.pieces = had;
    s->list.total = OLD;
    set(CLADE_FRONT_W_RING_HEAD, HEAD);
    for (uint i = 0; i < n; i++) {
        const uint up = CLADE_FRONT_FAN + i;
        random = random * 1664525u + 1013904223u;
        refill->leaf[i] = FIRST + i;
        refill->keys[i] = random >> 30 ? random >> 24 : random >> 29; /* none or one, often */
        refill->high[i] = 100 * i + 99;
        clade_heap_front_leaf_init_wi(h, FIRST + i, up, 8, 100 * i, 0);
        clade_store_relaxed(h.entries + up, (FIRST + i) << 1);
        clade_store_relaxed(h.dirs + up / CLADE_FRONT_FAN * CLADE_FRONT_D_WORDS, up / 16);
        clade_store_relaxed(h.entries + up / CLADE_FRONT_FAN, up / CLADE_FRONT_FAN << 1 | 1u);
    }
    clade_heap_front_adopt_window_wg(h, s, n);
    for (uint i = 0; i < n; i++) {
        const uint keys = refill->keys[i];
        expect(clade_load_relaxed(h.entries + CLADE_FRONT_FAN + i) == CLADE_FRONT_DRAINED,
               "an entry that is drained", i);
        if (keys == 0)
            continue;
        total += keys;
        expect(s->list.run[pieces] == FIRST + i && s->list.start[pieces] == 0 &&
                   s->list.end[pieces] == total,
               "a leaf that is a piece", i);
        expect(clade_load_relaxed(clade_heap_front_leaf(h, FIRST + i) + CLADE_FRONT_L_LEFT) == keys,
               "keys that are left of it", i);
        pieces++;
    }
    for (uint d = 1; d <= (n + 15) / CLADE_FRONT_FAN; d++) {
        const uint gone = min(n - (d - 1) * CLADE_FRONT_FAN, CLADE_FRONT_FAN);
        expect(clade_load_relaxed(h.dirs + d * CLADE_FRONT_D_WORDS + CLADE_FRONT_D_DRAINED) == gone,
               "entries that are drained", d);
        expect((clade_load_relaxed(h.entries + d) == CLADE_FRONT_DRAINED) == (gone == 16),
               "a directory that is drained", d);
    }
    expect(s->list.pieces == pieces && s->list.total == total, "pieces and keys", n);
    expect(s->front.bounded && s->front.bound == 100 * n - 1 &&
               word(CLADE_FRONT_W_BOUND) == 100 * n - 1 && word(CLADE_FRONT_W_BOUNDED) != 0,
           "the bound", n);
    expect(word(CLADE_FRONT_W_RING_HEAD) == HEAD + n, "the ring's head", n);
    free((void *)h.head);
    h = kept;
    seen++;
}

static void adopts(void)
{
    static const uint many[] = { 1, 2, 15, 16, 17, 31, 32, 33, 48, 63, 64, 65, 127, 128 };
    for (uint i = 0; i < sizeof many / sizeof *many; i++)
        for (uint t = 0; t < 3; t++)
            adopt(many[i], t * 16, i * 3 + t + 1);
}

static void refill(void *argument, void *local)
{
    (void)argument;
    s = local;
    h = clade_heap_front_open_wi(host_front_new(CAPACITY, 16, 256));
    bytes = host_front_head_bytes(CAPACITY, 256);
    expected = malloc(bytes);
    if (!expected)
        exit(1);
    ahead();
    forces();
    force_again();
    force_waits();
    end_members();
    unchains();
    inspects();
    judges();
    adopts();
    free(expected);
    free((void *)h.head);
}

int main(void)
{
    alarm(100);
    shim_launch(refill, NULL, 1, 1, sizeof(clade_heap_scratch));
    printf("%u steps, %u wrong\n", seen, wrong);
    return wrong != 0;
}

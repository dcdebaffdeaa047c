/* SPDX-License-Identifier: Apache-2.0 */
/* A leaf of one key of the heap's front engine that another takes the place of before it is full.
 * Who walked to it earlier gets slots there; who finds it full goes on to the other; and a pop that
 * takes it off the chain waits for keys that are on their way. What was pushed meanwhile stays on
 * the chain, and an owner that cannot go on gives the leaf's lock back. */
#define CLADE_SPIN_LIMIT      1000u /* a bug may wait for ever */
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

static void meet(const char *where);
#define CLADE_SCHEDULE_HOOK(where, word, salt) meet(where)

enum {
    BATCH = CLADE_HEAP_BATCH,
    LEAF = CLADE_HEAP_LEAF,
    MARK = LEAF / 4 * 3
}; /* the header undefines them */

#define CLADE_HEAP_ENGINE CLADE_HEAP_FRONT
#include "clade/heap.clh"

#include "heap/front/host_front.h"

enum { CAPACITY = 4096, KEY = 77 };

static void *heap;
static const char *armed;   /* the function whose next step somebody else comes between */
static void (*other)(void); /* what that one does */
static uint inside, wrong;
static unsigned char out[CAPACITY]; /* by value: how often it came out */
static clade_heap_scratch *mine, *others;

static void expect(bool good, const char *what)
{
    if (good)
        return;
    fprintf(stderr, "%s\n", what);
    wrong++;
}

static void meet(const char *where)
{
    if (!armed || strcmp(where, armed) != 0)
        return;
    armed = NULL;
    other();
}

/* One batch of the key; each has its number for a value. */
static void insert(__local clade_heap_scratch *s, uint n)
{
    for (uint i = 0; i < n; i++)
        clade_heap_set_wi(s, i, KEY, inside + i);
    inside += n;
    expect(clade_heap_insert_wg(heap, s, n) == CLADE_OK && clade_heap_taken_wi(s) == n,
           "an insert gave up");
}

static clade_i32 pop(__local clade_heap_scratch *s, uint *got)
{
    const clade_i32 status = clade_heap_pop_wg(heap, s, BATCH, got);
    for (uint i = 0; i < *got; i++) {
        const uint value = clade_heap_value_wi(s, i);
        expect(clade_heap_key_wi(s, i) == KEY && value < inside, "another key came");
        if (value < CAPACITY)
            out[value]++;
    }
    return status;
}

static clade_front_words leaf_of_key(void)
{
    clade_heap_front_heap h = clade_heap_front_open_wi(heap);
    return clade_heap_front_leaf(h, clade_heap_front_walk_wi(h, KEY).ref >> 1);
}

/* The key's leaf has `slots` slots reserved; others, full, are on its chain. */
static void begin(uint slots)
{
    heap = host_front_new(CAPACITY, BATCH, LEAF);
    inside = 0;
    memset(out, 0, sizeof out);
    while (inside < LEAF + slots)
        insert(mine, BATCH);
    expect(clade_load_relaxed(leaf_of_key() + CLADE_FRONT_L_COUNT) == slots,
           "the leaf is not as it was to be: this test sees nothing");
}

static void end(const char *scene)
{
    uint got = 1, all = 0;
    expect(!armed, "nobody came between: this test sees nothing");
    const char *said = host_front_check(heap, CAPACITY, LEAF, inside);
    expect(!said, said);
    for (uint i = 0; i < CAPACITY && got > 0; i++)
        expect(pop(mine, &got) == CLADE_OK, "a pop gave up");
    for (uint value = 0; value < inside; value++)
        all += out[value] == 1;
    expect(all == inside, "not the keys came out that went in");
    said = host_front_check(heap, CAPACITY, LEAF, 0);
    expect(!said, said);
    printf("%s: %u wrong\n", scene, wrong);
    free(heap);
}

/* --- scenes ---------------------------------------------------------------------------------- */

/* The owner takes the leaf off the chain: its last keys are not stored yet. */
static void pop_early(void)
{
    uint got = 1;
    expect(clade_load_relaxed(leaf_of_key() + CLADE_FRONT_L_COUNT) == 0,
           "no leaf took its place: this test sees nothing");
    expect(pop(others, &got) == CLADE_E_BUSY && got == 0, "a pop did not wait for a commit");
}

static void pass_the_mark(void)
{
    insert(others, BATCH);
    expect(clade_load_relaxed(leaf_of_key() + CLADE_FRONT_L_COUNT) == 0,
           "no leaf took its place: this test sees nothing");
}

static void fill(void)
{
    /* The mark is passed by others, who then fill the leaf that took its place as far. */
    pass_the_mark();
    clade_heap_front_heap h = clade_heap_front_open_wi(heap);
    const uint leaf = clade_load_relaxed(leaf_of_key() + CLADE_FRONT_L_CHAIN);
    clade_front_words l = clade_heap_front_leaf(h, leaf);
    for (uint i = 0; i < LEAF - MARK; i += BATCH) { /* as those who had walked to it before */
        clade_heap_front_reserve_in_wi(l, BATCH);
        for (uint b = 0; b < CLADE_FRONT_BLOCKS; b++)
            clade_heap_front_ensure_wi(h, leaf, b);
        for (uint k = 0; k < BATCH; k++) {
            const size_t at = clade_heap_front_slot_at(h, leaf, MARK + i + k);
            h.keys[at] = KEY;
            h.values[at] = inside++;
        }
        clade_add_relaxed(l + CLADE_FRONT_L_DONE, BATCH);
        clade_add_relaxed((clade_front_words)heap + CLADE_FRONT_W_SIZE, BATCH);
    }
}

/* --- the owner's steps, one by one ----------------------------------------------------------- */

enum { CHAINED = 5 };
static uint chained[CHAINED]; /* the first leaves of the key's chain */

static clade_front_words chain_of(uint leaf)
{
    return clade_heap_front_leaf(clade_heap_front_open_wi(heap), leaf) + CLADE_FRONT_L_CHAIN;
}

static void begin_chain(void)
{
    begin(MARK - BATCH);
    for (uint n = 0; n < CHAINED; insert(mine, BATCH)) {
        uint at = clade_load_relaxed(leaf_of_key() + CLADE_FRONT_L_CHAIN);
        for (n = 0; n < CHAINED && at != 0; n++) {
            chained[n] = at;
            at = clade_load_relaxed(chain_of(at)) & ~CLADE_FRONT_CLOSED;
        }
    }
}

/* The top `pushed` leaves of the chain came after the owner had listed the two behind them. */
static void unchain_behind(uint pushed, uint closed)
{
    clade_heap_front_heap h = clade_heap_front_open_wi(heap);
    clade_front_words l = leaf_of_key();
    clade_front_words above = pushed == 0 ? l + CLADE_FRONT_L_CHAIN : chain_of(chained[pushed - 1]);
    clade_or_relaxed(l + CLADE_FRONT_L_CHAIN, closed);
    for (uint n = 0; n < pushed; n++) /* these ones' are not CLOSED */
        clade_and_relaxed(chain_of(chained[n]), ~CLADE_FRONT_CLOSED);
    clade_heap_front_unchain_end_wi(h, l, chained[pushed], chained[pushed + 2]);
    for (uint n = 0; n < pushed; n++)
        expect(clade_load_relaxed(n == 0 ? l + CLADE_FRONT_L_CHAIN : chain_of(chained[n - 1])) ==
                   (chained[n] | (n == 0 ? closed : 0)),
               "what was pushed is not where it was");
    expect(clade_load_relaxed(above) == (chained[pushed + 2] | (pushed == 0 ? closed : 0)),
           "the chain does not go on with the rest");
    clade_store_relaxed(above, chained[pushed]);
    clade_and_relaxed(l + CLADE_FRONT_L_CHAIN, ~CLADE_FRONT_CLOSED);
}

/* As many leaves are listed as the front has room for. */
static void unchain_with_room_for(uint room)
{
    clade_heap_front_heap h = clade_heap_front_open_wi(heap);
    clade_front_words l = leaf_of_key();
    mine->list.pieces = CLADE_FRONT_PIECES - room;
    expect(clade_heap_front_unchain_begin_wi(h, mine, clade_heap_front_walk_wi(h, KEY).ref >> 1) ==
               CLADE_OK,
           "a chain could not be taken from");
    expect(mine->now.refill.n == room && clade_load_local(&mine->now.refill.whole) == room &&
               clade_load_local(&mine->now.refill.last) == chained[room],
           "more or fewer leaves are listed than the front has room for");
    for (uint n = 0; n < room; n++)
        expect(mine->now.refill.leaf[n] == chained[n], "another leaf is listed");
    expect(clade_exchange_acq_rel(l + CLADE_FRONT_L_LOCK, 0u) == 1, "without the leaf's lock");
}

/* One word alone has changed since `before`, to `now`. It becomes as it was. */
static void only_changed(const uint *before, clade_front_words word, uint now, const char *what)
{
    expect(clade_load_relaxed(word) == now, what);
    clade_store_relaxed(word, before[word - (clade_front_words)heap]);
    expect(memcmp(before, heap, host_front_bytes(CAPACITY, LEAF)) == 0, what);
}

/* The owner's list is the first leaf of the chain; it looks for the leaf of these keys, which is
 * moving elsewhere, is locked, or has a key on its way. */
static void give_locks_back(void)
{
    clade_heap_front_heap h = clade_heap_front_open_wi(heap);
    clade_front_words l = leaf_of_key(), count = l + CLADE_FRONT_L_COUNT;
    const uint leaf = clade_heap_front_walk_wi(h, KEY).ref >> 1, n = clade_load_relaxed(count);
    const size_t bytes = host_front_bytes(CAPACITY, LEAF);
    uint *before = malloc(bytes);
    if (!before)
        exit(1);
    memcpy(before, heap, bytes);
    mine->front.bound = KEY - 1;
    mine->list.pieces = 1;
    mine->list.run[0] = chained[0];
    mine->list.start[0] = 0;
    mine->list.end[0] = mine->list.total = BATCH;
    clade_store_relaxed(count, n | CLADE_FRONT_SPLIT);
    expect(clade_heap_front_rechain_begin_wi(h, mine).status == CLADE_E_BUSY,
           "keys go back to a leaf that is moving");
    only_changed(before, count, n | CLADE_FRONT_SPLIT, "a leaf that is moving was changed");
    clade_store_relaxed(count, n | CLADE_FRONT_SPLIT);
    expect(clade_heap_front_unchain_begin_wi(h, mine, leaf) == CLADE_FRONT_NOTHING,
           "a leaf that is moving is taken from");
    only_changed(before, count, n | CLADE_FRONT_SPLIT, "a leaf that is moving was changed");

    clade_store_relaxed(l + CLADE_FRONT_L_LOCK, 1u);
    expect(clade_heap_front_rechain_begin_wi(h, mine).status == CLADE_E_BUSY,
           "keys go back to a leaf that is locked");
    only_changed(before, l + CLADE_FRONT_L_LOCK, 1, "another's lock was given back");
    const clade_front_rechain rechain = clade_heap_front_rechain_begin_wi(h, mine);
    expect(rechain.status == CLADE_OK && rechain.leaf == leaf && rechain.from == 0,
           "keys cannot go back");
    only_changed(before, l + CLADE_FRONT_L_LOCK, 1, "a lock, and no more, was to be taken");

    clade_sub_relaxed(l + CLADE_FRONT_L_DONE, 1u);
    expect(clade_heap_front_force_begin_wi(h, leaf).status == CLADE_E_BUSY,
           "nobody waits for a commit");
    clade_add_relaxed(l + CLADE_FRONT_L_DONE, 1u);
    only_changed(before, count, n | CLADE_FRONT_FROZEN, "a leaf was to be frozen, and no more");
    free(before);
}

static void run(void *argument, void *local)
{
    (void)argument;
    mine = local;
    others = mine + 1;
    begin(MARK - BATCH);
    armed = "clade_heap_front_append_wg", other = pop_early;
    insert(mine, BATCH);
    end("a pop comes before a commit");

    begin(MARK - BATCH);
    armed = "clade_heap_front_reserve_in_wi", other = pass_the_mark;
    insert(mine, BATCH);
    end("a batch comes late");

    begin(MARK - BATCH);
    armed = "clade_heap_front_locate_wg", other = fill;
    insert(mine, BATCH);
    end("a leaf is filled up");

    begin_chain();
    for (uint pushed = 0; pushed < 3; pushed++) {
        unchain_behind(pushed, 0);
        unchain_behind(pushed, CLADE_FRONT_CLOSED);
    }
    for (uint room = 1; room < CHAINED; room++)
        unchain_with_room_for(room);
    give_locks_back();
    end("step by step");
}

int main(void)
{
    alarm(100);
    shim_launch(run, NULL, 1, 1, 2 * sizeof(clade_heap_scratch));
    return wrong != 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* The ad-heap by one item: every operation, size and batch against a sorted array, in both orders;
 * offers to full heaps; and a HOST bridge whose host is not there, leaves in the middle of a call,
 * or was given up before. With -DCLADE_ADHEAP_BRIDGE_MODE=1 ... 5, keys of 32 and 64 bits. */
#include "host/device.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CLADE_ADHEAP_ARITY  8
#define CLADE_ADHEAP_VALUES 1
#ifndef CLADE_ADHEAP_KEY
#define CLADE_ADHEAP_KEY CLADE_U32
#endif
#include "clade/adheap.clh"
#include "clade/adheap/work_group.clh"

enum { CAPACITY = 90, PATIENCE = 50 };
#define WORD (CLADE_ADHEAP_WIDE ? 2u : 1u)

typedef clade_adheap_word word;

struct world {
    uint *object;
    size_t lines;
    word keys[CAPACITY + 1]; /* the model: what is inside, in no order */
    uint values[CAPACITY + 1];
    uint size, wrong;
    uint unique; /* no two keys are equal */
};

static uint random_state;

static uint draw(uint bound)
{
    random_state = random_state * 1664525u + 1013904223u;
    return (random_state >> 8) % bound;
}

static word new_key(const struct world *w)
{
    static uint last;
    if (w->unique) {
        last += 0x9e3779b9u;
        return CLADE_ADHEAP_WIDE ? (word)last << 16 : last;
    }
    const word low = draw(20) == 0 ? (word)0 - draw(2) : draw(60);
    return CLADE_ADHEAP_WIDE && draw(2) ? low << 31 : low;
}

static void expect(struct world *w, int holds, const char *what, uint more)
{
    if (!holds && w->wrong++ < 8)
        printf("%s: %u\n", what, more);
}

static clade_adheap_one open_heap(struct world *w)
{
    static uint path[CLADE_ADHEAP_PATH_WORDS];
    return clade_adheap_open_wi((clade_adheap_head *)(void *)w->object, 0, path);
}

static uint *slot_of(struct world *w)
{
    return w->object + w->lines * CLADE_ADHEAP_WIDTH;
}

/* Slots of a group: nobody serves, so each call is replayed by the kernel. */
static void make_world(struct world *w)
{
    const uint stride = (CLADE_ADHEAP_ROOT + CAPACITY + 63) / 64 * 64;
    const size_t words = CLADE_ADHEAP_HEAD_WORDS + (size_t)stride * (WORD + 1u);
    w->lines = (words + CLADE_ADHEAP_WIDTH - 1) / CLADE_ADHEAP_WIDTH;
    const size_t bytes = (w->lines * CLADE_ADHEAP_WIDTH + CLADE_ADHEAP_SLOT_WORDS) * 4;
    w->object = aligned_alloc(128, (bytes + 127) / 128 * 128);
    memset(w->object, 0, bytes);
    *(clade_adheap_head *)(void *)w->object = (clade_adheap_head) { .heaps = 1,
                                                                    .arity = 8,
                                                                    .capacity = CAPACITY,
                                                                    .stride = stride,
                                                                    .values = 1,
                                                                    .calls = (uint)w->lines,
                                                                    .slots = 1,
                                                                    .patience = PATIENCE };
    ((clade_adheap_head *)(void *)w->object)->object.shape = CLADE_ADHEAP_OWN_SHAPE;
    w->size = 0;
}

static word order_of(word raw)
{
    return clade_adheap_encode_wi(raw);
}

/* Where the model's first key is. */
static uint first_of(const struct world *w)
{
    uint first = 0;
    for (uint i = 1; i < w->size; i++)
        if (order_of(w->keys[i]) < order_of(w->keys[first]))
            first = i;
    return first;
}

static void check_world(struct world *w)
{
    const clade_adheap_one h = open_heap(w);
    uint matched[CAPACITY + 1] = { 0 };
    expect(w, h.head[CLADE_ADHEAP_SIZE] == w->size, "size", h.head[CLADE_ADHEAP_SIZE]);
    expect(w, h.head[CLADE_ADHEAP_BRIDGE] == 0, "a log was left", h.head[CLADE_ADHEAP_BRIDGE]);
    for (uint i = 0; i < w->size; i++) {
        uint j = 0;
        while (j < w->size &&
               (matched[j] || order_of(w->keys[j]) != h.words[i] || w->values[j] != h.values[i]))
            j++;
        expect(w, j < w->size, "a key that is not the model's", i);
        matched[j] = 1;
        expect(w, i == 0 || h.words[(i - 1) / 8] <= h.words[i], "order", i);
    }
}

static void do_insert(struct world *w)
{
    const clade_adheap_one h = open_heap(w);
    const word key = new_key(w);
    const uint value = draw(1u << 30);
    const int status = clade_adheap_insert_sg(&h, key, value);
    expect(w, status == (w->size < CAPACITY ? CLADE_OK : CLADE_E_FULL), "insert", (uint)status);
    if (w->size < CAPACITY) {
        w->keys[w->size] = key;
        w->values[w->size++] = value;
    }
}

#if CLADE_ADHEAP_COUNT
enum { COUNTS = CLADE_ADHEAP_SCATTERED - CLADE_ADHEAP_WALKS + 1 };

/* What a pop's walk adds to the counts, child by child: docs/inside/adheap.md. */
static void count_pop(const clade_adheap_one *h, uint *counts)
{
    const uint size = h->head[CLADE_ADHEAP_SIZE], left = size > 0 ? size - 1 : 0;
    uint node = 0, loads = 0, lines = 0, moves = 0, is_going = 1;
    while (is_going && node * 8u + 1u < left) {
        const uint first = node * 8u + 1u;
        uint best = first, line = ~0u;
        for (uint c = first; c < first + 8u && c < left; c++) {
            best = h->words[c] < h->words[best] ? c : best;
            for (uint half = 0; half < WORD; half++) {
                const uint at = ((CLADE_ADHEAP_ROOT + c) * WORD + half) / CLADE_ADHEAP_WIDTH;
                lines += at != line;
                line = at;
            }
        }
        loads++;
        is_going = h->words[best] < h->words[left];
        moves += is_going;
        node = best;
    }
    const uint dumped = (WORD + 1u) * moves + 1u;
    const uint added[COUNTS] = {
        1, loads, moves, lines + moves, lines + dumped / 32u + (dumped % 32u != 0), moves + 1u
    };
    for (uint i = 0; i < COUNTS; i++)
        counts[i] = h->head[CLADE_ADHEAP_WALKS + i] + (left > 0 ? added[i] : 0);
}
#endif

static void do_pop_by(struct world *w, const clade_adheap_one *h)
{
    word key = 0, top = 0;
    uint value = 0, peeked = 0;
#if CLADE_ADHEAP_COUNT
    uint counts[COUNTS];
    count_pop(h, counts);
#endif
    const int peek = clade_adheap_peek_sg(h, &top, &peeked);
    const int status = clade_adheap_pop_sg(h, &key, &value);
    expect(w, status == (w->size ? CLADE_OK : CLADE_E_NOT_FOUND) && peek == status, "pop",
           (uint)status);
#if CLADE_ADHEAP_COUNT
    for (uint i = 0; i < COUNTS; i++)
        expect(w, h->head[CLADE_ADHEAP_WALKS + i] == counts[i], "a count", i);
#endif
    if (w->size == 0)
        return;
    uint at = first_of(w);
    expect(w, order_of(key) == order_of(w->keys[at]) && key == top && value == peeked, "popped key",
           w->size);
    while (at < w->size && (w->keys[at] != key || w->values[at] != value))
        at++;
    expect(w, at < w->size, "popped pair", w->size);
    w->keys[at] = w->keys[--w->size];
    w->values[at] = w->values[w->size];
}

static void do_pop(struct world *w)
{
    const clade_adheap_one h = open_heap(w);
    do_pop_by(w, &h);
}

static void do_update(struct world *w)
{
    const clade_adheap_one h = open_heap(w);
    const uint node = draw(w->size + 3), value = draw(1u << 30);
    const word key = new_key(w);
    uint at = 0;
    while (node < w->size && at < w->size &&
           (order_of(w->keys[at]) != h.words[node] || w->values[at] != h.values[node]))
        at++;
    const int status = clade_adheap_update_sg(&h, node, key, value);
    expect(w, status == (node < w->size ? CLADE_OK : CLADE_E_NOT_FOUND), "update", (uint)status);
    if (node < w->size) {
        w->keys[at] = key;
        w->values[at] = value;
    }
}

/* A batch: what has room goes in, then each that comes after the root takes its place. */
static void do_feed(struct world *w)
{
    const clade_adheap_one h = open_heap(w);
    const uint count = draw(30);
    word *raws = malloc(count * sizeof *raws + !count); /* of exactly so many keys */
    uint *values = malloc(count * sizeof *values + !count);
    for (uint i = 0; i < count; i++) {
        raws[i] = new_key(w);
        values[i] = draw(1u << 30);
    }
    const int has_values = draw(2) == 0;
    expect(w, clade_adheap_feed_sg(&h, raws, count, values, 500u, has_values, 0) == CLADE_OK,
           "feed", count);
    for (uint i = 0; i < count; i++) {
        const uint is_full = w->size == CAPACITY, at = is_full ? first_of(w) : w->size++;
        if (is_full && order_of(raws[i]) <= order_of(w->keys[at]))
            continue;
        w->keys[at] = raws[i];
        w->values[at] = has_values ? values[i] : 500u + i;
    }
    free(raws);
    free(values);
}

/* In the order in which a merge wants its keys. */
static int by_order(const void *a, const void *b)
{
    const word x = order_of(*(const word *)a), y = order_of(*(const word *)b);
    return CLADE_ADHEAP_KEEP ? (x < y) - (x > y) : (x > y) - (x < y);
}

/* `count` keys in order at once, also none, and more than there is room for. */
static void do_merge(struct world *w, uint count)
{
    const clade_adheap_one h = open_heap(w);
    const uint room = CAPACITY - w->size, fits = count < room ? count : room;
    word *raws = malloc(count * sizeof *raws + !count); /* of exactly so many keys */
    uint *values = malloc(count * sizeof *values + !count);
    for (uint i = 0; i < count; i++)
        raws[i] = new_key(w);
    qsort(raws, count, sizeof *raws, by_order);
    for (uint i = 0; i < count; i++) {
        values[i] = draw(1u << 30);
        w->keys[i < fits ? w->size + i : CAPACITY] = raws[i];
        w->values[i < fits ? w->size + i : CAPACITY] = values[i];
    }
    expect(w, clade_adheap_merge_wg(&h, raws, values, count) == fits, "merge", count);
    w->size += fits;
    free(raws);
    free(values);
}

/* `count` keys in any order become the heap, at once. */
static void do_build(struct world *w, uint count)
{
    const clade_adheap_one h = open_heap(w);
    for (uint i = 0; i < count; i++) {
        w->keys[i] = new_key(w);
        w->values[i] = draw(1u << 30);
        clade_adheap_set_wi(&h, i, order_of(w->keys[i]), w->values[i]);
    }
    h.head[CLADE_ADHEAP_SIZE] = w->size = count;
#if CLADE_ADHEAP_COUNT
    const uint walks = h.head[CLADE_ADHEAP_WALKS] + (count > 1 ? (count - 2) / 8 + 1 : 0);
#endif
    clade_adheap_heapify_wg(&h, count);
#if CLADE_ADHEAP_COUNT
    expect(w, h.head[CLADE_ADHEAP_WALKS] == walks, "a walk for each parent", count);
#endif
}

#if CLADE_ADHEAP_BRIDGE_MODE == CLADE_ADHEAP_BRIDGE_HOST
static uint is_there; /* the host's thread runs */

/* A host that takes a call and then is gone. */
static void *take_a_call(void *state)
{
    uint asked = CLADE_ADHEAP_ASKED;
    __atomic_store_n(&is_there, 1u, __ATOMIC_RELEASE);
    while (!__atomic_compare_exchange_n((uint *)state, &asked, CLADE_ADHEAP_TAKEN, 0,
                                        __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
        asked = CLADE_ADHEAP_ASKED;
        sched_yield();
    }
    return NULL;
}

static void fill(struct world *w, uint keys)
{
    make_world(w);
    for (uint i = 0; i < keys; i++)
        do_insert(w);
}

static void check_cut(struct world *w)
{
    pthread_t host;
    word key = 0;
    uint value = 0, *slot;
    fill(w, 40);
    slot = slot_of(w);
    clade_adheap_one h = open_heap(w);
    h.patience = 1u << 22;
    if (pthread_create(&host, NULL, take_a_call, slot + CLADE_ADHEAP_SLOT_STATE) != 0)
        abort();
    while (!__atomic_load_n(&is_there,
                            __ATOMIC_ACQUIRE)) /* or the kernel's patience ends before it comes */
        sched_yield();
    do_pop_by(w, &h);
    pthread_join(host, NULL);
    expect(w, h.head[CLADE_ADHEAP_CUT] == 1 && slot[CLADE_ADHEAP_SLOT_ALONE] == 1,
           "a call that never ends", h.head[CLADE_ADHEAP_CUT]);
    expect(w,
           clade_adheap_insert_sg(&h, 1, 1) == CLADE_E_BUSY &&
               clade_adheap_peek_sg(&h, &key, &value) == CLADE_E_BUSY &&
               clade_adheap_pop_sg(&h, &key, &value) == CLADE_E_BUSY &&
               clade_adheap_update_sg(&h, 0, 1, 1) == CLADE_E_BUSY &&
               clade_adheap_feed_sg(&h, &key, 1, &value, 0, 0, 0) == CLADE_E_BUSY,
           "a heap that is cut works on", 0);
    expect(w, clade_adheap_merge_wg(&h, &key, &value, 1) == 0,
           "a batch is merged into a heap that is cut", 0);
    clade_adheap_heapify_wg(&h, w->size);
    clade_adheap_replay_wi(&h); /* what check does */
    h.head[CLADE_ADHEAP_CUT] = 0;
    check_world(w);
    free(w->object);
}

/* A feed whose first key is cut off: its log waits as it is, and the other keys stay outside. */
static void check_cut_feed(struct world *w)
{
    const word keys[] = { clade_adheap_decode_wi(CLADE_ADHEAP_LAST - 9u),
                          clade_adheap_decode_wi(CLADE_ADHEAP_LAST - 8u),
                          clade_adheap_decode_wi(CLADE_ADHEAP_LAST - 7u) };
    const uint values[] = { 901, 902, 903 };
    pthread_t host;
    fill(w, CAPACITY);
    clade_adheap_one h = open_heap(w);
    h.patience = 1u << 22;
    is_there = 0;
    if (pthread_create(&host, NULL, take_a_call, slot_of(w) + CLADE_ADHEAP_SLOT_STATE) != 0)
        abort();
    while (!__atomic_load_n(&is_there, __ATOMIC_ACQUIRE))
        sched_yield();
    const uint first = first_of(w);
    expect(w, clade_adheap_feed_sg(&h, keys, 3, values, 0, 1, 0) == CLADE_E_BUSY,
           "a feed that is cut off", 0);
    pthread_join(host, NULL);
    w->keys[first] = keys[0];
    w->values[first] = values[0];
    clade_adheap_replay_wi(&h);
    h.head[CLADE_ADHEAP_CUT] = 0;
    check_world(w);
    free(w->object);
}

/* What a group does together it writes back itself: a host that would take the first call and then
 * be gone is not asked, so none of the walks after it finds a log that waits. */
static void check_group(struct world *w)
{
    word keys[30];
    uint values[30], *slot;
    fill(w, 40);
    slot = slot_of(w);
    clade_adheap_one h = open_heap(w);
    slot[CLADE_ADHEAP_SLOT_HEAP] = 77;
    for (uint i = 0; i < 30; i++) {
        w->keys[w->size + i] = keys[i] = CLADE_ADHEAP_ORDER == CLADE_MIN ? i : 1000u - i;
        w->values[w->size + i] = values[i] = 900u + i;
    }
    w->size += clade_adheap_merge_wg(&h, keys, values, 30);
    expect(w, w->size == 70, "a batch that has room", w->size);
    check_world(w);
    clade_adheap_heapify_wg(&h, w->size);
    check_world(w);
    expect(w, slot[CLADE_ADHEAP_SLOT_HEAP] == 77, "a group's walk calls the host",
           slot[CLADE_ADHEAP_SLOT_HEAP]);
    free(w->object);
}

/* A host that is not there: the first call waits and is taken back; the next ones do not ask. */
static void check_alone(void)
{
    struct world w = { .wrong = 0 };
    fill(&w, 40);
    uint *slot = slot_of(&w);
    do_pop(&w);
    check_world(&w);
    expect(&w,
           slot[CLADE_ADHEAP_SLOT_ALONE] == 1 && slot[CLADE_ADHEAP_SLOT_STATE] == CLADE_ADHEAP_IDLE,
           "a call without a host", slot[CLADE_ADHEAP_SLOT_STATE]);
    slot[CLADE_ADHEAP_SLOT_HEAP] = 77;
    do_pop(&w);
    check_world(&w);
    expect(&w, slot[CLADE_ADHEAP_SLOT_HEAP] == 77, "a host that was given up is asked",
           slot[CLADE_ADHEAP_SLOT_HEAP]);
    slot[CLADE_ADHEAP_SLOT_ALONE] = 0;
    clade_adheap_one h = open_heap(&w);
    h.slot = 0; /* no slot at all: nobody is asked */
    do_pop_by(&w, &h);
    check_world(&w);
    expect(&w, slot[CLADE_ADHEAP_SLOT_HEAP] == 77 && slot[CLADE_ADHEAP_SLOT_ALONE] == 0,
           "without a slot", 0);
    slot[CLADE_ADHEAP_SLOT_STATE] = 78;
    shim_self.group_id = 1; /* a kernel of a user's has more groups than there are slots */
    h = open_heap(&w);
    expect(&w, h.slot == 0, "the slot of a group that has none", 0);
    do_pop(&w);
    check_world(&w);
    expect(&w, slot[CLADE_ADHEAP_SLOT_HEAP] == 77 && slot[CLADE_ADHEAP_SLOT_STATE] == 78,
           "a group without a slot", slot[CLADE_ADHEAP_SLOT_STATE]);
    shim_self.group_id = 0;
    free(w.object);
    check_cut(&w);
    check_cut_feed(&w);
    check_group(&w);
    printf("a bridge without a host: %u wrong\n", w.wrong);
    if (w.wrong)
        exit(1);
}
#else
static void check_alone(void)
{
}
#endif

/* A heap that the object does not have is neither read nor written. */
static void check_no_heap(void)
{
    struct world w = { .wrong = 0 };
    word key = 7;
    uint value = 7;
    make_world(&w);
    const clade_adheap_one none =
        clade_adheap_open_wi((clade_adheap_head *)(void *)w.object, 1, NULL);
    expect(&w, clade_adheap_insert_sg(&none, key, value) == CLADE_E_ARG, "insert without a heap",
           0);
    expect(&w, clade_adheap_pop_sg(&none, &key, &value) == CLADE_E_ARG, "pop without a heap", 0);
    expect(&w, clade_adheap_update_sg(&none, 0, key, value) == CLADE_E_ARG, "update without a heap",
           0);
    expect(&w, clade_adheap_size_wi(&none) == 0, "size without a heap", 0);
    expect(&w,
           clade_adheap_candidates_sg(&none, &key, 1, 1) == 0 &&
               clade_adheap_replace_sg(&none, &key, 0, 1, &value, 0, 1, 0) == 0 &&
               clade_adheap_feed_sg(&none, &key, 1, &value, 0, 1, 0) == CLADE_E_ARG,
           "a feed without a heap", 0);
    expect(&w, clade_adheap_merge_wg(&none, &key, &value, 1) == 0, "a batch without a heap", 0);
    free(w.object);
    if (w.wrong)
        exit(1);
}

/* A heap of one key. */
static void check_smallest(void)
{
    struct world w = { .wrong = 0 };
    const word keys[2] = { new_key(&w), new_key(&w) };
    const uint values[2] = { 8, 9 };
    make_world(&w);
    ((clade_adheap_head *)(void *)w.object)->capacity = 1;
    const clade_adheap_one h = open_heap(&w);
    expect(&w, clade_adheap_merge_wg(&h, keys, values, 2) == 1, "a batch for one place", 0);
    w.size = 1;
    w.keys[0] = keys[0];
    w.values[0] = values[0];
    check_world(&w);
    free(w.object);
    if (w.wrong)
        exit(1);
}

/* A full heap is offered keys: how many come after its root is counted up to a limit. A key that
 * equals the root stays outside. */
static void check_offers(void)
{
    struct world w = { .wrong = 0 };
    word keys[12];
    uint many = 0;
    make_world(&w);
    while (w.size < CAPACITY)
        do_insert(&w);
    const clade_adheap_one h = open_heap(&w);
    const uint value = 77;
    for (uint count = 1; count <= 12; count++) {
        const word root = h.words[0];
        keys[count - 1] = clade_adheap_decode_wi(root + (word)(count % 3u == 1u) - (count > 9u));
        many += order_of(keys[count - 1]) > root;
        for (uint limit = 0; limit < 14; limit++)
            expect(&w,
                   clade_adheap_candidates_sg(&h, keys, count, limit) ==
                       (many <= limit ? many : limit + 1u),
                   "candidates", count);
    }
    keys[0] = clade_adheap_decode_wi(h.words[0]);
    expect(&w, clade_adheap_feed_sg(&h, keys, 1, &value, 0, 1, 0) == CLADE_OK, "an equal key", 0);
    check_world(&w);
    free(w.object);
    if (w.wrong)
        exit(1);
}

int main(void)
{
    struct world w = { .wrong = 0 };
    random_state = shim_seed();
    shim_self = (struct shim_item) { .local_size = 1, .groups = 1 };
    check_alone();
    check_no_heap();
    check_smallest();
    check_offers();
    for (uint round = 0; round < 40; round++) {
        make_world(&w);
        w.unique = round % 3 == 0;
        const uint grow = 2 + round % 7;
        do_merge(&w, 0);
        check_world(&w);
        for (uint count = 0; count < 80; count += count < 12 ? 1 : 17) {
            do_build(&w, count);
            check_world(&w);
        }
        do_build(&w, 0);
        for (uint op = 0; op < 300; op++) {
            const uint kind = draw(10);
            if (draw(30) == 0)
                do_merge(&w, draw(3) ? draw(12) : draw(CAPACITY + 3));
            else if (kind == 9)
                do_update(&w);
            else if (kind == 8 && w.unique)
                do_feed(&w);
            else if (kind < grow)
                do_insert(&w);
            else
                do_pop(&w);
            check_world(&w);
        }
        free(w.object);
    }
    printf("ad-heap, bridge %d: %u wrong\n", CLADE_ADHEAP_BRIDGE_MODE, w.wrong);
    return w.wrong != 0;
}

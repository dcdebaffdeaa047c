/* SPDX-License-Identifier: Apache-2.0 */
/* The front engine's leaves looked up ahead, exactly: the ring lists every leaf behind the bound
 * once, in order, whatever its part of a directory and however deep; the next ones are in order
 * then. And an owner that takes them over while one of them changes: it gets keys, or is moved
 * elsewhere, between the look and the freeze. -DVALUE: u32, or none. */
#define CLADE_HEAP_BATCH      16
#define CLADE_HEAP_LEAF       256
#define CLADE_HEAP_KEY_TYPE   CLADE_U32
#define CLADE_HEAP_VALUE_TYPE VALUE
#define CLADE_LOCAL_BYTES     65536
#include "host/device.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* At its schedule point another group comes in between. */
static void come_between(const char *function);
#define CLADE_SCHEDULE_HOOK(where, word, salt) come_between(where)

enum { BATCH = CLADE_HEAP_BATCH, LEAF = CLADE_HEAP_LEAF }; /* the header undefines them */

#define CLADE_HEAP_ENGINE CLADE_HEAP_FRONT
#include "clade/heap.clh"

#include "heap/front/host_front.h"

enum { CAPACITY = 1 << 17, MOST = 1 << 17 };

static void *heap;
static clade_heap_scratch other; /* of the group that comes between */
static uint wrong, next_id, taken;
static uint batches, between; /* so many batches are to be put into the leaf of key `between` */
static uint keys[MOST], took[MOST]; /* by number; as they come */
static unsigned char out[MOST];

static void expect(bool good, const char *what)
{
    if (good || wrong++ >= 8)
        return;
    fprintf(stderr, "%s\n", what);
}

static uint word(uint at)
{
    return clade_load_relaxed((clade_front_words)heap + at);
}

static void insert(__local clade_heap_scratch *s, uint first, uint step)
{
    for (uint i = 0; i < BATCH; i++, next_id++) {
        keys[next_id] = first + i * step;
        clade_heap_set_bits_wi(s, i, keys[next_id], next_id);
    }
    expect(clade_heap_insert_wg(heap, s, BATCH) == CLADE_OK, "an insert is refused");
}

static uint take(__local clade_heap_scratch *s, uint *last)
{
    uint got = 0;
    expect(clade_heap_pop_wg(heap, s, BATCH, &got) == CLADE_OK, "a pop gave up");
    for (uint i = 0; i < got; i++) {
        const uint id = (uint)clade_heap_value_bits_wi(s, i);
        expect(clade_heap_key_wi(s, i) >= *last, "keys are out of order");
        *last = clade_heap_key_wi(s, i);
        took[(taken + i) % MOST] = *last;
        expect(VALUE == CLADE_NONE || (id < next_id && keys[id] == *last && out[id]++ == 0),
               "a key that is another's");
    }
    taken += got;
    return got;
}

static void come_between(const char *function)
{
    if (batches == 0 || strcmp(function, "clade_heap_front_freeze_window_wg") != 0)
        return;
    const uint all = batches;
    batches = 0;
    for (uint b = 0; b < all; b++)
        insert(&other, between + b * BATCH * 1000u, 1000u);
}

/* As groups do that wait: they look up and sort until nothing is left to do. */
static void help(__local clade_heap_scratch *s)
{
    clade_heap_front_heap h = clade_heap_front_open_wi(heap);
    const uint epoch = clade_front_enter_wi(h.head);
    for (uint t = 0; t < 4000 && clade_heap_front_help_wg(h, s, t); t++)
        continue;
    clade_front_leave_wi(h.head, epoch);
}

static void expect_looked_up(void)
{
    clade_heap_front_heap h = clade_heap_front_open_wi(heap);
    const uint head = word(CLADE_FRONT_W_RING_HEAD), tail = word(CLADE_FRONT_W_RING_TAIL);
    uint key = word(CLADE_FRONT_W_BOUNDED) ? word(CLADE_FRONT_W_BOUND) + 1u : 0, at = head,
         most = 0;
    bool more = true;
    for (; more && at != tail; at++) {
        const clade_heap_front_place place = clade_heap_front_walk_wi(h, key);
        const clade_front_words slot = h.ring + (size_t)(at % CLADE_FRONT_RING) * 2u;
        const clade_front_words l = clade_heap_front_leaf(h, place.ref >> 1);
        const uint shift = clade_load_relaxed(l + CLADE_FRONT_L_SHIFT),
                   count = clade_load_relaxed(l + CLADE_FRONT_L_COUNT);
        expect(clade_load_relaxed(slot) == place.ref >> 1, "another leaf is listed");
        expect(clade_load_relaxed(slot + 1) == clade_load_relaxed(l + CLADE_FRONT_L_STAMP),
               "another stamp");
        expect(at - head >= CLADE_FRONT_WINDOW || shift == 0 ||
                   clade_load_relaxed(l + CLADE_FRONT_L_SORTED) == count,
               "a leaf that is needed soon was not sorted");
        most = max(most, 32u - shift);
        key = clade_heap_front_last(clade_heap_front_load_key(l + CLADE_FRONT_L_LOW), shift) + 1u;
        more = key != 0;
    }
    expect(at == tail, "more is listed than there is");
    expect(more ? tail - head >= CLADE_FRONT_WINDOW : word(CLADE_FRONT_W_RING_ENDED) != 0,
           "not all was looked up");
    printf("%u leaves, up to %u bits deep\n", tail - head, most);
}

static void begin(void)
{
    heap = host_front_new(CAPACITY, BATCH, LEAF);
    memset(out, 0, sizeof out);
    next_id = taken = batches = 0;
}

static int compare(const void *a, const void *b)
{
    const uint x = *(const uint *)a, y = *(const uint *)b;
    return (x > y) - (x < y);
}

static void end(__local clade_heap_scratch *s, const char *what)
{
    uint last = 0;
    while (take(s, &last) > 0)
        continue;
    expect(taken == next_id, "not as many keys came out as went in");
    qsort(keys, next_id, sizeof *keys, compare);
    qsort(took, next_id, sizeof *took, compare);
    expect(memcmp(keys, took, next_id * sizeof *keys) == 0, "other keys came out");
    const char *said = host_front_check(heap, CAPACITY, LEAF, 0);
    expect(!said, said);
    free(heap);
    printf("%s: %u keys, %u wrong\n", what, next_id, wrong);
}

/* Keys all over, some crowds, and one key very often; the bound moves in between. */
static void looked_up(void *argument, void *local)
{
    const uint crowds = *(const uint *)argument;
    uint last = 0;
    begin();
    for (uint b = 0; b < 700; b++) {
        const uint at = b * 0x9e3779b9u;
        const uint crowd = (b % 7u + 1u) * 0x1a2b3c4du;
        insert(local, b % 4u < crowds ? crowd + (at >> 24) : at,
               b % 4u < crowds ? 1u + b % 3u * 40u : 0x01234567u);
    }
    for (uint b = 0; b < 40; b++)
        insert(local, 0x33333333u, 0u);
    for (uint round = 0; round < 4; round++) {
        help(local);
        expect_looked_up();
        for (uint t = 0; t < 60; t++)
            take(local, &last);
        clade_store_relaxed((clade_front_words)heap + CLADE_FRONT_W_RING_STALE, 1u);
        clade_store_relaxed((clade_front_words)heap + CLADE_FRONT_W_RING_HEAD,
                            word(CLADE_FRONT_W_RING_TAIL));
    }
    end(local, "looked up");
}

/* Keys that come to leaves that were sorted ahead: few, or many. */
static void grown(void *argument, void *local)
{
    const uint more = *(const uint *)argument;
    begin();
    for (uint b = 0; b < 150; b++)
        insert(local, b * 0x01111111u, 0x0e38e38fu);
    help(local);
    for (uint b = 0; b < more; b++)
        insert(local, 0x70000000u - b * 0x00313131u, 0x00fedcbau);
    end(local, "grown meanwhile");
}

/* While an owner takes over the root's 16 leaves, *argument batches come to one of them. */
static void changed(void *argument, void *local)
{
    uint last = 0;
    begin();
    for (uint b = 0; b < 60; b++) /* 20 keys in a leaf but the one */
        insert(local, b % 3u == 0 ? 0x50000000u + b * 4096u : b * 0x04000000u,
               b % 3u == 0 ? 100u : 0x11111111u);
    help(local);
    batches = *(const uint *)argument;
    between = 0x51000000u;
    take(local, &last);
    expect(batches == 0, "nobody came between: this test sees nothing");
    expect(word(CLADE_FRONT_W_BOUND) > between,
           "the bound is not beyond the leaf: this test sees nothing");
    end(local, "changed meanwhile");
}

int main(void)
{
    alarm(100);
    host_front_value_type = VALUE;
    for (uint crowds = 0; crowds < 4; crowds++)
        shim_launch(looked_up, &crowds, 1, 1, sizeof(clade_heap_scratch));
    for (uint all = 1; all < 40; all += all < 4 ? 1 : 7)
        shim_launch(changed, &all, 1, 1, sizeof(clade_heap_scratch));
    for (uint more = 1; more < 40; more += 2)
        shim_launch(grown, &more, 1, 1, sizeof(clade_heap_scratch));
    printf("%u wrong\n", wrong);
    return wrong != 0;
}

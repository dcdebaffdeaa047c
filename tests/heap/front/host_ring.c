/* SPDX-License-Identifier: Apache-2.0 */
/* The front engine's ring of leaves that were looked up ahead, in states that groups meet seldom:
 * it lists the heap twice, it is full, a place of it is read late. */
#define CLADE_HEAP_BATCH      16
#define CLADE_HEAP_LEAF       256
#define CLADE_HEAP_KEY_TYPE   CLADE_U32
#define CLADE_HEAP_VALUE_TYPE CLADE_U32
#define CLADE_LOCAL_BYTES     65536
#include "host/device.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

/* At a schedule point item 0 falls behind the others of its group. */
static bool late;
static void fall_behind(void)
{
    if (late)
        nanosleep(&(struct timespec) { .tv_nsec = 2000000 }, NULL);
}
#define CLADE_SCHEDULE_HOOK(where, word, salt) fall_behind()

#define CLADE_HEAP_ENGINE CLADE_HEAP_FRONT
#include "clade/heap.clh"

#include "heap/front/host_front.h"

enum { CAPACITY = 32768, BATCH = 16, LEAF = 256, KEYS = 320, BATCHES = KEYS / BATCH };
enum {
    ITEMS = CLADE_GROUP_SCALAR ? 1 : 20
}; /* of a group: a leaf's second place in the ring is another item's */

static void *heap;
static uint wrong;

static void expect(bool good, const char *what)
{
    if (good || get_local_id(0) != 0)
        return;
    fprintf(stderr, "%s\n", what);
    wrong++;
}

static uint word(uint at)
{
    return clade_load_relaxed((clade_front_words)heap + at);
}

static void set(uint at, uint value)
{
    clade_store_relaxed((clade_front_words)heap + at, value);
}

/* KEYS keys over the whole range, in all of the root's 16 leaves. */
static void fill(__local clade_heap_scratch *s)
{
    for (uint b = 0; b < BATCHES; b++) {
        for (uint i = get_local_id(0) == 0 ? 0 : BATCH; i < BATCH; i++)
            clade_heap_set_wi(s, i, (b * BATCH + i) * (0xffffffffu / KEYS) + 1u, b * BATCH + i);
        expect(clade_heap_insert_wg(heap, s, BATCH) == CLADE_OK, "an insert was refused");
    }
}

static void drain(__local clade_heap_scratch *s)
{
    unsigned char seen[KEYS] = { 0 };
    uint got = 1, all = 0, last = 0;
    for (uint t = 0; t < 4 * BATCHES && got > 0; t++) {
        expect(clade_heap_pop_wg(heap, s, BATCH, &got) == CLADE_OK, "a pop gave up");
        barrier(0);
        for (uint i = 0; i < got; i++, all++) {
            const uint id = clade_heap_value_wi(s, i) % KEYS;
            expect(!seen[id], "a key came out twice");
            expect(clade_heap_key_wi(s, i) >= last, "keys are out of order");
            last = clade_heap_key_wi(s, i);
            seen[id] = 1;
        }
    }
    expect(all == KEYS, "not as many keys came out as went in");
}

/* As groups do that wait: they look up and sort until nothing is left to do. */
static void help(__local clade_heap_scratch *s)
{
    clade_heap_front_heap h = clade_heap_front_open_wi(heap);
    barrier(0);
    const uint epoch = get_local_id(0) == 0 ? clade_front_enter_wi(h.head) : 0;
    for (uint t = 0; t < 100 && clade_heap_front_help_wg(h, s, t); t++)
        continue;
    if (get_local_id(0) == 0)
        clade_front_leave_wi(h.head, epoch);
    barrier(0);
}

/* Each place of the ring from `at` on names a leaf, and how often that one was allocated. */
static void expect_listed(clade_heap_front_heap h, uint at)
{
    const uint count = word(CLADE_FRONT_W_RING_TAIL) - at;
    expect(count == 16, "not as many leaves are listed as the root has");
    for (uint i = 0; i < count; i++) {
        clade_front_words place = h.ring + (size_t)((at + i) % CLADE_FRONT_RING) * 2u;
        const uint leaf = clade_load_relaxed(place);
        expect(leaf != 0 && clade_load_relaxed(place + 1) ==
                                clade_load_relaxed(h.leaves + (size_t)leaf * CLADE_FRONT_LINE +
                                                   CLADE_FRONT_L_STAMP),
               "a place's leaf, or its stamp");
    }
}

/* Whoever looks up begins anew `times` times while the bound stands still. */
static void listed(void *argument, void *local)
{
    const uint times = *(const uint *)argument;
    fill(local);
    for (uint t = 0; t < times; t++) {
        set(CLADE_FRONT_W_RING_STALE, 1);
        help(local);
        expect(word(CLADE_FRONT_W_RING_TAIL) - word(CLADE_FRONT_W_RING_HEAD) <= CLADE_FRONT_RING,
               "places of the ring that are not read yet are written again");
    }
    drain(local);
}

/* A place is read by somebody who was told of it a ring's length ago. */
static void read_late(void *argument, void *local)
{
    __local clade_heap_scratch *s = local;
    clade_heap_front_heap h = clade_heap_front_open_wi(heap);
    const uint at = word(CLADE_FRONT_W_RING_HEAD);
    const uint kept = CLADE_FRONT_RING - CLADE_FRONT_LOOK;
    (void)argument;
    fill(s);
    const uint epoch = clade_front_enter_wi(h.head);
    clade_heap_front_look_ahead_wg(h, s);
    const uint tail = word(CLADE_FRONT_W_RING_TAIL);
    expect_listed(h, at);
    expect(clade_heap_front_unsorted_wi(h, at) != 0, "the first leaf is sorted already");
    set(CLADE_FRONT_W_RING_TAIL, at + kept + 1);
    uint leaf = clade_heap_front_lock_unsorted_wi(h, at).leaf;
    expect(leaf == 0, "a place that may have been written meanwhile was believed");
    set(CLADE_FRONT_W_RING_TAIL, at + kept);
    leaf = clade_heap_front_lock_unsorted_wi(h, at).leaf;
    expect(leaf != 0, "a place of the ring was not believed");
    if (leaf != 0)
        clade_store_release(h.leaves + (size_t)leaf * CLADE_FRONT_LINE + CLADE_FRONT_L_LOCK, 0);
    set(CLADE_FRONT_W_RING_TAIL, tail);
    clade_front_leave_wi(h.head, epoch);
    drain(s);
}

static void run(void (*kernel)(void *argument, void *local), uint times, const char *what)
{
    const uint before = wrong;
    late = times == 2;
    heap = host_front_new(CAPACITY, BATCH, LEAF);
    shim_launch(kernel, &times, 1, kernel == read_late ? 1 : ITEMS, sizeof(clade_heap_scratch));
    const char *said = host_front_check(heap, CAPACITY, LEAF, 0);
    expect(!said, said);
    expect(host_front_is_left(heap), "an operation began and did not end");
    free(heap);
    printf("%s: %s\n", what, wrong > before ? "WRONG" : "fine");
}

int main(void)
{
    run(listed, 1, "listed once");
    run(listed, 2, "listed twice");
    run(listed, 100, "listed until the ring is full");
    run(read_late, 0, "read late");
    return wrong != 0;
}

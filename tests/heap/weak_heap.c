/* SPDX-License-Identifier: Apache-2.0 */
/* clade/heap.clh, each engine by -DCLADE_HEAP_ENGINE: inserts and pops of a few keys. A key's value
 * is its number, mostly the key itself; who puts it in writes the number's payload plainly before,
 * who gets it reads the payload plainly and changes it. Afterwards the heap is drained, in order.
 */
#define CLADE_SPIN_LIMIT      4000u
#define CLADE_HEAP_KEY_TYPE   CLADE_U32
#define CLADE_HEAP_VALUE_TYPE CLADE_U32
#define CLADE_GROUP_SCALAR    1
#define CLADE_LOCAL_BYTES     65536
#if CLADE_HEAP_ENGINE == 3
#define CLADE_HEAP_BATCH       4
#define CLADE_HEAP_LEAF        256
#define CLADE_FRONT_PUSH_LEAST 2u
#define CLADE_FRONT_MARK       24u
#define IS_FRONT               1
#else
#define CLADE_HEAP_BATCH   2
#define CLADE_HEAP_REGIONS 5
#define IS_FRONT           0
#endif
#include "relacy/device.h"

enum { BATCH = CLADE_HEAP_BATCH, ENGINE = CLADE_HEAP_ENGINE };

#include "clade/heap.clh"

#include "heap/front/host_front.h"
#include "heap/heap_memory.h"

enum { CAPACITY = IS_FRONT ? 4096 : 24, LEAF = 256, KEYS = 512, DRAIN = 512 };

static void *heap;
static uint payload[KEYS];
static int in[4][KEYS], out[4][KEYS];
static clade_heap_scratch scratch[4];
static uint last[4]; /* key that the thread got last */
static uint same;    /* not 0: the key of every number; */
static uint nearly;  /* not 0: of three in four, and the next key of the others */

static uint key_of(uint number)
{
    return same == 0 ? number : nearly && number % 4 == 0 ? same + 1 : same;
}

static size_t make(void)
{
    if (IS_FRONT) {
        heap = host_front_new(CAPACITY, BATCH, LEAF);
        return host_front_bytes(CAPACITY, LEAF);
    }
    heap = heap_memory_new(CAPACITY, BATCH, ENGINE);
    return heap_memory_bytes(CAPACITY, BATCH);
}

void weak_setup(void)
{
    const size_t bytes = make();
    weak_share(heap, bytes, "heap");
    weak_share(payload, sizeof payload, "payload");
}

static void insert(uint me, uint first, uint count)
{
    clade_heap_scratch *const s = &scratch[me];
    uint left = count;
    for (uint i = 0; i < count; i++) {
        const uint number = first + i * (same ? 1 : 3);
        payload[number] = number + 1;
        clade_heap_set_wi(s, i, key_of(number), number);
        in[me][number]++;
    }
    int status = CLADE_E_BUSY;
    for (uint tries = 0; tries < 8 && status == CLADE_E_BUSY; tries++) {
        status = clade_heap_insert_wg(heap, s, left);
        left -= clade_heap_taken_wi(s);
    }
    WEAK_CHECK(status == CLADE_OK);
}

/* Whether the heap gave something. */
static bool pop_(uint me, uint count)
{
    clade_heap_scratch *const s = &scratch[me];
    uint got = 0;
    int status = CLADE_E_BUSY;
    for (uint tries = 0; tries < 8 && status == CLADE_E_BUSY && got == 0; tries++)
        status = clade_heap_pop_wg(heap, s, count, &got);
    WEAK_CHECK(status == CLADE_OK && got <= count);
    for (uint i = 0; i < got; i++) {
        const uint key = clade_heap_key_wi(s, i), number = clade_heap_value_wi(s, i);
        WEAK_CHECK(number < KEYS && key == key_of(number));
        WEAK_CHECK(i == 0 || clade_heap_key_wi(s, i - 1) <= key);
        WEAK_CHECK(payload[number] == number + 1);
        payload[number] = 0; /* who got it has it alone */
        out[me][number]++;
        last[me] = key;
    }
    return got > 0;
}

static void begin(void)
{
    memset(in, 0, sizeof in);
    memset(out, 0, sizeof out);
    memset(last, 0, sizeof last);
    memset(scratch, 0x5a, sizeof scratch);
    same = nearly = 0;
}

/* Six keys: with batches of two, three nodes or so. */
static void begin_some(void)
{
    begin();
    insert(3, 100, 2);
    insert(3, 50, 2);
    insert(3, 20, 2);
}

static void begin_many(void)
{
    begin();
    for (uint i = 0; i < 7; i++)
        insert(3, 20 + i * 13, 2);
}

static const char *end(void)
{
    uint before = 0, drained = 0;
    clade_heap_scratch *const s = &scratch[3];
    for (uint got = 1; got > 0 && drained <= DRAIN;) {
        if (clade_heap_pop_wg(heap, s, BATCH, &got) != CLADE_OK)
            return "a heap at rest is busy";
        for (uint i = 0; i < got; i++, drained++) {
            const uint key = clade_heap_key_wi(s, i), number = clade_heap_value_wi(s, i);
            if (number >= KEYS || key != key_of(number) || key < before)
                return "the heap is out of order";
            before = key;
            out[3][number]++;
        }
    }
    for (uint key = 0; key < KEYS; key++) {
        int left = 0;
        for (uint t = 0; t < 4; t++)
            left += in[t][key] - out[t][key];
        if (left != 0)
            return left > 0 ? "a key is lost" : "a key came twice";
    }
    return IS_FRONT ? host_front_check(heap, CAPACITY, LEAF, 0) : NULL;
}

static void insert_and_pop(uint me)
{
    insert(me, 10 + me, 1);
    WEAK_CHECK(pop_(me, 1)); /* each put one in before */
}

static void insert_beside_pop(uint me)
{
    if (me == 0) {
        insert(me, 30, 2);
        insert(me, 60, 2);
    } else {
        pop_(me, 2);
        pop_(me, 2);
    }
}

static void two_insert(uint me)
{
    insert(me, 10 + me * 44, 2);
    insert(me, 25 + me * 44, 2);
}

/* What one gets from a heap that nobody puts into rises. */
static void two_pop(uint me)
{
    for (uint i = 0; i < 3; i++) {
        const uint before = last[me];
        WEAK_CHECK(pop_(me, 2));
        WEAK_CHECK(last[me] > before);
    }
}

static void drain_beside_insert(uint me)
{
    if (me == 0) {
        insert(me, 5, 2);
    } else {
        while (pop_(me, BATCH)) {
        }
    }
}

static void mixed(uint me)
{
    if (me == 0) {
        insert(me, 11, 2);
        pop_(me, 2);
    } else if (me == 1) {
        pop_(me, 2);
        insert(me, 73, 2);
    } else {
        pop_(me, 1);
        insert(me, 150, 2);
    }
}

#if IS_FRONT
/* More than a leaf of one key: what comes then is pushed onto its chain. */
static void begin_equal(void)
{
    begin();
    same = 200;
    for (uint i = 0; i < 72; i++)
        insert(3, i * 4, 4);
}

static void push_equal(uint me)
{
    if (me == 2) {
        pop_(me, 4);
        pop_(me, 4);
    } else {
        insert(me, 440 + me * 8, 4);
        insert(me, 444 + me * 8, 4);
    }
}

/* A leaf of one key, with a chain, that is just below the mark at which another takes its place. No batch is of one
 * key, so none is pushed. */
static void begin_marked(void)
{
    begin();
    same = 200, nearly = 1;
    for (uint i = 0; i < 92; i++) /* the first leaf is full: 20 are in the next */
        insert(3, i * 4, 4);
}

static void pass_mark(uint me)
{
    if (me == 2)
        pop_(me, 4);
    else
        insert(me, 440 + me * 4, 4);
}

/* A batch that belongs into the front, which two others take from and put into. */
static void begin_front(void)
{
    begin_many();
    clade_heap_scratch *const s = &scratch[3];
    uint got;
    clade_heap_pop_wg(heap, s, 1, &got); /* the others are the front's now */
    out[3][clade_heap_value_wi(s, 0)]++;
}

static void three_join(uint me)
{
    insert(me, 31 + me * 20, 4);
    if (me == 2)
        pop_(me, 3);
}

#define TIMES(n) ((n) / 4)
#else
#define TIMES(n) (n)
#endif

const weak_world weak_worlds[] = {
    { "heap: insert and pop", 2, begin, insert_and_pop, end, TIMES(10000), 0 },
    { "heap: insert beside pop, empty", 2, begin, insert_beside_pop, end, TIMES(10000), 0 },
    { "heap: insert beside pop", 2, begin_some, insert_beside_pop, end, TIMES(10000), 0 },
    { "heap: two insert", 2, begin_some, two_insert, end, TIMES(10000), 0 },
    { "heap: three insert", 3, begin, two_insert, end, TIMES(10000), 0 },
    { "heap: two pop", 2, begin_many, two_pop, end, TIMES(10000), 0 },
    { "heap: one drains, one inserts", 2, begin_many, drain_beside_insert, end, TIMES(10000), 0 },
    { "heap: three do either", 3, begin_many, mixed, end, TIMES(10000), 0 },
#if IS_FRONT
    { "front: three put into it, one takes", 3, begin_front, three_join, end, 3000, 0 },
    { "front: one key, pushed and taken", 3, begin_equal, push_equal, end, 1500, 0 },
    { "front: one key, a leaf hands over", 3, begin_marked, pass_mark, end, 1500, 0 },
#endif
    { 0 },
};

const weak_needed weak_needed_orders[] = {
#if IS_FRONT
    { "clade_heap_front_append_wg", "fence_release" },
    { "clade_heap_front_offer_wi", "store_release" },
    { "clade_heap_front_await_wi", "and_acquire" },
    { "clade_heap_front_claim_wi", "cas_acquire" },
    { "clade_front_tidy_wi", "cas_acquire" },
    { "clade_front_tidy_wi", "store_release" },
#else
    { "cladei_heap_acquire_wi", "fence" },
    { "cladei_heap_lock_child_wi", "fence" },
    { "clade_heap_leave", "store_release" },
    { "clade_heap_arrive", "fence_release" },
    { "clade_heap_take_last_wi", "fence_acquire" },
    { "clade_heap_unlock_family", "fence_release" },
#endif
    { 0 },
};

/* SPDX-License-Identifier: Apache-2.0 */
/* The heap's front engine when memory ends in the middle of a spill: a front with several leaves'
 * keys that are all equal gives them back to one leaf and its chain, and at each of these steps
 * there may be no block. Or the bound lies deep in the trie, the keys far below it, and some levels
 * up a directory is made for them. Every key that was inside comes out, and no unit is lost. */
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

enum { BATCH = CLADE_HEAP_BATCH, LEAF = CLADE_HEAP_LEAF }; /* the header undefines them */

#define CLADE_HEAP_ENGINE CLADE_HEAP_FRONT
#include "clade/heap.clh"

#include "heap/front/host_front.h"
#include "heap/front/host_units.h"

enum { CAPACITY = 16384, MOST = 4096, ITEMS = CLADE_GROUP_SCALAR ? 1 : 5 };

static void *heap;
static uint wrong, next_id, spills;
static unsigned char in[MOST],
    out[MOST]; /* of each value: whether it was taken in, how often it came out */

/* One item of the group keeps the books. */
static bool leads(void)
{
    return get_local_id(0) == 0;
}

static void expect(bool good, const char *what)
{
    if (good || !leads())
        return;
    fprintf(stderr, "%s\n", what);
    wrong++;
}

/* Keys from `key` on, each `step` after the one before. */
static clade_i32 insert_from(__local clade_heap_scratch *s, uint key, uint step)
{
    for (uint i = 0; leads() && i < BATCH; i++)
        clade_heap_set_wi(s, i, key + i * step, next_id + i);
    const clade_i32 status = clade_heap_insert_wg(heap, s, BATCH);
    if (leads()) {
        memset(in + next_id, 1, BATCH);
        for (uint i = clade_heap_taken_wi(s); i < BATCH; i++)
            in[clade_heap_value_wi(s, i - clade_heap_taken_wi(s))] = 0;
        next_id += BATCH;
    }
    barrier(0);
    return status;
}

static clade_i32 insert(__local clade_heap_scratch *s, uint key)
{
    return insert_from(s, key, 0);
}

static uint take(__local clade_heap_scratch *s)
{
    uint got = 0;
    expect(clade_heap_pop_wg(heap, s, BATCH, &got) == CLADE_OK, "a pop gave up");
    for (uint i = 0; leads() && i < got; i++)
        out[clade_heap_value_wi(s, i)]++;
    barrier(0);
    return got;
}

/* What groups that find the front owned do: leaves are looked up, and those with keys sorted. */
static void look_ahead(__local clade_heap_scratch *s)
{
    clade_heap_front_heap h = clade_heap_front_open_wi(heap);
    const uint epoch = leads() ? clade_front_enter_wi(h.head) : 0;
    for (uint t = 0; t < 64; t++)
        clade_heap_front_help_wg(h, s, t);
    if (leads())
        clade_front_leave_wi(h.head, epoch);
    barrier(0);
}

static host_units hidden;

/* The first item takes all units of a pool but `keep`. */
static void hide(uint pool, uint keep)
{
    if (leads())
        hidden = host_units_hide(heap, pool, keep);
    barrier(0);
}

/* What was hidden is there again, and all comes out. */
static void end(__local clade_heap_scratch *s, uint pool)
{
    if (leads()) {
        spills += clade_load_relaxed((clade_front_words)heap + CLADE_FRONT_S_SPILLS);
        host_units_show(heap, pool, hidden);
    }
    barrier(0);
    while (take(s) > 0)
        continue;
    for (uint id = 0; leads() && id < next_id; id++)
        expect(in[id] == out[id], in[id] ? "a key was lost" : "a key that was refused came out");
}

/* *argument: how many leaves are left when the front is spilled. */
static void run_deep(void *argument, void *local)
{
    __local clade_heap_scratch *s = local;
    enum { DENSE = 1 << 20, KEYS = 1280, LOW = 1024 };
    for (uint i = 0; i < KEYS; i += BATCH)
        expect(insert_from(s, DENSE + i, 1) == CLADE_OK, "an insert is refused");
    take(s);
    const uint bound = clade_load_relaxed((clade_front_words)heap + CLADE_FRONT_W_BOUND);
    expect(bound > DENSE && bound < DENSE + KEYS, "the bound is not deep: this test sees nothing");
    hide(CLADE_FRONT_POOL_LEAVES, *(const uint *)argument);
    for (uint i = 0; i < LOW; i += BATCH)
        insert_from(s, 3 + i * 3, 3);
    end(s, CLADE_FRONT_POOL_LEAVES);
}

/* The same of blocks, and of equal keys. */
static void run(void *argument, void *local)
{
    __local clade_heap_scratch *s = local;
    enum { EQUAL = 5 * LEAF, KEY = 77 };
    for (uint i = 0; i < EQUAL / BATCH; i++)
        expect(insert(s, KEY) == CLADE_OK, "an insert is refused");
    look_ahead(s);
    take(s); /* refills the front with all of them: the chain, and then the leaf that has it */
    expect(clade_load_relaxed((clade_front_words)heap + CLADE_FRONT_W_BOUND) >= KEY,
           "the leaf is not the front's: this test sees nothing");
    hide(CLADE_FRONT_POOL_BLOCKS, *(const uint *)argument);
    for (uint i = 0; i < 6; i++) /* the front only grows: after some it is spilled */
        insert(s, 3 + i);
    end(s, CLADE_FRONT_POOL_BLOCKS);
}

static void world(void (*load)(void *argument, void *local), uint keep)
{
    memset(in, 0, sizeof in);
    memset(out, 0, sizeof out);
    next_id = 0;
    heap = host_front_new(CAPACITY, BATCH, LEAF);
    shim_launch(load, &keep, 1, ITEMS, sizeof(clade_heap_scratch));
    const char *said = host_front_check(heap, CAPACITY, LEAF, 0);
    expect(!said, said);
    if (wrong > 0)
        fprintf(stderr, "with %u units left\n", keep);
    free(heap);
}

/* At the small size this program takes every fourth world under ThreadSanitizer and the rest under
 * the other, so that the two of a day have all of them. */
#if defined(__SANITIZE_THREAD__)
enum { RACES = 1 };
#else
enum { RACES = 0 };
#endif

static bool is_mine(uint number)
{
    const char *size = getenv("CLADE_TEST_SIZE");
    return !size || strcmp(size, "small") != 0 || (number % 4 == 1) == RACES;
}

int main(void)
{
    uint number = 0;
    alarm(100);
    for (uint keep = 0; keep < 140; keep += 5)
        if (is_mine(number++))
            world(run, keep);
    for (uint keep = 0; keep < 80; keep++)
        if (is_mine(number++))
            world(run_deep, keep);
    expect(spills > 0, "nothing was spilled: this test sees nothing");
    printf("%u spills, %u wrong\n", spills, wrong);
    return wrong != 0;
}

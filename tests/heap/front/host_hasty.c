/* SPDX-License-Identifier: Apache-2.0 */
/* The heap's front engine where every wait gives up after a few looks: owners, members of rounds,
 * splitters, groups in line; and where memory ends as well, in half of the worlds. Whatever is
 * given up, each key that was taken in comes out once, none that was left out does, and in the end
 * no unit, slot or round is lost. */
static unsigned patience; /* looks of a wait; a world's own, and many for the end */
#define CLADE_SPIN_LIMIT patience
#ifdef __SANITIZE_THREAD__
/* A late member of a broken round reads what may be another's, and drops it: a race by its name. */
#define CLADE_FRONT_TOGETHER 1
#pragma GCC diagnostic ignored "-Wtype-limits" /* what has at most 0 others */
#endif
#define CLADE_HEAP_BATCH       16
#define CLADE_HEAP_LEAF        256
#define CLADE_FRONT_PUSH_LEAST 2u /* batches of one key are pushed, however short */
#define CLADE_HEAP_KEY_TYPE    CLADE_U32
#define CLADE_HEAP_VALUE_TYPE  CLADE_U32
#define CLADE_LOCAL_BYTES      65536
#include "host/device.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/end_after.h"
#include "harness/run_for.h"
#include "heap/hasty.h"

enum { BATCH = CLADE_HEAP_BATCH, LEAF = CLADE_HEAP_LEAF }; /* the header undefines them */

#define CLADE_HEAP_ENGINE CLADE_HEAP_FRONT
#include "clade/heap.clh"

#include "heap/front/host_front.h"
#include "heap/front/host_units.h"

#include "lin/gen.h"

enum { CAPACITY = 1 << 16, IDS = 1 << 17, TRIES = 3, HANGS_AFTER = 60, MUCH = 10000000 };

static void *heap;
static uint steps, span, begun, inserts; /* inserts: of 100 operations */
static unsigned char in[IDS], out[IDS]; /* of each value: whether it is in, how often it came out */
static _Atomic uint next_id, full, busy;

/* All items; the first one notes. What is left of a batch after some tries stays out. */
static void insert(__local clade_heap_scratch *s, uint n)
{
    const bool first = get_local_id(0) == 0, equal = n % 8 == 0;
    const uint id = first ? atomic_fetch_add_explicit(&next_id, n, memory_order_relaxed, 0) : 0;
    const uint key = next_random() % span;
    uint left = n;
    clade_i32 status = CLADE_E_BUSY;
    for (uint i = 0; i < n && first; i++) {
        clade_heap_set_wi(s, i, equal ? key : next_random() % span, id + i);
        in[id + i] = 1;
    }
    for (uint t = 0; t < TRIES && left > 0; t++) {
        status = clade_heap_insert_wg(heap, s, left);
        left -= clade_heap_taken_wi(s);
    }
    if (!first)
        return;
    full += left > 0 && status == CLADE_E_FULL;
    busy += left > 0 && status != CLADE_E_FULL;
    for (uint i = 0; i < left; i++)
        in[clade_heap_value_wi(s, i)] = 0;
}

static uint take(__local clade_heap_scratch *s, uint n, clade_i32 *status)
{
    uint got = 0;
    *status = clade_heap_pop_wg(heap, s, n, &got);
    for (uint i = 0; i < got && get_local_id(0) == 0; i++) {
        const uint id = clade_heap_value_wi(s, i);
        expect(i == 0 || clade_heap_key_wi(s, i) >= clade_heap_key_wi(s, i - 1),
               "a batch is out of order");
        expect(id < next_id && __atomic_add_fetch(&out[id % IDS], 1, __ATOMIC_RELAXED) == 1,
               "a key came out twice, or was never inserted");
    }
    return got;
}

static void come_and_go(void *argument, void *local)
{
    uint common = begun * 31u + (uint)get_group_id(0) * 977u + span;
    (void)argument;
    random_state = common + (uint)get_local_id(0);
    for (uint t = 0; t < steps; t++) {
        common = common * 1664525u + 1013904223u; /* the same in all items */
        const uint choice = common >> 8, n = 1 + choice / 100 % BATCH;
        clade_i32 status = CLADE_OK;
        if (choice % 100 < inserts)
            insert(local, n);
        else
            take(local, n, &status);
        busy += status != CLADE_OK && get_local_id(0) == 0;
    }
}

/* With patience, in order. */
static void drain(void *argument, void *local)
{
    __local clade_heap_scratch *s = local;
    clade_i32 status;
    ulong last = 0;
    (void)argument;
    for (uint got = 1; got > 0;) {
        got = take(s, BATCH, &status);
        expect(status == CLADE_OK, "a heap at rest is busy");
        for (uint i = 0; i < got && get_local_id(0) == 0; i++) {
            expect(clade_heap_key_wi(s, i) >= last, "a heap at rest is out of order");
            last = clade_heap_key_wi(s, i);
        }
    }
}

static const char *judge(void)
{
    if (wrong)
        return wrong;
    for (uint id = 0; id < next_id; id++)
        if (in[id] != out[id])
            return in[id] ? "a key was lost" : "a key that was left out came out";
    if (!host_front_is_left(heap))
        return "an operation began and did not end";
    return host_front_check(heap, CAPACITY, LEAF, 0);
}

static const char *world(uint64_t seed)
{
    static const uint spans[] = { 6, 1000, 0xffffffff }, looks[] = { 1, 3, 20, 200 };
    static const uint fewest[] = { 20, 5, 0 };
    host_units hidden[3];
    const uint groups = 3 + gen_below(&seed, 4);
    const uint items = CLADE_GROUP_SCALAR ? 1 : 1 + gen_below(&seed, 4);
    slow = gen_below(&seed, 0xffffffff);
    span = spans[gen_below(&seed, 3)];
    steps = 200 + gen_below(&seed, 600);
    inserts = 45 + gen_below(&seed, 40);
    memset(in, 0, sizeof in);
    memset(out, 0, sizeof out);
    next_id = 0;
    wrong = NULL;
    heap = host_front_new(CAPACITY, BATCH, LEAF);
    begun = (uint)seed;
    for (uint pool = 0; pool < 3; pool++) {
        const uint keep = gen_below(&seed, 2) ? fewest[pool] + gen_below(&seed, 50) : 0xffffffffu;
        hidden[pool] = host_units_hide(heap, pool, keep);
    }
    patience = looks[gen_below(&seed, 4)];
    shim_launch(come_and_go, NULL, groups, items, sizeof(clade_heap_scratch));
    patience = MUCH;
    shim_launch(drain, NULL, 1, items, sizeof(clade_heap_scratch));
    for (uint pool = 0; pool < 3; pool++)
        host_units_show(heap, pool, hidden[pool]);
    const char *said = judge();
    free(heap);
    return said;
}

int main(int count, char **arguments)
{
    const double seconds = run_for_seconds(count, arguments, 4);
    uint64_t seed = shim_seed();
    const char *said = NULL;
    uint worlds = 0;
    do {
        end_after(HANGS_AFTER);
        said = world(seed);
        if (said)
            fprintf(stderr, "%s: CLADE_TEST_SEED=%u\n", said, (uint)seed);
        seed++;
        worlds++;
    } while (!said && run_for_used() < seconds);
    printf("%u worlds, %u inserts refused, %u waits gave up: %s\n", worlds, full, busy,
           said ? "WRONG" : "fine");
    return said != NULL;
}

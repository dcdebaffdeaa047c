/* SPDX-License-Identifier: Apache-2.0 */
/* The heap's front engine on host threads with hardly any free blocks, leaves or directories,
 * counters that are about to wrap, and long delays at every schedule point: every key that was
 * taken in comes out once, none that was refused does, and no unit is lost. */
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

/* A schedule point stops its thread now and then, for longer than others' operations take. */
static void lose_core(uint line);
#define CLADE_SCHEDULE_HOOK(where, word, salt) lose_core(__LINE__)

enum { BATCH = CLADE_HEAP_BATCH, LEAF = CLADE_HEAP_LEAF }; /* the header undefines them */

#define CLADE_HEAP_ENGINE CLADE_HEAP_FRONT
#include "clade/heap.clh"

#include "heap/front/host_front.h"
#include "heap/front/host_units.h"

#include "lin/gen.h"

enum { CAPACITY = 16384, IDS = 1 << 16, TRIES = 8, HANGS_AFTER = 60 };

static _Thread_local uint random_state;
static uint keep[3]; /* units of each pool that a world may use */
static host_units hidden[3];
static void *heap;
static uint steps, span,
    slow; /* slow: at which schedule points of this world, about a quarter of them */
static unsigned char in[IDS],
    out[IDS]; /* of each value: whether it was taken in, how often it came out */
static _Atomic uint next_id, full, busy, wrong;

static uint next_random(void)
{
    random_state = random_state * 1664525u + 1013904223u;
    return random_state >> 8;
}

static void lose_core(uint line)
{
    random_state += line + (uint)get_group_id(0);
    if ((line * 0x9e3779b9u ^ slow) >> 30 == 0 && next_random() % 64 == 0)
        nanosleep(&(struct timespec) { .tv_nsec = next_random() % 3000000 }, NULL);
}

/* Counters that wrap begin shortly before their end: operations and those that ended, places of the
 * ring, the ticket, rounds, and how often each leaf was allocated. */
static void age(clade_front_words head)
{
    const clade_front_words leaves = clade_front_at(head, CLADE_FRONT_C_LEAVES);
    const uint units = clade_front_constant(head, CLADE_FRONT_C_COUNT + CLADE_FRONT_POOL_LEAVES);
    const uint end = 0u - (1u + next_random() % 64u);
    clade_store_relaxed(head + CLADE_FRONT_W_STAMP, end << 2);
    clade_store_relaxed(head + CLADE_FRONT_W_CLOSED, end & 0x3fffffffu);
    for (uint e = 0; e < 4; e++) {
        clade_store_relaxed(head + CLADE_FRONT_W_DONE + e * CLADE_FRONT_LINE, end + e);
        clade_store_relaxed(head + CLADE_FRONT_W_TARGET + e, end + e);
    }
    clade_store_relaxed(head + CLADE_FRONT_W_RING_HEAD, end);
    clade_store_relaxed(head + CLADE_FRONT_W_RING_TAIL, end);
    clade_store_relaxed(head + CLADE_FRONT_W_TICKET, end);
    clade_store_relaxed(head + CLADE_FRONT_W_ROUND, (0u - (1u + next_random() % 4u)) << 2);
    clade_store_relaxed(head + CLADE_FRONT_W_WORD,
                        60u << CLADE_FRONT_TAG_SHIFT | CLADE_FRONT_GUARD);
    for (uint leaf = 1; leaf < units; leaf++)
        clade_store_relaxed(leaves + (size_t)leaf * CLADE_FRONT_LINE + CLADE_FRONT_L_STAMP,
                            0xffffffffu);
}

/* Insert a batch; what is left after some tries was refused. */
static void insert(__local clade_heap_scratch *s)
{
    const uint id = atomic_fetch_add_explicit(&next_id, BATCH, memory_order_relaxed, 0);
    uint left = BATCH;
    clade_i32 status = CLADE_E_BUSY;
    for (uint i = 0; i < BATCH; i++) {
        clade_heap_set_wi(s, i, next_random() % span, id + i);
        in[id + i] = 1;
    }
    for (uint t = 0; t < TRIES && left > 0; t++) {
        status = clade_heap_insert_wg(heap, s, left);
        left -= clade_heap_taken_wi(s);
    }
    full += left > 0 && status == CLADE_E_FULL;
    busy += left > 0 && status != CLADE_E_FULL;
    for (uint i = 0; i < left; i++)
        in[clade_heap_value_wi(s, i)] = 0;
}

static uint take(__local clade_heap_scratch *s)
{
    uint got = 0;
    busy += clade_heap_pop_wg(heap, s, BATCH, &got) != CLADE_OK;
    for (uint i = 0; i < got; i++) {
        const uint id = clade_heap_value_wi(s, i);
        wrong += i > 0 && clade_heap_key_wi(s, i) < clade_heap_key_wi(s, i - 1);
        wrong += id >= next_id || __atomic_add_fetch(&out[id % IDS], 1, __ATOMIC_RELAXED) != 1;
    }
    return got;
}

static void come_and_go(void *argument, void *local)
{
    (void)argument;
    random_state = next_id * 31u + (uint)get_group_id(0) * 977u + span;
    for (uint t = 0; t < steps; t++)
        if (next_random() % 100 < 55)
            insert(local);
        else
            take(local);
}

static void drain(void *argument, void *local)
{
    (void)argument;
    while (take(local) > 0)
        continue;
}

static const char *judge(void)
{
    if (wrong > 0)
        return "a key came out twice, out of order, or was never inserted";
    for (uint id = 0; id < next_id; id++)
        if (in[id] != out[id])
            return in[id] ? "a key was lost" : "a key that was refused came out";
    return host_front_check(heap, CAPACITY, LEAF, 0);
}

static const char *world(uint64_t seed)
{
    static const uint spans[] = { 6, 1000, 0xffffffff };
    const uint groups = 3 + gen_below(&seed, 2);
    const uint items = CLADE_GROUP_SCALAR ? 1 : 1 + gen_below(&seed, 3);
    slow = gen_below(&seed, 0xffffffff);
    span = spans[gen_below(&seed, 3)];
    steps = 200 + gen_below(&seed, 1000);
    keep[CLADE_FRONT_POOL_BLOCKS] = 20 + gen_below(&seed, 60);
    keep[CLADE_FRONT_POOL_LEAVES] = gen_below(&seed, 2) ? 5 + gen_below(&seed, 20) : 0xffffffffu;
    keep[CLADE_FRONT_POOL_DIRS] = gen_below(&seed, 2) ? gen_below(&seed, 3) : 0xffffffffu;
    memset(in, 0, sizeof in);
    memset(out, 0, sizeof out);
    next_id = wrong = 0;
    heap = host_front_new(CAPACITY, BATCH, LEAF);
    random_state = (uint)seed;
    age(heap);
    for (uint pool = 0; pool < 3; pool++)
        hidden[pool] = host_units_hide(heap, pool, keep[pool]);
    shim_launch(come_and_go, NULL, groups, items, sizeof(clade_heap_scratch));
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

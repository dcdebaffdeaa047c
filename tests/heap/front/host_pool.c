/* SPDX-License-Identifier: Apache-2.0 */
/* The front engine's pool of units when hardly any are left and items lose their core between its
 * steps: whoever has a token gets a unit of its own, and nobody is refused what is free. */
#define CLADE_HEAP_BATCH     16
#define CLADE_FRONT_KEY_BITS 32
#ifndef CLADE_FRONT_TOKENS_NEAR
#define CLADE_FRONT_TOKENS_NEAR 1024u
#endif
#include "host/device.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

/* A schedule point calls the test's own function. */
static void pause_here(uint line);
#define CLADE_SCHEDULE_HOOK(where, word, salt) pause_here(__LINE__)

#include "clade/heap/front/pool.clh"
#include "heap/front/host_front.h"

enum { CAPACITY = 32768, LEAF = 256, BLOCKS = CLADE_FRONT_POOL_BLOCKS, NEAR = 10 };

static clade_front_words head;
static _Thread_local uint stop_at; /* the so-manieth schedule point stops this thread; 0: none */
static _Thread_local uint random_state;
static bool delays;
static _Atomic uint stopped, let_go, wrong;
static unsigned char *owned;

static uint next_random(void)
{
    random_state = random_state * 1664525u + 1013904223u;
    return random_state >> 8;
}

static void pause_here(uint line)
{
    (void)line;
    if (stop_at > 0 && --stop_at == 0) {
        stopped = 1;
        while (!let_go)
            sched_yield();
    }
    if (delays && next_random() % 8 == 0)
        nanosleep(&(struct timespec) { .tv_nsec = next_random() % 200000 }, NULL);
}

static void expect(bool good, const char *what)
{
    if (good)
        return;
    fprintf(stderr, "%s\n", what);
    wrong++;
}

static uint units(void)
{
    return clade_front_constant(head, CLADE_FRONT_C_COUNT + BLOCKS) - 1;
}

static uint tokens(void)
{
    return clade_load_relaxed(head + CLADE_FRONT_W_FREE + BLOCKS * CLADE_FRONT_LINE);
}

/* A unit, if there is a token: nobody else has it. */
static uint take_one(uint seed)
{
    const uint unit = clade_front_take_wi(head, BLOCKS, seed);
    expect(unit > 0 && unit <= units(), "a token's holder was given a unit that does not exist");
    if (unit > 0 && unit <= units())
        expect(__atomic_exchange_n(&owned[unit], 1, __ATOMIC_RELAXED) == 0,
               "a unit was given to two");
    return unit;
}

static void give_one(uint unit)
{
    if (unit == 0)
        return;
    __atomic_store_n(&owned[unit], 0, __ATOMIC_RELAXED);
    clade_front_free_wi(head, BLOCKS, unit);
}

/* All that is left, until it is refused: how many. */
static uint take_all(uint *list)
{
    uint n = 0;
    while (clade_front_claim_wi(head, BLOCKS, 1u) && n < units())
        list[n] = take_one(n * 977u), n++;
    return n;
}

static uint *fresh_pool(void)
{
    head = host_front_new(CAPACITY, CLADE_HEAP_BATCH, LEAF);
    owned = calloc(units() + 1, 1);
    stopped = let_go = 0;
    return calloc(units() + 1, sizeof(uint));
}

/* At rest exactly the pool's units can be had. */
static void at_rest(uint *list, uint used)
{
    expect(tokens() == units() - used, "tokens are lost or too many");
    expect(take_all(list) == units() - used, "at rest not all free units can be had");
    free(list);
    free(owned);
    free((void *)head);
}

/* --- somebody stops between the steps of a put ------------------------------------------------ */

static uint held; /* which schedule point */

static void put_while_stopped(void *argument, void *local)
{
    const uint *list = argument;
    (void)local;
    if (get_group_id(0) == 0) {
        stop_at = held;
        give_one(list[0]);
        stop_at = 0; /* the thread is kept for the next launch */
        stopped = 1;
        return;
    }
    while (!stopped)
        sched_yield();
    give_one(list[1]); /* of the same word */
    expect(clade_front_claim_wi(head, BLOCKS, 1u), "a unit that was freed cannot be claimed");
    give_one(take_one(12345u));
    let_go = 1;
}

static void test_stopped_put(uint point)
{
    uint *list = fresh_pool();
    const uint n = take_all(list);
    expect(n == units(), "a fresh pool is not whole");
    held = point;
    list[0] = 33;
    list[1] = 34;
    shim_launch(put_while_stopped, list, 2, 1, 0);
    at_rest(list, n - 2);
}

/* --- few tokens, many that want them -----------------------------------------------------------
 */

static uint steps;

static void come_and_go(void *argument, void *local)
{
    uint mine[8], have = 0;
    (void)argument, (void)local;
    random_state = (uint)get_group_id(0) * 977u + shim_seed();
    for (uint t = 0; t < steps; t++) {
        const uint want = 1 + next_random() % (8 - have);
        if (clade_front_claim_wi(head, BLOCKS, want)) {
            for (uint i = 0; i < want; i++)
                mine[have++] = take_one(next_random());
        }
        while (have > 0 && (have == 8 || next_random() % 3 != 0))
            give_one(mine[--have]);
    }
    while (have > 0)
        give_one(mine[--have]);
}

static void test_nearly_empty(void)
{
    uint *list = fresh_pool();
    uint used = 0;
    while (tokens() > NEAR) {
        clade_front_claim_wi(head, BLOCKS, 1u);
        take_one(used++ * 31u);
    }
    delays = true;
    shim_launch(come_and_go, NULL, 4, 1, 0);
    delays = false;
    at_rest(list, used);
}

/* --- nobody is refused for another's claim that fails ------------------------------------------
 */

static _Atomic uint ended;

/* Of ten tokens two groups want eight each, so one of them has eight at most; one or two are left
 * for the third group's one, always. */
static void refuse_none(void *argument, void *local)
{
    const bool small = get_group_id(0) == 2;
    (void)argument, (void)local;
    random_state = (uint)get_group_id(0) + shim_seed();
    for (uint t = 0; small ? ended < 2 : t < steps; t++) {
        const bool had = clade_front_claim_wi(head, BLOCKS, small ? 1u : 8u);
        pause_here(__LINE__);
        if (had)
            clade_front_unclaim_wi(head, BLOCKS, small ? 1u : 8u);
        else
            expect(!small, "one was refused while another's claim failed");
    }
    ended++;
}

static void test_refuse_none(void)
{
    uint *list = fresh_pool();
    expect(clade_front_claim_wi(head, BLOCKS, tokens() - NEAR), "tokens are there");
    ended = 0;
    delays = true;
    shim_launch(refuse_none, NULL, 3, 1, 0);
    delays = false;
    expect(tokens() == NEAR, "tokens are lost or too many");
    clade_front_unclaim_wi(head, BLOCKS, units() - NEAR);
    at_rest(list, 0);
}

int main(int count, char **arguments)
{
    steps = shim_rounds(count, arguments, 2000);
    printf("seed %u\n", shim_seed());
    alarm(100);
    for (uint point = 1; point <= 3; point++)
        test_stopped_put(point);
    test_nearly_empty();
    test_refuse_none();
    printf("%u wrong\n", wrong);
    return wrong != 0;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* The heap's front engine on host threads: worlds of inserts and pops, each judged by the
 * linearizability checkers and by the library's check of the heap that it left, while the
 * sanitizers look for races and stray accesses.
 *
 *   host_front [SECONDS]     default 2; CLADE_TEST_SEED repeats a run's worlds (not its schedule)
 *
 * Built for both kinds of team, -DCLADE_GROUP_SCALAR, with -DSHIM_RELEASE_FENCES. */
#define CLADE_HEAP_BATCH       16
#define CLADE_HEAP_LEAF        256
#define CLADE_FRONT_PUSH_LEAST 2u /* batches of one key are pushed, however short */
#define CLADE_HEAP_KEY_TYPE    CLADE_U32
#define CLADE_HEAP_VALUE_TYPE  CLADE_U32
#define CLADE_LOCAL_BYTES      65536
#include "host/device.h"

#ifndef CLADE_SCHEDULE
#define CLADE_SCHEDULE 1
#endif

enum { BATCH = CLADE_HEAP_BATCH, LEAF = CLADE_HEAP_LEAF }; /* the header undefines them */

#define CLADE_HEAP_ENGINE CLADE_HEAP_FRONT
#include "heap/heap_history.clh"

#include "heap/front/host_front.h"
#include "host/host_worlds.h"

static size_t splits, rounds; /* of all worlds */

static void *make_heap(uint capacity)
{
    return host_front_new(capacity, BATCH, LEAF);
}

static const char *look(void *heap, uint capacity, const struct history *world)
{
    const uint *head = heap;
    (void)world;
    splits += head[CLADE_FRONT_S_SPLITS];
    rounds += head[CLADE_FRONT_S_JOINED];
    if (!host_front_is_left(heap))
        return "an operation began and did not end";
    return host_front_check(heap, capacity, LEAF, 0);
}

/* A world is small enough for the exact search, or large enough for leaves to split and for the
 * front to be refilled and spilled. */
static uint plan_shape(struct history_shape *shape, uint *capacity, uint64_t seed)
{
    static const uint keys[] = { 6, 1000, 0xffffffff };
    const bool small = gen_below(&seed, 4) == 0;
    *shape = (struct history_shape) { .batch = small ? 4 : BATCH,
                                      .keys = keys[gen_below(&seed, 3)],
                                      .prefill = gen_below(&seed, small ? 7 : 100),
                                      .groups = 2 + gen_below(&seed, 3),
                                      .each = 1 + gen_below(&seed, small ? 4 : 60),
                                      .inserts = small ? 50 : 20 + gen_below(&seed, 70),
                                      .capacity = small ? EXACT : 0,
                                      .singles = 1 };
    shape->drain = shape->prefill + shape->groups * shape->each + 1;
    *capacity = (shape->prefill + shape->groups * shape->each + shape->drain) * shape->batch;
    return CLADE_GROUP_SCALAR ? 1 : 1 + gen_below(&seed, 4);
}

int main(int count, char **arguments)
{
    const struct host_engine engine = {
        .plan = plan_shape, .make = make_heap, .look = look, .seconds = 2
    };
    const int status = host_worlds(count, arguments, &engine);
    printf("%zu splits, %zu batches merged in rounds\n", splits, rounds);
    return status;
}

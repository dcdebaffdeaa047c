/* SPDX-License-Identifier: Apache-2.0 */
/* heap.clh on host threads: thousands of small worlds, each judged by the linearizability checkers,
 * while the sanitizers look for races and stray accesses.
 *
 *   host_heap [SECONDS]      default 3; CLADE_TEST_SEED repeats a run's worlds (not its schedule)
 *
 * Built once for each engine and kind of team: -DCLADE_HEAP_ENGINE, -DCLADE_GROUP_SCALAR,
 * -DCLADE_HEAP_REGIONS. */
#define CLADE_HEAP_BATCH      4
#define CLADE_HEAP_KEY_TYPE   CLADE_U32
#define CLADE_HEAP_VALUE_TYPE CLADE_U32
#define CLADE_LOCAL_BYTES     32768
#include "host/device.h"

#ifndef CLADE_SCHEDULE
#define CLADE_SCHEDULE 1
#endif

enum { ENGINE = CLADE_HEAP_ENGINE }; /* heap.clh undefines it */

#include "heap/heap_history.clh"

#include "heap/heap_memory.h"
#include "host/host_worlds.h"

enum { BATCH = 4, TIGHT = 20, WIDE = 400 };

static void *make_heap(uint capacity)
{
    return heap_memory_new(capacity, BATCH, ENGINE);
}

/* What must hold after a world: nothing inside, no lock held, no node in use, no repair due. */
static const char *look(void *heap, uint capacity, const struct history *world)
{
    const clade_heap_head *head = heap;
    const clade_heap_node *nodes = (const void *)((const char *)head + CLADE_HEAP_NODES_AT);
    if (head->lock != CLADE_HEAP_FREE)
        return "the heap lock is held";
    if (head->repair != 0)
        return "a wait gave up";
    if (head->count != 0 || head->buffer != 0)
        return "the heap is not empty";
    for (uint i = 1; i <= head->nodes; i++)
        if (nodes[i].state != CLADE_HEAP_EMPTY)
            return "a node is not empty";
    return history_capacity(world, capacity);
}

/* A world is small enough for the exact search, or has a tree of several levels. */
static uint plan_shape(struct history_shape *shape, uint *capacity, uint64_t seed)
{
    const bool small = gen_below(&seed, 2);
    *shape = (struct history_shape) { .batch = BATCH,
                                      .keys = gen_below(&seed, 2) ? 6 : 1000,
                                      .prefill = gen_below(&seed, small ? 7 : 24),
                                      .groups = 2 + gen_below(&seed, 3),
                                      .each = 1 + gen_below(&seed, small ? 4 : 6),
                                      .inserts = 50,
                                      .capacity = small ? EXACT : 0 };
    shape->drain = shape->prefill + shape->groups * shape->each + 1;
    *capacity = small && gen_below(&seed, 2) ? TIGHT : WIDE;
    return CLADE_GROUP_SCALAR ? 1 : 1 + gen_below(&seed, 3);
}

int main(int count, char **arguments)
{
    const struct host_engine engine = {
        .plan = plan_shape, .make = make_heap, .look = look, .seconds = 3
    };
    return host_worlds(count, arguments, &engine);
}

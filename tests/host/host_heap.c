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
#include "device.h"

#ifndef CLADE_SCHEDULE
#define CLADE_SCHEDULE 1
#endif

enum { ENGINE = CLADE_HEAP_ENGINE }; /* heap.clh undefines it */

#include "../cl/heap_history.clh"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "../history.h"
#include "../lin/gen.h"

enum { BATCH = 4, TIGHT = 20, EXACT = 32, WIDE = 400, HANGS_AFTER = 60 };

struct run {
    void *heap;
    _Atomic uint clock;
    struct history world;
    uint first, each;
};

static void kernel(void *argument, void *local)
{
    struct run *run = argument;
    heap_history_run_wg(run->heap, local, (clade_global_word)&run->clock, run->world.ops,
                        run->world.keys, run->world.ids, BATCH, run->first, run->each);
}

/* An empty heap, as clade_heap_create() makes it. */
static void *make_heap(uint capacity)
{
    uint nodes = (capacity - 1) / BATCH + 1;
    size_t bytes = CLADE_HEAP_VALUES_AT(nodes, BATCH, 4) + CLADE_HEAP_SLOTS_BYTES(nodes, BATCH, 4);
    clade_heap_head *head = aligned_alloc(128, (bytes + 127) / 128 * 128);
    if (!head)
        abort();
    memset(head, 0, bytes);
    head->nodes = nodes;
    head->capacity[0] = capacity;
    head->shape = CLADE_HEAP_SHAPE(CLADE_U32, CLADE_U32, CLADE_MIN, ENGINE, BATCH);
    return head;
}

static void launch(struct run *run, uint first, uint groups, uint each, uint items)
{
    run->first = first;
    run->each = each;
    shim_launch(kernel, run, groups, items, sizeof(clade_heap_scratch));
}

/* What must hold after a world: nothing inside, no lock held, no node in use, no repair due. */
static const char *look(const clade_heap_head *head)
{
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
    return NULL;
}

struct counts {
    size_t worlds, ops, refused, exact;
};

static const char *one_world(struct counts *counts, const struct history_shape *shape,
                             uint capacity, uint items, uint64_t seed)
{
    struct run run = { 0 };
    const char *wrong = NULL;
    if (!history_alloc(&run.world, shape, 1))
        abort();
    history_plan(&run.world, 0, &seed);
    run.heap = make_heap(capacity);
    launch(&run, 0, 1, shape->prefill, items);
    launch(&run, shape->prefill, shape->groups, shape->each, items);
    launch(&run, shape->prefill + shape->groups * shape->each, 1, shape->drain, items);
    struct history_verdict verdict = history_judge(&run.world, shape->capacity == EXACT);
    counts->worlds++;
    counts->ops += run.world.n;
    counts->refused += verdict.refused;
    counts->exact += verdict.exact == LIN_OK;
    if (verdict.fast < 0)
        wrong = verdict.report.why ? verdict.report.why : "not a history";
    else if (verdict.exact == LIN_BAD)
        wrong = "not linearizable (by search)";
    if (!wrong)
        wrong = history_conserved(&run.world);
    if (!wrong)
        wrong = history_capacity(&run.world, capacity);
    if (!wrong)
        wrong = look(run.heap);
    if (wrong)
        history_print(&run.world);
    free(run.heap);
    history_free(&run.world);
    return wrong;
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
    const char *text = getenv("CLADE_TEST_SEED"), *wrong = NULL;
    uint64_t seed = text && *text ? strtoull(text, NULL, 0) : 0x636c616465u;
    const double seconds = count > 1 ? atof(arguments[1]) : 3;
    struct timespec start, now;
    struct counts counts = { 0 };
    printf("seed %#llx\n", (unsigned long long)seed);
    clock_gettime(CLOCK_MONOTONIC, &start);
    do {
        struct history_shape shape;
        uint capacity, items = plan_shape(&shape, &capacity, seed);
        alarm(HANGS_AFTER);
        wrong = one_world(&counts, &shape, capacity, items, seed);
        if (wrong)
            fprintf(stderr, "%s: CLADE_TEST_SEED=%#llx\n", wrong, (unsigned long long)seed);
        seed++;
        clock_gettime(CLOCK_MONOTONIC, &now);
    } while (!wrong && difftime(now.tv_sec, start.tv_sec) < seconds);
    printf(
        "%zu worlds (%zu judged by search too), %zu operations, %zu refused for want of room: %s\n",
        counts.worlds, counts.exact, counts.ops, counts.refused, wrong ? "WRONG" : "fine");
    return wrong != NULL;
}

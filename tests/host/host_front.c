/* SPDX-License-Identifier: Apache-2.0 */
/* The heap's front engine on host threads: worlds of inserts and deletes, each judged by the
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
#include "device.h"

#ifndef CLADE_SCHEDULE
#define CLADE_SCHEDULE 1
#endif

enum { BATCH = CLADE_HEAP_BATCH, LEAF = CLADE_HEAP_LEAF }; /* the header undefines them */

#define CLADE_HEAP_ENGINE CLADE_HEAP_FRONT
#include "../cl/heap_history.clh"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "../history.h"
#include "../lin/gen.h"

#include "host_front.h"

enum { EXACT = 32, HANGS_AFTER = 60 };

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
                        run->world.keys, run->world.ids, run->world.shape.batch, run->first,
                        run->each);
}

static void launch(struct run *run, uint first, uint groups, uint each, uint items)
{
    run->first = first;
    run->each = each;
    shim_launch(kernel, run, groups, items, sizeof(clade_heap_scratch));
}

struct counts {
    size_t worlds, ops, refused, exact, splits, rounds;
};

static const char *judge(struct counts *counts, const struct history *world)
{
    struct history_verdict verdict = history_judge(world, world->shape.capacity == EXACT);
    counts->ops += world->n;
    counts->refused += verdict.refused;
    counts->exact += verdict.exact == LIN_OK;
    if (verdict.fast < 0)
        return verdict.report.why ? verdict.report.why : "not a history";
    return verdict.exact == LIN_BAD ? "not linearizable (by search)" : history_conserved(world);
}

static const char *one_world(struct counts *counts, const struct history_shape *shape, uint items,
                             uint64_t seed)
{
    struct run run = { 0 };
    if (!history_alloc(&run.world, shape, 1))
        abort();
    const uint capacity = (uint)(run.world.n * shape->batch);
    history_plan(&run.world, 0, &seed);
    run.heap = host_front_new(capacity, BATCH, LEAF);
    launch(&run, 0, 1, shape->prefill, items);
    launch(&run, shape->prefill, shape->groups, shape->each, items);
    launch(&run, shape->prefill + shape->groups * shape->each, 1, shape->drain, items);
    const uint *head = run.heap;
    counts->worlds++;
    counts->splits += head[CLADE_FRONT_S_SPLITS];
    counts->rounds += head[CLADE_FRONT_S_JOINED];
    const char *wrong = judge(counts, &run.world);
    if (!wrong)
        wrong = host_front_check(run.heap, capacity, LEAF, 0);
    if (wrong && run.world.n < 100)
        history_print(&run.world);
    free(run.heap);
    history_free(&run.world);
    return wrong;
}

/* A world is small enough for the exact search, or large enough for leaves to split and for the
 * front to be refilled and spilled. */
static uint plan_shape(struct history_shape *shape, uint64_t seed)
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
    return CLADE_GROUP_SCALAR ? 1 : 1 + gen_below(&seed, 4);
}

int main(int count, char **arguments)
{
    const char *text = getenv("CLADE_TEST_SEED"), *wrong = NULL;
    uint64_t seed = text && *text ? strtoull(text, NULL, 0) : 0x636c616465u;
    const double seconds = count > 1 ? atof(arguments[1]) : 2;
    struct timespec start, now;
    struct counts counts = { 0 };
    printf("seed %#llx\n", (unsigned long long)seed);
    clock_gettime(CLOCK_MONOTONIC, &start);
    do {
        struct history_shape shape;
        uint items = plan_shape(&shape, seed);
        alarm(HANGS_AFTER);
        wrong = one_world(&counts, &shape, items, seed);
        if (wrong)
            fprintf(stderr, "%s: CLADE_TEST_SEED=%#llx\n", wrong, (unsigned long long)seed);
        seed++;
        clock_gettime(CLOCK_MONOTONIC, &now);
    } while (!wrong && difftime(now.tv_sec, start.tv_sec) < seconds);
    printf("%zu worlds (%zu judged by search too), %zu operations, %zu refused, %zu splits, %zu "
           "batches merged in rounds: %s\n",
           counts.worlds, counts.exact, counts.ops, counts.refused, counts.splits, counts.rounds,
           wrong ? "WRONG" : "fine");
    return wrong != NULL;
}

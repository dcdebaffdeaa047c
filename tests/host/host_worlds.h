/* SPDX-License-Identifier: Apache-2.0 */
/* Worlds of inserts and pops on a heap, by host threads: each is filled, worked on by groups at
 * once, drained, and judged. For host_heap.c and host_front.c, behind the heap's device header. */
#pragma once

#include <stdio.h>
#include <stdlib.h>

#include "harness/end_after.h"
#include "harness/run_for.h"
#include "lin/gen.h"
#include "lin/history.h"

enum { EXACT = 32, HANGS_AFTER = 60 };

/* What differs from engine to engine. */
struct host_engine {
    /* A world's shape and its heap's capacity; returns items a group. shape->capacity is EXACT when
     * it is small enough for the exact search. */
    uint (*plan)(struct history_shape *shape, uint *capacity, uint64_t seed);
    void *(*make)(uint capacity);
    /* What is wrong with a heap that was drained, and with its world; NULL: nothing. */
    const char *(*look)(void *heap, uint capacity, const struct history *world);
    double seconds; /* of a processor, to run for when nobody says */
};

struct host_run {
    void *heap;
    _Atomic uint clock;
    struct history world;
    uint first, each;
};

struct host_counts {
    size_t worlds, ops, refused, exact;
};

static void host_kernel(void *argument, void *local)
{
    struct host_run *run = argument;
    heap_history_run_wg(run->heap, local, (clade_global_word)&run->clock, run->world.ops,
                        run->world.keys, run->world.ids, run->world.shape.batch, run->first,
                        run->each);
}

static void host_launch(struct host_run *run, uint first, uint groups, uint each, uint items)
{
    run->first = first;
    run->each = each;
    shim_launch(host_kernel, run, groups, items, sizeof(clade_heap_scratch));
}

static const char *host_judge(struct host_counts *counts, const struct history *world)
{
    struct history_verdict verdict = history_judge(world, world->shape.capacity == EXACT);
    counts->worlds++;
    counts->ops += world->n;
    counts->refused += verdict.refused;
    counts->exact += verdict.exact == LIN_OK;
    if (verdict.fast < 0)
        return verdict.report.why ? verdict.report.why : "not a history";
    return verdict.exact == LIN_BAD ? "not linearizable (by search)" : history_conserved(world);
}

static const char *host_world(struct host_counts *counts, const struct host_engine *engine,
                              uint64_t seed)
{
    struct host_run run = { 0 };
    struct history_shape shape;
    uint capacity;
    const uint items = engine->plan(&shape, &capacity, seed);
    if (!history_alloc(&run.world, &shape, 1))
        abort();
    history_plan(&run.world, 0, &seed);
    run.heap = engine->make(capacity);
    host_launch(&run, 0, 1, shape.prefill, items);
    host_launch(&run, shape.prefill, shape.groups, shape.each, items);
    host_launch(&run, shape.prefill + shape.groups * shape.each, 1, shape.drain, items);
    const char *wrong = host_judge(counts, &run.world);
    if (!wrong)
        wrong = engine->look(run.heap, capacity, &run.world);
    if (wrong && run.world.n < 100)
        history_print(&run.world);
    free(run.heap);
    history_free(&run.world);
    return wrong;
}

/* As many worlds as the seconds (run_for.h) allow; the program's exit status. */
static int host_worlds(int count, char **arguments, const struct host_engine *engine)
{
    const char *text = getenv("CLADE_TEST_SEED"), *wrong = NULL;
    uint64_t seed = text && *text ? strtoull(text, NULL, 0) : 0x636c616465u;
    const double seconds = run_for_seconds(count, arguments, engine->seconds);
    struct host_counts counts = { 0 };
    printf("seed %#llx\n", (unsigned long long)seed);
    do {
        end_after(HANGS_AFTER);
        wrong = host_world(&counts, engine, seed);
        if (wrong)
            fprintf(stderr, "%s: CLADE_TEST_SEED=%#llx\n", wrong, (unsigned long long)seed);
        seed++;
    } while (!wrong && run_for_used() < seconds);
    printf(
        "%zu worlds (%zu judged by search too), %zu operations, %zu refused for want of room: %s\n",
        counts.worlds, counts.exact, counts.ops, counts.refused, wrong ? "WRONG" : "fine");
    return wrong != NULL;
}

/* SPDX-License-Identifier: Apache-2.0 */
/* Launches of the heap's kernels on lanes, as the host does a call; and how often groups ask for a
 * batch. Include the kernels first; engine, types and sizes are the program's. */
#pragma once

#include "clade/shared/heap_sorted.h"
#include "edges/kernels.h"
#if ENGINE == 3
#include "heap/front/host_front.h"
#endif

enum {
    BATCH = SIZE,
    LEAF = 256,
    CAPACITY = ENGINE == 3 ? 3000 : 500,
    NODES = (CAPACITY - 1) / BATCH + 1,
    GROUPS = 3,
    FIRST = 3,  /* where keys begin; values one before */
    LEAST = 41, /* popped before the first call, high word included */
    GUARD = 0x5a5a5a5a,
    MOST = 60000,
    HAS_VALUES = VALUE != CLADE_NONE,
    KEY_BYTES = sizeof(clade_heap_image),
    VALUE_BYTES = sizeof(clade_heap_stored)
};

enum { IN_ARRAY = 3 };
static uint *heap;
static struct job {
    clade_heap_image *keys;
    clade_heap_stored *values;
    ulong got[2], count;
    uint is_pop, step, heaps, parts;
    uint side; /* where a sort left the keys of an insert; IN_ARRAY: there was no sort */
} job = { .side = IN_ARRAY };

static clade_heap_head *head(void)
{
    return (clade_heap_head *)heap;
}

#ifdef STEP
/* Keys lie on one side of a sort, and nothing does on the other; or they are the caller's. */
static void step(void *argument, void *local)
{
    const uint plan[] = { [CLADE_SORTED_TO] = job.side };
    const bool is_array = job.side >= CLADE_SORTED_RAW;
    clade_heap_image *keys[2] = { NULL, NULL };
    clade_heap_stored *values[2] = { NULL, NULL };
    (void)argument, (void)local;
    if (!is_array) {
        keys[job.side] = job.keys + FIRST;
        values[job.side] = job.values + FIRST - 1;
    }
    clade_heap_step(heap, is_array ? job.keys : NULL, FIRST, is_array ? job.values : NULL,
                    FIRST - 1, job.count, job.got, 1, job.step, plan, keys[0], values[0], keys[1],
                    values[1]);
}

static void launch_step(uint what, size_t groups)
{
    job.step = what | (job.is_pop ? CLADE_HEAP_STEP_POP : 0u) |
               (job.side == IN_ARRAY ? 0u : CLADE_HEAP_STEP_SORTED);
    shim_launch(step, NULL, groups, GROUP, 1);
}

static void launch_begin(void)
{
    launch_step(CLADE_HEAP_STEP_OPEN, 1);
}

static void launch_end(void)
{
    launch_step(CLADE_HEAP_STEP_CLOSE, 1);
}

static void launch_work(size_t groups)
{
    launch_step(CLADE_HEAP_STEP_WORK, groups);
}
#else
AS_KERNEL(begin, clade_heap_begin(heap, job.is_pop ? 0 : job.count))
AS_KERNEL(end, clade_heap_end(heap, job.got, 1, job.is_pop))
AS_KERNEL(pop_all, clade_heap_pop(heap, job.keys, FIRST, job.values, FIRST - 1, job.count))
AS_KERNEL(insert_all, clade_heap_insert(heap, job.keys, FIRST, job.values, FIRST - 1, job.count))
AS_KERNEL(scan, clade_heap_scan(heap, job.keys, FIRST, job.count))

static void launch_begin(void)
{
    shim_launch(begin, NULL, 1, 1, 1);
}

static void launch_end(void)
{
    shim_launch(end, NULL, 1, 1, 1);
}

static void launch_work(size_t groups)
{
    if (!job.is_pop && KEY == CLADE_F32)
        shim_launch(scan, NULL, 2, GROUP, 1);
    shim_launch(job.is_pop ? pop_all : insert_all, NULL, groups, GROUP, 1);
}
#endif

/* As the host launches a call; 64 launches at most where groups take few batches in each. */
static void launch_call(void)
{
    const ulong batches = job.count / BATCH + 1;
    const size_t groups = batches < GROUPS ? (size_t)batches : GROUPS;
#ifdef STEP
    /* One group may do several steps in a launch. */
    if (groups == 1 && CLADE_HEAP_ROUNDS == 0xffffffffu) {
        const uint all = CLADE_HEAP_STEP_OPEN | CLADE_HEAP_STEP_WORK | CLADE_HEAP_STEP_CLOSE;
        const uint first = draw(2) ? CLADE_HEAP_STEP_OPEN : 0u;
        if (first != 0)
            launch_step(first, 1);
        launch_step(all & ~first, 1);
        return;
    }
#endif
    launch_begin();
    for (ulong left = batches, done = 0; job.count > 0 && left > 0; left -= done) {
        launch_work(groups);
        done = CLADE_HEAP_ROUNDS < left ? groups * CLADE_HEAP_ROUNDS : left;
        done = done < left ? done : left;
    }
    launch_end();
}

/* One group after the other takes batches of a call, until none is left or, of a pop, one gets
 * fewer than it asked for: how many batches that makes, and how often a group asked for one. */
static uint batches_of(uint count, uint there, bool is_pop, uint *asked)
{
    const ulong all = count / BATCH + 1;
    const ulong groups = all < GROUPS ? all : GROUPS;
    uint batches = 0;
    *asked = 0;
    for (ulong left = all, done = 0; count > 0 && left > 0; left -= done) {
        for (ulong group = 0; group < groups; group++) {
            bool goes = true;
            for (uint round = 0; round < CLADE_HEAP_ROUNDS && goes; round++) {
                const uint at = (*asked)++ * BATCH, n = at < count ? count - at : 0;
                const uint wanted = n < BATCH ? n : BATCH, got = wanted < there ? wanted : there;
                batches += wanted > 0;
                goes = at < count && (!is_pop || got == wanted);
                there -= is_pop ? got : 0;
            }
        }
        done = CLADE_HEAP_ROUNDS < left ? groups * CLADE_HEAP_ROUNDS : left;
        done = done < left ? done : left;
    }
    return batches;
}

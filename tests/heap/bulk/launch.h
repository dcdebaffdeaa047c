/* SPDX-License-Identifier: Apache-2.0 */
/* Launches of the front engine's bulk kernels on lanes, as the host does a call; and a call's
 * arrays. Include the kernels first; types and sizes are the program's. */
#pragma once

#include "edges/edge.h"
#include "heap/front/host_front.h"

enum {
    GROUPS = 3,
    FIRST = 3,
    LEVELS = CLADEI_BULK_KEY_BITS / 8,
    CAPACITY = 6000,
    GUARD = 0x5a5a5a5a
};

typedef cladei_bulk_key image;

static struct job {
    uint *heap;
    clade_atomic_u32 *plan, *control;
    image *keys, *other; /* of a call */
    uint *values, *other_values;
    image *keys_of[GROUPS]; /* what each group of a pop writes */
    uint *values_of[GROUPS];
    uint rows, tiles, count, level;
    ulong wanted;
} job;

static void *room(size_t bytes)
{
    void *memory = malloc(bytes);
    if (!memory)
        exit(1);
    memset(memory, 0x5a, bytes);
    return memory;
}

static clade_heap_head *head(void)
{
    return (clade_heap_head *)job.heap;
}

/* --- insert ----------------------------------------------------------------------------------- */

static void build_begin(void *argument, void *local)
{
    (void)argument;
    (void)local;
    clade_heap_build_begin(job.heap, job.plan, job.count, job.rows, job.tiles);
}

static void build_count(void *argument, void *local)
{
    (void)argument;
    (void)local;
    clade_heap_build_count(job.heap, job.plan, job.level, job.rows, job.tiles, job.count, job.keys,
                           FIRST, job.other);
}

/* Of the first group's items the last to begin finds that another group had too few units. 0: it
 * has not. */
static clade_atomic_u32 others_fail;

static void build_plan(void *argument, void *local)
{
    (void)argument;
    (void)local;
    if (get_group_id(0) == 0 && clade_load_relaxed(&others_fail) > 0 &&
        clade_sub_relaxed(&others_fail, 1u) == 1u)
        clade_store_relaxed(job.plan + CLADE_BULK_STATE, CLADE_BULK_ORDINARY);
    clade_heap_build_plan(job.heap, job.plan, job.level, job.rows, job.tiles, job.count);
}

static void build_move(void *argument, void *local)
{
    (void)argument;
    (void)local;
    clade_heap_build_move(job.heap, job.plan, job.level, job.rows, job.tiles, job.count, job.keys,
                          FIRST, job.values, FIRST - 1, job.other, job.other_values);
}

static void build_end(void *argument, void *local)
{
    (void)argument;
    (void)local;
    clade_heap_build_end(job.heap, job.plan, job.count);
}

/* --- pop -------------------------------------------------------------------------------------- */

static void take_begin(void *argument, void *local)
{
    (void)argument;
    (void)local;
    clade_heap_take_begin(job.heap, job.control, job.wanted);
}

static void take_count(void *argument, void *local)
{
    (void)argument;
    (void)local;
    clade_heap_take_count(job.heap, job.control);
}

static void take_place(void *argument, void *local)
{
    (void)argument;
    (void)local;
    clade_heap_take_place(job.heap, job.control, job.wanted);
}

static void take_move(void *argument, void *local)
{
    const size_t group = get_group_id(0);
    (void)argument;
    (void)local;
    clade_heap_take_move(job.heap, job.control, job.wanted, job.keys_of[group], FIRST,
                         job.values_of[group], FIRST - 1);
}

static void take_end(void *argument, void *local)
{
    (void)argument;
    (void)local;
    clade_heap_take_end(job.heap, job.control, job.wanted);
}

/* --- both ------------------------------------------------------------------------------------- */

static void launch(void (*kernel)(void *, void *))
{
    shim_launch(kernel, NULL, GROUPS, CLADEI_BULK_GROUP, 1);
}

static void begin_call(void)
{
    head()->ticket = 0;
    head()->verdict = 0;
    head()->nan = CLADE_HEAP_NO_NAN;
}

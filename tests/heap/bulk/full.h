/* SPDX-License-Identifier: Apache-2.0 */
/* Inserts of more keys than there are units for, and of as many as there are. */
#pragma once

#include "heap/bulk/through.h"

/* More keys than the heap has blocks for: it stays empty, and as good as new. */
static void overfull(uint kind, uint count)
{
    begin_call();
    expect(!insert(kind, count), "more than fits", kind, 0);
    check_heap("after more than fits", kind, 0);
}

/* As if there were few leaves: none is made over the nil one. */
static void few_leaves(void)
{
    uint *leaves = job.heap + CLADE_FRONT_C_COUNT + CLADE_FRONT_POOL_LEAVES;
    const uint before = *leaves;
    *leaves = 1 + CLADE_FRONT_FAN + 20;
    begin_call();
    expect(!insert(0, 5000), "more leaves than there are", 0, 0);
    *leaves = before;
}

/* As many leaves or directories as an insert needs, and one less. `built` has the last insert's. */
static void just_enough(void)
{
    run(1, 700, 800);
    const uint needed[] = { [CLADE_FRONT_POOL_LEAVES] = 1 + CLADE_FRONT_FAN + built.leaf_count,
                            [CLADE_FRONT_POOL_DIRS] = 1 + built.dir_count };
    for (uint pool = CLADE_FRONT_POOL_LEAVES; pool <= CLADE_FRONT_POOL_DIRS; pool++) {
        uint *units = job.heap + CLADE_FRONT_C_COUNT + pool;
        const uint before = *units;
        *units = needed[pool] - 1u;
        begin_call();
        expect(!insert(1, 700), "a unit too few", pool, needed[pool]);
        *units = needed[pool];
        begin_call();
        expect(insert(1, 700), "as many units as are needed", pool, needed[pool]);
        *units = before;
        job.keys = room((FIRST + 700) * sizeof(image));
        job.values = room((FIRST - 1 + 700) * sizeof(uint));
        begin_call();
        expect(begin_pop(700), "a pop of what has just enough", pool, 0);
        free(job.keys);
        free(job.values);
    }
}

/* Items of a group do the same, whatever a group beside theirs says meanwhile. */
static void a_group_beside_fails(void)
{
    begin_call();
    clade_store_relaxed(&others_fail, GROUP);
    expect(!insert(1, 700), "a group beside has too few units", 0, 0);
    expect(clade_load_relaxed(&others_fail) == 0, "items that have begun", GROUP, 0);
}

/* The most keys for which leaves leave room; and as many as all blocks have, and some more. */
static void as_many_as_fit(uint kind)
{
    const uint slots = cladei_bulk_open(job.heap).block_count * CLADEI_BULK_BLOCK;
    uint low = 700, high = slots;
    while (high - low > 1) {
        const uint middle = low + (high - low) / 2;
        *(goes_through(kind, middle) ? &low : &high) = middle;
    }
    overfull(kind, low + 1);
    overfull(kind, slots);
    overfull(kind, slots + 5);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* One call of the list's kernels: its arrays, the rounds in which the host launches it, and what it
 * says of each element. */
#pragma once

#include "list/kernels_list.h"

static uint before_collisions;

static uint all_collisions(void)
{
    uint sum = 0;
    for (uint i = 0; i < CLADE_CELLS_STRIPES; i++)
        sum += list->stripes[i].insert_collisions + list->stripes[i].erase_collisions;
    return sum;
}

static void open_call(uint given, uint count)
{
    job.given = given;
    job.count = count;
    job.ops = room(4ul * (FIRST + (given & 1u ? count : 0)));
    job.keys = room(sizeof(KEY) * (FIRST - 1ul + count));
    job.values = room(4ul * (FIRST - 2ul + (given & 2u ? count : 0)));
    job.targets = room(sizeof(KEY) * (FIRST - 2ul + (given & 2u ? count : 0)));
    job.statuses = room(4ul * (FIRST - 3ul + (given & 4u ? count : 0)));
    job.collisions = room(4ul * (FIRST - 4ul + (given & 8u ? count : 0)));
    list->object.first_error = list->object.first_error_item = 0;
    before_collisions = all_collisions();
}

static void close_call(void)
{
    uint met = 0;
    for (uint i = 0; i < job.count && job.given & 8u; i++)
        met += job.collisions[FIRST - 4 + i];
    if (job.given & 8u)
        expect(met == all_collisions() - before_collisions && (met == 0 || GROUP > 1), "collisions",
               met, all_collisions() - before_collisions);
    expect(job.ops[FIRST - 1] == GUARD && (uint)job.keys[FIRST - 2] == GUARD &&
               job.values[FIRST - 3] == GUARD && (uint)job.targets[FIRST - 3] == GUARD &&
               job.statuses[FIRST - 4] == GUARD && job.collisions[FIRST - 5] == GUARD,
           "before an array", (uint)job.count, job.given);
    free(job.ops);
    free(job.keys);
    free(job.values);
    free(job.targets);
    free(job.statuses);
    free(job.collisions);
}

/* As the host does: at once, or first every so many elements. */
static void launch_rounds(ulong stride)
{
    job.stride = stride;
    job.is_rest = 0;
    launch(apply, (job.count + stride - 1) / stride);
    while (stride > 1) {
        stride /= CLADE_LIST_ROUND_FACTOR;
        job.stride = stride;
        job.is_rest = 1;
        const ulong larger = stride * CLADE_LIST_ROUND_FACTOR;
        reclaim_quietly();
        launch(apply, (job.count + stride - 1) / stride - (job.count + larger - 1) / larger);
    }
}

/* What a call says of an element: its status, or, where no array for it is given, the first one
 * that is an error. */
static void expect_status(uint i, int wanted)
{
    if (job.given & 4u)
        expect(job.statuses[FIRST - 3 + i] == wanted, "a status", (uint)job.statuses[FIRST - 3 + i],
               (uint)wanted);
}

static void expect_note(uint bad, int status)
{
    const bool is_noted = !(job.given & 4u) && bad < job.count;
    expect((int)list->object.first_error == (is_noted ? status : 0) &&
               list->object.first_error_item == (is_noted ? bad : 0),
           "the first error", list->object.first_error, list->object.first_error_item);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* `clade bench queue`: the calls of `clade profile queue` on arrays of many sizes. Which keys they
 * are makes no difference to it. */
#include "bench/calls.h"

static bool run_suite(struct bench *bench)
{
    return bench_calls(bench, queue_loads, false);
}

const struct bench_suite queue_suite = {
    .name = "queue",
    .summary = "the queue: calls over arrays of many sizes",
    .run = run_suite,
    .quick = { 21, 2 },
    .cpu = { 21, 4 },
    .gpu = { 21, 4 },
    .tables = "sizes",
};

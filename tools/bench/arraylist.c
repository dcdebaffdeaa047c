/* SPDX-License-Identifier: Apache-2.0 */
/* `clade bench arraylist`: the calls of `clade profile arraylist` on arrays of many sizes. Which
 * keys they are makes no difference to it. */
#include "bench/calls.h"

static bool run_suite(struct bench *bench)
{
    return bench_calls(bench, arraylist_loads, false);
}

const struct bench_suite arraylist_suite = {
    .name = "arraylist",
    .summary = "the array list: calls over arrays of many sizes",
    .run = run_suite,
    .quick = { 21, 2 },
    .cpu = { 21, 4 },
    .gpu = { 21, 4 },
    .tables = "sizes",
};

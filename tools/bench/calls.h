/* SPDX-License-Identifier: Apache-2.0 */
/* Tables of the calls that `clade profile` makes with a structure, one after the other on arrays.
 */
#pragma once

#include "bench/bench.h"
#include "profiler/profile.h"

/* `distributions`, where keys matter to the structure, and `sizes`. A structure is verified behind
 * every run, as `clade profile` does. */
bool bench_calls(struct bench *bench, const struct profile_load *load, bool by_keys);

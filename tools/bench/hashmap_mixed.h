/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "bench/bench.h"

/* The table `mixed`: finds, updates, and both in one launch, of keys that come as often as each
 * other, or as words do. */
bool bench_hashmap_mixed(struct bench *bench, uint32_t n);

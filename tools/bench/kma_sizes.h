/* SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include "bench/bench.h"

/* The table `sizes`: blocks of a compiler's sizes and of a log-normal law, all at once and with
 * some that come and go while others stay, in a heap with much room and in a small one. */
bool bench_kma_sizes(struct bench *bench, uint64_t heap_bytes, uint32_t blocks);
/* The table `distributions`: sizes drawn by the shapes of bench/shapes.h. */
bool bench_kma_distributions(struct bench *bench, uint64_t heap_bytes, uint32_t blocks);

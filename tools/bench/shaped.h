/* SPDX-License-Identifier: Apache-2.0 */
/* Two tables that suites share: `distributions`, a row for each shape of keys at one count; and
 * `sizes`, random keys of powers of two, of primes and of other odd numbers. */
#pragma once

#include "bench/bench.h"
#include "bench/shapes.h"

/* The keys of a row. */
struct bench_shaped {
    struct bench *bench;
    uint32_t *keys;
    uint32_t count;
    uint32_t different; /* of them */
};

/* A suite's cells of a row, after those that say what the keys are. False: it could not be done. */
typedef bool bench_shaped_cells(const struct bench_shaped *row, void *data);

/* Those of the two tables that are asked for. At most `most` keys; 0: what suits the device. */
bool bench_distributions(struct bench *bench, uint32_t most, bench_shaped_cells *cells, void *data);
bool bench_sizes(struct bench *bench, uint32_t most, bench_shaped_cells *cells, void *data);

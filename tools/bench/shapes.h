/* SPDX-License-Identifier: Apache-2.0 */
/* The distributions that a structure's keys are tried in, so that no page shows random ones alone.
 */
#pragma once

#include <stdint.h>

enum bench_shape {
    BENCH_SHAPE_RANDOM,
    BENCH_SHAPE_ZIPF,        /* key i about 1 / i as often as key 1 */
    BENCH_SHAPE_EXPONENTIAL, /* half of them below 2^24, half of the others in the next 2^24, ... */
    BENCH_SHAPE_CLUSTERED,   /* 256 neighbours in a row, the rows anywhere */
    BENCH_SHAPE_ASCENDING,
    BENCH_SHAPE_DESCENDING,
    BENCH_SHAPE_EQUAL,
    BENCH_SHAPE_FEW, /* ten values */
    BENCH_SHAPES
};

extern const char *const bench_shape_names[BENCH_SHAPES];

/* Keys number 0 .. count - 1 of a shape; `state` is of bench_random(). */
void bench_shape_fill(uint32_t *keys, uint64_t count, enum bench_shape shape, uint64_t *state);

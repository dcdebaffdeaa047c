/* SPDX-License-Identifier: Apache-2.0 */
/* Keys of many distributions; the same on every machine, so nothing is a float. */
#include "bench/shapes.h"

#include "bench/bench.h"

const char *const bench_shape_names[BENCH_SHAPES] = { "random",    "Zipf",      "exponential",
                                                      "clustered", "ascending", "descending",
                                                      "equal",     "few values" };

/* Each power of two of keys is as likely as the next, and within one all are alike: the density
 * falls with 1 / key. */
static uint32_t zipf(uint64_t any)
{
    const uint32_t power = (uint32_t)(any >> 59) % 24;
    return (1u << power) + (uint32_t)(any & ((1u << power) - 1u));
}

static uint32_t exponential(uint64_t any)
{
    uint32_t steps = 0;
    while (steps < 255 && any >> (steps % 32 + 32) & 1)
        steps++;
    return steps * (1u << 24) + (uint32_t)(any & 0xffffffu);
}

void bench_shape_fill(uint32_t *keys, uint64_t count, enum bench_shape shape, uint64_t *state)
{
    uint64_t row = 0;
    for (uint64_t i = 0; i < count; i++) {
        const uint64_t any = bench_random(state);
        row = i % 256 == 0 ? any >> 32 : row;
        keys[i] = shape == BENCH_SHAPE_RANDOM        ? (uint32_t)(any >> 32)
                  : shape == BENCH_SHAPE_ZIPF        ? zipf(any)
                  : shape == BENCH_SHAPE_EXPONENTIAL ? exponential(any)
                  : shape == BENCH_SHAPE_CLUSTERED   ? (uint32_t)(row + i % 256)
                  : shape == BENCH_SHAPE_ASCENDING   ? (uint32_t)i
                  : shape == BENCH_SHAPE_DESCENDING  ? (uint32_t)(count - i)
                  : shape == BENCH_SHAPE_EQUAL       ? 77
                                                     : (uint32_t)(any % 10) * 0x10000001u;
    }
}

/* SPDX-License-Identifier: Apache-2.0 */
/* The same numbers on every machine: splitmix64 (Steele, Lea and Flood, OOPSLA 2014). Made-up
 * inputs are named by their seed, so this does not change. Not for several threads on one state. */
#pragma once

#include <stdint.h>

static inline uint64_t random_next(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

/* SPDX-License-Identifier: Apache-2.0 */
/* What programs share in which one item works against a model. Include device.h and what is tested
 * first. */
#pragma once

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint wrong;        /* expectations that did not hold */
static uint random_state; /* from shim_seed() on */

static inline uint draw(uint bound)
{
    random_state = random_state * 1664525u + 1013904223u;
    return (random_state >> 8) % bound;
}

/* The numbers below `count`, in any order. */
static inline void shuffle(uint *numbers, uint count)
{
    for (uint i = 0; i < count; i++)
        numbers[i] = i;
    for (uint i = count; i > 1; i--) {
        const uint j = draw(i), kept = numbers[i - 1];
        numbers[i - 1] = numbers[j];
        numbers[j] = kept;
    }
}

static inline void expect(int holds, const char *what, uint a, uint b)
{
    if (!holds && wrong++ < 8)
        printf("%s: %u, %u\n", what, a, b);
}

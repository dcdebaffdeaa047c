/* SPDX-License-Identifier: Apache-2.0 */
/* The square root, rounded down: what chance makes of a share. */
#pragma once

#include <stdint.h>

static inline uint64_t cladei_mpi_root(uint64_t number)
{
    uint64_t root = 0;
    for (uint64_t bit = (uint64_t)1 << 31; bit > 0; bit >>= 1)
        if ((root + bit) * (root + bit) <= number)
            root += bit;
    return root;
}

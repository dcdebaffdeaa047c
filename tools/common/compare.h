/* SPDX-License-Identifier: Apache-2.0 */
/* For qsort(): numbers of 32 bits, ascending. */
#pragma once

#include <stdint.h>

static inline int compare_u32(const void *a, const void *b)
{
    const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

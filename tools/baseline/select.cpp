// SPDX-License-Identifier: Apache-2.0
#include "baseline/select.h"

#include <algorithm>

bool baseline_select_is_there(void)
{
    return true;
}

void baseline_select_any(uint32_t *keys, size_t rows, size_t length, size_t k)
{
    for (uint32_t *row = keys; row < keys + rows * length; row += length)
        std::nth_element(row, row + k - 1, row + length);
}

void baseline_select_sorted(uint32_t *keys, size_t rows, size_t length, size_t k)
{
    for (uint32_t *row = keys; row < keys + rows * length; row += length)
        std::partial_sort(row, row + k, row + length);
}

void baseline_select_first(uint32_t *keys, size_t rows, size_t length)
{
    for (uint32_t *row = keys; row < keys + rows * length; row += length)
        *row = *std::min_element(row, row + length);
}

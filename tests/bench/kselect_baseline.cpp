/* SPDX-License-Identifier: Apache-2.0 */
#include "bench/kselect_baseline.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <vector>

template <typename Work> static double milliseconds(Work work)
{
    const auto start = std::chrono::steady_clock::now();
    work();
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start)
        .count();
}

void baseline_print(const uint32_t *keys, size_t total, size_t length, size_t k, double ms)
{
    if (total > (size_t)1 << 24)
        return;
    const int32_t *first = reinterpret_cast<const int32_t *>(keys);
    std::vector<int32_t> copy(first, first + total);
    const double nth = milliseconds([&] {
        for (size_t at = 0; at + length <= total; at += length)
            std::nth_element(copy.begin() + at, copy.begin() + at + k - 1,
                             copy.begin() + at + length);
    });
    copy.assign(first, first + total);
    const double partial = milliseconds([&] {
        for (size_t at = 0; at + length <= total; at += length)
            std::partial_sort(copy.begin() + at, copy.begin() + at + k, copy.begin() + at + length);
    });
    std::printf(" nth_element %.0f (%.1fx) partial_sort %.0f (%.1fx) |", nth, nth / ms, partial,
                partial / ms);
}

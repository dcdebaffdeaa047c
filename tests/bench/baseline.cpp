/* SPDX-License-Identifier: Apache-2.0 */
#include "baseline.h"

#include <chrono>
#include <functional>
#include <queue>
#include <vector>

bool baseline_priority_queue(const int32_t *keys, size_t n, int32_t *out, double *insert_ms,
                             double *delete_ms)
{
    using clock = std::chrono::steady_clock;
    using ms = std::chrono::duration<double, std::milli>;
    std::priority_queue<int32_t, std::vector<int32_t>, std::greater<int32_t>> queue;
    const auto start = clock::now();
    for (size_t i = 0; i < n; i++)
        queue.push(keys[i]);
    const auto middle = clock::now();
    for (size_t i = 0; i < n; i++) {
        out[i] = queue.top();
        queue.pop();
    }
    const auto end = clock::now();
    *insert_ms = ms(middle - start).count();
    *delete_ms = ms(end - middle).count();
    return true;
}

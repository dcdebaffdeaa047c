// SPDX-License-Identifier: Apache-2.0
// The baseline of bench_rbtree.c: std::map on one core.
#include "bench_rbtree.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <map>

static uint32_t key_of(uint32_t i)
{
    i ^= i >> 16;
    i *= 0x7feb352du;
    i ^= i >> 15;
    i *= 0x846ca68bu;
    return i ^ i >> 16;
}

template <typename Step> static void time_it(const char *what, uint32_t count, Step step)
{
    const auto start = std::chrono::steady_clock::now();
    uint64_t sum = 0;
    for (uint32_t i = 0; i < count; i++)
        sum += step(key_of(i));
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
    std::printf("%-34s %10.3f ms %10.2f M/s%s\n", what, taken.count() * 1e3,
                count / taken.count() * 1e-6, sum == count ? "" : " (wrong)");
}

extern "C" void bench_std_map(uint32_t count)
{
    std::map<uint32_t, uint32_t> map;
    count = std::min(count, 1u << 20);
    std::printf("std::map, 1 core, %u keys\n", count);
    time_it("  insert", count, [&](uint32_t key) { return map.emplace(key, key).second; });
    time_it("  find", count, [&](uint32_t key) { return map.find(key) != map.end(); });
    time_it("  erase", count, [&](uint32_t key) { return map.erase(key); });
}

/* SPDX-License-Identifier: Apache-2.0 */
/* What bench_rbtree.c asks of bench_std_map.cpp. */
#pragma once

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Time inserts, finds and erases of `count` keys (at most 2^20) with std::map on one core. */
void bench_std_map(uint32_t count);

#ifdef __cplusplus
}
#endif

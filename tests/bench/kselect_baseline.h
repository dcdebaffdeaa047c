/* SPDX-License-Identifier: Apache-2.0 */
/* The C++ library on one core, on the same rows. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Prints the milliseconds of nth_element and partial_sort, and how often `ms` goes into each. Only
 * for small totals: on large ones it prints nothing. */
void baseline_print(const uint32_t *keys, size_t total, size_t length, size_t k, double ms);

#ifdef __cplusplus
}
#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Selection by the C++ library, on one core: what `clade bench adheap` stands beside. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* False: clade was built without a C++ compiler, and these do nothing. */
bool baseline_select_is_there(void);
/* The k first of each row of `length` keys come to the row's beginning: in any order
 * (std::nth_element), or sorted (std::partial_sort). */
void baseline_select_any(uint32_t *keys, size_t rows, size_t length, size_t k);
void baseline_select_sorted(uint32_t *keys, size_t rows, size_t length, size_t k);
/* The first key of each row comes to the row's beginning (std::min_element). */
void baseline_select_first(uint32_t *keys, size_t rows, size_t length);

#ifdef __cplusplus
}
#endif

/* SPDX-License-Identifier: Apache-2.0 */
/* Where there is no C++ compiler: no selection. */
#include "baseline/select.h"

bool baseline_select_is_there(void)
{
    return false;
}

void baseline_select_any(uint32_t *keys, size_t rows, size_t length, size_t k)
{
    (void)keys, (void)rows, (void)length, (void)k;
}

void baseline_select_sorted(uint32_t *keys, size_t rows, size_t length, size_t k)
{
    (void)keys, (void)rows, (void)length, (void)k;
}

void baseline_select_first(uint32_t *keys, size_t rows, size_t length)
{
    (void)keys, (void)rows, (void)length;
}

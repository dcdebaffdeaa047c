/* SPDX-License-Identifier: Apache-2.0 */
/* Where there is no C++ compiler there is no baseline. */
#include "bench/kselect_baseline.h"

void baseline_print(const uint32_t *keys, size_t total, size_t length, size_t k, double ms)
{
    (void)keys, (void)total, (void)length, (void)k, (void)ms;
}

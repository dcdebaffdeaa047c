/* SPDX-License-Identifier: Apache-2.0 */
#include "baseline.h"

bool baseline_priority_queue(const int32_t *keys, size_t n, int32_t *out, double *insert_ms,
                             double *delete_ms)
{
    (void)keys, (void)n, (void)out, (void)insert_ms, (void)delete_ms;
    return false;
}

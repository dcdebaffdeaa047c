/* SPDX-License-Identifier: Apache-2.0 */
/* What the C++ library does in the same time; linked in where there is a C++ compiler. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Push all, then pop all into `out`. False when built without C++. */
bool baseline_priority_queue(const int32_t *keys, size_t n, int32_t *out, double *insert_ms,
                             double *delete_ms);

#ifdef __cplusplus
}
#endif

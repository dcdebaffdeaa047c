/* SPDX-License-Identifier: Apache-2.0 */
/* What kernels do with an object, drawn from `seed` (tests/fuzz/use.h). The files that define these
 * see the device's side of the shared headers, fuzz.c the host's. */
#pragma once

#include <stdint.h>

void use_map(void *list, uint32_t seed, uint32_t steps);
void use_map_wide(void *list, uint32_t seed, uint32_t steps); /* keys of 64 bits, no values */
void use_sequence(void *list, uint32_t seed, uint32_t steps);
/* What the host launches between kernels. */
void use_map_reclaim(void *list);

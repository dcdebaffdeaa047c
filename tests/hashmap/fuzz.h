/* SPDX-License-Identifier: Apache-2.0 */
/* What kernels do with a map, drawn from `seed` (tests/fuzz/use.h): a set, keys and values of 32
 * bits, and of 64 bits. */
#pragma once

#include <stdint.h>

void use_hashmap_set(void *map, uint32_t seed, uint32_t steps);
void use_hashmap_32(void *map, uint32_t seed, uint32_t steps);
void use_hashmap_64(void *map, uint32_t seed, uint32_t steps);

/* SPDX-License-Identifier: Apache-2.0 */
/* What kernels do with an object, drawn from `seed` (tests/fuzz/use.h). The files that define these
 * see the device's side of the shared headers, fuzz.c the host's. */
#pragma once

#include <stdint.h>

void use_rbtree(void *tree, uint32_t seed, uint32_t steps);
void use_ranked(void *tree, uint32_t seed, uint32_t steps);

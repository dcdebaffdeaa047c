/* SPDX-License-Identifier: Apache-2.0 */
/* What kernels do with an object, drawn from `seed` (tests/fuzz/use.h). The files that define these
 * see the device's side of the shared headers, fuzz.c the host's. */
#pragma once

#include <stdint.h>

void use_dlist(void *list, uint32_t seed, uint32_t steps);
/* What the host launches between kernels. */
void use_dlist_reclaim(void *list);

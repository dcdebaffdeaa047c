/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of `clade warm`. Each structure brings one function: a first use, with the types that
 * it has when nothing is said. The drivers that compile a kernel for a launch see the launches of
 * small calls. */
#pragma once

#include <clade/clade.h>

#include "structures.h"

enum { WARM_KEYS = 3 };

/* tools/warm/W.c has warm_W(). */
#define DECLARE_WARM(structure) clade_status warm_##structure(clade_context *context);
CLADE_WARM(DECLARE_WARM)

/* SPDX-License-Identifier: Apache-2.0 */
/* What a device can do that no query tells truly: it is tried out. */
#pragma once

#include <stdbool.h>

#include "clade/context.h"

/* Chooses caps->atomics and the language version: builds and runs a small kernel. */
clade_status cladei_caps_probe(clade_context *context, bool rmw_only);

/* SPDX-License-Identifier: Apache-2.0 */
/* What a device can do that no query tells truly: it is tried out. */
#pragma once

#include <stdbool.h>

#include "clade/context.h"

/* Whether the dialect in `caps` needs no try on this platform; `capability` is the major one of an
 * NVIDIA device, else 0. */
bool cladei_dialect_is_believed(const char *platform, const clade_caps *caps, unsigned capability);

/* Chooses caps->atomics and the language version: builds and runs a small kernel. */
clade_status cladei_caps_probe(clade_context *context, bool rmw_only);

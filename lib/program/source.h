/* SPDX-License-Identifier: Apache-2.0 */
/* The options that a kernel is compiled with. */
#pragma once

#include "clade/context.h"

#include "base/text.h"

/* What a device's headers are told, and the language: from queries and the probe, or for a target
 * that is not here (source.c). */
void cladei_add_options(struct cladei_text *options, const clade_caps *caps, const char *platform,
                        const char *language, const char *build_options, const char *extra);

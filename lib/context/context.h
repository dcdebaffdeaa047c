/* SPDX-License-Identifier: Apache-2.0 */
/* A context's end. */
#pragma once

#include "clade/context.h"

/* What clade_context_destroy() does last, for the caller and for each object. */
void cladei_context_let_go(clade_context *context);

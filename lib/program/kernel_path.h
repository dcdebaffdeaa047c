/* SPDX-License-Identifier: Apache-2.0 */
/* Where clade's kernels are. */
#pragma once

#include "clade/error.h"

/* When nobody says otherwise: `wanted` is NULL. */
clade_status cladei_kernel_path(char **out, const char *wanted);

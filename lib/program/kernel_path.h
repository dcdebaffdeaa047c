/* SPDX-License-Identifier: Apache-2.0 */
/* Where clade's kernels are. */
#pragma once

#include "clade/error.h"

/* The folders; if `wanted` is NULL, those by default. */
clade_status cladei_kernel_path(char **out, const char *wanted);

/* SPDX-License-Identifier: Apache-2.0 */
/* The version of these headers. meson.build reads it from here: this is its one home. */
#pragma once

#include "clade/export.h"

/* Counts up when programs may have to be changed; while it is 0, MINOR does too. */
#define CLADE_VERSION_MAJOR 0
/* Counts up when something is added. */
#define CLADE_VERSION_MINOR 1
/* Counts up when something is mended. */
#define CLADE_VERSION_PATCH 0

#ifdef __cplusplus
extern "C" {
#endif

/**
 * The version of the library that is linked, as "0.1.0".
 *
 * Owner:   static.
 * Threads: any.
 * Blocks:  no.
 */
CLADE_API const char *clade_version(void);

#ifdef __cplusplus
}
#endif

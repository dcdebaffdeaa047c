/* SPDX-License-Identifier: Apache-2.0 */
/* The version of these headers. meson.build reads it from here; it stands nowhere else. */
#pragma once

#include "clade/export.h"

/* Goes up when programs may have to be changed. While it is 0, so does MINOR. */
#define CLADE_VERSION_MAJOR 0
/* Goes up when something is added. */
#define CLADE_VERSION_MINOR 2
/* Goes up when something is mended. */
#define CLADE_VERSION_PATCH 0

#ifdef __cplusplus
extern "C" {
#endif

/**
 * The version of the library that the program is linked with, such as "0.2.0".
 *
 * Owner:   static.
 * Threads: any.
 * Blocks:  no.
 */
CLADE_API const char *clade_version(void);

#ifdef __cplusplus
}
#endif

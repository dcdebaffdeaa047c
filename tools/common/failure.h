/* SPDX-License-Identifier: Apache-2.0 */
/* Why a search failed, as text in its result. Both return whether the call was fine, and write only
 * when it was not. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include <clade/clade.h>

bool failure_none_cl(char *text, size_t size, const char *call, cl_int code);
/* The library's last error, and the compiler's text when there is one. */
bool failure_none(char *text, size_t size, clade_status status);

/* SPDX-License-Identifier: Apache-2.0 */
/* A line on the standard error while a kernel compiles for longer than a second, so that a first
 * start is not taken for a standstill. */
#pragma once

/* For clade_context_params.on_compile; `data` is not used. */
void progress_compile(void *data, const char *sentence);
